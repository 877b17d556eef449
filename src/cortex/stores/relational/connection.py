"""What the shared code of SQL stores needs of a database connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol

from cortex.stores.relational.codec import marks

_TOGETHER = 128
"""How many rows one statement inserts at most."""


class Cursor(Protocol):
    """The rows a statement returned."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchmany(self, size: int = ..., /) -> list[Any]: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class SqlConnection(Protocol):
    """A connection inside one transaction.

    Statements use only what SQLite and PostgreSQL have in common, with `?` for a parameter. `sqlite3.Connection`
    fits as it is; another driver needs a wrapper that translates the marks and quotes the column `user`.
    """

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor: ...

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> object:
        """Write to one table by what the parameters say, without reading any. It may be done later, when it matters."""


def insert_rows(connection: SqlConnection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert `rows`, many with each statement: to run one costs about as much as a row."""
    if rows:
        insert_values(connection, into, len(rows[0]), list(chain.from_iterable(rows)))


def insert_values(connection: SqlConnection, into: str, width: int, values: Sequence[Any]) -> None:
    """The same for rows of `width` values that are laid out one after the other."""
    row = f"({marks(range(width))})"
    start = 0
    while left := (len(values) - start) // width:
        # By powers of two: a driver that prepares statements meets few different ones.
        size = min(_TOGETHER, 1 << (left.bit_length() - 1))
        end = start + size * width
        connection.executemany(f"INSERT INTO {into} VALUES {', '.join([row] * size)}", [values[start:end]])
        start = end
