"""A clock that is set back and forth: the order of the ledger stays the order of its times, and no job waits for it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import ANNA, AT, BORIS, DAY, MINUTE, Desk, as_first_version, id_, ids, job, memory

from cortex.domain.events import EventKind
from cortex.errors import Conflict
from cortex.ports.store import ExpectClaim, Filter, Job, JobState, PutJob, Store
from cortex.stores.sqlite import SqliteStore
from store_list import STORE_URLS, open_store

LONG_AGO = datetime(2006, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def as_of(desk: Desk, at: datetime) -> list[str]:
    return ids(desk.scan(as_of=desk.store.position_at(desk.tenant, at)))


def steps(desk: Desk) -> list[str]:
    with desk.view() as view:
        return [event.subject for event in view.events() if event.kind is EventKind.CLOCK_SET_BACK]


def test_what_was_written_after_a_wrong_clock_is_not_shown_as_of_an_earlier_time(anna: Desk) -> None:
    anna.put(memory(1), at=AT)
    anna.put(memory(2), at=LONG_AGO)
    anna.put(memory(3), at=AT + DAY)
    assert as_of(anna, datetime(2020, 1, 1, tzinfo=UTC)) == []
    assert as_of(anna, AT) == [id_(1), id_(2)]
    assert as_of(anna, AT + DAY) == [id_(1), id_(2), id_(3)]


def test_a_step_back_is_recorded_once_with_what_the_clock_showed(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1), at=AT)
    anna.put(memory(2), at=LONG_AGO)
    anna.put(memory(3), at=LONG_AGO + MINUTE)
    boris.put(memory(4), at=LONG_AGO + MINUTE)
    assert steps(anna) == [LONG_AGO.isoformat()]
    anna.put(memory(5), at=LONG_AGO - DAY)
    anna.put(memory(6), at=LONG_AGO - DAY + SECOND)
    assert steps(anna) == [LONG_AGO.isoformat(), (LONG_AGO - DAY).isoformat()]
    anna.put(memory(7), at=AT + DAY)
    anna.put(memory(8), at=AT)
    assert steps(anna)[2:] == [AT.isoformat()]
    assert steps(boris) == []
    with anna.view() as view:
        events = view.events()
    assert all(one.at <= other.at for one, other in pairwise(events))
    assert [event.at for event in events if event.kind is EventKind.CLOCK_SET_BACK] == [AT, AT, AT + DAY]


def test_writers_that_waited_for_one_another_are_no_step_back(anna: Desk) -> None:
    anna.put(memory(1), at=AT + 5 * SECOND)
    anna.put(memory(2), at=AT)
    assert steps(anna) == []
    with anna.view() as view:
        assert view.at == AT + 5 * SECOND


def test_the_clock_of_one_user_says_nothing_about_the_ledger_of_another(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1), at=AT)
    boris.put(memory(2), at=LONG_AGO)
    anna.put(memory(3), at=LONG_AGO)
    assert (steps(anna), steps(boris)) == ([LONG_AGO.isoformat()], [])
    with boris.view() as view:
        assert view.at == LONG_AGO


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-3_000, 3_000)), min_size=1, max_size=12),
    st.lists(st.integers(-20_000, 20_000), min_size=2, max_size=6),
)
def test_as_of_any_time_is_the_state_after_some_prefix_however_the_clock_walks(
    walk: list[tuple[bool, int]], asked: list[int]
) -> None:
    """Monotone in time, and never with anything that comes after an event later than that time."""
    with tempfile.TemporaryDirectory() as folder:
        for store in (open_store(name, Path(folder)) for name in STORE_URLS):
            _walked(store, walk, [AT + minutes * MINUTE for minutes in asked])
            assert list(store.verify()) == []
            store.close()


def _walked(store: Store, walk: list[tuple[bool, int]], asked: list[datetime]) -> None:
    desks, clock = (Desk(store, ANNA), Desk(store, BORIS)), AT
    states: list[dict[int, list[str]]] = [{0: []}, {0: []}]
    for number, (whose, minutes) in enumerate(walk, start=1):
        clock += minutes * MINUTE
        desks[whose].put(memory(number), at=clock)
        states[whose][desks[whose].position] = ids(desks[whose].scan())
    for desk, known in zip(desks, states, strict=True):
        with desk.view() as view:
            events = view.events()
        assert all(one.at <= other.at for one, other in pairwise(events))
        before: set[str] = set()
        for at in sorted([*asked, *(event.at for event in events)]):
            with desk.view(store.position_at(desk.tenant, at)) as view:
                shown = ids(view.scan(Filter()))
                prefix = [event for event in events if event.position <= view.position]
            assert shown in known.values()
            assert prefix == [event for event in events if event.at <= at]
            assert before <= set(shown)
            before = set(shown)


def test_times_that_go_back_in_a_file_of_an_earlier_release_do_not_turn_its_order_around(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    anna = Desk(store, ANNA)
    for number in range(1, 5):
        anna.put(memory(number), at=AT + number * DAY)
    with store._connections.writing() as connection:
        ahead, back = (int(at.timestamp() * 1_000_000) for at in (AT + 900 * DAY, LONG_AGO))
        connection.execute("UPDATE events SET at = ? WHERE position = 2", (ahead,))
        connection.execute("UPDATE events SET at = ? WHERE position = 4", (back,))
    assert as_of(anna, AT + 4 * DAY) == [id_(1)]
    assert as_of(anna, AT + 900 * DAY) == [id_(1), id_(2), id_(3), id_(4)]
    with anna.view() as view:
        assert view.at == AT + 900 * DAY
    store.close()


def test_a_file_of_an_earlier_release_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    Desk(store, ANNA).put(memory(1), memory(2))
    Desk(store, ANNA).apply(PutJob(job(1, due=AT + MINUTE)))
    store.close()
    as_first_version(path)
    store = SqliteStore(path)
    anna, boris = Desk(store, ANNA), Desk(store, BORIS)
    assert (anna.position, boris.position) == (2, 0)
    assert claim(anna, AT) is None
    assert claim(anna, AT + MINUTE) is not None
    assert list(store.verify()) == []
    store.close()


# --- jobs ----------------------------------------------------------------------------------------


def claim(desk: Desk, now: datetime) -> Job | None:
    return desk.store.claim(desk.tenant, ["extract"], now=now, until=now + MINUTE)


def test_a_job_does_not_wait_for_a_clock_that_was_set_back(anna: Desk) -> None:
    anna.apply(PutJob(job(1, due=AT + MINUTE)), at=AT)
    assert claim(anna, AT) is None
    assert claim(anna, AT - 10 * SECOND) is None
    found = claim(anna, AT - DAY)
    assert found is not None
    assert found.id == job(1).id


def test_a_job_that_is_moved_waits_from_then(anna: Desk) -> None:
    anna.apply(PutJob(job(1, due=AT + MINUTE)), at=AT)
    anna.apply(PutJob(job(2, due=AT - DAY + MINUTE)), at=AT - DAY)
    assert claim(anna, AT - DAY) is None
    assert claim(anna, AT - DAY + MINUTE) is not None


def test_a_claim_of_before_the_step_back_has_lapsed_and_its_holder_writes_nothing(anna: Desk) -> None:
    anna.apply(PutJob(job(1)), PutJob(job(2, key="s2", due=AT - DAY + MINUTE)), at=AT - DAY)
    first = claim(anna, AT)
    assert first is not None
    second = claim(anna, AT - DAY)
    assert second is not None
    assert (second.id, second.attempts) == (first.id, 2)
    assert claim(anna, AT - DAY + SECOND) is None, "the new claim holds"
    done = replace(first, state=JobState.DONE, claimed_until=None)
    with pytest.raises(Conflict):
        anna.apply(ExpectClaim(first), PutJob(done), at=AT - DAY)
    anna.apply(ExpectClaim(second), PutJob(replace(second, state=JobState.DONE, claimed_until=None)), at=AT - DAY)
