"""Reading one tenant's traces at the present position."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cortex.domain.events import Event, EventKind
from cortex.domain.growth import DayCount
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.terms import QueryTerm
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, hamming, sign_codes, unit
from cortex.ports.clock import Deadline
from cortex.ports.store import Counts, Filter, Job, JobState, Match, Pulse, Skipped, Version
from cortex.stores.sqlite import calibrations
from cortex.stores.sqlite.codec import (
    JOB_COLUMNS,
    batched,
    listed,
    marks,
    pack_id,
    pack_time,
    padded,
    unpack_id,
    unpack_job,
    unpack_receipt,
    unpack_time,
    unpack_trace,
)
from cortex.stores.sqlite.codes import MANY, CodeIndex, choose, enough
from cortex.stores.sqlite.connections import until
from cortex.stores.sqlite.damage import UNREADABLE, Skips, check, named
from cortex.stores.sqlite.lexicon import UNIT_COLUMNS, Bag, Passage, Passages
from cortex.stores.sqlite.lexicon_cache import MOST_IDS, LexiconCache, Revision
from cortex.stores.sqlite.schema import CONTRADICTED
from cortex.stores.sqlite.vectors import (
    LONGEST,
    SCORE_DIGITS,
    Embedded,
    Vectors,
    is_even,
    matrix_of,
    numbers,
    promising,
    worth_comparing,
)
from cortex.stores.sqlite.writer import check_vector, facet_token, own_position, user_token

T = TypeVar("T")

POSTING_BUDGET = 4_000
"""How many candidates the keyword leg scores at most."""

_MANY_FACETS = 24

_MOST_FREQUENCIES = 4_096
_MOST_TURNS = 256
_SHORT = 2_048
"""Traces of up to this many characters are worth keeping in memory."""

_DAY = 86_400_000_000
"""In microseconds, as times are stored."""

MOST_FOLLOWED = 512
"""After how many of the best candidates the turn that follows is looked at as well."""

_HALF = 2**31
_PLACE_IN_NUMBER = ("(p.value >> 32)", "(p.value & 4294967295)")
_PLACE_IN_LIST = ("json_extract(p.value, '$[0]')", "json_extract(p.value, '$[1]')")
"""Thread and number of a turn, in a query of places `p`."""

class Facets:
    """The facets a filter allows, and the statistics of what lies in them."""

    def __init__(self, rows: Iterable[tuple[int, int, int, int]]) -> None:
        self.ids: list[int] = []
        self.traces = self.passages = self.terms = 0
        self.frequencies: dict[str, int] = {}
        """In how many traces each term occurs that was asked for."""
        for id, traces, passages, terms in rows:
            self.ids.append(id)
            self.traces += traces
            self.passages += passages
            self.terms += terms

    @property
    def mean_length(self) -> float:
        """Of a passage, in terms."""
        return self.terms / self.passages if self.terms else 1.0


TRACE_COLUMNS = "t.id, t.name, t.body, t.used, t.uses, t.facet, t.checksum"
"""What `_read_trace` takes, in a query of `traces t`."""


class SqliteView:
    """One snapshot, bound to one user."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        user: str,
        codes: Callable[[int, int], CodeIndex],
        lexicon: LexiconCache,
    ) -> None:
        self._db = connection
        self._codes = codes
        self._lexicon = lexicon
        self._skips = Skips()
        found = self._db.execute("SELECT id FROM users WHERE name = ?", (user,)).fetchone()
        self._user: int = found[0] if found else -1
        self._known: dict[Hashable, Any] = {}
        self._rows: dict[TraceId, int] = {}
        """The rows of what searches found: to look a trace up by its row takes half of what it takes by its id."""
        self._neighbors: dict[tuple[str, int], Turn | None] = {}
        """The turns at the places that were asked for: a recall looks at what stands beside a turn more than once."""
        self._position = own_position(self._db, self._user)

    @cached_property
    def _revision(self) -> Revision | None:
        """Where the cache of the lexicon stands for this snapshot; None where it is of no use to it."""
        return self._lexicon.follow(self._db)

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

    # --- damaged rows ----------------------------------------------------------------------------

    @property
    def skipped(self) -> Sequence[Skipped]:
        return tuple(self._skips.rows.values())

    @named
    def damage(self, id: TraceId) -> str | None:
        self.load([id])
        if any((skipped.table, skipped.key) == ("traces", id) for skipped in self.skipped):
            whole = len(self.history(id))
            return f"its row is damaged{_earlier(whole)}"
        moved = self._db.execute(
            "SELECT count(*), sum(source = 'versions') FROM quarantine"
            " WHERE user = ? AND (key = ? OR key LIKE ? || '@%')",
            (self._user, id, id),
        ).fetchone()
        return f"its row was damaged and is in the quarantine table{_earlier(moved[1] or 0)}" if moved[0] else None

    def _read_trace(self, row: Sequence[Any]) -> Trace | None:
        """The trace of a row of `TRACE_COLUMNS`; None where it is damaged."""
        # As `reading` does it, without the calls: this is the hottest part of reading.
        try:
            return _trace(row)
        except UNREADABLE as error:
            self._skips.add("traces", row[0], type(error).__name__)
            return None

    def _most(
        self, read: Callable[[Sequence[Any]], T | None], query: str, values: Sequence[Any], limit: int
    ) -> list[T]:
        """The first `limit` rows of a query that ends with `LIMIT ?`; a damaged one does not take another's place."""
        asked = limit
        while True:
            rows = self._db.execute(query, (*values, asked)).fetchall()
            found = [value for row in rows if (value := read(row)) is not None]
            missing = limit - len(found)
            if missing <= 0 or len(rows) < asked:
                return found[:limit]
            asked += 2 * missing

    # --- by id -----------------------------------------------------------------------------------

    @named
    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        packed = [pack_id(id) for id in ids]
        rows = [row for id in ids if (row := self._rows.get(id)) is not None]
        found = self._read("json_each(?) j CROSS JOIN traces t ON t.row = j.value", "1", [listed(rows)]) if rows else {}
        if len(rows) < len(ids):
            for some in map(padded, batched(id for id in packed if id not in found)):
                found |= self._read("traces t", f"t.id IN ({marks(some)})", [], some)
        return [found[id] for id in packed if id in found]

    def _read(
        self, traces: str, where: str, values: Sequence[Any], more: Sequence[Any] = ()
    ) -> dict[bytes, Trace]:
        """The user's own traces of a query of `traces t`, by their packed ids."""
        # `CROSS` keeps SQLite from asking every facet of the user for every trace.
        rows = self._db.execute(
            f"SELECT {TRACE_COLUMNS} FROM {traces} CROSS JOIN facets f ON f.id = t.facet WHERE f.user = ? AND {where}",
            (*values, self._user, *more),
        )
        return {row[0]: trace for row in rows if (trace := self._read_trace(row))}

    @named
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
        return self._skips.reading(
            "versions", f"{id}@{since}", _trace, (id, name, body, None, 0, facet, checksum)
        )

    @named
    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        found: dict[bytes, Trace] = {}
        for some in batched([pack_id(turn) for turn in turns]):
            rows = self._db.execute(
                f"SELECT {TRACE_COLUMNS} FROM sources s CROSS JOIN traces t ON t.row = s.row"
                f" CROSS JOIN facets f ON f.id = t.facet WHERE f.user = ? AND s.turn IN ({marks(some)})",
                (self._user, *some),
            )
            found.update((row[0], trace) for row in rows if (trace := self._read_trace(row)))
        return [memory for _, memory in sorted(found.items()) if isinstance(memory, Memory)]

    @named
    def neighbours(self, ids: Sequence[TraceId], reach: int = 1) -> Mapping[TraceId, Mapping[int, TraceId]]:
        around: dict[TraceId, dict[int, TraceId]] = {}
        for some in batched([pack_id(id) for id in ids]):
            rows = self._db.execute(
                "SELECT a.id, b.seq - a.seq, b.id FROM traces a CROSS JOIN facets f ON f.id = a.facet"
                " JOIN traces b ON b.thread = a.thread AND b.seq BETWEEN a.seq - ? AND a.seq + ? AND b.seq <> a.seq"
                " JOIN facets g ON g.id = b.facet AND g.state IN ('active', 'superseded')"
                f" WHERE f.user = ? AND a.id IN ({marks(some)})",
                (reach, reach, self._user, *some),
            )
            for id, offset, other in rows:
                around.setdefault(unpack_id(id), {})[offset] = unpack_id(other)
        return around

    # --- by words --------------------------------------------------------------------------------

    @named
    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        facets = self._facets(searchable(filter))
        if not terms or not facets.traces:
            return []
        with until(deadline, self._db):
            bag, frequencies = self._candidates(terms, facets)
            scores = bag.scores(terms, frequencies, facets.traces, facets.mean_length)
            following = self._following(bag, scores, facets)
            if len(following):
                bag = Bag(bag.passages.joined(self._passages(following).firsts()))
                scores = bag.scores(terms, frequencies, facets.traces, facets.mean_length)
            allowed = self._allowed_rows(filter)
        if allowed is None:
            return self._best(bag.rows, scores, limit)
        kept = [at for at, row in enumerate(bag.rows) if row in allowed]
        return self._best([bag.rows[at] for at in kept], scores[kept], limit)

    def _candidates(self, terms: Sequence[QueryTerm], facets: Facets) -> tuple[Bag, list[int]]:
        """The passages of traces that hold some of `terms`, and in how many traces each term occurs."""
        texts = [term.text for term in terms]
        if not any(is_term(text) for text in texts):
            return Bag(Passages.of(())), [0] * len(texts)
        if facets.traces <= POSTING_BUDGET:
            bag = Bag(self._passages(self._posted(texts, facets)))
            return bag, [len(bag.holders(text)) for text in texts]
        frequencies = [self._known_frequency(text, facets) for text in texts]
        found = np.zeros(0, dtype=np.int64)
        for required, any_of, most in candidate_plan(texts, frequencies):
            more = self._posted(any_of, facets, required, most - len(found))
            found = np.union1d(found, more) if len(found) else more  # no row is posted twice
        return Bag(self._passages(found)), frequencies

    def _passages(self, rows: NDArray[np.int64]) -> Passages:
        """The passages of `rows`, which rise: from memory as far as they are there."""
        at = self._revision
        found = self._lexicon.passages(at, rows, self._units) if at is not None else None
        return Passages.of(self._units(rows.tolist())) if found is None else found

    def _units(self, rows: Sequence[int]) -> list[Passage]:
        return self._db.execute(
            f"SELECT {UNIT_COLUMNS} FROM json_each(?) j CROSS JOIN lexicon l ON l.row = j.value", (listed(rows),)
        ).fetchall()

    def _following(self, bag: Bag, scores: NDArray[np.float64], facets: Facets) -> NDArray[np.int64]:
        """The rows of the turns right after the best candidates that hold none of the terms themselves."""
        # Stable, and the rows of a bag rise: ties go by row.
        places = bag.next_places(np.argsort(-scores, kind="stable")[:MOST_FOLLOWED])
        if not places:
            return np.zeros(0, dtype=np.int64)
        # As one number each where they are small enough: a list within a list has to be parsed again for every place.
        small = max(map(max, places)) < _HALF
        told = [(thread << 32) | seq for thread, seq in places] if small else places
        thread, seq = _PLACE_IN_NUMBER if small else _PLACE_IN_LIST
        rows = self._db.execute(
            "SELECT group_concat(b.row) FROM json_each(?) p"
            f" CROSS JOIN traces b ON b.thread = {thread} AND b.seq = {seq}"
            " WHERE +b.facet IN (SELECT value FROM json_each(?))",
            (listed(told), listed(facets.ids)),
        ).fetchone()
        return np.setdiff1d(numbers(rows[0]), bag.passages.rows)

    def _known_frequency(self, term: str, facets: Facets) -> int:
        """In how many traces a term occurs; counted once, as long as nothing changes in the store."""
        known = facets.frequencies
        frequency = known.get(term)
        if frequency is None:
            if len(known) >= _MOST_FREQUENCIES:
                known.clear()
            frequency = known[term] = self._frequency(term, facets)
        return frequency

    def _frequency(self, term: str, facets: Facets) -> int:
        if not is_term(term):
            return 0
        if self._told_by_tokens(facets):
            match = self._match([term], facets)
            count: int = self._db.execute("SELECT count(*) FROM postings WHERE postings MATCH ?", (match,)).fetchone()[
                0
            ]
            return count
        return len(self._posted([term], facets))

    def _posted(
        self, any_of: Sequence[str], facets: Facets, required: str | None = None, most: int = -1
    ) -> NDArray[np.int64]:
        """The rows of the newest `most` that hold `required` and any of the others, in rising order."""
        match = self._match(any_of, facets, required)
        newest = "SELECT rowid AS row FROM postings WHERE postings MATCH :match ORDER BY rowid DESC LIMIT :most"
        if not self._told_by_tokens(facets):
            # The user's token alone was asked of the postings: their facets are told by the first passage.
            newest = (
                "SELECT p.rowid AS row FROM postings p JOIN lexicon f ON f.row = p.rowid AND f.passage = 0"
                " WHERE postings MATCH :match AND f.facet IN (SELECT value FROM json_each(:facets))"
                " ORDER BY p.rowid DESC LIMIT :most"
            )
        (rows,) = self._db.execute(
            f"SELECT group_concat(row) FROM ({newest})", {"match": match, "facets": listed(facets.ids), "most": most}
        ).fetchone()
        return np.sort(numbers(rows))

    def _match(self, any_of: Sequence[str], facets: Facets, required: str | None = None) -> str:
        groups = []
        others = self._others(facets)
        few, few_others = len(facets.ids) <= _MANY_FACETS, len(others) <= _MANY_FACETS
        if others and not few_others:
            groups.append([facet_token(id) for id in facets.ids] if few else [user_token(self._user)])
        if required is not None:
            groups.append([required])
        groups.append([term for term in any_of if is_term(term)])
        match = " AND ".join(_any_of(group) for group in groups)
        # Where nearly everything is meant, it is quicker to leave out the rest.
        rest = _any_of([facet_token(id) for id in sorted(others)]) if others and few_others else ""
        return f"({match}) NOT {rest}" if rest else match

    def _told_by_tokens(self, facets: Facets) -> bool:
        """Whether the posting lists alone can tell what lies in these facets: they are few, or the others are."""
        return min(len(facets.ids), len(self._others(facets))) <= _MANY_FACETS

    def _others(self, facets: Facets) -> frozenset[int]:
        """The facets that have postings and are not among these."""
        return self._once(("others", *facets.ids), lambda: self._posted_facets().difference(facets.ids))

    def _posted_facets(self) -> frozenset[int]:
        posted = "SELECT id FROM facets WHERE traces > 0 AND state IN (SELECT value FROM json_each(?))"
        return frozenset(row[0] for row in self._db.execute(posted, (listed(sorted(SEARCHABLE)),)))

    # --- by meaning ------------------------------------------------------------------------------

    @named
    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        check_vector(vector, space)
        vector = unit(vector)
        known = self._db.execute("SELECT id, centre, centred FROM spaces WHERE key = ?", (space.key,)).fetchone()
        facets = self._facets(searchable(filter))
        if known is None or not facets.ids:
            return []
        id, centre, centred = known
        # Until this user's next event, whoever else brought about the centre: a replay goes by the same positions.
        if centre is not None and centred > self.position:
            centre = None
        with until(deadline, self._db):
            if _only_ids(filter) and len(filter.ids or ()) <= MANY:
                rows = self._vectors_by_id(id, facets, sorted(filter.ids or ()))
                found = self._side_by_side(worth_comparing(rows, vector, centre, enough(limit)), len(vector))
                return self._nearest_of(vector, found, limit)
            allowed = self._allowed_rows(filter)
            if centre is not None and (allowed is None or len(allowed) > MANY):
                chosen = self._chosen(vector, id, centre, facets, allowed, enough(limit))
                found = self._vectors_with(chosen, len(vector))
            else:
                rows = self._vectors_of(id, facets, allowed)
                if allowed is not None and len(allowed) <= MANY:
                    rows = worth_comparing(rows, vector, centre, enough(limit))
                found = self._side_by_side(rows, len(vector))
        return self._nearest_of(vector, found, limit)

    @named
    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        return calibrations.latest(self._db, space)

    def _chosen(
        self, vector: Vector, space: int, centre: bytes, facets: Facets, allowed: set[int] | None, many: int
    ) -> NDArray[np.int64]:
        """The keys of the vectors worth comparing exactly."""
        index = self._codes(space, len(vector))
        columns = index.columns(self._db)
        mask, keys = index.within(columns, facets.ids)
        if allowed is not None:
            rows = self._db.execute("SELECT key FROM vectors WHERE row IN (SELECT value FROM json_each(?))",
                                    (listed(allowed),))  # fmt: skip
            chosen = np.isin(keys, [row[0] for row in rows])
            mask = mask.copy()
            mask[np.flatnonzero(mask)[~chosen]] = False
            keys = keys[chosen]
        if len(keys) <= many:
            return keys
        code = sign_codes(vector, np.frombuffer(centre, dtype="<f4"))
        # Copying the codes of most rows costs more than comparing all of them.
        most = 4 * len(keys) > len(mask)
        distances = hamming(columns.codes if most else columns.codes[mask], code)
        return choose(distances[mask] if most and len(keys) < len(mask) else distances, keys, many)

    def _vectors_with(self, keys: NDArray[np.int64], dimension: int) -> Vectors:
        """The vectors with these keys that can be compared."""
        # As one blob and lists of numbers: to make a value of Python's for each costs as much as to find it.
        rows, passages, joined = self._db.execute(
            "SELECT group_concat(v.row), group_concat(v.passage), CAST(group_concat(v.vector, '') AS BLOB)"
            " FROM json_each(?) j CROSS JOIN vectors v ON v.key = j.value"
            " WHERE typeof(v.vector) = 'blob' AND length(v.vector) = ?",
            (listed(keys.tolist()), 4 * dimension),
        ).fetchone()
        row, passage, width = numbers(rows), numbers(passages), 4 * dimension
        if len(row) == len(passage) == len(keys) and len(joined or b"") == width * len(keys):
            return Vectors(keys, row, passage, matrix_of(joined or b"", dimension))
        # Some are damaged: they are told one by one.
        found = self._db.execute(
            "SELECT key, row, passage, vector FROM vectors WHERE key IN (SELECT value FROM json_each(?))",
            (listed(keys.tolist()),),
        ).fetchall()
        return self._side_by_side(found, dimension)

    def _vectors_of(self, space: int, facets: Facets, rows: set[int] | None) -> list[Embedded]:
        """The vectors of everything in these facets, or of these rows of it."""
        vectors = "vectors v CROSS JOIN traces t ON t.row = v.row"
        if rows is not None:
            vectors = "json_each(:rows) j CROSS JOIN traces t ON t.row = j.value CROSS JOIN vectors v ON v.row = t.row"
        return self._db.execute(
            f"SELECT v.key, v.row, v.passage, v.vector FROM {vectors} WHERE v.space = :space AND v.until IS NULL"
            " AND t.facet IN (SELECT value FROM json_each(:facets))",
            {"rows": listed(rows or ()), "space": space, "facets": listed(facets.ids)},
        ).fetchall()

    def _vectors_by_id(self, space: int, facets: Facets, ids: Sequence[TraceId]) -> list[Embedded]:
        """The vectors of these traces, as far as they lie in these facets."""
        if self._rows.keys() >= set(ids):
            return self._vectors_of(space, facets, {self._rows[id] for id in ids})
        packed = padded([pack_id(id) for id in ids])
        # `+` keeps SQLite from asking every facet for every id.
        return self._db.execute(
            "SELECT v.key, v.row, v.passage, v.vector FROM traces t CROSS JOIN vectors v ON v.row = t.row"
            f" WHERE t.id IN ({marks(packed)}) AND v.space = ? AND v.until IS NULL"
            " AND +t.facet IN (SELECT value FROM json_each(?))",
            (*packed, space, listed(facets.ids)),
        ).fetchall()

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
            read = self._db.execute(
                "SELECT t.row, t.id FROM json_each(?) j CROSS JOIN traces t ON t.row = j.value", (listed(missing),)
            )
            fresh = {row: unpack_id(id) for row, id in read}
            if len(known) + len(fresh) > MOST_IDS:
                known.clear()
            known.update(fresh)
            found |= fresh
        return found

    def _facets(self, filter: Filter) -> Facets:
        def read() -> Facets:
            where, values = facet_conditions(filter)
            return Facets(
                self._db.execute(
                    f"SELECT id, traces, passages, terms FROM facets WHERE user = ?{where} AND traces > 0",
                    (self._user, *values),
                )
            )

        # Every leg of a recall asks for the same ones, and so does the next recall.
        asked = (filter.lanes, filter.scopes, filter.kinds, filter.trusts, filter.labels, filter.states)
        return self._once(("facets", *asked), read)

    def _once(self, key: tuple[Hashable, ...], read: Callable[[], T]) -> T:
        """What `read` finds among the facets, remembered as long as nothing changes in the store."""
        if key not in self._known:
            self._known[key] = self._lexicon.once(self._revision, (self._user, *key), read)
        found: T = self._known[key]
        return found

    def _allowed_rows(self, filter: Filter) -> set[int] | None:
        """The rows that pass what facets do not cover; None when that is everything."""
        where, values = _row_conditions(filter, self._user)
        if not where:
            return None
        rows = self._db.execute(
            f"SELECT t.row FROM traces t {_joined(filter)} facets f ON f.id = t.facet WHERE f.user = ?{where}",
            (self._user, *values),
        )
        return {row[0] for row in rows}

    # --- by walking ------------------------------------------------------------------------------

    @named
    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        return self._walked(filter, "t.id > ?", pack_id(after) if after else b"", "t.id", limit)

    @named
    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        return self._walked(filter, "t.id < ?", pack_id(before) if before else _AFTER_ALL, "t.id DESC", limit)

    def _walked(self, filter: Filter, beyond: str, place: bytes, order: str, limit: int) -> list[Trace]:
        facets = self._facets(filter)
        where, values = _row_conditions(filter, self._user)
        # Sessions, and contradictions, are the way in; `+` keeps SQLite from walking through all facets instead.
        unless = "" if filter.sessions is None and not filter.contradicted else "+"
        return self._most(
            self._read_trace,
            f"SELECT {TRACE_COLUMNS} FROM traces t"
            f" WHERE {unless}t.facet IN (SELECT value FROM json_each(?)) AND {beyond}{where} ORDER BY {order} LIMIT ?",
            (listed(facets.ids), place, *values),
            limit,
        )

    @named
    def days(self, filter: Filter, first: date) -> list[DayCount]:
        where, values = facet_conditions(filter)
        sorts: dict[int, tuple[tuple[str, str, str, str], int]] = {
            id: ((kind, label, trust, state), traces)
            for id, traces, kind, label, trust, state in self._db.execute(
                f"SELECT id, traces, kind, label, trust, state FROM facets WHERE user = ?{where} AND traces > 0",
                (self._user, *values),
            )
        }
        everyone = self._db.execute("SELECT total(traces) FROM facets").fetchone()[0]
        # Where most traces are meant, it is quicker to walk through all than to look each up by its facet.
        way = "NOT INDEXED" if 4 * sum(traces for _, traces in sorts.values()) > everyone else ""
        rows = self._db.execute(
            f"SELECT facet, created / {_DAY} AS day, count(*) FROM traces {way}"
            " WHERE created >= ? AND facet IN (SELECT value FROM json_each(?)) GROUP BY facet, day",
            (pack_time(datetime.combine(first, time(), UTC)), listed(sorts)),
        ).fetchall()
        # Only the days asked for are looked at: how many came before them, the counters of the facets tell.
        before = Counter({id: traces for id, (_, traces) in sorts.items()})
        for facet, _, number in rows:
            before[facet] -= number
        return [
            *(DayCount(None, *sorts[id][0], number) for id, number in before.items() if number),
            *(DayCount(_day(day), *sorts[facet][0], number) for facet, day, number in rows),
        ]

    @named
    def pulse(self) -> Pulse:
        total = self._db.execute("SELECT sum(traces) FROM facets WHERE user = ?", (self._user,)).fetchone()[0]
        jobs = self._db.execute("SELECT state, count(*) FROM jobs WHERE user = ? GROUP BY state", (self._user,))
        return Pulse(self.position, total or 0, dict(jobs.fetchall()))

    @named
    def counts(self, filter: Filter) -> Counts:
        where, values = facet_conditions(filter)
        narrow, more = _row_conditions(filter, self._user)
        rows = self._db.execute(
            "SELECT f.lane, f.scope, f.kind, f.label, f.trust, f.state, count(*), min(t.created), max(t.created),"
            " sum(CASE WHEN json_valid(t.body) THEN length(CAST(json_extract(t.body, '$.text') AS BLOB)) END)"
            f" FROM traces t {_joined(filter)} facets f ON f.id = t.facet"
            f" WHERE f.user = ?{where}{narrow} GROUP BY f.id",
            (self._user, *values, *more),
        ).fetchall()
        return tally(rows)

    @named
    def speakers(self, filter: Filter) -> frozenset[str]:
        facets = self._facets(filter).ids

        def read() -> frozenset[str]:
            rows = self._db.execute(
                "SELECT DISTINCT name FROM speakers WHERE facet IN (SELECT value FROM json_each(?))", (listed(facets),)
            )
            return frozenset(row[0] for row in rows)

        return self._once(("speakers", *facets), read)

    @named
    def scopes(self, filter: Filter) -> frozenset[str]:
        where, values = facet_conditions(filter)
        rows = self._db.execute(
            f"SELECT DISTINCT scope FROM facets WHERE user = ?{where} AND traces > 0", (self._user, *values)
        )
        return frozenset(row[0] for row in rows)

    @named
    def turn_at(self, session: str, seq: int) -> Turn | None:
        place = (session, seq)
        if place not in self._neighbors:
            if len(self._neighbors) >= _MOST_TURNS:
                self._neighbors.clear()
            self._neighbors[place] = self._turn_at(session, seq)
        return self._neighbors[place]

    def _turn_at(self, session: str, seq: int) -> Turn | None:
        row = self._db.execute(
            f"SELECT {TRACE_COLUMNS} FROM threads h JOIN traces t ON t.thread = h.id AND t.seq = ?"
            " WHERE h.user = ? AND h.session = ?",
            (seq, self._user, session),
        ).fetchone()
        turn = self._read_trace(row) if row else None
        return turn if isinstance(turn, Turn) else None

    @named
    def last_seq(self, session: str) -> int:
        found = self._db.execute(
            "SELECT max(t.seq) FROM threads h JOIN traces t ON t.thread = h.id WHERE h.user = ? AND h.session = ?",
            (self._user, session),
        ).fetchone()[0]
        return -1 if found is None else found

    @named
    def turns(self, session: str, after: int = -1, limit: int = 1_000) -> list[Turn]:
        found = self._most(
            self._read_trace,
            f"SELECT {TRACE_COLUMNS} FROM threads h JOIN traces t ON t.thread = h.id AND t.seq > ?"
            " WHERE h.user = ? AND h.session = ? ORDER BY t.seq, t.id LIMIT ?",
            (after, self._user, session),
            max(0, limit),
        )
        return [turn for turn in found if isinstance(turn, Turn)]

    # --- ledger, receipts, sessions, jobs --------------------------------------------------------

    @named
    def events(self, after: int = 0, limit: int = 1_000) -> list[Event]:
        return self._most(
            self._read_event,
            f"SELECT {_EVENT_COLUMNS} FROM events"
            " WHERE user = ? AND position > ? AND position <= ? ORDER BY position LIMIT ?",
            (self._user, after, self.position),
            limit,
        )

    @named
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
            where += " AND kind IN (SELECT value FROM json_each(?))"
            values.append(listed(sorted(kinds)))
        if subject is not None:
            where += " AND subject = ?"
            values.append(subject)
        return self._most(
            self._read_event,
            f"SELECT {_EVENT_COLUMNS} FROM events WHERE user = ? AND position <= ?{where}"
            " ORDER BY position DESC LIMIT ?",
            (self._user, last, *values),
            limit,
        )

    def _read_event(self, row: Sequence[Any]) -> Event | None:
        return self._skips.reading("events", row[0], _event, row)

    def _read_receipt(self, row: Sequence[Any]) -> Receipt | None:
        return self._skips.reading("receipts", row[0], _receipt, row)

    def _read_job(self, row: Sequence[Any]) -> Job | None:
        return self._skips.reading("jobs", row[2], read_job, row)

    @named
    def receipt(self, id: ReceiptId) -> tuple[Receipt, str | None] | None:
        row = self._db.execute(
            f"SELECT {_RECEIPT_COLUMNS} FROM receipts WHERE id = ? AND user = ?", (id, self._user)
        ).fetchone()
        receipt = self._read_receipt(row) if row else None
        return (receipt, row[2]) if receipt else None

    @named
    def receipts(self, limit: int = 20, op: str | None = None, before: ReceiptId | None = None) -> list[Receipt]:
        earlier = " AND (at, id) < (SELECT at, id FROM receipts WHERE id = ? AND user = ?)" if before else ""
        return self._most(
            self._read_receipt,
            f"SELECT {_RECEIPT_COLUMNS} FROM receipts WHERE user = ? AND (? IS NULL OR op = ?){earlier}"
            " ORDER BY at DESC, id DESC LIMIT ?",
            (self._user, op, op, *((before, self._user) if before else ())),
            limit,
        )

    @named
    def state(self, session: str) -> Mapping[str, Any] | None:
        row = self._db.execute(
            "SELECT state, user, session, checksum FROM sessions WHERE user = ? AND session = ?", (self._user, session)
        ).fetchone()
        return self._skips.reading("sessions", session, session_state, *row) if row else None

    @named
    def jobs(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        return self._most(
            self._read_job,
            f"SELECT user, checksum, {JOB_COLUMNS} FROM jobs WHERE user = ? AND (? IS NULL OR state = ?)"
            " ORDER BY due, id LIMIT ?",
            (self._user, state, state),
            limit,
        )


def _trace(row: Sequence[Any]) -> Trace:
    """What a row of `TRACE_COLUMNS` holds; one that was read lately and is still the same is not decoded again."""
    read = _decoded if len(row[2]) <= _SHORT else _decoded.__wrapped__
    return read(*row[1:])


# By all that it is made of, its checksum included: whatever was changed is another row. No trace changes in place.
@lru_cache(maxsize=8_192, typed=True)
def _decoded(name: str, body: str, used: int | None, uses: int, facet: int, checksum: int | None) -> Trace:
    check(checksum, body, facet)
    return unpack_trace(name, body, used, uses)


_RECEIPT_COLUMNS = "id, body, query, user, checksum"


def _receipt(row: Sequence[Any]) -> Receipt:
    _, body, query, user, checksum = row
    check(checksum, body, user, query)
    return unpack_receipt(body)


def session_state(state: str, user: int, session: str, checksum: int | None) -> Mapping[str, Any]:
    """The state of a session, from its row."""
    check(checksum, state, user, session)
    found: Mapping[str, Any] = json.loads(state)
    return dict(found)


def read_job(row: Sequence[Any]) -> Job:
    """A job from its user, its checksum and `JOB_COLUMNS`."""
    user, checksum, *told = row
    _, kind, key, *_, payload, _ = told
    check(checksum, payload, user, kind, key)
    return unpack_job(tuple(told))


def _earlier(versions: int) -> str:
    return f"; {versions} earlier versions of it are whole" if versions else ""


_EVENT_COLUMNS = "position, at, kind, subject, commitment, seal"
_AFTER_ALL = b"\xff" * 17
"""Longer than an id, and so after every one."""


def _event(row: Sequence[Any]) -> Event:
    position, at, kind, subject, commitment, seal = row
    return Event(position, unpack_time(at), EventKind(kind), subject, commitment.hex(), seal.hex())


def _day(number: int) -> date:
    return unpack_time(number * _DAY).date()


def _any_of(tokens: Sequence[str]) -> str:
    """A match of any of the tokens. Each is quoted, so that nothing in it is an operator."""
    return "(" + " OR ".join(f'"{token}"' for token in tokens) + ")"


def is_term(text: str) -> bool:
    """Whether `text` can be a term of the index: no quote to end it, no `=` to forge a facet, no space."""
    return bool(text) and not any(char in '"=' or char.isspace() for char in text)


def searchable(filter: Filter) -> Filter:
    """`filter` without the states that searches never look at."""
    return replace(filter, states=filter.states & SEARCHABLE)


def candidate_plan(terms: Sequence[str], frequencies: Sequence[int]) -> list[tuple[str | None, list[str], int]]:
    """Which postings to read when there are too many to score: (required term, any of these, at most).

    Rarest terms first, as many as fit the budget. Where even the rarest is too common, what holds it
    together with another term comes first, then the newest that hold it.
    """
    order = sorted((frequency, term) for frequency, term in zip(frequencies, terms, strict=True) if frequency)
    rare: list[str] = []
    used = 0
    for frequency, term in order:
        if used + frequency > POSTING_BUDGET:
            break
        used += frequency
        rare.append(term)
    if rare:
        return [(None, rare, POSTING_BUDGET)]
    if not order:
        return []
    rarest, others = order[0][1], [term for _, term in order[1:]]
    together: list[tuple[str | None, list[str], int]] = [(rarest, others, POSTING_BUDGET)] if others else []
    return [*together, (None, [rarest], POSTING_BUDGET)]


def tally(rows: Iterable[tuple[str, str, str, str, str, str, int, int, int, int]]) -> Counts:
    """Counts from rows of lane, scope, kind, label, trust, state, number, oldest, newest and bytes."""
    by: tuple[dict[str, int], ...] = ({}, {}, {}, {}, {}, {})
    total = size = 0
    oldest: int | None = None
    newest: int | None = None
    for *names, number, first, last, length in rows:
        for counted, name in zip(by, names, strict=True):
            counted[name] = counted.get(name, 0) + number
        total += number
        size += length or 0
        oldest = first if oldest is None else min(oldest, first)
        newest = last if newest is None else max(newest, last)
    lane, scope, kind, label, trust, state = by
    return Counts(
        total, lane, scope, kind, label, trust, state,
        None if oldest is None else unpack_time(oldest), None if newest is None else unpack_time(newest), size,
    )  # fmt: skip


def facet_conditions(filter: Filter) -> tuple[str, list[str]]:
    """The part of a filter that facets answer."""
    wanted: Mapping[str, Iterable[str] | None] = {
        "lane": filter.lanes,
        "scope": filter.scopes,
        "kind": filter.kinds,
        "trust": filter.trusts,
        "label": filter.labels,
        "state": filter.states,
    }
    where, values = "", []
    for column, names in wanted.items():
        if names is not None:
            where += f" AND {column} IN (SELECT value FROM json_each(?))"
            values.append(listed(sorted(names)))
    return where, values


def _only_ids(filter: Filter) -> bool:
    """Whether a filter asks for ids, and for nothing else that facets do not answer."""
    others = (filter.sessions, filter.since, filter.until, filter.slots, filter.lacking, filter.contradicted)
    return filter.ids is not None and all(each is None for each in others)


def _joined(filter: Filter) -> str:
    """How facets are joined. Ids and sessions are the way in: without `CROSS` SQLite walks through all facets first."""
    return "JOIN" if filter.ids is None and filter.sessions is None else "CROSS JOIN"


def _row_conditions(filter: Filter, user: int) -> tuple[str, list[Any]]:
    """The part of a filter that has to be asked of each trace."""
    where, values = "", list[Any]()
    if filter.sessions is not None:
        # By the threads themselves, and not by what stands beside a trace: they are the way in.
        where += (
            " AND t.thread IN (SELECT id FROM threads WHERE user = ? AND session IN (SELECT value FROM json_each(?)))"
        )
        values += [user, listed(sorted(filter.sessions))]
    if filter.since is not None:
        where += " AND t.created >= ?"
        values.append(pack_time(filter.since))
    if filter.until is not None:
        where += " AND t.created < ?"
        values.append(pack_time(filter.until))
    if filter.used_since is not None:
        where += " AND coalesce(CASE WHEN t.name = 'memory' THEN t.used END, t.created) >= ?"
        values.append(pack_time(filter.used_since))
    if filter.ids is not None:
        where += f" AND t.id IN ({marks(filter.ids)})"
        values += [pack_id(id) for id in sorted(filter.ids)]
    if filter.slots is not None:
        where += f" AND t.slot IN ({marks(filter.slots)})"
        values += sorted(filter.slots)
    if filter.lacking is not None:
        where += (
            " AND NOT EXISTS (SELECT 1 FROM vectors v JOIN spaces s ON s.id = v.space"
            " WHERE v.row = t.row AND v.until IS NULL AND s.key = ?)"
        )
        values.append(filter.lacking.key)
    if filter.contradicted is not None:
        # As it stands in the index that has them, or SQLite does not know that it has.
        where += f" AND {CONTRADICTED}" if filter.contradicted else f" AND NOT {CONTRADICTED}"
    return where, values
