"""Every user has a ledger of their own: whatever others do, and whenever, it is as if they were alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Barrier
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from samples import AT, EAST, MINUTE, NORTH, SPACE, Desk, id_, memory, turn

from cortex.domain.events import GENESIS, EventKind
from cortex.domain.lanes import State
from cortex.domain.scope import Tenant
from cortex.domain.vectors import Basis, Calibration
from cortex.errors import NotFound
from cortex.ports.store import Calibrate, Change, Embed, Filter, PatchSession, Put, RecordAccess, Remove, Store
from cortex.stores.ephemeral import EphemeralStore
from cortex.stores.sqlite import SqliteStore

USERS = tuple(Tenant(user=name) for name in ("anna", "boris", "clara"))
EVERYTHING = Filter(states=frozenset(State))

Step = tuple[int, str, int, int]
"""Whose it is, what is done, to which trace, and how many minutes the clock goes on, or back."""

steps = st.tuples(
    st.integers(0, len(USERS) - 1),
    st.sampled_from(("put", "put", "say", "embed", "use", "remove", "scale", "note")),
    st.integers(0, 4),
    st.integers(-5, 60),
)


@contextmanager
def both_stores() -> Iterator[tuple[Store, Store]]:
    with tempfile.TemporaryDirectory(prefix="cortex-ledgers-") as folder:
        file = SqliteStore(Path(folder) / "store.db", synchronous="normal")
        with closing(EphemeralStore()) as memories, closing(file):
            yield memories, file


def change_of(user: int, what: str, number: int) -> Change:
    id = 100 * user + number
    changes: dict[str, Callable[[], Change]] = {
        "put": lambda: Put(memory(id, f"The tide of {user} is {number}"), EventKind.REMEMBERED),
        "say": lambda: Put(turn(id + 10, session=f"s{number}"), EventKind.SAID),
        "embed": lambda: Embed(id_(id), SPACE, [EAST if number % 2 else NORTH]),
        "use": lambda: RecordAccess((id_(id),), AT),
        "remove": lambda: Remove(id_(id)),
        "scale": lambda: Calibrate(SPACE, Calibration(0.1 * number, Basis.MEASURED, 16)),
        "note": lambda: PatchSession("s1", {"seen": number}),
    }
    return changes[what]()


def carry_out(store: Store, history: Sequence[Step], only: int | None = None) -> dict[int, list[int]]:
    """Take these steps, or those of one user; gives the positions that each user was told."""
    clock, told = AT, {user: [0] for user in range(len(USERS))}
    for user, what, number, minutes in history:
        clock += minutes * MINUTE
        if only in (None, user):
            change = change_of(user, what, number)
            with suppress(NotFound):  # of a trace that is not there
                told[user].append(store.apply(USERS[user], [change], at=clock, actor=f"by {user}", cause=what))
    return told


def seen(store: Store, user: int, as_of: int | None = None) -> list[Any]:
    """All that a user sees of their memory, but salts and what follows from them."""
    with store.view(USERS[user], as_of) as view:
        events = [(e.position, e.at, e.kind, e.subject, e.actor, e.cause) for e in view.events()]
        near = [(match.id, round(match.score, 4)) for match in view.nearest(EAST, SPACE, Filter(), 50)]
        traces = view.scan(EVERYTHING)
        versions = [[(v.trace, v.since, v.until) for v in view.history(trace.id)] for trace in traces]
        return [view.position, view.at, events, near, traces, versions, view.calibration(SPACE), view.state("s1")]


@settings(deadline=None, max_examples=25)
@given(st.lists(steps, max_size=30))
def test_a_users_ledger_has_no_gaps_and_each_event_seals_the_one_before(history: list[Step]) -> None:
    """DESIGN 1: a hash chain"""
    with both_stores() as stores:
        for store in stores:
            told = carry_out(store, history)
            for user, tenant in enumerate(USERS):
                assert told[user] == sorted(told[user]), "positions never go back"
                with store.view(tenant, at_least=told[user][-1]) as view:
                    events = view.events()
                assert [event.position for event in events] == list(range(1, told[user][-1] + 1))
                assert len({GENESIS, *(event.seal for event in events)}) == len(events) + 1
            assert list(store.verify()) == []


@settings(deadline=None, max_examples=25)
@given(st.lists(steps, max_size=30), st.integers(0, len(USERS) - 1))
def test_a_user_among_others_sees_what_they_would_see_alone(history: list[Step], user: int) -> None:
    """DESIGN 3, at every position and as of every time"""
    with both_stores() as crowded, both_stores() as alone:
        for among_others, by_oneself in zip(crowded, alone, strict=True):
            told = carry_out(among_others, history)[user]
            assert carry_out(by_oneself, history, only=user)[user] == told
            assert seen(among_others, user) == seen(by_oneself, user)
            for position in set(told):
                assert seen(among_others, user, position) == seen(by_oneself, user, position)
            for minutes in (0, 30, 300):
                at = AT + minutes * MINUTE
                assert among_others.position_at(USERS[user], at) == by_oneself.position_at(USERS[user], at)


def test_writers_of_different_users_do_not_share_a_position(store: Store) -> None:
    """Many at once: each is told 1, 2, 3, …, as if nobody else wrote."""
    tenants = [Tenant(user=f"user {number}") for number in range(6)]
    together = Barrier(len(tenants), timeout=60)

    def write(number: int) -> list[int]:
        together.wait()
        desk = Desk(store, tenants[number])
        return [desk.put(memory(100 * number + each), memory(100 * number + 50 + each)) for each in range(12)]

    with ThreadPoolExecutor(len(tenants)) as pool:
        told = list(pool.map(write, range(len(tenants))))
    assert told == [list(range(2, 25, 2))] * len(tenants)


def test_a_reader_that_has_seen_a_position_has_seen_all_before_it(store: Store) -> None:
    """Several writers of one user: a follower that goes by position misses nothing."""
    tenant, writers, each_writes = Tenant(user="anna"), 3, 15
    together = Barrier(writers, timeout=60)

    def write(number: int) -> None:
        together.wait()
        for each in range(each_writes):
            Desk(store, tenant).put(memory(100 * number + each))

    followed: list[int] = []
    with ThreadPoolExecutor(writers) as pool:
        writing = [pool.submit(write, number) for number in range(writers)]
        while True:
            done = all(each.done() for each in writing)
            with store.view(tenant) as view:
                followed += [event.position for event in view.events(after=followed[-1] if followed else 0)]
            if done:
                break
        for each in writing:
            each.result()
    assert followed == list(range(1, writers * each_writes + 1))
