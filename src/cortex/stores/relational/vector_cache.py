"""The vectors of a space in memory, where it is small: reading a thousand of them is a sixth of a recall.

No key is ever given to another vector, and no vector is changed: what was read once is right for every snapshot.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cortex.stores.relational.vectors import Vectors

MOST_BYTES = 32 << 20
"""How much of each space is kept: about 20,000 vectors of 384 dimensions."""

_FIRST = 1_024


class StoredVectorCache:
    """The vectors that were read so far, side by side in the order of reading."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._lock = threading.Lock()
        self.room = MOST_BYTES // (4 * dimension)
        """How many vectors of a space are kept."""
        self._most = self.room * 5 // 4  # with the places of some that were forgotten
        self._clear()

    def _clear(self) -> None:
        self._count = 0
        self._places = np.full(0, -1, dtype=np.int32)
        """Where the vector of each key lies; -1 where it is not here."""
        self._kept = _empty(0, self._dimension)

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return self._places.nbytes + sum(column.nbytes for column in self._kept.columns)

    def clear(self) -> None:
        with self._lock:
            if self._count:
                self._clear()

    def forget(self, key: int) -> None:
        """Overwrite a vector that is no longer searched."""
        with self._lock:
            place = int(self._place(np.array([key]))[0])
            if place >= 0:
                self._places[key] = -1
                self._kept.matrix[place] = 0

    def taken(self, keys: NDArray[np.int64], read: Callable[[NDArray[np.int64]], Vectors]) -> Vectors:
        """The vectors with these keys; `read` reads those that are not here, as far as they can be compared."""
        with self._lock:
            missing = keys[self._place(keys) < 0]
        fresh = read(missing) if len(missing) else None
        with self._lock:
            if fresh is not None:
                self._keep(fresh)
            places = self._place(keys)
            return self._kept.only(places[places >= 0])

    def _place(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        return self._places.take(keys, mode="clip") if len(self._places) else np.full(len(keys), -1, dtype=np.int32)

    def _keep(self, fresh: Vectors) -> None:
        # Another search may have read the same meanwhile.
        fresh = fresh.only(self._place(fresh.keys) < 0)
        if not len(fresh.keys):
            return
        if self._count + len(fresh.keys) > self._most:
            self._clear()
        end = self._count + len(fresh.keys)
        self._reserve(end, int(fresh.keys.max()))
        for column, new in zip(self._kept.columns, fresh.columns, strict=True):
            column[self._count : end] = new
        self._places[fresh.keys] = np.arange(self._count, end)
        self._count = end

    def _reserve(self, size: int, last_key: int) -> None:
        # The last place stays empty: keys beyond are looked for there.
        if last_key + 2 > len(self._places):
            places = np.full(max(last_key + 2, len(self._places) * 3 // 2, _FIRST), -1, dtype=np.int32)
            places[: len(self._places)] = self._places
            self._places = places
        if size > len(self._kept.keys):
            room = max(size, min(len(self._kept.keys) * 3 // 2, self._most), _FIRST)
            kept = _empty(room, self._dimension)
            for new, old in zip(kept.columns, self._kept.columns, strict=True):
                new[: self._count] = old[: self._count]
            self._kept = kept


def _empty(size: int, dimension: int) -> Vectors:
    key, row, passage = np.zeros((3, size), dtype=np.int64)
    return Vectors(key, row, passage, np.zeros((size, dimension), dtype=np.float32))
