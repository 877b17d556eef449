"""The measured scales of embedding spaces: each holds from its position on, until the next one (decision 0021)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

import numpy as np

from cortex.domain.lanes import SEARCHABLE
from cortex.domain.vectors import Basis, Calibration, EmbeddingSpace
from cortex.ports.store import Sampled
from cortex.stores.sqlite import damage
from cortex.stores.sqlite.codec import listed, unpack_trace

_OVERSAMPLED = 4
"""So many times the traces that are wanted are looked at, since some may have no vector yet."""


def keep(connection: sqlite3.Connection, space: int, since: int, measured: Calibration) -> None:
    """Have a space on this scale from a position on."""
    body = json.dumps({"floor": measured.floor, "texts": measured.texts})
    checksum = damage.checksum(body, space, since)
    connection.execute("INSERT OR REPLACE INTO calibrations VALUES (?, ?, ?, ?)", (space, since, body, checksum))


def latest(connection: sqlite3.Connection, space: EmbeddingSpace, upto: int | None = None) -> Calibration | None:
    """The scale that holds at the position `upto`, or now; a damaged one gives way to the one before it."""
    rows = connection.execute(
        "SELECT c.body, c.checksum, c.space, c.since FROM calibrations c JOIN spaces s ON s.id = c.space"
        " WHERE s.key = ? AND c.since <= ? ORDER BY c.since DESC",
        (space.key, 2**63 - 1 if upto is None else upto),
    )
    return next((found for row in rows.fetchall() if (found := _read(*row)) is not None), None)


def _read(body: object, checksum: int, *about: int) -> Calibration | None:
    try:
        damage.check(checksum, body, *about)
        said = json.loads(body)  # type: ignore[arg-type]  # checked right above
        texts = int(said["texts"])
        return Calibration(float(said["floor"]), Basis.MEASURED if texts else Basis.ESTIMATED, texts)
    except damage.UNREADABLE:
        return None


def damaged(connection: sqlite3.Connection) -> Iterator[tuple[int, int]]:
    """Space and position of those that are not what was written."""
    for space, since, body, checksum in connection.execute("SELECT * FROM calibrations").fetchall():
        if _read(body, checksum, space, since) is None:
            yield space, since


def drop_damaged(connection: sqlite3.Connection) -> None:
    """Take out what is damaged, and what belongs to no space: it is measured anew."""
    connection.executemany("DELETE FROM calibrations WHERE space = ? AND since = ?", list(damaged(connection)))
    connection.execute("DELETE FROM calibrations WHERE space NOT IN (SELECT id FROM spaces)")


def sample(connection: sqlite3.Connection, user: str, space: EmbeddingSpace, limit: int) -> list[Sampled]:
    """Some searchable traces of a user with the vectors of their first passages, damaged ones left out."""
    rows = connection.execute(
        "SELECT t.name, t.body, t.used, t.uses, t.facet, t.checksum, v.vector, v.checksum, v.space, v.row"
        " FROM (SELECT t.row FROM facets f CROSS JOIN traces t ON t.facet = f.id"
        "  WHERE f.user = (SELECT id FROM users WHERE name = :user)"
        "   AND f.state IN (SELECT value FROM json_each(:states))"
        "  ORDER BY substr(t.id, -4), t.id LIMIT :traces) chosen"
        " CROSS JOIN traces t ON t.row = chosen.row CROSS JOIN vectors v ON v.row = t.row"
        " WHERE v.space = (SELECT id FROM spaces WHERE key = :space) AND v.until IS NULL AND v.passage = 0"
        " ORDER BY substr(t.id, -4), t.id LIMIT :limit",
        {"user": user, "states": listed(sorted(SEARCHABLE)), "traces": _OVERSAMPLED * limit, "space": space.key,
         "limit": limit},
    ).fetchall()  # fmt: skip
    found = []
    for name, body, used, uses, facet, checksum, vector, vector_checksum, *place in rows:
        try:
            damage.check(checksum, body, facet)
            damage.check(vector_checksum, vector, *place, 0)
            trace = unpack_trace(name, body, used, uses)
        except damage.UNREADABLE:
            continue
        if len(vector) == 4 * space.dimension:
            found.append(Sampled(trace, np.frombuffer(vector, dtype="<f4")))
    return found
