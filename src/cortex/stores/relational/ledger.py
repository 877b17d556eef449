"""The ledger of a user: its positions, and the events that one transaction adds to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from cortex.domain.events import GENESIS, EventKind, Lag, commit, lag, quoted, seal_quoted
from cortex.errors import StoreCorrupt
from cortex.stores.relational.checksums import SEE_VERIFY
from cortex.stores.relational.codec import pack_time, unpack_time
from cortex.stores.relational.connection import SqlConnection, insert_values

_LAST_POSITION = 2**63 - 1

NOBODY = 0
"""Whose chain records what happens to rows that belong to no user."""


class Head(NamedTuple):
    """Where the chain of a user ends: what the next event follows."""

    position: int
    seal: str
    last: int = 0
    """The position of the user's last event, which may be one of a common chain; 0 where there is none."""
    at: int | None = None
    """The time of that event."""
    lag: Lag | None = None
    """How far the clock was behind it, when that was last noticed."""


class Start(NamedTuple):
    """What the first event of a user's own chain follows: nothing, or the end of a chain that all users shared."""

    position: int
    seal: str


FIRST = Start(0, GENESIS)

_KINDS = {kind: (kind.value, quoted(kind.value)) for kind in EventKind}
"""The kinds as they are stored, and as they are sealed."""


def own_position(connection: SqlConnection, user: int, upto: int | None = None) -> int:
    """The position of a user's last event, of those up to `upto`; 0 where there is none."""
    found: int | None = connection.execute(
        "SELECT max(position) FROM events WHERE user = ? AND position <= ?",
        (user, _LAST_POSITION if upto is None else min(upto, _LAST_POSITION)),
    ).fetchone()[0]
    return found or 0


def position_at(connection: SqlConnection, user: int, at: datetime) -> int:
    """The position of a user's last event of that time; 0 where there is none."""
    # Files of earlier releases may hold times that go back: what follows a later event comes after it.
    (later,) = connection.execute(
        "SELECT min(position) FROM events WHERE user = ? AND at > ?", (user, pack_time(at))
    ).fetchone()
    return own_position(connection, user, None if later is None else later - 1)


def head_of(connection: SqlConnection, user: int) -> Head:
    """Where the chain of a user ends."""
    found = connection.execute(
        "SELECT position, seal, lag_ledger, lag_clock FROM chains WHERE user = ?", (user,)
    ).fetchone()
    last = connection.execute(
        "SELECT position, seal, at FROM events WHERE user = ? ORDER BY position DESC LIMIT 1", (user,)
    ).fetchone()
    return head_from(user, found, last)


def head_from(user: int, found: Sequence[Any] | None, last: Sequence[Any] | None) -> Head:
    """The same from what is kept of the chain, and from the last event; None for what is not there."""
    start = Start(found[0], _hex(found[1], user)) if found else FIRST
    if last is None:
        return Head(*start)
    seen = Lag(*map(unpack_time, found[2:])) if found and None not in found[2:] else None
    position, sealed, at = last
    end = start if position <= start.position else Start(position, _hex(sealed, user))
    return Head(*end, position, at, seen)


def _hex(sealed: object, user: int) -> str:
    if not isinstance(sealed, bytes):
        raise StoreCorrupt(f"the ledger of user {user} has no seal to follow", hint=SEE_VERIFY)
    return sealed.hex()


COUNTER = "position"
"""Where the position is kept of what records no events."""


def counted_position(connection: SqlConnection, counter: str = COUNTER) -> int:
    """The position of what records no events."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (counter,)).fetchone()
    return int(found[0]) if found and str(found[0]).isdecimal() else 0


def set_meta(connection: SqlConnection, key: str, value: str) -> None:
    """Keep a value under a key of its own."""
    connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
    )


class Ledger:
    """The events of one transaction, after the `head` of the user's chain, which stays locked until it ends.

    Where changes are not `recorded`, they only move the position, which `counter` keeps.
    """

    def __init__(
        self,
        connection: SqlConnection,
        user: int,
        clock: int,
        *,
        head: Callable[[], Head],
        recorded: bool,
        counter: str = COUNTER,
        actor: str = "",
        cause: str = "",
    ) -> None:
        self._db = connection
        self._user = user
        self._clock = clock
        self._head = head
        self._recorded = recorded
        self._counter = counter
        self._by = (actor, cause)
        last = head() if recorded else Head(counted_position(connection, counter), GENESIS)
        self.position, self._seal = last.position, last.seal
        self.own_position = last.last if recorded else last.position
        """The position of the user's last event; 0 where there is none."""
        # The order of the ledger is the order of its times: a clock that was set back does not turn it around.
        self._at = clock if last.at is None else max(clock, last.at)
        self._sealed_at = quoted(str(self._at))
        self._sealed_by = f"{quoted(actor)}, {quoted(cause)}"
        self._lag, self._set_back = self._behind(last)
        self._events: list[object] = []
        """Their columns, one event after the other."""

    def record(self, kind: EventKind, subject: str, commitment: str) -> None:
        """Add an event."""
        # The first event after lost positions says why they are missing.
        if self._set_back and kind is not EventKind.BACKUP_RESTORED:
            self._set_back = False
            shown = unpack_time(self._clock).isoformat()
            self.record(EventKind.CLOCK_SET_BACK, shown, commit(b"", shown))
        self.position = self.own_position = position = self.position + 1
        if not self._recorded:
            return
        name, sealed_name = _KINDS[kind]
        self._seal = seal = seal_quoted(
            f'"{self._seal}"', position, self._sealed_at, sealed_name, quoted(subject), f'"{commitment}"',
            self._sealed_by,
        )  # fmt: skip
        self._events += (
            self._user, position, self._at, name, subject, bytes.fromhex(commitment), bytes.fromhex(seal), *self._by,
        )  # fmt: skip

    def skip_to(self, position: int) -> None:
        """Leave out the positions up to this one: they were used in a ledger that a backup replaced."""
        self.position = max(self.position, position)

    def write(self) -> None:
        """Write the events that were added."""
        if not self._recorded:
            set_meta(self._db, self._counter, str(self.position))
        if self._events and self._lag is not None:
            keep_lag(self._db, self._user, self._lag)
        insert_values(self._db, "events", 9, self._events)
        self._events.clear()

    @property
    def seal(self) -> bytes:
        """Of the last event."""
        return bytes.fromhex(self._seal)

    def reread(self) -> None:
        """Go on from the last event that was written, which somebody else may have added in this transaction."""
        if self._recorded:
            self.position, self._seal, self.own_position, *_ = self._head()

    def _behind(self, last: Head) -> tuple[Lag | None, bool]:
        """How far the clock is behind the ledger, and whether that is new."""
        if last.at is None or self._clock >= last.at:
            return None, False
        return lag(unpack_time(self._clock), unpack_time(last.at), last.lag)


def keep_lag(connection: SqlConnection, user: int, behind: Lag) -> None:
    """Note how far the clock is behind the ledger of a user."""
    connection.execute(
        "INSERT INTO chains (user, position, seal, lag_ledger, lag_clock) VALUES (?, 0, ?, ?, ?)"
        " ON CONFLICT (user) DO UPDATE SET lag_ledger = excluded.lag_ledger, lag_clock = excluded.lag_clock",
        (user, bytes.fromhex(GENESIS), pack_time(behind.ledger), pack_time(behind.clock)),
    )
