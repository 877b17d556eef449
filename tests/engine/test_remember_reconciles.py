"""`remember` beside what is known (X13, X14), and how each decision is taken back."""

from __future__ import annotations

from cortex.domain.lanes import State
from cortex.domain.memory import Draft
from cortex.engine import Engine
from cortex.testing import FakeClock

RENT, NEW_RENT = "The rent of the studio is $1,350 a month.", "The rent of the studio is now $1,475 a month."


def test_the_same_statement_twice_is_one_memory(engine: Engine):
    """X13"""
    first = engine.remember("The deploy key rotates on Mondays")
    again = engine.remember("Just so you know, the deploy key rotates on Mondays")
    assert again.memory.id == first.memory.id
    assert (again.verdict, again.memory.reinforced) == ("reinforces", 1)
    assert again.receipt.facts["stored"] == 0
    assert len(engine.list()) == 1


def test_a_changed_value_replaces_the_old_one_and_the_receipt_says_so(engine: Engine, clock: FakeClock):
    """X14"""
    old = engine.remember(RENT)
    clock.advance(60)
    new = engine.remember(NEW_RENT)
    assert (new.verdict, new.others, new.memory.supersedes) == ("supersedes", (old.memory.id,), old.memory.id)
    assert engine.get(old.memory.id).state is State.SUPERSEDED
    assert new.receipt.facts["superseded"] == 1


def test_a_contradiction_is_flagged_on_both_sides(engine: Engine):
    """X14"""
    one = engine.remember("I have never fired the kiln at the studio.")
    other = engine.remember("I fired the kiln at the studio twice in May.")
    assert other.verdict == "contradicts"
    assert other.memory.contradicts == (one.memory.id,)
    assert engine.get(one.memory.id).contradicts == (other.memory.id,)  # type: ignore[union-attr]


def test_as_new_stores_it_as_it_is(engine: Engine):
    engine.remember("The deploy key rotates on Mondays")
    engine.remember("The deploy key rotates on Mondays", as_new=True)
    assert len(engine.list()) == 2


def test_another_scope_is_another_memory(engine: Engine):
    one = engine.remember("The deploy key rotates on Mondays", scope="a")
    other = engine.remember("The deploy key rotates on Mondays", scope="b")
    assert one.memory.id != other.memory.id


def test_many_at_once_are_stored_as_they_are_given(engine: Engine):
    """E14: an import keeps what it is given"""
    engine.remember_all([Draft(text=RENT), Draft(text=RENT), Draft(text=NEW_RENT)])
    assert [memory.state for memory in engine.list()] == [State.ACTIVE] * 3


def test_what_is_untrusted_replaces_nothing(engine: Engine):
    old = engine.remember(RENT)
    new = engine.remember(NEW_RENT, source_kind="web")
    assert new.verdict == "contradicts"
    assert engine.get(old.memory.id).state is State.ACTIVE


def test_restoring_what_was_replaced_takes_the_decision_back(engine: Engine, clock: FakeClock):
    """X14: one command undoes one decision; both hold from then on"""
    old = engine.remember(RENT).memory
    clock.advance(60)
    new = engine.remember(NEW_RENT).memory
    back = engine.restore(old.id)
    assert back.ids == (old.id,)
    assert (engine.get(old.id).state, engine.get(new.id).state) == (State.ACTIVE, State.ACTIVE)
    restored, successor = engine.get(old.id), engine.get(new.id)
    assert (restored.superseded_by, restored.valid_to, successor.supersedes) == (None, None, None)  # type: ignore[union-attr]


def test_a_decision_of_capture_is_taken_back_with_its_turns(engine: Engine):
    engine.capture([{"role": "user", "content": "I live in Ghent."}], session="one")
    engine.capture([{"role": "user", "content": "I live in Bruges now."}], session="two")
    (old,) = [each for each in engine.list() if each.text.startswith("I live in Ghent") and each.lane == "memories"]
    assert old.state is State.SUPERSEDED
    engine.restore(old.id)
    assert engine.get(old.id).state is State.ACTIVE
    (turn,) = engine.show(old.id).sources
    assert turn.outdated_by is None  # type: ignore[union-attr]


def test_forgetting_takes_twins_along(engine: Engine):
    one = engine.remember("The deploy key rotates on Mondays").memory
    twin = engine.remember("The deploy key rotates on Mondays", as_new=True).memory
    other = engine.remember("The deploy key rotates on Mondays", scope="elsewhere").memory
    done = engine.forget(one.id)
    assert done.ids == (one.id, twin.id)
    assert done.receipt.facts["ids"] == [one.id, twin.id]
    assert engine.get(other.id).state is State.ACTIVE


def test_a_query_counts_a_memory_and_its_turn_once(engine: Engine):
    """L5"""
    engine.capture([{"role": "user", "content": "I'm allergic to peanuts."}], session="one")
    done = engine.forget_matching("allergic to peanuts")
    assert done.candidates == ()
    assert [engine.get(id).lane.value for id in done.ids] == ["memories", "sessions"]
    assert engine.search("allergic to peanuts").hits == ()


def test_a_turn_that_says_more_is_left_and_named(engine: Engine):
    """L5"""
    said = "I'm allergic to peanuts. The order for the office party has to be placed with the bakery on Main Street."
    engine.capture([{"role": "user", "content": said}], session="one")
    done = engine.forget_matching("allergic to peanuts")
    assert [engine.get(id).lane.value for id in done.ids] == ["memories"]
    assert len(done.receipt.facts["turns"]) == 1
