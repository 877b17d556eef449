"""Another embedding model: the index of the files serves in the old space until the new one is complete (B13, B14)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from embedding_servers import EmbeddingServer, embedding_server

from cortex import Cortex
from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.testing import FakeClock, FakeEmbedder

QUESTION = "On which day of the week is the deployment key rotated?"
LINES = {
    "keys.md": "The deploy key rotates on Mondays.",
    "garden.md": "The tomatoes want water every evening.",
    "cellar.md": "The cellar door sticks when it rains.",
}


class FailingHalfway(FakeEmbedder):
    """Gives vectors of some documents, and is away from then on."""

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if self.documents:
            self.fail()
        return super().embed_documents(texts)


class StalledOnDocuments(FakeEmbedder):
    """Answers queries, and never comes to an end with documents until it is let go."""

    def __init__(self, dimension: int, *, model: str) -> None:
        super().__init__(dimension, model=model)
        self.let_go = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.let_go.wait(60)
        return super().embed_documents(texts)


@pytest.fixture
def notes(tmp_path: Path, clock: FakeClock) -> Path:
    """Notes that were written an hour ago."""
    folder = tmp_path / "notes"
    folder.mkdir()
    written = clock.now().timestamp() - 3_600
    for name, text in LINES.items():
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
        os.utime(folder / name, (written, written))
    return folder


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def opened(
    tmp_path: Path, models: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Cortex]]:
    """Opens the same memory with whatever embedder a test asks for, and closes it."""
    monkeypatch.setenv("CORTEX_MODELS", str(models))
    engines: list[Cortex] = []

    def open_one(embedder: FakeEmbedder | None = None, **embedding: Any) -> Cortex:
        for engine in engines:
            engine.close()
        payload = {
            "embedding": {"cache_entries": 0, "query_timeout_ms": 30_000, **embedding},
            "recall": {"deadline_ms": 60_000},
        }
        engines.append(Cortex(tmp_path / "home", settings=payload, embedder=embedder, clock=clock))
        return engines[-1]

    yield open_one
    for engine in engines:
        engine.close()


def last_recall(memory: Cortex) -> dict[str, Any]:
    return dict(memory.receipts(limit=1, op="recall")[0].facts)


def paths(answer: dict[str, Any]) -> list[str]:
    return [result["path"] for result in answer["results"]]


# --- from the local model ---------------------------------------------------------------------------------------------


def test_while_the_index_is_made_anew_meaning_is_compared_in_the_old_space(opened, notes):
    """B14: both spaces serve until the new one is complete"""
    memory = opened()
    memory.index(notes)
    before = memory.memory_search(QUESTION)["results"]
    assert before[0]["path"] == "notes/keys.md"
    stalled = StalledOnDocuments(64, model="next")
    memory = opened(stalled)
    try:
        answer = memory.memory_search(QUESTION)
        assert (answer["results"], answer["stale"]) == (before, "syncing")
        facts = last_recall(memory)
        assert (len(facts["vecTop"]), facts["degraded"]) == (3, [])
        earlier = memory.files.status()["vector"]["earlier"]
        assert (earlier["provider"], earlier["available"]) == ("local", True)
    finally:
        stalled.let_go.set()


def test_a_reindex_that_fails_half_way_leaves_the_old_index_serving(opened, notes, clock):
    """B14: with an error that says so; edits are followed meanwhile, by the old model"""
    for number in range(40):  # more than are embedded at once
        (notes / f"log{number}.md").write_text(f"On day {number} nothing happened.\n", encoding="utf-8")
    memory = opened()
    memory.index(notes)
    before = memory.memory_search(QUESTION)["results"]
    assert before[0]["path"] == "notes/keys.md"
    broken = FailingHalfway(64, model="next")
    memory = opened(broken)
    with pytest.raises(EmbedderUnavailable, match="was not made anew: 'next' gave no vectors; the one in use stays"):
        memory.index()
    assert len(broken.documents) > 32
    broken.failure = None
    answer = memory.memory_search(QUESTION)
    assert answer["results"] == before
    assert any("the index must be rebuilt" in each["why"] for each in memory.status()["degraded"])

    (notes / "cellar.md").write_text("Our badge for publishing software is swapped each week.\n", encoding="utf-8")
    with pytest.raises(EmbedderUnavailable):
        memory.index()
    assert "notes/cellar.md" in paths(memory.memory_search("release badge"))[:2]

    clock.advance(60)
    memory = opened(FakeEmbedder(64, model="next"))
    assert memory.index().synced.full == "provider"
    facts = memory.search(QUESTION, lanes=["notes"]).receipt.facts
    assert (facts["degraded"], facts["legs"]["vector"]["absent"]) == ([], None)
    assert memory.files.status()["vector"]["earlier"] is None


def test_a_recall_has_the_index_made_anew_and_waits_for_none_of_it(opened, notes):
    """B12, B13: what is remembered is not stale for that"""
    opened().index(notes)
    stalled = StalledOnDocuments(64, model="next")
    memory = opened(stalled)
    try:
        assert memory.search(QUESTION, lanes=["notes"]).receipt.degraded == ()
        assert memory.files.status()["vector"]["earlier"] is not None
    finally:
        stalled.let_go.set()
    ends = time.monotonic() + 30
    while memory.files.status()["vector"]["earlier"] is not None:
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_new_model_that_is_away_is_told_while_the_old_one_answers(opened, notes):
    """B14, C6"""
    opened().index(notes)
    away = FakeEmbedder(64, model="next")
    away.fail()
    memory = opened(away)
    answer = memory.memory_search(QUESTION)
    assert (paths(answer)[0], answer["stale"]) == ("notes/keys.md", "embedder_unavailable")
    assert last_recall(memory)["degraded"] == ["embedding:embedder_unavailable"]


# --- from a model nobody can ask any more -----------------------------------------------------------------------------


def test_where_the_old_model_cannot_be_asked_words_answer_and_it_is_told(opened, notes):
    """B14: degraded, and not silent"""
    opened(FakeEmbedder(64, model="gone")).index(notes)
    away = FakeEmbedder(64, model="next")
    away.fail()
    memory = opened(away)
    answer = memory.memory_search("deploy key or cellar door or tomatoes")
    assert sorted(paths(answer)) == ["notes/cellar.md", "notes/garden.md", "notes/keys.md"]
    assert "files:earlier_model_unavailable" in last_recall(memory)["degraded"]
    assert memory.files.status()["vector"]["earlier"] == {"provider": "fake", "model": "gone", "available": False}


# --- from one model of a server to another ----------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server("openai") as running:
        yield running


def of(server: EmbeddingServer, model: str) -> dict[str, Any]:
    payload = {"base_url": server.base_url, "api_key": "key-1", "model": model, "dimensions": server.dimension}
    return {"provider": "openai", "options": payload}


def test_the_server_in_use_is_asked_for_the_model_of_before(opened, notes, server):
    """B14"""
    opened(**of(server, "old")).index(notes)
    server.behave = lambda request: server.fail(400) if request["model"] == "new" else server.good(request)
    memory = opened(**of(server, "new"))
    with pytest.raises(EmbedderUnavailable, match="the one in use stays"):
        memory.index()
    memory.search(QUESTION, lanes=["notes"])
    facts = last_recall(memory)
    assert (len(facts["vecTop"]), facts["degraded"]) == (3, ["embedding:embedder_unavailable"])


def test_a_server_the_settings_no_longer_name_is_sent_nothing(opened, notes, server, monkeypatch):
    """B14: who left a vendor sends no more queries there, though a key is still around"""
    opened(**of(server, "old")).index(notes)
    monkeypatch.setenv("OPENAI_API_KEY", "key-1")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    before_it = len(server.requests)
    away = FakeEmbedder(64, model="next")
    away.fail()
    memory = opened(away)
    assert paths(memory.memory_search("deploy key")) == ["notes/keys.md"]
    assert "files:earlier_model_unavailable" in last_recall(memory)["degraded"]
    assert len(server.requests) == before_it
