"""Two hosts write to one user's memory at once, each through a store of its own: no update is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import ANNA, AT, MINUTE, id_, memory

import store_list
from cortex.domain.events import EventKind
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.errors import Conflict
from cortex.ports.store import ExpectSame, ExpectState, Filter, PatchSession, Put, RecordAccess, Store
from cortex.store_drivers import driver

MEMORIES = 3
CHAIN = frozenset({"homes"})

SHARED = [name for name in store_list.STORE_URLS if driver(name).ABILITIES.multi_process]

scripts = st.lists(st.sampled_from(("use 0", "use 1", "use 2", "supersede", "count", "note")), min_size=1, max_size=6)


class Host:
    """One of the two, with what it is going to do."""

    def __init__(self, number: int, store: Store) -> None:
        self.number = number
        self.store = store
        self._next = iter(range(100 * (number + 1), 100 * (number + 2)))

    def run(self, script: Sequence[str]) -> None:
        for at, step in enumerate(script):
            what, _, which = step.partition(" ")
            if what == "use":
                self.store.apply(ANNA, [RecordAccess((id_(int(which)),), AT + MINUTE)], at=AT)
            elif what == "note":
                self.store.apply(ANNA, [PatchSession("s1", {f"{self.number}-{at}": at})], at=AT)
            elif what == "count":
                until_done(self.count)
            else:
                until_done(self.supersede)

    def count(self) -> None:
        """Read a number of the session, and write the next one, if nobody else has meanwhile."""
        with self.store.view(ANNA) as view:
            before = (view.state("s1") or {}).get("count")
        changes = [ExpectState("s1", {"count": before}), PatchSession("s1", {"count": (before or 0) + 1})]
        self.store.apply(ANNA, changes, at=AT)

    def supersede(self) -> None:
        """Replace the memory that holds now, if it still does."""
        with self.store.view(ANNA) as view:
            (old,) = view.scan(Filter(scopes=CHAIN, states=frozenset({State.ACTIVE})))
        assert isinstance(old, Memory)
        new = memory(next(self._next), f"Moved again, said host {self.number}", scope="homes", supersedes=old.id)
        over = replace(old, state=State.SUPERSEDED, superseded_by=new.id)
        changes = [ExpectSame(old), Put(over, EventKind.SUPERSEDED), Put(new, EventKind.REMEMBERED)]
        self.store.apply(ANNA, changes, at=AT)


def until_done(attempt: Callable[[], None]) -> None:
    """Again after each conflict, which says that another was first."""
    while True:
        try:
            attempt()
        except Conflict:
            continue
        return


@pytest.mark.parametrize("name", SHARED)
@given(first=scripts, second=scripts)
def test_no_update_of_either_is_lost(
    name: str, tmp_path_factory: pytest.TempPathFactory, first: Sequence[str], second: Sequence[str]
) -> None:
    place = tmp_path_factory.mktemp("hosts")
    url = store_list.STORE_URLS[name](place)
    with ExitStack() as stack:
        hosts = [Host(each, stack.enter_context(closing(store_list.open_url(url, place)))) for each in range(2)]
        begun = [Put(memory(number), EventKind.REMEMBERED) for number in range(MEMORIES)]
        begun.append(Put(memory(50, "Lives in Rome", scope="homes"), EventKind.REMEMBERED))
        hosts[0].store.apply(ANNA, begun, at=AT)
        barrier = Barrier(2)

        def at_once(host: Host, script: Sequence[str]) -> None:
            barrier.wait(30)
            host.run(script)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(at_once, hosts, (first, second)))
        wanted = Counter([*first, *second])
        with hosts[1].store.view(ANNA) as view:
            loaded = view.load([id_(number) for number in range(MEMORIES)])
            state = view.state("s1") or {}
            chain = view.scan(Filter(scopes=CHAIN, states=frozenset(State)))
            positions = [event.position for event in view.events(limit=1_000)]
        used = [each.access_count for each in loaded if isinstance(each, Memory)]
        assert used == [wanted[f"use {number}"] for number in range(MEMORIES)]
        assert state.get("count", 0) == wanted["count"]
        assert len(state.keys() - {"count"}) == wanted["note"]
        assert len(chain) == wanted["supersede"] + 1
        assert sum(each.state is State.ACTIVE for each in chain) == 1
        followed = [each.supersedes for each in chain if isinstance(each, Memory) and each.supersedes]
        assert len(followed) == len(set(followed)) == wanted["supersede"], "two memories replaced the same one"
        assert positions == list(range(1, len(positions) + 1))
        assert list(hosts[0].store.verify()) == []
