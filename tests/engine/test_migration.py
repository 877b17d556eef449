"""Carrying a whole memory to another store and back: history, receipts and replay included (E21)."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import store_list
from cortex import Cortex, wiring
from cortex.domain.scope import Tenant
from cortex.errors import Conflict, InvalidRequest
from cortex.ports.store import Store
from cortex.services.migration import digests_of, migrate_tenant
from cortex.stores.relational import loader

TENANT = Tenant()
QUESTIONS = ("Where does Ines live?", "When is the deploy?", "What tea does the user like?")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A memory with a conversation, corrections, something forgotten, and receipts of recalls on the way."""
    home = tmp_path / "home"
    with Cortex(home) as memory:
        for number in range(12):
            memory.remember(f"Fact {number}: the pump in hall {number} was serviced in week {number + 20}")
        tea = memory.remember("The user likes green tea")
        memory.recall(QUESTIONS[2])
        memory.ingest([{"role": "user", "content": "Ines lives in Rome, and the deploy is on Friday."}], session="s1")
        memory.recall(QUESTIONS[0])
        memory.edit(tea.memory.id, text="The user likes black tea")
        memory.recall(QUESTIONS[2])
        memory.forget(memory.remember("The door code is 4711").memory.id)
        for question in QUESTIONS:
            memory.recall(question)
    with Cortex(home, user="bob") as memory:
        memory.remember("Bob keeps a boat in Porto")
    return home


def answers(home: Path, url: str) -> list[object]:
    """What is recalled now, and whether every recall of before gives the same answer again."""
    with Cortex(home, settings={"store": {"url": url}}) as memory:
        recalls = [each.id for each in memory.receipts(limit=100, op="recall")]
        replayed = [memory.replay(id).same for id in recalls]
        assert all(replayed), replayed
        assert len(replayed) >= 6
        assert memory.verify() == []
        return [[(hit.trace.id, hit.score) for hit in memory.recall(question).hits] for question in QUESTIONS]


@pytest.mark.parametrize("name", [name for name in store_list.STORE_URLS if name != "ephemeral"])
def test_a_memory_goes_to_another_store_and_back_without_loss(home: Path, tmp_path: Path, name: str) -> None:
    there, back = store_list.STORE_URLS[name](tmp_path / "there"), f"sqlite://{tmp_path}/back"
    gone = wiring.migrate(home, source=None, target=there)
    assert [(each.tenant.user, each.was_there) for each in gone] == [("bob", False), ("default", False)]
    returned = wiring.migrate(home, source=there, target=back)
    assert [each.digests for each in returned] == [each.digests for each in gone]
    before = answers(home, "sqlite:")
    assert answers(home, there) == before
    assert answers(home, back) == before


def test_a_second_run_compares_and_writes_nothing(home: Path, tmp_path: Path) -> None:
    target = f"sqlite://{tmp_path}/there"
    wiring.migrate(home, source=None, target=target, user="bob")
    again = wiring.migrate(home, source=None, target=target)
    assert [(each.tenant.user, each.was_there) for each in again] == [("bob", True), ("default", False)]


def test_what_differs_at_the_target_is_left_as_it_is(home: Path, tmp_path: Path) -> None:
    target = f"sqlite://{tmp_path}/there"
    with Cortex(home, settings={"store": {"url": target}}) as memory:
        mine = memory.remember("This was here before")
    with pytest.raises(InvalidRequest, match="other memories there already"):
        wiring.migrate(home, source=None, target=target, user="default")
    with Cortex(home, settings={"store": {"url": target}}) as memory:
        assert [each.id for each in memory.list()] == [mine.memory.id]


def test_a_memory_that_is_written_to_meanwhile_is_not_carried_half(home: Path, tmp_path: Path) -> None:
    with closing(opened(home, "sqlite:")) as source, closing(opened(home, f"sqlite://{tmp_path}/there")) as target:

        def write(done: int, total: int, label: str) -> None:
            if label == "reading" and done == total:
                with Cortex(home) as memory:
                    memory.remember("In between")

        with pytest.raises(Conflict, match="written to meanwhile"):
            migrate_tenant(source, target, TENANT, write)
        assert target.users() == []
        migrate_tenant(source, target, TENANT)


@pytest.mark.parametrize("way", ["there", "back"])
@pytest.mark.parametrize("name", [name for name in store_list.STORE_URLS if name != "ephemeral"])
def test_a_migration_that_is_killed_at_every_step_ends_whole(
    home: Path, tmp_path: Path, name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in each of its transactions and after each, it goes on from there; until the last nobody sees a record."""
    monkeypatch.setattr(loader, "_BATCH", 40)
    source, target = "sqlite:", store_list.STORE_URLS[name](tmp_path / "there")
    if way == "back":
        wiring.migrate(home, source=source, target=target)
        source, target = target, f"sqlite://{tmp_path}/back"
    with closing(opened(home, source)) as store:
        read = digests_of(store, TENANT)
    batches = -(-sum(each.records for each in read.values()) // 40)
    # Of a run, one that is killed before a commit repeats that step in the next; one that is killed after, does not.
    kills = [("in", 1), *([("in", 2), ("after", 2)] * batches), ("in", 2), ("after", 2)]
    for number, (when, step) in enumerate(kills, start=1):
        if (child := os.fork()) == 0:
            _migrate_until(home, source, target, when, step)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL
        with closing(opened(home, target)) as store:
            assert store.users() == (["default"] if number == len(kills) else [])
            assert list(store.verify()) == []
    again = wiring.migrate(home, source=source, target=target, user="default")
    assert [(each.was_there, each.digests) for each in again] == [(True, read)]


def opened(home: Path, url: str) -> Store:
    return store_list.open_url(url, home)


def _migrate_until(home: Path, source: str, target: str, when: str, step: int) -> None:
    """A process that ends in or after one of the transactions of its load."""
    load = loader.load

    def deadly(transact: Any, *given: Any, **named: Any) -> None:
        steps = count(1)

        def counted(work: Any) -> int:
            at = next(steps)

            def done(writer: Any) -> int:
                result: int = work(writer)
                if (when, step) == ("in", at):
                    os.kill(os.getpid(), signal.SIGKILL)
                return result

            result: int = transact(done)
            if (when, step) == ("after", at):
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        load(counted, *given, **named)

    loader.load = deadly  # type: ignore[assignment]
    migrate_tenant(opened(home, source), opened(home, target), TENANT)
    os._exit(1)
