"""Making sure that what was erased is gone, and stays so: the log of erasures, and looking for it in every row.

The proof is by rows: what the server keeps beside them is not to be seen from here, and the certificate says so.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import BufferedIOBase
from pathlib import Path

from cortex.domain import erasure
from cortex.domain.erasure import Erasure, ErasureMatch, Sought
from cortex.domain.identity import TraceId
from cortex.ports.store import Residue
from cortex.stores.postgres.connection import PgConnection
from cortex.stores.relational import residue
from cortex.stores.relational.codec import pack_id, pack_time, unpack_id
from cortex.stores.relational.residue import OWNED

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 20

_COLUMNS = {
    "versions": ("body",),
    "receipts": ("body", "query"),
    "sessions": ("session", "state"),
    "jobs": ("key", "error", "payload"),
    "quarantine": ("body", "rest"),
}
"""Where the rows of a user hold text."""


def all_of(connection: PgConnection, user: str | None = None, *, pending: bool = False) -> list[Erasure]:
    """The erasures of this user or of everybody, oldest first."""
    where, values = "TRUE", list[object]()
    if user is not None:
        where, values = "user = ?", [user]
    if pending:
        where += " AND NOT finished"
    rows = connection.execute(f"SELECT id, body FROM erasure_log WHERE {where} ORDER BY at, id", values)
    return [_read(id, body) for id, body in rows]


def known_ids(connection: PgConnection) -> dict[str, bool]:
    """The ids of all erasures that the log has, and whether each is finished."""
    return dict(connection.execute("SELECT id, finished FROM erasure_log").fetchall())


def with_ids(connection: PgConnection, ids: Iterable[str]) -> list[Erasure]:
    """These erasures."""
    rows = connection.execute("SELECT id, body FROM erasure_log WHERE id = ANY (?::text[])", (list(ids),))
    return [each for each in (_read(*row) for row in rows) if each.ids]


def _read(id: str, body: str) -> Erasure:
    """One of them; one that cannot be read is nobody's, names nothing, and says why."""
    try:
        return Erasure.from_json(json.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        return unread(id, f"the erasure {id} cannot be read ({type(error).__name__})")


def unread(id: str, reason: str) -> Erasure:
    """What stands for erasures that cannot be read."""
    return Erasure(id=id, user="", at=datetime.fromtimestamp(0, UTC), ids=(), reason=reason)


def record(connection: PgConnection, one: Erasure) -> None:
    """Keep an erasure in the place of what was known of it."""
    connection.execute(
        "INSERT INTO erasure_log (id, user, at, finished, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET finished = excluded.finished, body = excluded.body",
        (one.id, one.user, pack_time(one.at), one.finished, json.dumps(one.to_json())),
    )


def withdraw(connection: PgConnection, id: str) -> None:
    """Drop one that is pending."""
    connection.execute("DELETE FROM erasure_log WHERE id = ? AND NOT finished", (id,))


def find_residue(
    connection: PgConnection, user: str, texts: Sequence[str], also: Sequence[Path], ids: Sequence[TraceId]
) -> Residue:
    """Where `texts` stand in rows of `user`, and in the files `also`."""
    sought, owner = Sought(texts), residue.owner_of(connection, user)
    traces = residue.in_traces(connection, owner, sought)
    tables = residue.in_tables(connection, owner, sought)
    needles = [needle for text in texts for needle in erasure.sought(text)]
    for table, columns in _COLUMNS.items():
        if needles and _holds(connection, table, columns, needles, OWNED[table], owner):
            tables[table] = ErasureMatch.SAME
    return Residue(
        traces=tuple(sorted(unpack_id(id) for id, found in traces.items() if found is ErasureMatch.SAME)),
        tables=tuple(sorted(name for name, found in tables.items() if found is ErasureMatch.SAME)),
        files=tuple(path for path in also if _is_in(path, [*needles, *map(pack_id, ids)])),
        near=tuple(sorted(unpack_id(id) for id, found in traces.items() if found is ErasureMatch.NEAR)),
        near_tables=tuple(sorted(name for name, found in tables.items() if found is ErasureMatch.NEAR)),
    )


def _holds(
    connection: PgConnection, table: str, columns: Sequence[str], needles: Sequence[bytes], where: str, owner: int
) -> bool:
    """Whether a row of the owner's holds one of the needles."""
    bytes_of = {column: column if (table, column) == ("quarantine", "body") else f"convert_to({column}, 'UTF8')"
                for column in columns}  # fmt: skip
    holds = " OR ".join(f"position(n.needle in {value}) > 0" for value in bytes_of.values())
    found = connection.execute(
        f"SELECT 1 FROM {table}, unnest(?::bytea[]) AS n (needle) WHERE {where} AND ({holds}) LIMIT 1",
        (list(needles), owner),
    )
    return found.fetchone() is not None


def _is_in(path: Path, needles: Sequence[bytes]) -> bool:
    """Whether a file holds one of the needles; an archive is read uncompressed, as far as it is whole."""
    overlap = max(map(len, needles), default=1) - 1
    before = b""
    with suppress(FileNotFoundError, EOFError, zlib.error, gzip.BadGzipFile), path.open("rb") as file:
        is_archive = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        opened: BufferedIOBase = gzip.GzipFile(fileobj=file) if is_archive else file
        while chunk := opened.read(_CHUNK):
            content = before + chunk
            if any(needle in content for needle in needles):
                return True
            before = content[-overlap:] if overlap else b""
    return False
