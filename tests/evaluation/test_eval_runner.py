from __future__ import annotations

import gzip
import json
from io import StringIO

import pytest
from golden import write_golden, write_set
from rich.console import Console

import store_list
from cortex.errors import EmbedderUnavailable, NotFound
from cortex.evaluation import metrics
from cortex.evaluation.runner import run
from cortex.surfaces.cli.evaluation_rendering import tables
from cortex.testing import FakeEmbedder

KEYS = set(metrics.keys(10))

TURNS = [
    {"id": "t1", "scope": "chat", "text": "Ana: Did you find a place to live?", "session": "1", "speaker": "Ana"},
    {"id": "t2", "scope": "chat", "text": "Ben: Yes, a flat by the harbour.", "session": "1", "speaker": "Ben"},
    {"id": "t3", "scope": "chat", "text": "Ben: The rent is 700 euros.", "session": "2", "speaker": "Ben"},
    {"id": "t4", "scope": "chat", "text": "Ben: The rent is now 750 euros.", "session": "3", "speaker": "Ben"},
    {"id": "t5", "scope": "other", "text": "Cho: The rent is 900 euros.", "session": "1", "speaker": "Cho"},
]
ASKED = [
    {"qid": "1", "scope": "chat", "query": "how high is the rent", "relevant": ["t3", "t4"], "category": "update",
     "parts": {"original_info": ["t3"], "updated_info": ["t4"]}},
    {"qid": "2", "scope": "chat", "query": "which flat did Ben find", "relevant": ["t2"], "category": "plain"},
    {"qid": "3", "scope": "chat", "query": "ok thanks", "relevant": [], "category": "none"},
    {"qid": "4", "scope": "chat", "query": "what does Cho pay", "relevant": [], "category": "trick"},
]  # fmt: skip


@pytest.fixture
def options(tmp_path):
    return {"embedder": FakeEmbedder(), "home": tmp_path / "home", "cache": tmp_path / "cache"}


def test_the_report_has_exactly_the_keys_of_the_format(tmp_path, options):
    report = run(write_set(tmp_path / "set", TURNS, ASKED), **options).to_json()
    assert {"overall", "categories", "baselines", "intervals"} <= set(report)
    assert set(report["overall"]) == KEYS
    assert set(report["categories"]) == {"update", "plain", "none", "trick"}
    assert all(set(summary) == KEYS for summary in report["categories"].values())
    assert set(report["baselines"]) == {"fts5", "vectors", "hybrid"}
    assert all(set(summary) == KEYS for summary in report["baselines"].values())
    assert set(report["intervals"]["overall"]) == KEYS - {"n"}
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_turns_are_found_as_the_records_they_came_from(tmp_path, options):
    report = run(write_set(tmp_path / "set", TURNS, ASKED), **options)
    assert report.cortex.categories["plain"]["any@10"] == 1.0
    assert report.cortex.categories["update"]["all@10"] == 1.0
    assert report.cortex.categories["update"]["updated_above_original"] in {0.0, 1.0}
    assert report.cortex.categories["none"]["empty_on_unanswerable"] == 1.0
    assert report.wrong_scope_rate == 0.0


def test_a_category_apart_does_not_enter_the_overall(tmp_path, options):
    report = run(write_set(tmp_path / "set", TURNS, ASKED, {"apart": ["trick", "none"]}), **options)
    assert report.cortex.overall["n"] == 2
    assert report.cortex.overall["empty_on_unanswerable"] is None
    assert report.cortex.categories["trick"]["n"] == 1


def test_without_an_embedder_the_vector_baseline_does_not_apply(tmp_path):
    report = run(write_golden(tmp_path / "set"), embedder="none", home=tmp_path)
    assert report.baselines["vectors"].overall["recall@10"] is None
    assert report.baselines["fts5"].overall["recall@10"] > 0.5
    assert report.cortex.overall["recall@10"] > 0.9
    assert not list(tmp_path.glob("*.sqlite"))


def test_hybrid_recall_beats_vectors_alone_and_never_leaves_the_scope(tmp_path, options):
    """E17"""
    golden = write_golden(tmp_path / "golden")
    hybrid = run(golden, k=3, **options)
    alone = run(golden, k=3, recipe="lancedb.v1", baselines=False, **options)
    vectors = hybrid.baselines["vectors"].overall
    for measure in ("recall@3", "mrr@10", "ndcg@10"):
        assert hybrid.cortex.overall[measure] > vectors[measure]
        assert hybrid.cortex.overall[measure] > alone.cortex.overall[measure]
    assert hybrid.wrong_scope_rate == alone.wrong_scope_rate == 0.0


def test_a_second_run_embeds_nothing_anew_and_says_the_same(tmp_path, options):
    golden = write_golden(tmp_path / "golden")
    first = run(golden, **options)
    before = len(options["embedder"].documents)
    second = run(golden, **options)
    assert len(options["embedder"].documents) == before
    scores = [name for name in KEYS if not name.startswith("latency")]
    assert [first.cortex.overall[name] for name in scores] == [second.cortex.overall[name] for name in scores]


def test_foreign_records_stay_foreign(tmp_path, options):
    noise = tmp_path / "noise.jsonl.gz"
    with gzip.open(noise, "wt") as file:
        for number in range(300):
            file.write(json.dumps({"id": f"n{number}", "scope": "noise", "text": f"The rent of flat {number}"}) + "\n")
    given = write_set(tmp_path / "set", TURNS, ASKED)
    quiet, among = run(given, **options), run(given, noise=noise, **options)
    assert among.noise == 300
    assert any("without vectors" in note for note in among.notes)
    assert among.cortex.overall["recall@10"] == quiet.cortex.overall["recall@10"]
    assert among.wrong_scope_rate == 0.0


def test_details_are_ids_and_numbers_one_line_a_question(tmp_path, options):
    details = tmp_path / "details.jsonl"
    run(write_set(tmp_path / "set", TURNS, ASKED), per_query=details, **options)
    lines = [json.loads(line) for line in details.read_text().splitlines()]
    assert [line["qid"] for line in lines] == ["1", "2", "3", "4"]
    assert lines[1]["found"][lines[1]["place"] - 1] == ["t2"]
    assert lines[2]["skipped"] == "trivial"
    assert "euros" not in details.read_text()


def test_the_options_narrow_what_is_asked(tmp_path, options):
    report = run(write_golden(tmp_path / "golden"), k=2, budget=100, limit=5, baselines=False, **options)
    assert report.cortex.overall["n"] == 5
    assert report.cortex.overall["tokens_mean"] <= 100
    assert "recall@2" in report.to_json()["overall"]
    assert report.to_json()["baselines"] == {}
    assert any("first 5 of 30" in note for note in report.notes)


def test_records_longer_than_the_limit_are_remembered_for_the_measurement(tmp_path, options):
    long = {"id": "long", "scope": "s", "text": "harbour " + "very long " * 10_000}
    query = {"qid": "q", "scope": "s", "query": "harbour", "relevant": ["long"]}
    assert run(write_set(tmp_path / "set", [long], [query]), **options).cortex.overall["any@10"] == 1.0


def test_blank_records_and_unknown_answers_are_told(tmp_path, options):
    blank = {"id": "blank", "scope": "chat", "text": " "}
    query = ASKED[1] | {"relevant": ["t2", "gone"]}
    report = run(write_set(tmp_path / "set", [*TURNS, blank], [query]), **options)
    assert report.cortex.overall["recall@10"] == 0.5
    assert any("no text" in note for note in report.notes)
    assert any("not there" in note for note in report.notes)


def test_an_embedder_that_cannot_work_is_an_error_not_a_worse_number(tmp_path, options):
    options["embedder"].fail()
    with pytest.raises(EmbedderUnavailable):
        run(write_golden(tmp_path / "golden"), **options)


def test_an_unknown_recipe_is_named(tmp_path, options):
    with pytest.raises(NotFound, match=r"balanced\.v2"):
        run(write_golden(tmp_path / "golden"), recipe="balanced.v2", **options)


def test_the_report_prints_as_tables(tmp_path, options):
    report = run(write_set(tmp_path / "set", TURNS, ASKED, {"apart": ["trick"]}), **options)
    console = Console(file=StringIO(), width=200)
    console.print(*tables(report), sep="\n")
    printed = console.file.getvalue()
    for expected in ("recall@10", "fts5", "vectors", "trick (separate)", " to ", "p95"):
        assert expected in printed


def test_the_memory_of_the_settings_is_never_written_to(tmp_path, options, monkeypatch):
    """E17"""
    own = tmp_path / "own"
    monkeypatch.setenv("CORTEX_STORE__URL", f"sqlite://{own}")
    assert run(write_set(tmp_path / "set", TURNS, ASKED), **options).cortex.overall["n"]
    assert not own.exists()


@pytest.mark.parametrize("name", store_list.STORE_URLS)
def test_every_store_gives_the_same_figures(tmp_path, options, name):
    """E17"""
    given = write_set(tmp_path / "set", TURNS, ASKED)
    there = run(given, store=store_list.STORE_URLS[name](tmp_path), **options).to_json()["overall"]
    here = run(given, **options).to_json()["overall"]
    told = [key for key in here if "latency" not in key]
    assert [there[key] for key in told] == [here[key] for key in told]
