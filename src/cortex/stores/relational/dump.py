"""Reading everything that is kept of a user, as records (see `domain.dump`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from cortex.domain.dump import DumpRecord, RecordKind
from cortex.domain.erasure import Erasure
from cortex.errors import Conflict, StoreCorrupt
from cortex.stores.relational import checksums
from cortex.stores.relational.codec import JOB_COLUMNS, unpack_id, unpack_time
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.residue import owner_of

_PAGE = 1_000
_FIRST = -1

Row = Sequence[Any]


def users(connection: SqlConnection) -> list[str]:
    """The users of whom there is anything, those left out who are being loaded."""
    tables = ("facets", "events", "receipts", "sessions", "jobs")
    has_any = " OR ".join(f"EXISTS (SELECT 1 FROM {table} x WHERE x.user = u.id)" for table in tables)
    rows = connection.execute(
        f"SELECT u.name FROM users u WHERE u.id NOT IN (SELECT user FROM loads) AND ({has_any})"
    ).fetchall()
    return sorted(name for (name,) in rows)


def dump(connection: SqlConnection, user: str, erasures: Iterable[Erasure]) -> Iterator[DumpRecord]:
    """The records of a user; `connection` sees one moment."""
    erasures = sorted(erasures, key=lambda each: (each.at, each.id))
    if unfinished := [each for each in erasures if not each.finished]:
        hint = "open the memory once more: that finishes it"
        raise Conflict(f"erasure {unfinished[0].id} of {user!r} is not finished", hint=hint)
    owner = owner_of(connection, user)
    if owner < 0:
        return
    for kind, read in _KINDS.items():
        for fields in read(connection, owner):
            yield DumpRecord(kind, fields)
    for each in erasures:
        yield DumpRecord(RecordKind.ERASURE, each.to_json())
    for fields in _quarantined(connection, owner):
        yield DumpRecord(RecordKind.QUARANTINED, fields)


Fields = Iterator[dict[str, Any]]


def _ledger(connection: SqlConnection, user: int) -> Fields:
    found = connection.execute(
        "SELECT position, seal, lag_ledger, lag_clock FROM chains WHERE user = ?", (user,)
    ).fetchone()
    position, seal, ledger, clock = found or (0, bytes(32), None, None)
    yield {
        "position": position,
        "seal": seal.hex(),
        "lag_ledger": _time(ledger),
        "lag_clock": _time(clock),
    }


def _events(connection: SqlConnection, user: int) -> Fields:
    rows = _paged(
        connection,
        "SELECT position, at, kind, subject, commitment, seal, actor, cause FROM events"
        " WHERE user = ? AND position > ? ORDER BY position LIMIT ?",
        user,
        after=lambda row: (row[0],),
        first=(_FIRST,),
    )
    for position, at, kind, subject, commitment, seal, actor, cause in rows:
        yield {
            "position": position,
            "at": _time(at),
            "kind": kind,
            "subject": subject,
            "commitment": commitment.hex(),
            "seal": seal.hex(),
            "actor": actor,
            "cause": cause,
        }


def _traces(connection: SqlConnection, user: int) -> Fields:
    rows = _paged(
        connection,
        "SELECT t.row, t.id, t.name, t.since, t.salt, t.body, t.used, t.uses, t.facet, t.checksum FROM traces t"
        " JOIN facets f ON f.id = t.facet WHERE f.user = ? AND t.row > ? ORDER BY t.row LIMIT ?",
        user,
        after=lambda row: (row[0],),
        first=(_FIRST,),
    )
    for _, id, name, since, salt, body, used, uses, facet, checksum in rows:
        _check("traces", unpack_id(id), checksum, body, facet)
        yield {
            "id": unpack_id(id),
            "name": name,
            "since": since,
            "salt": salt.hex(),
            "body": body,
            "used": _time(used),
            "uses": uses,
        }


def _versions(connection: SqlConnection, user: int) -> Fields:
    rows = _paged(
        connection,
        "SELECT v.row, v.since, v.until, v.salt, v.body, t.id, v.facet, v.checksum FROM versions v"
        " JOIN traces t ON t.row = v.row"
        " JOIN facets f ON f.id = t.facet WHERE f.user = ? AND (v.row, v.since) > (?, ?)"
        " ORDER BY v.row, v.since LIMIT ?",
        user,
        after=lambda row: (row[0], row[1]),
        first=(_FIRST, _FIRST),
    )
    for _, since, until, salt, body, id, facet, checksum in rows:
        _check("versions", unpack_id(id), checksum, body, facet)
        yield {"id": unpack_id(id), "since": since, "until": until, "salt": salt.hex(), "body": body}


def _accesses(connection: SqlConnection, user: int) -> Fields:
    rows = _paged(
        connection,
        "SELECT a.row, a.position, a.at, count(*), t.id FROM accesses a JOIN traces t ON t.row = a.row"
        " JOIN facets f ON f.id = t.facet WHERE f.user = ? AND (a.row, a.position, a.at) > (?, ?, ?)"
        " GROUP BY a.row, a.position, a.at, t.id ORDER BY a.row, a.position, a.at LIMIT ?",
        user,
        after=lambda row: (row[0], row[1], row[2]),
        first=(_FIRST, _FIRST, -(2**62)),
    )
    for _, position, at, times, id in rows:
        yield {"id": unpack_id(id), "position": position, "at": _time(at), "times": times}


def _spaces(connection: SqlConnection, user: int) -> Fields:
    rows = connection.execute("SELECT key, dimension, centre, centred FROM spaces WHERE user = ?", (user,)).fetchall()
    for key, dimension, centre, centred in sorted(rows):
        yield {
            "key": key,
            "dimension": dimension,
            "centre": None if centre is None else centre.hex(),
            "centred": centred,
        }


def _calibrations(connection: SqlConnection, user: int) -> Fields:
    rows = connection.execute(
        "SELECT s.key, c.since, c.body FROM calibrations c JOIN spaces s ON s.id = c.space WHERE s.user = ?", (user,)
    ).fetchall()
    for key, since, body in sorted(rows):
        yield {"space": key, "since": since, **json.loads(body)}


def _vectors(connection: SqlConnection, user: int) -> Fields:
    rows = _paged(
        connection,
        "SELECT v.key, s.key, t.id, v.passage, v.since, v.until, v.vector, v.space, v.row, v.checksum FROM vectors v"
        " JOIN spaces s ON s.id = v.space JOIN traces t ON t.row = v.row"
        " WHERE s.user = ? AND v.key > ? ORDER BY v.key LIMIT ?",
        user,
        after=lambda row: (row[0],),
        first=(_FIRST,),
    )
    for _, space, id, passage, since, until, vector, *about, checksum in rows:
        _check("vectors", unpack_id(id), checksum, vector, *about, passage)
        yield {
            "space": space,
            "id": unpack_id(id),
            "passage": passage,
            "since": since,
            "until": until,
            "vector": vector.hex(),
        }


def _receipts(connection: SqlConnection, user: int) -> Fields:
    rows = _paged(
        connection,
        "SELECT id, body, query, checksum FROM receipts WHERE user = ? AND id > ? ORDER BY id LIMIT ?",
        user,
        after=lambda row: (row[0],),
        first=("",),
    )
    for id, body, query, checksum in rows:
        _check("receipts", id, checksum, body, user, query)
        yield {"receipt": json.loads(body), "query": query}


def _sessions(connection: SqlConnection, user: int) -> Fields:
    rows = connection.execute("SELECT session, state, checksum FROM sessions WHERE user = ?", (user,)).fetchall()
    for session, state, checksum in sorted(rows):
        _check("sessions", session, checksum, state, user, session)
        yield {"session": session, "state": json.loads(state)}


_JOB = tuple(JOB_COLUMNS.split(", "))


def _jobs(connection: SqlConnection, user: int) -> Fields:
    rows = connection.execute(f"SELECT {JOB_COLUMNS}, checksum FROM jobs WHERE user = ?", (user,)).fetchall()
    for *row, checksum in sorted(rows, key=lambda row: str(row[0])):
        job = dict(zip(_JOB, row, strict=True))
        _check("jobs", job["id"], checksum, job["payload"], user, job["kind"], job["key"])
        times = {name: _time(job[name]) for name in ("due", "claimed", "written")}
        yield {**job, **times, "payload": json.loads(job["payload"])}


def _quarantined(connection: SqlConnection, user: int) -> Fields:
    rows = connection.execute(
        "SELECT source, key, position, why, seal, body, rest FROM quarantine WHERE user = ? ORDER BY id", (user,)
    ).fetchall()
    for source, key, position, why, seal, body, rest in rows:
        yield {
            "source": source,
            "key": key,
            "position": position,
            "why": why,
            "seal": seal,
            "body": None if body is None else body.hex(),
            "rest": rest,
        }


_KINDS: dict[RecordKind, Callable[[SqlConnection, int], Fields]] = {
    RecordKind.LEDGER: _ledger,
    RecordKind.EVENT: _events,
    RecordKind.TRACE: _traces,
    RecordKind.VERSION: _versions,
    RecordKind.ACCESS: _accesses,
    RecordKind.SPACE: _spaces,
    RecordKind.CALIBRATION: _calibrations,
    RecordKind.VECTOR: _vectors,
    RecordKind.RECEIPT: _receipts,
    RecordKind.SESSION: _sessions,
    RecordKind.JOB: _jobs,
}


def _time(packed: int | None) -> str | None:
    return None if packed is None else unpack_time(packed).isoformat()


def _check(table: str, key: object, expected: int | None, content: object, *about: object) -> None:
    """Refuse to carry a damaged row along as if it were what was written."""
    try:
        checksums.check(expected, content, *about)
    except checksums.WrongChecksum as error:
        hint = "run `cortex admin verify --repair`: it moves damaged rows away"
        raise StoreCorrupt(f"{table} {key} is damaged", hint=hint) from error


def _paged(
    connection: SqlConnection,
    query: str,
    user: int,
    *,
    after: Callable[[Row], tuple[Any, ...]],
    first: tuple[Any, ...],
) -> Iterator[Row]:
    """The rows of a query a page at a time, each page from after the last row of the one before."""
    place = first
    while rows := connection.execute(query, (user, *place, _PAGE)).fetchall():
        yield from rows
        place = after(rows[-1])
