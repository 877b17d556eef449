"""What is held against earlier turns that left no memory (X14)."""

from __future__ import annotations

import pytest

from cortex.capture import lookback
from cortex.domain.lanes import ANY_STATE, Lane, State
from cortex.domain.memory import Memory
from cortex.memory import Cortex
from cortex.ports.store import Filter

DENIAL = "I've never fired a raku kiln."
IN_A_QUESTION = "I'm trying to fix the glaze, and I've already fired the raku kiln, so can you help?"
STATED = "I'm trying to fix the glaze, and I've already fired the raku kiln"


def memories(engine: Cortex) -> list[Memory]:
    among = Filter(lanes=frozenset({Lane.MEMORIES}), states=ANY_STATE)
    return [each for each in engine.list(among, limit=500) if isinstance(each, Memory)]


def said(engine: Cortex, *texts: str, session: str = "one", role: str = "user") -> list[Memory]:
    engine.capture([{"role": role, "content": text} for text in texts], session=session)
    return memories(engine)


def test_a_denial_is_flagged_beside_what_an_earlier_turn_said(engine: Cortex):
    """X14: what stood in a question left no memory, and is one as soon as it is denied"""
    assert said(engine, IN_A_QUESTION, session="first") == []
    earlier, denial = sorted(said(engine, DENIAL, session="second"), key=lambda each: "never" in each.text)
    assert earlier.contradicts == (denial.id,)
    assert denial.contradicts == (earlier.id,)
    (turn,) = engine.show(earlier.id).sources
    assert turn.text == IN_A_QUESTION


def test_the_receipt_counts_what_was_extracted_from_earlier_turns(engine: Cortex):
    """R2: by numbers, never by text"""
    said(engine, IN_A_QUESTION, session="first")
    engine.ingest([{"role": "user", "content": DENIAL}], session="second", debounce=False)
    receipt = engine.run_jobs()
    assert receipt.facts["counts"]["from_earlier_turns"] == 1


def test_a_value_in_a_question_is_flagged_or_replaced_by_a_later_one(engine: Cortex):
    """X14: what was only asked about left no memory, and is one as soon as it has another value"""
    assert said(engine, "How long will my travel budget of $400 last?", session="first") == []
    found = said(engine, "My travel budget was increased to $450 in May.", session="second")
    assert any("$400" in each.text and (each.contradicts or each.superseded_by) for each in found)


def test_without_a_denial_such_a_turn_stays_a_turn(engine: Cortex):
    said(engine, IN_A_QUESTION, session="first")
    found = said(engine, "My raku kiln is in the shed behind the house.", session="second")
    assert not [each for each in found if each.text == STATED]


def test_what_an_assistant_said_is_not_held_against_the_user(engine: Cortex):
    said(engine, "You fired the raku kiln on Sunday.", session="first", role="assistant")
    (denial,) = said(engine, DENIAL, session="second")
    assert denial.contradicts == ()


def test_what_was_forgotten_does_not_come_back(engine: Cortex):
    """C16: only a new turn brings a forgotten statement back"""
    said(engine, IN_A_QUESTION, session="first")
    earlier = next(each for each in said(engine, DENIAL, session="second") if "never" not in each.text)
    engine.forget(earlier.id)
    said(engine, "I have never, ever fired any raku kiln in my life.", session="third")
    assert engine.get(earlier.id).state is State.FORGOTTEN
    assert not [each for each in memories(engine) if each.state is State.ACTIVE and each.text == STATED]


def test_a_forgotten_turn_is_not_looked_at(engine: Cortex):
    engine.capture([{"role": "user", "content": IN_A_QUESTION}], session="first")
    (turn,) = engine.list(Filter(lanes=frozenset({Lane.SESSIONS})), limit=10)
    engine.forget(turn.id)
    (denial,) = said(engine, DENIAL, session="second")
    assert denial.contradicts == ()


def test_few_statements_of_a_step_are_looked_up(engine: Cortex, monkeypatch: pytest.MonkeyPatch):
    """X14: a long turn of denials is bounded"""
    monkeypatch.setattr(lookback, "MOST_LOOKUPS", 0)
    said(engine, IN_A_QUESTION, session="first")
    (denial,) = said(engine, DENIAL, session="second")
    assert denial.contradicts == ()


def test_what_is_told_is_flagged_beside_what_an_earlier_turn_denied(engine: Cortex):
    """X14: a denial that was worth no memory is one as soon as the opposite is told"""
    assert said(engine, "Could you explain git rebase? I've never rebased a branch.", session="first") == []
    found = said(engine, "I rebased my feature branch yesterday and now have conflicts.", session="second")
    denial, told = sorted(found, key=lambda each: "never" not in each.text)
    assert denial.contradicts == (told.id,)
    assert told.contradicts == (denial.id,)


@pytest.mark.parametrize(
    ("before", "correction", "kept"),
    [
        ("I need 12 chairs for the workshop on Saturday.", "Sorry, I meant 16 chairs, not 12.", "16 chairs"),
        ("My flight lands in Boston at 4:15pm.", "Correction: my flight lands at 5:40pm.", "5:40pm"),
    ],
)
def test_a_correction_in_the_next_turn_is_kept_beside_what_it_corrects(
    engine: Cortex, before: str, correction: str, kept: str
):
    """X14"""
    found = said(engine, before, correction)
    assert [each.text for each in found if each.state is State.SUPERSEDED] == [before]
    assert [kept in each.text for each in found if each.state is State.ACTIVE] == [True]


def test_a_correction_does_not_reach_far_back(engine: Cortex):
    said(engine, "My flight lands in Boston at 4:15pm.", session="first")
    found = said(engine, "Correction: my flight lands at 5:40pm.", session="second")
    assert not any("4:15" in each.text for each in found)
