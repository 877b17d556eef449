"""What capture keeps of a session, for how long, and what ends with it (X6, X14, X16)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from cortex.capture import policies
from cortex.capture.claims import can_change
from cortex.capture.flow import MOST_DISPUTED
from cortex.domain.lanes import ANY_STATE, Lane, State
from cortex.domain.limits import is_life_event, plain
from cortex.domain.memory import Memory, Retention
from cortex.languages import LIMITS
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.testing import FakeClock

ANY = Filter(states=ANY_STATE)


def said(engine: Cortex, *texts: str, session: str = "one") -> list[Memory]:
    engine.capture([{"role": "user", "content": text} for text in texts], session=session)
    return [each for each in engine.list(ANY, limit=500) if isinstance(each, Memory)]


def test_what_holds_for_this_week_ends_as_memory_and_as_turn(engine: Cortex, clock: FakeClock):
    """X6, X16: the turn stays evidence, and leaves recall"""
    (memory,) = said(engine, "I work from the Lisbon office this week.")
    assert memory.retention is Retention.TTL
    clock.advance(timedelta(days=8))
    engine.consolidate()
    turn = engine.show(memory.id).sources[0]
    assert (engine.get(memory.id).state, turn.state) == (State.EXPIRED, State.EXPIRED)
    assert engine.search("Lisbon office").hits == ()


def test_a_turn_that_says_more_lives_on(engine: Cortex, clock: FakeClock):
    text = "I work from the Lisbon office this week. By the way, please explain how the badge readers there are wired."
    (memory,) = said(engine, text)
    clock.advance(timedelta(days=8))
    engine.consolidate()
    assert engine.get(memory.id).state is State.EXPIRED
    assert engine.show(memory.id).sources[0].state is State.ACTIVE


def test_an_expiry_is_taken_back_with_its_turn(engine: Cortex, clock: FakeClock):
    (memory,) = said(engine, "I work from the Lisbon office this week.")
    clock.advance(timedelta(days=8))
    run = engine.consolidate().outcome.run
    engine.undo_consolidation(str(run))
    assert engine.show(memory.id).sources[0].state is State.ACTIVE


@pytest.mark.parametrize(
    "text",
    [
        "I lost my job this month.",
        "My father died this week.",
        "My sister got married today.",
        "Mein Vater ist diese Woche gestorben.",
        "Me despidieron esta semana.",
        "我爷爷这周去世了",
        "今週、祖母が亡くなりました",
    ],
)
def test_a_life_event_is_one_whatever_day_it_is_told(text: str):
    assert any(is_life_event(plain(text), lang) for lang in LIMITS)


@pytest.mark.parametrize("text", ["I work from Lisbon this week.", "Für heute reicht es.", "今日は家で働いています"])
def test_a_passing_state_is_none(text: str):
    assert not any(is_life_event(plain(text), lang) for lang in LIMITS)


def test_a_life_event_does_not_expire(engine: Cortex):
    """X6"""
    (memory,) = said(engine, "Remember this: my father died this week.")
    assert memory.retention is Retention.PERMANENT


def test_a_session_leaves_at_most_thirty_memories_a_day(engine: Cortex, clock: FakeClock):
    """E11: the weightiest stay, and the next day counts anew"""
    most = policies.named(policies.DEFAULT).max_items_per_session
    names = [f"{letter}{other}" for letter in "BDFGKLMP" for other in ("ora", "ilo", "umi", "enna", "axo")]
    texts = [f"My friend {name} lives in {name}ville and plays the {name.lower()}phone." for name in names]
    assert len(texts) > most
    memories = said(engine, *texts)
    assert len(memories) == most == 30
    clock.advance(timedelta(days=1))
    assert len(said(engine, *texts, "I'm allergic to peanuts.")) == most + 1


def test_what_was_asked_for_is_always_kept(engine: Cortex):
    names = [f"{letter}{other}" for letter in "BDFGKLMP" for other in ("ora", "ilo", "umi", "enna", "axo")]
    texts = [f"My friend {name} lives in {name}ville and plays the {name.lower()}phone." for name in names]
    said(engine, *texts)
    kept = said(engine, *texts, "Please remember that the spare key hangs behind the clock.")
    assert any("spare key" in memory.text for memory in kept if memory.lane is Lane.MEMORIES)


def crowd(count: int) -> list[str]:
    """Statements that are about nothing in common."""
    names = [f"{letter}{other}" for letter in "BDFGKLMPRT" for other in ("ora", "ilo", "umi", "enna", "axo")]
    return [f"My friend {name} lives in {name}ville and plays the {name.lower()}phone." for name in names][:count]


def test_what_replaces_a_memory_takes_no_room(engine: Cortex):
    """X14: a full session still learns that a value has changed"""
    said(engine, "Test coverage of the parser module is at 61%.", *crowd(40))
    memories = said(
        engine,
        "Test coverage of the parser module is at 61%.",
        *crowd(40),
        "Test coverage of the parser module has reached 74%.",
    )
    coverage = {memory.text: memory.state for memory in memories if "coverage" in memory.text}
    assert coverage == {
        "Test coverage of the parser module is at 61%.": State.SUPERSEDED,
        "Test coverage of the parser module has reached 74%.": State.ACTIVE,
    }


def test_what_contradicts_a_memory_gets_a_little_room(engine: Cortex):
    """X14, E11: a flood of contradictions is still a flood"""
    firings = [f"I've never fired any kilns in {name}." for name in ("Leeds", "Graz", "Porto", "Turin", "Lyon")]
    done = [f"I fired {count} kilns in {name} in May." for name in ("Leeds", "Graz", "Porto") for count in (2, 3, 4, 5)]
    said(engine, *firings)  # before there is a crowd, so that they are memories whatever its statements weigh
    said(engine, *firings, *crowd(50))
    memories = said(engine, *firings, *crowd(50), *done)
    beyond = [memory for memory in memories if memory.contradicts and "May" in memory.text]
    assert 1 <= len(beyond) <= MOST_DISPUTED
    assert sum(memory.state is State.ACTIVE for memory in memories) <= 30 + MOST_DISPUTED


def test_a_long_session_is_remembered_to_its_end(engine: Cortex):
    """E11: what waits together shares the room, so the last turns leave memories too"""
    texts = [
        text
        for number, text in enumerate(crowd(50))
        for text in (text, f"Thanks, that helps a lot with my question number {number}!", "Okay.")
    ]
    kept = {memory.text for memory in said(engine, *texts)}
    assert len(kept) <= 30
    first, last = crowd(50)[:8], crowd(50)[-8:]
    assert kept.intersection(first)
    assert kept.intersection(last)


def test_of_equal_weight_what_can_change_is_kept(engine: Cortex):
    """E11: a figure will be asked about, and told otherwise"""
    assert can_change("My rent is $1,350.")
    assert can_change("I've never fired a kiln.")
    assert not can_change("My friend Bora plays the cello.")
    memories = said(engine, *crowd(50), "My friend Nilo lives in Niloville and pays $1,350 for the flat.")
    assert any("$1,350" in memory.text for memory in memories)
