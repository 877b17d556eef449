"""Reading one tenant's traces as they stood at an earlier position.

The indexes hold the present only, so the past is searched by looking at everything that was there,
with the same choices and the same arithmetic as the present: the same state gives the same answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from cortex.domain.trace import Trace, is_contradicted, used_at
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, unit
from cortex.errors import InvalidRequest
from cortex.ports.clock import Deadline
from cortex.ports.store import Counts, Filter, Match, Pulse, Version
from cortex.stores.sqlite import calibrations, lexicon
from cortex.stores.sqlite.codec import pack_time, unpack_id
from cortex.stores.sqlite.codes import CodeIndex, enough
from cortex.stores.sqlite.connections import until
from cortex.stores.sqlite.damage import named
from cortex.stores.sqlite.lexicon import Bag, Passages, Unit
from cortex.stores.sqlite.lexicon_cache import LexiconCache
from cortex.stores.sqlite.reader import (
    MOST_FOLLOWED,
    POSTING_BUDGET,
    SqliteView,
    candidate_plan,
    facet_conditions,
    searchable,
    tally,
)
from cortex.stores.sqlite.vectors import Embedded, worth_comparing
from cortex.stores.sqlite.writer import check_vector, own_position


class Then(NamedTuple):
    """One trace as it stood."""

    row: int
    facet: int
    trace: Trace


class PastView(SqliteView):
    """One snapshot, bound to one user, showing the ledger up to `as_of`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
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
            " JOIN facets f ON f.id = t.facet WHERE f.user = :user AND t.since <= :at"
            " UNION ALL SELECT t.row, t.id, t.name, v.facet, v.body, v.checksum"
            " FROM versions v JOIN traces t ON t.row = v.row"
            " JOIN facets f ON f.id = v.facet WHERE f.user = :user AND v.since <= :at AND v.until > :at",
            {"user": self._user, "at": self.position},
        )
        found = {}
        for row, id, name, facet, body, checksum in rows:
            count, last = uses.get(row, (0, None))
            trace = self._read_trace((id, name, body, last, count, facet, checksum))
            if trace is not None:
                found[unpack_id(id)] = Then(row, facet, trace)
        return dict(sorted(found.items()))

    @named
    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        return [self._traces[id].trace for id in ids if id in self._traces]

    @named
    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        wanted = frozenset(turns)
        traces = (then.trace for then in self._traces.values())
        return [trace for trace in traces if isinstance(trace, Memory) and not wanted.isdisjoint(trace.source_turns)]

    @named
    def history(self, id: TraceId) -> list[Version]:
        known = [version for version in super().history(id) if version.since <= self.position]
        return [
            Version(version.trace, version.since, version.until if (version.until or 0) <= self.position else None)
            for version in known
        ]

    @named
    def neighbours(self, ids: Sequence[TraceId], reach: int = 1) -> Mapping[TraceId, Mapping[int, TraceId]]:
        around: dict[TraceId, dict[int, TraceId]] = {}
        for id in ids:
            turn = self._traces[id].trace if id in self._traces else None
            if isinstance(turn, Turn):
                near = {
                    offset: other
                    for offset in range(-reach, reach + 1)
                    if offset and (other := self._places.get((turn.session, turn.seq + offset)))
                }
                if near:
                    around[id] = near
        return around

    @cached_property
    def _places(self) -> dict[tuple[str, int], TraceId]:
        return {
            (then.trace.session, then.trace.seq): id
            for id, then in self._select(Filter())
            if isinstance(then.trace, Turn)
        }

    @named
    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        with until(deadline, self._db):
            there = [then for _, then in self._select(_facets_only(searchable(filter)))]
            wanted = {then.row for _, then in self._select(searchable(filter))}
        if not terms or not there:
            return []
        units = {then.row: _units(then) for then in there}
        everything = [unit for some in units.values() for unit in some]
        whole = Bag(Passages.of(everything))
        holders = {term.text: set(whole.holders(term.text)) for term in terms}
        frequencies = [len(holders[term.text]) for term in terms]
        mean = sum(unit.length for unit in everything) / len(everything) or 1.0
        rows = _candidates(list(holders), frequencies, holders, len(there))
        found = [unit for row in rows for unit in units[row]]
        bag = Bag(Passages.of(found))
        best = np.argsort(-bag.scores(terms, frequencies, len(there), mean), kind="stable")[:MOST_FOLLOWED]
        places = {(unit.thread, unit.seq): unit for unit in everything if unit.passage == 0}
        found += [after for place in bag.next_places(best) if (after := places.get(place)) and after.row not in rows]
        chosen = Bag(Passages.of(found))
        scores = chosen.scores(terms, frequencies, len(there), mean)
        kept = [at for at, row in enumerate(chosen.rows) if row in wanted]
        return self._best([chosen.rows[at] for at in kept], scores[kept], limit)

    @named
    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        check_vector(vector, space)
        vector = unit(vector)
        with until(deadline, self._db):
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

    @named
    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        return calibrations.latest(self._db, space, upto=self._as_of)

    def _vectors_then(self, space: int) -> list[Embedded]:
        return self._db.execute(
            "SELECT key, row, passage, vector FROM vectors WHERE space = ? AND since <= ?"
            " AND (until IS NULL OR until > ?)",
            (space, self.position, self.position),
        ).fetchall()

    @named
    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        found = (then.trace for id, then in self._select(filter) if after is None or id > after)
        return [trace for trace, _ in zip(found, range(limit), strict=False)]

    @named
    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        found = [then.trace for id, then in self._select(filter) if before is None or id < before]
        return found[::-1][:limit]

    @named
    def days(self, filter: Filter, first: date) -> list[DayCount]:
        return counted_by_day((then.trace for _, then in self._select(_facets_only(filter))), first)

    @named
    def pulse(self) -> Pulse:
        return replace(super().pulse(), total=len(self._traces))

    @named
    def counts(self, filter: Filter) -> Counts:
        names = {
            row[0]: row[1:] for row in self._db.execute("SELECT id, lane, scope, kind, label, trust, state FROM facets")
        }
        return tally(
            (*names[then.facet], 1, created, created, len(then.trace.text.encode()))
            for _, then in self._select(filter)
            if (created := pack_time(then.trace.created_at)) is not None
        )

    @named
    def speakers(self, filter: Filter) -> frozenset[str]:
        turns = (then.trace for _, then in self._select(_facets_only(filter)))
        return frozenset(turn.speaker for turn in turns if isinstance(turn, Turn) and turn.speaker)

    @named
    def scopes(self, filter: Filter) -> frozenset[str]:
        return frozenset(then.trace.scope for _, then in self._select(_facets_only(filter)))

    @named
    def turn_at(self, session: str, seq: int) -> Turn | None:
        return next((turn for turn in self._turns(session) if turn.seq == seq), None)

    @named
    def last_seq(self, session: str) -> int:
        return max((turn.seq for turn in self._turns(session)), default=-1)

    @named
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
            if then.facet in facets and then.row not in embedded and _passes(then.trace, filter):
                yield id, then

    def _embedded_then(self, space: EmbeddingSpace) -> set[int]:
        known = self._db.execute("SELECT id FROM spaces WHERE key = ?", (space.key,)).fetchone()
        return {row[1] for row in self._vectors_then(known[0])} if known else set()


def _units(then: Then) -> list[Unit]:
    """The passages of a trace as the lexicon of that time held them."""
    trace = then.trace
    thread, seq = (hash(trace.session), trace.seq) if isinstance(trace, Turn) else (-1, -1)
    return [
        Unit(then.row, passage, len(words), lexicon.pack(words), thread, seq)
        for passage, words in enumerate(terms_of(trace))
    ]


def _candidates(
    terms: Sequence[str], frequencies: Sequence[int], holders: Mapping[str, set[int]], traces: int
) -> set[int]:
    """The rows of what the present search would have scored."""
    if traces <= POSTING_BUDGET:
        return set().union(*holders.values())
    found: set[int] = set()
    for required, any_of, most in candidate_plan(terms, frequencies):
        holding = set().union(*(holders[term] for term in any_of))
        if required is not None:
            holding &= holders[required]
        found.update(sorted(holding, reverse=True)[: most - len(found)])
    return found


def _facets_only(filter: Filter) -> Filter:
    """The part of a filter that decides the statistics."""
    return Filter(
        lanes=filter.lanes, scopes=filter.scopes, kinds=filter.kinds, trusts=filter.trusts, labels=filter.labels,
        states=filter.states,
    )  # fmt: skip


def _passes(trace: Trace, filter: Filter) -> bool:
    if filter.sessions is not None and not (isinstance(trace, Turn) and trace.session in filter.sessions):
        return False
    if filter.ids is not None and trace.id not in filter.ids:
        return False
    if filter.slots is not None and not (isinstance(trace, Memory) and trace.slot in filter.slots):
        return False
    if filter.contradicted is not None and is_contradicted(trace) is not filter.contradicted:
        return False
    if filter.since is not None and trace.created_at < filter.since:
        return False
    if filter.used_since is not None and used_at(trace) < filter.used_since:
        return False
    return filter.until is None or trace.created_at < filter.until
