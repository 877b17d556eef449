"""What time ends (X6, X16)."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from tended import AT, DAY, HOUR, memory

from cortex.domain.events import EventKind
from cortex.domain.lanes import State
from cortex.domain.memory import Retention
from cortex.lifecycle import expiry

TTL, SESSION = Retention.TTL, Retention.SESSION


def test_a_memory_past_its_time_to_live_expires_and_one_within_it_does_not():
    """X6"""
    short, long = memory(1, retention=TTL, ttl=HOUR), memory(2, retention=TTL, ttl=DAY)
    (plan,) = expiry.plan([short, long], AT + 2 * HOUR)
    assert (plan.ids, plan.reason) == ((short.id,), expiry.TTL_PAST)
    assert plan.changes[0].because is EventKind.EXPIRED
    assert plan.changes[0].trace == short.revised(state=State.EXPIRED)


def test_without_a_time_of_its_own_a_ttl_memory_lives_for_720_hours():
    """X6"""
    usual = memory(1, retention=TTL)
    assert expiry.plan([usual], AT + timedelta(hours=719)) == []
    assert len(expiry.plan([usual], AT + timedelta(hours=720))) == 1


def test_a_session_memory_expires_a_day_after_it_was_last_used():
    """X6"""
    used = memory(1, retention=SESSION, last_accessed_at=AT + 10 * HOUR)
    unused = memory(2, retention=SESSION)
    (plan,) = expiry.plan([used, unused], AT + 25 * HOUR, retention=SESSION)
    assert (plan.ids, plan.reason) == ((unused.id,), expiry.SESSION_IDLE)
    assert len(expiry.plan([used], AT + 34 * HOUR, retention=SESSION)) == 1


def test_permanent_and_project_memories_never_expire():
    """X6"""
    kept = [memory(1), memory(2, retention=Retention.PROJECT)]
    later = AT + 5_000 * DAY
    assert [expiry.plan(kept, later, retention=each) for each in (TTL, SESSION)] == [[], []]


def test_what_was_superseded_expires_too_and_what_was_forgotten_stays_forgotten():
    memories = [memory(1 + at, retention=TTL, ttl=HOUR, state=state) for at, state in enumerate(State)]
    planned = expiry.plan(memories, AT + DAY)
    assert {plan.decided_on[0].state for plan in planned} == {State.ACTIVE, State.SUPERSEDED}


@given(st.integers(1, 2_000), st.integers(0, 4_000), st.integers(0, 4_000))
def test_what_has_expired_stays_expired_as_time_goes_on(ttl: int, first: int, second: int):
    """X6"""
    mortal = memory(1, retention=TTL, ttl=timedelta(hours=ttl))
    earlier, later = sorted((first, second))
    was, is_ = (bool(expiry.plan([mortal], AT + hours * HOUR)) for hours in (earlier, later))
    assert was <= is_
