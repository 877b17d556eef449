"""Reads from a standby: one of the hosts of the URL that follows the primary.

A standby answers a reader who says how much it must have, if it has that and is not far behind. Whatever is wrong with
it, the primary answers; then it is left alone for a while. Where the primary is gone, the standby answers alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg

from cortex.errors import StoreBusy, StoreError, StoreForeign, StoreUnavailable
from cortex.ports.standby import StandbyState
from cortex.stores.postgres.connection import PgConnection
from cortex.stores.postgres.connections import Connections
from cortex.stores.postgres.view import PgView

REST_SECONDS = 10.0
"""How long a standby that failed is left alone."""
LAG_SECONDS = 1.0
"""How long one that is too far behind is: it may catch up at any moment."""
LOST_SECONDS = 2.0
"""How long a primary that was not reached is not asked where a standby can answer: it may take longer than a turn."""

QUERY = """
SELECT pg_is_in_recovery(),
  CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
  ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END::float
"""
"""Whether it is a standby, and how far it is behind: not at all where it has all that its primary sent."""

_FIXES = {
    StandbyState.GONE: "check the standbys and the hosts in the URL",
    StandbyState.LAGGING: "check replication, or raise store.postgresql.standby_lag_ms",
    StandbyState.PROMOTED: "name a standby of the new primary in the URL",
    StandbyState.ALONE: "start the primary, or promote the standby",
}


class Standby:
    """The standbys of one agent's store."""

    def __init__(self, open_: Callable[[], Connections], most_lag: float) -> None:
        self._open = open_
        self._most_lag = most_lag
        self._lock = threading.Lock()
        self._connections = open_()
        self._rests_until = self._primary_lost_until = float("-inf")
        self._state, self._why = StandbyState.READY, ""
        self._answered = 0

    def status(self) -> Mapping[str, Any]:
        return {
            "state": self._state.value, "why": self._why, "fix": _FIXES.get(self._state, ""), "answered": self._answered
        }  # fmt: skip

    def view(
        self,
        opened: ExitStack,
        user: str,
        make: Callable[[PgConnection], PgView],
        at_least: int,
        *,
        alone: bool = False,
    ) -> PgView | None:
        """A view that has the reader's own changes, as long as `opened` is; None where the primary is to be asked.

        `alone` says that the primary cannot be: then a standby may be as far behind as it is.
        """
        alone = alone or time.monotonic() < self._primary_lost_until
        is_unreachable = self._state in (StandbyState.GONE, StandbyState.PROMOTED)
        if time.monotonic() < self._rests_until and (is_unreachable or not alone):
            return None
        try:
            with ExitStack() as attempt:
                connection = attempt.enter_context(self._reading(user))
                view = make(connection) if self._is_fit(connection, alone=alone) else None
                if view is None or view.last_position < at_least:  # for a moment, after each change
                    return None
                opened.push(attempt.pop_all())
        except (StoreUnavailable, StoreBusy):
            return None
        self._answered += 1
        if alone:
            self._set(StandbyState.ALONE, "the primary cannot be reached")
            view.degrade(f"standby:{StandbyState.ALONE.value}")
        else:
            self._set(StandbyState.READY, "")
        return view

    def stood_in_for(self, view: PgView) -> None:
        """The primary answered in its place, with this view."""
        if self._state is StandbyState.ALONE:
            self._set(StandbyState.READY, "")
        elif self._state is not StandbyState.READY:
            view.degrade(f"standby:{self._state.value}")

    def lose_primary(self) -> None:
        """The primary was not reached: for a moment nobody tries again."""
        self._primary_lost_until = time.monotonic() + LOST_SECONDS

    def close(self) -> None:
        self._connections.close()

    @contextmanager
    def _reading(self, user: str) -> Iterator[PgConnection]:
        try:
            with self._connections.reading(user, enters=True) as connection:
                yield connection
        except StoreError as error:
            if not isinstance(error.__cause__, psycopg.Error):  # of somebody who used the view
                raise
            # Also where a search was in the way of what it had to replay, or the tables are still to come.
            is_new = isinstance(error, StoreForeign)
            self._rest(StandbyState.LAGGING if is_new else StandbyState.GONE, error.message)
            hint = "try again: the primary answers"
            raise StoreUnavailable(f"a standby failed: {error.message}", hint=hint) from None

    def _is_fit(self, connection: PgConnection, *, alone: bool) -> bool:
        is_standby, lag = connection.execute(QUERY).fetchone()
        if not is_standby:
            self._rest(StandbyState.PROMOTED, "it follows no primary any more")
            with self._lock:  # sessions outlive the promotion, and are of no use
                self._connections.close()
                self._connections = self._open()
            return False
        if not alone and (lag is None or lag > self._most_lag):
            behind = "it replayed nothing yet" if lag is None else f"it is {lag:.0f} s behind"
            self._rest(StandbyState.LAGGING, behind)
            return False
        return True

    def _rest(self, state: StandbyState, why: str) -> None:
        self._set(state, why)
        self._rests_until = time.monotonic() + (LAG_SECONDS if state is StandbyState.LAGGING else REST_SECONDS)

    def _set(self, state: StandbyState, why: str) -> None:
        with self._lock:
            self._state, self._why = state, why
