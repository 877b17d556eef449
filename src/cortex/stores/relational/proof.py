"""Proof by the ledger: the chain of events, what each version committed to, and the rows that were moved away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cortex.domain.events import GENESIS, EventKind, commit, seal
from cortex.stores.relational.checksums import UNREADABLE
from cortex.stores.relational.connection import SqlConnection

_MOST_SALT = 64
"""What a commitment can be salted with at most."""


class Quarantined(NamedTuple):
    """A row of the table, without what it holds."""

    source: str
    key: str
    position: int
    why: str
    is_sealed: bool
    """Whether the ledger says that just this was set aside there."""
    seal: str
    """Of an event, the seal that the next one follows."""


def quarantined(connection: SqlConnection) -> Iterator[Quarantined]:
    """The damaged rows that were moved away."""
    rows = connection.execute(
        "SELECT q.source, q.key, q.position, q.why, q.seal, q.body, q.rest, e.kind, e.commitment"
        " FROM quarantine q LEFT JOIN events e ON e.position = q.position ORDER BY q.id"
    )
    for source, key, position, why, next_seal, body, rest, kind, commitment in rows:
        try:
            is_sealed = kind == EventKind.DAMAGED and commitment.hex() == commitment_of(source, key, rest, body)
        except UNREADABLE:
            is_sealed = False
        yield Quarantined(str(source), str(key), position, str(why), is_sealed, str(next_seal))


def commitment_of(source: str, key: str, rest: str, body: bytes | None) -> str:
    """What the ledger commits to when a row is moved away."""
    return commit(b"", f"{source}/{key}/{rest}/{(body or b'').hex()}")


class Break(NamedTuple):
    """An event that is not as it was written."""

    position: int
    why: str
    seal: str
    """What the next one follows; empty where that is unknown."""


def breaks(connection: SqlConnection) -> Iterator[Break]:
    """Where the chain of events does not hold."""
    gone = (each for each in quarantined(connection) if each.source == "events" and each.is_sealed)
    moved = {each.key: each.seal for each in gone}
    previous: str | None = GENESIS
    expected = 1
    broken: Break | None = None
    for position, at, kind, subject, commitment, sealed in connection.execute(
        "SELECT position, at, kind, subject, commitment, seal FROM events ORDER BY position"
    ):
        while expected < position and str(expected) in moved:
            previous = moved[str(expected)]
            expected += 1
        if position != expected:
            yield Break(expected, "is missing", "")
            previous = None
        fits = _sealed(previous, position, at, kind, subject, commitment)
        if broken is not None:
            # Where the one before has another seal than it should, this one shows which of the two was written.
            would = _sealed(broken.seal, position, at, kind, subject, commitment)
            is_its_seal = sealed == would != fits
            yield broken if is_its_seal else broken._replace(seal=previous or "")
            fits = would if is_its_seal else fits
            broken = None
        if previous is not None and fits != sealed:
            broken = Break(position, "does not fit the one before it", fits.hex())
        previous = sealed.hex() if isinstance(sealed, bytes) else None
        expected = position + 1
    if broken is not None:
        yield broken._replace(seal=previous or "")


def unproven(connection: SqlConnection) -> list[int]:
    """The positions at which the chain of events does not hold, or something else is said than the ledger says."""
    return [each.position for each in breaks(connection)] + [since for _, since, _ in uncommitted(connection)]


def _sealed(previous: str | None, position: int, at: int, kind: str, subject: str, commitment: object) -> bytes:
    message = commitment.hex() if isinstance(commitment, bytes) else ""
    return bytes.fromhex(seal(previous or "", position, str(at), kind, subject, message))


def uncommitted(connection: SqlConnection) -> list[tuple[int, int, bool]]:
    """Row, position and whether it is the present one, of every version that is not what the ledger says.

    Where the ledger itself is damaged it has nothing to say: the checksum stands for the text.
    """
    broken = {each.position for each in breaks(connection)}
    moved = {int(each.key) for each in quarantined(connection) if each.source == "events"}
    rows = connection.execute(
        "SELECT t.row, t.since, t.salt, t.body, e.commitment, 1 FROM traces t"
        " LEFT JOIN events e ON e.position = t.since"
        " UNION ALL SELECT v.row, v.since, v.salt, v.body, e.commitment, 0 FROM versions v"
        " JOIN traces t ON t.row = v.row LEFT JOIN events e ON e.position = v.since"
    )
    return [
        (row, since, bool(is_now))
        for row, since, salt, body, commitment, is_now in rows
        if since not in broken and since not in moved and not is_committed(salt, body, commitment)
    ]


def is_committed(salt: object, body: object, commitment: object) -> bool:
    """Whether a version is what the ledger committed to."""
    if not (isinstance(salt, bytes) and isinstance(body, str) and isinstance(commitment, bytes)):
        return False
    return len(salt) <= _MOST_SALT and commit(salt, body) == commitment.hex()
