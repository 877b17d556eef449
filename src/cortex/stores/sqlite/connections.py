"""Connections: one writer at a time with a bounded wait, readers that are never blocked, errors with names."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cortex.errors import (
    DeadlineExceeded,
    EngineError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreUnavailable,
    full_disk,
)
from cortex.runtime.deadline import Deadline
from cortex.runtime.pool import begin
from cortex.stores.relational import checksums
from cortex.stores.relational.codec import pack_id
from cortex.stores.sqlite import damage, schema, text_search

_PAGE_CACHE_KIB = 8_192
_STEPS_BETWEEN_CHECKS = 10_000

_opened_here: Counter[Path] = Counter()
_opened_lock = threading.Lock()


def is_open_here(path: Path) -> bool:
    """Whether this process has the database open. Locks do not show it: a process never locks itself out."""
    with _opened_lock:
        return _opened_here[path.absolute()] > 0


def _note_open(path: Path, number: int) -> None:
    with _opened_lock:
        _opened_here[path.absolute()] += number


class Connections:
    """Opens the file and hands out its connections."""

    def __init__(self, path: Path, *, synchronous: str, busy_timeout_ms: int) -> None:
        self.path = path
        self._synchronous = synchronous.upper()
        self._busy_timeout_ms = busy_timeout_ms
        self._writing = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._idle_lock = threading.Lock()
        self._closed = False
        self._synchronized: dict[sqlite3.Connection, str] = {}
        with named_errors(path):
            _make_private(path)
            self._gate = Gate(path)
            try:
                self._writer = self._opened()
            except BaseException:
                self._gate.close()
                raise
        _note_open(path, 1)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """A write transaction: all of it or nothing, on disk before it returns where `durable`."""
        with self.exclusive() as writer, self._lent(writer if durable else None) as connection:
            # `IMMEDIATE` takes the lock at once: a transaction that reads first and then writes can only fail.
            self._synchronize(connection, self._synchronous if durable else "NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """The writing connection outside of a transaction, for what cannot be done inside one."""
        with named_errors(self.path):
            seconds = self._busy_timeout_ms / 1000
            if not self._writing.acquire(timeout=seconds):
                raise _busy(self.path)
            try:
                self._refuse_closed()
                with self._gate.held(seconds):
                    yield self._writer
            finally:
                self._writing.release()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read transaction: one consistent snapshot, whatever writers do meanwhile."""
        with named_errors(self.path):
            connection = self._take()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                _roll_back(connection)
                self._give_back(connection)

    @contextmanager
    def _lent(self, writer: sqlite3.Connection | None) -> Iterator[sqlite3.Connection]:
        """The connection to write with: `writer`, or the one that was read with last.

        The connection that writes keeps its pages in memory, and all others have to read theirs again. What is written
        after every recall, its receipt, is best written by the connection that the next recall will read with.
        """
        connection = writer or self._take()
        try:
            yield connection
        finally:
            if connection is not writer:
                self._give_back(connection)

    def close(self) -> None:
        """Close every idle connection. Closing twice is fine."""
        with self._writing, self._idle_lock:
            if not self._closed:
                self._closed = True
                for connection in (self._writer, *self._idle):
                    connection.close()
                self._gate.close()
                self._idle.clear()
                _note_open(self.path, -1)

    def _synchronize(self, connection: sqlite3.Connection, how: str) -> None:
        if how != self._synchronized.get(connection):
            connection.execute(f"PRAGMA synchronous = {how}")
            self._synchronized[connection] = how

    def _opened(self) -> sqlite3.Connection:
        """The writing connection, to a file that is ours and up to date."""
        connection = self._open()
        try:
            schema.refuse_strange(connection, str(self.path))
            connection.execute("PRAGMA journal_mode = WAL")
            schema.prepare(connection, str(self.path))
        except BaseException:
            connection.close()
            raise
        return connection

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=self._busy_timeout_ms / 1000, isolation_level=None, check_same_thread=False
        )
        try:
            # A text that is no UTF-8 any more is damaged, and its checksum shows it: to read it is no error.
            connection.text_factory = damage.as_text
            connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KIB}")
            connection.execute("PRAGMA temp_store = MEMORY")
            text_search.install(connection)
            connection.create_function("packed", 1, _packed, deterministic=True)
        except BaseException:
            connection.close()
            raise
        return connection

    def _take(self) -> sqlite3.Connection:
        with self._idle_lock:
            self._refuse_closed()
            if self._idle:
                return self._idle.pop()
        return self._open()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._idle_lock:
            if self._closed:
                connection.close()
            else:
                self._idle.append(connection)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"{self.path} is closed", hint="open the engine again")


class Gate:
    """Where writers of all processes queue. SQLite itself lets them try again and again, and the unlucky starve."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._open()

    @contextmanager
    def held(self, seconds: float) -> Iterator[None]:
        """The right to write, or StoreBusy after `seconds`."""
        if lock_at_once(self._file):
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)
        else:
            place = self._queue(seconds)
            try:
                yield
            finally:
                os.close(place)

    def close(self) -> None:
        os.close(self._file)

    def _open(self) -> int:
        # A file of its own: closing another descriptor of the database would drop SQLite's locks on it.
        return os.open(f"{self._path}-queue", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _queue(self, seconds: float) -> int:
        """Wait for our turn, and give the open file that holds it.

        The wait for a lock has no time limit, so a thread waits and we watch the clock. It waits with a
        file of its own: a call that gives up must not release what a later call has got.
        """
        place = self._open()
        decided = threading.Lock()
        arrived = threading.Event()
        gone = False

        def wait() -> None:
            fcntl.flock(place, fcntl.LOCK_EX)
            with decided:
                if gone:
                    os.close(place)
                else:
                    arrived.set()

        begin(wait, "cortex-queue")
        if not arrived.wait(seconds):
            with decided:
                gone = not arrived.is_set()
            if gone:
                raise _busy(self._path)
        return place


def lock_at_once(file: int) -> bool:
    """Whether the lock on an open file is ours now."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _roll_back(connection: sqlite3.Connection) -> None:
    # On a full disk SQLite has done so itself; to ask for it again would hide why.
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _busy(path: Path) -> StoreBusy:
    return StoreBusy(f"{path} is being written", hint="try again, or raise store.sqlite.busy_timeout_ms")


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """SQLite's errors under our names, each with what to do next."""
    try:
        yield
    except EngineError:
        raise
    except sqlite3.DatabaseError as error:
        raise full_disk(error, path) or _named(error, path) from error
    except OSError as error:
        raise full_disk(error, path) or StoreUnavailable(
            f"{path}: {error.strerror or error}", hint="check the path and permissions"
        ) from error


@contextmanager
def until(deadline: Deadline | None, connection: sqlite3.Connection) -> Iterator[None]:
    """Stop a query that runs past its deadline."""
    if deadline is None:
        yield
        return
    if deadline.passed:
        raise DeadlineExceeded("the search came too late")
    connection.set_progress_handler(lambda: deadline.passed, _STEPS_BETWEEN_CHECKS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "interrupted" in str(error):
            raise DeadlineExceeded("the search took too long") from error
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _packed(subject: str) -> bytes | None:
    """The packed id of the subject of an event; None where it is no trace."""
    try:
        return pack_id(subject)
    except ValueError:
        return None


def _named(error: sqlite3.DatabaseError, path: Path) -> StoreError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return _busy(path)
    if "not a database" in text:
        return StoreForeign(f"{path} is not a Cortex database", hint="choose another --home, or move the file away")
    if "malformed" in text or "corrupt" in text:
        return StoreCorrupt(f"{path} is damaged: {text}", hint=checksums.SEE_VERIFY)
    if "readonly" in text or "unable to open" in text or "disk" in text:
        return StoreUnavailable(f"{path} cannot be used: {text}", hint="check permissions and the disk")
    return StoreError(f"{path}: {text}", hint="run `cortex doctor`")


def _make_private(path: Path) -> None:
    """Memories are for their owner's eyes: a new file and its folder are readable by nobody else."""
    make_folder(path.parent)
    if not path.exists():
        path.touch(mode=0o600)


def make_folder(folder: Path) -> None:
    """The folder, and those above it that are not there yet, each for its owner alone."""
    for each in reversed((folder, *folder.parents)):
        if not each.exists():  # `parents=True` would make those in between for everyone to read
            each.mkdir(mode=0o700, exist_ok=True)
