"""One-bit codes of all vectors of a space, in memory: the first pass over many vectors.

The arrays only ever grow, and a code that is taken out keeps its place with the number of its tomb.
So several views can share them, each seeing exactly the codes of its own snapshot.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import Codes, Words, code_bytes, hamming
from cortex.stores.relational.accelerator import Accelerator
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.vector_cache import StoredVectorCache
from cortex.stores.relational.vectors import Vectors, choose

MANY = 1_024
"""Up to this many vectors are compared exactly; of more, this many are chosen by their codes first."""

_NEVER = np.iinfo(np.int64).max
_BATCH = 4_096


@dataclass(frozen=True, slots=True)
class Columns:
    """The codes one view sees, as parallel arrays."""

    keys: NDArray[np.int64]
    facets: NDArray[np.int32]
    codes: Words
    """One code to a line; in memory, each word of all codes lies together, as they are compared."""
    alive: NDArray[np.bool_]
    last_tomb: int
    """Up to which tomb codes are gone."""


Code = tuple[int, int, int, bytes]
"""Number, key, facet and code."""

Within = tuple[NDArray[np.bool_], NDArray[np.int64]]
"""Which codes lie in some facets, and their keys."""


def enough(limit: int) -> int:
    """How many vectors are compared exactly to find the `limit` nearest."""
    return max(MANY, 4 * limit)


class CodeIndex:
    """The codes of one space, kept in step with the file."""

    def __init__(self, space: int, dimension: int, accelerator: Accelerator | None = None) -> None:
        self._space = space
        self.accelerator = accelerator
        """What chooses in the place of these codes, which are read once they are needed."""
        self._lock = threading.Lock()
        self._count = 0
        self.last_code = 0
        """The number of the last code that was read."""
        self._last_tomb = 0
        self._seqs = np.zeros(0, dtype=np.int64)
        self._keys = np.zeros(0, dtype=np.int64)
        self._facets = np.zeros(0, dtype=np.int32)
        self._tombs = np.zeros(0, dtype=np.int64)
        self._words = np.zeros((code_bytes(dimension) // 8, 0), dtype=np.uint64)
        self._widest: tuple[tuple[int, ...], Within] | None = None
        self._vectors = StoredVectorCache(dimension)

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        own = (self._seqs, self._keys, self._facets, self._tombs, self._words)
        return sum(column.nbytes for column in own) + self._vectors.size

    def columns(self, connection: SqlConnection, last_code: int, last_tomb: int) -> Columns:
        """The codes that the snapshot of `connection` sees, in which these are the last numbers given out."""
        with self._lock:
            if last_code > self.last_code:
                self._append(connection)
                self.last_code = last_code
            if last_tomb > self._last_tomb:
                for tomb, code in self._tombs_after(connection, self._last_tomb):
                    self.bury(tomb, code)
                self._last_tomb = last_tomb
            return self.seen(last_code, last_tomb)

    def seen(self, last_code: int, last_tomb: int) -> Columns:
        """The codes up to one, without those that the tombs up to another name."""
        seen = slice(0, int(np.searchsorted(self._seqs[: self._count], last_code, side="right")))
        alive = self._tombs[seen] > last_tomb
        return Columns(self._keys[seen], self._facets[seen], self._words[:, seen].T, alive, last_tomb)

    def within(self, columns: Columns, facets: list[int]) -> Within:
        """The codes of `columns` that lie in `facets`; nobody may change them. The last that were most are kept."""
        wanted = (len(columns.keys), columns.last_tomb, *facets)
        kept = self._widest
        if kept is not None and kept[0] == wanted:
            return kept[1]
        lookup = np.zeros(max(facets, default=0) + 2, dtype=bool)
        lookup[facets] = True
        mask = columns.alive & lookup.take(columns.facets, mode="clip")  # beyond the last there is none of these
        found = mask, columns.keys[mask]
        if 2 * len(found[1]) > len(mask):
            self._widest = wanted, found
        return found

    def choose(
        self, columns: Columns, facets: list[int], code: Codes, many: int, allowed: Collection[int] | None = None
    ) -> NDArray[np.int64]:
        """The keys of the `many` codes in `facets` that are nearest to `code`; only those in `allowed`, if given."""
        mask, keys = self.within(columns, facets)
        if allowed is not None:
            chosen = np.isin(keys, list(allowed))
            mask = mask.copy()
            mask[np.flatnonzero(mask)[~chosen]] = False
            keys = keys[chosen]
        if len(keys) <= many:
            return keys
        # Copying the codes of most rows costs more than comparing all of them.
        most = 4 * len(keys) > len(mask)
        distances = hamming(columns.codes if most else columns.codes[mask], code)
        return choose(distances[mask] if most and len(keys) < len(mask) else distances, keys, many)

    @property
    def is_large(self) -> bool:
        """Whether its vectors do not fit into memory, and are read anew by each search."""
        return self._count > self._vectors.room

    def vectors(self, keys: NDArray[np.int64], read: Callable[[NDArray[np.int64]], Vectors]) -> Vectors:
        """The vectors with these keys, as `read` gives them; from memory where all of the space fit there."""
        if self.is_large:
            self._vectors.clear()
            return read(keys)
        return self._vectors.taken(keys, read)

    def release_vectors(self) -> None:
        """Keep none of the vectors in memory."""
        self._vectors.clear()

    def _append(self, connection: SqlConnection) -> None:
        # A few at a time: a driver may read all of an answer before it gives the first row.
        while read := self._codes_after(connection, self.last_code):
            self.add(read)
            if len(read) < _BATCH:
                break

    def add(self, read: Sequence[Code]) -> None:
        """Add codes whose numbers are higher than all before."""
        if not read:
            return
        batch = [row for row in read if isinstance(row[3], bytes) and len(row[3]) == 8 * len(self._words)]
        end = self._count + len(batch)
        self._reserve(end)
        fresh = slice(self._count, end)
        self._seqs[fresh] = [row[0] for row in batch]
        self._keys[fresh] = [row[1] for row in batch]
        self._facets[fresh] = [row[2] for row in batch]
        self._tombs[fresh] = _NEVER
        joined = np.frombuffer(b"".join(row[3] for row in batch), np.uint64)
        self._words[:, fresh] = joined.reshape(len(batch), len(self._words)).T
        self._count = end
        # A search may be out of time in the middle of this: the next goes on from here.
        self.last_code = read[-1][0]

    def bury(self, tomb: int, code: int) -> None:
        """Take the code of this number out of every search that sees the tomb."""
        at = int(np.searchsorted(self._seqs[: self._count], code))
        if at < self._count and self._seqs[at] == code:
            self._tombs[at] = tomb
            self._vectors.forget(int(self._keys[at]))

    def _codes_after(self, connection: SqlConnection, seq: int) -> list[Code]:
        return connection.execute(
            "SELECT seq, key, facet, code FROM codes WHERE seq > ? AND space = ? ORDER BY seq LIMIT ?",
            (seq, self._space, _BATCH),
        ).fetchall()

    def _tombs_after(self, connection: SqlConnection, seq: int) -> Iterable[tuple[int, int]]:
        """Number and code of every tomb after one."""
        return connection.execute("SELECT seq, code FROM tombs WHERE seq > ?", (seq,))

    def _reserve(self, size: int) -> None:
        if size <= len(self._seqs):
            return
        # New arrays rather than resized ones: earlier views still look at the old.
        room = max(size, len(self._seqs) * 3 // 2, _BATCH)
        for name in ("_seqs", "_keys", "_facets", "_tombs", "_words"):
            old = getattr(self, name)
            new = np.zeros((*old.shape[:-1], room), dtype=old.dtype)
            new[..., : self._count] = old[..., : self._count]
            setattr(self, name, new)
