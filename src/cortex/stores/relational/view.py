"""One tenant's traces at the present position: what every SQL store reads alike.

A store adds its own SQL for what depends on its indexes: posting lists, vectors, and walks over traces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cortex.domain.conversations import Before, Conversation, Length, latest
from cortex.domain.events import Event, EventCount, EventKind
from cortex.domain.growth import DayCount
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.sorting import Place, Placed, Sort
from cortex.domain.terms import QueryTerm
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, sign_codes, unit
from cortex.ports.store import RESERVED, Counts, Filter, Job, JobState, Match, Pulse, Skipped, Version
from cortex.runtime.deadline import Deadline
from cortex.stores.relational import calibrations, keyword_search
from cortex.stores.relational.checksums import UNREADABLE, Skips
from cortex.stores.relational.code_index import MANY, CodeIndex, enough
from cortex.stores.relational.codec import JOB_COLUMNS, batched, marks, pack_id, pack_time, unpack_id, unpack_time
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.filters import facet_conditions, is_only_ids, one_of, searchable
from cortex.stores.relational.keyword_search import Facets, Postings
from cortex.stores.relational.ledger import own_position
from cortex.stores.relational.lexicon_cache import MOST_IDS, LexiconCache, LexiconSnapshot, Revision
from cortex.stores.relational.records import (
    EVENT_COLUMNS,
    RECEIPT_COLUMNS,
    TRACE_COLUMNS,
    read_event,
    read_job,
    read_receipt,
    read_session,
    read_trace,
)
from cortex.stores.relational.vectors import (
    LONGEST,
    SCORE_DIGITS,
    Embedded,
    Vectors,
    check_vector,
    is_even,
    promising,
    worth_comparing,
)

T = TypeVar("T")

DAY = 86_400_000_000
"""A day as times are packed: in microseconds."""

_MOST_TURNS = 256


class RelationalView(ABC):
    """One snapshot, bound to one user."""

    def __init__(
        self, connection: SqlConnection, user: str, codes: Callable[[int, int], CodeIndex], lexicon: LexiconCache
    ) -> None:
        self._db = connection
        self._codes = codes
        self._skips = Skips()
        self._degraded = set[str]()
        self._user, position, revision = self._begin(user)
        self._lexicon = LexiconSnapshot(lexicon, connection, self._user, revision)
        self._rows: dict[TraceId, int] = {}
        """The rows of what searches found: to look a trace up by its row takes half of what it takes by its id."""
        self._spaces: dict[str, tuple[int, bytes | None, int | None] | None] = {}
        self._turns_at: dict[tuple[str, int], Turn | None] = {}
        """The turns at the places that were read: a recall looks at what stands beside a turn more than once."""
        self.last_position = self._position = position
        """Of the user's last event in this snapshot, whatever earlier position it shows."""

    def _begin(self, user: str) -> tuple[int, int, Revision | None]:
        """The number of the user, the position of their last event, and how far their lexicon is, where that is known.

        A user that is not there has the number -1.
        """
        found = self._db.execute("SELECT id FROM users WHERE name = ?", (user,)).fetchone()
        id = found[0] if found else -1
        return id, own_position(self._db, id), None

    # --- what a store adds -----------------------------------------------------------------------

    @property
    @abstractmethod
    def _postings(self) -> Postings:
        """The posting lists and the lexicon."""

    @abstractmethod
    def _until(self, deadline: Deadline | None) -> AbstractContextManager[None]:
        """Stops a query that runs past its deadline with `DeadlineExceeded`."""

    @abstractmethod
    def _ids_of(self, rows: Sequence[int]) -> dict[int, TraceId]:
        """The ids of rows."""

    @abstractmethod
    def _allowed_rows(self, filter: Filter) -> set[int] | None:
        """The rows that pass what facets do not cover; None when that is everything."""

    @abstractmethod
    def _code_positions(self, space: int) -> tuple[int, int]:
        """The numbers of the last code and the last tomb of a space, or later ones, that were ever written."""

    @abstractmethod
    def _vector_keys(self, rows: Collection[int]) -> list[int]:
        """The keys of the vectors of these rows."""

    @abstractmethod
    def _vectors_with(self, keys: NDArray[np.int64], dimension: int) -> Vectors:
        """The vectors with these keys that can be compared."""

    @abstractmethod
    def _vectors_of(self, space: int, facets: Facets, rows: set[int] | None) -> list[Embedded]:
        """The vectors of everything in these facets, or of these rows of it."""

    @abstractmethod
    def _vectors_by_id(self, space: int, facets: Facets, ids: Sequence[TraceId]) -> list[Embedded]:
        """The vectors of these traces, as far as they lie in these facets."""

    @abstractmethod
    def load(self, ids: Sequence[TraceId]) -> list[Trace]: ...

    @abstractmethod
    def derived(self, turns: Sequence[TraceId]) -> list[Memory]: ...

    @abstractmethod
    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]: ...

    @abstractmethod
    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]: ...

    @abstractmethod
    def sorted(self, filter: Filter, sort: Sort, after: Place | None = None, limit: int = 1_000) -> list[Placed]: ...

    @abstractmethod
    def days(self, filter: Filter, first: date) -> list[DayCount]: ...

    @abstractmethod
    def counts(self, filter: Filter) -> Counts: ...

    # --- where it stands -------------------------------------------------------------------------

    @property
    def position(self) -> int:
        return self._position

    @property
    def at(self) -> datetime | None:
        # The latest of all: in files of earlier releases the last event may have an earlier time than others.
        (last,) = self._db.execute(
            "SELECT max(at) FROM events WHERE user = ? AND position <= ?", (self._user, self.position)
        ).fetchone()
        return None if last is None else unpack_time(last)

    def pulse(self) -> Pulse:
        total = self._db.execute("SELECT sum(traces) FROM facets WHERE user = ?", (self._user,)).fetchone()[0]
        jobs = self._db.execute("SELECT state, count(*) FROM jobs WHERE user = ? GROUP BY state", (self._user,))
        return Pulse(self.position, total or 0, dict(jobs.fetchall()))

    # --- damaged rows ----------------------------------------------------------------------------

    @property
    def skipped(self) -> Sequence[Skipped]:
        return tuple(self._skips.rows.values())

    @property
    def degraded(self) -> Sequence[str]:
        return sorted(self._degraded)

    def degrade(self, code: str) -> None:
        """What is read here is affected by this."""
        self._degraded.add(code)

    def damage(self, id: TraceId) -> str | None:
        self.load([id])
        if any((skipped.table, skipped.key) == ("traces", id) for skipped in self.skipped):
            whole = len(self.history(id))
            return f"its row is damaged{_earlier(whole)}"
        moved = self._db.execute(
            "SELECT count(*), count(CASE WHEN source = 'versions' THEN 1 END) FROM quarantine"
            " WHERE user = ? AND (key = ? OR key LIKE ? || '@%')",
            (self._user, id, id),
        ).fetchone()
        return f"its row was damaged and is in the quarantine table{_earlier(moved[1])}" if moved[0] else None

    def _read_trace(self, row: Sequence[Any]) -> Trace | None:
        """The trace of a row of `TRACE_COLUMNS`; None where it is damaged."""
        # As `reading` does it, without the calls: this is the hottest part of reading.
        try:
            return read_trace(row)
        except UNREADABLE as error:
            self._skips.add("traces", row[0], type(error).__name__)
            return None

    def _read_placed(self, row: Sequence[Any]) -> Placed | None:
        """The trace of a row of `TRACE_COLUMNS`, and what it was sorted by."""
        *columns, value = row
        trace = self._read_trace(columns)
        return None if trace is None else Placed(trace, Place(value, trace.id))

    def _most(
        self, read: Callable[[Sequence[Any]], T | None], query: str, values: Sequence[Any], limit: int
    ) -> list[T]:
        """The first `limit` rows of a query that ends with `LIMIT ?`; a damaged one does not take another's place."""
        most = limit
        while True:
            rows = self._db.execute(query, (*values, most)).fetchall()
            found = [value for row in rows if (value := read(row)) is not None]
            missing = limit - len(found)
            if missing <= 0 or len(rows) < most:
                return found[:limit]
            most += 2 * missing

    # --- versions --------------------------------------------------------------------------------

    def history(self, id: TraceId) -> list[Version]:
        row = self._db.execute(
            f"SELECT t.row, t.since, {TRACE_COLUMNS} FROM traces t JOIN facets f ON f.id = t.facet"
            " WHERE t.id = ? AND f.user = ?",
            (pack_id(id), self._user),
        ).fetchone()
        if row is None:
            return []
        key, since, *now = row
        name, now[3:5] = now[1], (None, 0)
        older = self._db.execute(
            "SELECT since, until, body, facet, checksum FROM versions WHERE row = ? ORDER BY since", (key,)
        )
        versions = [
            *((self._read_version(id, name, begin, rest), begin, end) for begin, end, *rest in older),
            (self._read_trace(now), since, None),
        ]
        return [Version(trace, begin, end) for trace, begin, end in versions if trace is not None]

    def _read_version(self, id: TraceId, name: str, since: int, rest: Sequence[Any]) -> Trace | None:
        body, facet, checksum = rest
        return self._skips.reading("versions", f"{id}@{since}", read_trace, (id, name, body, None, 0, facet, checksum))

    # --- by words --------------------------------------------------------------------------------

    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        facets = self._facets(searchable(filter))
        if not terms or not facets.traces:
            return []
        with self._until(deadline):
            rows, scores = keyword_search.search(self._postings, terms, facets)
            return self._best_allowed(rows, scores, self._allowed_rows(filter), limit)

    def _best_allowed(
        self, rows: Sequence[int], scores: NDArray[np.float64], allowed: set[int] | None, limit: int
    ) -> list[Match]:
        if allowed is None:
            return self._best(rows, scores, limit)
        kept = [at for at, row in enumerate(rows) if row in allowed]
        return self._best([rows[at] for at in kept], scores[kept], limit)

    # --- by meaning ------------------------------------------------------------------------------

    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        check_vector(vector, space)
        # What has to be asked for first counts, too.
        with self._until(deadline):
            return self._nearest(unit(vector), space, filter, limit, deadline)

    def _nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None
    ) -> list[Match]:
        known = self._space_of(space)
        facets = self._facets(searchable(filter))
        if known is None or not facets.ids:
            return []
        id, centre, centred = known
        # A centre that came from a space that users shared holds from the user's next event on, in replays too.
        if centred is None or centred > self.position:
            centre = None
        if is_only_ids(filter) and len(filter.ids or ()) <= MANY:
            rows = self._vectors_by_id(id, facets, sorted(filter.ids or ()))
            found = self._side_by_side(worth_comparing(rows, vector, centre, enough(limit)), len(vector))
            return self._nearest_of(vector, found, limit)
        allowed = self._allowed_rows(filter)
        if centre is None or allowed is not None:
            keys = None
        else:
            keys = self._accelerated(vector, id, facets, enough(limit), deadline)
        if keys is not None:
            found = self._vectors_with(keys, len(vector))
        elif centre is not None and (allowed is None or len(allowed) > MANY):
            chosen = self._chosen(vector, id, centre, facets, allowed, enough(limit))
            found = self._codes(id, len(vector)).vectors(chosen, lambda keys: self._vectors_with(keys, len(vector)))
        else:
            rows = self._vectors_of(id, facets, allowed)
            if allowed is not None and len(allowed) <= MANY:
                rows = worth_comparing(rows, vector, centre, enough(limit))
            found = self._side_by_side(rows, len(vector))
        return self._nearest_of(vector, found, limit)

    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        return calibrations.latest(self._db, self._user, space)

    def _space_of(self, space: EmbeddingSpace) -> tuple[int, bytes | None, int | None] | None:
        """The user's own space with this key: its number, its centre, and from which position on it has one."""
        key = space.key
        if key not in self._spaces:  # each leg of a recall needs it
            self._spaces[key] = self._db.execute(
                "SELECT id, centre, centred FROM spaces WHERE user = ? AND key = ?", (self._user, key)
            ).fetchone()
        return self._spaces[key]

    def _chosen(
        self, vector: Vector, space: int, centre: bytes, facets: Facets, allowed: set[int] | None, many: int
    ) -> NDArray[np.int64]:
        """The keys of the vectors worth comparing exactly."""
        index = self._codes(space, len(vector))
        columns = index.columns(self._db, *self._code_positions(space))
        code = sign_codes(vector, np.frombuffer(centre, dtype="<f4"))
        keys = None if allowed is None else self._vector_keys(allowed)
        return index.choose(columns, facets.ids, code, many, keys)

    def _accelerated(
        self, vector: Vector, space: int, facets: Facets, many: int, deadline: Deadline | None
    ) -> NDArray[np.int64] | None:
        """The same by an engine that holds the vectors of large tenants; None where there is none, or it fails."""
        if (accelerator := self._codes(space, len(vector)).accelerator) is None:
            return None
        choice = accelerator.choose(self._db, space, vector, facets.ids, many, deadline)
        if choice.degraded is not None:
            self._degraded.add(f"nearest:{choice.degraded.value}")
        return choice.keys

    def _nearest_of(self, vector: Vector, found: Vectors, limit: int) -> list[Match]:
        found = promising(vector, found, limit)
        if not len(found.keys):
            return []
        cosines = found.cosines(vector)
        # Where a flipped bit made a vector long, or no number, it is worth nothing.
        fit = np.abs(cosines) <= LONGEST
        if not fit.all():
            self._skip_vectors(found.keys[~fit].tolist())
            return self._nearest_of(vector, found.only(fit), limit)
        row, passage = found.rows, found.passages
        # The best passage of each trace first, the earlier of two alike.
        order = np.lexsort((passage, -cosines, row))
        best = order[np.flatnonzero(np.diff(row[order], prepend=-1))]
        chosen: list[int] = row[best].tolist()
        return self._best(chosen, cosines[best], limit, dict(zip(chosen, passage[best].tolist(), strict=True)))

    def _side_by_side(self, found: Sequence[Embedded], dimension: int) -> Vectors:
        return Vectors.of(self._whole(found, dimension), dimension)

    def _whole(self, found: Sequence[Embedded], dimension: int) -> Sequence[Embedded]:
        """Those that can be compared at all; a vector that lost its length is left out."""
        width = 4 * dimension
        if is_even([each[3] for each in found], width):
            return found
        whole = [each for each in found if isinstance(each[3], bytes) and len(each[3]) == width]
        kept = {each[0] for each in whole}
        self._skip_vectors(each[0] for each in found if each[0] not in kept)
        return whole

    def _skip_vectors(self, damaged: Iterable[int]) -> None:
        for key in damaged:
            self._skips.add("vectors", key, "length")

    # --- what both searches share ----------------------------------------------------------------

    def _best(
        self,
        rows: Sequence[int],
        scores: NDArray[np.floating[Any]],
        limit: int,
        passages: Mapping[int, int] | None = None,
    ) -> list[Match]:
        """The `limit` best rows as matches, ties by id; a score of nothing counts only for vectors."""
        rounded = np.round(scores.astype(np.float64), SCORE_DIGITS)
        order = np.argsort(-rounded, kind="stable")
        if len(order) > limit:
            # Everything that ties with the last place has to be looked at, for ids decide ties.
            order = order[: int(np.searchsorted(-rounded[order], -rounded[order[limit - 1]], side="right"))]
        scored = {
            rows[at]: score
            for at, score in zip(order.tolist(), rounded[order].tolist(), strict=True)
            if score > 0.0 or passages is not None
        }
        found = sorted((-scored[row], id, row) for row, id in self._ids(list(scored)).items())[:limit]
        self._rows.update((id, row) for _, id, row in found)
        return [Match(id, -score, passages[row] if passages else 0) for score, id, row in found]

    def _ids(self, rows: Sequence[int]) -> dict[int, TraceId]:
        known = self._lexicon.ids
        found = {row: id for row in rows if (id := known.get(row)) is not None}
        if missing := [row for row in rows if row not in found]:
            fresh = self._ids_of(missing)
            if len(known) + len(fresh) > MOST_IDS:
                known.clear()
            known.update(fresh)
            found |= fresh
        return found

    # --- facets ----------------------------------------------------------------------------------

    def _facets(self, filter: Filter) -> Facets:
        def read() -> Facets:
            where, values = facet_conditions(filter)
            return Facets(
                self._db.execute(
                    f"SELECT id, traces, passages, terms FROM facets WHERE user = ?{where} AND traces > 0",
                    (self._user, *values),
                )
            )

        # Every leg of a recall needs the same ones, and so does the next recall.
        wanted = (filter.lanes, filter.scopes, filter.kinds, filter.trusts, filter.labels, filter.states)
        return self._once(("facets", *wanted), read)

    def _once(self, key: tuple[Hashable, ...], read: Callable[[], T]) -> T:
        """What `read` finds among the facets, remembered as long as nothing changes in the store."""
        return self._lexicon.once(key, read)

    def speakers(self, filter: Filter) -> frozenset[str]:
        facets = self._facets(filter).ids

        def read() -> frozenset[str]:
            query = "SELECT DISTINCT name FROM speakers WHERE "
            some = (self._db.execute(query + one_of("facet", ids), ids) for ids in batched(facets))
            return frozenset(row[0] for rows in some for row in rows)

        return self._once(("speakers", *facets), read)

    def scopes(self, filter: Filter) -> frozenset[str]:
        where, values = facet_conditions(filter)
        rows = self._db.execute(
            f"SELECT DISTINCT scope FROM facets WHERE user = ?{where} AND traces > 0", (self._user, *values)
        )
        return frozenset(row[0] for row in rows)

    # --- sessions --------------------------------------------------------------------------------

    def turn_at(self, session: str, seq: int) -> Turn | None:
        place = (session, seq)
        if place not in self._turns_at:
            if len(self._turns_at) >= _MOST_TURNS:
                self._turns_at.clear()
            self._turns_at[place] = self._turn_at(session, seq)
        return self._turns_at[place]

    def _turn_at(self, session: str, seq: int) -> Turn | None:
        row = self._db.execute(
            f"SELECT {TRACE_COLUMNS} FROM threads h JOIN traces t ON t.thread = h.id AND t.seq = ?"
            " WHERE h.user = ? AND h.session = ?",
            (seq, self._user, session),
        ).fetchone()
        turn = self._read_trace(row) if row else None
        return turn if isinstance(turn, Turn) else None

    def last_seq(self, session: str) -> int:
        found = self._db.execute(
            "SELECT max(t.seq) FROM threads h JOIN traces t ON t.thread = h.id WHERE h.user = ? AND h.session = ?",
            (self._user, session),
        ).fetchone()[0]
        return -1 if found is None else found

    def turns(self, session: str, after: int = -1, limit: int = 1_000) -> list[Turn]:
        found = self._most(
            self._read_trace,
            f"SELECT {TRACE_COLUMNS} FROM threads h JOIN traces t ON t.thread = h.id AND t.seq > ?"
            " WHERE h.user = ? AND h.session = ? ORDER BY t.seq, t.id LIMIT ?",
            (after, self._user, session),
            max(0, limit),
        )
        return [turn for turn in found if isinstance(turn, Turn)]

    def conversations(self, before: Before | None = None, limit: int = 50, named: str = "") -> list[Conversation]:
        # Counted by the index of places alone; of each session only the last turn is looked up for its time.
        rows = self._db.execute(
            "SELECT h.session, g.turns, t.created, h.id FROM (SELECT thread, count(*) AS turns, max(seq) AS final"
            " FROM traces WHERE thread IN (SELECT id FROM threads WHERE user = ?) GROUP BY thread) g"
            " JOIN threads h ON h.id = g.thread JOIN traces t ON t.thread = g.thread AND t.seq = g.final",
            (self._user,),
        ).fetchall()
        threads = {session: id for session, *_, id in rows}
        known = {session: Length(session, turns, unpack_time(created)) for session, turns, created, _ in rows}
        page = latest(known.values(), before, limit, named)
        extracted = self._extracted([threads[each.session] for each in page])
        found = []
        for each in page:
            if first := self.turns(each.session, -1, 1):
                number = extracted.get(threads[each.session], 0)
                found.append(
                    Conversation(each.session, each.turns, number, first[0].created_at, each.last_at, first[0].text)
                )
        return found

    def _extracted(self, threads: Sequence[int]) -> dict[int, int]:
        """How many memories were extracted from the turns of each of these threads."""
        if not threads:
            return {}
        rows = self._db.execute(
            "SELECT q.thread, count(DISTINCT s.row) FROM traces q JOIN sources s ON s.turn = q.id"
            f" WHERE {one_of('q.thread', threads)} GROUP BY q.thread",
            tuple(threads),
        )
        return dict(rows.fetchall())

    def state(self, session: str) -> Mapping[str, Any] | None:
        row = self._db.execute(
            "SELECT state, user, session, checksum FROM sessions WHERE user = ? AND session = ?", (self._user, session)
        ).fetchone()
        return self._skips.reading("sessions", session, read_session, *row) if row else None

    def sessions(self, after: str = "", limit: int = 100) -> list[str]:
        # Sorted here: databases sort names in other ways.
        rows = self._db.execute("SELECT session FROM sessions WHERE user = ?", (self._user,)).fetchall()
        names = sorted(str(name) for (name,) in rows)
        return [name for name in names if name > after and not name.startswith(RESERVED)][: max(0, limit)]

    # --- ledger, receipts, jobs ------------------------------------------------------------------

    def events(self, after: int = 0, limit: int = 1_000) -> list[Event]:
        return self._most(
            self._read_event,
            f"SELECT {EVENT_COLUMNS} FROM events"
            " WHERE user = ? AND position > ? AND position <= ? ORDER BY position LIMIT ?",
            (self._user, after, self.position),
            limit,
        )

    def latest_events(
        self,
        limit: int = 50,
        *,
        before: int | None = None,
        kinds: Collection[EventKind] | None = None,
        subject: str | None = None,
    ) -> list[Event]:
        last = self.position if before is None else min(self.position, before - 1)
        where, values = "", list[Any]()
        if kinds is not None:
            where += f" AND {one_of('kind', kinds)}"
            values += sorted(kinds)
        if subject is not None:
            where += " AND subject = ?"
            values.append(subject)
        return self._most(
            self._read_event,
            f"SELECT {EVENT_COLUMNS} FROM events WHERE user = ? AND position <= ?{where}"
            " ORDER BY position DESC LIMIT ?",
            (self._user, last, *values),
            limit,
        )

    def event_days(self, first: date) -> list[EventCount]:
        rows = self._db.execute(
            f"SELECT at / {DAY} AS day, kind, count(*) FROM events WHERE user = ? AND position <= ? AND at >= ?"
            " GROUP BY day, kind ORDER BY day, kind",
            (self._user, self.position, pack_time(datetime.combine(first, time(), UTC))),
        )
        kinds = EventKind.__members__.values()
        return [
            EventCount(unpack_time(day * DAY).date(), EventKind(kind), number)
            for day, kind, number in rows.fetchall()
            if kind in kinds  # a damaged row may have another
        ]

    def changed_by(self, ids: Sequence[TraceId]) -> dict[TraceId, Event]:
        places: dict[TraceId, int] = {}
        for some in batched([pack_id(id) for id in ids]):
            rows = self._db.execute(
                "SELECT t.id, t.row, t.since FROM traces t JOIN facets f ON f.id = t.facet"
                f" WHERE f.user = ? AND t.id IN ({marks(some)})",
                (self._user, *some),
            ).fetchall()
            for id, row, since in rows:
                places[unpack_id(id)] = since if since <= self.position else self._since_then(row)
        found: dict[int, Event] = {}
        for positions in batched(sorted({since for since in places.values() if since})):
            rows = self._db.execute(
                f"SELECT {EVENT_COLUMNS} FROM events WHERE user = ? AND position IN ({marks(positions)})",
                (self._user, *positions),
            ).fetchall()
            found |= {event.position: event for row in rows if (event := self._read_event(row)) is not None}
        return {id: found[since] for id, since in places.items() if since in found}

    def _since_then(self, row: int) -> int:
        """Since when a trace said what it said at this view's position; 0 where it was not there yet."""
        found = self._db.execute(
            "SELECT max(since) FROM versions WHERE row = ? AND since <= ?", (row, self.position)
        ).fetchone()
        return int(found[0] or 0)

    def _read_event(self, row: Sequence[Any]) -> Event | None:
        return self._skips.reading("events", row[0], read_event, row)

    def _read_receipt(self, row: Sequence[Any]) -> Receipt | None:
        return self._skips.reading("receipts", row[0], read_receipt, row)

    def _read_job(self, row: Sequence[Any]) -> Job | None:
        return self._skips.reading("jobs", row[2], read_job, row)

    def receipt(self, id: ReceiptId) -> tuple[Receipt, str | None] | None:
        row = self._db.execute(
            f"SELECT {RECEIPT_COLUMNS} FROM receipts WHERE id = ? AND user = ?", (id, self._user)
        ).fetchone()
        receipt = self._read_receipt(row) if row else None
        return (receipt, row[2]) if receipt else None

    def receipts(self, limit: int = 20, op: str | None = None, before: ReceiptId | None = None) -> list[Receipt]:
        where, values = "", list[Any]()
        if op is not None:
            where += " AND op = ?"
            values.append(op)
        if before:
            where += " AND (at, id) < (SELECT at, id FROM receipts WHERE id = ? AND user = ?)"
            values += [before, self._user]
        return self._most(
            self._read_receipt,
            f"SELECT {RECEIPT_COLUMNS} FROM receipts WHERE user = ?{where} ORDER BY at DESC, id DESC LIMIT ?",
            (self._user, *values),
            limit,
        )

    def receipt_counts(self, before: datetime) -> tuple[int, int]:
        receipts, queries = self._db.execute(
            "SELECT count(*), count(query) FROM receipts WHERE user = ? AND at < ?", (self._user, pack_time(before))
        ).fetchone()
        return int(receipts), int(queries)

    def queries(self, after: ReceiptId | None = None, limit: int = 1_000) -> list[tuple[ReceiptId, str]]:
        rows = self._db.execute(
            "SELECT id, query FROM receipts WHERE user = ? AND query IS NOT NULL AND id > ? ORDER BY id LIMIT ?",
            (self._user, after or "", max(0, limit)),
        ).fetchall()
        return [(ReceiptId(str(id)), query) for id, query in rows if isinstance(query, str)]

    def jobs(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        where, values = (" AND state = ?", [state.value]) if state is not None else ("", [])
        return self._most(
            self._read_job,
            f"SELECT user, checksum, {JOB_COLUMNS} FROM jobs WHERE user = ?{where} ORDER BY due, id LIMIT ?",
            (self._user, *values),
            limit,
        )


def _earlier(versions: int) -> str:
    return f"; {versions} earlier versions of it are whole" if versions else ""
