"""Reading one tenant's traces as they stood at an earlier position.

The indexes hold the present only, so the past is searched by looking at everything that was there,
with the same choices and the same arithmetic as the present: the same state gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cortex.domain.growth import DayCount, counted_by_day
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.passages import terms_of
from cortex.domain.terms import QueryTerm
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, unit
from cortex.errors import InvalidRequest
from cortex.ports.store import Counts, Filter, Match, Pulse, Version
from cortex.runtime.deadline import Deadline
from cortex.stores.relational import calibrations, keyword_search, lexicon
from cortex.stores.relational.code_index import CodeIndex, enough
from cortex.stores.relational.codec import pack_time, unpack_id
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.filters import facet_conditions, facets_only, passes, searchable
from cortex.stores.relational.keyword_search import Facets, Rows
from cortex.stores.relational.ledger import own_position
from cortex.stores.relational.lexicon import Bag, Passages, Unit
from cortex.stores.relational.lexicon_cache import LexiconCache
from cortex.stores.relational.records import tally
from cortex.stores.relational.vectors import Embedded, check_vector, worth_comparing
from cortex.stores.relational.view import RelationalView


class Then(NamedTuple):
    """One trace as it stood."""

    row: int
    facet: int
    trace: Trace


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

    @cached_property
    def _traces(self) -> dict[TraceId, Then]:
        """Everything that was there, with the use it had seen by then."""
        uses = {
            row: (count, last)
            for row, count, last in self._db.execute(
                "SELECT row, count(*), max(at) FROM accesses WHERE position <= ? GROUP BY row", (self.position,)
            )
        }
        rows = self._db.execute(
            "SELECT t.row, t.id, t.name, t.facet, t.body, t.checksum FROM traces t"
            " JOIN facets f ON f.id = t.facet WHERE f.user = ? AND t.since <= ?"
            " UNION ALL SELECT t.row, t.id, t.name, v.facet, v.body, v.checksum"
            " FROM versions v JOIN traces t ON t.row = v.row"
            " JOIN facets f ON f.id = v.facet WHERE f.user = ? AND v.since <= ? AND v.until > ?",
            (self._user, self.position, self._user, self.position, self.position),
        )
        found = {}
        for row, id, name, facet, body, checksum in rows:
            count, last = uses.get(row, (0, None))
            trace = self._read_trace((id, name, body, last, count, facet, checksum))
            if trace is not None:
                found[unpack_id(id)] = Then(row, facet, trace)
        return dict(sorted(found.items()))

    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        return [self._traces[id].trace for id in ids if id in self._traces]

    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        wanted = frozenset(turns)
        traces = (then.trace for then in self._traces.values())
        return [trace for trace in traces if isinstance(trace, Memory) and not wanted.isdisjoint(trace.source_turns)]

    def history(self, id: TraceId) -> list[Version]:
        known = [version for version in super().history(id) if version.since <= self.position]
        return [
            Version(version.trace, version.since, version.until if (version.until or 0) <= self.position else None)
            for version in known
        ]

    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
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
        with self._until(deadline):
            wanted = {then.row for _, then in self._select(searchable(filter))}
            known = self._db.execute("SELECT id, centre, centred FROM spaces WHERE key = ?", (space.key,)).fetchone()
            if known is None:
                return []
            id, centre, centred = known
            found = [each for each in self._vectors_then(id) if each[1] in wanted]
        # As given: receipts of earlier releases name a position of the agent's, beyond the user's own.
        coded = centre is not None and centred <= self._as_of
        worth = worth_comparing(found, vector, centre if coded else None, enough(limit))
        return self._nearest_of(vector, self._side_by_side(worth, len(vector)), limit)

    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        return calibrations.latest(self._db, space, upto=self._as_of)

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
        turns = (then.trace for _, then in self._select(facets_only(filter)))
        return frozenset(turn.speaker for turn in turns if isinstance(turn, Turn) and turn.speaker)

    def scopes(self, filter: Filter) -> frozenset[str]:
        return frozenset(then.trace.scope for _, then in self._select(facets_only(filter)))

    def turn_at(self, session: str, seq: int) -> Turn | None:
        return next((turn for turn in self._turns(session) if turn.seq == seq), None)

    def last_seq(self, session: str) -> int:
        return max((turn.seq for turn in self._turns(session)), default=-1)

    def turns(self, session: str, after: int = -1, limit: int = 1_000) -> list[Turn]:
        later = (turn for turn in self._turns(session) if turn.seq > after)
        return sorted(later, key=lambda turn: (turn.seq, turn.id))[: max(0, limit)]

    def _turns(self, session: str) -> Iterator[Turn]:
        """The turns of a session, whatever their state."""
        traces = (then.trace for then in self._traces.values())
        return (trace for trace in traces if isinstance(trace, Turn) and trace.session == session)

    def _select(self, filter: Filter) -> Iterator[tuple[TraceId, Then]]:
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
        known = self._db.execute("SELECT id FROM spaces WHERE key = ?", (space.key,)).fetchone()
        return {row[1] for row in self._vectors_then(known[0])} if known else set()


class PastPostings:
    """What a keyword search reads of traces as they stood."""

    def __init__(self, there: Sequence[Then]) -> None:
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
        return len(self._bag.holders(term))

    def passages(self, rows: Rows) -> Passages:
        return Passages.of([unit for row in rows.tolist() for unit in self._units[row]])

    def rows_at(self, places: Sequence[tuple[int, int]], facets: Facets) -> Rows:  # noqa: ARG002
        return np.array([self._places[place] for place in places if place in self._places], dtype=np.int64)


def _units(then: Then) -> list[Unit]:
    """The passages of a trace as the lexicon of that time held them."""
    trace = then.trace
    thread, seq = (hash(trace.session), trace.seq) if isinstance(trace, Turn) else (-1, -1)
    return [
        Unit(then.row, passage, len(words), lexicon.pack(words), thread, seq)
        for passage, words in enumerate(terms_of(trace))
    ]
