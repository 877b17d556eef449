"""The measured scales of embedding spaces: each holds from its position on, until the next one (decision 0021)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from cortex.domain.vectors import Basis, Calibration, EmbeddingSpace
from cortex.stores.relational import checksums
from cortex.stores.relational.connection import SqlConnection


def keep(connection: SqlConnection, space: int, since: int, measured: Calibration) -> None:
    """Record the scale of a space from a position on."""
    body = json.dumps({"floor": measured.floor, "texts": measured.texts})
    checksum = checksums.checksum(body, space, since)
    connection.execute(
        "INSERT INTO calibrations (space, since, body, checksum) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (space, since) DO UPDATE SET body = excluded.body, checksum = excluded.checksum",
        (space, since, body, checksum),
    )


def copy(connection: SqlConnection, space: int, to: int) -> None:
    """Record the scales of a space for another one as well; a damaged one is measured anew."""
    rows = connection.execute("SELECT since, body, checksum FROM calibrations WHERE space = ?", (space,)).fetchall()
    for since, body, checksum in rows:
        if (measured := _read(body, checksum, space, since)) is not None:
            keep(connection, to, since, measured)


def latest(connection: SqlConnection, user: int, space: EmbeddingSpace, upto: int | None = None) -> Calibration | None:
    """The scale that holds at a user's position `upto`, or now; a damaged one gives way to the one before it."""
    rows = connection.execute(
        "SELECT c.body, c.checksum, c.space, c.since FROM calibrations c JOIN spaces s ON s.id = c.space"
        " WHERE s.user = ? AND s.key = ? AND c.since <= ? ORDER BY c.since DESC",
        (user, space.key, 2**63 - 1 if upto is None else upto),
    )
    return next((found for row in rows.fetchall() if (found := _read(*row)) is not None), None)


def _read(body: object, checksum: int, *about: int) -> Calibration | None:
    try:
        checksums.check(checksum, body, *about)
        measured = json.loads(body)  # type: ignore[arg-type]  # checked right above
        texts = int(measured["texts"])
        return Calibration(float(measured["floor"]), Basis.MEASURED if texts else Basis.ESTIMATED, texts)
    except checksums.UNREADABLE:
        return None


def damaged(connection: SqlConnection) -> Iterator[tuple[int, int]]:
    """Space and position of those that are not what was written."""
    rows = connection.execute("SELECT space, since, body, checksum FROM calibrations").fetchall()
    for space, since, body, checksum in rows:
        if _read(body, checksum, space, since) is None:
            yield space, since


def drop_damaged(connection: SqlConnection) -> None:
    """Take out what is damaged, and what belongs to no space: it is measured anew."""
    connection.executemany("DELETE FROM calibrations WHERE space = ? AND since = ?", list(damaged(connection)))
    connection.execute("DELETE FROM calibrations WHERE space NOT IN (SELECT id FROM spaces)")
