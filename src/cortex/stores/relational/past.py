"""Reading one tenant's traces as they stood at an earlier position.

The indexes hold the present. A recent position is searched by them, without what changed since and with what it said
then (`recent_past.py`). For an older one everything that was there is looked at. Both make the same choices with the
same arithmetic as the present: the same state gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import cached_property

import numpy as np

from cortex.domain.chunk import Chunk
from cortex.domain.conversations import Before, Conversation, gathered
from cortex.domain.growth import DayCount, counted_by_day
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.passages import terms_of
from cortex.domain.sorting import Place, Placed, Sort, SortKey, Value, in_order, value_of
from cortex.domain.terms import QueryTerm
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, hamming, sign_codes, unit
from cortex.errors import InvalidRequest
from cortex.ports.store import Counts, Filter, Match, Pulse, Version
from cortex.runtime.deadline import Deadline
from cortex.stores.relational import calibrations, keyword_search, lexicon
from cortex.stores.relational.code_index import CodeIndex, enough
from cortex.stores.relational.codec import batched, marks, pack_id, pack_time, unpack_id, unpack_time
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.filters import facet_conditions, facets_only, passes, searchable
from cortex.stores.relational.keyword_search import Facets, Rows
from cortex.stores.relational.ledger import own_position
from cortex.stores.relational.lexicon import Bag, Passages, Unit
from cortex.stores.relational.lexicon_cache import LexiconCache
from cortex.stores.relational.recent_past import NEVER, EarlierTrace, RecentPast, RecentPostings, VectorTimes
from cortex.stores.relational.records import tally
from cortex.stores.relational.vectors import (
    Embedded,
    Vectors,
    check_vector,
    choose,
    joined,
    nearest_by_codes,
    worth_comparing,
)
from cortex.stores.relational.view import RelationalView


class RelationalPastView(RelationalView):
    """One snapshot, bound to one user, showing the ledger up to `as_of`."""

    def __init__(
        self,
        connection: SqlConnection,
        user: str,
        codes: Callable[[int, int], CodeIndex],
        lexicon: LexiconCache,
        as_of: int,
    ) -> None:
        super().__init__(connection, user, codes, lexicon)
        if as_of < 0:
            raise InvalidRequest(f"{as_of} is not a position of the ledger", field="as_of",
                                 hint=f"give 0 to {self._position}")  # fmt: skip
        self._as_of = as_of
        self._position = own_position(connection, self._user, as_of)
        self._known_facets: dict[Filter, Facets] = {}
        self._known_postings: dict[tuple[int, ...], RecentPostings] = {}

    @cached_property
    def _recent(self) -> RecentPast | None:
        """What changed since; None where that is too much."""
        return RecentPast.at(self._db, self._user, self.position, self._read_trace)

    @cached_property
    def _traces(self) -> dict[TraceId, EarlierTrace]:
        """Everything that was there, with the use it had seen by then."""
        uses = {
            row: (count, last)
            for row, count, last in self._db.execute(
                "SELECT a.row, count(*), max(a.at) FROM accesses a JOIN traces t ON t.row = a.row"
                " JOIN facets f ON f.id = t.facet WHERE f.user = ? AND a.position <= ? GROUP BY a.row",
                (self._user, self.position),
            )
        }
        rows = self._db.execute(
            "SELECT t.row, t.id, t.name, t.facet, t.body, t.checksum, t.since FROM traces t"
            " JOIN facets f ON f.id = t.facet WHERE f.user = ? AND t.since <= ?"
            " UNION ALL SELECT t.row, t.id, t.name, v.facet, v.body, v.checksum, v.since"
            " FROM versions v JOIN traces t ON t.row = v.row"
            " JOIN facets f ON f.id = v.facet WHERE f.user = ? AND v.since <= ? AND v.until > ?",
            (self._user, self.position, self._user, self.position, self.position),
        )
        found = {}
        for row, id, name, facet, body, checksum, since in rows:
            count, last = uses.get(row, (0, None))
            trace = self._read_trace((id, name, body, last, count, facet, checksum))
            if trace is not None:
                found[unpack_id(id)] = EarlierTrace(row, facet, trace, since)
        return dict(sorted(found.items()))

    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        if (recent := self._recent) is None:
            return [self._traces[id].trace for id in ids if id in self._traces]
        stayed = super().load([id for id in ids if id not in recent.ids])  # type: ignore[safe-super]
        found = {trace.id: trace for trace in self._as_used_then(stayed)}
        found |= {id: recent.by_id[id].trace for id in ids if id in recent.by_id}
        return [found[id] for id in ids if id in found]

    def _as_used_then(self, traces: Sequence[Trace]) -> Iterator[Trace]:
        """The same with the use that they had seen by then."""
        uses: dict[TraceId, tuple[int, int | None]] = {}
        for some in batched(
            [pack_id(trace.id) for trace in traces if isinstance(trace, Memory) and trace.access_count]
        ):
            rows = self._db.execute(
                "SELECT t.id, count(a.row), max(a.at) FROM traces t LEFT JOIN accesses a ON a.row = t.row"
                f" AND a.position <= ? WHERE t.id IN ({marks(some)}) GROUP BY t.id",
                (self.position, *some),
            )
            uses.update((unpack_id(id), (count, last)) for id, count, last in rows)
        for trace in traces:
            if isinstance(trace, Memory) and trace.id in uses:
                count, last = uses[trace.id]
                at = None if last is None else unpack_time(last)
                yield replace(trace, access_count=count, last_accessed_at=at)
            else:
                yield trace

    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        if (recent := self._recent) is None:
            wanted = frozenset(turns)
            traces = (then.trace for then in self._traces.values())
            return [
                trace for trace in traces if isinstance(trace, Memory) and not wanted.isdisjoint(trace.source_turns)
            ]
        stayed = [each for each in super().derived(turns) if each.id not in recent.ids]  # type: ignore[safe-super]
        found = [*self._as_used_then(stayed), *recent.derived(turns)]
        return sorted((each for each in found if isinstance(each, Memory)), key=lambda memory: memory.id)

    def history(self, id: TraceId) -> list[Version]:
        known = [version for version in super().history(id) if version.since <= self.position]
        return [
            Version(version.trace, version.since, version.until if (version.until or 0) <= self.position else None)
            for version in known
        ]

    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        if (recent := self._recent_for(filter)) is None:
            return self._keywords_of_all(terms, filter, limit, deadline)
        if not terms:
            return []
        with self._until(deadline):
            facets = self._facets_then(recent, searchable(filter))
            if not facets.traces:
                return []
            postings = self._recent_postings(recent, facets)
            rows, scores = keyword_search.search(postings, terms, facets)
            allowed = self._allowed_then(recent, filter)
        return self._best_allowed(rows, scores, allowed, limit)

    def _keywords_of_all(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None
    ) -> list[Match]:
        with self._until(deadline):
            there = [then for _, then in self._select(facets_only(searchable(filter)))]
            wanted = {then.row for _, then in self._select(searchable(filter))}
        if not terms or not there:
            return []
        postings = PastPostings(there)
        rows, scores = keyword_search.search(postings, terms, postings.facets)
        return self._best_allowed(rows, scores, wanted, limit)

    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        check_vector(vector, space)
        vector = unit(vector)
        recent = self._recent_for(filter)
        with self._until(deadline):
            known = self._space_of(space)
            if known is None:
                return []
            id, centre, centred = known
            # As given: receipts of earlier releases name a position of the agent's, beyond the user's own.
            middle = centre if centred is not None and centred <= self._as_of else None
            if recent is not None:
                worth = self._worth_recently(recent, vector, id, middle, filter, enough(limit))
            else:
                wanted = {then.row for _, then in self._select(searchable(filter))}
                found = [each for each in self._vectors_then(id) if each[1] in wanted]
                worth = self._side_by_side(worth_comparing(found, vector, middle, enough(limit)), len(vector))
        return self._nearest_of(vector, worth, limit)

    # --- a recent position, by the indexes of the present ----------------------------------------------------------

    def _recent_for(self, filter: Filter) -> RecentPast | None:
        """What changed since, where the filter can be answered so."""
        return None if filter.lacking is not None else self._recent

    def _facets_then(self, recent: RecentPast, filter: Filter) -> Facets:
        wanted = facets_only(filter)
        if wanted not in self._known_facets:
            where, values = facet_conditions(wanted)
            now = self._db.execute(
                f"SELECT id, traces, passages, terms FROM facets WHERE user = ?{where}", (self._user, *values)
            ).fetchall()
            self._known_facets[wanted] = recent.facets_then(now)
        return self._known_facets[wanted]

    def _recent_postings(self, recent: RecentPast, facets: Facets) -> RecentPostings:
        wanted = tuple(facets.ids)
        if wanted not in self._known_postings:
            self._known_postings[wanted] = RecentPostings(self._postings, recent, facets)
        return self._known_postings[wanted]

    def _allowed_then(self, recent: RecentPast, filter: Filter) -> set[int] | None:
        """The rows that passed what facets do not cover; None when that is everything."""
        stayed = self._allowed_rows(replace(filter, used_since=None))
        if filter.used_since is not None:
            used = self._used_since(filter.used_since)
            stayed = used if stayed is None else stayed & used
        if stayed is None:
            return None
        passing = {then.row for then in recent.there if passes(then.trace, filter)}
        return stayed - set(recent.rows.tolist()) | passing

    def _used_since(self, at: datetime) -> set[int]:
        """What had been used since then by this position, or was made since then and never used."""
        rows = self._db.execute(
            "SELECT t.row FROM traces t JOIN facets f ON f.id = t.facet WHERE f.user = ? AND"
            " coalesce(CASE WHEN t.name = 'memory' THEN"
            " (SELECT max(a.at) FROM accesses a WHERE a.row = t.row AND a.position <= ?) END, t.created) >= ?",
            (self._user, self.position, pack_time(at)),
        )
        return {row for (row,) in rows}

    def _worth_recently(
        self, recent: RecentPast, vector: Vector, space: int, centre: bytes | None, filter: Filter, many: int
    ) -> Vectors:
        """The vectors of then that are worth comparing."""
        facets = frozenset(self._facets_then(recent, searchable(filter)).ids)
        allowed = self._allowed_then(recent, filter)
        keys, rows = self._times_of(space).at(self.position)
        if allowed is not None:
            passing = np.isin(rows, np.array(sorted(allowed), dtype=np.int64))
            keys, rows = keys[passing], rows[passing]
        changed = np.isin(rows, recent.rows)
        others = keys[changed & np.isin(rows, recent.rows_in(facets))]
        keys, rows = keys[~changed], rows[~changed]
        found: list[Vectors] = []
        if centre is not None and len(keys) > many:
            index = self._codes(space, len(vector))
            columns = index.columns(self._db, *self._code_positions(space))
            lookup = np.array(sorted(facets), dtype=np.int64)
            mask = columns.alive & np.isin(columns.facets, lookup) & np.isin(columns.keys, keys)
            code = sign_codes(vector, np.frombuffer(centre, dtype="<f4"))
            chosen = choose(hamming(columns.codes[mask], code), columns.keys[mask], many)
            found.append(index.vectors(chosen, lambda some: self._vectors_with(some, len(vector))))
            uncoded = ~np.isin(keys, columns.keys[columns.alive])
            keys, rows = keys[uncoded], rows[uncoded]
        others = np.concatenate([others, keys[np.isin(rows, self._rows_within(rows, facets))]])
        embedded = worth_comparing(self._vectors_at(others), vector, centre, many)
        found.append(self._side_by_side(embedded, len(vector)))
        return nearest_by_codes(joined(found), vector, centre, many)

    def _times_of(self, space: int) -> VectorTimes:
        """When the vectors of a space came and went; read once as long as nothing changes."""

        def read() -> VectorTimes:
            rows = self._db.execute(
                "SELECT key, row, since, coalesce(until, ?) FROM vectors WHERE space = ? ORDER BY key", (NEVER, space)
            ).fetchall()
            return VectorTimes(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)

        return self._once(("vector times", space), read)

    def _rows_within(self, rows: Rows, facets: frozenset[int]) -> Rows:
        """Those of some rows that lie in these facets."""
        found: list[int] = []
        for some in batched(np.unique(rows).tolist()):
            for row, facet in self._db.execute(f"SELECT row, facet FROM traces WHERE row IN ({marks(some)})", some):
                found += [row] if facet in facets else []
        return np.array(sorted(found), dtype=np.int64)

    def _vectors_at(self, keys: Rows) -> list[Embedded]:
        found: list[Embedded] = []
        for some in batched(sorted(keys.tolist())):
            query = f"SELECT key, row, passage, vector FROM vectors WHERE key IN ({marks(some)})"
            found += self._db.execute(query, some).fetchall()
        return found

    # --- the rest --------------------------------------------------------------------------------------------------

    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        return calibrations.latest(self._db, self._user, space, upto=self._as_of)

    def _vectors_then(self, space: int) -> list[Embedded]:
        return self._db.execute(
            "SELECT key, row, passage, vector FROM vectors WHERE space = ? AND since <= ?"
            " AND (until IS NULL OR until > ?)",
            (space, self.position, self.position),
        ).fetchall()

    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        found = (then.trace for id, then in self._select(filter) if after is None or id > after)
        return [trace for trace, _ in zip(found, range(limit), strict=False)]

    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        found = [then.trace for id, then in self._select(filter) if before is None or id < before]
        return found[::-1][:limit]

    def sorted(self, filter: Filter, sort: Sort, after: Place | None = None, limit: int = 1_000) -> list[Placed]:
        first = self._first_positions() if sort.key is SortKey.STORED else {}

        def placed(then: EarlierTrace) -> Placed:
            if sort.key is SortKey.STORED:
                value: Value = 0 if isinstance(then.trace, Chunk) else first.get(then.row, then.since)
            else:
                value = then.since if sort.key is SortKey.CHANGED else value_of(then.trace, sort.key)
            return Placed(then.trace, Place(value, then.trace.id))

        return in_order((placed(then) for _, then in self._select(filter)), sort, after, limit)

    def _first_positions(self) -> dict[int, int]:
        """Where the first versions are in the ledger, by row, of what has more than one."""
        return dict(
            self._db.execute(
                "SELECT v.row, min(v.since) FROM versions v JOIN facets f ON f.id = v.facet"
                " WHERE f.user = ? GROUP BY v.row",
                (self._user,),
            ).fetchall()
        )

    def days(self, filter: Filter, first: date) -> list[DayCount]:
        return counted_by_day((then.trace for _, then in self._select(facets_only(filter))), first)

    def pulse(self) -> Pulse:
        return replace(super().pulse(), total=len(self._traces))

    def counts(self, filter: Filter) -> Counts:
        names = {
            row[0]: row[1:] for row in self._db.execute("SELECT id, lane, scope, kind, label, trust, state FROM facets")
        }
        return tally(
            (*names[then.facet], 1, created, created, len(then.trace.text.encode()))
            for _, then in self._select(filter)
            if (created := pack_time(then.trace.created_at)) is not None
        )

    def speakers(self, filter: Filter) -> frozenset[str]:
        if (recent := self._recent) is not None:
            return recent.speakers(self._facets_then(recent, filter).ids)
        turns = (then.trace for _, then in self._select(facets_only(filter)))
        return frozenset(turn.speaker for turn in turns if isinstance(turn, Turn) and turn.speaker)

    def scopes(self, filter: Filter) -> frozenset[str]:
        if (recent := self._recent) is not None:
            names = dict(self._db.execute("SELECT id, scope FROM facets WHERE user = ?", (self._user,)).fetchall())
            return frozenset(names[id] for id in self._facets_then(recent, filter).ids)
        return frozenset(then.trace.scope for _, then in self._select(facets_only(filter)))

    def _turn_at(self, session: str, seq: int) -> Turn | None:
        if (recent := self._recent) is not None:
            if (turn := recent.turns.get((session, seq))) is not None:
                return turn
            turn = super()._turn_at(session, seq)
            return None if turn is None or turn.id in recent.ids else turn
        return next((turn for turn in self._turns(session) if turn.seq == seq), None)

    def last_seq(self, session: str) -> int:
        return max((turn.seq for turn in self._turns(session)), default=-1)

    def turns(self, session: str, after: int = -1, limit: int = 1_000) -> list[Turn]:
        later = (turn for turn in self._turns(session) if turn.seq > after)
        return sorted(later, key=lambda turn: (turn.seq, turn.id))[: max(0, limit)]

    def conversations(self, before: Before | None = None, limit: int = 50, named: str = "") -> list[Conversation]:
        return gathered((then.trace for then in self._traces.values()), before, limit, named)

    def _turns(self, session: str) -> Iterator[Turn]:
        """The turns of a session, whatever their state."""
        traces = (then.trace for then in self._traces.values())
        return (trace for trace in traces if isinstance(trace, Turn) and trace.session == session)

    def _select(self, filter: Filter) -> Iterator[tuple[TraceId, EarlierTrace]]:
        """What passes the filter, in order of id."""
        where, values = facet_conditions(filter)
        facets = {
            row[0]
            for row in self._db.execute(
                f"SELECT id FROM facets WHERE user = ?{where}",
                (self._user, *values),
            )
        }
        embedded = self._embedded_then(filter.lacking) if filter.lacking else set()
        for id, then in self._traces.items():
            if then.facet in facets and then.row not in embedded and passes(then.trace, filter):
                yield id, then

    def _embedded_then(self, space: EmbeddingSpace) -> set[int]:
        known = self._space_of(space)
        return {row[1] for row in self._vectors_then(known[0])} if known else set()


class PastPostings:
    """What a keyword search reads of traces as they stood."""

    def __init__(self, there: Sequence[EarlierTrace]) -> None:
        self._units = {then.row: _units(then) for then in there}
        everything = [unit for units in self._units.values() for unit in units]
        self._bag = Bag(Passages.of(everything))
        self._places = {(unit.thread, unit.seq): unit.row for unit in everything if unit.passage == 0}
        self.facets = Facets([(0, len(there), len(everything), sum(unit.length for unit in everything))])

    def posted(
        self,
        any_of: Sequence[str],
        facets: Facets,  # noqa: ARG002 - all of it lies in them
        required: str | None = None,
        most: int = -1,
    ) -> Rows:
        found = set[int]().union(*map(self._bag.holders, any_of))
        if required is not None:
            found &= set(self._bag.holders(required))
        newest = sorted(found, reverse=True)
        return np.array(sorted(newest if most < 0 else newest[:most]), dtype=np.int64)

    def frequency(self, term: str, facets: Facets) -> int:  # noqa: ARG002
        return self._bag.frequency(term)

    def passages(self, rows: Rows) -> Passages:
        return Passages.of([unit for row in rows.tolist() for unit in self._units[row]])

    def rows_at(self, places: Sequence[tuple[int, int]], facets: Facets) -> Rows:  # noqa: ARG002
        return np.array([self._places[place] for place in places if place in self._places], dtype=np.int64)


def _units(then: EarlierTrace) -> list[Unit]:
    """The passages of a trace as the lexicon of that time held them."""
    trace = then.trace
    thread, seq = (hash(trace.session), trace.seq) if isinstance(trace, Turn) else (-1, -1)
    return [
        Unit(then.row, passage, len(words), lexicon.pack(words), thread, seq)
        for passage, words in enumerate(terms_of(trace))
    ]
