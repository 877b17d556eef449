"""Worker processes for the recalls of turns.

In one process, a recall and the event loop compete for the interpreter: under load a recall of 40 ms takes 200. Workers
only read; the server itself writes the state of sessions and the jobs.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import queue
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from cortex.domain.scope import Tenant
from cortex.memory import Cortex
from cortex.operation_counters import OperationCounters
from cortex.ports.clock import Clock
from cortex.runtime.deadline import Deadline
from cortex.services.files.freshness import STALE
from cortex.services.recall import LADDER
from cortex.services.turn_hooks import LATE, Prepared, TurnHooks

log = logging.getLogger("cortex.http")

OpenEngine = Callable[[], Cortex]
"""Opens the served memory in any process; it must be picklable."""

START_AGAIN_SECONDS = 5.0
"""A worker that ended is restarted at most this often."""

END_SECONDS = 2.0
NICENESS = 5

WARM_SECONDS = 30.0
"""How long a new worker may take to warm its caches before its first request."""

_GONE = (EOFError, OSError)


class PrepareRequest(NamedTuple):
    """One turn that needs its memories."""

    number: int
    tenant: Tenant
    arguments: Mapping[str, Any]
    """The arguments of `TurnHooks.prepare`."""
    seconds: float


class RecallWorker:
    """One worker process, which handles one turn at a time."""

    def __init__(self, open_engine: OpenEngine, clock: Clock, counters: OperationCounters) -> None:
        self.counters = counters
        self._open_engine = open_engine
        self._clock = clock
        self._started_at: float | None = None
        self._process: Any = None
        self._connection: Connection | None = None
        self._is_ready = False
        self._number = 0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Start the process. It is not ready until it has opened the memory."""
        self._started_at, self._is_ready = self._clock.monotonic(), False
        processes = multiprocessing.get_context("spawn")
        self._connection, theirs = processes.Pipe()
        self._process = processes.Process(
            target=_recall, args=(self._open_engine, theirs), name="cortex-recall-worker", daemon=True
        )
        self._process.start()
        theirs.close()

    def ask(self, tenant: Tenant, arguments: Mapping[str, Any], seconds: float) -> Prepared | None:
        """The prepared turn; `LATE` after `seconds`, None if the worker is not ready."""
        deadline = Deadline.after(self._clock, seconds)
        try:
            if not self._is_there():
                return None
            assert self._connection is not None
            self._number += 1
            self._connection.send(PrepareRequest(self._number, tenant, arguments, seconds))
            while self._connection.poll(max(0.0, deadline.left())):
                number, prepared, counts = self._connection.recv()
                self.counters.merge(counts)
                if number == self._number:  # an older answer came too late for its caller
                    found: Prepared = prepared
                    return found
        except _GONE:
            self._begin_again()
            return None
        return LATE

    def stop(self) -> None:
        """Stop the process at once: it only reads."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.join(END_SECONDS)
            if self._process.is_alive():
                self._process.kill()
                self._process.join()
            self._process.close()
            self._process = None

    def _is_there(self) -> bool:
        if self._process is None or not self._process.is_alive():
            self._begin_again()
            return False
        assert self._connection is not None
        if not self._is_ready and self._connection.poll(0):
            self._connection.recv()
            self._is_ready = True
        return self._is_ready

    def _begin_again(self) -> None:
        if self._started_at is not None and self._clock.monotonic() - self._started_at < START_AGAIN_SECONDS:
            return
        log.warning("a recall worker ended and is restarted")
        with suppress(*_GONE):
            self.stop()
        self.start()


class RecallWorkerPool:
    """A pool of recall workers."""

    def __init__(
        self, open_engine: OpenEngine, number: int, clock: Clock, counters: OperationCounters | None = None
    ) -> None:
        self.number = number
        self._all = [RecallWorker(open_engine, clock, counters or OperationCounters()) for _ in range(number)]
        self._idle: queue.SimpleQueue[RecallWorker] = queue.SimpleQueue()

    @contextmanager
    def running(self) -> Iterator[None]:
        for each in self._all:
            each.start()
            self._idle.put(each)
        try:
            yield
        finally:
            for each in self._all:
                each.stop()

    def prepare(self, hooks: TurnHooks, tenant: Tenant, arguments: Mapping[str, Any], deadline: Deadline) -> Prepared:
        """Prepare a turn in a free worker, or here if there is none."""
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            return hooks.prepare(**arguments, deadline=deadline)
        try:
            prepared = worker.ask(tenant, arguments, max(0.0, deadline.left()))
        finally:
            self._idle.put(worker)
        if prepared is None:
            return hooks.prepare(**arguments, deadline=deadline)
        hooks.count_failures(prepared)
        if STALE in prepared.injection.degraded:
            _follow_files(hooks)
        if codes := [code for code in prepared.injection.degraded if not code.startswith(f"{LADDER}:")]:
            log.warning("recall degraded: %s", ", ".join(codes))
        return prepared


def _follow_files(hooks: TurnHooks) -> None:
    """A worker found changed files; the server syncs them."""
    files = hooks.files
    files.changed()
    files.sync_soon("recall")


def _recall(open_engine: OpenEngine, connection: Connection) -> None:
    """The main function of a worker: handle turns until the server closes the connection."""
    init_child_process(NICENESS)
    # The server logs recalls.
    logging.getLogger("cortex").addHandler(logging.NullHandler())
    with open_engine() as engine, suppress(*_GONE):
        engine.context.dependencies.only_reads = True
        hooks, clock = TurnHooks(engine), engine.context.dependencies.clock
        hooks.warm()
        hooks.flush(WARM_SECONDS)
        gc.freeze()  # these objects stay: collecting them would only delay turns
        connection.send(None)
        while True:
            turn: PrepareRequest = connection.recv()
            of = hooks.bind(agent=turn.tenant.agent, user=turn.tenant.user)
            prepared = of.prepare(**turn.arguments, deadline=Deadline.after(clock, turn.seconds))
            connection.send((turn.number, prepared, engine.context.dependencies.counters.drain()))


def init_child_process(niceness: int) -> None:
    """Set up a child process: ignore signals and lower the priority."""
    # The server receives the signal and stops its children.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    # With too few cores the event loop goes first: every response depends on it.
    with suppress(OSError):  # a sandbox may forbid it
        os.nice(niceness)
