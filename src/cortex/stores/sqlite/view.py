"""Reading one tenant's traces from SQLite."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.domain.backup_manifest import Figures
from cortex.domain.growth import DayCount
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane
from cortex.domain.memory import Memory
from cortex.domain.sorting import Place, Placed, Sort, SortKey
from cortex.domain.text import folded
from cortex.domain.trace import Trace
from cortex.ports.store import Counts, Filter, figures_of
from cortex.runtime.deadline import Deadline
from cortex.stores.relational import dump
from cortex.stores.relational.code_index import CodeIndex
from cortex.stores.relational.codec import batched, marks, pack_id, pack_time, unpack_id, unpack_time
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.filters import facet_conditions
from cortex.stores.relational.keyword_search import Facets
from cortex.stores.relational.lexicon_cache import LexiconCache
from cortex.stores.relational.past import RelationalPastView
from cortex.stores.relational.records import TRACE_COLUMNS, tally
from cortex.stores.relational.vectors import Embedded, Vectors, matrix_of
from cortex.stores.relational.view import DAY, RelationalView
from cortex.stores.sqlite.connections import until
from cortex.stores.sqlite.damage import names_damage
from cortex.stores.sqlite.parameters import listed, numbers, padded
from cortex.stores.sqlite.postings import SqlitePostings
from cortex.stores.sqlite.schema import CONTRADICTED
from cortex.stores.sqlite.text_search import CONTAINS

_AFTER_ALL = b"\xff" * 17
"""Longer than an id, and so after every one."""


_FIELD = "CASE WHEN t.name = 'memory' AND json_valid(t.body) THEN coalesce(json_extract(t.body, '$.{0}'), '') END"
_SHARE = (
    "CASE WHEN t.name = 'memory' AND json_valid(t.body) THEN coalesce(json_extract(t.body, '$.{0}'), {1}) ELSE 0 END"
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


_NEWEST = Sort(SortKey.STORED, descending=True)
_IN_LEDGER = frozenset({Lane.MEMORIES, Lane.SESSIONS, Lane.OUTCOMES})
"""Lanes whose every version is an event of the ledger; chunks follow their files."""
_WALKED = 2_000
"""So many events are looked at before everything is sorted instead."""


@names_damage
class SqliteView(RelationalView):
    """One snapshot, bound to one user."""

    _db: sqlite3.Connection

    def __init__(
        self,
        connection: sqlite3.Connection,
        user: str,
        codes: Callable[[int, int], CodeIndex],
        lexicon: LexiconCache,
    ) -> None:
        super().__init__(connection, user, codes, lexicon)
        self._fts = SqlitePostings(connection, self._user, self._lexicon)

    @property
    def _postings(self) -> SqlitePostings:
        return self._fts

    def _until(self, deadline: Deadline | None) -> AbstractContextManager[None]:
        return until(deadline, self._db)

    # --- by id -----------------------------------------------------------------------------------

    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        packed = [pack_id(id) for id in ids]
        rows = [row for id in ids if (row := self._rows.get(id)) is not None]
        found = self._read("json_each(?) j CROSS JOIN traces t ON t.row = j.value", "1", [listed(rows)]) if rows else {}
        if len(rows) < len(ids):
            for some in map(padded, batched(id for id in packed if id not in found)):
                found |= self._read("traces t", f"t.id IN ({marks(some)})", [], some)
        return [found[id] for id in packed if id in found]

    def _read(self, traces: str, where: str, values: Sequence[Any], more: Sequence[Any] = ()) -> dict[bytes, Trace]:
        """The user's own traces of a query of `traces t`, by their packed ids."""
        # `CROSS` keeps SQLite from asking every facet of the user for every trace.
        rows = self._db.execute(
            f"SELECT {TRACE_COLUMNS} FROM {traces} CROSS JOIN facets f ON f.id = t.facet WHERE f.user = ? AND {where}",
            (*values, self._user, *more),
        )
        return {row[0]: trace for row in rows if (trace := self._read_trace(row))}

    def _ids_of(self, rows: Sequence[int]) -> dict[int, TraceId]:
        found = self._db.execute(
            "SELECT t.row, t.id FROM json_each(?) j CROSS JOIN traces t ON t.row = j.value", (listed(rows),)
        )
        return {row: unpack_id(id) for row, id in found}

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

    # --- by meaning ------------------------------------------------------------------------------

    def _code_positions(self, space: int) -> tuple[int, int]:  # noqa: ARG002 - all spaces of a file are numbered together
        return code_positions(self._db)

    def _vector_keys(self, rows: Collection[int]) -> list[int]:
        found = self._db.execute(
            "SELECT key FROM vectors WHERE row IN (SELECT value FROM json_each(?))", (listed(rows),)
        )
        return [key for (key,) in found]

    def _vectors_with(self, keys: NDArray[np.int64], dimension: int) -> Vectors:
        """The vectors with these keys that can be compared."""
        # As one blob and lists of numbers: a Python value for each costs as much as finding it.
        rows, passages, joined = self._db.execute(
            "SELECT group_concat(v.row), group_concat(v.passage), CAST(group_concat(v.vector, '') AS BLOB)"
            " FROM json_each(?) j CROSS JOIN vectors v ON v.key = j.value"
            " WHERE typeof(v.vector) = 'blob' AND length(v.vector) = ?",
            (listed(keys.tolist()), 4 * dimension),
        ).fetchone()
        row, passage, width = numbers(rows), numbers(passages), 4 * dimension
        if len(row) == len(passage) == len(keys) and len(joined or b"") == width * len(keys):
            return Vectors(keys, row, passage, matrix_of(joined or b"", dimension))
        # Some are damaged: they are read one by one.
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

    # --- by walking ------------------------------------------------------------------------------

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

    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        return self._walked(filter, "t.id > ?", pack_id(after) if after else b"", "t.id", limit)

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

    def sorted(self, filter: Filter, sort: Sort, after: Place | None = None, limit: int = 1_000) -> list[Placed]:
        facets, value = self._facets(filter), _SORTED_BY[sort.key]
        where, values = _row_conditions(filter, self._user)
        if sort == _NEWEST and filter.lanes is not None and filter.lanes <= _IN_LEDGER:
            found = self._newest(facets, where, values, after, limit)
            if len(found) == limit:
                return found
        beyond, direction = ("<", " DESC") if sort.descending else (">", "")
        if after is not None:
            where += f" AND ({value}, t.id) {beyond} (?, ?)"
            values += [after.value, pack_id(after.id)]
        order = f"ORDER BY value{direction}, id{direction}"
        # Of all that it looks at, only the numbers of rows are sorted, and few traces are read.
        return self._most(
            self._read_placed,
            f"SELECT {TRACE_COLUMNS}, s.value FROM (SELECT t.row, t.id, {value} AS value FROM traces t"
            f" {self._way(facets.traces, filter)} WHERE t.facet IN (SELECT value FROM json_each(?)){where} {order}"
            f" LIMIT ?) s CROSS JOIN traces t ON t.row = s.row ORDER BY s.value{direction}, s.id{direction}",
            (listed(facets.ids), *values),
            limit,
        )

    def _newest(
        self, facets: Facets, where: str, values: Sequence[Any], after: Place | None, limit: int
    ) -> list[Placed]:
        """What was stored last, by walking back a part of the ledger; fewer than `limit` if they are rare in it."""
        upto = self.position + 1 if after is None else after.value
        # `+` keeps SQLite from looking each trace up in every facet instead of by its id.
        return self._most(
            self._read_placed,
            f"SELECT {TRACE_COLUMNS}, e.position FROM events e CROSS JOIN traces t ON t.id = packed(e.subject)"
            " WHERE e.user = ? AND e.position < ? AND e.position > ? AND +t.facet IN (SELECT value FROM json_each(?))"
            f" AND e.position = {_SORTED_BY[SortKey.STORED]}{where} ORDER BY e.position DESC LIMIT ?",
            (self._user, upto, int(upto) - max(_WALKED, 4 * limit), listed(facets.ids), *values),
            limit,
        )

    def _way(self, traces: int, filter: Filter) -> str:
        """How to get at so many traces: where most count, it is quicker to walk through all than to look each up."""
        if filter.ids is not None or filter.sessions is not None or filter.contradicted or filter.slots is not None:
            return ""
        everyone = self._db.execute("SELECT total(traces) FROM facets").fetchone()[0]
        return "NOT INDEXED" if 4 * traces > everyone else ""

    def days(self, filter: Filter, first: date) -> list[DayCount]:
        where, values = facet_conditions(filter)
        sorts: dict[int, tuple[tuple[str, str, str, str], int]] = {
            id: ((kind, label, trust, state), traces)
            for id, traces, kind, label, trust, state in self._db.execute(
                f"SELECT id, traces, kind, label, trust, state FROM facets WHERE user = ?{where} AND traces > 0",
                (self._user, *values),
            )
        }
        way = self._way(sum(traces for _, traces in sorts.values()), Filter())
        rows = self._db.execute(
            f"SELECT facet, created / {DAY} AS day, count(*) FROM traces {way}"
            " WHERE created >= ? AND facet IN (SELECT value FROM json_each(?)) GROUP BY facet, day",
            (pack_time(datetime.combine(first, time(), UTC)), listed(sorts)),
        ).fetchall()
        # Only these days are read: how many came before them follows from the counters of the facets.
        before = Counter({id: traces for id, (_, traces) in sorts.items()})
        for facet, _, number in rows:
            before[facet] -= number
        return [
            *(DayCount(None, *sorts[id][0], number) for id, number in before.items() if number),
            *(DayCount(_day(day), *sorts[facet][0], number) for facet, day, number in rows),
        ]

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


@names_damage
class SqlitePastView(RelationalPastView, SqliteView):
    """One snapshot, bound to one user, showing the ledger up to an earlier position."""


def figures(connection: sqlite3.Connection) -> dict[str, Figures]:
    """What there is of each user in a file."""
    users = dump.users(connection)
    return {user: figures_of(SqliteView(connection, user, CodeIndex, LexiconCache())) for user in users}


def code_positions(connection: SqlConnection) -> tuple[int, int]:
    """The numbers of the last code and the last tomb that were ever written."""
    last = dict(connection.execute("SELECT name, seq FROM sqlite_sequence WHERE name IN ('codes', 'tombs')").fetchall())
    return last.get("codes", 0), last.get("tombs", 0)


def _day(number: int) -> date:
    return unpack_time(number * DAY).date()


def _joined(filter: Filter) -> str:
    """How facets are joined. Ids and sessions are the way in: without `CROSS` SQLite walks through all facets first."""
    return "JOIN" if filter.ids is None and filter.sessions is None else "CROSS JOIN"


def _row_conditions(filter: Filter, user: int) -> tuple[str, list[Any]]:
    """The part of a filter that facets do not answer, in SQL, and its parameters."""
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
    if filter.contains is not None:
        where += f" AND {CONTAINS}"
        values.append(folded(filter.contains))
    if filter.topics is not None:
        where += f" AND {_FIELD.format('topic')} IN (SELECT value FROM json_each(?))"
        values.append(listed(sorted(filter.topics)))
    if filter.tags is not None:
        where += (
            """ AND instr(t.body, '"tags":[') > 0 AND json_valid(t.body) AND EXISTS (SELECT 1"""
            " FROM json_each(t.body, '$.tags') g WHERE g.value IN (SELECT value FROM json_each(?)))"
        )
        values.append(listed(sorted(filter.tags)))
    if filter.contradicted is not None:
        # As it stands in the index that has them, or SQLite does not know that it has.
        where += f" AND {CONTRADICTED}" if filter.contradicted else f" AND NOT {CONTRADICTED}"
    return where, values
