"""Damaged rows: how they are noticed, and the table they are moved to (decision 0020).

Every body and every vector has a checksum beside it. A row whose checksum is wrong, or whose bytes do not decode, is
skipped where it is read. `verify --repair` moves it to the table `quarantine`, as it is, and leaves an event.
"""

from __future__ import annotations

import functools
import inspect
import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from cortex.errors import EngineError, StoreCorrupt
from cortex.stores.relational.checksums import SEE_VERIFY, SUMMED, UNREADABLE, checksum, key_name
from cortex.stores.relational.proof import is_committed
from cortex.stores.relational.quarantine import move_away
from cortex.stores.relational.residue import OWNED, owner_of


def as_text(said: bytes) -> str:
    """Reads texts, damaged ones too: SQLite's own way raises an error in the middle of a query."""
    return said.decode("utf-8", "replace")


def summing(connection: sqlite3.Connection) -> None:
    """Let SQL compute checksums on this connection."""
    connection.create_function("checksum", -1, checksum, deterministic=True)


def expression(table: str) -> str:
    """The checksum of a row, in SQL. As blobs: a text that is no UTF-8 cannot be handed to a function."""
    summed = SUMMED[table]
    return f"checksum({', '.join(f'CAST({column} AS BLOB)' for column in (summed.content, *summed.about))})"


def wrong(connection: sqlite3.Connection, table: str, where: str = "1", values: tuple[object, ...] = ()) -> list[Any]:
    """The keys of the rows whose checksum is wrong."""
    columns = ", ".join(SUMMED[table].key)
    query = f"SELECT {columns} FROM {table} WHERE ({where}) AND checksum <> {expression(table)} ORDER BY {columns}"
    return connection.execute(query, values).fetchall()


def counted(connection: sqlite3.Connection, user: str) -> dict[str, int]:
    """How many rows of a user are skipped because they are damaged, by table."""
    summing(connection)
    owner = (owner_of(connection, user),)
    tables = {table: mine for table, mine in OWNED.items() if table in SUMMED}
    numbers = {table: len(wrong(connection, table, mine, owner)) for table, mine in tables.items()}
    return {table: number for table, number in numbers.items() if number}


# --- reading -------------------------------------------------------------------------------------

_ID_DASHES = 4

Method = TypeVar("Method", bound=Callable[..., Any])
View = TypeVar("View")


def named(method: Method) -> Method:
    """A method that raises `StoreCorrupt` for whatever cannot be read."""

    @functools.wraps(method)
    def read(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except EngineError:
            raise
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise StoreCorrupt(f"what is stored cannot be read: {error}", hint=SEE_VERIFY) from error
            raise
        except UNREADABLE as error:
            message = f"what is stored makes no sense ({type(error).__name__})"
            raise StoreCorrupt(message, hint=SEE_VERIFY) from error

    return read  # type: ignore[return-value]  # it has the signature of what it wraps


def names_damage(view: type[View]) -> type[View]:
    """A view all of whose public methods are `named`."""
    for name in dir(view):
        method = getattr(view, name)
        if inspect.isfunction(method) and not name.startswith("_") and not hasattr(method, "__wrapped__"):
            setattr(view, name, named(method))
    return view


def is_damage(error: sqlite3.DatabaseError) -> bool:
    return any(word in str(error) for word in ("malformed", "corrupt", "not a database"))


# --- the quarantine table ------------------------------------------------------------------------


def set_aside(
    connection: sqlite3.Connection, source: str, where: str, values: tuple[object, ...], key: str, why: str,
    *, user: int | None = None, subject: str | None = None, next_seal: str = "",
) -> None:  # fmt: skip
    """Move a row to the quarantine table as it is, and leave an event that says so."""
    move_away(
        connection, source, where, values, key, why, user=user, subject=subject, next_seal=next_seal, nothing="x''",
        columns=[row[1] for row in connection.execute(f"PRAGMA table_info({source})")],
        as_bytes=lambda column: f"CAST({column} AS BLOB)",
    )  # fmt: skip


class RowOwner(NamedTuple):
    """Whose a trace is, and its id, as the ledger has it: it knows both better than a row that may be damaged there."""

    user: int
    id: str
    is_committed: bool
    """Whether the trace says what the ledger says that it does."""


def owner_by_ledger(connection: sqlite3.Connection, row: int) -> RowOwner | None:
    """The owner of a trace; None where the ledger does not know this trace."""
    found = connection.execute(
        "SELECT e.user, e.subject, t.salt, t.body, e.commitment, t.id, f.user FROM traces t CROSS JOIN users u"
        " CROSS JOIN events e ON e.user = u.id AND e.position = t.since LEFT JOIN facets f ON f.id = t.facet"
        " WHERE t.row = ?",
        (row,),
    ).fetchall()
    traces = [each for each in found if isinstance(each[1], str) and each[1].count("-") == _ID_DASHES]
    committed = [each for each in traces if is_committed(*each[2:5])]
    named = [each for each in traces if isinstance(each[5], bytes) and each[1].replace("-", "") == each[5].hex()]
    placed = [each for each in traces if each[0] == each[6]]
    best = next(iter((*committed, *named, *placed)), None)
    return RowOwner(best[0], best[1], bool(committed)) if best else None


def set_trace_aside(connection: sqlite3.Connection, row: int, why: str, *, recorded: bool = True) -> None:
    """Move a trace and its versions to the quarantine table; what was derived from it goes.

    Where nothing is `recorded`, it can be rebuilt from elsewhere and is not kept.
    """
    found = connection.execute(
        "SELECT t.id, f.user FROM traces t LEFT JOIN facets f ON f.id = t.facet WHERE t.row = ?", (row,)
    ).fetchone()
    if found is None:
        return
    if recorded:
        owner, key, _ = owner_by_ledger(connection, row) or (found[1], key_name(found[0]), False)
        versions = connection.execute("SELECT since FROM versions WHERE row = ? ORDER BY since", (row,)).fetchall()
        for (since,) in versions:
            set_aside(connection, "versions", "row = ? AND since = ?", (row, since), f"{key}@{since}",
                      "its trace is damaged", user=owner, subject=key)  # fmt: skip
        set_aside(connection, "traces", "row = ?", (row,), key, why, user=owner, subject=key)
    connection.execute("INSERT INTO tombs (code) SELECT seq FROM codes WHERE row = ?", (row,))
    for table in ("traces", "versions", "vectors", "accesses", "sources", "lexicon", "codes"):
        connection.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
