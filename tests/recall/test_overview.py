"""Questions about many turns at once: orders and summaries."""

from __future__ import annotations

from candidates import turn

from cortex.domain.turn import Role, Turn
from cortex.recall.overview import arranged
from cortex.recall.plan import Overview
from cortex.recall.ranking import Scored
from cortex.recall.recipes import ConversationWeights

WEIGHTS = ConversationWeights(run=0.1, again=0.05)


def scored(number: int, session: str, seq: int, score: float, role: Role = Role.USER) -> Scored:
    return Scored(turn(number, session=session, seq=seq, role=role), ("vector",), {"vector": score})


def nobody(_: Turn) -> None:
    return None


def places(found: list[Scored]) -> list[tuple[str, int]]:
    return [(each.trace.session, each.trace.seq) for each in found if isinstance(each.trace, Turn)]


def ranked(*candidates: Scored) -> list[Scored]:
    return sorted(candidates, key=lambda each: -each.score)


def test_an_order_goes_over_the_sessions_before_it_goes_deep_into_one():
    found = ranked(*(scored(n, "a", 10 * n, 0.60 - n / 100) for n in range(1, 5)), scored(9, "b", 0, 0.54))
    assert places(arranged(found, Overview.ORDER, nobody, WEIGHTS))[:2] == [("a", 10), ("b", 0)]


def test_a_far_better_turn_stands_first_whatever_its_session_has_given():
    found = ranked(scored(1, "a", 10, 0.9), scored(2, "a", 20, 0.8), scored(3, "b", 0, 0.3))
    assert places(arranged(found, Overview.ORDER, nobody, WEIGHTS)) == [("a", 10), ("a", 20), ("b", 0)]


def test_a_turn_counts_for_more_within_a_run_about_the_question():
    alone, first, second = scored(1, "a", 10, 0.52), scored(2, "b", 4, 0.5), scored(3, "b", 6, 0.5)
    found = arranged(ranked(alone, first, second), Overview.ORDER, nobody, WEIGHTS)
    assert places(found)[0] == ("b", 4)


def test_what_the_user_did_not_say_comes_last_in_an_order():
    found = ranked(scored(1, "a", 1, 0.9, Role.ASSISTANT), scored(2, "a", 8, 0.2))
    assert places(arranged(found, Overview.ORDER, nobody, WEIGHTS)) == [("a", 8), ("a", 1)]


def test_a_summary_shows_each_question_with_its_answer():
    question, other = scored(1, "a", 0, 0.5), scored(3, "b", 0, 0.45)
    answer = scored(2, "a", 1, 0.1, Role.ASSISTANT)
    found = arranged(ranked(question, other, answer), Overview.SUMMARY, nobody, WEIGHTS)
    assert places(found) == [("a", 0), ("a", 1), ("b", 0)]


def test_an_answer_that_was_not_found_is_fetched_for_its_question():
    question = scored(1, "a", 0, 0.5)
    answer = turn(2, session="a", seq=1, role=Role.ASSISTANT)
    found = arranged([question], Overview.SUMMARY, lambda _: answer, WEIGHTS)
    assert places(found) == [("a", 0), ("a", 1)]
    assert f"answers {question.trace.id}" in found[1].reasons


def test_nothing_is_lost_and_nothing_is_shown_twice():
    found = ranked(*(scored(n, "abc"[n % 3], n, n / 40, Role.ASSISTANT if n % 2 else Role.USER) for n in range(30)))
    for wanted in Overview:
        shown = arranged(found, wanted, nobody, WEIGHTS)
        assert sorted(each.trace.id for each in shown) == sorted(each.trace.id for each in found)
