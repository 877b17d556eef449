"""The index of an agent's files: a store of chunks that records no events, and how each file was when it was read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from cortex.domain.scope import Tenant
from cortex.errors import StoreBusy, StoreForeign
from cortex.ports.index import Follow, Unfollow
from cortex.ports.store import Change, Finding
from cortex.stores.relational.codec import pack_id
from cortex.stores.relational.index import (
    RelationalIndexView,
    RelationalIndexWriter,
    belonging,
    check_all,
    unpack_ids,
)
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


class SqliteIndex(SqliteStore):
    """The chunks of one agent's files in one SQLite file; with `made_with`, a new one."""

    recorded = False
    host = ""
    is_own = True

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

    def apply(
        self,
        tenant: Tenant,
        changes: Sequence[Change | Follow | Unfollow],
        *,
        at: datetime,
        actor: str = "",  # noqa: ARG002 - records no events
        cause: str = "",  # noqa: ARG002
    ) -> int:
        check_all(changes)
        with self._connections.writing() as connection:
            writer = _IndexWriter(connection, tenant, at)
            writer.apply_all(changes)
            return writer.ledger.position

    @contextmanager
    def view(
        self,
        tenant: Tenant,
        as_of: int | None = None,  # noqa: ARG002 - has no past
        at_least: int | None = None,  # noqa: ARG002
    ) -> Iterator[SqliteIndexView]:
        with self._connections.reading() as connection:
            yield SqliteIndexView(connection, tenant.user, self._codes_seen_by(connection), self._lexicon)

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
            kept = [id for id in map(pack_id, unpack_ids(chunks)) if id in there]
            if len(b"".join(kept)) < len(chunks):
                connection.execute(
                    "UPDATE files SET chunks = ?, size = -1, hash = '' WHERE user = ? AND path = ?",
                    (b"".join(kept), user, path),
                )

    def _findings(self, connection: sqlite3.Connection) -> Iterator[Finding]:
        return audit.findings(connection, (_belonging,), recorded=False)


@damage.names_damage
class SqliteIndexView(RelationalIndexView, SqliteView):
    """One snapshot of a user's files and their chunks."""

    _in_order = "CROSS JOIN"

    @property
    def position(self) -> int:
        return counted_position(self._db)


class _IndexWriter(RelationalIndexWriter, SqliteWriter):
    def __init__(self, connection: sqlite3.Connection, tenant: Tenant, at: datetime) -> None:
        super().__init__(connection, tenant, at, recorded=False)


def _belonging(connection: sqlite3.Connection) -> Iterator[Finding]:
    return belonging(
        connection.execute("SELECT user, path, chunks FROM files"),
        connection.execute(
            "SELECT f.user, CASE WHEN json_valid(t.body) THEN json_extract(t.body, '$.path') END, t.id"
            " FROM traces t JOIN facets f ON f.id = t.facet"
        ),
    )
