"""Documents in both kinds of places: files in a folder, and a table in a SQLite file, which stands for a server."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from cortex.clock import SystemClock
from cortex.ports.clock import Clock
from cortex.ports.documents import Documents
from cortex.stores.file_documents import FileDocuments
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.documents import SqlDocuments
from cortex.stores.sqlite.connections import named_errors

T = TypeVar("T")

PLACES = ("files", "shared.sqlite")
BUSY_SECONDS = 60.0


class SqliteDatabase:
    """A database as the shared code takes it; `BEGIN IMMEDIATE` locks all of it."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        with named_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with self._transaction("BEGIN IMMEDIATE") as connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS documents (name TEXT PRIMARY KEY, version INTEGER NOT NULL, body BLOB)"
            )

    @contextmanager
    def reading(self) -> Iterator[SqlConnection]:
        with self._transaction("BEGIN") as connection:
            yield connection

    def write(self, work: Callable[[SqlConnection], T]) -> T:
        with self._transaction("BEGIN IMMEDIATE") as connection:
            return work(connection)

    def close(self) -> None:
        """Every transaction has a connection of its own."""

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with (
            named_errors(self._path),
            closing(sqlite3.connect(self._path, timeout=self._busy_seconds, isolation_level=None)) as connection,
        ):
            connection.execute("PRAGMA synchronous = OFF")  # the machine stays on here
            connection.execute(begin)
            yield connection
            connection.execute("COMMIT")


def documents_at(
    place: Path, clock: Clock | None = None, *, patience_seconds: float = BUSY_SECONDS, poll_seconds: float = 0.0
) -> Documents:
    """Another look at the documents of a place, as another process or host would have it."""
    if place.suffix != ".sqlite":
        return FileDocuments(place, patience_seconds=patience_seconds)
    return SqlDocuments(
        lambda: SqliteDatabase(place, busy_seconds=patience_seconds),
        str(place),
        clock or SystemClock(),
        poll_seconds=poll_seconds,
    )


def body_of(place: Path, name: str) -> str:
    """What a document says."""
    found = documents_at(place).read(name)
    assert found is not None
    return found.body.decode()


def overwrite(place: Path, name: str, body: str) -> None:
    """Write over a document by hand."""
    if place.suffix != ".sqlite":
        (place / name).write_text(body)
    else:
        _by_hand(place, "UPDATE documents SET body = ?, version = version + 1 WHERE name = ?", body.encode(), name)


def delete(place: Path, name: str) -> None:
    """Delete a document by hand, with everything that is known of it."""
    if place.suffix != ".sqlite":
        (place / name).unlink()
    else:
        _by_hand(place, "DELETE FROM documents WHERE name = ?", name)


def _by_hand(place: Path, sql: str, *parameters: object) -> None:
    with closing(sqlite3.connect(place, timeout=BUSY_SECONDS)) as database, database:
        assert database.execute(sql, parameters).rowcount == 1


SHARED = "CORTEX_TEST_SHARED_DOCUMENTS"
"""The variable with the SQLite file that stands for a server."""


def create(_: object, *, clock: Clock, **others: object) -> Documents:
    """What the driver of a store that hosts share has for documents."""
    place = Path(os.environ[SHARED])
    return SqlDocuments(lambda: SqliteDatabase(place), f"postgresql://host/{place.stem}", clock, poll_seconds=0.02)
