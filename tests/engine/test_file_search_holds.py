"""A search of the files holds its quality: with one leg, while the index is made anew, and after an edit (B4-B14)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from noted import PATIENCE, eventually, note, paths, reasons

from cortex.domain.hits import RecallResult
from cortex.domain.lanes import Lane
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.ports.store import Filter
from cortex.providers.embedders.none import NoEmbedder
from cortex.testing import FakeEmbedder

ROOMS = 8


class LatinEmbedder(FakeEmbedder):
    """Reads Latin script alone, as the local model does."""

    @property
    def space(self) -> EmbeddingSpace:
        return replace(super().space, latin_only=True)


@pytest.fixture
def kettles(tmp_path: Path) -> Path:
    """Eight notes that hold the same word, in two scripts."""
    for number in range(ROOMS):
        text = f"# Room {number}\n\nThe kettle of room {number} whistles.\n\n部署密钥{number}每周一轮换。\n"
        note(tmp_path / "notes" / f"n{number}.md", text)
    return tmp_path / "notes"


@pytest.fixture
def stall() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


# --- the floor of 0.35 ------------------------------------------------------------------------------------------------


def test_a_query_the_model_cannot_read_gets_all_its_results(open_engine, kettles):
    """B5, B7: words alone are scored by their place, so there is no floor under them"""
    engine = open_engine(embedder=LatinEmbedder(256))
    engine.index(kettles)
    assert len(engine.memory_search("部署密钥")["results"]) == 6
    assert len(engine.memory_search("部署密钥", min_score=0.35)["results"]) == 2, "one that is asked for holds"


def test_an_embedder_that_is_away_costs_no_results(open_engine, kettles):
    """B7, C6"""
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder)
    engine.index(kettles)
    embedder.fail()
    assert len(engine.memory_search("kettle")["results"]) == 6
    assert len(engine.search("kettle", recipe="files.v1", lanes=["notes"]).hits) == 6


def test_an_embedder_that_is_late_costs_no_results(open_engine, kettles, stall):
    """B7, C6"""
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder, embedding={"query_timeout_ms": 20})
    engine.index(kettles)
    embedder.stall = stall
    assert len(engine.memory_search("kettle")["results"]) == 6


def test_lines_that_have_no_vector_yet_are_found_beside_those_that_have(open_engine, kettles):
    """B7: a floor under a sum is none under one part of it"""
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder)
    engine.index(kettles)
    embedder.fail()
    note(kettles / "late.md", "A samovar is no kettle, and it stands in the attic with everything else of hers.\n")
    engine.index()
    embedder.failure = None
    found = engine.memory_search("kettle", max_results=20)
    assert "notes/late.md" in paths(found)


def test_where_both_legs_compare_the_floor_holds(open_engine, kettles):
    """B7: 0.35, or what the settings say; a score by words alone is not measured by it"""
    note(kettles / "garden.md", "Tomatoes want water; a kettle hides behind her shed, where nobody looks in spring.\n")
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder)
    engine.index(kettles)
    found = engine.memory_search("the kettle of room 3 whistles", max_results=20)
    assert "notes/garden.md" not in paths(found)
    assert all(result["score"] >= 0.35 for result in found["results"])
    strict = open_engine(embedder=embedder, files={"min_score": 0.99})
    assert strict.memory_search("kettle")["results"] == []
    embedder.fail()
    assert len(strict.memory_search("kettle")["results"]) == 6


def test_a_search_with_a_floor_of_the_settings_can_be_replayed(open_engine, kettles):
    """E12"""
    engine = open_engine(files={"min_score": 0.6})
    engine.index(kettles)
    engine.memory_search("the kettle of room 3 whistles")
    (receipt,) = engine.receipts(limit=1, op="recall")
    assert receipt.facts["request"]["hybrid_floor"] == 0.6
    assert engine.replay(receipt.id, query="the kettle of room 3 whistles").same


# --- what was really used ---------------------------------------------------------------------------------------------


def test_the_mode_is_what_was_really_compared(open_engine, kettles, stall):
    """B9: also where an answer is degraded; the receipt repeats it"""
    embedder = LatinEmbedder(256)
    engine = open_engine(embedder=embedder, embedding={"query_timeout_ms": 20})
    engine.index(kettles)

    def modes(query: str) -> tuple[str, str | None]:
        return engine.memory_search(query)["mode"], engine.search(query, recipe="files.v1", lanes=["notes"]).mode

    assert modes("kettle") == ("hybrid", "hybrid")
    assert modes("?!") == ("vector-only", "vector-only"), "there is no word to look for"
    assert modes("部署密钥") == ("fts-only", "fts-only")
    embedder.stall = stall
    assert modes("kettle") == ("fts-only", "fts-only")
    assert engine.receipts(limit=1, op="recall")[0].facts["mode"] == "fts-only"
    stall.set()
    embedder.stall = None
    embedder.fail()
    assert modes("kettle") == ("fts-only", "fts-only")
    assert engine.recall("ok").mode is None, "nothing was looked for"


def test_a_recipe_of_vectors_alone_says_so_and_says_when_words_stood_in(open_engine):
    """B9, C6"""
    embedder = FakeEmbedder(256)
    engine = open_engine(embedder=embedder)
    engine.remember("The kettle whistles")
    assert engine.search("kettle", recipe="lancedb.v1").mode == "vector-only"
    embedder.fail()
    assert engine.search("kettle", recipe="lancedb.v1").mode == "fts-only"


def test_vectors_of_a_model_nobody_can_ask_are_not_called_hybrid(open_engine, kettles):
    """B9, B14: neither in an answer nor in the status"""
    engine = open_engine(embedder=FakeEmbedder(256, model="gone"))
    engine.index(kettles)
    assert engine.files.status()["mode"] == "hybrid"
    away = FakeEmbedder(256, model="next")
    engine = open_engine(embedder=away, files={"sync": {"on_search": False}})
    answer = engine.memory_search("kettle")
    assert (answer["mode"], len(answer["results"])) == ("fts-only", 6)
    assert engine.files.status()["mode"] == "fts-only"
    engine.index()
    assert (engine.memory_search("kettle")["mode"], engine.files.status()["mode"]) == ("hybrid", "hybrid")


def test_without_an_embedder_the_mode_is_words_alone(open_engine, kettles):
    """B9, B21"""
    engine = open_engine(embedder=NoEmbedder())
    engine.index(kettles)
    assert (engine.memory_search("kettle")["mode"], engine.status()["files"]["mode"]) == ("fts-only", "fts-only")


# --- chunks that overlap ----------------------------------------------------------------------------------------------


def filler(about: str, number: int) -> str:
    return "\n".join(f"On day {day} the {about} was quiet as ever, and that is all." for day in range(number)) + "\n"


@pytest.mark.parametrize("embedder", [FakeEmbedder(256), NoEmbedder()], ids=["hybrid", "words"])
def test_lines_that_two_chunks_share_are_found_once(open_engine, tmp_path, embedder):
    """B4, B7: near copies of one place do not fill the results"""
    note(
        tmp_path / "notes" / "log.md", filler("harbour", 25) + "The walrus sleeps in tank nine.\n" + filler("pier", 40)
    )
    engine = open_engine(embedder=embedder, files={"chunker": "lines"})
    engine.index(tmp_path / "notes")
    holding = [chunk for chunk in engine.list(Filter(lanes=frozenset({Lane.NOTES}))) if "walrus" in chunk.text]
    assert len(holding) == 2, "the line stands where two chunks overlap"
    explained = engine.explain("walrus tank", recipe="files.v1", mode="search", lanes=["notes"], min_score=0.0)
    shown = [hit.trace for hit in explained.result.hits]
    assert len([chunk for chunk in shown if "walrus" in chunk.text]) == 1
    assert {each.id for each in explained.answer.dropped if each.reason == "duplicate"} < {each.id for each in holding}


def test_a_chunk_that_answers_beyond_the_shared_lines_is_shown_beside_the_other(open_engine, tmp_path):
    """B4"""
    text = filler("harbour", 25) + "The walrus sleeps in tank nine.\n" + filler("pier", 12) + "The walrus eats squid.\n"
    note(tmp_path / "notes" / "log.md", text + filler("mole", 20))
    engine = open_engine(embedder=NoEmbedder(), files={"chunker": "lines"})
    engine.index(tmp_path / "notes")
    found = engine.memory_search("walrus")
    assert len(found["results"]) == 2
    assert "squid" in "".join(result["snippet"] for result in found["results"])


# --- recall after an edit ---------------------------------------------------------------------------------------------


class SlowOnDocuments(FakeEmbedder):
    """Comes to no end with documents until it is let go."""

    def __init__(self) -> None:
        super().__init__(256)
        self.let_go, self.asked = threading.Event(), threading.Event()
        self.let_go.set()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.asked.set()
        self.let_go.wait(60)
        return super().embed_documents(texts)


@pytest.fixture
def slow() -> Iterator[SlowOnDocuments]:
    embedder = SlowOnDocuments()
    yield embedder
    embedder.let_go.set()


PATIENT = {"recall": {"deadline_ms": 300_000}, "hooks": {"deadline_ms": 300_000}}
"""A tenth of that is more than any machine takes to read a note."""


def said(found: RecallResult) -> str:
    return "\n".join(hit.trace.text for hit in found.hits)


def test_a_recall_finds_what_was_written_since_the_last_look(open_engine, kettles, clock):
    """B12: also where nobody watches the files and nobody searches them"""
    engine = open_engine(**PATIENT)
    engine.index(kettles)
    note(kettles / "n3.md", "The samovar of room 3 hums on Fridays.\n")
    clock.advance(2)
    found = engine.recall("when does the samovar of room 3 hum?")
    assert "hums on Fridays" in said(found)
    assert found.receipt.degraded == ()
    assert reasons(engine)[-1] == "recall"


def test_the_hook_of_a_turn_finds_what_was_written_since_the_last_look(open_engine, kettles, clock):
    """B12, C8"""
    engine = open_engine(**PATIENT)
    engine.index(kettles)
    note(kettles / "n3.md", "The samovar of room 3 hums on Fridays.\n")
    clock.advance(2)
    given = engine.hooks().before("When does the samovar of room 3 hum?", session="s1")
    assert ("hums on Fridays" in given.block, given.degraded) == (True, ())


def test_a_recall_of_files_that_did_not_change_leaves_no_trace_of_looking(open_engine, kettles, clock):
    """B12: what is unchanged costs one `stat`"""
    written = clock.now().timestamp() - 3_600
    for path in kettles.iterdir():
        os.utime(path, (written, written))
    engine = open_engine(**PATIENT)
    engine.index(kettles)
    for _ in range(3):
        clock.advance(10)
        assert engine.recall("kettle of room 3").receipt.degraded == ()
    assert reasons(engine) == ["requested"]


def test_a_recall_that_cannot_wait_says_that_files_are_stale_and_the_next_is_fresh(open_engine, kettles, clock, slow):
    """B12: a small share of its time, and the rest in the background"""
    engine = open_engine(embedder=slow, recall={"deadline_ms": 2_000})
    engine.index(kettles)
    slow.asked.clear()
    slow.let_go.clear()
    note(kettles / "n3.md", "The samovar of room 3 hums on Fridays.\n")
    clock.advance(2)
    started = time.monotonic()
    found = engine.recall("when does the kettle of room 4 whistle?")
    assert time.monotonic() - started < 2.0
    assert "kettle of room 4" in said(found)
    assert found.receipt.degraded == ("files:stale",)
    assert slow.asked.wait(PATIENCE), "the look goes on in the background"
    slow.let_go.set()
    assert eventually(lambda: not engine.files.is_syncing)
    found = engine.recall("when does the samovar of room 3 hum?")
    assert ("hums on Fridays" in said(found), found.receipt.degraded) == (True, ())


def test_a_turn_never_waits_beyond_its_deadline_for_the_files(open_engine, kettles, clock, slow):
    """B12, C8"""
    engine = open_engine(embedder=slow, hooks={"deadline_ms": 1_500})
    engine.index(kettles)
    hooks = engine.hooks()
    hooks.before("Which kettle whistles?", session="s1")
    hooks.flush()
    slow.let_go.clear()
    note(kettles / "n3.md", "The samovar of room 3 hums on Fridays.\n")
    clock.advance(2)
    started = time.monotonic()
    given = hooks.before("When does the kettle of room 4 whistle?", session="s1")
    assert time.monotonic() - started < 1.5
    assert ("kettle of room 4" in given.block, given.degraded) == (True, ("files:stale",))


def test_files_that_cannot_be_looked_at_are_told_and_not_tried_at_every_recall(open_engine, kettles, clock):
    """B12: while another process is at them, say"""
    engine = open_engine(**PATIENT)
    engine.index(kettles)
    note(kettles / "n3.md", "The samovar of room 3 hums on Fridays.\n")
    clock.advance(2)
    other = open_engine()
    with other.context.dependencies.indexes(other.tenant).write_lock(1):
        assert engine.recall("kettle of room 4").receipt.degraded == ("files:stale",)
        started = time.monotonic()
        clock.advance(2)
        assert engine.recall("kettle of room 5").receipt.degraded == ("files:stale",)
        assert time.monotonic() - started < 4.0, "it waited five seconds the first time"
    clock.advance(60)
    found = engine.recall("when does the samovar of room 3 hum?")
    assert ("hums on Fridays" in said(found), found.receipt.degraded) == (True, ())


@pytest.mark.parametrize("options", [{"lanes": ["memories"]}, {"as_of": 1}], ids=["other lanes", "the past"])
def test_who_asks_for_no_files_waits_for_none(open_engine, kettles, clock, options):
    """B12"""
    engine = open_engine(**PATIENT)
    engine.index(kettles)
    note(kettles / "n3.md", "The samovar of room 3 hums on Fridays.\n")
    clock.advance(2)
    assert engine.recall("when does the samovar of room 3 hum?", **options).receipt.degraded == ()
    assert reasons(engine) == ["requested"]


def test_who_follows_no_files_has_none_looked_at(open_engine):
    """B12"""
    engine = open_engine()
    engine.remember("The samovar hums on Fridays")
    assert engine.recall("when does the samovar hum?").receipt.degraded == ()
    assert not [thread for thread in threading.enumerate() if thread.name == "cortex-fresh"]
    assert reasons(engine) == []


def test_a_recall_may_be_told_not_to_look(open_engine, kettles, clock):
    """B12: sync.on_search off"""
    engine = open_engine(files={"sync": {"on_search": False}}, **PATIENT)
    engine.index(kettles)
    note(kettles / "n3.md", "The samovar of room 3 hums on Fridays.\n")
    clock.advance(2)
    assert "samovar" not in said(engine.recall("when does the samovar of room 3 hum?"))
    assert reasons(engine) == ["requested"]
