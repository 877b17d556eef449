"""A cache of vectors beside any embedder: a file of its own that may be deleted at any time."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from cortex.domain.modality import Medium
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import full_disk
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder, MediaEmbedder
from cortex.ports.store import Finding
from cortex.providers.embedders.wrapper import EmbedderWrapper

log = logging.getLogger("cortex")

FILE_NAME = "embeddings.sqlite"
BUSY_TIMEOUT_MS = 50
# Nobody waits for a vector while something is erased.
FORGET_TIMEOUT_MS = 500
# A vector used again within this time is not marked again, so that a hit is seldom a write.
MARK_AGAIN_SECONDS = 60
# Beyond the cap, this share goes at once, so that eviction is seldom.
EVICTED_SHARE = 0.1
_AT_ONCE = 500

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    text BLOB NOT NULL,     -- SHA-256 of the text or of the medium, never the text
    space TEXT NOT NULL,    -- covers provider, model, dimension, prefixes and endpoint
    role TEXT NOT NULL,     -- a query and a document of the same text have different vectors
    used INTEGER NOT NULL,
    vector BLOB NOT NULL,
    checksum INTEGER,       -- CRC-32 of all but `used`: a vector that was damaged is not used
    UNIQUE (text, space, role)
);
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used);
"""

Result = TypeVar("Result")


class CachingEmbedder(EmbedderWrapper):
    """An embedder that calls the inner one only for texts it has not seen, least recently used out first.

    Any number of processes may share the file. A cache that is locked or broken never breaks embedding: the
    inner embedder is used instead, and `degraded` says why.
    """

    def __init__(self, inner: Embedder, path: Path, max_entries: int, clock: Clock) -> None:
        super().__init__(inner)
        self._clock = clock
        self._cache = _Cache(path, max_entries)

    @property
    def degraded(self) -> str | None:
        """Why the cache is not in use; None while it is."""
        return self._cache.degraded

    def embed_query(self, text: str) -> Vector:
        return self._embedded("query", [text], lambda texts: [self._inner.embed_query(text) for text in texts])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return self._embedded("document", texts, self._inner.embed_documents) if texts else []

    def cache_status(self) -> dict[str, Any]:
        """How the cache stands (B21): `entries` is None where it cannot be counted.

        `damaged` counts the vectors that were found damaged since it was opened; they are embedded again.
        """
        return {
            "enabled": self._cache.max_entries > 0,
            "entries": self._cache.count(),
            "max_entries": self._cache.max_entries,
            "damaged": self._cache.damaged,
            "degraded": self.degraded,
        }

    def verify_cache(self, *, repair: bool = False) -> list[Finding]:
        """Compare the checksums of all that is kept; with `repair`, what is damaged goes, and is embedded again."""
        number = self._cache.verify(repair=repair)
        if number is None and self.degraded:
            return [Finding("cache", self.degraded)]
        return [Finding("cache", f"{number:,} vectors of the embedding cache are damaged", repair)] if number else []

    def close(self) -> None:
        """Close the file, and the inner embedder where that can be closed."""
        self._cache.close()
        super().close()

    def _embedded(
        self, role: str, texts: Sequence[str], embed: Callable[[Sequence[str]], list[Vector]]
    ) -> list[Vector]:
        space, now = self.space, int(self._clock.now().timestamp())
        by_hash = {_hash(text): text for text in texts}
        known = self._cache.get(list(by_hash), space, role, now)
        missing = {key: text for key, text in by_hash.items() if key not in known}
        if missing:
            fresh = dict(zip(missing, embed(list(missing.values())), strict=True))
            self._cache.put(fresh, space, role, now)
            known |= fresh
        return [known[_hash(text)] for text in texts]


class CachingMediaEmbedder(CachingEmbedder):
    """The same for media, which are known by their bytes: a picture under two names is sent once."""

    def __init__(self, inner: MediaEmbedder, path: Path, max_entries: int, clock: Clock) -> None:
        super().__init__(inner, path, max_entries, clock)
        self._media = inner

    @property
    def accepts(self) -> frozenset[str]:
        return self._media.accepts

    def embed_medium(self, medium: Medium) -> Vector:
        key, now = bytes.fromhex(medium.digest), int(self._clock.now().timestamp())
        known = self._cache.get([key], self.space, "medium", now)
        if key not in known:
            known = {key: self._media.embed_medium(medium)}
            self._cache.put(known, self.space, "medium", now)
        return known[key]


class _Cache:
    """The file. Opened on first use; every failure ends here."""

    def __init__(self, path: Path, max_entries: int) -> None:
        self._path = path
        self.max_entries = max_entries
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._broken = self._full = False
        self._put_since_count: int | None = None
        self.damaged = 0
        self.degraded: str | None = None

    def get(self, keys: Sequence[bytes], space: EmbeddingSpace, role: str, now: int) -> dict[bytes, Vector]:
        if self.max_entries <= 0:
            return {}
        return self._guarded(lambda database: self._get(database, keys, space, role, now)) or {}

    def put(self, vectors: Mapping[bytes, Vector], space: EmbeddingSpace, role: str, now: int) -> None:
        if self.max_entries <= 0:
            return
        rows = [
            (key, space.key, role, now, packed, _checksum(key, space.key, role, packed))
            for key, vector in vectors.items()
            if np.shape(vector) == (space.dimension,)
            and np.isfinite(vector).all()
            and (packed := np.asarray(vector, np.float32).tobytes())
        ]
        self._guarded(lambda database: self._put(database, rows), writes=True)

    def count(self) -> int | None:
        """How many vectors there are; a cache that nobody used yet is not made for that."""
        if not self._path.exists():
            return 0
        return self._guarded(lambda database: int(database.execute("SELECT count(*) FROM vectors").fetchone()[0]))

    def verify(self, *, repair: bool) -> int | None:
        """How many vectors are damaged; None where they cannot be read."""
        if not self._path.exists():
            return 0
        return self._guarded(lambda database: _verified(database, repair=repair))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _guarded(self, work: Callable[[sqlite3.Connection], Result], *, writes: bool = False) -> Result | None:
        with self._lock:
            if self._broken:
                return None
            try:
                if self._connection is None:
                    self._connection = _opened(self._path)
                result = work(self._connection)
            except (sqlite3.Error, OSError) as error:
                self._degrade(error)
                return None
            # Reading takes no space: it says nothing of a disk that was full.
            if writes or not self._full:
                self.degraded, self._full = None, False
            return result

    def _degrade(self, error: Exception) -> None:
        if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            self.degraded = "the embedding cache is locked by another process"
            return
        if full := full_disk(error, self._path):
            self._full = True
            self.degraded = f"new vectors are not kept in the embedding cache: {full}"
            return
        self._broken = True
        self.degraded = f"the embedding cache {self._path} cannot be used: {error}"
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _get(
        self, database: sqlite3.Connection, keys: Sequence[bytes], space: EmbeddingSpace, role: str, now: int
    ) -> dict[bytes, Vector]:
        found: dict[bytes, Vector] = {}
        damaged: list[tuple[int]] = []
        stale: list[tuple[int, int]] = []
        for some in _slices(keys):
            sought = f"text IN ({_marks(some)}) AND space = ? AND role = ?"
            rows = database.execute(
                f"SELECT rowid, text, used, vector, checksum FROM vectors WHERE {sought}",  # noqa: S608 - question marks only
                (*some, space.key, role),
            )
            for row, key, used, blob, checksum in rows:
                if _checksum(key, space.key, role, blob) != checksum or len(blob) != 4 * space.dimension:
                    damaged.append((row,))
                    continue
                found[key] = np.frombuffer(blob, np.float32)
                if not isinstance(used, int) or used < now - MARK_AGAIN_SECONDS:
                    stale.append((now, row))
        if stale or damaged:
            with _Writing(database):
                database.executemany("UPDATE vectors SET used = ? WHERE rowid = ?", stale)
                database.executemany("DELETE FROM vectors WHERE rowid = ?", damaged)
        if damaged:
            self.damaged += len(damaged)
            log.warning("%d damaged vectors were taken out of the embedding cache", len(damaged))
        return found

    def _put(self, database: sqlite3.Connection, rows: Sequence[tuple[bytes | str | int | None, ...]]) -> None:
        with _Writing(database):
            database.executemany(
                "INSERT OR REPLACE INTO vectors (text, space, role, used, vector, checksum) VALUES (?,?,?,?,?,?)", rows
            )
            self._evict(database, len(rows))

    def _evict(self, database: sqlite3.Connection, added: int) -> None:
        """Counting is a scan, so it is done on the first write and then once for each twentieth of the cap."""
        since = self._put_since_count
        if since is not None and since + added < self.max_entries // 20:
            self._put_since_count = since + added
            return
        self._put_since_count = 0
        (count,) = database.execute("SELECT count(*) FROM vectors").fetchone()
        if count > self.max_entries:
            keep = int(self.max_entries * (1 - EVICTED_SHARE))
            database.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used, rowid LIMIT ?)",
                (count - keep,),
            )


class CacheFile:
    """The cache without an embedder: what is erased leaves it, whichever embedder put it there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def key(self, text: str) -> str:
        """By what a text is known there: never the text."""
        return _hash(text).hex()

    def forget(self, keys: Iterable[str]) -> str:
        """Remove every vector of the texts with these keys; gives what is in the way, if anything."""
        if not self._path.exists():
            return ""
        try:
            with closing(_opened(self._path, FORGET_TIMEOUT_MS)) as database:
                with _Writing(database):
                    for some in _slices([bytes.fromhex(key) for key in keys]):
                        database.execute(f"DELETE FROM vectors WHERE text IN ({_marks(some)})", some)  # noqa: S608
                # What was deleted must not live on in the log either.
                (busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except (sqlite3.Error, OSError) as error:
            return f"the embedding cache {self._path} cannot be changed ({error})"
        return "another process reads the embedding cache" if busy else ""


class _Writing:
    """A transaction that takes the write lock at its start, so that it waits there or not at all."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._database.execute("COMMIT")
        finally:
            if self._database.in_transaction:  # SQLite itself rolls back on some errors
                self._database.execute("ROLLBACK")


def _opened(path: Path, timeout_ms: int = BUSY_TIMEOUT_MS) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    database = sqlite3.connect(path, timeout=timeout_ms / 1000, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("PRAGMA secure_delete = ON")
        database.create_function("vector_checksum", 4, _checksum, deterministic=True)
        database.executescript(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database


_CHECKSUM = "vector_checksum(CAST(text AS BLOB), CAST(space AS BLOB), CAST(role AS BLOB), CAST(vector AS BLOB))"


def _checksum(*columns: object) -> int | None:
    """The CRC-32 of a row; None for what cannot be one."""
    sum = 0
    for column in columns:
        if not isinstance(column, str | bytes):
            return None
        sum = crc32(column.encode() if isinstance(column, str) else column, sum)
    return sum


def _verified(database: sqlite3.Connection, *, repair: bool) -> int:
    wrong = f"checksum IS NOT {_CHECKSUM}"
    (number,) = database.execute(f"SELECT count(*) FROM vectors WHERE {wrong}").fetchone()  # noqa: S608 - our own columns
    # A row that its index does not lead to is damaged as well.
    found = number or sum(line != "ok" for (line,) in database.execute("PRAGMA integrity_check(100)"))
    if found and repair:
        database.execute("REINDEX")
        with _Writing(database):
            database.execute(f"DELETE FROM vectors WHERE {wrong}")  # noqa: S608 - our own columns
    return int(found)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _slices(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (keys[start : start + _AT_ONCE] for start in range(0, len(keys), _AT_ONCE))


def _marks(keys: Sequence[bytes]) -> str:
    return ",".join("?" * len(keys))
