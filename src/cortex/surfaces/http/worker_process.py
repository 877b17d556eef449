"""A process for background work: extraction, embedding, consolidation, backups, syncing files.

It also parses long texts of requests (`_reads_texts` in `memory.py`). In the server's process all this would compete
with the event loop for the interpreter. Jobs are durable and claimed, so any process can run them. The server names
the tenants; when the process ends it is restarted, and its claimed jobs run again once their claims have expired.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from cortex.domain.scope import Tenant
from cortex.errors import EngineError, StoreUnavailable
from cortex.memory import Cortex
from cortex.operation_counters import Key
from cortex.ports.signals import Topic
from cortex.runtime.pool import begin
from cortex.runtime.scheduler import ACTOR
from cortex.surfaces.http.recall_workers import OpenEngine, init_child_process
from cortex.surfaces.http.tenant_scheduler import MOST_TENANTS, TenantScheduler

log = logging.getLogger("cortex.http")

NICENESS = 10
"""More than recall workers have: turns wait for those, and for this at most a request with a long text."""

END_SECONDS = 10.0
"""How long the process may take to finish; the next one takes up what is left."""

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 60.0
STEADY_SECONDS = 60.0
"""A process that ran this long is restarted without delay."""

MOST_FALSE_STARTS = 3
"""After so many failed starts in a row, the server runs the work itself."""

REPORTED_SECONDS = 3_600.0
"""How long `status` reports that the process ended."""

_REPORT_SECONDS = 1.0
_GONE = (EOFError, OSError)


class _Call(NamedTuple):
    """A call from the server to the process."""

    number: int
    tenant: Tenant
    what: str
    given: bytes
    """The pickled arguments."""


class _Answer(NamedTuple):
    number: int
    value: bytes
    """Pickled; empty on error."""
    error: Exception | None


class _Log(NamedTuple):
    """A line for the server's log."""

    name: str
    level: int
    message: str


class _AddTenant(NamedTuple):
    """A tenant to schedule from now on."""

    tenant: Tenant


class _Counts(NamedTuple):
    """What the process counted since it last said so."""

    counts: Mapping[Key, float]


class _Report(NamedTuple):
    """The state of the process."""

    anomalies: tuple[dict[str, Any], ...] = ()
    files: Mapping[str, Any] = {}


_NUDGE = "nudge"
_READY = "ready"


class WorkerEnded(StoreUnavailable):
    """The process ended before it answered."""

    def __init__(self) -> None:
        super().__init__("the worker process ended", hint="check whether it was done before you repeat it")


class WorkerProcess:
    """The process, seen from the server. If it cannot be started, threads of the server do the work."""

    def __init__(self, engine: Cortex, open_engine: OpenEngine) -> None:
        self._engine = engine
        self._open_engine = open_engine
        self._clock = engine.context.dependencies.clock
        self._lock = threading.Lock()
        self._tenants: dict[Tenant, None] = {}
        self._calls: dict[int, Future[Any]] = {}
        self._number = 0
        self._outbox: queue.SimpleQueue[Any] | None = None
        self._nudged = False
        self._ending = threading.Event()
        self._report = _Report()
        self._local: TenantScheduler | None = None
        self._own_work = ExitStack()
        self._why_local = ""
        self._ended_at: float | None = None
        self._last_end = ""
        self.pid: int | None = None
        """The process, while it is at work."""
        self.exits = 0
        """How often the process has ended by itself."""

    # --- calls to the process -----------------------------------------------------------------------------------------

    def add_tenant(self, tenant: Tenant) -> None:
        """Schedule this tenant from now on."""
        with self._lock:
            if tenant in self._tenants or len(self._tenants) >= MOST_TENANTS:
                return
            self._tenants[tenant] = None
            if self._outbox is not None:
                self._outbox.put(_AddTenant(tenant))
        if self._local is not None:
            self._local.add_tenant(tenant)

    def nudge(self) -> None:
        """Something may be due now."""
        with self._lock:
            if self._outbox is not None and not self._nudged:
                self._nudged = True
                self._outbox.put(_NUDGE)

    def ask(self, tenant: Tenant, what: str, **given: Any) -> Future[Any] | None:
        """Call `what` in the process; None without one. The result raises `WorkerEnded` if the process ends first."""
        try:
            plain = pickle.dumps(given)
        except Exception:  # the server does what cannot be pickled
            return None
        with self._lock:
            if self._outbox is None:
                return None
            self._number += 1
            pending: Future[Any] = Future()
            self._calls[self._number] = pending
            self._outbox.put(_Call(self._number, tenant, what, plain))
            return pending

    def run(self, tenant: Tenant, what: str, **given: Any) -> Any | None:
        """The result of a call; None if there is no process, or it ended."""
        pending = self.ask(tenant, what, **given)
        try:
            return pending.result() if pending is not None else None
        except WorkerEnded:
            return None

    # --- status -------------------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """The status of the process."""
        return {"process": self._local is None, "pid": self.pid, "exits": self.exits}

    def anomalies(self) -> list[dict[str, Any]]:
        """Repeated failures in the process."""
        return list(self._report.anomalies)

    def watching(self, tenant: Tenant) -> Mapping[str, Any] | None:
        """How the process watches the files of a tenant; None if unknown."""
        return self._report.files or None if tenant == self._engine.tenant and self.pid is not None else None

    def troubles(self) -> Iterator[tuple[str, str]]:
        """Problems, each with a fix."""
        if self._local is not None:
            yield (
                f"background work runs in the server's own process, where long texts delay requests: {self._why_local}",
                "check the server's log, then restart the server",
            )
        elif self._ended_at is not None and self._clock.monotonic() - self._ended_at < REPORTED_SECONDS:
            again = "it was restarted" if self.pid is not None else "it is being restarted"
            yield (
                f"the worker process ended {_times(self.exits)}, the last {self._last_end}; {again}",
                "check the logs of the server and the system; it may have run out of memory",
            )

    # --- life cycle ---------------------------------------------------------------------------------------------------

    @contextmanager
    def running(self, known: Iterable[Tenant]) -> Iterator[None]:
        """Run the process for known tenants and for users with stored traces."""
        for tenant in known:
            self.add_tenant(tenant)
        dependencies = self._engine.context.dependencies
        dependencies.worker = self
        supervisor = begin(self._keep_alive, "cortex-worker")
        try:
            # To those of other processes it listens itself.
            with dependencies.signals.waiting(Topic.JOBS, self.nudge, elsewhere=False):
                yield
        finally:
            self._ending.set()
            self._hang_up()
            supervisor.join(2 * END_SECONDS)
            dependencies.worker = None
            self._own_work.close()

    def _keep_alive(self) -> None:
        """Start the process, and restart it whenever it ends."""
        false_starts, wait = 0, FIRST_WAIT_SECONDS
        while not self._ending.is_set():
            began = self._clock.monotonic()
            was_ready = False
            try:
                was_ready = self._live()
            except OSError as error:  # the system allows no more processes
                false_starts, self._why_local = MOST_FALSE_STARTS, f"{error.strerror or error}"
            if self._ending.is_set():
                return
            false_starts = 0 if was_ready else false_starts + 1
            if false_starts >= MOST_FALSE_STARTS:
                self._run_locally(self._why_local or f"it ended {self._last_end} each time it was started")
                return
            if self._clock.monotonic() - began >= STEADY_SECONDS:
                wait = FIRST_WAIT_SECONDS
            self._ending.wait(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    def _live(self) -> bool:
        """Run one process from start to end; returns whether it was ever ready."""
        processes = multiprocessing.get_context("spawn")
        connection, theirs = processes.Pipe()
        with connection:
            process = processes.Process(
                target=_work, args=(self._open_engine, theirs, tuple(self._tenants)), name="cortex-worker", daemon=True
            )
            try:
                process.start()
            finally:
                theirs.close()
            try:
                was_ready = self._listen(connection, process.pid)
            finally:
                self._close_line()
                self._reap(process)
        return was_ready

    def _listen(self, connection: Connection, pid: int | None) -> bool:
        """Receive messages until the process ends or takes too long; returns whether it was ever ready."""
        was_ready, patience = False, END_SECONDS + _REPORT_SECONDS
        with suppress(*_GONE):
            while patience > 0 and not (self._ending.is_set() and not was_ready):
                if not connection.poll(_REPORT_SECONDS):
                    patience -= _REPORT_SECONDS if self._ending.is_set() else 0.0
                    continue
                message = connection.recv()
                if message == _READY:
                    was_ready = True
                    self._open_line(connection, pid)
                else:
                    self._receive(message)
        return was_ready

    def _receive(self, message: Any) -> None:
        if isinstance(message, _Report):
            self._report = message
        elif isinstance(message, _Counts):
            self._engine.context.dependencies.counters.merge(message.counts)
        elif isinstance(message, _Log):
            logging.getLogger(message.name).log(message.level, "%s", message.message)
        elif isinstance(message, _Answer):
            with self._lock:
                pending = self._calls.pop(message.number, None)
            if pending is not None and message.error is not None:
                pending.set_exception(message.error)
            elif pending is not None:
                pending.set_result(pickle.loads(message.value))  # noqa: S301 - our own process

    def _open_line(self, connection: Connection, pid: int | None) -> None:
        """The process is ready: start sending. A thread writes, so that nobody waits for a full pipe."""
        outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            for tenant in self._tenants:  # some were added after it started
                outbox.put(_AddTenant(tenant))
            outbox.put(_NUDGE)
            self._outbox, self.pid = outbox, pid
        begin(partial(self._send, connection, outbox), "cortex-worker-send")
        if self._ending.is_set():
            self._hang_up()

    def _send(self, connection: Connection, outbox: queue.SimpleQueue[Any]) -> None:
        with suppress(*_GONE):
            while (message := outbox.get()) is not None:
                if message == _NUDGE:
                    self._nudged = False
                connection.send(message)
            connection.send(None)

    def _hang_up(self) -> None:
        """Ask the process to end."""
        with self._lock:
            if self._outbox is not None:
                self._outbox.put(None)

    def _close_line(self) -> None:
        with self._lock:
            outbox, self._outbox, self._nudged, self.pid = self._outbox, None, False, None
            if outbox is not None:
                outbox.put(None)
            calls, self._calls = self._calls, {}
        for pending in calls.values():
            pending.set_exception(WorkerEnded())

    def _reap(self, process: Any) -> None:
        """Wait for the end of the process and record how it ended."""
        process.join(_REPORT_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()
        code = process.exitcode
        process.close()
        if self._ending.is_set():
            return
        self.exits += 1
        self._ended_at = self._clock.monotonic()
        self._last_end = f"by signal {-code}" if code < 0 else f"with code {code}"
        log.warning("the worker process ended %s and is restarted", self._last_end)

    def _run_locally(self, why: str) -> None:
        log.error("background work runs in the server's own process: %s", why)
        self._why_local = why
        self._local = TenantScheduler(self._engine)
        self._own_work.enter_context(self._local.running(tuple(self._tenants)))


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


# --- in the process ---------------------------------------------------------------------------------------------------


def _work(open_engine: OpenEngine, connection: Connection, known: tuple[Tenant, ...]) -> None:
    """The main function of the process: background work until the server ends it or is gone."""
    init_child_process(NICENESS)
    line = _Line(connection)
    logger = logging.getLogger("cortex")
    logger.addHandler(_Relayed(line))
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        _work_for(open_engine, connection, known, line)
    except Exception as error:  # through the server's log: what Python prints is no line of it
        why = error.code if isinstance(error, EngineError) else type(error).__name__
        log.error("the worker process failed: %s", why)
        sys.exit(1)


def _work_for(open_engine: OpenEngine, connection: Connection, known: tuple[Tenant, ...], line: _Line) -> None:
    with open_engine() as engine:
        scheduler = TenantScheduler(engine)
        with scheduler.running(known):
            with suppress(*_GONE):
                line.send(_READY)
                _serve(engine, scheduler, connection, line)
            # End even if something hangs: everything is durable.
            begin(_end_for_sure, "cortex-end")
            engine.context.dependencies.ending = True


def _serve(engine: Cortex, scheduler: TenantScheduler, connection: Connection, line: _Line) -> None:
    sent = _Report()
    while True:
        if connection.poll(_REPORT_SECONDS):
            message = connection.recv()
            if message is None:
                return
            if isinstance(message, _AddTenant):
                scheduler.add_tenant(message.tenant)
            elif isinstance(message, _Call):
                begin(partial(_answer, engine, message, line), "cortex-call")
            else:
                engine.context.dependencies.signals.wake(Topic.JOBS)
        report = _Report(tuple(each.to_json() for each in scheduler.anomalies()), engine.files.following())
        if report != sent:
            sent = report
            line.send(report)
        if counts := engine.context.dependencies.counters.drain():
            line.send(_Counts(counts))


def _answer(engine: Cortex, call: _Call, line: _Line) -> None:
    handle = Cortex.over(engine.context.bind(agent=call.tenant.agent, user=call.tenant.user).by(ACTOR))
    try:
        given = pickle.loads(call.given)  # noqa: S301 - the server's own
        value, failure = pickle.dumps(_VERBS[call.what](handle, **given)), None
    except Exception as error:
        value, failure = b"", _portable(error)
    with suppress(*_GONE):
        line.send(_Answer(call.number, value, failure))


def _run_due(engine: Cortex, most: int | None) -> Any:
    from cortex.services.jobs import JobService

    return JobService(engine.context).run_due(most)


def _sync(engine: Cortex, reason: str, changed: bool) -> None:
    if changed:
        engine.files.changed()
    pending = engine.files.sync_soon(reason)
    if pending is not None:
        pending.result()


def _call(engine: Cortex, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], actor: str) -> Any:
    return getattr(Cortex.over(engine.context.by(actor)), method)(*args, **kwargs)


_VERBS: Mapping[str, Callable[..., Any]] = {"run_jobs": _run_due, "sync": _sync, "call": _call}


def _portable(error: Exception) -> Exception:
    """The error, or a plain one if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own error
    except Exception:
        return RuntimeError(type(error).__name__)
    return error


def _end_for_sure() -> None:
    threading.Event().wait(END_SECONDS)
    os._exit(0)


class _Line:
    """The connection to the server, for all threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, message: Any) -> None:
        with self._lock:
            self._connection.send(message)


class _Relayed(logging.Handler):
    """Sends log lines to the server. Errors by type, never by message."""

    def __init__(self, line: _Line) -> None:
        super().__init__(logging.INFO)
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None:
            message = f"{message}: {record.exc_info[0].__name__}"
        with suppress(*_GONE):
            self._line.send(_Log(record.name, record.levelno, message))
