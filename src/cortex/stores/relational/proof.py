"""Proof by the ledger: the chain of events, what each version committed to, and the rows that were moved away."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from cortex.domain.events import EventKind, commit, common_seal, seal
from cortex.stores.relational.checksums import UNREADABLE
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.ledger import FIRST, NOBODY, Start

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
        " FROM quarantine q LEFT JOIN events e ON e.user = coalesce(q.user, ?) AND e.position = q.position"
        " ORDER BY q.id",
        (NOBODY,),
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

    chain: int
    """Of which user, or `SHARED`."""
    user: int
    """Whose event it is."""
    position: int
    why: str
    seal: str = ""
    """What the next one follows; empty where that is unknown."""

    @property
    def key(self) -> str:
        """What names it in the quarantine table."""
        return str(self.position) if self.chain == SHARED else f"{self.chain}@{self.position}"


class _Link(NamedTuple):
    """An event as it is stored, with whose it is."""

    user: int
    position: int
    at: int
    kind: str
    subject: str
    commitment: object
    seal: object
    actor: str
    cause: str

    def sealed(self, previous: str | None) -> bytes:
        """The seal it should have as one of its user's own chain."""
        return bytes.fromhex(seal(*self._told(previous), str(self.actor), str(self.cause)))

    def commonly_sealed(self, previous: str | None) -> bytes:
        """The seal it should have as one of the chain that all users shared."""
        return bytes.fromhex(common_seal(*self._told(previous)))

    def _told(self, previous: str | None) -> tuple[str, int, str, str, str, str]:
        message = self.commitment.hex() if isinstance(self.commitment, bytes) else ""
        return previous or "", self.position, str(self.at), str(self.kind), str(self.subject), message


_LINKS = "SELECT e.user, e.position, e.at, e.kind, e.subject, e.commitment, e.seal, e.actor, e.cause FROM events e"

SHARED = -1
"""In the place of a user: the chain that all users of an agent shared, before each had one of its own."""


def breaks(connection: SqlConnection) -> Iterator[Break]:
    """Where the chains of events do not hold: the one that all users shared, if any, and then each user's own."""
    moved: dict[int, dict[int, str]] = {}
    for each in quarantined(connection):
        if each.source == "events" and each.is_sealed:
            chain, position = _place(each.key)
            moved.setdefault(chain, {})[position] = each.seal
    end, chains, elsewhere = _shared_end(connection), _chains(connection), _shared_elsewhere(connection)
    if end.position:
        users = [user for user, start in chains.items() if start.position and user not in elsewhere]
        links = _shared_links(connection, users, end)
        yield from _breaks_of(SHARED, FIRST, links, _Link.commonly_sealed, moved.get(SHARED, {}), end)
    own = connection.execute(
        f"{_LINKS} LEFT JOIN chains c ON c.user = e.user WHERE e.position > coalesce(c.position, 0)"
        " ORDER BY e.user, e.position"
    )
    for user, links in groupby(map(_Link._make, own), key=lambda link: link.user):
        yield from _breaks_of(user, chains.get(user, FIRST), links, _Link.sealed, moved.get(user, {}))
    for user, start in chains.items():
        if start not in (FIRST, end) and user not in elsewhere:
            yield Break(user, user, start.position, "is not where the chain ended that all users shared")


def _place(key: str) -> tuple[int, int]:
    """The chain and position of an event that was moved to the quarantine table."""
    chain, _, position = key.rpartition("@")
    return int(chain or SHARED), int(position)


def _shared_end(connection: SqlConnection) -> Start:
    """Where the chain ended that all users shared; at nothing where there never was one."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'shared_chain'").fetchone()
    position, _, sealed = str(found[0]).partition(" ") if found else ("", "", "")
    return Start(int(position), sealed) if position.isdecimal() else FIRST


def _chains(connection: SqlConnection) -> dict[int, Start]:
    rows = connection.execute("SELECT user, position, seal FROM chains ORDER BY user").fetchall()
    return {user: Start(position, _hex(sealed)) for user, position, sealed in rows}


def _shared_elsewhere(connection: SqlConnection) -> set[int]:
    """The users who were loaded from a store in which they shared a chain: only there can that part be proven."""
    rows = connection.execute("SELECT user FROM chains WHERE loaded = 1 AND position > 0").fetchall()
    return {user for (user,) in rows}


def _shared_links(connection: SqlConnection, users: Sequence[int], end: Start) -> Iterator[_Link]:
    """The events of the shared chain in their order. They are stored by user, and too many to be sorted at once."""
    query = f"{_LINKS} WHERE e.user = ? AND e.position <= ? ORDER BY e.position"
    each = (map(_Link._make, connection.execute(query, (user, end.position))) for user in users)
    return heapq.merge(*each, key=lambda link: link.position)


def _hex(sealed: object) -> str:
    return sealed.hex() if isinstance(sealed, bytes) else ""


def _breaks_of(
    chain: int,
    start: Start,
    links: Iterable[_Link],
    sealed_after: Callable[[_Link, str | None], bytes],
    moved: Mapping[int, str],
    end: Start | None = None,
) -> Iterator[Break]:
    """Where one chain does not hold, from its start to its `end` where that is known."""
    previous: str | None = start.seal
    expected = start.position + 1
    broken: Break | None = None
    for link in links:
        while expected < link.position and expected in moved:
            previous = moved[expected]
            expected += 1
        # Where a backup was restored, the positions of what was lost are left out; the seal goes on from the backup.
        is_after_restore = link.kind == EventKind.BACKUP_RESTORED and link.position > expected
        if link.position != expected and not is_after_restore:
            yield Break(chain, link.user, expected, "is missing")
            previous = None
        fits = sealed_after(link, previous)
        if broken is not None:
            # Where the one before has another seal than it should, this one shows which of the two was written.
            would = sealed_after(link, broken.seal)
            is_its_seal = link.seal == would != fits
            yield broken if is_its_seal else broken._replace(seal=previous or "")
            fits = would if is_its_seal else fits
            broken = None
        if previous is not None and fits != link.seal:
            broken = Break(chain, link.user, link.position, "does not fit the one before it", fits.hex())
        previous = _hex(link.seal) or None
        expected = link.position + 1
    if broken is not None:
        is_its_seal = end is not None and end.seal == broken.seal
        yield broken if is_its_seal else broken._replace(seal=previous or "")
        previous = broken.seal if is_its_seal else previous
    while expected in moved:
        previous = moved[expected]
        expected += 1
    if end is not None and expected <= end.position:
        yield Break(chain, chain, expected, "is missing")
    elif end is not None and previous != end.seal:
        yield Break(chain, chain, end.position, "is not where the chain ended that all users shared")


def unproven(connection: SqlConnection) -> list[int]:
    """The positions at which a chain of events does not hold, or something else is said than the ledger says."""
    return [each.position for each in breaks(connection)] + [since for _, since, _ in uncommitted(connection)]


def uncommitted(connection: SqlConnection) -> list[tuple[int, int, bool]]:
    """Row, position and whether it is the present one, of every version that is not what the ledger says.

    Where the ledger itself is damaged it has nothing to say: the checksum stands for the text.
    """
    starts = {user: start.position for user, start in _chains(connection).items()}
    silent = {(each.chain, each.position) for each in breaks(connection)}
    silent |= {_place(each.key) for each in quarantined(connection) if each.source == "events"}

    def has_no_say(user: int, since: int) -> bool:
        return (SHARED if since <= starts.get(user, 0) else user, since) in silent

    rows = connection.execute(
        "SELECT f.user, t.row, t.since, t.salt, t.body, e.commitment, 1 FROM traces t"
        " LEFT JOIN facets f ON f.id = t.facet LEFT JOIN events e ON e.user = f.user AND e.position = t.since"
        " UNION ALL SELECT f.user, v.row, v.since, v.salt, v.body, e.commitment, 0 FROM versions v"
        " JOIN traces t ON t.row = v.row LEFT JOIN facets f ON f.id = v.facet"
        " LEFT JOIN events e ON e.user = f.user AND e.position = v.since"
    )
    return [
        (row, since, bool(is_now))
        for user, row, since, salt, body, commitment, is_now in rows
        if not has_no_say(user, since) and not is_committed(salt, body, commitment)
    ]


def is_committed(salt: object, body: object, commitment: object) -> bool:
    """Whether a version is what the ledger committed to."""
    if not (isinstance(salt, bytes) and isinstance(body, str) and isinstance(commitment, bytes)):
        return False
    return len(salt) <= _MOST_SALT and commit(salt, body) == commitment.hex()
