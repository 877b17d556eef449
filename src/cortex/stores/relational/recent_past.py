"""A recent position of the ledger by the indexes of the present: what changed since is left out there, and what it said
then takes its place.

The statistics and the candidates are those of then, so the answers are as well. The more changed since, the less this
is worth; then everything is looked at (`past.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from cortex.domain.identity import TraceId, is_id
from cortex.domain.memory import Memory
from cortex.domain.passages import terms_of
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.stores.relational import lexicon
from cortex.stores.relational.codec import batched, marks, pack_id, unpack_id
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.keyword_search import Facets, Postings, Rows
from cortex.stores.relational.lexicon import UNIT_COLUMNS, Bag, Passage, Passages, Unit
from cortex.stores.relational.records import TRACE_COLUMNS

MOST_EVENTS = 50_000
"""After more events than this, to look at everything costs no more."""

_NO_ROWS = np.zeros(0, dtype=np.int64)


class EarlierTrace(NamedTuple):
    """One trace as it stood."""

    row: int
    facet: int
    trace: Trace
    since: int


class VectorTimes(NamedTuple):
    """When the vectors of a space came and went, in columns."""

    keys: Rows
    rows: Rows
    since: Rows
    until: Rows

    def at(self, position: int) -> tuple[Rows, Rows]:
        """The keys and rows of those that there were at a position."""
        there = (self.since <= position) & (position < self.until)
        return self.keys[there], self.rows[there]


NEVER = 2**63 - 1

ReadTrace = Callable[[Sequence[Any]], Trace | None]


class RecentPast:
    """What changed after a position, as it stood at that position."""

    def __init__(self, connection: SqlConnection, user: int, position: int, read_trace: ReadTrace) -> None:
        self._db = connection
        self._user = user
        self._position = position
        self._read_trace = read_trace
        self._facets_now: dict[int, int] = {}
        """The facets of what changed, as they are now, by row."""
        self._then: dict[int, EarlierTrace] = {}
        self.ids: frozenset[TraceId] = frozenset()
        """What changed, whether it was there then or not."""
        self._read()

    @classmethod
    def at(cls, connection: SqlConnection, user: int, position: int, read_trace: ReadTrace) -> RecentPast | None:
        """None where too much changed since."""
        (events,) = connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM events WHERE user = ? AND position > ? LIMIT ?) e",
            (user, position, MOST_EVENTS + 1),
        ).fetchone()
        return None if events > MOST_EVENTS else cls(connection, user, position, read_trace)

    def _read(self) -> None:
        rows = self._changed_rows()
        self.ids = frozenset(unpack_id(id) for id, *_ in rows.values())
        self._facets_now = {row: facet for row, (_, _, facet, _) in rows.items()}
        uses = {row: (count, last) for row, count, last in self._of_rows(
            "SELECT row, count(*), max(at) FROM accesses WHERE row IN ({}) AND position <= ? GROUP BY row", rows
        )}  # fmt: skip
        stood = {row for row, (*_, since) in rows.items() if since <= self._position}
        earlier = self._of_rows(
            "SELECT row, facet, body, checksum, since FROM versions WHERE row IN ({}) AND since <= ? AND until > ?",
            rows.keys() - stood, 2,
        )  # fmt: skip
        still = self._of_rows(
            "SELECT row, facet, body, checksum, since FROM traces WHERE row IN ({}) AND since <= ?", stood
        )
        for row, facet, body, checksum, since in (*earlier, *still):
            id, name, *_ = rows[row]
            count, last = uses.get(row, (0, None))
            trace = self._read_trace((id, name, body, last, count, facet, checksum))
            if trace is not None:
                self._then[row] = EarlierTrace(row, facet, trace, since)

    def _changed_rows(self) -> dict[int, tuple[bytes, str, int, int]]:
        """Id, name, facet and position of what events after the position are about, by row."""
        subjects = self._db.execute(
            "SELECT DISTINCT subject FROM events WHERE user = ? AND position > ?", (self._user, self._position)
        ).fetchall()
        found: dict[int, tuple[bytes, str, int, int]] = {}
        for some in batched(pack_id(subject) for (subject,) in subjects if is_id(subject)):
            rows = self._db.execute(
                "SELECT t.row, t.id, t.name, t.facet, t.since FROM traces t JOIN facets f ON f.id = t.facet"
                f" WHERE f.user = ? AND t.id IN ({marks(some)})",
                (self._user, *some),
            )
            found.update((row, (id, name, facet, since)) for row, id, name, facet, since in rows)
        return found

    def _of_rows(self, query: str, rows: Collection[int], positions: int = 1) -> Iterator[Sequence[Any]]:
        for some in batched(sorted(rows)):
            yield from self._db.execute(query.format(marks(some)), (*some, *[self._position] * positions)).fetchall()

    # --- what there was ---------------------------------------------------------------------------

    @property
    def there(self) -> Iterable[EarlierTrace]:
        """What changed and was there, as it stood."""
        return self._then.values()

    @cached_property
    def by_id(self) -> Mapping[TraceId, EarlierTrace]:
        return {then.trace.id: then for then in self._then.values()}

    @cached_property
    def rows(self) -> Rows:
        """The rows of what changed, in rising order."""
        return np.array(sorted(self._facets_now), dtype=np.int64)

    @cached_property
    def turns(self) -> Mapping[tuple[str, int], Turn]:
        """The turns among them, by session and place."""
        found = (then.trace for then in sorted(self.there, key=lambda then: then.trace.id, reverse=True))
        return {(trace.session, trace.seq): trace for trace in found if isinstance(trace, Turn)}

    def derived(self, turns: Collection[TraceId]) -> list[Memory]:
        wanted = frozenset(turns)
        traces = (then.trace for then in self.there)
        return [each for each in traces if isinstance(each, Memory) and not wanted.isdisjoint(each.source_turns)]

    def speakers(self, facets: Collection[int]) -> frozenset[str]:
        """Who spoke in these facets."""
        turns: Counter[str] = Counter()
        for some in batched(sorted(facets)):
            known = f"SELECT name, turns FROM speakers WHERE facet IN ({marks(some)})"
            for name, number in self._db.execute(known, some).fetchall():
                turns[name] += number
        for sign, counts in ((-1, self._speakers_now), (1, self._speakers_then)):
            for (facet, name), number in counts.items():
                turns[name] += sign * number if facet in facets else 0
        return frozenset(name for name, number in turns.items() if number > 0)

    @cached_property
    def _speakers_now(self) -> Mapping[tuple[int, str], int]:
        query = f"SELECT {TRACE_COLUMNS} FROM traces t WHERE t.name = 'turn' AND t.row IN ({{}})"
        rows = self._of_rows(query, self._facets_now, 0)
        turns = ((row[5], self._read_trace(row)) for row in rows)
        return Counter((facet, turn.speaker) for facet, turn in turns if isinstance(turn, Turn) and turn.speaker)

    @cached_property
    def _speakers_then(self) -> Mapping[tuple[int, str], int]:
        turns = ((then.facet, then.trace) for then in self.there)
        return Counter((facet, turn.speaker) for facet, turn in turns if isinstance(turn, Turn) and turn.speaker)

    # --- words ------------------------------------------------------------------------------------

    @cached_property
    def _threads(self) -> Mapping[str, int]:
        sessions = {session for session, _ in self.turns}
        found: dict[str, int] = {}
        for some in batched(sorted(sessions)):
            rows = self._db.execute(
                f"SELECT session, id FROM threads WHERE user = ? AND session IN ({marks(some)})", (self._user, *some)
            )
            found.update(rows.fetchall())
        return found

    @cached_property
    def units_then(self) -> Mapping[int, Sequence[Passage]]:
        """The passages of what changed, as they stood, by row."""
        return {then.row: list(self._units(then)) for then in self.there}

    def _units(self, then: EarlierTrace) -> Iterator[Passage]:
        trace = then.trace
        thread, seq = (self._threads.get(trace.session, -1), trace.seq) if isinstance(trace, Turn) else (-1, -1)
        for passage, words in enumerate(terms_of(trace)):
            yield Unit(then.row, passage, len(words), lexicon.pack(words), thread, seq)

    @cached_property
    def units_now(self) -> Mapping[int, Sequence[Passage]]:
        """The passages of what changed, as they are indexed now, by row."""
        found: dict[int, list[Passage]] = defaultdict(list)
        for some in batched(self.rows.tolist()):
            for unit in self._db.execute(
                f"SELECT {UNIT_COLUMNS} FROM lexicon l WHERE l.row IN ({marks(some)})", some
            ).fetchall():
                found[unit[0]].append(unit)
        return found

    def facets_then(self, now: Iterable[tuple[int, int, int, int]]) -> Facets:
        """The statistics of then, from facets with what they count now: traces, passages and terms."""
        counts = {id: [traces, passages, terms] for id, traces, passages, terms in now}
        for sign, units, facet_of in ((-1, self.units_now, self._facets_now), (1, self.units_then, self._facet_then)):
            for row, facet in facet_of.items():
                if (count := counts.get(facet)) is not None:
                    count[0] += sign
                    count[1] += sign * len(units.get(row, ()))
                    count[2] += sign * sum(unit[2] for unit in units.get(row, ()))
        return Facets((id, count[0], count[1], count[2]) for id, count in counts.items() if count[0] > 0)

    @cached_property
    def _facet_then(self) -> Mapping[int, int]:
        return {then.row: then.facet for then in self.there}

    def bags(self, facets: Collection[int]) -> tuple[Bag, Bag]:
        """The passages of what changed in these facets: as they are now, and as they stood."""
        wanted = frozenset(facets)

        def bag(units: Mapping[int, Sequence[Passage]], facet_of: Mapping[int, int]) -> Bag:
            inside = (some for row, some in units.items() if facet_of.get(row) in wanted)
            return Bag(Passages.of(chain.from_iterable(inside)))

        return bag(self.units_now, self._facets_now), bag(self.units_then, self._facet_then)

    def rows_in(self, facets: Collection[int]) -> Rows:
        """The rows of what changed and was in these facets."""
        return np.array(sorted(then.row for then in self.there if then.facet in facets), dtype=np.int64)


class RecentPostings:
    """The postings of the present without what changed since, and with what it said then."""

    def __init__(self, now: Postings, past: RecentPast, facets: Facets) -> None:
        self._now = now
        self._past = past
        self._bag_now, self._bag_then = past.bags(facets.ids)
        self._there = frozenset(self._bag_then.rows)
        self._places = {
            (unit[4], unit[5]): row for row in self._there for unit in past.units_then[row] if unit[1] == 0
        }  # fmt: skip

    def posted(self, any_of: Sequence[str], facets: Facets, required: str | None = None, most: int = -1) -> Rows:
        if most == 0:
            return _NO_ROWS
        more = most if most < 0 else most + len(self._past.rows)
        found = np.setdiff1d(self._now.posted(any_of, facets, required, more), self._past.rows)
        held = set[int]().union(*map(self._bag_then.holders, any_of))
        if required is not None:
            held &= set(self._bag_then.holders(required))
        both = np.union1d(found, np.array(sorted(held), dtype=np.int64))
        return both if most < 0 else both[-most:]

    def frequency(self, term: str, facets: Facets) -> int:
        now = self._now.frequency(term, facets)
        return now - len(self._bag_now.holders(term)) + len(self._bag_then.holders(term))

    def passages(self, rows: Rows) -> Passages:
        changed = np.isin(rows, self._past.rows)
        stayed = self._now.passages(rows[~changed])
        then = [unit for row in rows[changed].tolist() for unit in self._past.units_then[row]]
        return stayed.joined(Passages.of(then)) if then else stayed

    def rows_at(self, places: Sequence[tuple[int, int]], facets: Facets) -> Rows:
        found = np.setdiff1d(self._now.rows_at(places, facets), self._past.rows)
        return np.union1d(found, np.array([self._places[at] for at in places if at in self._places], dtype=np.int64))
