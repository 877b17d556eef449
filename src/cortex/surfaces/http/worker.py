"""JobService work in a process of its own: extraction, embedding, the lifecycle, backups, following files.

It also reads the long texts of requests (`engine._reads_texts`), which would take the interpreter from others as well.

In one process it would share the interpreter with the event loop, and one long text could hold up every request. Jobs
are durable and claimed, so another process can do them as well. The server tells it whose memory there is work for;
when it ends, it is started again, and what it had claimed is done once its claim has lapsed.
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
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from cortex.domain.scope import Tenant
from cortex.errors import EngineError, StoreUnavailable
from cortex.memory import Cortex
from cortex.surfaces.http.apart import OpenEngine, step_aside
from cortex.surfaces.http.keeping import MOST_TENANTS, TenantScheduler

log = logging.getLogger("cortex.http")

NICENESS = 5
"""As the processes that recall: the event loop goes first."""

END_SECONDS = 10.0
"""How long the process may take to finish what it is at; what is left is taken up by the next."""

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 60.0
STEADY_SECONDS = 60.0
"""A process that lived for so long is started again at once, as if it had never ended before."""

MOST_FALSE_STARTS = 3
"""After so many processes in a row that ended before they were ready, the server does the work itself."""

TOLD_SECONDS = 3_600.0
"""How long `status` tells that the process ended."""

_REPORT_SECONDS = 1.0
_GONE = (EOFError, OSError)


class _Asked(NamedTuple):
    """Something the server asks the process to do now."""

    number: int
    tenant: Tenant
    what: str
    given: bytes
    """The arguments, pickled by whoever asks."""


class _Answer(NamedTuple):
    number: int
    value: bytes
    """Pickled; empty where there is an error."""
    error: Exception | None


class _Log(NamedTuple):
    """A line for the server's log."""

    name: str
    level: int
    message: str


class _Meet(NamedTuple):
    """A tenant to look after from now on."""

    tenant: Tenant


class _Report(NamedTuple):
    """How it stands in the process."""

    anomalies: tuple[dict[str, Any], ...] = ()
    files: Mapping[str, Any] = {}


_NUDGE = "nudge"
_READY = "ready"


class Gone(StoreUnavailable):
    """The process ended before it answered."""

    def __init__(self) -> None:
        super().__init__("the worker process ended meanwhile", hint="look whether it was done before you repeat it")


class WorkerProcess:
    """The process, as the server sees it. Where none can be started, the work is done in threads of the server."""

    def __init__(self, engine: Cortex, open_engine: OpenEngine) -> None:
        self._engine = engine
        self._open_engine = open_engine
        self._clock = engine.context.dependencies.clock
        self._lock = threading.Lock()
        self._met: dict[Tenant, None] = {}
        self._asked: dict[int, Future[Any]] = {}
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
        self.ended = 0
        """How often the process has ended by itself."""

    # --- what the server says to it --------------------------------------------------------------------------------

    def meet(self, tenant: Tenant) -> None:
        """From now on this tenant is looked after too."""
        with self._lock:
            if tenant in self._met or len(self._met) >= MOST_TENANTS:
                return
            self._met[tenant] = None
            if self._outbox is not None:
                self._outbox.put(_Meet(tenant))
        if self._local is not None:
            self._local.meet(tenant)

    def nudge(self) -> None:
        """There may be something to do now."""
        with self._lock:
            if self._outbox is not None and not self._nudged:
                self._nudged = True
                self._outbox.put(_NUDGE)

    def ask(self, tenant: Tenant, what: str, **given: Any) -> Future[Any] | None:
        """Have the process do `what` now; None where there is none. Raises `Gone` where it ends before it answers."""
        try:
            plain = pickle.dumps(given)
        except Exception:  # what cannot be sent is done here
            return None
        with self._lock:
            if self._outbox is None:
                return None
            self._number += 1
            pending: Future[Any] = Future()
            self._asked[self._number] = pending
            self._outbox.put(_Asked(self._number, tenant, what, plain))
            return pending

    def run(self, tenant: Tenant, what: str, **given: Any) -> Any | None:
        """What the process answers; None where there is none, or it ended."""
        pending = self.ask(tenant, what, **given)
        try:
            return pending.result() if pending is not None else None
        except Gone:
            return None

    # --- how it stands ---------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """How the background work stands."""
        return {"process": self._local is None, "pid": self.pid, "ended": self.ended}

    def anomalies(self) -> list[dict[str, Any]]:
        """What fails there again and again."""
        return list(self._report.anomalies)

    def watching(self, tenant: Tenant) -> Mapping[str, Any] | None:
        """How the files of a tenant are followed there; None where they are not, or nobody knows."""
        return self._report.files or None if tenant == self._engine.tenant and self.pid is not None else None

    def troubles(self) -> Iterator[tuple[str, str]]:
        """What does not work as it should, each with what to do."""
        if self._local is not None:
            yield (
                f"it runs in the server's own process, where long texts hold up requests: {self._why_local}",
                "look into the server's log, then restart it",
            )
        elif self._ended_at is not None and self._clock.monotonic() - self._ended_at < TOLD_SECONDS:
            again = "it was restarted" if self.pid is not None else "it is being restarted"
            yield (
                f"the worker process ended {_times(self.ended)}, the last {self._last_end}; {again}",
                "look into the log of the server and of the system: it may lack memory",
            )

    # --- its life --------------------------------------------------------------------------------------------------

    @contextmanager
    def at_work(self, known: Iterable[Tenant]) -> Iterator[None]:
        """Work beside the caller, for those who are known and for users who left something behind."""
        for tenant in known:
            self.meet(tenant)
        parts = self._engine.context.dependencies
        parts.wake, parts.worker = self.nudge, self
        keeping = threading.Thread(target=self._keep_alive, name="cortex-worker", daemon=True)
        keeping.start()
        try:
            yield
        finally:
            self._ending.set()
            self._hang_up()
            keeping.join(2 * END_SECONDS)
            parts.wake = parts.worker = None
            self._own_work.close()

    def _keep_alive(self) -> None:
        """Start it, and again whenever it ends."""
        false_starts, wait = 0, FIRST_WAIT_SECONDS
        while not self._ending.is_set():
            began = self._clock.monotonic()
            was_ready = False
            try:
                was_ready = self._live()
            except OSError as error:  # no room for another process
                false_starts, self._why_local = MOST_FALSE_STARTS, f"{error.strerror or error}"
            if self._ending.is_set():
                return
            false_starts = 0 if was_ready else false_starts + 1
            if false_starts >= MOST_FALSE_STARTS:
                self._do_it_here(self._why_local or f"it ended {self._last_end} each time it was started")
                return
            if self._clock.monotonic() - began >= STEADY_SECONDS:
                wait = FIRST_WAIT_SECONDS
            self._ending.wait(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    def _live(self) -> bool:
        """One life of the process, from its start to its end; whether it was ever at work."""
        making = multiprocessing.get_context("spawn")
        connection, theirs = making.Pipe()
        with connection:
            process = making.Process(
                target=_work, args=(self._open_engine, theirs, tuple(self._met)), name="cortex-worker", daemon=True
            )
            try:
                process.start()
            finally:
                theirs.close()
            try:
                was_ready = self._listen(connection, process.pid)
            finally:
                self._close_line()
                self._bury(process)
        return was_ready

    def _listen(self, connection: Connection, pid: int | None) -> bool:
        """Hear what it says until it ends, or took too long to; whether it was ever at work."""
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
                    self._hear(message)
        return was_ready

    def _hear(self, message: Any) -> None:
        if isinstance(message, _Report):
            self._report = message
        elif isinstance(message, _Log):
            logging.getLogger(message.name).log(message.level, "%s", message.message)
        elif isinstance(message, _Answer):
            with self._lock:
                pending = self._asked.pop(message.number, None)
            if pending is not None and message.error is not None:
                pending.set_exception(message.error)
            elif pending is not None:
                pending.set_result(pickle.loads(message.value))  # noqa: S301 - our own process

    def _open_line(self, connection: Connection, pid: int | None) -> None:
        """It is at work: from now on it is told of work. A thread writes, so that nobody waits for a full pipe."""
        outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            for tenant in self._met:  # those met since it was started are new to it, the others it knows
                outbox.put(_Meet(tenant))
            outbox.put(_NUDGE)
            self._outbox, self.pid = outbox, pid
        threading.Thread(target=self._send, args=(connection, outbox), name="cortex-worker-send", daemon=True).start()
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
        """Tell it to end."""
        with self._lock:
            if self._outbox is not None:
                self._outbox.put(None)

    def _close_line(self) -> None:
        with self._lock:
            outbox, self._outbox, self._nudged, self.pid = self._outbox, None, False, None
            if outbox is not None:
                outbox.put(None)
            asked, self._asked = self._asked, {}
        for pending in asked.values():
            pending.set_exception(Gone())

    def _bury(self, process: Any) -> None:
        """See to its end, and note how it came."""
        process.join(_REPORT_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()
        code = process.exitcode
        process.close()
        if self._ending.is_set():
            return
        self.ended += 1
        self._ended_at = self._clock.monotonic()
        self._last_end = f"by signal {-code}" if code < 0 else f"with code {code}"
        log.warning("the worker process ended %s; another is started", self._last_end)

    def _do_it_here(self, why: str) -> None:
        log.error("background work runs in the server's own process: %s", why)
        self._why_local = why
        self._local = TenantScheduler(self._engine)
        self._own_work.enter_context(self._local.at_work(tuple(self._met)))


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


# --- in the process ---------------------------------------------------------------------------------------------------


def _work(open_engine: OpenEngine, connection: Connection, known: tuple[Tenant, ...]) -> None:
    """The life of the process: background work, until the server tells it to end or is gone."""
    step_aside(NICENESS)
    line = _Line(connection)
    logger = logging.getLogger("cortex")
    logger.addHandler(_Relayed(line))
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        _work_for(open_engine, connection, known, line)
    except Exception as error:  # told to the server: what Python would print is no line of its log
        why = error.code if isinstance(error, EngineError) else type(error).__name__
        log.error("the worker process failed: %s", why)
        sys.exit(1)


def _work_for(open_engine: OpenEngine, connection: Connection, known: tuple[Tenant, ...], line: _Line) -> None:
    with open_engine() as engine:
        caretaker = TenantScheduler(engine)
        with caretaker.at_work(known):
            with suppress(*_GONE):
                line.send(_READY)
                _obey(engine, caretaker, connection, line)
            # Whatever hangs: the server is gone or has waited for long enough, and everything is durable.
            threading.Thread(target=_end_for_sure, name="cortex-end", daemon=True).start()
            engine.context.dependencies.ending = True


def _obey(engine: Cortex, caretaker: TenantScheduler, connection: Connection, line: _Line) -> None:
    told = _Report()
    while True:
        if connection.poll(_REPORT_SECONDS):
            message = connection.recv()
            if message is None:
                return
            if isinstance(message, _Meet):
                caretaker.meet(message.tenant)
            elif isinstance(message, _Asked):
                threading.Thread(target=_answer, args=(engine, message, line), name="cortex-asked", daemon=True).start()
            else:
                engine.context.dependencies.nudge()
        report = _Report(tuple(each.to_json() for each in caretaker.anomalies()), engine.files.following())
        if report != told:
            told = report
            line.send(report)


def _answer(engine: Cortex, asked: _Asked, line: _Line) -> None:
    handle = engine.bind(agent=asked.tenant.agent, user=asked.tenant.user)
    try:
        given = pickle.loads(asked.given)  # noqa: S301 - the server's own
        value, trouble = pickle.dumps(_VERBS[asked.what](handle, **given)), None
    except Exception as error:
        value, trouble = b"", _portable(error)
    with suppress(*_GONE):
        line.send(_Answer(asked.number, value, trouble))


def _run_due(engine: Cortex, most: int | None) -> Any:
    from cortex.services.jobs import JobService

    return JobService(engine.context).run_due(most)


def _look(engine: Cortex, reason: str, changed: bool) -> None:
    if changed:
        engine.files.changed()
    pending = engine.files.sync_soon(reason)
    if pending is not None:
        pending.result()


def _call(engine: Cortex, method: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    return getattr(engine, method)(*args, **kwargs)


_VERBS: Mapping[str, Callable[..., Any]] = {"run_jobs": _run_due, "look": _look, "call": _call}


def _portable(error: Exception) -> Exception:
    """The error as another process can read it."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own error
    except Exception:
        return RuntimeError(type(error).__name__)
    return error


def _end_for_sure() -> None:
    threading.Event().wait(END_SECONDS)
    os._exit(0)


class _Line:
    """What is said to the server, by whichever thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, message: Any) -> None:
        with self._lock:
            self._connection.send(message)


class _Relayed(logging.Handler):
    """Hands log lines to the server, whose log they belong to. Of an error its type, never its message."""

    def __init__(self, line: _Line) -> None:
        super().__init__(logging.INFO)
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None:
            message = f"{message}: {record.exc_info[0].__name__}"
        with suppress(*_GONE):
            self._line.send(_Log(record.name, record.levelno, message))
