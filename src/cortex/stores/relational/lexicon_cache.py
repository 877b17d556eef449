"""The lexicon in memory, as far as it was read: a search scores thousands of passages, and reads few that are new.

Every view sees the passages of its own snapshot. What is kept of a user stands at one revision, and follows the user's
events: a trace that was changed is forgotten here. A view of another revision reads the file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.stores.relational.codec import batched, marks, pack_id
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.lexicon import Passage, Passages, spread

T = TypeVar("T")

MOST_PASSAGES = 250_000
"""Beyond this many the cache starts anew; each takes about a hundred bytes."""

MOST_USERS = 8
"""Of so many users passages are kept, those that were read last."""

MOST_IDS = 32_768
MOST_KEPT = 256
_MOST_EVENTS = 1_000
"""After more events than this, to read everything anew costs less than to look each up."""

_UNTOUCHED = EventKind.RECALLED
"""The event that leaves words, vectors and facets as they are."""

_ID_DASHES = 4


class Revision(NamedTuple):
    """How far the lexicon of a user is in a snapshot: two with the same revision hold the same passages."""

    position: int
    counted: str | None
    """The position of a file that records no events."""
    rebuilt: str | None
    """How often the lexicon was rebuilt."""

    @classmethod
    def of(cls, connection: SqlConnection, user: int) -> Revision:
        found = connection.execute(
            "SELECT coalesce((SELECT max(position) FROM events WHERE user = ?), 0),"
            " (SELECT value FROM meta WHERE key = 'position'), (SELECT value FROM meta WHERE key = 'rebuilt')",
            (user,),
        ).fetchone()
        return cls(*found)


class LexiconCache:
    """What was read so far, of each user apart: what one user writes drops nothing of another's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: dict[int, UserLexicon] = {}

    def of(self, user: int) -> UserLexicon:
        """What is kept of a user."""
        with self._lock:
            # In the order of their last use.
            found = self._users.pop(user) if user in self._users else UserLexicon(user)
            self._users[user] = found
            passages = sum(each.size for each in self._users.values())
            for other in list(self._users)[:-1]:
                if len(self._users) > MOST_USERS or passages > MOST_PASSAGES:
                    passages -= self._users.pop(other).size
            return found


class UserLexicon:
    """The passages of one user that were read so far, in columns that only grow until they are cleared."""

    def __init__(self, user: int) -> None:
        self._user = user
        self._lock = threading.Lock()
        self._at: Revision | None = None
        self.ids: dict[int, TraceId] = {}
        """The ids of rows; no row is ever given another, and none is given out twice."""
        self._kept: dict[Hashable, Any] = {}
        self._clear()

    @property
    def size(self) -> int:
        """How many passages there are."""
        return self._count

    def _clear(self) -> None:
        self._kept.clear()
        self.ids.clear()
        self._count = self._words = 0
        self._first = np.full(0, -1, dtype=np.int32)
        """Where the passages of each row begin; -1 where they are not here."""
        self._many = np.zeros(0, dtype=np.int32)
        self._columns = np.zeros((6, 0), dtype=np.int64)
        self._starts = np.zeros(0, dtype=np.int64)
        self._terms = np.zeros(0, dtype=np.uint32)

    def follow(self, connection: SqlConnection, now: Revision | None = None) -> Revision | None:
        """The revision of a snapshot, once the cache stands there; None where it is further on."""
        now = now or Revision.of(connection, self._user)
        with self._lock:
            at = self._at
            if now == at:
                return now
            if at is not None and now.position < at.position:
                return None
            changed = None if at is None or now[1:] != at[1:] else _changed(connection, self._user, at.position)
            if changed is None:
                self._clear()
            elif changed:
                self._kept.clear()
                rows = _rows_of(connection, changed)
                self._first[rows[rows < len(self._first)]] = -1
            self._at = now
            return now

    def once(self, at: Revision | None, key: Hashable, read: Callable[[], T]) -> T:
        """What `read` reads of facets, counters or vectors, read once for each revision; nobody may change it."""
        with self._lock:
            if self._at == at and key in self._kept:
                found: T = self._kept[key]
                return found
        fresh = read()
        with self._lock:
            if self._at == at:
                if len(self._kept) >= MOST_KEPT:
                    self._kept.clear()
                self._kept[key] = fresh
        return fresh

    def passages(
        self, at: Revision, rows: NDArray[np.int64], read: Callable[[list[int]], Sequence[Passage]]
    ) -> Passages | None:
        """The passages of `rows`, which rise; `read` reads those that are not here.

        None where the cache has gone on meanwhile, or a row is damaged.
        """
        with self._lock:
            missing = rows[self._places(rows) < 0].tolist() if self._at == at else []
        fresh = Passages.of(read(missing)) if missing else None
        if fresh is not None and fresh.left_out:
            return None
        with self._lock:
            if self._at != at or (fresh is not None and not self._keep(fresh)):
                return None
            places = self._places(rows)
            return self._taken(rows[places >= 0], places[places >= 0])

    def _places(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        places = np.full(len(rows), -1, dtype=np.int32)
        known = rows < len(self._first)
        places[known] = self._first[rows[known]]
        return places

    def _taken(self, rows: NDArray[np.int64], places: NDArray[np.int32]) -> Passages:
        at = spread(places.astype(np.int64), self._many[rows].astype(np.int64))
        columns = self._columns[:, at]
        return Passages(columns, self._terms[spread(self._starts[at], columns[5])])

    def _keep(self, fresh: Passages) -> bool:
        """Add what was read; False where there was no room, and all is cleared."""
        if not len(fresh.rows):
            return True
        if self._count + len(fresh.rows) > MOST_PASSAGES:
            self._clear()
            return False
        count, words = self._count + len(fresh.rows), self._words + len(fresh.terms)
        self._columns = _grown(self._columns, count)
        self._starts = _grown(self._starts, count)
        self._terms = _grown(self._terms, words)
        new = slice(self._count, count)
        self._columns[:, new] = fresh.columns
        self._starts[new] = self._words + np.cumsum(fresh.sizes) - fresh.sizes
        self._terms[self._words : words] = fresh.terms
        begins = np.flatnonzero(np.diff(fresh.rows, prepend=-1))
        rows, size = fresh.rows[begins], int(fresh.rows[-1]) + 1
        self._first, self._many = _grown(self._first, size, -1), _grown(self._many, size)
        self._first[rows] = self._count + begins
        self._many[rows] = np.diff(begins, append=len(fresh.rows))
        self._count, self._words = count, words
        return True


class LexiconSnapshot:
    """The cache as one view of a user sees it."""

    def __init__(
        self, cache: LexiconCache, connection: SqlConnection, user: int, revision: Revision | None = None
    ) -> None:
        self._cache = cache.of(user)
        self._db = connection
        self._now = revision
        self._known: dict[Hashable, Any] = {}

    @property
    def ids(self) -> dict[int, TraceId]:
        """The ids of rows that were read so far, for all views."""
        return self._cache.ids

    @cached_property
    def _revision(self) -> Revision | None:
        """Where the cache stands for this snapshot; None where it is of no use to it."""
        return self._cache.follow(self._db, self._now)

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """What `read` finds among the facets, remembered as long as nothing changes in the store."""
        if key not in self._known:
            self._known[key] = self._cache.once(self._revision, key, read)
        found: T = self._known[key]
        return found

    def passages(self, rows: NDArray[np.int64], read: Callable[[list[int]], Sequence[Passage]]) -> Passages:
        """The passages of `rows`, which rise: from memory as far as they are there."""
        at = self._revision
        found = self._cache.passages(at, rows, read) if at is not None else None
        return Passages.of(read(rows.tolist())) if found is None else found


def _changed(connection: SqlConnection, user: int, since: int) -> set[str] | None:
    """What a user changed after a position; None where that is too much to look up, or it is unknown what it was."""
    events = connection.execute(
        "SELECT kind, subject FROM events WHERE user = ? AND position > ? AND kind <> ? LIMIT ?",
        (user, since, str(_UNTOUCHED), _MOST_EVENTS + 1),
    ).fetchall()
    if len(events) > _MOST_EVENTS or any(kind == EventKind.DAMAGED for kind, _ in events):
        return None
    return {subject for _, subject in events}


def _rows_of(connection: SqlConnection, subjects: Iterable[str]) -> NDArray[np.int64]:
    """The rows of those that are still there. What is gone is in no posting list, and its row is given to no other."""
    found: list[int] = []
    for some in batched(id for subject in subjects if (id := _packed(subject)) is not None):
        rows = connection.execute(f"SELECT row FROM traces WHERE id IN ({marks(some)})", some)
        found += [row for (row,) in rows]
    return np.array(found, dtype=np.int64)


def _packed(subject: str) -> bytes | None:
    try:
        return pack_id(subject) if subject.count("-") == _ID_DASHES else None
    except (AttributeError, ValueError):
        return None


def _grown(column: NDArray[Any], size: int, filled: int = 0) -> NDArray[Any]:
    """`column` with room for `size`, and more than that where it had to grow."""
    have = column.shape[-1]
    if size <= have:
        return column
    room = np.full((*column.shape[:-1], max(size, have * 3 // 2, 1_024)), filled, dtype=column.dtype)
    room[..., :have] = column
    return room
