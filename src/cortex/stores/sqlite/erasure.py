"""Making sure that what was erased is gone, and stays so: rewriting the file without it, looking for it in every row
and byte, and carrying out in an older file what was erased since."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from cortex.domain import erasure
from cortex.domain.erasure import Erasure, ErasureMatch, Sought
from cortex.domain.identity import TraceId
from cortex.domain.scope import Tenant
from cortex.ports.store import Erase, Residue
from cortex.stores.relational import residue
from cortex.stores.relational.codec import pack_id, pack_time, unpack_id, unpack_time
from cortex.stores.relational.ledger import head_of
from cortex.stores.relational.residue import OWNED
from cortex.stores.sqlite import file_bytes
from cortex.stores.sqlite.writer import SqliteWriter


def compact(connection: sqlite3.Connection, *, rewrite: bool = True) -> bool:
    """Rewrite the file without what was removed; whether the log could be emptied too. Outside of a transaction."""
    if rewrite:
        connection.execute("INSERT INTO postings (postings) VALUES ('optimize')")
        # A copy of everything is made on the way, which need not fit into memory.
        connection.execute("PRAGMA temp_store = FILE")
        try:
            connection.execute("VACUUM")
        finally:
            connection.execute("PRAGMA temp_store = MEMORY")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def applied(connection: sqlite3.Connection) -> set[str]:
    """The ids of the erasures that were carried out in this file."""
    return {id for (id,) in connection.execute("SELECT id FROM erasures")}


def carry_out(connection: sqlite3.Connection, missing: Sequence[Erasure]) -> int:
    """Erase in this file what was erased elsewhere; gives how many traces went. Inside of a transaction."""
    before = connection.execute("SELECT count(*) FROM traces").fetchone()[0]
    for each in missing:
        last = head_of(connection, residue.owner_of(connection, each.user)).at or 0
        at = unpack_time(max(last, pack_time(each.at)))
        SqliteWriter(connection, Tenant(user=each.user), at, actor="store").apply([Erase(each, loosely=True)])
    (after,) = connection.execute("SELECT count(*) FROM traces").fetchone()
    gone: int = before - after
    return gone


def find_residue(
    connection: sqlite3.Connection,
    user: str,
    texts: Sequence[str],
    files: Iterable[Path],
    also: Sequence[Path] = (),
    ids: Iterable[TraceId] = (),
) -> Residue:
    """Where `texts` stand in rows of `user`, in `files` though no row of anybody's holds them, and in `also`."""
    sought, owner = Sought(texts), residue.owner_of(connection, user)
    traces = residue.in_traces(connection, owner, sought)
    tables = residue.in_tables(connection, owner, sought)
    needles = {needle: text for text in texts for needle in erasure.sought(text)}
    standing = {path: found for path in files if (found := _found_live(path, needles))}
    said = {text for found in standing.values() for text in found}
    # Somebody else may have said the same: those bytes are theirs, and not for this tenant to know of.
    unexplained = {text for text in said if not _is_anywhere(connection, erasure.sought(text))}
    for table, mine in OWNED.items():
        if table != "traces" and any(_is_in(connection, table, erasure.sought(text), mine, owner) for text in said):
            tables[table] = ErasureMatch.SAME
    sought_also = needles | {pack_id(id): id for id in ids}
    return Residue(
        traces=tuple(sorted(unpack_id(id) for id, found in traces.items() if found is ErasureMatch.SAME)),
        tables=tuple(sorted(name for name, found in tables.items() if found is ErasureMatch.SAME)),
        files=(
            *(path for path, found in standing.items() if found & unexplained),
            *(path for path in also if _found_aside(path, sought_also)),
        ),
        near=tuple(sorted(unpack_id(id) for id, found in traces.items() if found is ErasureMatch.NEAR)),
        near_tables=tuple(sorted(name for name, found in tables.items() if found is ErasureMatch.NEAR)),
    )


def _found_live(path: Path, needles: Mapping[bytes, str]) -> set[str]:
    """What stands in a file that SQLite may have open."""
    with suppress(FileNotFoundError):
        return file_bytes.find(file_bytes.live(path), needles)
    return set()


def _found_aside(path: Path, needles: Mapping[bytes, str]) -> set[str]:
    """What stands in a file that nobody here has open, such as a backup."""
    with suppress(FileNotFoundError), file_bytes.opened(path) as content:
        return file_bytes.find(content, needles)
    return set()


def _is_anywhere(connection: sqlite3.Connection, needles: Sequence[bytes]) -> bool:
    return any(_is_in(connection, table, needles) for table in _tables(connection))


def _is_in(
    connection: sqlite3.Connection, table: str, needles: Sequence[bytes], where: str = "", owner: int = -1
) -> bool:
    """Whether a row of a table, or of its owner's rows, holds one of the needles."""
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    holds = " OR ".join(f'instr(CAST("{column}" AS BLOB), ?)' for column in columns for _ in needles)
    query = f'SELECT 1 FROM "{table}" WHERE {f"{where} AND " if where else ""}({holds}) LIMIT 1'
    values = [*([owner] if where else []), *(needle for _ in columns for needle in needles)]
    return connection.execute(query, values).fetchone() is not None


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Every table there is, those behind the keyword index among them."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    return [row[0] for row in found]
