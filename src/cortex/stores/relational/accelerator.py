"""Leaving the first pass over many vectors to an engine of its own, and feeding that engine.

Codes and tombs are the queue it is fed from: each code has a number that is never used again, and each tomb names a
code that is gone. The engine keeps, beside the points, up to which of both it was fed. It is fed after the commit and
outside of any transaction of the truth, so a crash only leaves the watermark behind. A search takes candidates from
the engine, leaves out those that its snapshot does not have, and adds all codes behind the watermark.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import Vector
from cortex.errors import DeadlineExceeded, EngineError, NearestUnavailable
from cortex.ports.nearest import Acceleration, Candidates, Nearest, NearestState, Points, Watermark
from cortex.runtime import pool
from cortex.runtime.deadline import Deadline
from cortex.runtime.pool import Threads
from cortex.stores.relational.codec import batched
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.filters import one_of
from cortex.stores.relational.vectors import is_even, matrix_of

log = logging.getLogger("cortex")

MOST_TAIL = 8_192
"""So many vectors behind the watermark are compared exactly; where there are more, the codes in memory are used."""

FEED_FROM = 1_024
"""Feeding begins by itself once so many codes or tombs are behind the watermark."""

BATCH = 8_192
"""How many points are put, or dropped, at once."""

MOST_FEEDS = 4
"""How many feeds a store knows."""

MOST_SEARCHES = 8
"""How many searches may wait for the engine at once; beyond, it counts as late."""

PAUSE_SECONDS = 10.0
"""After a failure the engine is left alone for so long, so that not every search waits for it."""

SHARE = 0.5
"""The share of the time left that a search waits for the engine: the codes in memory need time too."""

CLOSE_SECONDS = 10.0

FEED = "run `cortex admin optimize`, which feeds it; `cortex serve` and `cortex admin jobs run --forever` do so too"

T = TypeVar("T")

Reading = Callable[[], AbstractContextManager[SqlConnection]]
"""A snapshot of the truth."""

Write = Callable[[Callable[[SqlConnection], "_Fed"]], "_Fed"]
"""Runs a function in a write transaction of the truth."""


class Queue(NamedTuple):
    """What an engine is fed from, as one snapshot has it: the last code and the last tomb of a space, or later ones."""

    last_code: int
    last_tomb: int
    vectors: int
    """About how many there are; they decide whether an engine is used."""


class Choice(NamedTuple):
    """The keys of the vectors worth comparing exactly; None where the codes in memory are to choose them."""

    keys: NDArray[np.int64] | None = None
    degraded: NearestState | None = None
    """Why the engine did not choose them, though it should."""


class _Space(NamedTuple):
    """An embedding space that has codes, and what the store knows of its feeds."""

    id: int
    key: str
    dimension: int
    name: str = ""
    feeds: tuple[str, ...] = ()


class _Fed(NamedTuple):
    """A feed that begins: the space with the name of it, and how far it goes."""

    space: _Space
    upto: Queue
    is_lost: bool
    """Whether it begins anew."""
    is_done: bool
    """Whether there is nothing to feed."""


class Accelerator:
    """The engines of one store, one for each embedding space."""

    def __init__(
        self,
        acceleration: Acceleration,
        *,
        reading: Reading,
        write: Write,
        queue: Callable[[SqlConnection, int], Queue],
    ) -> None:
        """`queue` tells how far the codes of a space are. Numbers of a space must rise in the order of commits."""
        self._by = acceleration
        self._reading = reading
        self._write = write
        self._queue = queue
        self._opened: dict[str, Nearest] = {}
        self._opening = threading.Lock()
        self._searches = Threads(MOST_SEARCHES)
        self._feeding = threading.Lock()
        self._fed: dict[int, Queue] = {}
        """What this process has fed last, by space."""
        self._background: Future[None] | None = None
        self._failure: NearestUnavailable | None = None
        self._paused_until = 0.0
        self._is_closing = False

    # --- searching -------------------------------------------------------------------------------

    def choose(
        self,
        connection: SqlConnection,
        space: int,
        vector: Vector,
        facets: Sequence[int],
        many: int,
        deadline: Deadline | None,
    ) -> Choice:
        """The `many` vectors worth comparing, as the snapshot of `connection` has them, and all that were not fed."""
        queue = self._queue(connection, space)
        if queue.vectors < self._by.from_vectors:
            return Choice()
        known = _space(connection, space)
        if known is None or not known.name:
            return Choice(degraded=NearestState.BEHIND)
        try:
            found = self._in_time(lambda: self._engine(known).search(vector, facets, many), deadline)
        except DeadlineExceeded:
            return Choice(degraded=NearestState.LATE)
        except NearestUnavailable:
            return Choice(degraded=NearestState.UNAVAILABLE)
        if found is None or not self._is_ours(known, found.watermark):
            return Choice(degraded=NearestState.LOST)
        if found.watermark.dropping > queue.last_tomb:
            return Choice()  # it has dropped what this snapshot, which is older, still has
        return _present(connection, known, facets, found)

    def _is_ours(self, known: _Space, mark: Watermark) -> bool:
        if mark.feed in known.feeds:
            return True
        with self._reading() as connection:  # it may have been fed since the snapshot was taken
            now = _space(connection, known.id)
            return now is not None and mark.feed in now.feeds

    def _in_time(self, call: Callable[[], T], deadline: Deadline | None) -> T:
        """What `call` returns, which is left behind when it is late."""
        self._refuse_while_paused()
        seconds = self._by.seconds if deadline is None else min(self._by.seconds, deadline.left(SHARE))
        pending = self._searches.start(call, "cortex-nearest")
        if pending is None:
            raise DeadlineExceeded("too many searches wait for it already")
        try:
            found = pending.result(seconds)
        except FutureTimeout as error:
            if seconds >= self._by.seconds:
                self._pause(NearestUnavailable(f"{self._by.url} did not answer within {seconds:g} s", hint=_CHECK))
            raise DeadlineExceeded(f"{self._by.url} took too long") from error
        except NearestUnavailable as error:
            self._pause(error)
            raise
        self._failure = None
        return found

    def _refuse_while_paused(self) -> None:
        if self._failure is not None and self._by.clock.monotonic() < self._paused_until:
            raise self._failure

    def _pause(self, error: NearestUnavailable) -> None:
        log.warning("nearest: %s", error.message)
        self._failure = error.with_traceback(None)
        self._paused_until = self._by.clock.monotonic() + PAUSE_SECONDS

    def _engine(self, space: _Space) -> Nearest:
        with self._opening:
            if self._is_closing:
                raise NearestUnavailable("the store is closed")
            if space.name not in self._opened:
                self._opened[space.name] = self._by.open(space.name, space.dimension)
            return self._opened[space.name]

    # --- feeding ---------------------------------------------------------------------------------

    def begin_feeding(self) -> None:
        """Feed in the background where enough is behind."""
        is_running = self._background is not None and not self._background.done()
        if is_running or self._is_closing or self._by.clock.monotonic() < self._paused_until:
            return
        with self._reading() as connection:
            queues = {space.id: self._queue(connection, space.id) for space in _spaces(connection)}
        if any(self._is_behind(space, queue) for space, queue in queues.items()):
            self._background = pool.start(self._feed_in_background, "cortex-nearest-feed")

    def _is_behind(self, space: int, now: Queue) -> bool:
        fed = self._fed.get(space)
        if now.vectors < self._by.from_vectors or fed is None:
            return now.vectors >= self._by.from_vectors
        return max(now.last_code - fed.last_code, now.last_tomb - fed.last_tomb) >= FEED_FROM

    def _feed_in_background(self) -> None:
        try:
            self.feed()
        except NearestUnavailable as error:
            self._pause(error)
        except EngineError as error:  # the store itself is busy or closed: the next run goes on from here
            log.warning("nearest: not fed: %s", error.code)
        except Exception:  # nobody waits for the result
            log.exception("nearest: not fed")

    def feed(self, *, purge: bool = False) -> None:
        """Feed all that was committed by now; `purge` has the engine remove from its disk what it dropped."""
        with self._feeding:
            with self._reading() as connection:
                spaces = [(space, self._queue(connection, space.id)) for space in _spaces(connection)]
            for space, queue in spaces:
                if space.name or queue.vectors >= self._by.from_vectors:
                    self._feed(space)
                    self._engine(self._named(space.id)).optimize(purge=purge)
                    self._fed[space.id] = queue
            self._failure = None

    def _named(self, space: int) -> _Space:
        with self._reading() as connection:
            found = _space(connection, space)
        assert found is not None  # it was fed a moment ago
        return found

    def _feed(self, space: _Space) -> None:
        mark = self._engine(space).watermark() if space.name else None
        feed = os.urandom(8).hex()
        fresh = os.urandom(8).hex()

        def begin(connection: SqlConnection) -> _Fed:
            # The feed is written down together with the positions it goes up to: a restored older copy of the
            # truth has either both, or does not know the feed.
            upto, known = self._queue(connection, space.id), _space(connection, space.id) or space
            is_lost = mark is None or mark.feed not in known.feeds
            if mark is not None and not is_lost and (mark.fed, mark.dropped) == upto[:2]:
                return _Fed(known, upto, is_lost=False, is_done=True)
            # Two processes may feed at once, so the last few feeds are known; one that began before a loss is not.
            before = () if is_lost else known.feeds[: MOST_FEEDS - 1]
            known = known._replace(name=known.name or fresh, feeds=(feed, *before))
            _note(connection, known)
            return _Fed(known, upto, is_lost=is_lost, is_done=False)

        known, upto, is_lost, is_done = self._write(begin)
        if is_done:
            return
        engine = self._engine(known)
        if mark is None or is_lost:
            engine.clear()
            mark = Watermark(feed, dropped=upto.last_tomb)
        mark = Watermark(feed, mark.fed, upto.last_tomb, mark.dropped)
        for points, fed in self._points(known, mark.fed, upto.last_code):
            mark = Watermark(feed, fed, mark.dropping, mark.dropped)
            engine.put(points, mark)
        for gone in self._gone(mark.dropped, upto.last_tomb):
            engine.drop(gone)
        engine.put(_no_points(known.dimension), Watermark(feed, upto.last_code, upto.last_tomb, upto.last_tomb))

    def _points(self, space: _Space, after: int, last: int) -> Iterator[tuple[Points, int]]:
        """The codes of a space after one up to another, as points; each time with the last that is there by then."""
        width = 4 * space.dimension
        while True:
            self._stop_if_closing()
            with self._reading() as connection:
                rows = connection.execute(
                    "SELECT c.seq, c.facet, v.vector FROM codes c JOIN vectors v ON v.key = c.key"
                    " WHERE c.space = ? AND c.seq > ? AND c.seq <= ? ORDER BY c.seq LIMIT ?",
                    (space.id, after, last, BATCH),
                ).fetchall()
            if not rows:
                return
            after = rows[-1][0]
            if not is_even([row[2] for row in rows], width):  # a damaged one is not looked for
                rows = [row for row in rows if isinstance(row[2], bytes) and len(row[2]) == width]
            ids, facets = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2).T
            yield Points(ids, facets, matrix_of(b"".join(row[2] for row in rows), space.dimension)), after

    def _gone(self, after: int, last: int) -> Iterator[list[int]]:
        """The codes that the tombs after one up to another name."""
        for first in range(after, last, BATCH):
            self._stop_if_closing()
            with self._reading() as connection:
                rows = connection.execute(
                    "SELECT code FROM tombs WHERE seq > ? AND seq <= ?", (first, min(first + BATCH, last))
                ).fetchall()
            yield [code for (code,) in rows]

    def _stop_if_closing(self) -> None:
        if self._is_closing:
            raise NearestUnavailable("the store is being closed")

    # --- status ----------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Where it is, how it is, how far it is behind, and what to do."""
        with self._reading() as connection:
            queues = {space: self._queue(connection, space.id) for space in _spaces(connection)}
        vectors = max((queue.vectors for queue in queues.values()), default=0)
        status = {"url": self._by.url, "from_vectors": self._by.from_vectors, "vectors": vectors}
        spaces = [space for space, queue in queues.items() if queue.vectors >= self._by.from_vectors]
        if not spaces:
            return status | _state(NearestState.IDLE)
        if not all(space.name for space in spaces):
            return status | _state(NearestState.BEHIND, "it was not fed yet", FEED)
        try:
            found = [self._in_time(lambda space=space: _look(self._engine(space)), None) for space in spaces]  # type: ignore[misc]
        except DeadlineExceeded as error:
            return status | _state(NearestState.LATE, error.message, _CHECK)
        except NearestUnavailable as error:
            return status | _state(NearestState.UNAVAILABLE, error.message, error.hint or _CHECK)
        status |= {"spaces": {space.key: dict(about) for space, (_, about) in zip(spaces, found, strict=True)}}
        marks = [mark for mark, _ in found]
        if any(mark is None or not self._is_ours(space, mark) for space, mark in zip(spaces, marks, strict=True)):
            return status | _state(
                NearestState.LOST, "it has nothing of this memory, or of an earlier state of it", FEED
            )
        behind = sum(self._behind(space, mark.fed) for space, mark in zip(spaces, marks, strict=True) if mark)
        status |= {"behind": behind}
        if behind > MOST_TAIL:
            return status | _state(NearestState.BEHIND, f"{behind:,} vectors were not fed yet", FEED)
        return status | _state(NearestState.READY)

    def _behind(self, space: _Space, fed: int) -> int:
        with self._reading() as connection:
            count = "SELECT count(*) FROM codes WHERE space = ? AND seq > ?"
            found: int = connection.execute(count, (space.id, fed)).fetchone()[0]
            return found

    def close(self) -> None:
        self._is_closing = True
        if self._background is not None:
            wait([self._background], CLOSE_SECONDS)
        with self._opening:
            for engine in self._opened.values():
                engine.close()
            self._opened.clear()


class AcceleratedStore:
    """What stores that may use an engine have in common."""

    _accelerator: Accelerator | None = None

    def nearest_status(self) -> Mapping[str, Any] | None:
        return self._accelerator.status() if self._accelerator is not None else None

    def feed_nearest(self) -> None:
        if self._accelerator is not None:
            self._accelerator.feed()

    def begin_feeding(self) -> None:
        if self._accelerator is not None:
            self._accelerator.begin_feeding()

    def _purge_nearest(self) -> None:
        """Have what was erased leave the engine too."""
        if self._accelerator is not None:
            self._accelerator.feed(purge=True)

    def _close_nearest(self) -> None:
        if self._accelerator is not None:
            self._accelerator.close()


def vectors_of(connection: SqlConnection, space: int) -> int:
    """About how many vectors a space has: one for each passage of its user's."""
    found: int = connection.execute(
        "SELECT coalesce(sum(f.passages), 0) FROM spaces s JOIN facets f ON f.user = s.user WHERE s.id = ?", (space,)
    ).fetchone()[0]
    return int(found)


_CHECK = "check that it runs and is reachable; the codes in memory are used meanwhile"


def _no_points(dimension: int) -> Points:
    nothing = np.zeros(0, dtype=np.int64)
    return Points(nothing, nothing, np.zeros((0, dimension), dtype=np.float32))


def _look(engine: Nearest) -> tuple[Watermark | None, Mapping[str, Any]]:
    return engine.watermark(), engine.describe()


def _state(state: NearestState, why: str = "", fix: str = "") -> dict[str, Any]:
    return {"state": state.value, "why": why, "fix": fix}


def _present(connection: SqlConnection, space: _Space, facets: Sequence[int], found: Candidates) -> Choice:
    """The keys of the candidates that are there, and of everything behind the watermark."""
    fed = found.watermark.fed
    tail = connection.execute(
        "SELECT key, facet FROM codes WHERE seq > ? AND space = ? LIMIT ?", (fed, space.id, MOST_TAIL + 1)
    ).fetchall()
    if len(tail) > MOST_TAIL:
        return Choice(degraded=NearestState.BEHIND)
    rows = list(tail)
    for some in batched(found.ids[found.ids <= fed].tolist()):
        there = f"SELECT key, facet FROM codes WHERE {one_of('seq', some)} AND space = ?"
        rows += connection.execute(there, (*some, space.id)).fetchall()
    wanted = frozenset(facets)
    return Choice(np.unique(np.array([key for key, facet in rows if facet in wanted], dtype=np.int64)))


def _spaces(connection: SqlConnection) -> list[_Space]:
    """The spaces that have codes."""
    rows = connection.execute("SELECT id FROM spaces WHERE centre IS NOT NULL ORDER BY id").fetchall()
    return [found for (id,) in rows if (found := _space(connection, id)) is not None]


def _space(connection: SqlConnection, id: int) -> _Space | None:
    row = connection.execute("SELECT key, dimension FROM spaces WHERE id = ?", (id,)).fetchone()
    if row is None:
        return None
    kept = connection.execute("SELECT value FROM meta WHERE key = ?", (_KEY.format(id),)).fetchone()
    known = json.loads(kept[0]) if kept else {}
    key, dimension = row
    return _Space(id, key, dimension, known.get("name", ""), tuple(known.get("feeds", ())))


def _note(connection: SqlConnection, space: _Space) -> None:
    connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (_KEY.format(space.id), json.dumps({"name": space.name, "feeds": space.feeds})),
    )


_KEY = "nearest:{}"
"""Where the store keeps what it knows of the feeds of a space."""
