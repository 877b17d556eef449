"""Making sure that what was erased is gone: rewriting the file without it, and looking for it in every row and byte."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from cortex.domain import erasure
from cortex.ports.store import Remains
from cortex.stores.sqlite import raw
from cortex.stores.sqlite.codec import unpack_id

# Rows that belong to somebody, and how one tells to whom; the rest holds numbers, names of lanes and hashes.
_OWNED = {
    "traces": "facet IN (SELECT id FROM facets WHERE user = :user)",
    "versions": "facet IN (SELECT id FROM facets WHERE user = :user)",
    "receipts": "user = :user",
    "sessions": "user = :user",
    "jobs": "user = :user",
}


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite the file without what was removed; whether the log could be emptied too. Outside of a transaction."""
    connection.execute("INSERT INTO postings (postings) VALUES ('optimize')")
    # A copy of everything is made on the way, which need not fit into memory.
    connection.execute("PRAGMA temp_store = FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store = MEMORY")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def remains(
    connection: sqlite3.Connection, user: str, text: str, files: Iterable[Path], also: Iterable[Path]
) -> Remains:
    """Where `text` stands in rows of `user`, in `files` though no row of anybody's holds it, and in `also`."""
    needles = erasure.sought(text)
    if not needles:
        return Remains()
    owner = connection.execute("SELECT id FROM users WHERE name = ?", (user,)).fetchone()
    known = {"user": owner[0] if owner else -1}
    said = connection.execute(
        f"SELECT id FROM traces WHERE {_OWNED['traces']} AND ({_holds(['body'], needles)}) ORDER BY id",
        {**known, **_named(needles)},
    ).fetchall()
    tables = [
        table
        for table, theirs in _OWNED.items()
        if table != "traces" and _is_in(connection, table, needles, f"{theirs} AND", known)
    ]
    # Somebody else may have said the same: those bytes are theirs, and not for this tenant to know of.
    is_said = any(_is_in(connection, table, needles) for table in _tables(connection))
    looked_at = [*([] if is_said else files), *also]
    return Remains(
        tuple(unpack_id(id) for (id,) in said),
        tuple(tables),
        tuple(path for path in looked_at if _stands_in(path, needles)),
    )


def _is_in(
    connection: sqlite3.Connection,
    table: str,
    needles: Sequence[bytes],
    where: str = "",
    known: dict[str, int] | None = None,
) -> bool:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    query = f'SELECT 1 FROM "{table}" WHERE {where} ({_holds(columns, needles)}) LIMIT 1'
    return connection.execute(query, {**(known or {}), **_named(needles)}).fetchone() is not None


def _holds(columns: Sequence[str], needles: Sequence[bytes]) -> str:
    return " OR ".join(
        f'instr(CAST("{column}" AS BLOB), :needle{number})' for column in columns for number in range(len(needles))
    )


def _named(needles: Sequence[bytes]) -> dict[str, bytes]:
    return {f"needle{number}": needle for number, needle in enumerate(needles)}


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Every table there is, those behind the keyword index among them."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    return [row[0] for row in found]


def _stands_in(path: Path, needles: Sequence[bytes]) -> bool:
    if not path.is_file():
        return False
    content = raw.content(path)
    return any(content.find(needle) >= 0 for needle in needles)
