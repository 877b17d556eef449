"""Reading one tenant's traces from PostgreSQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.domain.growth import DayCount
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.sorting import Place, Placed, Sort, SortKey
from cortex.domain.text import capitals, folded
from cortex.domain.trace import Trace
from cortex.domain.vectors import EmbeddingSpace, Vector, unit
from cortex.ports.store import Counts, Filter, Match
from cortex.runtime.deadline import Deadline
from cortex.stores.postgres.codes import is_scope
from cortex.stores.postgres.connection import PackedVector, PgConnection, listed
from cortex.stores.postgres.damage import names_damage
from cortex.stores.postgres.hnsw import HnswIndexes
from cortex.stores.postgres.postings import PgPostings
from cortex.stores.postgres.row_security import ENTER
from cortex.stores.postgres.schema import CONTRADICTED
from cortex.stores.relational.code_index import CodeIndex
from cortex.stores.relational.codec import pack_id, pack_time, unpack_id, unpack_time
from cortex.stores.relational.filters import facet_conditions
from cortex.stores.relational.keyword_search import Facets
from cortex.stores.relational.lexicon_cache import LexiconCache, Revision
from cortex.stores.relational.past import RelationalPastView
from cortex.stores.relational.records import TRACE_COLUMNS, tally
from cortex.stores.relational.vectors import LONGEST, Embedded, Vectors, check_vector, rough_error
from cortex.stores.relational.view import DAY, RelationalView

_AFTER_ALL = b"\xff" * 17
"""Longer than an id, and so after every one."""

_FIELDS = r"replace(t.body, '\u0000', '\u0001')::json"
_CONTAINS = (
    "position(?::text IN translate("
    f"replace(CASE WHEN t.body IS JSON THEN {_FIELDS} ->> 'text' END, 'İ', 'i\u0307'), ?::text, ?::text)) > 0"
)
"""Whether a text has some words in it. What servers take for small letters depends on how they were set up."""
_SHARE = (
    f"CASE WHEN t.name = 'memory' AND t.body IS JSON THEN coalesce(({_FIELDS} ->> '{{0}}')::float8, {{1}}) ELSE 0 END"
)
"""A share among the fields of a memory; one at its default is left out of the body."""
_SORTED_BY = {
    SortKey.STORED: (
        "CASE WHEN t.name = 'chunk' THEN 0"
        " ELSE coalesce((SELECT min(v.since) FROM versions v WHERE v.row = t.row), t.since) END"
    ),
    SortKey.CREATED: "t.created",
    SortKey.CHANGED: "t.since",
    SortKey.USED: "CASE WHEN t.name = 'memory' THEN coalesce(t.used, 0) ELSE 0 END",
    SortKey.USES: "CASE WHEN t.name = 'memory' THEN t.uses ELSE 0 END",
    SortKey.IMPORTANCE: _SHARE.format("importance", 0.5),
    SortKey.CONFIDENCE: _SHARE.format("confidence", 1.0),
}

TEXT_BYTES = r"CASE WHEN t.body IS JSON THEN octet_length(replace(t.body, '\u0000', '\u0001')::json ->> 'text') END"
"""How many bytes the text of a trace has; `json` itself cannot read the character zero."""


@names_damage
class PgView(RelationalView):
    """One snapshot, bound to one user."""

    _db: PgConnection

    def __init__(
        self,
        connection: PgConnection,
        user: str,
        codes: Callable[[int, int], CodeIndex],
        lexicon: LexiconCache,
        hnsw: HnswIndexes | None = None,
    ) -> None:
        self._hnsw = hnsw
        self._asked = PackedVector(), 0
        """The vector that is searched for, and how many are wanted."""
        self._is_large = False
        self._last_codes: dict[int, tuple[int, int]] = {}
        """The numbers of the last code and the last tomb of each space."""
        super().__init__(connection, user, codes, lexicon)
        self._posted = PgPostings(connection, self._lexicon)

    def _begin(self, user: str) -> tuple[int, int, Revision | None]:
        # At once, as each question takes the time of a way to the server and back.
        found = self._db.execute(
            f"WITH u AS MATERIALIZED (SELECT u.id, {ENTER} FROM users u WHERE u.name = ?)"
            " SELECT u.id, coalesce((SELECT max(position) FROM events e WHERE e.user = u.id), 0),"
            " (SELECT value FROM meta WHERE key = 'rebuilt') FROM u",
            (user,),
        ).fetchone()
        if found is None:
            return -1, 0, None
        id, position, rebuilt = found
        return id, position, Revision(position, None, rebuilt)

    def _space_of(self, space: EmbeddingSpace) -> tuple[int, bytes | None, int | None] | None:
        if space.key not in self._spaces:  # each leg of a recall needs it
            self._spaces[space.key] = self._read_space(space)
        return self._spaces[space.key]

    def _read_space(self, space: EmbeddingSpace) -> tuple[int, bytes | None, int | None] | None:
        found = self._db.execute(
            "SELECT s.id, s.centre, s.centred, (SELECT max(seq) FROM codes c WHERE c.space = s.id),"
            " (SELECT max(code) FROM tombs t WHERE t.space = s.id),"
            " (SELECT max(seq) FROM tombs t WHERE t.space = s.id) FROM spaces s WHERE s.user = ? AND s.key = ?",
            (self._user, space.key),
        ).fetchone()
        if found is None:
            return None
        id, centre, centred, code, buried, tomb = found
        # A code that is gone left a tomb.
        self._last_codes[id] = max(code or 0, buried or 0), tomb or 0
        return id, centre, centred

    @property
    def _postings(self) -> PgPostings:
        return self._posted

    def _until(self, deadline: Deadline | None) -> AbstractContextManager[None]:
        return self._db.until(deadline)

    # --- by id -----------------------------------------------------------------------------------

    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        packed = [pack_id(id) for id in ids]
        rows = [row for id in ids if (row := self._rows.get(id)) is not None]
        found = self._read("traces t", "t.row = ANY (?::bigint[])", [listed(rows)]) if rows else {}
        if missing := [id for id in packed if id not in found]:
            found |= self._read("traces t", "t.id = ANY (?)", [missing])
        return [found[id] for id in packed if id in found]

    def _read(self, traces: str, where: str, values: Sequence[Any]) -> dict[bytes, Trace]:
        """The user's own traces of a query of `traces t`, by their packed ids."""
        rows = self._db.execute(
            f"SELECT {TRACE_COLUMNS} FROM {traces} WHERE t.user = ? AND {where}",
            (self._user, *values),
        )
        return {row[0]: trace for row in rows if (trace := self._read_trace(row))}

    def _ids_of(self, rows: Sequence[int]) -> dict[int, TraceId]:
        found = self._db.execute("SELECT row, id FROM traces WHERE row = ANY (?::bigint[])", (listed(rows),))
        return {row: unpack_id(id) for row, id in found}

    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        if not turns:
            return []
        found = self._read(
            "sources s JOIN traces t ON t.row = s.row", "s.turn = ANY (?)", [[pack_id(turn) for turn in turns]]
        )
        return [memory for _, memory in sorted(found.items()) if isinstance(memory, Memory)]

    # --- by meaning ------------------------------------------------------------------------------

    def _code_positions(self, space: int) -> tuple[int, int]:
        return self._last_codes[space]

    def _vector_keys(self, rows: Collection[int]) -> list[int]:
        found = self._db.execute("SELECT key FROM vectors WHERE row = ANY (?::bigint[])", (listed(rows),))
        return [key for (key,) in found]

    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        check_vector(vector, space)
        self._asked = PackedVector(unit(vector).astype("<f4").tobytes()), limit
        return super().nearest(vector, space, filter, limit, deadline)

    def _vectors_with(self, keys: NDArray[np.int64], dimension: int) -> Vectors:
        wanted = "vectors v WHERE v.key = ANY (?::bigint[])", [listed(keys.tolist())]
        found = self._promising(*wanted) if self._is_large else self._embedded(*wanted)
        return self._side_by_side(found, dimension)

    def _chosen(
        self, vector: Vector, space: int, centre: bytes, facets: Facets, allowed: set[int] | None, many: int
    ) -> NDArray[np.int64]:
        keys = super()._chosen(vector, space, centre, facets, allowed, many)
        # What is kept in memory afterwards is read whole.
        self._is_large = self._codes(space, len(vector)).is_large and not is_scope(keys)
        return keys

    def _accelerated(
        self, vector: Vector, space: int, facets: Facets, many: int, deadline: Deadline | None
    ) -> NDArray[np.int64] | None:
        keys = super()._accelerated(vector, space, facets, many, deadline)
        if keys is None and self._hnsw is not None:
            packed, limit = self._asked
            keys = self._hnsw.choose(self._db, space, packed, facets, limit)
        self._is_large = keys is not None
        return keys

    def _embedded(self, vectors: str, values: Sequence[Any]) -> list[Embedded]:
        return self._db.execute(f"SELECT v.key, v.row, v.passage, v.vector FROM {vectors}", values).fetchall()

    def _promising(self, vectors: str, values: Sequence[Any]) -> list[Embedded]:
        """Of these vectors those that may be among the nearest: the server compares them, and few travel.

        It compares in single precision, so whatever is nearly as near as the last comes along.
        """
        vector, limit = self._asked
        error = rough_error(len(vector) // 4)
        return self._db.execute(
            f"WITH near AS MATERIALIZED (SELECT v.key, v.row, v.vector <#> ? AS away FROM {vectors}),"
            " fit AS (SELECT * FROM near WHERE abs(away) <= ?),"  # a damaged one is longer
            " last AS (SELECT max(away) AS away FROM"
            "  (SELECT min(away) AS away FROM fit GROUP BY row ORDER BY 1 LIMIT ?) b)"
            " SELECT v.key, v.row, v.passage, v.vector FROM fit n CROSS JOIN last l JOIN vectors v ON v.key = n.key"
            " WHERE n.away <= l.away + ?",
            (vector, *values, LONGEST, max(0, limit), error),
        ).fetchall()

    def _vectors_of(self, space: int, facets: Facets, rows: set[int] | None) -> list[Embedded]:
        if rows is None:
            return self._promising(
                "vectors v JOIN traces t ON t.row = v.row WHERE v.space = ? AND v.until IS NULL"
                " AND t.facet = ANY (?::integer[])",
                [space, listed(facets.ids)],
            )
        only = " AND v.row = ANY (?::bigint[])"
        return self._db.execute(
            "SELECT v.key, v.row, v.passage, v.vector FROM vectors v JOIN traces t ON t.row = v.row"
            f" WHERE v.space = ? AND v.until IS NULL AND t.facet = ANY (?::integer[]){only}",
            (space, listed(facets.ids), listed(rows)),
        ).fetchall()

    def _vectors_by_id(self, space: int, facets: Facets, ids: Sequence[TraceId]) -> list[Embedded]:
        if self._rows.keys() >= set(ids):
            return self._vectors_of(space, facets, {self._rows[id] for id in ids})
        return self._db.execute(
            "SELECT v.key, v.row, v.passage, v.vector FROM traces t JOIN vectors v ON v.row = t.row"
            " WHERE t.id = ANY (?) AND v.space = ? AND v.until IS NULL AND t.facet = ANY (?::integer[])",
            ([pack_id(id) for id in ids], space, listed(facets.ids)),
        ).fetchall()

    # --- by walking ------------------------------------------------------------------------------

    def _allowed_rows(self, filter: Filter) -> set[int] | None:
        where, values = _row_conditions(filter, self._user)
        if not where:
            return None
        rows = self._db.execute(
            f"SELECT t.row FROM traces t JOIN facets f ON f.id = t.facet WHERE f.user = ?{where}",
            (self._user, *values),
        )
        return {row[0] for row in rows}

    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        return self._walked(filter, "t.id > ?", pack_id(after) if after else b"", "t.id", limit)

    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        return self._walked(filter, "t.id < ?", pack_id(before) if before else _AFTER_ALL, "t.id DESC", limit)

    def _walked(self, filter: Filter, beyond: str, place: bytes, order: str, limit: int) -> list[Trace]:
        where, values = _row_conditions(filter, self._user)
        return self._most(
            self._read_trace,
            f"SELECT {TRACE_COLUMNS} FROM traces t"
            f" WHERE t.facet = ANY (?::integer[]) AND {beyond}{where} ORDER BY {order} LIMIT ?",
            (listed(self._facets(filter).ids), place, *values),
            limit,
        )

    def sorted(self, filter: Filter, sort: Sort, after: Place | None = None, limit: int = 1_000) -> list[Placed]:
        value = _SORTED_BY[sort.key]
        where, values = _row_conditions(filter, self._user)
        beyond, direction = ("<", " DESC") if sort.descending else (">", "")
        if after is not None:
            where += f" AND ({value}, t.id) {beyond} (?, ?)"
            values += [after.value, pack_id(after.id)]
        return self._most(
            self._read_placed,
            f"SELECT {TRACE_COLUMNS}, s.value FROM (SELECT t.row, t.id, {value} AS value FROM traces t"
            f" WHERE t.facet = ANY (?::integer[]){where} ORDER BY 3{direction}, 2{direction} LIMIT ?) s"
            f" JOIN traces t ON t.row = s.row ORDER BY s.value{direction}, s.id{direction}",
            (listed(self._facets(filter).ids), *values),
            limit,
        )

    def days(self, filter: Filter, first: date) -> list[DayCount]:
        where, values = facet_conditions(filter)
        sorts: dict[int, tuple[tuple[str, str, str, str], int]] = {
            id: ((kind, label, trust, state), traces)
            for id, traces, kind, label, trust, state in self._db.execute(
                f"SELECT id, traces, kind, label, trust, state FROM facets WHERE user = ?{where} AND traces > 0"
                " ORDER BY id",
                (self._user, *values),
            )
        }
        rows = self._db.execute(
            f"SELECT facet, created / {DAY} AS day, count(*) FROM traces"
            " WHERE created >= ? AND facet = ANY (?::integer[]) GROUP BY facet, day ORDER BY facet, day",
            (pack_time(datetime.combine(first, time(), UTC)), listed(sorts)),
        ).fetchall()
        # Only these days are read: how many came before them follows from the counters of the facets.
        before = Counter({id: traces for id, (_, traces) in sorts.items()})
        for facet, _, number in rows:
            before[facet] -= number
        return [
            *(DayCount(None, *sorts[id][0], number) for id, number in before.items() if number),
            *(DayCount(unpack_time(day * DAY).date(), *sorts[facet][0], number) for facet, day, number in rows),
        ]

    def counts(self, filter: Filter) -> Counts:
        where, values = facet_conditions(filter)
        narrow, more = _row_conditions(filter, self._user)
        rows = self._db.execute(
            "SELECT f.lane, f.scope, f.kind, f.label, f.trust, f.state, count(*), min(t.created), max(t.created),"
            f" sum({TEXT_BYTES}) FROM traces t JOIN facets f ON f.id = t.facet"
            f" WHERE f.user = ?{where}{narrow} GROUP BY f.id",
            (self._user, *values, *more),
        ).fetchall()
        return tally(rows)


@names_damage
class PgPastView(RelationalPastView, PgView):
    """One snapshot, bound to one user, showing the ledger up to an earlier position."""


def _row_conditions(filter: Filter, user: int) -> tuple[str, list[Any]]:
    """The part of a filter that facets do not answer, in SQL, and its parameters."""
    where, values = "", list[Any]()
    if filter.sessions is not None:
        where += " AND t.thread IN (SELECT id FROM threads WHERE user = ? AND session = ANY (?::text[]))"
        values += [user, sorted(filter.sessions)]
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
        where += " AND t.id = ANY (?::bytea[])"
        values.append([pack_id(id) for id in sorted(filter.ids)])
    if filter.slots is not None:
        where += " AND t.slot = ANY (?::text[])"
        values.append(sorted(filter.slots))
    if filter.lacking is not None:
        where += (
            " AND NOT EXISTS (SELECT 1 FROM vectors v JOIN spaces s ON s.id = v.space"
            " WHERE v.row = t.row AND v.until IS NULL AND s.key = ?)"
        )
        values.append(filter.lacking.key)
    if filter.contains is not None:
        words = folded(filter.contains)
        where += f" AND {_CONTAINS}"
        values += [words, *capitals(words)]
    if filter.topics is not None:
        where += f" AND t.name = 'memory' AND CASE WHEN t.body IS JSON THEN coalesce({_FIELDS} ->> 'topic', '') END"
        where += " = ANY (?::text[])"
        values.append(sorted(filter.topics))
    if filter.tags is not None:
        where += (
            f" AND CASE WHEN t.body IS JSON THEN EXISTS (SELECT 1 FROM json_array_elements_text({_FIELDS} -> 'tags') g"
            " WHERE g = ANY (?::text[])) END"
        )
        values.append(sorted(filter.tags))
    if filter.contradicted is not None:
        where += f" AND {CONTRADICTED}" if filter.contradicted else f" AND NOT {CONTRADICTED}"
    return where, values
