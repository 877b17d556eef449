"""The ledger: its positions, and the events that one transaction adds to it."""

from __future__ import annotations

from cortex.domain.events import GENESIS, EventKind, Lag, commit, lag, seal
from cortex.errors import StoreCorrupt
from cortex.stores.relational.checksums import SEE_VERIFY
from cortex.stores.relational.codec import pack_time, unpack_time
from cortex.stores.relational.connection import SqlConnection, insert_rows

_LAST_POSITION = 2**63 - 1


def own_position(connection: SqlConnection, user: int, upto: int | None = None) -> int:
    """The position of a user's last event, of those up to `upto`; 0 where there is none."""
    found: int | None = connection.execute(
        "SELECT max(position) FROM events WHERE user = ? AND position <= ?",
        (user, _LAST_POSITION if upto is None else min(upto, _LAST_POSITION)),
    ).fetchone()[0]
    return found or 0


def counted_position(connection: SqlConnection) -> int:
    """The position of a file that records no events."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'position'").fetchone()
    return int(found[0]) if found and str(found[0]).isdecimal() else 0


def set_meta(connection: SqlConnection, key: str, value: str) -> None:
    """Keep a value under a key of its own."""
    connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
    )


class Ledger:
    """The events of one transaction. Where changes are not `recorded`, they only move the position."""

    def __init__(self, connection: SqlConnection, user: int, clock: int, *, recorded: bool) -> None:
        self._db = connection
        self._user = user
        self._clock = clock
        self._recorded = recorded
        self.position, self._seal, last = self._last() if recorded else (counted_position(connection), GENESIS, None)
        # The order of the ledger is the order of its times: a clock that was set back does not turn it around.
        self._at = clock if last is None else max(clock, last)
        self._sealed_at = str(self._at)
        self._lag, self._set_back = self._behind(last)
        self._events: list[tuple[object, ...]] = []

    @property
    def own_position(self) -> int:
        """The position of the user's own last event, once everything was written."""
        return own_position(self._db, self._user) if self._recorded else self.position

    def record(self, kind: EventKind, subject: str, commitment: str) -> None:
        """Add an event."""
        if self._set_back:
            self._set_back = False
            shown = unpack_time(self._clock).isoformat()
            self.record(EventKind.CLOCK_SET_BACK, shown, commit(b"", shown))
        self.position += 1
        if not self._recorded:
            return
        name = str(kind)
        self._seal = seal(self._seal, self.position, self._sealed_at, name, subject, commitment)
        self._events.append(
            (self.position, self._user, self._at, name, subject, bytes.fromhex(commitment), bytes.fromhex(self._seal))
        )

    def write(self) -> None:
        """Write the events that were added."""
        if not self._recorded:
            set_meta(self._db, "position", str(self.position))
        if self._events and self._lag is not None:
            set_meta(self._db, "lag", f"{pack_time(self._lag.ledger)} {pack_time(self._lag.clock)}")
        insert_rows(self._db, "events", self._events)
        self._events.clear()

    def reread(self) -> None:
        """Go on from the last event that was written, which somebody else may have added in this transaction."""
        if self._recorded:
            self.position, self._seal, _ = self._last()

    def _last(self) -> tuple[int, str, int | None]:
        last = self._db.execute("SELECT position, seal, at FROM events ORDER BY position DESC LIMIT 1").fetchone()
        if last and not isinstance(last[1], bytes):
            raise StoreCorrupt(f"event {last[0]} has no seal to follow", hint=SEE_VERIFY)
        return (last[0], last[1].hex(), last[2]) if last else (0, GENESIS, None)

    def _behind(self, last: int | None) -> tuple[Lag | None, bool]:
        """How far the clock is behind the ledger, and whether that is new."""
        if last is None or self._clock >= last:
            return None, False
        found = self._db.execute("SELECT value FROM meta WHERE key = 'lag'").fetchone()
        seen = Lag(*(unpack_time(int(each)) for each in found[0].split())) if found else None
        return lag(unpack_time(self._clock), unpack_time(last), seen)
