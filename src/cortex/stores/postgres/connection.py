"""A psycopg connection as the shared code of SQL stores takes it: `?` for a parameter, plain rows, vectors as bytes."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain, count
from typing import Any

import numpy as np
import psycopg
from psycopg import errors
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper

from cortex.errors import DeadlineExceeded
from cortex.runtime.deadline import Deadline
from cortex.stores.postgres.pipeline import Pipeline
from cortex.stores.relational.connection import Cursor

Row = tuple[Any, ...]
Connection = psycopg.Connection[Row]

_WRITTEN = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)")
"""The table that a statement writes to."""

_MARK = re.compile(r"\?|(?<![\w\"'])user(?![\w\"'])")


@lru_cache(maxsize=2_048)
def translated(sql: str) -> bytes:
    """A statement with PostgreSQL's marks, and `user` quoted: as a column it is a key word there."""
    number = count(1)
    return _MARK.sub(lambda found: f"${next(number)}" if found[0] == "?" else '"user"', sql).encode()


def listed(numbers: Iterable[int]) -> str:
    """Numbers as one parameter, for `= ANY (?::bigint[])`; a driver's list costs a call for each."""
    return f"{{{','.join(map(str, numbers))}}}"


class PgConnection:
    """A connection inside one transaction; in a `pipeline`, what nobody reads is not waited for.

    What `executemany` writes waits for the next statement, or for `flush`. Then all of it is sent as one statement, for
    a statement costs more than a row. It writes to different tables and reads nothing, so its order does not matter.
    """

    def __init__(self, connection: Connection, pipeline: Pipeline | None = None) -> None:
        self.raw = connection
        self._pipeline = pipeline
        self.xid: str | None = None
        """The number of the transaction, where one was asked for: by it the server tells what became of it."""
        self.evidence: tuple[int, int, bytes] | None = None
        """The last event that it writes, by user, position and seal: where that is, all of it was committed."""
        self._deadline: Deadline | None = None
        self._limit_ms = 0
        """How long a statement may take on the server; 0 where that is not limited."""
        self._waiting: dict[str, tuple[str, Sequence[Any]]] = {}
        """What is still to be written, by its table."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor:
        self.flush()
        return self._sent(sql, parameters)

    def _sent(self, sql: str, parameters: Sequence[Any]) -> Cursor:
        if self._limit_ms and self._deadline is None:
            self._limit(0)
        if self._pipeline is not None:
            return self._pipeline.execute(translated(sql), parameters)
        cursor = psycopg.RawCursor(self.raw)
        cursor.execute(translated(sql), parameters, binary=True)
        if self._deadline is not None and self._deadline.passed:
            raise DeadlineExceeded("the search took too long")
        return cursor

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> None:
        rows = list(parameters)
        table = _WRITTEN.match(sql)
        if len(rows) == 1 and table is not None:
            if table[1] in self._waiting:
                self.flush()
            self._waiting[table[1]] = sql, rows[0]
        elif rows:
            self.flush()
            for row in rows:
                self._sent(sql, row)

    def flush(self) -> None:
        """Send what is still to be written."""
        if not self._waiting:
            return
        waiting = list(self._waiting.values())
        self._waiting.clear()
        *others, last = (sql for sql, _ in waiting)
        named = ", ".join(f"part{number} AS ({sql})" for number, sql in enumerate(others))
        values = list(chain.from_iterable(values for _, values in waiting))
        self._sent(f"WITH {named} {last}" if named else last, values)

    def settle(self) -> None:
        """Send what is still to be written. Of a session that was lost before anything was done, this learns it."""
        self.flush()
        if self._pipeline is not None and not self._pipeline.is_answered:
            self._pipeline.read()

    def commit(self) -> None:
        if self._pipeline is not None:
            self._pipeline.execute(b"COMMIT")
        else:
            self.raw.execute("COMMIT", prepare=False)

    @contextmanager
    def until(self, deadline: Deadline | None) -> Iterator[None]:
        """Stop a statement that runs past its deadline, on the server too."""
        if deadline is None:
            yield
            return
        if deadline.passed:
            raise DeadlineExceeded("the search came too late")
        left = max(1, int(deadline.left() * 1000))
        # The limit of a search just before is as good, where it is hardly longer: to set one takes a way to the server.
        if not left <= self._limit_ms <= left + left // 16:
            # A statement that is stopped spoils its transaction: what comes after goes on from here.
            self._limit(left, "SAVEPOINT leg; ")
        self._deadline = deadline
        try:
            yield
        except errors.QueryCanceled as error:
            self.raw.execute("ROLLBACK TO leg", prepare=False)
            self._limit_ms = 0
            raise DeadlineExceeded("the search took too long") from error
        finally:
            self._deadline = None

    def _limit(self, milliseconds: int, first: str = "") -> None:
        """Until the end of the transaction: a setting of the session would stay with a pooled connection."""
        self.raw.execute(f"{first}SET LOCAL statement_timeout = {milliseconds}".encode())
        self._limit_ms = milliseconds


# --- vectors -------------------------------------------------------------------------------------


class PackedVector(bytes):
    """A vector as the shared code packs it: little-endian singles."""

    __slots__ = ()


class _VectorDumper(Dumper):
    """pgvector's binary form: how many dimensions, two bytes of nothing, big-endian singles."""

    format = Format.BINARY

    def dump(self, obj: PackedVector) -> Buffer | None:
        return struct.pack(">HH", len(obj) // 4, 0) + np.frombuffer(obj, dtype="<f4").astype(">f4").tobytes()


class _VectorLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return np.frombuffer(data, dtype=">f4", offset=4).astype("<f4").tobytes()


def adapt(connection: Connection, oid: int) -> None:
    """Read and write our types on a connection; `oid` is the number of pgvector's type in this database."""
    # By its size a number would get one of three types, and the server would prepare a statement for each of them.
    connection.adapters.register_dumper(int, Int8BinaryDumper)
    dumper = type("_VectorDumperHere", (_VectorDumper,), {"oid": oid})
    connection.adapters.register_dumper(PackedVector, dumper)
    connection.adapters.register_loader(oid, _VectorLoader)
