"""A reranker at work in a recall: within its deadline, in the receipt, and given again by a replay."""

from __future__ import annotations

import json
import threading

import pytest
from laboratory import ids

from cortex.domain.memory import Draft
from cortex.ports.reranker import ScoreScale
from cortex.runtime.deadline import Deadline
from cortex.services.turn_hooks import TurnHooks
from cortex.testing import FakeReranker

ASKED = "deploy key number 3"


@pytest.fixture
def known(engine):
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(5))
    return engine


class Backwards(FakeReranker):
    """Puts texts in the opposite order, and says nothing of the first."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = ScoreScale.ORDER

    def scores(self, query, texts):
        super().scores(query, texts)
        return [None, *map(float, range(1, len(texts)))]


def test_the_receipt_has_the_marks_by_ids_and_numbers(known):
    """X10, E12"""
    found = known.recall(ASKED, recipe="deep.v1")
    (told,) = found.receipt.facts["rerank"]
    assert (told["by"], told["scale"], told["absent"]) == ("fake/overlap", "score", None)
    assert {each["id"] for each in told["marks"]} == set(ids(found))
    assert "deploy" not in json.dumps(found.receipt.facts)


def test_a_replay_ranks_by_the_same_marks_and_asks_nobody(known, reranker):
    """X10: whatever has become of the reranker since"""
    receipt = known.recall(ASKED, recipe="deep.v1").receipt
    reranker.fail()
    assert known.replay(receipt.id).same
    assert len(reranker.calls) == 1


def test_a_replay_of_a_recall_without_its_reranker_has_none_either(known, reranker):
    """X10"""
    reranker.fail()
    receipt = known.recall(ASKED, recipe="deep.v1").receipt
    reranker.failure = None
    replay = known.replay(receipt.id)
    assert replay.same
    assert replay.answer.degraded == ["rerank:reranker_unavailable"]


def test_an_order_is_followed_and_replayed(known, reranker):
    """X10"""
    known.context.dependencies.reranker = Backwards()
    first = known.recall(ASKED).hits
    found = known.recall(ASKED, recipe="deep.v1")
    assert ids(found) == [*[hit.trace.id for hit in reversed(first[1:])], first[0].trace.id]
    assert [hit.score for hit in found.hits] == [hit.score for hit in first]
    assert all("rerank" in hit.parts.parts for hit in found.hits)
    known.context.dependencies.reranker = reranker
    assert known.replay(found.receipt.id).same


def test_an_answer_that_is_late_leaves_the_first_ranking(known, reranker):
    """X10: never past the deadline"""
    first = ids(known.recall(ASKED))
    reranker.stall = threading.Event()
    found = known.recall(ASKED, recipe="deep.v1", deadline_ms=50)
    reranker.stall.set()
    assert ids(found) == first
    assert found.receipt.degraded == ("rerank:deadline_exceeded",)
    assert known.replay(found.receipt.id).same


def test_nobody_is_asked_about_what_will_not_be_shown(known, reranker):
    """X10: a call may cost money"""
    assert known.recall("giraffes and zebras", recipe="deep.v1").hits == ()
    assert reranker.calls == []


def test_the_receipt_of_an_erased_memory_loses_its_mark(known):
    """X10, E14"""
    found = known.recall(ASKED, recipe="deep.v1")
    known.erase(found.hits[0].trace.id)
    assert found.hits[0].trace.id not in json.dumps(known.receipt(found.receipt.id).facts)


@pytest.mark.parametrize(("seconds", "calls"), [(0.2, 0), (2.0, 1)])
def test_a_turn_asks_a_slow_reranker_only_where_it_was_given_the_time(known, reranker, clock, seconds, calls):
    """X10, C9: 200 ms are not enough for one that needs half a second"""
    reranker.least_seconds = 0.5
    prepared = TurnHooks(known).prepare(ASKED, session="s1", recipe="deep.v1", deadline=Deadline.after(clock, seconds))
    assert prepared.injection
    assert len(reranker.calls) == calls
    assert prepared.injection.degraded == (() if calls else ("rerank:deadline_exceeded",))
