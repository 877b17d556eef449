"""One-bit codes of one user's vectors, in memory as long as there is room, and followed in the order of commits.

A space belongs to one user, and the writers of a user take turns until they commit. So within a space the numbers of
codes and tombs rise as commits do, though a sequence is shared by all users and skips.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cortex.stores.relational.accelerator import Accelerator
from cortex.stores.relational.code_index import MANY, CodeIndex
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.vectors import Vectors

MOST_BYTES = 256 << 20
"""How much memory the codes of all users may take together; those that were used last are kept."""


class PgCodeIndex(CodeIndex):
    """The codes of one space."""

    def vectors(self, keys: NDArray[np.int64], read: Callable[[NDArray[np.int64]], Vectors]) -> Vectors:
        if self.is_large and not is_scope(keys):
            return read(keys)
        return self._vectors.taken(keys, read)

    def _tombs_after(self, connection: SqlConnection, seq: int) -> Iterable[tuple[int, int]]:
        return connection.execute("SELECT seq, code FROM tombs WHERE space = ? AND seq > ?", (self._space, seq))


def is_scope(keys: NDArray[np.int64]) -> bool:
    """Whether these are all vectors of a scope, too few to choose from: every search in it compares the same."""
    return len(keys) < MANY


class CodeIndexes:
    """The codes of the spaces that were searched last."""

    def __init__(self, most_bytes: int = MOST_BYTES, accelerator: Accelerator | None = None) -> None:
        self._most = most_bytes
        self._accelerator = accelerator
        self._lock = threading.Lock()
        self._spaces: OrderedDict[int, PgCodeIndex] = OrderedDict()

    def of(self, space: int, dimension: int) -> CodeIndex:
        """The codes of a space. Those that were searched longest ago make room for others; the last stays."""
        with self._lock:
            if space not in self._spaces:
                self._spaces[space] = PgCodeIndex(space, dimension, self._accelerator)
            self._spaces.move_to_end(space)
            total = sum(each.size for each in self._spaces.values())
            while total > self._most and len(self._spaces) > 1:
                total -= self._spaces.popitem(last=False)[1].size
            return self._spaces[space]

    def clear(self) -> None:
        with self._lock:
            self._spaces.clear()


def bury(connection: SqlConnection, where: str, values: Sequence[int] = ()) -> None:
    """Take codes out of all searches."""
    connection.execute(
        f"INSERT INTO tombs (space, user, code) SELECT space, user, seq FROM codes WHERE {where} ORDER BY seq", values
    )
    connection.execute(f"DELETE FROM codes WHERE {where}", values)
