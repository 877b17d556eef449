"""The indexes of files of all hosts that share a database, in a schema beside the memories of the agent.

Each index belongs to a host and a user of the agent. Only that host changes it, every host reads it. A new one is built
beside the one in use and takes its place in one transaction. The chunks of an index are kept as those of a user of its
own, so that words, vectors and codes of one are never taken for those of another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import StoreBusy, StoreCorrupt, StoreUnavailable
from cortex.ports.store import Finding, Residue, Sampled
from cortex.ports.store_url import StoreUrl
from cortex.runtime.file_lock import FileLock
from cortex.stores.postgres import PostgresOptions, audit, erasure, row_security, schema
from cortex.stores.postgres.connection import PgConnection, listed
from cortex.stores.postgres.damage import names_damage
from cortex.stores.postgres.row_security import EVERYONE
from cortex.stores.postgres.store import PostgresStore, sampled
from cortex.stores.postgres.view import PgView
from cortex.stores.postgres.writer import Names, PgWriter
from cortex.stores.relational.changes import Stored
from cortex.stores.relational.codec import pack_id
from cortex.stores.relational.index import (
    IndexChange,
    RelationalIndexView,
    RelationalIndexWriter,
    belonging,
    check_all,
    pack_ids,
    unpack_ids,
)
from cortex.stores.relational.ledger import COUNTER
from cortex.stores.relational.lexicon_cache import Revision

KNOWN_SECONDS = 1.0
"""How long it is remembered which hosts have an index, or that the server is gone: to ask with every recall would cost
each a way to the server."""

_LINGER_SECONDS = 60
"""How long an index that was replaced stays: others may be about to look at it."""

_REINDEX = "run `cortex index`: it is rebuilt from the files"


class PgIndexStore(PostgresStore):
    """The chunks of all indexes of one agent's files."""

    _enter = staticmethod(row_security.begin_files)

    def __init__(self, url: StoreUrl, agent: str, home: Path, options: PostgresOptions) -> None:
        # A standby would show other hosts less than they have been shown.
        super().__init__(url, schema.files_of(agent), home, replace(options, standby_reads=False))

    @contextmanager
    def views(self, tenant: Tenant, indexes: Sequence[PgIndex]) -> Iterator[Sequence[PgIndexView]]:
        """Views of several indexes in one snapshot, and over one connection however many there are."""
        with self._connections.reading(tenant.user) as connection:
            yield [
                PgIndexView(connection, _name(index.id, tenant.user), self._codes.of, self._lexicon).of_host(index)
                for index in indexes
            ]

    def write(self, index: int, tenant: Tenant, changes: Sequence[IndexChange], at: datetime) -> int:
        check_all(changes)

        def work(connection: PgConnection) -> int:
            writer = _IndexWriter(connection, self._names, index, tenant, at)
            writer.apply_all(changes)
            return writer.ledger.position

        with self._names.learning():
            # What can be rebuilt need not wait for the disk.
            return self._connections.write(work, tenant.user, enters=True, durable=False)

    def sample_of(self, index: int, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        with self._connections.reading(tenant.user) as connection:
            return sampled(connection, _name(index, tenant.user), space, limit)

    def residue_of(self, index: PgIndex, tenant: Tenant, texts: Sequence[str], also: Sequence[Path] = ()) -> Residue:
        """Where `texts` stand in an index. Those of its host that are not in use are named like files."""
        with self._connections.reading(tenant.user) as connection:
            found = erasure.find_residue(connection, _name(index.id, tenant.user), texts, also, ())
            unused = [
                Path(f"{schema.schema_name(self._agent)} {id}")
                for id in _unused(connection, index.host, tenant.user, seconds=0)
                if erasure.find_residue(connection, _name(id, tenant.user), texts, (), ()).traces
            ]
        return replace(found, files=(*found.files, *unused))

    # --- which there are -------------------------------------------------------------------------

    def in_use(self, user: str) -> list[tuple[int, str, str]]:
        """The indexes of a user's files: number, host, and what each was built with."""
        with self._connections.reading(user) as connection:
            return connection.execute(
                "SELECT id, host, made_with FROM indexes WHERE owner = ? AND state = 'in_use' ORDER BY host", (user,)
            ).fetchall()

    def is_building(self, host: str, user: str) -> bool:
        with self._connections.reading(user) as connection:
            return bool(
                connection.execute(
                    "SELECT 1 FROM indexes WHERE host = ? AND owner = ? AND state = 'building'", (host, user)
                ).fetchone()
            )

    def begin(self, host: str, user: str, made_with: str) -> int:
        def work(connection: PgConnection) -> int:
            id: int = connection.execute(
                "INSERT INTO indexes (host, owner, made_with) VALUES (?, ?, ?) RETURNING id", (host, user, made_with)
            ).fetchone()[0]
            return id

        return self._connections.write(work, user)

    def publish(self, index: int, host: str, user: str) -> None:
        """Put a finished index in the place of the one in use."""

        def work(connection: PgConnection) -> None:
            connection.execute(
                "UPDATE indexes SET state = 'replaced', since = now()"
                " WHERE host = ? AND owner = ? AND state = 'in_use'",
                (host, user),
            )
            if not connection.execute(
                "UPDATE indexes SET state = 'in_use', since = now() WHERE id = ?", (index,)
            ).rowcount:
                raise _gone(index)

        self._connections.write(work, user)

    def sweep(self, host: str, user: str, *, seconds: float = _LINGER_SECONDS) -> None:
        """Remove what a crash left behind, and indexes that were replaced so long ago."""
        with self._connections.reading(user) as connection:
            unused = _unused(connection, host, user, seconds=seconds)
        self.drop(user, unused)

    def drop(self, user: str, indexes: Sequence[int]) -> None:
        if indexes:
            self._connections.write(lambda connection: _drop(connection, indexes), user)

    # --- looking after it ------------------------------------------------------------------------

    def _findings(self) -> list[Finding]:
        with self._connections.reading(EVERYONE) as connection:
            return list(audit.findings(connection, (_belonging,), recorded=False))

    def _set_aside(self, connection: PgConnection) -> None:
        """Take out damaged chunks, and have their files read again: they say what the chunks said."""
        if not audit.set_aside(connection, recorded=False):
            return
        chunks_there = "SELECT f.user, t.id FROM traces t JOIN facets f ON f.id = t.facet"
        there = set(connection.execute(chunks_there).fetchall())
        for user, path, chunks in connection.execute("SELECT user, path, chunks FROM files").fetchall():
            kept = [id for id in unpack_ids(chunks) if (user, pack_id(id)) in there]
            if len(pack_ids(kept)) < len(chunks):
                connection.execute(
                    "UPDATE files SET chunks = ?, size = -1, hash = '' WHERE user = ? AND path = ?",
                    (pack_ids(kept), user, path),
                )


@names_damage
class PgIndexView(RelationalIndexView, PgView):
    """One snapshot of a user's files and their chunks, in the index of one host."""

    _prefix = ""

    def of_host(self, index: PgIndex) -> PgIndexView:
        """The same, citing the files of another host with its name: a file of the same path may be here, too."""
        self._prefix = "" if index.is_own else f"{index.host}:"
        return self

    def _begin(self, user: str) -> tuple[int, int, Revision | None]:
        index = user.partition(" ")[0]
        id, counted, rebuilt = self._db.execute(
            "SELECT (SELECT id FROM users WHERE name = ?), (SELECT value FROM meta WHERE key = ?),"
            " (SELECT value FROM meta WHERE key = 'rebuilt')",
            (user, _counter(index)),
        ).fetchone()
        position = int(counted) if counted and counted.isdecimal() else 0
        return -1 if id is None else id, position, Revision(0, counted, rebuilt)

    def _read_trace(self, row: Sequence[Any]) -> Trace | None:
        trace = super()._read_trace(row)
        if self._prefix and isinstance(trace, Chunk):
            return trace.revised(path=f"{self._prefix}{trace.path}")
        return trace


class _IndexWriter(RelationalIndexWriter, PgWriter):
    def __init__(self, connection: PgConnection, names: Names, index: int, tenant: Tenant, at: datetime) -> None:
        self._index_id = index
        self._counter = _counter(index)
        # Locked, so that nobody drops it before this is committed.
        if not connection.execute("SELECT 1 FROM indexes WHERE id = ? FOR KEY SHARE", (index,)).fetchone():
            raise _gone(index)
        super().__init__(connection, names, tenant, at, recorded=False)

    def _name(self, user: str) -> str:
        return _name(self._index_id, user)

    def _stored(self, ids: Any, *, taken: bool = False) -> dict[TraceId, Stored]:  # noqa: ARG002
        # An index that is built beside another has the same chunks, with the same ids.
        return super()._stored(ids)


# --- what the ports ask --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PgIndex:
    """The index of one host."""

    store: PgIndexStore
    id: int
    host: str
    made_with: str
    is_own: bool = True

    def apply(self, tenant: Tenant, changes: Sequence[IndexChange], *, at: datetime) -> int:
        return self.store.write(self.id, tenant, changes, at)

    @contextmanager
    def view(self, tenant: Tenant) -> Iterator[PgIndexView]:
        with self.store.views(tenant, [self]) as (view,):
            yield view

    def sample(self, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        return self.store.sample_of(self.id, tenant, space, limit)

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        return self.store.verify(repair=repair)

    def maintain(self) -> Mapping[str, Any]:
        return self.store.maintain()

    def compact(self, *, rewrite: bool = True) -> bool:
        return self.store.compact(rewrite=rewrite)

    def find_residue(self, tenant: Tenant, texts: Sequence[str], also: Sequence[Path] = ()) -> Residue:
        return self.store.residue_of(self, tenant, texts, also)

    def close(self) -> None:
        """Nothing to do: connections are shared by all indexes of an agent."""


class PgIndexes:
    """The indexes of one user's files: that of this host, which it changes, and those of others."""

    def __init__(self, open_store: Opening, host: str, user: str, lock: Path) -> None:
        self._open_store = open_store
        self.host = host
        self._user = user
        self._write_lock = FileLock(lock)
        self._lock = threading.Lock()
        self._known: Sequence[PgIndex] | StoreUnavailable = ()
        self._known_until = 0.0

    def current(self) -> PgIndex | None:
        return next((index for index in self._all() if index.is_own), None)

    def others(self) -> Sequence[PgIndex]:
        return [index for index in self._all() if not index.is_own]

    def refresh(self) -> None:
        with self._lock:
            self._known_until = 0.0

    def views(self, tenant: Tenant, indexes: Sequence[PgIndex]) -> AbstractContextManager[Sequence[PgIndexView]]:
        return self._open_store().views(tenant, indexes)

    @contextmanager
    def write_lock(self, seconds: float) -> Iterator[None]:
        # Only processes of this host change its index: a lock of this host is enough, and outlives no process.
        with self._write_lock.held(seconds) as ours:
            if not ours:
                raise StoreBusy("the files are being indexed already", hint="wait for it, or try again later")
            self._open_store().sweep(self.host, self._user)
            self.refresh()
            yield

    @contextmanager
    def build(self, made_with: str) -> Iterator[_IndexBuild]:
        store = self._open_store()
        building = _IndexBuild(
            self, PgIndex(store, store.begin(self.host, self._user, made_with), self.host, made_with)
        )
        try:
            yield building
        finally:
            if not building.is_published:
                store.drop(self._user, [building.index.id])

    def publish(self, index: PgIndex) -> None:
        index.store.publish(index.id, self.host, self._user)
        self.refresh()

    def drop(self, host: str) -> bool:
        gone = [index.id for index in self._all() if index.host == host]
        self._open_store().drop(self._user, gone)
        self._open_store().sweep(host, self._user, seconds=0)
        self.refresh()
        return bool(gone)

    @property
    def is_building(self) -> bool:
        return self._write_lock.is_taken and self._open_store().is_building(self.host, self._user)

    def unused_files(self) -> list[Path]:
        return []

    def close(self) -> None:
        self._open_store.close()

    def _all(self) -> Sequence[PgIndex]:
        with self._lock:
            if time.monotonic() >= self._known_until:
                self._known = self._found()
                self._known_until = time.monotonic() + KNOWN_SECONDS
            if isinstance(self._known, StoreUnavailable):
                raise self._known
            return self._known

    def _found(self) -> Sequence[PgIndex] | StoreUnavailable:
        try:
            store = self._open_store()
            rows = store.in_use(self._user)
        except StoreUnavailable as error:
            return error
        return [PgIndex(store, id, host, made_with, is_own=host == self.host) for id, host, made_with in rows]


@dataclass(slots=True)
class _IndexBuild:
    home: PgIndexes
    index: PgIndex
    is_published: bool = False

    def publish(self) -> None:
        self.home.publish(self.index)
        self.is_published = True


class Opening:
    """The store of an agent's indexes, opened on first use."""

    def __init__(self, url: StoreUrl, agent: str, home: Path, options: PostgresOptions) -> None:
        self._url, self._agent, self._home, self._options = url, agent, home, options
        self._lock = threading.Lock()
        self._store: PgIndexStore | None = None

    def __call__(self) -> PgIndexStore:
        with self._lock:
            if self._store is None:
                self._store = PgIndexStore(self._url, self._agent, self._home, self._options)
            return self._store

    def close(self) -> None:
        with self._lock:
            if self._store is not None:
                self._store.close()


# --- rows ----------------------------------------------------------------------------------------


def _name(index: int, user: str) -> str:
    """Who the chunks of a user are of, in an index."""
    return f"{index} {user}"


def _counter(index: int | str) -> str:
    return f"{COUNTER} {index}"


def _gone(index: int) -> StoreCorrupt:
    return StoreCorrupt(f"the index {index} was dropped", hint=_REINDEX)


def _unused(connection: PgConnection, host: str, user: str, *, seconds: float) -> list[int]:
    """The indexes of a host that nobody uses: unfinished ones, and those that were replaced so long ago."""
    rows = connection.execute(
        "SELECT id FROM indexes WHERE host = ? AND owner = ?"
        " AND (state = 'building' OR state = 'replaced' AND since <= now() - ? * interval '1 second') ORDER BY id",
        (host, user, seconds),
    )
    return [id for (id,) in rows]


def _drop(connection: PgConnection, indexes: Sequence[int]) -> None:
    """Remove indexes with all their rows."""
    ids = listed(indexes)
    connection.execute("DELETE FROM indexes WHERE id = ANY (?::integer[])", (ids,))
    users = "SELECT id FROM users WHERE split_part(name, ' ', 1) = ANY (?::text[])"
    facets = f"SELECT id FROM facets WHERE user IN ({users})"
    spaces = f"SELECT id FROM spaces WHERE user IN ({users})"
    for table in ("postings", "lexicon", "accesses", "sources", "versions"):
        connection.execute(
            f"DELETE FROM {table} x USING traces t WHERE x.row = t.row AND t.facet IN ({facets})", (ids,)
        )
    for table in ("frequencies", "speakers", "traces"):
        connection.execute(f"DELETE FROM {table} WHERE facet IN ({facets})", (ids,))
    for table in ("vectors", "codes", "tombs", "calibrations"):
        connection.execute(f"DELETE FROM {table} WHERE space IN ({spaces})", (ids,))
    for table in ("spaces", "facets", "files"):
        connection.execute(f"DELETE FROM {table} WHERE user IN ({users})", (ids,))
    connection.execute("DELETE FROM users WHERE split_part(name, ' ', 1) = ANY (?::text[])", (ids,))
    connection.execute("DELETE FROM meta WHERE key = ANY (?::text[])", ([_counter(id) for id in indexes],))


def _belonging(connection: PgConnection) -> Iterator[Finding]:
    return belonging(
        connection.execute("SELECT user, path, chunks FROM files").fetchall(),
        connection.execute(
            r"SELECT f.user, CASE WHEN t.body IS JSON THEN replace(t.body, '\u0000', '\u0001')::json ->> 'path' END,"
            " t.id FROM traces t JOIN facets f ON f.id = t.facet"
        ).fetchall(),
    )
