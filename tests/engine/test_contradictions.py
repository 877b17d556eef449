"""Contradictions are asked about until somebody says which side is true (X14)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.turn import Turn, TurnDraft
from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.recall.labels import label
from cortex.testing import FakeClock

LIKES, HATES = "I like cilantro.", "I don't like cilantro."


def memory(engine: Cortex, id: str) -> Memory:
    found = engine.get(id)
    assert isinstance(found, Memory)
    return found


@pytest.fixture
def sides(engine: Cortex, clock: FakeClock) -> tuple[TraceId, TraceId]:
    one = engine.remember(LIKES).memory.id
    clock.advance(timedelta(days=1))
    return one, engine.remember(HATES).memory.id


def test_each_contradiction_is_shown_once_the_earlier_side_first(engine: Cortex, sides: tuple[TraceId, TraceId]):
    assert [(each.earlier.text, each.later.text) for each in engine.contradictions()] == [(LIKES, HATES)]
    assert engine.status()["contradictions"] == 1
    (check,) = [each for each in engine.doctor() if each.name == "contradictions"]
    assert check.ok is None
    assert "cortex admin resolve" in check.fix


def test_without_contradictions_nothing_is_asked(engine: Cortex):
    engine.remember(LIKES)
    assert engine.contradictions() == []
    assert engine.status()["contradictions"] == 0
    assert not [each for each in engine.doctor() if each.name == "contradictions"]


@pytest.mark.parametrize("kept", [0, 1])
def test_the_side_that_is_true_replaces_the_other(engine: Cortex, sides: tuple[TraceId, TraceId], kept: int):
    done = engine.resolve(sides[kept])
    other = memory(engine, sides[1 - kept])
    assert done.ids == (other.id,)
    assert (other.state, other.superseded_by, other.contradicts) == (State.SUPERSEDED, sides[kept], ())
    assert memory(engine, sides[kept]).supersedes == other.id
    assert engine.contradictions() == []
    assert done.receipt.op == "resolve"


def test_both_sides_may_be_true(engine: Cortex, sides: tuple[TraceId, TraceId]):
    assert engine.resolve(sides[0], both=True).ids == ()
    assert [(memory(engine, id).state, memory(engine, id).contradicts) for id in sides] == [(State.ACTIVE, ())] * 2
    assert engine.contradictions() == []


def test_restoring_what_was_replaced_takes_the_decision_back(engine: Cortex, sides: tuple[TraceId, TraceId]):
    before = engine.contradictions()
    engine.resolve(sides[1])
    engine.restore(sides[0])
    assert [memory(engine, id).state for id in sides] == [State.ACTIVE] * 2
    assert [{each.earlier.id, each.later.id} for each in engine.contradictions()] == [set(sides)]
    assert len(before) == 1


def test_restoring_what_a_change_replaced_opens_no_contradiction(engine: Cortex, clock: FakeClock):
    old = engine.remember("I live in Berlin.").memory.id
    clock.advance(timedelta(days=1))
    engine.remember("I live in Lisbon now.")
    assert memory(engine, old).state is State.SUPERSEDED
    engine.restore(old)
    assert engine.contradictions() == []


def test_one_of_several_contradictions_is_settled_alone(engine: Cortex):
    own = engine.remember("I own 60% of the pottery studio.").memory.id
    less = engine.remember("I own 45% of the pottery studio.").memory.id
    least = engine.remember("I own 30% of the pottery studio.").memory.id
    assert set(memory(engine, own).contradicts) == {less, least}
    engine.resolve(own, over=less)
    assert memory(engine, less).state is State.SUPERSEDED
    assert [(each.earlier.id, each.later.id) for each in engine.contradictions()] == [(own, least)]


def test_what_is_not_contradicted_cannot_be_settled(engine: Cortex, sides: tuple[TraceId, TraceId]):
    alone = engine.remember("I play the cello.").memory.id
    with pytest.raises(InvalidRequest, match="is not contradicted"):
        engine.resolve(alone)
    with pytest.raises(InvalidRequest, match="is not contradicted by"):
        engine.resolve(sides[0], over=alone)
    with pytest.raises(InvalidRequest, match="limit"):
        engine.contradictions(limit=0)


def test_a_turn_contradicts_nothing(engine: Cortex):
    (turn,) = engine.store_turns("s", [TurnDraft(text=LIKES)]).ids
    with pytest.raises(InvalidRequest, match="is a turn"):
        engine.resolve(turn)


def test_a_side_that_was_forgotten_is_not_asked_about(engine: Cortex):
    one = engine.remember(LIKES).memory.id
    other = engine.remember(HATES).memory.id
    engine.forget(other)
    assert engine.contradictions() == []
    engine.restore(other)
    engine.forget(one)
    assert engine.contradictions() == []


def test_the_block_tells_of_a_contradiction_until_it_is_settled(engine: Cortex, sides: tuple[TraceId, TraceId]):
    """A memory is labeled while another that says otherwise holds."""
    assert "contradicted on" in engine.recall("do I like cilantro?").block
    engine.resolve(sides[1])
    assert "contradict" not in engine.recall("do I like cilantro?").block


def test_a_turn_is_labeled_while_what_was_extracted_from_it_is_contradicted(engine: Cortex, clock: FakeClock):
    for text in (LIKES, HATES):
        said = f"{text} What else may go with the lentil soup?"
        turns = engine.store_turns("soup", [TurnDraft(text=said)]).ids
        engine.remember(text, source_turns=turns)
        clock.advance(timedelta(days=1))
    turns = [hit for hit in engine.recall("cilantro with lentil soup").hits if isinstance(hit.trace, Turn)]
    assert len(turns) == 2
    assert ["contradicted on" in label(hit) for hit in turns].count(True) == 1
    assert all("contradict" in label(hit) for hit in turns)
    engine.resolve(engine.contradictions()[0].later.id)
    turns = [hit for hit in engine.recall("cilantro with lentil soup").hits if isinstance(hit.trace, Turn)]
    assert turns
    assert not any("contradict" in label(hit) for hit in turns)


def test_memories_that_point_to_another_are_found_in_any_store(engine: Cortex, sides: tuple[TraceId, TraceId]):
    engine.remember('They wrote "contradicts":[1] into the log.')
    assert {each.id for each in engine.list(Filter(contradicted=True))} == set(sides)
    assert not set(sides) & {each.id for each in engine.list(Filter(contradicted=False))}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The deploy key rotates on Mondays", "The deploy key rotates on Tuesdays"),
        ("Our backup runs at 02:00", "Our backup runs at 03:00"),
        ("Tom owns the checklist", "Ana owns the checklist"),
        ("The database is MySQL 8", "The database is PostgreSQL 16"),
    ],
)
def test_another_value_of_one_thing_is_asked_about(engine: Cortex, one: str, other: str):
    first = engine.remember(one)
    second = engine.remember(other)
    assert (second.verdict, second.others) == ("contradicts", (first.memory.id,))
    assert [(each.earlier.text, each.later.text) for each in engine.contradictions()] == [(one, other)]


def test_another_scope_or_a_source_without_trust_has_its_own_value(engine: Cortex):
    engine.remember("Our backup runs at 02:00", scope="north")
    assert engine.remember("Our backup runs at 03:00", scope="south").verdict == "new"
    assert engine.remember("Our backup runs at 04:00", scope="north", source_kind="web").verdict == "new"
    assert engine.contradictions() == []
