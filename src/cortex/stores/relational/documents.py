"""Documents in a table of a database that several hosts share.

The table is `documents (name text PRIMARY KEY, version bigint NOT NULL, body bytea)`; where a document was removed,
its row stays without a body, so that versions go on rising.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from cortex.errors import EngineError, StoreBusy, StoreUnavailable
from cortex.ports.clock import Clock
from cortex.ports.documents import Bodies, Document
from cortex.ports.signals import Signaling, Topic
from cortex.runtime.pool import begin
from cortex.stores.relational.connection import SqlConnection

T = TypeVar("T")

POLL_SECONDS = 0.5
"""How often versions are asked for: with the time that one query takes, this is how late a change is noticed."""

GRACE_SECONDS = 30.0
"""How long the last known versions hold while the database does not answer."""


class SqlDatabase(Protocol):
    """What opens the transactions of a SQL store."""

    def reading(self) -> AbstractContextManager[SqlConnection]:
        """A read transaction."""

    def write(self, work: Callable[[SqlConnection], T]) -> T:
        """What `work` returns, done durably in one transaction or not at all; it may be called again."""

    def close(self) -> None: ...


class SqlDocuments:
    """The documents in a database, which is opened on first use.

    `lock` is what makes a `SELECT` lock its rows until the end of the transaction, such as `FOR UPDATE`; it is empty
    where the write transaction locks everything. Without `poll_seconds`, the database is asked for every version.
    """

    is_shared = True

    def __init__(
        self,
        open_database: Callable[[], SqlDatabase],
        place: str,
        clock: Clock,
        *,
        lock: str = "",
        poll_seconds: float = POLL_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._open = open_database
        self._place = place
        self._clock = clock
        self._lock_clause = lock
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._database: SqlDatabase | None = None
        self._opening = threading.Lock()
        self._known: Mapping[str, int] | None = None
        self._known_at = 0.0
        self._error: EngineError | None = None
        self._changes = 0
        self._is_stale = False
        self._is_polled = False
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._woken = threading.Event()

    def where(self, name: str) -> str:
        return f"{name} in {self._place}"

    def version(self, name: str) -> int | None:
        if not self._poll_seconds:
            return self._ask().get(name)
        with self._lock:
            if self._known is None or self._is_stale:
                self._look()
            if self._known is None or self._clock.monotonic() - self._known_at > self._grace_seconds:
                raise self._silence()
            if not self._is_polled:
                self._is_polled = True
                begin(self._poll, "cortex-documents")
                if isinstance(self._database, Signaling):
                    self._database.subscribe(Topic.DOCUMENTS, self._woken.set)
            return self._known.get(name)

    def read(self, name: str) -> Document | None:
        with self._opened().reading() as connection:
            row = connection.execute("SELECT version, body FROM documents WHERE name = ?", (name,)).fetchone()
        return None if row is None or row[1] is None else Document(int(row[0]), bytes(row[1]))

    def change(self, names: Sequence[str], edit: Callable[[Bodies], T], *, wait: bool = True) -> T:
        def work(connection: SqlConnection) -> T:
            before = self._locked(connection, names, wait)
            bodies = dict(before)
            result = edit(bodies)
            changed = [(bodies[name], name) for name in names if bodies[name] != before[name]]
            connection.executemany("UPDATE documents SET body = ?, version = version + 1 WHERE name = ?", changed)
            return result

        database = self._opened()
        try:
            result = database.write(work)
            if isinstance(database, Signaling):
                database.signal(Topic.DOCUMENTS)
            return result
        finally:
            with self._lock:  # so that a change of our own is seen at once, also if nobody knows what became of it
                self._changes += 1
                self._is_stale = True

    def close(self) -> None:
        self._closed.set()
        self._woken.set()
        with self._opening:
            database, self._database = self._database, None
        if database is not None:
            database.close()

    def _opened(self) -> SqlDatabase:
        with self._opening:
            if self._closed.is_set():
                raise StoreUnavailable(f"{self._place} is closed", hint="open the engine again")
            if self._database is None:
                self._database = self._open()
            return self._database

    def _locked(self, connection: SqlConnection, names: Sequence[str], wait: bool) -> Bodies:
        """The bodies, which nobody else can change until the end of the transaction."""
        # A row that was deleted by hand must not get a version again that somebody has seen.
        first = int(self._clock.now().timestamp() * 1_000_000)
        clause = self._lock_clause if wait or not self._lock_clause else f"{self._lock_clause} NOWAIT"
        found: Bodies = {}
        for name in sorted(names):  # in one order, so that nobody waits for each other
            connection.execute(
                "INSERT INTO documents (name, version, body) VALUES (?, ?, NULL) ON CONFLICT (name) DO NOTHING",
                (name, first),
            )
            select = f"SELECT body FROM documents WHERE name = ? {clause}"
            (body,) = connection.execute(select, (name,)).fetchone()
            found[name] = None if body is None else bytes(body)
        return found

    # --- the versions ----------------------------------------------------------------------------

    def _ask(self) -> dict[str, int]:
        with self._opened().reading() as connection:
            rows = connection.execute("SELECT name, version FROM documents WHERE body IS NOT NULL").fetchall()
        return {str(name): int(version) for name, version in rows}

    def _poll(self) -> None:
        """Look again and again, so that no request waits for a database that does not answer."""
        while not self._closed.is_set():
            self._woken.wait(self._poll_seconds)
            self._woken.clear()
            self._look()

    def _look(self) -> None:
        began, changes = self._clock.monotonic(), self._changes
        try:
            found = self._ask()
        except EngineError as error:
            with self._lock:
                self._error, self._is_stale = error, False
        else:
            with self._lock:
                if changes == self._changes:  # else it may lack a change of our own
                    self._known, self._known_at, self._error, self._is_stale = found, began, None, False

    def _silence(self) -> EngineError:
        if self._error is not None:
            return self._error.with_traceback(None)
        return StoreBusy(f"{self._place} does not answer", hint="try again once it does")
