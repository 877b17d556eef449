"""What survives: processes that are killed while they write, and many processes at one file."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from samples import ANNA, AT, SPACE, Desk, id_, ids, job, memory
from store_process import BATCH, batch_ids

from cortex.domain.events import EventKind
from cortex.domain.memory import Memory
from cortex.errors import StoreBusy
from cortex.ports.store import Filter, Put, PutJob
from cortex.stores.sqlite import SqliteStore

SCRIPT = Path(__file__).with_name("store_process.py")
SOURCE = Path(__file__).parents[2] / "src"
PATIENCE = 600.0
"""Seconds after which a process that hangs is given up."""


class Process:
    """A process at a store file, and what it says."""

    def __init__(self, role: str, file: Path, *numbers: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT), role, str(file), *map(str, numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
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

    def killed_after(self, seconds: float) -> list[str]:
        """Kill it that much later, and give the lines it finished before."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        self._process.kill()
        said = self._stdout.readlines()
        self.close()
        assert self._process.returncode == -signal.SIGKILL
        # A line cut short was never finished, so what it says was not acknowledged.
        return [line for line in said if line.endswith("\n")]

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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    SqliteStore(path).close()
    return path


Start = Callable[..., Process]


@pytest.fixture
def start(file: Path) -> Iterator[Start]:
    """Starts processes at the file; none outlives the test."""
    started: list[Process] = []

    def begin(role: str, *numbers: int) -> Process:
        started.append(Process(role, file, *numbers))
        return started[-1]

    yield begin
    for process in started:
        process.close()


@pytest.fixture
def desk(file: Path) -> Iterator[Desk]:
    """Anna's desk at the file. Whatever happened to it, it verifies clean in the end."""
    store = SqliteStore(file)
    yield Desk(store, ANNA)
    findings = list(store.verify())
    store.close()
    assert findings == []


def kill_writers(start: Start, file: Path, rounds: int, seed: int) -> None:
    """Start two writers, kill both at some moment, and look at what is there; and again."""
    chance = random.Random(seed)
    acknowledged: set[int] = set()
    begun = 0
    for _ in range(rounds):
        begun += 2
        writers = [start("write", first, 0) for first in (begun * 10_000, (begun + 1) * 10_000)]
        for writer in writers:
            assert writer.line() == "ready\n"
        for _ in range(chance.randrange(4)):
            acknowledged.add(int(writers[0].line()))
        for writer in writers:
            acknowledged.update(int(line) for line in writer.killed_after(chance.random() * 0.1))
        assert_nothing_is_lost(file, acknowledged)


def assert_nothing_is_lost(file: Path, acknowledged: set[int]) -> None:
    store = SqliteStore(file)
    desk = Desk(store, ANNA)
    safe = [id for batch in sorted(acknowledged) for id in batch_ids(batch)]
    assert ids(desk.load(*safe)) == safe
    with desk.view() as view:
        everything = view.scan(Filter(), limit=1_000_000)
        bare = {trace.id for trace in view.scan(Filter(lacking=SPACE), limit=1_000_000)}
        positions = [event.position for event in view.events(limit=1_000_000)]
        for batch in sorted(acknowledged)[-3:]:
            assert [version.until is None for version in view.history(id_(10 * batch))] == [False, True]
            assert id_(10 * batch) in ids(desk.find(f"berth {batch} taken", limit=1_000))
    memories = [trace for trace in everything if isinstance(trace, Memory) and trace.scope != "infra"]
    # An unacknowledged batch may be there or not, but never in part.
    assert len(everything) == BATCH * len(memories)
    assert all(trace.text.endswith("taken") for trace in memories)
    assert bare.isdisjoint(trace.id for trace in memories)
    assert positions == list(range(1, len(positions) + 1))
    assert list(store.verify()) == []
    store.close()


def test_what_was_acknowledged_survives_the_death_of_the_writer(start: Start, file: Path) -> None:
    kill_writers(start, file, rounds=3, seed=20260701)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_what_was_acknowledged_survives_many_deaths_of_many_writers(start: Start, file: Path, seed: int) -> None:
    kill_writers(start, file, rounds=25, seed=seed)


def test_eight_processes_may_write_while_others_read(start: Start, desk: Desk) -> None:
    write_and_read(start, desk, writers=8, readers=2, batches=12)


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


def test_no_job_is_claimed_by_two_processes(start: Start, desk: Desk) -> None:
    desk.apply(*(PutJob(job(number, key=f"s{number}")) for number in range(40)))
    claimants = [start("claim") for _ in range(4)]
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
