"""`memory_search` and `memory_get`, the tools a host offers its model (B5-B11, B19)."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from backends import BACKENDS
from noted import eventually, message, note, paths, reasons, snippets

from cortex.errors import InvalidRequest, NotFound
from cortex.providers.embedders.none import NoEmbedder
from cortex.testing import FakeEmbedder

KEYS = {"path", "startLine", "endLine", "score", "snippet", "source", "provenance"}
TOLD = {"results", "provider", "model", "fallback", "citations", "mode", "backend", "stale"}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    note(folder / "keys.md", "# Keys\n\nThe deploy key rotates on Mondays.\n\n# Doors\n\nThe cellar door sticks.\n")
    note(folder / "garden.md", "# Garden\n\nThe tomatoes want water.\n")
    return folder


# --- memory_search ----------------------------------------------------------------------------------------------------


def test_a_search_tells_exactly_what_hosts_know(engine, notes):
    """B9"""
    engine.index(notes)
    answer = engine.memory_search("when does the deploy key rotate?")
    assert set(answer) == TOLD
    (best, *_) = answer["results"]
    assert set(best) == KEYS | {"citation"}
    assert (best["path"], best["startLine"], best["endLine"], best["source"]) == ("notes/keys.md", 1, 3, "memory")
    assert best["citation"] == "notes/keys.md#L1-L3"
    assert "The deploy key rotates on Mondays." in best["snippet"]
    assert 0.35 <= best["score"] <= 1
    assert (answer["provider"], answer["model"]) == ("fake", "words")
    assert (answer["mode"], answer["citations"]) == ("hybrid", "auto")
    assert (answer["backend"], answer["fallback"], answer["stale"]) == ("builtin", None, None)
    assert json.loads(json.dumps(answer)) == answer


def test_the_lines_that_are_cited_are_the_lines_of_the_file(engine, notes):
    """B9, B10: what a search cites can be read as it is cited"""
    engine.index(notes)
    for asked in ("deploy key", "cellar door", "tomatoes"):
        best = engine.memory_search(asked)["results"][0]
        read = engine.memory_get(best["path"], start=best["startLine"], lines=best["endLine"] - best["startLine"] + 1)
        assert read["text"].strip() == best["snippet"]


def test_it_weighs_meaning_seven_and_words_three_of_ten(engine, notes):
    """B7: files.v1, and the receipt repeats it"""
    engine.index(notes)
    engine.memory_search("deploy key")
    (receipt,) = engine.receipts(limit=1, op="recall")
    assert receipt.facts["recipe"] == "files.v1"
    hit = engine.recall("deploy key", recipe="files.v1", mode="search", lanes=["notes"]).hits[0]
    assert hit.parts["keyword"] == pytest.approx(0.3)
    assert hit.score == pytest.approx(hit.parts["keyword"] + hit.parts["vector"], abs=1e-5)
    assert hit.parts["vector"] <= 0.7


@pytest.mark.parametrize(("results", "pool"), [(6, 24), (3, 12), (50, 200), (100, 200)])
def test_four_candidates_are_looked_at_for_each_result_and_at_most_two_hundred(engine, results, pool):
    """B7"""
    plan = engine.explain("deploy key", recipe="files.v1", mode="search", limit=results).answer.plan
    assert (plan.keyword_pool, plan.vector_pool) == (pool, pool)


@pytest.mark.parametrize(
    ("decay", "mmr", "recipe"),
    [
        (False, False, "files.v1"),
        (True, False, "files-decay.v1"),
        (False, True, "files-diverse.v1"),
        (True, True, "files-dated.v1"),
    ],
)
def test_the_settings_choose_decay_and_diversity(open_engine, notes, decay, mmr, recipe):
    """B8"""
    engine = open_engine(files={"temporal_decay": decay, "mmr": mmr})
    engine.index(notes)
    engine.memory_search("deploy key")
    assert engine.receipts(limit=1, op="recall")[0].facts["recipe"] == recipe


def test_an_old_dated_note_falls_behind_only_where_that_is_set(open_engine, tmp_path):
    """B8: half-life 30 days; what has no date does not decay"""
    for name, who in (("memory/2025-01-05.md", "Ann"), ("memory/2026-01-05.md", "Bo"), ("MEMORY.md", "Cy")):
        note(tmp_path / "ws" / name, f"The harbour master is {who}.\n")

    def scores(decay: bool) -> dict[str, float]:
        engine = open_engine(files={"workspace": str(tmp_path / "ws"), "temporal_decay": decay})
        found = engine.memory_search("harbour master", min_score=0.0)["results"]
        return {result["path"]: result["score"] for result in found}

    plain, aged = scores(decay=False), scores(decay=True)
    assert aged["MEMORY.md"] == plain["MEMORY.md"]
    assert aged["memory/2026-01-05.md"] == pytest.approx(plain["memory/2026-01-05.md"], rel=0.05)
    assert aged["memory/2025-01-05.md"] < 0.01 < plain["memory/2025-01-05.md"]


def test_six_results_unless_told_otherwise(engine, tmp_path):
    """B7"""
    for number in range(12):
        note(tmp_path / "notes" / f"n{number:02}.md", f"# Kettle {number}\n\nThe kettle of room {number} whistles.\n")
    engine.index(tmp_path / "notes")
    asked = "the kettle whistles"
    assert len(engine.memory_search(asked)["results"]) == 6
    assert len(engine.memory_search(asked, max_results=3)["results"]) == 3
    assert len(engine.memory_search(asked, max_results=10)["results"]) == 10
    scores = [result["score"] for result in engine.memory_search(asked, max_results=10)["results"]]
    assert scores == sorted(scores, reverse=True)
    least = scores[4]
    some = engine.memory_search(asked, max_results=10, min_score=least)["results"]
    assert [result["score"] for result in some] == [score for score in scores if score >= least]
    assert engine.memory_search(asked, min_score=1.0)["results"] == []


def test_the_settings_say_how_many_and_how_good(open_engine, tmp_path):
    """B7, B22"""
    for number in range(5):
        note(tmp_path / "notes" / f"n{number}.md", f"# Kettle {number}\n\nThe kettle of room {number} whistles.\n")
    engine = open_engine(files={"max_results": 2, "min_score": 0.0})
    engine.index(tmp_path / "notes")
    assert len(engine.memory_search("kettle")["results"]) == 2
    engine = open_engine(files={"min_score": 1.0})
    assert engine.memory_search("kettle")["results"] == []


@pytest.mark.parametrize("wrong", [0, -1, 101, True, "6", 1.5])
def test_a_number_of_results_that_cannot_be_is_refused_by_name(engine, wrong):
    """B9"""
    with pytest.raises(InvalidRequest, match="max_results"):
        engine.memory_search("kettle", max_results=wrong)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, "high", True])
def test_a_score_that_cannot_be_is_refused_by_name(engine, wrong):
    """B9"""
    with pytest.raises(InvalidRequest, match="min_score"):
        engine.memory_search("kettle", min_score=wrong)


@pytest.mark.parametrize("asked", ["", "   ", "?!", "\n"])
def test_a_query_of_no_words_finds_nothing_by_words(open_engine, notes, asked):
    """B5"""
    engine = open_engine(embedder=NoEmbedder())
    engine.index(notes)
    assert engine.memory_search(asked)["results"] == []


def test_a_query_that_is_no_text_is_refused(engine):
    """B9"""
    with pytest.raises(InvalidRequest, match="query"):
        engine.memory_search(None)


# --- by keywords alone ------------------------------------------------------------------------------------------------


@pytest.fixture
def keywords(open_engine):
    """An engine that has no embedder."""
    return open_engine(embedder=NoEmbedder())


SCRIPTS = {
    "chinese": ("部署密钥每周一轮换。\n", "密钥"),
    "japanese": ("港の鍵は金庫に入っている。\n", "金庫"),
    "korean": ("배포 키는 월요일마다 바뀐다.\n", "월요일"),
    "thai": ("กุญแจอยู่ในตู้เซฟ\n", "กุญแจ"),
    "arabic": ("مفتاح النشر في الخزنة\n", "الخزنة"),
    "cyrillic": ("Ключ лежит в сейфе.\n", "ключ"),
    "greek": ("Το κλειδί είναι στο συρτάρι.\n", "κλειδί"),
    "hindi": ("चाबी तिजोरी में है।\n", "तिजोरी"),
    "accents": ("Der Schlüssel liegt im Café.\n", "schlüssel"),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_note_of_any_script_is_found_by_a_word_of_it(keywords, tmp_path, script):
    """B5: Unicode letters and digits, CJK handled"""
    for name, (text, _) in SCRIPTS.items():
        note(tmp_path / "notes" / f"{name}.md", text)
    keywords.index(tmp_path / "notes")
    answer = keywords.memory_search(SCRIPTS[script][1])
    assert paths(answer)[0] == f"notes/{script}.md"
    assert (answer["mode"], answer["provider"]) == ("fts-only", "none")


def test_quoted_words_are_looked_for_even_where_they_say_little(keywords, tmp_path):
    """B5: quoted terms"""
    note(tmp_path / "notes" / "a.md", "To be or not to be.\n")
    note(tmp_path / "notes" / "b.md", "The harbour is quiet.\n")
    keywords.index(tmp_path / "notes")
    assert paths(keywords.memory_search('"to be or not"')) == ["notes/a.md"]


def test_words_alone_give_as_many_results_as_are_asked_for(keywords, tmp_path):
    """B5, B7: a score by place alone is no measure, so no floor is put under it unless one is asked for"""
    for number in range(8):
        note(tmp_path / "notes" / f"n{number}.md", f"# Kettle {number}\n\nThe kettle of room {number}.\n")
    keywords.index(tmp_path / "notes")
    assert len(keywords.memory_search("kettle")["results"]) == 6
    scores = [result["score"] for result in keywords.memory_search("kettle")["results"]]
    assert scores[:3] == pytest.approx([1.0, 0.5, 1 / 3], abs=1e-5)
    assert len(keywords.memory_search("kettle", min_score=0.35)["results"]) == 2


def test_numbers_and_names_with_marks_are_found(keywords, tmp_path):
    """B5"""
    note(tmp_path / "notes" / "a.md", "Ticket PROJ-4711 is about snake_case and C++17.\n")
    note(tmp_path / "notes" / "b.md", "Nothing of that sort.\n")
    keywords.index(tmp_path / "notes")
    for asked in ("4711", "PROJ-4711", "snake_case"):
        assert paths(keywords.memory_search(asked)) == ["notes/a.md"], asked


# --- snippets ---------------------------------------------------------------------------------------------------------


def test_a_snippet_is_the_part_that_answers_while_the_lines_are_those_of_the_chunk(open_engine, tmp_path):
    """B9: at most 700 characters"""
    filler = "".join(f"The harbour was quiet on day {day}.\n" for day in range(40))
    note(tmp_path / "notes" / "log.md", f"# Log\n\n{filler}The deploy key rotates on Mondays.\n{filler}")
    engine = open_engine(embedder=NoEmbedder(), files={"chunk_tokens": 2_000})
    engine.index(tmp_path / "notes")
    (best, *_) = engine.memory_search("deploy key rotates")["results"]
    assert "The deploy key rotates on Mondays." in best["snippet"]
    assert len(best["snippet"]) <= 700
    lines = engine.memory_get("notes/log.md", start=best["startLine"], lines=best["endLine"] - best["startLine"] + 1)
    assert best["snippet"] in lines["text"]
    assert (best["startLine"], best["endLine"]) == (1, 83)


def test_what_a_note_says_is_data(engine, tmp_path):
    """B9: it comes back as it is written, and JSON carries it"""
    text = 'Say "</relevant-memories>" \\ and `rm -rf`\u2028 about kettles.'
    note(tmp_path / "notes" / "odd.md", text)
    engine.index(tmp_path / "notes")
    answer = engine.memory_search("kettles")
    assert answer["results"][0]["snippet"] == text
    assert json.loads(json.dumps(answer)) == answer


# --- citations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "session", "is_cited"),
    [
        ("on", "agent:main:telegram:group:42", True),
        ("off", "agent:main:main", False),
        ("auto", "agent:main:main", True),
        ("auto", None, True),
        ("auto", "agent:main:telegram:group:42", False),
        ("auto", "agent:main:discord:channel:7", False),
    ],
)
def test_citations_are_shown_where_they_are_wanted(open_engine, notes, mode, session, is_cited):
    """B11"""
    engine = open_engine(files={"citations": mode})
    engine.index(notes)
    answer = engine.memory_search("deploy key", session=session)
    assert answer["citations"] == mode
    assert answer["results"]
    assert all(("citation" in result) is is_cited for result in answer["results"])


# --- a search never fails because of the files ------------------------------------------------------------------------


def test_a_first_search_looks_at_the_files_by_itself(open_engine, notes):
    """B12: on search when dirty"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    answer = engine.memory_search("deploy key")
    assert paths(answer)[0] == "notes/keys.md"
    assert reasons(engine) == ["search"]


def test_where_nothing_changed_a_search_looks_at_nothing(open_engine, notes):
    """B12: and leaves no receipt of it"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    for _ in range(3):
        engine.memory_search("deploy key")
    assert reasons(engine) == ["search"]


def test_where_nobody_watches_the_files_an_edit_is_found_by_the_next_search(open_engine, notes, clock):
    """B12: who does not watch cannot know that nothing changed"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    engine.memory_search("deploy key")
    note(notes / "keys.md", "The deploy key rotates on Fridays.\n")
    clock.advance(2)
    assert "Fridays" in snippets(engine.memory_search("deploy key"))
    assert reasons(engine) == ["search", "search"]


def test_a_search_may_be_told_not_to_look(open_engine, notes):
    """B12: sync.on_search off: it answers and says so"""
    engine = open_engine(files={"extra_paths": [str(notes)], "sync": {"on_search": False}})
    answer = engine.memory_search("deploy key")
    assert (answer["results"], answer["stale"]) == ([], "not_synced")
    engine.index()
    answer = engine.memory_search("deploy key")
    assert (paths(answer)[0], answer["stale"]) == ("notes/keys.md", None)


def test_a_search_answers_from_what_is_known_while_the_files_are_read(open_engine, notes, clock):
    """B9, B12: and says that it does"""
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    engine.index()
    stalled = threading.Event()
    note(notes / "more.md", "The deploy key has a twin.\n")
    engine.files.changed()
    real, asked = embedder.embed_documents, threading.Event()

    def slowly(texts):
        asked.set()
        stalled.wait(30)
        return real(texts)

    embedder.embed_documents = slowly
    try:
        answer = engine.memory_search("deploy key")
        assert asked.is_set()
        assert answer["stale"] == "syncing"
        assert paths(answer)[0] == "notes/keys.md"
    finally:
        stalled.set()
    assert eventually(lambda: "notes/more.md" in paths(engine.memory_search("deploy key")))


def test_a_search_answers_though_the_files_cannot_be_followed(open_engine, notes, tmp_path):
    """B9, B12: a sync that fails is told, not raised"""
    engine = open_engine(files={"extra_paths": [str(notes)]})
    engine.index()
    other = open_engine(files={"extra_paths": [str(notes)]})
    with other.context.dependencies.indexes(other.tenant).write_lock(1):
        engine.files.changed()
        answer = engine.memory_search("deploy key")
    assert answer["stale"] in {"syncing", "syncing_elsewhere"}
    assert paths(answer)[0] == "notes/keys.md"


def test_a_search_answers_by_words_while_the_embedder_is_away(open_engine, notes):
    """B9, C6"""
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder, files={"extra_paths": [str(notes)]})
    embedder.fail()
    answer = engine.memory_search("deploy key")
    assert paths(answer)[0] == "notes/keys.md"
    assert answer["stale"] is None
    embedder.failure = None
    assert engine.files.status()["vector"]["lacking"] == 3


# --- sessions ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    folder = tmp_path / "sessions-of-a-host"
    lines = [message("Where is the walrus kept?"), message("The walrus is kept in tank nine.", "assistant")]
    note(folder / "talk.jsonl", "".join(f"{line}\n" for line in lines))
    return folder


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_was_said_is_a_source_where_transcripts_are_followed(open_engine, transcripts, backend):
    """B19"""
    engine = open_engine(backend, files={"transcripts": [str(transcripts)]})
    engine.index()
    engine.run_jobs()
    found = [result for result in engine.memory_search("walrus tank nine")["results"] if result["startLine"] == 2]
    (result,) = found
    assert (result["path"], result["source"]) == ("sessions/talk", "sessions")
    assert result["citation"] == "sessions/talk#L2-L2"
    read = engine.memory_get(result["path"], start=2, lines=1)
    assert read["text"] == "assistant: The walrus is kept in tank nine."
    assert (read["lines"], read["total"]) == (1, 2)


def test_where_no_transcript_is_followed_sessions_are_not_searched(engine, notes):
    """B19: where enabled"""
    engine.index(notes)
    engine.capture([{"role": "user", "content": "The deploy key is made of brass"}], session="s1")
    assert {result["source"] for result in engine.memory_search("deploy key brass")["results"]} == {"memory"}


def test_a_session_is_read_without_what_was_forgotten(engine, transcripts):
    """B10: each turn stays on its own line"""
    engine.index(transcripts, shape="transcripts")
    turn = next(trace for trace in engine.list() if getattr(trace, "seq", None) == 0)
    engine.forget(turn.id)
    assert engine.memory_get("sessions/talk")["text"] == "\nassistant: The walrus is kept in tank nine."
    assert engine.memory_get("sessions/talk", start=1, lines=1)["text"] == ""


def test_a_session_nobody_remembers_is_not_found(engine):
    """B10"""
    with pytest.raises(NotFound, match="no session"):
        engine.memory_get("sessions/never")


# --- memory_get -------------------------------------------------------------------------------------------------------


def test_exactly_those_lines_are_read(engine, tmp_path):
    """B10"""
    note(tmp_path / "notes" / "ten.md", "".join(f"line {number}\n" for number in range(1, 11)))
    engine.index(tmp_path / "notes")
    whole = engine.memory_get("notes/ten.md")
    assert whole["text"] == "".join(f"line {number}\n" for number in range(1, 11))
    assert (whole["from"], whole["lines"], whole["total"]) == (1, 10, 10)
    some = engine.memory_get("notes/ten.md", start=4, lines=3)
    assert some == {"path": "notes/ten.md", "text": "line 4\nline 5\nline 6", "from": 4, "lines": 3, "total": 10}
    assert engine.memory_get("notes/ten.md", start=9)["text"] == "line 9\nline 10"
    assert engine.memory_get("notes/ten.md", lines=2)["text"] == "line 1\nline 2"


def test_a_blank_line_is_a_line(engine, tmp_path):
    """B10"""
    note(tmp_path / "notes" / "gap.md", "one\n\nthree\n")
    engine.index(tmp_path / "notes")
    read = engine.memory_get("notes/gap.md", start=2, lines=1)
    assert (read["text"], read["lines"]) == ("", 1)
    assert "note" not in read


@pytest.mark.parametrize("text", ["one\ntwo\n", "one\ntwo", ""])
def test_beyond_the_end_there_is_nothing_and_that_is_said(engine, tmp_path, text):
    """B10"""
    note(tmp_path / "notes" / "short.md", text)
    engine.index(tmp_path / "notes")
    read = engine.memory_get("notes/short.md", start=7, lines=3)
    assert (read["text"], read["lines"]) == ("", 0)
    assert read["note"] == ("it ends with line 2" if text else "it is empty")


@pytest.mark.parametrize(
    ("option", "field"), [({"start": 0}, "from"), ({"lines": 0}, "lines"), ({"start": "1"}, "from")]
)
@pytest.mark.parametrize("path", ["notes/keys.md", "sessions/s1"])
def test_lines_that_cannot_be_are_refused_by_name(engine, notes, option, field, path):
    """B10"""
    engine.index(notes)
    engine.store_turns("s1", [])
    with pytest.raises(InvalidRequest, match=field):
        engine.memory_get(path, **option)


@pytest.mark.parametrize(
    "path",
    ["../secret.md", "notes/../../secret.md", "/etc/passwd", "notes/keys.txt", "other/keys.md", "notes/.git/x.md", "",
     "notes", "notes/\x00.md", "secret.md", "memory/../secret.md"],
)  # fmt: skip
def test_a_path_outside_of_memory_is_refused(engine, notes, tmp_path, path):
    """B10"""
    note(tmp_path / "secret.md", "the vault opens with 4711\n")
    engine.index(notes)
    with pytest.raises(InvalidRequest) as refused:
        engine.memory_get(path)
    assert "4711" not in str(refused.value)


def test_a_link_that_leads_out_is_refused_however_it_is_named(engine, notes, tmp_path):
    """B10"""
    os.symlink(note(tmp_path / "secret.md", "the vault opens with 4711\n"), notes / "innocent.md")
    engine.index(notes)
    with pytest.raises(InvalidRequest, match="leads out of the indexed folders"):
        engine.memory_get("notes/innocent.md")
    assert "4711" not in json.dumps(engine.memory_search("vault opens"))


def test_a_file_that_is_gone_is_not_found(engine, notes):
    """B10"""
    engine.index(notes)
    (notes / "keys.md").unlink()
    with pytest.raises(NotFound, match=r"keys\.md"):
        engine.memory_get("notes/keys.md")


def test_a_file_that_is_too_large_is_refused(open_engine, notes):
    """B10"""
    engine = open_engine(files={"max_file_bytes": 64})
    note(notes / "huge.md", "walrus\n" * 100)
    engine.index(notes)
    with pytest.raises(InvalidRequest, match="64 bytes"):
        engine.memory_get("notes/huge.md")
    assert engine.memory_search("walrus")["results"] == []


def test_what_is_read_is_what_the_file_says_now(engine, notes):
    """B10: the file is the truth, not the index"""
    engine.index(notes)
    note(notes / "keys.md", "rewritten\n")
    assert engine.memory_get("notes/keys.md")["text"] == "rewritten\n"


# --- other weights (B22) ----------------------------------------------------------------------------------------------


def test_other_weights_are_a_derived_recipe_that_can_be_replayed(open_engine, notes):
    """B22: the receipt names the numbers, so that it can be replayed under other settings"""
    engine = open_engine(files={"vector_weight": 0.2, "text_weight": 0.6, "candidate_multiplier": 6})
    engine.index(notes)
    engine.memory_search("deploy key")
    (receipt,) = engine.receipts(limit=1, op="recall")
    assert receipt.facts["recipe"] == "files.v1+vector=0.25+pool=6"
    hit = engine.recall("deploy key", recipe=receipt.facts["recipe"], mode="search", lanes=["notes"]).hits[0]
    assert hit.parts["keyword"] == pytest.approx(0.75)
    assert engine.replay(receipt.id).same


def test_half_life_and_balance_are_part_of_the_recipe(open_engine, notes):
    """B8, B22"""
    settings = {"temporal_decay": True, "half_life_days": 10, "mmr": True, "mmr_lambda": 0.5}
    engine = open_engine(files=settings)
    engine.index(notes)
    engine.memory_search("deploy key")
    assert engine.receipts(limit=1, op="recall")[0].facts["recipe"] == "files-dated.v1+half-life=10+lambda=0.5"


def test_without_hybrid_vectors_alone_are_compared(open_engine, notes):
    """B22"""
    engine = open_engine(files={"hybrid": False})
    engine.index(notes)
    assert engine.memory_search("deploy key", min_score=0.0)["mode"] == "vector-only"


@pytest.mark.parametrize(
    "name", ["files.v1+", "files.v1+vector=2", "files.v1+soup=1", "files.v1+lambda=0.5", "x+pool=3"]
)
def test_a_derived_recipe_that_cannot_be_is_refused(engine, name):
    with pytest.raises(NotFound, match="no recipe"):
        engine.recall("deploy key", recipe=name)


def test_files_that_are_turned_off_are_neither_indexed_nor_found(open_engine, notes):
    """B22"""
    engine = open_engine(files={"enabled": False, "extra_paths": [str(notes)]})
    engine.index()
    assert engine.memory_search("deploy key")["results"] == []


def test_the_settings_say_which_sources_are_searched(open_engine, notes):
    """B22"""
    engine = open_engine(files={"sources": ["sessions"]})
    engine.index(notes)
    assert engine.memory_search("deploy key", min_score=0.0)["results"] == []
    assert engine.memory_search("deploy key", min_score=0.0, sources=["memory"])["results"]
