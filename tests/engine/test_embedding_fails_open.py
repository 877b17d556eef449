"""When the embedder is slow, broken, absent or changed (C6, C7, C8, E13, B16)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pytest
from laboratory import assistant, ids, opened, texts, user

from cortex.domain.memory import Draft
from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.ports.store import Filter
from cortex.providers.embedders.none import create as no_embedder
from cortex.testing import FakeEmbedder

KEY = "The deploy key rotates on Mondays"
ASKED = "when does the deploy key rotate?"


def test_where_the_embedder_fails_a_memory_is_stored_without_a_vector(engine, embedder):
    """E13: fail open, and the receipt says so"""
    embedder.fail()
    kept = engine.remember(KEY)
    assert kept.receipt.facts["stored"] == 1
    assert kept.receipt.facts["embeddingSkipped"] == 1
    assert kept.receipt.facts["embeddingSkipReason"] == "embedder_unavailable"
    assert kept.receipt.degraded == ("embedder_unavailable",)
    assert [trace.id for trace in engine.list(Filter(lacking=embedder.space))] == [kept.memory.id]


def test_an_error_of_any_kind_counts_as_unavailable(engine, embedder):
    """E13, C16: whatever a provider raises"""
    embedder.failure = RuntimeError("the socket caught fire")
    assert engine.remember(KEY).receipt.degraded == ("embedder_unavailable",)
    assert texts(engine.recall(ASKED)) == [KEY]


@pytest.mark.parametrize(
    "recipe", ["balanced.v1", "typed.v1", "lancedb.v1", "cortex-hybrid.v1", "governed.v1", "files.v1"]
)
def test_recall_goes_on_by_keywords_and_names_what_is_missing(engine, embedder, recipe):
    """C6, E13, B16: with every recipe, those by vectors alone included"""
    engine.remember(KEY)
    embedder.fail()
    found = engine.recall(ASKED, recipe=recipe)
    assert texts(found) == [KEY]
    facts = found.receipt.facts
    assert (facts["embeddingSkipped"], facts["embeddingSkipReason"]) == (True, "embedder_unavailable")
    assert found.receipt.degraded == ("vector:embedder_unavailable",)


def test_a_warning_is_logged_without_any_text(engine, embedder, caplog):
    """C6"""
    engine.remember(KEY)
    embedder.fail()
    with caplog.at_level(logging.WARNING, logger="cortex"):
        engine.recall(ASKED)
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    assert "embedder_unavailable" in caplog.text
    assert "deploy" not in caplog.text


def test_when_the_embedder_is_back_so_are_the_vectors(engine, embedder, clock):
    """C6"""
    engine.remember(KEY)
    embedder.fail()
    engine.recall(ASKED)
    embedder.failure = None
    clock.advance(60)
    found = engine.recall(ASKED)
    assert found.receipt.degraded == ()
    assert found.hits[0].legs == ("keyword", "vector")


def test_without_an_embedder_keywords_serve_and_nothing_is_degraded(open_engine):
    """B16: none works → FTS only"""
    engine = open_engine(embedder=no_embedder({}, None))
    kept = engine.remember(KEY)
    found = engine.recall(ASKED)
    assert ids(found) == [kept.memory.id]
    assert found.receipt.degraded == ()
    assert found.receipt.facts["embeddingSkipReason"] == "embedding_off"
    with pytest.raises(EmbedderUnavailable, match="turned off"):
        engine.backfill()


def test_what_is_not_to_be_embedded_is_not(engine, embedder):
    engine.remember(KEY, embed=False)
    assert embedder.documents == []
    assert texts(engine.recall(ASKED)) == [KEY]


def test_a_long_text_is_embedded_in_passages_and_a_long_query_is_clamped(engine, embedder):
    """E13, X8"""
    engine.remember("The harbour opens at dawn. " * 400)
    engine.recall("harbour " * 1_000)
    assert len(embedder.documents) > 1
    assert all(len(text) <= 6_000 for text in [*embedder.documents, *embedder.queries])


def test_a_query_is_embedded_once(engine, embedder):
    """DESIGN 9: through all tiers"""
    engine.recall(ASKED, recipe="governed.v1")
    assert len(embedder.queries) == 1


# --- deadlines ------------------------------------------------------------------------------------


@pytest.fixture
def stalled() -> Iterator[FakeEmbedder]:
    """An embedder that answers documents, and never a query until the test is over."""
    embedder = FakeEmbedder(256)
    released = threading.Event()
    plainly = embedder.embed_query

    def wait(text: str) -> Vector:
        released.wait()
        return plainly(text)

    embedder.embed_query = wait  # type: ignore[method-assign]
    yield embedder
    released.set()


@pytest.mark.parametrize("backend", ["sqlite", "ephemeral"])
def test_a_stalled_embedder_leaves_the_vector_leg_out_and_keywords_answer(open_engine, backend, stalled):
    """C8, C16"""
    engine = open_engine(backend, embedder=stalled)
    engine.remember(KEY)
    found = engine.recall(ASKED, deadline_ms=5)
    assert texts(found) == [KEY]
    assert found.receipt.facts["legs"]["vector"]["absent"] == "deadline_exceeded"
    assert found.receipt.facts["legs"]["keyword"]["absent"] is None
    assert found.hits[0].legs == ("keyword",)
    assert "vector:deadline_exceeded" in found.receipt.degraded


def test_the_time_for_a_query_vector_is_a_setting(open_engine, stalled):
    """C8"""
    engine = open_engine(embedder=stalled, embedding={"query_timeout_ms": 1})
    engine.remember(KEY)
    assert engine.recall(ASKED).receipt.facts["legs"]["vector"]["absent"] == "deadline_exceeded"


class SteadyClock:
    """The time of day stands still; what is waited for passes."""

    def now(self) -> datetime:
        return datetime(2026, 1, 5, 9, tzinfo=UTC)

    def monotonic(self) -> float:
        return time.monotonic()


@pytest.mark.parametrize(("recipe", "fields"), [("governed.v1", {}), ("balanced.v1", {"source_kind": "web"})])
def test_keywords_answer_from_a_later_tier_though_the_embedder_used_up_the_time(open_engine, stalled, recipe, fields):
    """C8, E6, E7: waiting for the vector leaves time for every tier"""
    engine = open_engine(clock=SteadyClock(), embedder=stalled)
    engine.remember(KEY, **fields)
    assert texts(engine.recall(ASKED, recipe=recipe, deadline_ms=150)) == [KEY]


def test_a_stalled_embedder_does_not_keep_the_engine_from_closing(open_engine, stalled):
    """C16"""
    engine = open_engine(embedder=stalled)
    engine.remember(KEY)
    engine.recall(ASKED, deadline_ms=1)
    engine.close()


# --- backfill -------------------------------------------------------------------------------------


class Faltering(FakeEmbedder):
    """Embeds so many documents, then fails until it is given more strength."""

    strength = 10**9

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.strength -= len(texts)
        if self.strength < 0:
            raise EmbedderUnavailable("out of strength")
        return super().embed_documents(texts)


def test_a_backfill_embeds_what_has_no_vector_and_nothing_else(engine, embedder):
    """C7"""
    engine.remember("The ferry leaves from pier nine")
    engine.remember(KEY, embed=False)
    engine.store_turns("s1", [user("Which port?"), assistant("8300")], embed=False)
    embedder.documents.clear()
    items = []
    receipt = engine.backfill(progress=lambda done, total, label: items.append((done, total, label)))
    assert receipt.facts["embedded"] == 3
    assert items[-1] == (3, 3, "embedded")
    assert KEY in embedder.documents
    assert "The ferry leaves from pier nine" not in embedder.documents
    assert engine.list(Filter(lacking=embedder.space)) == []
    assert engine.recall(ASKED).hits[0].legs == ("keyword", "vector")


def test_a_second_backfill_has_nothing_to_do(engine, embedder):
    """C7"""
    engine.remember(KEY, embed=False)
    engine.backfill()
    embedder.documents.clear()
    assert engine.backfill().facts["embedded"] == 0
    assert embedder.documents == []


def test_a_backfilled_answer_is_embedded_with_its_question_as_it_would_have_been(engine, embedder):
    """C7: the same vectors, whenever they are made"""
    said = [user("Which port does the gateway use?"), assistant("8300")]
    engine.store_turns("s1", said)
    at_once = list(embedder.documents)
    embedder.documents.clear()
    engine.store_turns("s2", said, embed=False)
    engine.backfill()
    assert embedder.documents == at_once


def test_a_backfill_goes_on_where_it_stopped(open_engine):
    """C7: resumable"""
    embedder = Faltering(256)
    engine = open_engine(embedder=embedder)
    engine.remember_all((Draft(text=f"Harbour number {number}") for number in range(600)), embed=False)
    embedder.strength = 300
    first = engine.backfill()
    assert first.facts["embedded"] == 256
    assert first.degraded == ("embedder_unavailable",)
    embedder.strength = 10**9
    embedder.documents.clear()
    second = engine.backfill()
    assert second.facts["embedded"] == 600 - 256
    assert len(embedder.documents) == 600 - 256
    assert engine.status()["vectors"]["lacking"] == 0


def test_a_change_of_model_is_backfilled_into_its_own_space(tmp_path, clock):
    """C7, B13: an old vector is never compared with a new query"""
    old, new = FakeEmbedder(256, model="old"), FakeEmbedder(128, model="new")
    with opened(tmp_path, clock=clock, embedder=old) as engine:
        kept = engine.remember(KEY).memory
    with opened(tmp_path, clock=clock, embedder=new) as engine:
        assert engine.recall(ASKED).hits[0].legs == ("keyword",)
        assert engine.status()["vectors"]["lacking"] == 1
        assert engine.backfill().facts["embedded"] == 1
        assert engine.recall(ASKED).hits[0].legs == ("keyword", "vector")
    with opened(tmp_path, clock=clock, embedder=old) as engine:
        assert ids(engine.recall(ASKED)) == [kept.id]
        assert engine.recall(ASKED).hits[0].legs == ("keyword", "vector")
