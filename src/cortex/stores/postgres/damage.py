"""Damaged rows: how they are noticed, and the table they are moved to (decision 0020).

The server keeps its pages whole. A row may still be changed behind our back, by hand or by a restore that mixed two
states: its checksum shows it. Checksums are computed here and not on the server, which has no such function.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple, TypeVar

import psycopg

from cortex.errors import EngineError, StoreCorrupt
from cortex.stores.postgres.codes import bury
from cortex.stores.postgres.connection import PgConnection, translated
from cortex.stores.postgres.postings import unpost_unread
from cortex.stores.relational.checksums import SEE_VERIFY, SUMMED, UNREADABLE, checksum, key_name
from cortex.stores.relational.proof import is_committed
from cortex.stores.relational.quarantine import move_away
from cortex.stores.relational.residue import OWNED, owner_of

_PAGE = 2_000
_ID_DASHES = 4
_numbers = count(1)


def rows_of(connection: PgConnection, query: str, values: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, a page at a time: a whole table need not fit into memory."""
    with psycopg.RawServerCursor(connection.raw, f"rows_{next(_numbers)}") as cursor:
        cursor.itersize = _PAGE
        cursor.execute(translated(query), values, binary=True)
        yield from cursor


def wrong(
    connection: PgConnection, table: str, where: str = "TRUE", values: tuple[object, ...] = ()
) -> list[tuple[Any, ...]]:
    """The keys of the rows whose checksum is wrong."""
    summed = SUMMED[table]
    columns = ", ".join((*summed.key, "checksum", summed.content, *summed.about))
    keys = len(summed.key)
    rows = rows_of(connection, f"SELECT {columns} FROM {table} WHERE ({where}) AND checksum IS NOT NULL", values)
    return sorted((row[:keys] for row in rows if row[keys] != checksum(*row[keys + 1 :])), key=str)


def counted(connection: PgConnection, user: str) -> dict[str, int]:
    """How many rows of a user are skipped because they are damaged, by table."""
    owner = (owner_of(connection, user),)
    tables = {table: mine for table, mine in OWNED.items() if table in SUMMED}
    numbers = {table: len(wrong(connection, table, mine, owner)) for table, mine in tables.items()}
    return {table: number for table, number in numbers.items() if number}


# --- reading -------------------------------------------------------------------------------------

Method = TypeVar("Method", bound=Callable[..., Any])
View = TypeVar("View")


def named(method: Method) -> Method:
    """A method that raises `StoreCorrupt` for whatever cannot be read."""

    @functools.wraps(method)
    def read(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except (EngineError, psycopg.Error):
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


# --- the quarantine table ------------------------------------------------------------------------


def set_aside(
    connection: PgConnection, source: str, where: str, values: tuple[object, ...], key: str, why: str,
    *, user: int | None = None, subject: str | None = None, next_seal: str = "",
) -> None:  # fmt: skip
    """Move a row to the quarantine table as it is, and leave an event that says so."""
    columns = [
        name
        for (name,) in connection.execute(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped"
            " ORDER BY attnum",
            (source,),
        )
    ]
    move_away(
        connection, source, where, values, key, why, user=user, subject=subject, next_seal=next_seal,
        columns=columns, as_bytes=lambda column: f"convert_to({column}::text, 'UTF8')", nothing="''::bytea",
    )  # fmt: skip


class RowOwner(NamedTuple):
    """Whose a trace is, and its id, as the ledger has it: it knows both better than a row that may be damaged there."""

    user: int
    id: str


def owner_by_ledger(connection: PgConnection, row: int) -> RowOwner | None:
    """The owner of a trace; None where the ledger does not know this trace."""
    found = connection.execute(
        "SELECT e.user, e.subject, t.salt, t.body, e.commitment, t.id, f.user FROM traces t"
        " JOIN events e ON e.position = t.since LEFT JOIN facets f ON f.id = t.facet WHERE t.row = ?",
        (row,),
    ).fetchall()
    traces = [each for each in found if each[1].count("-") == _ID_DASHES]
    committed = [each for each in traces if is_committed(*each[2:5])]
    named_ = [each for each in traces if each[1].replace("-", "") == each[5].hex()]
    placed = [each for each in traces if each[0] == each[6]]
    best = next(iter((*committed, *named_, *placed)), None)
    return RowOwner(best[0], best[1]) if best else None


def set_trace_aside(connection: PgConnection, row: int, why: str, *, recorded: bool = True) -> None:
    """Move a trace and its versions to the quarantine table; what was derived from it goes.

    Where nothing is `recorded`, it can be rebuilt from elsewhere and is not kept.
    """
    found = connection.execute(
        "SELECT t.id, f.user FROM traces t LEFT JOIN facets f ON f.id = t.facet WHERE t.row = ?", (row,)
    ).fetchone()
    if found is None:
        return
    if recorded:
        owner, key = owner_by_ledger(connection, row) or (found[1], key_name(found[0]))
        versions = connection.execute("SELECT since FROM versions WHERE row = ? ORDER BY since", (row,)).fetchall()
        for (since,) in versions:
            set_aside(connection, "versions", "row = ? AND since = ?", (row, since), f"{key}@{since}",
                      "its trace is damaged", user=owner, subject=key)  # fmt: skip
        set_aside(connection, "traces", "row = ?", (row,), key, why, user=owner, subject=key)
    bury(connection, "row = ?", (row,))
    unpost_unread(connection, row)
    for table in ("traces", "versions", "vectors", "accesses", "sources", "lexicon"):
        connection.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
