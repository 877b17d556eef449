"""The second look: what a reranker says changes the order, in time or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

import pytest
from candidates import id_, memory
from hypothesis import given
from hypothesis import strategies as st

from cortex.errors import LlmUnavailable, RerankerUnavailable
from cortex.ports.reranker import ScoreScale
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Rerank
from cortex.recall.reranking import Recorded, RerankResult, TimedReranker, reranked
from cortex.runtime.deadline import Deadline
from cortex.runtime.pool import Threads
from cortex.testing import FakeClock, FakeReranker

DEEP = Rerank(depth=4, weight=0.1)
TEXTS = {id_(1): "the deploy key", id_(2): "peanuts"}


def candidates(*scores: float) -> list[Scored]:
    return [Scored(memory(number), ("keyword",), {"keyword": score}) for number, score in enumerate(scores, start=1)]


def numbers(ranked: Sequence[Scored]) -> list[int]:
    return [next(number for number in range(1, 30) if id_(number) == each.trace.id) for each in ranked]


def said(scale: ScoreScale, **marks: float) -> RerankResult:
    return RerankResult("fake", scale, {id_(int(name[1:])): mark for name, mark in marks.items()})


def timed(reranker: FakeReranker, seconds: float = 5.0, most: int = 1) -> TimedReranker:
    return TimedReranker(reranker, Threads(most).start, Deadline.after(FakeClock(), seconds))


# --- the order ----------------------------------------------------------------------------------------------------


def test_scores_are_added_to_the_first_score():
    """X10, E4: with the recipe's weight"""
    ranked = reranked(candidates(0.9, 0.8, 0.7), said(ScoreScale.SCORE, n1=0, n2=0.5, n3=4), DEEP)
    assert numbers(ranked) == [3, 1, 2]
    assert [each.parts["rerank"] for each in ranked] == pytest.approx([0.4, 0.0, 0.05])


def test_an_order_takes_the_place_of_the_first_one():
    """X10: the scores stay what they mean, and are dealt out anew"""
    ranked = reranked(candidates(0.9, 0.8, 0.2), said(ScoreScale.ORDER, n1=1, n2=2, n3=3), DEEP)
    assert numbers(ranked) == [3, 2, 1]
    assert [each.score for each in ranked] == [0.9, 0.8, 0.2]
    assert [each.parts["rerank"] for each in ranked] == [0.7, 0.0, -0.7]
    assert ranked[0].reasons == ["place 1 by fake"]


@pytest.mark.parametrize("scale", ScoreScale)
def test_what_is_not_marked_keeps_its_order_below(scale: ScoreScale):
    """X10"""
    ranked = reranked(candidates(0.9, 0.8, 0.7, 0.6, 0.5), said(scale, n3=2, n4=1), DEEP)
    assert numbers(ranked) == [3, 4, 1, 2, 5]


def test_an_empty_order_changes_nothing():
    """X10: a model may find that nothing bears on the question"""
    ranked = reranked(candidates(0.9, 0.8), said(ScoreScale.ORDER), DEEP)
    assert (numbers(ranked), [each.score for each in ranked]) == ([1, 2], [0.9, 0.8])


def test_without_a_second_look_the_first_ranking_stands():
    """X10, C16"""
    ranked = reranked(candidates(0.9, 0.8), RerankResult("fake", absent="timeout"), DEEP)
    assert numbers(ranked) == [1, 2]
    assert all("rerank" not in each.parts for each in ranked)


@given(
    st.lists(st.floats(0, 2).map(lambda score: round(score, 6)), min_size=1, max_size=8),
    st.sampled_from(ScoreScale),
    st.dictionaries(st.integers(1, 12), st.floats(-12, 12), max_size=12),
)
def test_nobody_comes_in_or_is_lost(scores: list[float], scale: ScoreScale, marks: dict[int, float]):
    """X10: whatever a reranker says, it can only move what was admitted"""
    first = candidates(*sorted(scores, reverse=True))
    reading = RerankResult("fake", scale, {id_(number): mark for number, mark in marks.items()})
    ranked = reranked(first, reading, DEEP)
    assert sorted(numbers(ranked)) == numbers(first)
    assert numbers(ranked[DEEP.depth :]) == numbers(first[DEEP.depth :])
    if scale is ScoreScale.ORDER:
        assert [each.score for each in ranked] == pytest.approx(sorted(scores, reverse=True))


# --- in time, or not at all -----------------------------------------------------------------------------------------


def test_a_reranker_is_asked_once_for_all_texts():
    """X10"""
    reranker = FakeReranker()
    reading = timed(reranker).read("deploy key", TEXTS)
    assert reading == RerankResult("fake/overlap", ScoreScale.SCORE, {id_(1): 1.0, id_(2): 0.0})
    assert reranker.calls == [("deploy key", tuple(TEXTS.values()))]


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (RerankerUnavailable("broken"), "reranker_unavailable"),
        (LlmUnavailable("spent", reason="budget"), "budget"),
        (LlmUnavailable("slow", reason="timeout"), "timeout"),
    ],
)
def test_a_failure_is_named_and_never_raised(failure: Exception, why: str):
    """X10, C16"""
    assert timed(FakeReranker(failure)).read("deploy key", TEXTS).absent == why


def test_our_own_mistakes_are_not_hidden():
    """STYLE: the broad except stands at the border"""
    with pytest.raises(RuntimeError):
        timed(FakeReranker(RuntimeError("a bug"))).read("deploy key", TEXTS)


@pytest.mark.parametrize("marks", [[1.0], [1.0, float("nan")], [1.0, float("inf")]])
def test_marks_that_fit_no_text_are_not_used(marks: list[float]):
    """X10"""

    class Odd(FakeReranker):
        def scores(self, query: str, texts: Sequence[str]) -> list[float]:
            return marks

    assert timed(Odd()).read("deploy key", TEXTS).absent == "bad_answer"


@pytest.mark.parametrize(("left", "least"), [(0.0, 0.0), (0.2, 0.5)])
def test_with_too_little_time_nobody_is_asked(left: float, least: float):
    """X10: nothing is spent on an answer that would come too late"""
    reranker = FakeReranker()
    reranker.least_seconds = least
    assert timed(reranker, left).read("deploy key", TEXTS).absent == "deadline_exceeded"
    assert reranker.calls == []


def test_where_too_many_are_at_work_nobody_is_asked():
    """X10: answers nobody waits for any more do not pile up"""
    reader = TimedReranker(FakeReranker(), lambda _work, _name: None, Deadline.after(FakeClock(), 5.0))
    assert reader.read("deploy key", TEXTS).absent == "busy"


def test_an_answer_that_is_late_is_left_behind():
    """X10: never past the deadline"""
    pending: Future[Sequence[float | None]] = Future()
    reader = TimedReranker(FakeReranker(), lambda _work, _name: pending, Deadline.after(FakeClock(), 0.01))
    assert reader.read("deploy key", TEXTS).absent == "deadline_exceeded"


# --- recorded -----------------------------------------------------------------------------------------------------


@given(st.dictionaries(st.integers(1, 20).map(id_), st.floats(-12, 12)), st.sampled_from(ScoreScale))
def test_a_reading_comes_back_from_a_receipt_as_it_was(marks: dict[str, float], scale: ScoreScale):
    """X10, E12"""
    import json

    reading = RerankResult("fake", scale, marks)
    assert RerankResult.from_json(json.loads(json.dumps(reading.to_json()))) == reading


def test_what_was_recorded_is_given_again_in_order():
    """X10"""
    first, second = said(ScoreScale.ORDER, n1=1), RerankResult("fake", absent="timeout")
    recorded = Recorded([first, second])
    assert [recorded.read("", {}) for _ in range(2)] == [first, second]
    assert recorded.read("", {}).absent == "not_recorded"
