"""Recalls of turns in processes of their own.

In one process, a recall and the event loop want the same interpreter, thousands of times for each answer: under load a
recall that takes 40 ms takes 200. A process of its own has an interpreter of its own. It only reads; what a session is
to know of its turn, and every job, is written by the server itself.
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
from cortex.ports.clock import Clock, Deadline
from cortex.services.files.freshness import STALE
from cortex.services.turn_hooks import LATE, Prepared, TurnHooks

log = logging.getLogger("cortex.http")

OpenEngine = Callable[[], Cortex]
"""Opens the memory that is served, in whichever process it is called: a plain function, with plain arguments."""

START_AGAIN_SECONDS = 5.0
"""How long after it was started a process that has ended is started again, at the earliest."""

END_SECONDS = 2.0
NICENESS = 5

WARM_SECONDS = 30.0
"""How long a process that starts may take to read what it keeps in memory before it is asked for the first time."""

_GONE = (EOFError, OSError)


class Turn(NamedTuple):
    """One turn that asks for its memories, as it is sent."""

    number: int
    tenant: Tenant
    asked: Mapping[str, Any]
    """The arguments of `TurnHooks.prepare`."""
    seconds: float


class Recaller:
    """One process that recalls, one turn after the other."""

    def __init__(self, open_engine: OpenEngine, clock: Clock) -> None:
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
        """Have it begin; until it has opened the memory, it answers nothing."""
        self._started_at, self._is_ready = self._clock.monotonic(), False
        making = multiprocessing.get_context("spawn")
        self._connection, theirs = making.Pipe()
        self._process = making.Process(
            target=_recall, args=(self._open_engine, theirs), name="cortex-recaller", daemon=True
        )
        self._process.start()
        theirs.close()

    def ask(self, tenant: Tenant, asked: Mapping[str, Any], seconds: float) -> Prepared | None:
        """What was prepared for a turn; `LATE` after so long, and None where nobody is there to ask."""
        deadline = Deadline.after(self._clock, seconds)
        try:
            if not self._is_there():
                return None
            assert self._connection is not None
            self._number += 1
            self._connection.send(Turn(self._number, tenant, asked, seconds))
            while self._connection.poll(max(0.0, deadline.left())):
                number, prepared = self._connection.recv()
                if number == self._number:  # else it is what somebody before us no longer waited for
                    found: Prepared = prepared
                    return found
        except _GONE:
            self._begin_again()
            return None
        return LATE

    def stop(self) -> None:
        """End it; what it is at ends with it, as it only reads."""
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
        log.warning("a process that recalls has ended; another is started")
        with suppress(*_GONE):
            self.stop()
        self.start()


class Recallers:
    """So many processes that recall."""

    def __init__(self, open_engine: OpenEngine, number: int, clock: Clock) -> None:
        self.number = number
        self._all = [Recaller(open_engine, clock) for _ in range(number)]
        self._idle: queue.SimpleQueue[Recaller] = queue.SimpleQueue()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        for each in self._all:
            each.start()
            self._idle.put(each)
        try:
            yield
        finally:
            for each in self._all:
                each.stop()

    def prepare(self, hooks: TurnHooks, tenant: Tenant, asked: Mapping[str, Any], deadline: Deadline) -> Prepared:
        """What is to be given to a turn: by a process that is free, or here where there is none."""
        try:
            recaller = self._idle.get_nowait()
        except queue.Empty:
            return hooks.prepare(**asked, deadline=deadline)
        try:
            prepared = recaller.ask(tenant, asked, max(0.0, deadline.left()))
        finally:
            self._idle.put(recaller)
        if prepared is None:
            return hooks.prepare(**asked, deadline=deadline)
        hooks.count_failures(prepared)
        if STALE in prepared.injection.degraded:
            _follow_files(hooks)
        if prepared.injection.degraded:
            log.warning("recall degraded: %s", ", ".join(prepared.injection.degraded))
        return prepared


def _follow_files(hooks: TurnHooks) -> None:
    """A process that only reads found files that changed: they are followed from here."""
    files = hooks.files
    files.changed()
    files.sync_soon("recall")


def _recall(open_engine: OpenEngine, connection: Connection) -> None:
    """The life of the process: one turn after the other, until nobody is there to ask any more."""
    step_aside(NICENESS)
    # What there is to tell of a recall is told by the server.
    logging.getLogger("cortex").addHandler(logging.NullHandler())
    with open_engine() as engine, suppress(*_GONE):
        engine.context.dependencies.only_reads = True
        hooks, clock = TurnHooks(engine), engine.context.dependencies.clock
        hooks.warm()
        hooks.flush(WARM_SECONDS)
        gc.freeze()  # what is there now stays: to look through it again and again would only make turns wait
        connection.send(None)
        while True:
            turn: Turn = connection.recv()
            of = hooks.bind(agent=turn.tenant.agent, user=turn.tenant.user)
            prepared = of.prepare(**turn.asked, deadline=Deadline.after(clock, turn.seconds))
            connection.send((turn.number, prepared))


def step_aside(niceness: int) -> None:
    """Begin the life of a process that the server started, and ends."""
    # Whoever started us is told to end, and ends us.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    # Where there are too few cores, the event loop goes first: it has everybody's answers in its hands.
    with suppress(OSError):  # a sandbox may forbid it
        os.nice(niceness)
