"""Damaged rows: how they are noticed, and the table they are moved to (decision 0020).

Every body and every vector has a checksum beside it. A row whose checksum is wrong, or whose bytes do not decode, is
skipped where it is read. `verify --repair` moves it to the table `quarantine`, as it is, and leaves an event.
"""

from __future__ import annotations

import functools
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from cortex.domain.events import EventKind, commit, seal
from cortex.errors import EngineError, StoreCorrupt
from cortex.ports.store import Skipped
from cortex.stores.sqlite.codec import unpack_id

log = logging.getLogger("cortex")

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, EngineError)
"""What decoding a damaged row may raise."""


def as_text(said: bytes) -> str:
    """Reads texts, damaged ones too: SQLite's own way raises an error in the middle of a query."""
    return said.decode("utf-8", "replace")


class WrongChecksum(ValueError):
    """A row is not what was written."""


class Summed(NamedTuple):
    """What the checksum of a table's rows covers, and what names a row."""

    content: str
    about: tuple[str, ...]
    key: tuple[str, ...]


SUMMED: Mapping[str, Summed] = {
    "users": Summed("name", (), ("id",)),
    "traces": Summed("body", ("facet",), ("row",)),
    "versions": Summed("body", ("facet",), ("row", "since")),
    "receipts": Summed("body", ("user", "query"), ("id",)),
    "sessions": Summed("state", ("user", "session"), ("user", "session")),
    "jobs": Summed("payload", ("user", "kind", "key"), ("id",)),
    "spaces": Summed("centre", ("key", "dimension"), ("id",)),
    "vectors": Summed("vector", ("space", "row", "passage"), ("key",)),
}


def checksum(content: str | bytes | None, *about: object) -> int:
    """The CRC-32 of a row's content and of what it is about."""
    return crc32(content.encode("utf-8", "replace") if isinstance(content, str) else content or b"", _seed(*about))


@functools.lru_cache(maxsize=4_096, typed=True)  # of traces there are few: one for each facet
def _seed(*about: object) -> int:
    return crc32("\x1f".join(map(_plain, about)).encode("utf-8", "replace"))


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def check(expected: int | None, content: object, *about: object) -> None:
    """Refuse a row that is not what was written; one that is older than checksums passes."""
    if not isinstance(content, str | bytes):
        raise WrongChecksum
    if expected is not None and checksum(content, *about) != expected:
        raise WrongChecksum


def fields(body: object, expected: int | None, facet: int) -> dict[str, Any] | None:
    """What the body of a trace says; None where it is damaged."""
    try:
        check(expected, body, facet)
        found = json.loads(body)  # type: ignore[arg-type]  # checked right above
        return found if isinstance(found, dict) and isinstance(found.get("text"), str) else None
    except UNREADABLE:
        return None


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


_OWNED = {
    "traces": "facet IN (SELECT id FROM facets WHERE user = ?)",
    "versions": "facet IN (SELECT id FROM facets WHERE user = ?)",
    "receipts": "user = ?",
    "sessions": "user = ?",
    "jobs": "user = ?",
}


def counted(connection: sqlite3.Connection, user: str) -> dict[str, int]:
    """How many rows of a user are skipped because they are damaged, by table."""
    summing(connection)
    found = connection.execute("SELECT id FROM users WHERE name = ?", (user,)).fetchone()
    owner = (found[0] if found else -1,)
    numbers = {table: len(wrong(connection, table, mine, owner)) for table, mine in _OWNED.items()}
    return {table: number for table, number in numbers.items() if number}


# --- reading -------------------------------------------------------------------------------------

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])


class Skips:
    """The damaged rows a view has met."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Skipped] = {}

    def reading(self, table: str, key: object, read: Callable[..., T], *values: object) -> T | None:
        """What a row says; None where it is damaged, which is logged by its id and never by its text."""
        try:
            return read(*values)
        except UNREADABLE as error:
            self.add(table, key, type(error).__name__)
            return None

    def add(self, table: str, key: object, why: str) -> None:
        skipped = Skipped(table, told_key(key))
        if (table, skipped.key) not in self.rows:
            self.rows[table, skipped.key] = skipped
            log.warning("skipped a damaged row: %s %s (%s)", table, skipped.key, why)


def told_key(key: object) -> str:
    return str(unpack_id(key)) if isinstance(key, bytes) else str(key)


def named(method: Method) -> Method:
    """A method of a view that says by name what cannot be read, whatever it is about the file that it stumbled over."""

    @functools.wraps(method)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except EngineError:
            raise
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise StoreCorrupt(f"what is stored cannot be read: {error}", hint=SEE_VERIFY) from error
            raise
        except UNREADABLE as error:
            told = f"what is stored makes no sense ({type(error).__name__})"
            raise StoreCorrupt(told, hint=SEE_VERIFY) from error

    return guarded  # type: ignore[return-value]  # it has the signature of what it wraps


SEE_VERIFY = "run `cortex verify`: it says what is damaged, and what can be done"


def is_damage(error: sqlite3.DatabaseError) -> bool:
    return any(word in str(error) for word in ("malformed", "corrupt", "not a database"))


# --- the quarantine table ------------------------------------------------------------------------


class Quarantined(NamedTuple):
    """A row of the table, without what it holds."""

    source: str
    key: str
    position: int
    why: str
    is_sealed: bool
    """Whether the ledger says that just this was set aside there."""
    seal: str
    """Of an event, the seal that the next one follows."""


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
    told = json.dumps(rest, sort_keys=True)
    position = _record(connection, user or 0, subject or f"{source}/{key}", _commitment(source, key, told, found[0]))
    connection.execute(
        "INSERT INTO quarantine (source, key, user, position, why, seal, body, rest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (source, key, user, position, why, next_seal, found[0], told),
    )
    connection.execute(f"DELETE FROM {source} WHERE {where}", values)


def quarantined(connection: sqlite3.Connection) -> Iterator[Quarantined]:
    rows = connection.execute(
        "SELECT q.source, q.key, q.position, q.why, q.seal, q.body, q.rest, e.kind, e.commitment"
        " FROM quarantine q LEFT JOIN events e ON e.position = q.position ORDER BY q.id"
    )
    for source, key, position, why, next_seal, body, rest, kind, commitment in rows:
        try:
            is_sealed = kind == EventKind.DAMAGED and commitment.hex() == _commitment(source, key, rest, body)
        except UNREADABLE:
            is_sealed = False
        yield Quarantined(str(source), str(key), position, str(why), is_sealed, str(next_seal))


def _commitment(source: str, key: str, rest: str, body: bytes | None) -> str:
    return commit(b"", f"{source}/{key}/{rest}/{(body or b'').hex()}")


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

    Where nothing is `recorded`, it can be made anew from elsewhere and is not kept.
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
        key = subject if isinstance(subject, str) and subject.count("-") == 4 else told_key(id)
        versions = connection.execute("SELECT since FROM versions WHERE row = ? ORDER BY since", (row,)).fetchall()
        for (since,) in versions:
            set_aside(connection, "versions", "row = ? AND since = ?", (row, since), f"{key}@{since}",
                      "its trace is damaged", user=owner, subject=key)  # fmt: skip
        set_aside(connection, "traces", "row = ?", (row,), key, why, user=owner, subject=key)
    connection.execute("INSERT INTO tombs (code) SELECT seq FROM codes WHERE row = ?", (row,))
    for table in ("traces", "versions", "vectors", "accesses", "sources", "lexicon", "codes"):
        connection.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
