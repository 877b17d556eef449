"""Many processes at one store; what survives a kill of theirs is counted by `bench.soak`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from samples import ANNA, AT, Desk, id_, ids, job, memory
from store_process import BATCH, batch_ids

from cortex.domain.events import EventKind
from cortex.domain.scope import Tenant
from cortex.errors import StoreBusy
from cortex.ports.store import Filter, Put, PutJob
from cortex.stores.sqlite import SqliteStore
from forking import PIPE, Forked
from store_list import STORE_URLS, open_url

SCRIPT = Path(__file__).with_name("store_process.py")
SOURCE = Path(__file__).parents[2] / "src"
PATIENCE = 600.0
"""Seconds after which a process that hangs is given up."""


class Process:
    """A process at a store, and what it says."""

    def __init__(self, role: str, url: str, folder: Path, user: str, *numbers: int) -> None:
        arguments = [SCRIPT, role, url, folder, user, *map(str, numbers)]
        self._process = Forked(arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        self._stdin, self._stdout, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self._watchdog = threading.Timer(PATIENCE, self._process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def line(self) -> str:
        """What it says next, or nothing once it has ended."""
        return self._stdout.readline()

    def tell(self, line: str) -> None:
        self._stdin.write(f"{line}\n")
        self._stdin.flush()

    def ended(self) -> list[str]:
        """Wait until it ends by itself, without an error, and give the lines it said."""
        said = self._stdout.read().splitlines()
        complaint = self._stderr.read()
        assert self._process.wait() == 0, complaint
        self.close()
        return said

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._watchdog.cancel()
        for pipe in (self._stdin, self._stdout, self._stderr):
            with suppress(BrokenPipeError):
                pipe.close()


@pytest.fixture(params=[name for name in STORE_URLS if name != "ephemeral"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that several processes can use."""
    found = STORE_URLS[request.param](tmp_path)
    open_url(found, tmp_path, {}).close()
    return found


Start = Callable[..., Process]


@pytest.fixture
def start(url: str, tmp_path: Path) -> Iterator[Start]:
    """Starts processes at the store; none outlives the test."""
    started: list[Process] = []

    def begin(role: str, *numbers: int, user: str = ANNA.user) -> Process:
        started.append(Process(role, url, tmp_path, user, *numbers))
        return started[-1]

    yield begin
    for process in started:
        process.close()


@pytest.fixture
def desk(url: str, tmp_path: Path) -> Iterator[Desk]:
    """Anna's desk at the store. Whatever happened to it, it verifies clean in the end."""
    store = open_url(url, tmp_path, {})
    yield Desk(store, ANNA)
    findings = list(store.verify())
    store.close()
    assert findings == []


def test_processes_may_write_while_others_read(start: Start, desk: Desk) -> None:
    write_and_read(start, desk, writers=3, readers=1, batches=12)


@pytest.mark.slow
def test_eight_processes_may_write_for_long_while_others_read(start: Start, desk: Desk) -> None:
    write_and_read(start, desk, writers=8, readers=4, batches=400)


def write_and_read(start: Start, desk: Desk, *, writers: int, readers: int, batches: int) -> None:
    reading = [start("read") for _ in range(readers)]
    writing = [start("write", 1_000 * writer, batches) for writer in range(writers)]

    def look_while_they_write(reader: Process) -> None:
        assert reader.line() == "ready\n"
        while reader.line():
            reader.tell("go on" if any(writer.is_alive for writer in writing) else "stop")
        reader.ended()

    with ThreadPoolExecutor(writers + readers) as pool:
        looks = [pool.submit(look_while_they_write, reader) for reader in reading]
        said = [line for lines in pool.map(Process.ended, writing) for line in lines if line != "ready"]
        for look in looks:
            look.result()

    safe = [id for batch in map(int, said) for id in batch_ids(batch)]
    assert len(said) == writers * batches
    assert ids(desk.load(*safe)) == safe
    with desk.view() as view:
        assert view.counts(Filter()).total == len(safe)
        positions = [event.position for event in view.events(limit=1_000_000)]
    assert positions == list(range(1, len(positions) + 1))


def test_writers_of_different_users_go_on_at_once(start: Start, desk: Desk) -> None:
    """Eight writers of eight users: every ledger is whole, and nobody waits for ever."""
    users = [f"user {number}" for number in range(8)]
    writing = [start("write", 1_000 * number, 6, user=user) for number, user in enumerate(users)]
    said = [[line for line in process.ended() if line != "ready"] for process in writing]
    assert all(len(lines) == 6 for lines in said)
    assert desk.store.users() == users
    for user in users:
        with desk.store.view(Tenant(user=user)) as view:
            events = view.events(limit=1_000_000)
            assert [event.position for event in events] == list(range(1, len(events) + 1))
            assert view.counts(Filter()).total == 6 * BATCH


def test_no_job_is_claimed_by_two_processes(start: Start, desk: Desk) -> None:
    desk.apply(*(PutJob(job(number, key=f"s{number}")) for number in range(40)))
    claimants = [start("claim") for _ in range(3)]
    claimed = [line for claimant in claimants for line in claimant.ended() if line != "ready"]
    assert sorted(claimed) == [id_(number) for number in range(40)]


def test_a_writer_waits_its_turn_and_no_longer_than_it_was_told(tmp_path: Path) -> None:
    """FIELD 12: a bounded wait, and what gave up takes nothing from those who come later"""
    first, second = (SqliteStore(tmp_path / "store.db", busy_timeout_ms=50) for _ in range(2))
    with first._connections.writing():
        for _ in range(3):
            with pytest.raises(StoreBusy):
                second.apply(ANNA, [Put(memory(1), EventKind.REMEMBERED)], at=AT)
    second.apply(ANNA, [Put(memory(1), EventKind.REMEMBERED)], at=AT)
    first.apply(ANNA, [Put(memory(2), EventKind.REMEMBERED)], at=AT)
    assert not list(first.verify())
    first.close()
    second.close()
