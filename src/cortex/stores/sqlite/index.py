"""The index of an agent's files: a store of chunks that records no events, and how each file was when it was read."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from cortex.domain.identity import TraceId
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.scope import Tenant
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import StoreBusy, StoreForeign
from cortex.ports.index import Follow, Unfollow
from cortex.ports.store import Change, Finding
from cortex.stores.relational.changes import check
from cortex.stores.relational.codec import batched, marks, pack_id, unpack_id
from cortex.stores.relational.ledger import counted_position
from cortex.stores.sqlite import audit, damage
from cortex.stores.sqlite.store import SqliteStore
from cortex.stores.sqlite.view import SqliteView
from cortex.stores.sqlite.writer import SqliteWriter

_FILES = """
CREATE TABLE IF NOT EXISTS files (
  user INTEGER NOT NULL REFERENCES users (id),
  path TEXT NOT NULL,
  source TEXT NOT NULL,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  hash TEXT NOT NULL,
  unsettled INTEGER NOT NULL,
  trouble TEXT NOT NULL,
  chunks BLOB NOT NULL,
  PRIMARY KEY (user, path)
) WITHOUT ROWID
"""
_COLUMNS = "path, source, size, modified, inode, hash, unsettled, trouble"
_ID_BYTES = 16


class SqliteIndex(SqliteStore):
    """The chunks of one agent's files in one SQLite file; with `made_with`, a new one."""

    recorded = False

    def __init__(self, path: Path, *, busy_timeout_ms: int = 5_000, made_with: str | None = None) -> None:
        # What can be rebuilt need not wait for the disk: it survives a crash, not a power cut.
        super().__init__(path, synchronous="normal", busy_timeout_ms=busy_timeout_ms)
        try:
            if made_with is None:
                self._refuse_other()
            else:
                self._begin(made_with)
        except BaseException:
            self.close()
            raise

    @property
    def made_with(self) -> str:
        with self._connections.reading() as connection:
            found = connection.execute("SELECT value FROM meta WHERE key = 'made_with'").fetchone()
            return str(found[0]) if found else ""

    def apply(self, tenant: Tenant, changes: Sequence[Change | Follow | Unfollow], *, at: datetime) -> int:
        check([change for change in changes if not isinstance(change, Follow | Unfollow)])
        with self._connections.writing() as connection:
            writer = _IndexWriter(connection, tenant, at)
            writer.apply_all(changes)
            return writer.ledger.position

    @contextmanager
    def view(self, tenant: Tenant, as_of: int | None = None) -> Iterator[SqliteIndexView]:  # noqa: ARG002 - has no past
        with self._connections.reading() as connection:
            yield SqliteIndexView(connection, tenant.user, self._code_index, self._lexicon)

    def seal(self) -> None:
        """Bring everything into the one file, and close it: it can be moved now."""
        with self._connections.exclusive() as connection:
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreBusy(f"{self.path} is still being read", hint="try again once nobody looks at it")
        self.close()

    def _begin(self, made_with: str) -> None:
        with self._connections.writing() as connection:
            connection.execute(_FILES)
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('made_with', ?)", (made_with,))

    def _refuse_other(self) -> None:
        """A file that was emptied looks like a new store: it must not pass for an index without files."""
        with self._connections.reading() as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'files'").fetchone():
                raise StoreForeign(f"{self.path} is not an index of files", hint="run `cortex index`: it makes another")

    def _set_aside(self, connection: sqlite3.Connection) -> None:
        """Take out damaged chunks, and have their files read again: they say what the chunks said."""
        if not audit.set_aside(connection, recorded=False):
            return
        there = {id for (id,) in connection.execute("SELECT id FROM traces")}
        for user, path, chunks in connection.execute("SELECT user, path, chunks FROM files").fetchall():
            kept = [id for id in map(pack_id, _ids(chunks)) if id in there]
            if len(kept) * _ID_BYTES < len(chunks):
                connection.execute(
                    "UPDATE files SET chunks = ?, size = -1, hash = '' WHERE user = ? AND path = ?",
                    (b"".join(kept), user, path),
                )

    def _findings(self, connection: sqlite3.Connection) -> Iterator[Finding]:
        return audit.findings(connection, (_belonging,), recorded=False)


@damage.names_damage
class SqliteIndexView(SqliteView):
    """One snapshot of a user's files and their chunks."""

    @property
    def position(self) -> int:
        return counted_position(self._db)

    def files(self) -> Mapping[str, IndexedFile]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM files WHERE user = ?", (self._user,))
        return {row[0]: IndexedFile(*row) for row in rows}

    def file(self, path: str) -> IndexedFile | None:
        row = self._db.execute(
            f"SELECT {_COLUMNS}, chunks FROM files WHERE user = ? AND path = ?", (self._user, path)
        ).fetchone()
        return IndexedFile(*row[:-1])._replace(chunks=_ids(row[-1])) if row else None

    def vectors(self, ids: Sequence[TraceId], space: EmbeddingSpace) -> Mapping[TraceId, Sequence[Vector]]:
        found: dict[TraceId, list[Vector]] = {}
        for some in batched([pack_id(id) for id in ids]):
            rows = self._db.execute(
                "SELECT t.id, v.vector FROM traces t CROSS JOIN facets f ON f.id = t.facet"
                " CROSS JOIN vectors v ON v.row = t.row JOIN spaces s ON s.id = v.space"
                f" WHERE f.user = ? AND s.key = ? AND v.until IS NULL AND t.id IN ({marks(some)})"
                " ORDER BY t.row, v.passage",
                (self._user, space.key, *some),
            )
            for id, vector in rows:
                found.setdefault(unpack_id(id), []).append(np.frombuffer(vector, dtype="<f4"))
        return found


class _IndexWriter(SqliteWriter):
    def __init__(self, connection: sqlite3.Connection, tenant: Tenant, at: datetime) -> None:
        super().__init__(connection, tenant, at, recorded=False)

    def apply_all(self, changes: Sequence[Change | Follow | Unfollow]) -> None:
        """Chunks first, then the files they are of. What no file names any more is removed; a move keeps its chunks."""
        self.apply([change for change in changes if not isinstance(change, Follow | Unfollow)])
        follows = [change.file for change in changes if isinstance(change, Follow)]
        named = {id for file in follows for id in file.chunks}
        for file in follows:
            self._follow(file, named)
        for change in changes:
            if isinstance(change, Unfollow):
                self._unfollow(change.path, named)
        self.ledger.write()

    def _follow(self, file: IndexedFile, named: Collection[TraceId]) -> None:
        self._drop_chunks(file.path, keeping=named)
        self._db.execute(
            f"INSERT OR REPLACE INTO files (user, {_COLUMNS}, chunks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._user, *file[:-1], b"".join(map(pack_id, file.chunks))),
        )  # fmt: skip
        self.ledger.position += 1

    def _unfollow(self, path: str, named: Collection[TraceId]) -> None:
        self._drop_chunks(path, keeping=named)
        self.ledger.position += self._db.execute(
            "DELETE FROM files WHERE user = ? AND path = ?", (self._user, path)
        ).rowcount

    def _drop_chunks(self, path: str, keeping: Collection[TraceId]) -> None:
        """Remove the chunks of a file but those to keep. What is missing already, in a damaged index, is no matter."""
        found = self._db.execute("SELECT chunks FROM files WHERE user = ? AND path = ?", (self._user, path)).fetchone()
        for id in self._stored(id for id in _ids(found[0] if found else b"") if id not in keeping):
            self._remove(id)


def _ids(packed: bytes) -> tuple[TraceId, ...]:
    return tuple(unpack_id(packed[at : at + _ID_BYTES]) for at in range(0, len(packed), _ID_BYTES))


def _belonging(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Every chunk belongs to one file that is followed, the one it says; and every file has its chunks (B15)."""
    named = Counter(
        (user, path, id)
        for user, path, chunks in connection.execute("SELECT user, path, chunks FROM files")
        for id in _ids(chunks)
    )
    stored = {
        (user, path, unpack_id(id))
        for user, path, id in connection.execute(
            "SELECT f.user, CASE WHEN json_valid(t.body) THEN json_extract(t.body, '$.path') END, t.id"
            " FROM traces t JOIN facets f ON f.id = t.facet"
        )
    }
    if strays := len(stored - named.keys()):
        yield Finding("files", f"{strays} chunks belong to no file that is followed")
    if missing := len(named.keys() - stored):
        yield Finding("files", f"{missing} chunks that files name are not there, or are of another file")
    if repeated := len(named) - len({id for _, _, id in named}) + sum(count - 1 for count in named.values()):
        yield Finding("files", f"{repeated} chunks belong to several files, or twice to one")
