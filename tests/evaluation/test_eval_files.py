"""Sets of files: indexed as they lie, and asked for the file, or the characters of it, that answer (E17)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bench import recall_table as table
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.errors import InvalidRequest, NotFound
from cortex.evaluation import lines, metrics, sets
from cortex.evaluation.runner import run
from cortex.surfaces.cli.evaluation_rendering import tables
from cortex.testing import FakeEmbedder

DOCS = {
    "index.md": "# Harbour\n\nWelcome to the harbour.\n",
    "boats/ferry.md": "# The ferry\n\n## Timetable\n\nIt leaves at noon.\n\n## Fares\n\nIt costs four crowns.\n",
    "boats/tug.markdown": "# The tug\n\nIt pulls barges upstream.\n",
    "lamps.md": "# Lamps\n\nThe lamp on the mole is green.\n",
}
ASKED: list[dict[str, Any]] = [
    {"qid": "h1", "query": "Timetable of the ferry", "file": "docs/boats/ferry.md", "category": "heading"},
    {"qid": "h2", "query": "barges upstream", "file": "docs/boats/tug.markdown", "category": "heading"},
    {"qid": "h3", "query": "which lamp is green", "file": "docs/lamps.md", "category": "question"},
]


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def rows(queries: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(query, ensure_ascii=False) + "\n" for query in queries)


def tree(directory: Path, files: Mapping[str, str | bytes], queries: Sequence[Mapping[str, Any]]) -> Path:
    """A folder `docs` with questions that name its files."""
    for name, text in files.items():
        write(directory / "docs" / name, text)
    write(directory / "docs.queries.jsonl", rows(queries))
    return directory


def excerpts(directory: Path, files: Mapping[str, str | bytes], queries: Sequence[Mapping[str, Any]]) -> Path:
    """Corpora with questions that name characters of them."""
    for name, text in files.items():
        write(directory / "corpora" / name, text)
    write(directory / "queries.jsonl", rows(queries))
    return directory


def asks(query: str, file: str, text: str, *parts: str, **fields: Any) -> dict[str, Any]:
    """A question whose answer is these `parts` of `text`."""
    spans = [[text.index(part), text.index(part) + len(part)] for part in parts]
    return {"qid": query, "query": query, "file": file, "spans": spans, **fields}


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    return {"embedder": FakeEmbedder(256), "home": tmp_path / "home", "cache": tmp_path / "cache"}


@pytest.fixture
def plain(tmp_path: Path) -> dict[str, Any]:
    return {"embedder": "none", "home": tmp_path / "home", "baselines": False}


# --- files ------------------------------------------------------------------------------------------------------------


def test_the_right_file_is_asked_for(tmp_path, options):
    report = run(tree(tmp_path / "set", DOCS, ASKED), **options)
    assert report.cortex.overall["n"] == 3
    assert report.cortex.overall["any@1"] == report.cortex.overall["any@10"] == 1.0
    assert report.cortex.overall["mrr@10"] == report.cortex.overall["ndcg@10"] == 1.0
    assert set(report.cortex.categories) == {"heading", "question"}
    assert report.wrong_scope_rate == 0.0
    assert any(note.startswith("4 files indexed as 5 chunks") for note in report.notes)


def test_the_report_has_the_keys_of_the_format_and_the_first_place(tmp_path, options):
    payload = run(tree(tmp_path / "set", DOCS, ASKED), **options).to_json()
    keys = {
        "n", "any@10", "all@10", "recall@10", "mrr@10", "ndcg@10", "empty_on_unanswerable", "empty_on_answerable",
        "updated_above_original", "tokens_mean", "latency_ms_p50", "latency_ms_p95",
        "answer_in_block", "answer_words_in_block", "answer_in_hits", "answer_words_in_hits", "evidence_in_block",
        "bearing", "bearing@5", "block_lines", "block_tokens", "rule_lines",
    }  # fmt: skip
    assert set(payload["overall"]) == keys | {"any@1"} == set(metrics.keys(10))
    assert all(set(each) == set(payload["overall"]) for each in payload["baselines"].values())
    assert set(payload["baselines"]) == {"fts5", "vectors", "hybrid"}
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload


def test_a_heading_is_found_by_its_file_and_a_plain_search_sees_the_same_text(tmp_path, options):
    report = run(tree(tmp_path / "set", DOCS, ASKED), **options)
    assert report.baselines["fts5"].overall["any@1"] == 1.0
    assert report.baselines["vectors"].overall["recall@10"] == 1.0
    assert report.records == 4


def test_the_baselines_search_plain_pieces_of_400_tokens_that_overlap_by_80(tmp_path):
    text = "".join(f"The harbour was quiet on day {day:03}.\n" for day in range(200))
    read = sets.read(tree(tmp_path, {"log.md": text}, ASKED[:1]))
    ends = [tuple(map(int, record.id.rpartition("@")[2].split("-"))) for record in read.records]
    assert [text[start:end] for start, end in ends] == [record.text for record in read.records]
    assert len(ends) > 3
    assert all(end - start <= 1_600 for start, end in ends)
    assert all(0 < end - start <= 320 for (start, _), (_, end) in zip(ends[1:], ends, strict=False))


def test_a_folder_may_be_called_anything(tmp_path, options):
    """The name `memory` belongs to an agent's workspace, so such a folder is cited by another."""
    for name in ("memory", "my docs @7"):
        write(tmp_path / "set" / name / "a" / "b@2.md", f"# Ports\n\nThe port of {name} is deep.\n")
        query = {"qid": name, "query": f"port of {name}", "file": f"{name}/a/b@2.md"}
        write(tmp_path / "set" / f"{name}.queries.jsonl", rows([query]))
    report = run(tmp_path / "set", **options)
    assert report.cortex.overall["n"] == 2
    assert report.cortex.overall["any@1"] == 1.0
    assert report.baselines["fts5"].overall["any@1"] == 1.0
    assert not any("not there" in note for note in report.notes)


def test_several_folders_are_one_set(tmp_path, plain):
    tree(tmp_path, DOCS, ASKED)
    write(tmp_path / "more" / "index.md", "# Weather\n\nSnow is expected.\n")
    write(tmp_path / "more.queries.jsonl", rows([{"qid": "m", "query": "snow", "file": "more/index.md"}]))
    report = run(tmp_path, **plain)
    assert report.cortex.overall["n"] == 4
    assert report.cortex.overall["any@1"] == 1.0


def test_a_file_may_be_named_with_its_folder_or_without(tmp_path):
    files = {"docs/a.md": "one", "b.md": "two", "docs/b.md": "three"}
    queries = [{"qid": file, "query": "?", "file": file} for file in ("docs/a.md", "a.md", "b.md", "docs/b.md")]
    read = sets.read(tree(tmp_path, files, queries))
    assert [min(probe.relevant) for probe in read.probes] == [
        "docs/docs/a.md", "docs/a.md", "docs/b.md", "docs/b.md",
    ]  # fmt: skip
    assert read.unknown_relevant() == 1


def test_what_is_no_memory_is_no_part_of_a_set(tmp_path):
    """B2"""
    files = {**DOCS, "node_modules/x.md": "no", "notes.txt": "no", "binary.md": b"\x00\x01\x02", ".git/y.md": "no"}
    read = sets.read(tree(tmp_path, files, ASKED))
    assert sorted(read.texts) == sorted(f"docs/{name}" for name in DOCS)


def test_a_file_that_is_not_there_counts_as_missed_and_is_told(tmp_path, plain):
    gone = {"qid": "g", "query": "which lamp is green", "file": "docs/gone.md"}
    report = run(tree(tmp_path / "set", DOCS, [ASKED[2], gone]), **plain)
    assert report.cortex.overall["any@10"] == report.cortex.overall["recall@10"] == 0.5
    assert "1 answers name a file that is not there, and count as missed" in report.notes


def test_excerpts_of_a_file_that_is_not_there_count_once(tmp_path, plain):
    text = "# Lamps\n\nThe lamp is green.\n"
    gone = {"qid": "g", "query": "lamp", "file": "gone.md", "spans": [[0, 10**12], [5, 6]]}
    report = run(excerpts(tmp_path / "set", {"lamps.md": text}, [gone]), **plain)
    assert (report.cortex.overall["recall@10"], report.cortex.overall["mrr@10"]) == (0.0, 0.0)
    assert any(note.startswith("1 answers name a file") for note in report.notes)


def test_a_file_that_cannot_be_read_is_told(tmp_path, plain):
    query = {"qid": "b", "query": "lamp", "file": "docs/binary.md"}
    report = run(tree(tmp_path / "set", {**DOCS, "binary.md": b"\x00lamp\x00"}, [query]), **plain)
    assert any(note.startswith("docs/binary.md was not indexed") for note in report.notes)
    assert any("not there" in note for note in report.notes)


# --- excerpts ---------------------------------------------------------------------------------------------------------

CORPUS = "# Log\n\n" + "\n\n".join(
    f"## Day {day}\n\n{'The harbour was quiet. ' * 40}\n\nThe password of day {day} was {word}."
    for day, word in enumerate(("walrus", "puffin", "marlin", "osprey"))
)


def test_recall_is_the_share_of_the_excerpts_characters(tmp_path, plain):
    """Half of an answer that lies in two places, where one of them alone is found."""
    text = "# Keys\n\nThe walrus has the key.\n\n# Other\n\nNobody asks for this line here.\n"
    question = asks("walrus key", "keys.md", text, "The walrus has the key.", "Nobody asks for this li")
    report = run(excerpts(tmp_path / "set", {"keys.md": text}, [question]), k=1, **plain)
    assert report.cortex.overall["recall@1"] == pytest.approx(0.5, abs=0.02)
    assert (report.cortex.overall["any@1"], report.cortex.overall["all@1"]) == (1.0, 0.0)
    assert report.cortex.overall["mrr@10"] == 1.0


def test_the_first_hit_that_overlaps_decides_the_rank(tmp_path, options):
    question = asks("the password of day 2 was marlin", "log.md", CORPUS, "password of day 2 was marlin")
    details = tmp_path / "details.jsonl"
    report = run(excerpts(tmp_path / "set", {"log.md": CORPUS}, [question]), per_query=details, **options)
    line = json.loads(details.read_text())
    place = next(at for at, found in enumerate(line["found"], start=1) if found)
    assert report.cortex.overall["mrr@10"] == 1 / place
    assert line["place"] == place
    start = CORPUS.index("password of day 2")
    assert line["found"][place - 1] == line["relevant"] == [f"corpora/log.md@{start}-{start + 28}"]
    assert line["cited"][place - 1].startswith("corpora/log.md#L")


def test_an_answer_that_is_found_in_pieces_is_found(tmp_path, plain):
    """Spans that cross chunks: every character but the blank lines between them is covered."""
    question = asks("password", "log.md", CORPUS, CORPUS[7:-5])
    report = run(excerpts(tmp_path / "set", {"log.md": CORPUS}, [question]), k=50, budget=100_000, **plain)
    assert 0.99 < report.cortex.overall["recall@50"] <= 1.0


@pytest.mark.parametrize("chunker", ["sections", "lines"])
def test_any_chunker_is_measured(tmp_path, plain, chunker):
    write(tmp_path / "home" / "cortex.toml", f'[files]\nchunker = "{chunker}"\n')
    question = [asks(f"password of day {day}", "log.md", CORPUS, f"of day {day} was") for day in range(4)]
    report = run(excerpts(tmp_path / "set", {"log.md": CORPUS}, question), **plain)
    assert report.cortex.overall["recall@10"] == 1.0


def test_a_long_line_is_found_where_it_stands(tmp_path, plain):
    """Parts of one line have its number, and are told apart by what they say."""
    text = " ".join(f"The buoy number {number} is painted in colour {number * 7}." for number in range(300)) + "\n"
    question = asks("buoy number 222", "buoys.md", text, "The buoy number 222 is painted in colour 1554.")
    report = run(excerpts(tmp_path / "set", {"buoys.md": text}, [question]), **plain)
    assert report.cortex.overall["recall@10"] == 1.0


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("plain", CORPUS.encode()),
        ("with a mark", b"\xef\xbb\xbf" + CORPUS.encode()),
        ("utf-16", CORPUS.encode("utf-16")),
    ],
)
def test_characters_count_without_the_mark_of_the_encoding(tmp_path, plain, name, data):
    question = asks("password of day 3", "log.md", CORPUS, "The password of day 3 was osprey.")
    report = run(excerpts(tmp_path / name, {"log.md": data}, [question]), **plain)
    assert report.cortex.overall["recall@10"] == 1.0
    assert report.cortex.overall["all@10"] == 1.0


def test_lines_that_end_as_on_windows_count_both_characters(tmp_path, plain):
    text = CORPUS.replace("\n", "\r\n")
    question = asks("password of day 3", "log.md", text, "\r\n\r\nThe password of day 3 was osprey.")
    assert sets.read(excerpts(tmp_path / "set", {"log.md": text}, [question])).texts["corpora/log.md"] == text
    report = run(tmp_path / "set", **plain)
    assert report.cortex.overall["recall@10"] == 1.0


@pytest.mark.parametrize(
    ("text", "query", "answer"),
    [
        ("# 港口\n\n部署密钥每周一轮换。\n\n# 天气\n\n明天下雪。\n", "密钥什么时候轮换", "部署密钥每周一轮换。"),
        ("# 港\n\n鍵は金庫に入っている。🔑\n\n# 天気\n\n明日は雪。\n", "鍵はどこ", "鍵は金庫に入っている。🔑"),
        ("# Порт\n\nКлюч лежит в сейфе.\n\n# Погода\n\nЗавтра снег.\n", "где ключ", "Ключ лежит в сейфе."),
    ],
)
def test_any_script_is_counted_in_characters(tmp_path, plain, text, query, answer):
    question = asks(query, "notes.md", text, answer)
    report = run(
        excerpts(tmp_path, {"notes.md": text, "b/other.md": "# Nothing\n\nOf that sort.\n"}, [question]), **plain
    )
    assert report.cortex.overall["recall@10"] == 1.0
    assert report.cortex.overall["any@1"] == 1.0


def test_no_span_at_all_asks_for_silence(tmp_path, plain):
    question = [
        {"qid": "1", "query": "ok thanks", "file": "log.md", "spans": []},
        asks("walrus", "log.md", CORPUS, "walrus"),
    ]
    report = run(excerpts(tmp_path, {"log.md": CORPUS}, question), **plain)
    assert report.cortex.overall["empty_on_unanswerable"] == 1.0
    assert report.cortex.overall["recall@10"] == 1.0


def test_a_question_without_a_category_is_counted_by_its_file(tmp_path):
    question = [asks("walrus", "log.md", CORPUS, "walrus"), asks("puffin", "log.md", CORPUS, "puffin", category="bird")]
    assert [probe.category for probe in sets.read(excerpts(tmp_path, {"log.md": CORPUS}, question)).probes] == [
        "log.md", "bird",
    ]  # fmt: skip


# --- options ----------------------------------------------------------------------------------------------------------


def test_the_options_narrow_what_is_asked(tmp_path, options):
    report = run(tree(tmp_path / "set", DOCS, ASKED), limit=2, k=1, recipe="files.v1", baselines=False, **options)
    assert (report.recipe, report.k, report.cortex.overall["n"]) == ("files.v1", 1, 2)
    assert report.to_json()["baselines"] == {}
    assert list(report.to_json()["overall"])[:4] == ["n", "any@1", "all@1", "recall@1"]
    assert any("first 2 of 3" in note for note in report.notes)


def test_the_operators_own_files_are_not_measured(tmp_path, plain):
    """What the settings name is followed in production, and would answer here."""
    write(tmp_path / "mine" / "lamps.md", "# Lamps\n\nWhich lamp is green? The one on the mole.\n")
    write(tmp_path / "mine" / "MEMORY.md", "Which lamp is green?\n")
    mine = json.dumps(str(tmp_path / "mine"))
    settings = f"[files]\nworkspace = {mine}\nextra_paths = [{mine}]\ndocs = [{mine}]\ntranscripts = [{mine}]\n"
    write(tmp_path / "home" / "cortex.toml", settings + 'backend = "qmd"\n\n[files.qmd]\ncommand = "no-such-program"\n')
    details = tmp_path / "details.jsonl"
    report = run(tree(tmp_path / "set", DOCS, ASKED), per_query=details, **plain)
    assert report.cortex.overall["any@1"] == 1.0
    cited = [path for line in details.read_text().splitlines() for path in json.loads(line)["cited"]]
    assert cited
    assert all(path.startswith("docs/") for path in cited)


def test_a_file_longer_than_the_limit_is_indexed_for_the_measurement(tmp_path, plain):
    write(tmp_path / "home" / "cortex.toml", "[files]\nmax_file_bytes = 10\n")
    assert run(tree(tmp_path / "set", DOCS, ASKED), **plain).cortex.overall["any@1"] == 1.0


def test_foreign_records_beside_files_answer_nothing(tmp_path, options):
    """Even in the scope of the files, and whatever their ids look like."""
    noise = tmp_path / "noise.jsonl"
    ids = ("n1", "docs/lamps.md", "docs/lamps.md@0-400", "x@1-")
    write(noise, rows([{"id": id, "scope": DEFAULT_SCOPE, "text": f"lamp {at} green"} for at, id in enumerate(ids)]))
    report = run(tree(tmp_path / "set", DOCS, ASKED), noise=noise, noise_vectors=True, **options)
    assert report.noise == 4
    assert report.cortex.overall["any@10"] == 1.0
    assert 0.0 < report.baselines["fts5"].overall["any@10"] <= 1.0


def test_details_stay_short_however_long_an_answer_is(tmp_path, plain):
    """Spans, not characters; at most a hundred of them; and no text."""
    every_other = [[at, at + 1] for at in range(0, len(CORPUS) - 1, 2)]
    question = [
        {"qid": "long", "query": "password", "file": "log.md", "spans": [[0, len(CORPUS)]]},
        {"qid": "many", "query": "password", "file": "log.md", "spans": every_other},
    ]
    details = tmp_path / "details.jsonl"
    run(excerpts(tmp_path / "set", {"log.md": CORPUS}, question), per_query=details, **{**plain, "baselines": True})
    long, many = (json.loads(line) for line in details.read_text().splitlines())
    assert long["relevant"] == [f"corpora/log.md@0-{len(CORPUS)}"]
    assert all(len(found) <= 1 for found in long["found"])
    assert len(many["relevant"]) == 100
    assert all(len(found) <= 100 for found in many["found"])
    assert long["fts5"][0].startswith("corpora/log.md@")
    assert len(details.read_text()) < 50_000
    assert "walrus" not in details.read_text()


def test_the_report_shows_the_first_place_beside_the_ten(tmp_path, options):
    report = run(tree(tmp_path / "set", DOCS, ASKED), **options)
    console = Console(file=StringIO(), width=100)
    console.print(*tables(report), sep="\n")
    printed = console.file.getvalue()
    names = [line.split()[0] for line in printed.splitlines() if line.strip()]
    assert names.index("any@1") + 1 == names.index("any@10")
    assert "4 files indexed" in printed
    assert {row[1] for row in table.rows(report)} >= {"any@1", "any@10"}


# --- what is refused --------------------------------------------------------------------------------------------------

GOOD = {"qid": "1", "query": "walrus", "file": "log.md", "spans": [[0, 5]]}


@pytest.mark.parametrize(
    ("query", "key", "told"),
    [
        ({**GOOD, "file": None}, "file", "is missing"),
        ({**GOOD, "file": 7}, "file", "is not text"),
        ({**GOOD, "file": " "}, "file", "is empty"),
        ({**GOOD, "query": None}, "query", "is missing"),
        ({**GOOD, "query": ""}, "query", "is empty"),
        ({**GOOD, "qid": [1]}, "qid", "neither text"),
        ({**GOOD, "spans": "0-5"}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [0, 5]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [[0, 5, 6]]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [[0.0, 5.0]]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [[False, True]]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [["0", "5"]]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [[5, 5]]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [[5, 2]]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [[-3, 2]]}, "spans", "not a list of spans"),
        ({**GOOD, "spans": [[0, 10**15]]}, "spans", "beyond the"),
    ],
)
def test_a_bad_question_is_refused_by_file_line_and_field(tmp_path, query, key, told):
    with pytest.raises(InvalidRequest, match=told) as caught:
        sets.read(excerpts(tmp_path, {"log.md": CORPUS}, [GOOD, query]))
    assert caught.value.field == f"queries.jsonl line 2, {key}"
    assert caught.value.hint
    named = tree(tmp_path / "tree", {"log.md": CORPUS}, [GOOD, query])
    with pytest.raises(InvalidRequest) as caught:
        sets.read(named)
    assert caught.value.field == f"docs.queries.jsonl line 2, {key}"


@pytest.mark.parametrize("line", [b"{", b"[1]", b'{"qid": "\xff"}'])
def test_a_line_that_is_no_object_is_refused_by_its_number(tmp_path, line):
    excerpts(tmp_path, {"log.md": CORPUS}, [GOOD])
    write(tmp_path / "queries.jsonl", rows([GOOD]).encode() + b"\n" + line)
    with pytest.raises(InvalidRequest) as caught:
        sets.read(tmp_path)
    assert caught.value.field == "queries.jsonl line 3"


def test_questions_with_the_mark_of_an_encoding_and_windows_lines_are_read(tmp_path):
    excerpts(tmp_path, {"log.md": CORPUS}, [])
    write(tmp_path / "queries.jsonl", b"\xef\xbb\xbf" + rows([GOOD, GOOD]).replace("\n", "\r\n").encode())
    assert len(sets.read(tmp_path).probes) == 2


def test_packed_questions_are_read_as_they_are(tmp_path):
    excerpts(tmp_path, {"log.md": CORPUS}, [])
    (tmp_path / "queries.jsonl").unlink()
    write(tmp_path / "queries.jsonl.gz", gzip.compress(rows([GOOD]).encode()))
    assert len(sets.read(tmp_path).probes) == 1
    tree(tmp_path / "tree", DOCS, [])
    (tmp_path / "tree" / "docs.queries.jsonl").unlink()
    write(tmp_path / "tree" / "docs.queries.jsonl.gz", gzip.compress(rows(ASKED).encode()))
    assert len(sets.read(tmp_path / "tree").probes) == 3


def test_a_packed_file_that_is_damaged_is_named(tmp_path):
    excerpts(tmp_path, {"log.md": CORPUS}, [])
    (tmp_path / "queries.jsonl").unlink()
    for damaged in (b"no gzip at all", gzip.compress(rows([GOOD] * 50).encode())[:-20]):
        write(tmp_path / "queries.jsonl.gz", damaged)
        with pytest.raises(InvalidRequest, match=r"queries\.jsonl\.gz: cannot be read"):
            sets.read(tmp_path)


def test_where_records_are_folders_beside_them_are_not_the_set(tmp_path):
    excerpts(tmp_path, {"log.md": CORPUS}, [{"qid": "1", "scope": "s", "query": "?", "relevant": ["r"]}])
    write(tmp_path / "records.jsonl", rows([{"id": "r", "scope": "s", "text": "lamp"}]))
    read = sets.read(tmp_path)
    assert (len(read.records), read.sources, read.texts) == (1, (), {})


def test_what_is_missing_is_named(tmp_path):
    write(tmp_path / "corpora" / "log.md", CORPUS)
    with pytest.raises(NotFound, match=r"queries\.jsonl"):
        sets.read(tmp_path)
    write(tmp_path / "empty" / "docs.queries.jsonl", rows(ASKED))
    with pytest.raises(NotFound, match=r"records\.jsonl"):
        sets.read(tmp_path / "empty")
    (tmp_path / "empty" / "docs").mkdir()
    with pytest.raises(InvalidRequest, match="has no Markdown files"):
        sets.read(tmp_path / "empty")


# --- units ------------------------------------------------------------------------------------------------------------

SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda pair: (pair[0], sum(pair))), max_size=5)


@given(SPANS, st.integers(0, 60), st.integers(1, 30))
def test_a_piece_answers_by_the_characters_it_shares(spans, start, length):
    relevant = lines.units("a@b.md", spans)
    places = {place for first, last in spans for place in range(first, last)}
    shared = {f"a@b.md@{place}" for place in places & set(range(start, start + length))}
    assert lines.answered_by(relevant, "a@b.md", start, start + length) == shared
    assert lines.answered_by_piece(relevant, lines.piece_id("a@b.md", start, start + length)) == shared
    assert lines.answered_by(relevant, "a.md", start, start + length) == frozenset()


@given(SPANS)
def test_spans_say_the_same_as_their_characters(spans):
    units = lines.units("a.md", spans)
    items = [tuple(map(int, span.rpartition("@")[2].split("-"))) for span in lines.spans_of(units)]
    assert lines.units("a.md", items) == units
    assert all(end < start for (_, end), (start, _) in pairwise(items))
