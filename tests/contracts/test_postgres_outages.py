"""A PostgreSQL server that is stopped, started again, full or slow: what is written, and what turns get meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from samples import ANNA, AT, Desk, ids, memory

import postgres_server
import small_disk
from cortex import Cortex, settings, wiring
from cortex.domain.events import EventKind
from cortex.errors import CommitUnknown, DiskFull, StoreUnavailable
from cortex.ports.store import Put, Store
from postgres_server import Server
from small_disk import Disk

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())

PATIENCE = 60.0
QUESTION = "When does the ferry leave?"


@pytest.fixture
def server() -> Iterator[Server]:
    """One of the test's own."""
    with postgres_server.running() as started:
        yield started


def given(url: str, **more: Any) -> dict[str, Any]:
    return {"store": {"url": url}, "embedding": {"provider": "none"}, **more}


def opened(url: str, folder: Path) -> Store:
    return wiring.Stores(folder, settings.load(folder, given(url))).open("main")


def put(store: Store, number: int) -> int:
    return store.apply(ANNA, [Put(memory(number), EventKind.REMEMBERED)], at=AT)


# --- stopped and started again ---------------------------------------------------------------------------------------


def test_a_server_that_is_gone_before_a_write_wrote_nothing(server: Server, tmp_path: Path) -> None:
    with closing(opened(server.url(), tmp_path)) as store:
        put(store, 1)
        server.stop()
        with pytest.raises(StoreUnavailable) as gone:
            put(store, 2)
        assert not isinstance(gone.value, CommitUnknown)
        server.start()
        assert put(store, 2) == 2
        assert ids(Desk(store, ANNA).scan()) == [memory(1).id, memory(2).id]
        assert list(store.verify()) == []


def test_turns_go_on_while_the_server_is_restarted_and_nothing_acknowledged_is_lost(
    server: Server, tmp_path: Path
) -> None:
    """Nothing has to be restarted but the server."""
    with Cortex(tmp_path, settings=given(server.url())) as engine:
        hooks = engine.hooks()
        engine.remember("The ferry leaves at nine")
        for number in range(3):
            server.stop()
            injected = hooks.before(QUESTION, session=f"s{number}")
            assert (injected.block, injected.degraded) == ("", ("store_unavailable",))
            with pytest.raises(StoreUnavailable):
                engine.remember("The boat is in Porto")
            server.start()
            engine.remember(f"Pump {number} was serviced")
            assert len(engine.recall(QUESTION).hits) >= 1
        assert len(engine.list()) == 4
        assert engine.verify() == []


# --- full ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def disk(server: Server) -> Iterator[Disk]:
    """A small disk, on which the server has the database `small`."""
    import psycopg

    with small_disk.mounted(server.folder / "disk", 32) as mounted:
        place = mounted.root / "tables"
        place.mkdir()
        for path in (mounted.root, place):
            os.chown(path, *((65_534, 65_534) if os.geteuid() == 0 else (-1, -1)))
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
            connection.execute("CREATE DATABASE small TABLESPACE small")
            yield mounted
            with suppress(psycopg.Error):
                connection.execute("DROP DATABASE small WITH (FORCE)")


def test_a_full_disk_of_the_server_is_named_and_nothing_has_to_be_restarted(
    server: Server, disk: Disk, tmp_path: Path
) -> None:
    """What was acknowledged stays, reads go on, and so do writes once there is space."""
    with Cortex(tmp_path, settings=given(server.url("small"), hooks={"deadline_ms": 60_000})) as engine:
        kept = {engine.remember("The ferry leaves at nine").memory.id}
        disk.fill()

        def remember_much() -> None:
            for number in range(1_000):  # pages that are there already have room for some
                kept.add(engine.remember(f"Number {number}: {'the pump was serviced ' * 300}").memory.id)

        with pytest.raises(DiskFull, match="no space left"):
            remember_much()
        assert engine.recall(QUESTION).hits
        assert "leaves at nine" in engine.hooks().before(QUESTION, session="s1").block
        disk.free()
        kept.add(engine.remember("The boat is in Porto").memory.id)
        assert {each.id for each in engine.list(limit=10_000)} == kept
        assert engine.verify() == []


# --- slow ------------------------------------------------------------------------------------------------------------


@contextmanager
def standing_still(server: Server) -> Iterator[None]:
    """The server takes what it is sent, and answers nothing."""
    sessions = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text("ascii").split()
    processes = [server.pid, *map(int, sessions)]
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGCONT)


def test_a_turn_waits_for_a_server_that_does_not_answer_no_longer_than_its_deadline(
    server: Server, tmp_path: Path
) -> None:
    hurried = given(server.url(), hooks={"deadline_ms": 300})
    with Cortex(tmp_path, settings=hurried) as engine, ThreadPoolExecutor() as pool:
        engine.remember("The ferry leaves at nine")
        engine.context.flush()
        with standing_still(server):
            late = engine.hooks().before(QUESTION, session="s1")
            assert (late.block, late.degraded) == ("", ("deadline",))
            writing = pool.submit(engine.remember, "The boat is in Porto")
            assert not writing.done()
        writing.result(PATIENCE)
        assert sorted(each.text for each in engine.list()) == ["The boat is in Porto", "The ferry leaves at nine"]
        assert engine.verify() == []
