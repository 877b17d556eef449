"""Damaged rows: how they are noticed, and the table they are moved to (decision 0020).

Every body and every vector has a checksum beside it. A row whose checksum is wrong, or whose bytes do not decode, is
skipped where it is read. `verify --repair` moves it to the table `quarantine`, as it is, and leaves an event.
"""

from __future__ import annotations

import functools
import inspect
import json
import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from cortex.domain.events import EventKind, seal
from cortex.errors import EngineError, StoreCorrupt
from cortex.stores.relational.checksums import SEE_VERIFY, SUMMED, UNREADABLE, checksum, key_name
from cortex.stores.relational.proof import commitment_of
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
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({source})")]
    content = SUMMED[source].content if source in SUMMED else ""
    others = [column for column in columns if column != content]
    as_blobs = ", ".join(f"CAST({column} AS BLOB)" for column in others)
    body = f"CAST({content} AS BLOB)" if content else "x''"
    found = connection.execute(f"SELECT {body}, {as_blobs} FROM {source} WHERE {where}", values).fetchone()
    if found is None:
        return
    rest = {name: None if value is None else value.hex() for name, value in zip(others, found[1:], strict=True)}
    text = json.dumps(rest, sort_keys=True)
    position = _record(connection, user or 0, subject or f"{source}/{key}", commitment_of(source, key, text, found[0]))
    connection.execute(
        "INSERT INTO quarantine (source, key, user, position, why, seal, body, rest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (source, key, user, position, why, next_seal, found[0], text),
    )
    connection.execute(f"DELETE FROM {source} WHERE {where}", values)


def _record(connection: sqlite3.Connection, user: int, subject: str, commitment: str) -> int:
    """An event for what was set aside, as of the last one: what happens to the file is no news of its user's."""
    position, at, last = connection.execute(
        "SELECT position, at, seal FROM events ORDER BY position DESC LIMIT 1"
    ).fetchone()
    kind = str(EventKind.DAMAGED)
    sealed = seal(last.hex(), position + 1, str(at), kind, subject, commitment)
    connection.execute(
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
        (position + 1, user, at, kind, subject, bytes.fromhex(commitment), bytes.fromhex(sealed)),
    )
    return int(position) + 1


def set_trace_aside(connection: sqlite3.Connection, row: int, why: str, *, recorded: bool = True) -> None:
    """Move a trace and its versions to the quarantine table; what was derived from it goes.

    Where nothing is `recorded`, it can be rebuilt from elsewhere and is not kept.
    """
    found = connection.execute(
        "SELECT t.id, f.user, e.user, e.subject FROM traces t LEFT JOIN facets f ON f.id = t.facet"
        " LEFT JOIN events e ON e.position = t.since WHERE t.row = ?",
        (row,),
    ).fetchone()
    if found is None:
        return
    id, user, told_user, subject = found
    if recorded:
        owner = told_user if told_user is not None else user
        # The ledger knows the id better than a row that may be damaged just there.
        key = subject if isinstance(subject, str) and subject.count("-") == 4 else key_name(id)
        versions = connection.execute("SELECT since FROM versions WHERE row = ? ORDER BY since", (row,)).fetchall()
        for (since,) in versions:
            set_aside(connection, "versions", "row = ? AND since = ?", (row, since), f"{key}@{since}",
                      "its trace is damaged", user=owner, subject=key)  # fmt: skip
        set_aside(connection, "traces", "row = ?", (row,), key, why, user=owner, subject=key)
    connection.execute("INSERT INTO tombs (code) SELECT seq FROM codes WHERE row = ?", (row,))
    for table in ("traces", "versions", "vectors", "accesses", "sources", "lexicon", "codes"):
        connection.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
