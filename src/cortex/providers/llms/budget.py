"""The spending meter: what language models may cost in an hour and in a day, kept in one small file.

    spent   calls and tokens of each hour
    held    what calls under way may come to cost; room that nobody else can take
    models  how each model fares (`breaker`)

Every process that shares the file shares the budget. What cannot be counted is not spent: where the file cannot be
used, nothing is sent. Hours and days are those of the clock, in UTC.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cortex.errors import LlmUnavailable, full_disk
from cortex.ports.clock import Clock

FILE_NAME = "llm-spending.sqlite"
HOLD_SECONDS = 300.0
"""A call still under way after this long is taken to have died with its process."""

BUSY_SECONDS = 5.0
_HOUR, _HOURS_KEPT = 3_600, 31 * 24

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spent (hour INTEGER PRIMARY KEY, calls INTEGER NOT NULL, tokens INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS held (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hour INTEGER NOT NULL,
    until REAL NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS models (
    name TEXT PRIMARY KEY,
    answered REAL,
    failed REAL,
    since REAL,
    failures INTEGER NOT NULL DEFAULT 0,
    until REAL NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    message TEXT NOT NULL DEFAULT '',
    hint TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS useless (
    name TEXT NOT NULL,
    work TEXT NOT NULL,
    answers INTEGER NOT NULL,
    since REAL NOT NULL,
    PRIMARY KEY (name, work)
);
"""
_USED = """
SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0) FROM (
    SELECT hour, calls, tokens FROM spent UNION ALL SELECT hour, 1, input + output FROM held
) WHERE hour BETWEEN ? AND ?
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """What may be spent at most."""

    calls_per_hour: int
    calls_per_day: int
    tokens_per_hour: int
    tokens_per_day: int


@dataclass(frozen=True, slots=True)
class Reservation:
    """Room in the budget for one call; `settle` it with what the call did cost."""

    id: int
    hour: int
    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class BudgetWindow:
    """What was spent, or is held, in one hour or one day, and what may be."""

    name: str
    calls: int
    max_calls: int
    tokens: int
    max_tokens: int
    ends: datetime

    def lacks_room_for(self, tokens: int) -> str | None:
        """Which limit a call of so many tokens would exceed."""
        if self.calls + 1 > self.max_calls:
            return f"calls_per_{self.name}"
        return f"tokens_per_{self.name}" if self.tokens + tokens > self.max_tokens else None


@dataclass(frozen=True, slots=True)
class Meter:
    """What the file says now."""

    hour: BudgetWindow
    day: BudgetWindow


class Budget:
    """The budget in the file at `path`, shared by everyone who opens it."""

    def __init__(self, path: Path, limits: BudgetLimits, clock: Clock, *, hold_seconds: float = HOLD_SECONDS) -> None:
        self._path = path
        self._limits = limits
        self._clock = clock
        self._hold_seconds = hold_seconds

    def reserve(self, input_tokens: int, output_tokens: int) -> Reservation:
        """Room for one call, held against everyone else; `LlmUnavailable` where there is none."""
        now = self._clock.now()
        hour = _hour(now)
        with self.exclusive() as database:
            _lapse(database, now)
            for window in _windows(database, now, self._limits):
                if limit := window.lacks_room_for(input_tokens + output_tokens):
                    raise _refusal(window, limit, input_tokens + output_tokens, now)
            until = now.timestamp() + self._hold_seconds
            held = database.execute(
                "INSERT INTO held (hour, until, input, output) VALUES (?,?,?,?)",
                (hour, until, input_tokens, output_tokens),
            )
            return Reservation(int(held.lastrowid or 0), hour, input_tokens, output_tokens)

    def settle(self, reservation: Reservation, tokens: int) -> None:
        """Count what the call did cost in place of what was held for it."""
        with self.exclusive() as database:
            # Where it lapsed meanwhile, its call and its input are counted already.
            held = database.execute("DELETE FROM held WHERE id = ?", (reservation.id,)).rowcount
            _count(database, reservation.hour, held, tokens if held else max(0, tokens - reservation.input_tokens))

    def release(self, reservation: Reservation) -> None:
        """Give the room back: nothing was sent."""
        with self.exclusive() as database:
            database.execute("DELETE FROM held WHERE id = ?", (reservation.id,))

    def meter(self) -> Meter:
        """What is spent and what is left; makes no file where there is none."""
        now = self._clock.now()
        if not self.exists:
            with _scratch() as empty:
                hour, day = _windows(empty, now, self._limits)
            return Meter(hour, day)
        with self.exclusive() as database:
            _lapse(database, now)
            return Meter(*_windows(database, now, self._limits))

    @property
    def exists(self) -> bool:
        """Whether anything was ever counted."""
        return self._path.exists()

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """The file, written by nobody else meanwhile. It is opened anew each time: calls to a model are seldom."""
        with self._named_errors():
            database = _opened(self._path)
        try:
            with self._named_errors():
                database.execute("BEGIN IMMEDIATE")
                yield database
                database.execute("COMMIT")
        finally:
            database.close()  # rolls back what was not committed

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            full = full_disk(error, self._path)
            raise LlmUnavailable(
                f"the spending meter {self._path} cannot be used: {full.message if full else error}",
                hint=full.hint if full else _WITHOUT_METER,
                reason="budget",
            ) from error


_WITHOUT_METER = "fix its permissions, or delete it to count anew; without it nothing is spent"


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        # The table that was added last: files of earlier versions get what they lack.
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'useless'").fetchone():
            database.executescript(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database


@contextmanager
def _scratch() -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        database.executescript(_SCHEMA)
        yield database
    finally:
        database.close()


def _lapse(database: sqlite3.Connection, now: datetime) -> None:
    """Calls whose process died: their prompt was likely sent, the room for their answer is given back."""
    gone = "until <= ?"
    lapsed = database.execute(f"SELECT hour, input FROM held WHERE {gone}", (now.timestamp(),)).fetchall()  # noqa: S608
    for hour, tokens in lapsed:
        _count(database, hour, 1, tokens)
    database.execute(f"DELETE FROM held WHERE {gone}", (now.timestamp(),))  # noqa: S608
    database.execute("DELETE FROM spent WHERE hour < ?", (_hour(now) - _HOURS_KEPT,))


def _count(database: sqlite3.Connection, hour: int, calls: int, tokens: int) -> None:
    database.execute(
        "INSERT INTO spent (hour, calls, tokens) VALUES (?,?,?)"
        " ON CONFLICT (hour) DO UPDATE SET calls = calls + excluded.calls, tokens = tokens + excluded.tokens",
        (hour, calls, tokens),
    )


def _windows(database: sqlite3.Connection, now: datetime, limits: BudgetLimits) -> tuple[BudgetWindow, BudgetWindow]:
    hour = _hour(now)
    midnight = hour - hour % 24
    return (
        _window(database, "hour", hour, hour, limits.calls_per_hour, limits.tokens_per_hour),
        _window(database, "day", midnight, midnight + 23, limits.calls_per_day, limits.tokens_per_day),
    )


def _window(
    database: sqlite3.Connection, name: str, first: int, last: int, max_calls: int, max_tokens: int
) -> BudgetWindow:
    calls, tokens = database.execute(_USED, (first, last)).fetchone()
    return BudgetWindow(name, calls, max_calls, tokens, max_tokens, datetime.fromtimestamp((last + 1) * _HOUR, UTC))


def _hour(at: datetime) -> int:
    return int(at.timestamp() // _HOUR)


def _refusal(window: BudgetWindow, limit: str, tokens: int, now: datetime) -> LlmUnavailable:
    never = window.max_calls < 1 or tokens > window.max_tokens
    spent = f"{window.calls} of {window.max_calls} calls and {window.tokens} of {window.max_tokens} tokens are spent"
    return LlmUnavailable(
        f"a call of up to {tokens} tokens does not fit into this {window.name}: {spent}",
        hint=f"raise llm.{limit}" if never else f"wait until {window.ends:%H:%M} UTC, or raise llm.{limit}",
        reason="budget",
        retry_after=None if never else (window.ends - now).total_seconds(),
    )
