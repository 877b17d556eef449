"""The circuit breaker of a language model, kept beside the spending meter.

Every process that shares the file leaves a dead model alone, also one that ends after a single call; and the status
reports a model that only a worker calls.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from cortex.errors import LlmUnavailable
from cortex.ports.clock import Clock
from cortex.ports.llm import LlmTask
from cortex.providers.llms.budget import Budget

FAILURES_TO_PAUSE = 3
PAUSE_SECONDS = 30.0
MAX_PAUSE_SECONDS = 15 * 60.0
MAX_ASKED_PAUSE_SECONDS = 60 * 60.0
TRIAL_SECONDS = 120.0
"""How long one call may try for all: a process that died while it tried must not hold up the others for longer."""

_PARTS = "answered, failed, since, failures, until, reason, message, hint"


@dataclass(frozen=True, slots=True)
class Condition:
    """How a model fares."""

    answered: float | None = None
    failed: float | None = None
    since: float | None = None
    """When it failed first after its last answer."""
    failures: int = 0
    """How often in a row."""
    until: float = 0.0
    reason: str = ""
    message: str = ""
    hint: str = ""
    useless: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    """By task: how many answers in a row could not be used, and since when."""

    def state(self, now: float) -> str:
        if not self.until:
            return "closed"
        return "open" if self.left(now) > 0 else "half-open"

    def left(self, now: float) -> float:
        """For how many seconds it is left alone. Nobody waits because a clock was set back."""
        left = self.until - now
        return left if left <= max(MAX_ASKED_PAUSE_SECONDS, MAX_PAUSE_SECONDS) else 0.0

    def status(self, now: float) -> dict[str, Any]:
        """As plain values: the breaker, how it last went, and what is wrong now."""
        failure = {"at": _iso(self.failed), "reason": self.reason, "message": self.message}
        failing = {"since": _iso(self.since), "failures": self.failures, "fix": self.hint}
        return {
            "breaker": {
                "state": self.state(now),
                "failures": self.failures,
                "retry_in": round(max(0.0, self.left(now)), 1) if self.until else 0.0,
            },
            "last_answer": _iso(self.answered),
            "last_failure": failure if self.failed is not None else None,
            "failing": {**failing, **failure} if self.failures else None,
            "useless": {
                work: {"since": _iso(since), "answers": answers} for work, (answers, since) in self.useless.items()
            }
            or None,
        }


class Breaker:
    """Open after several failures in a row, for twice as long each time; then one call may try.

    A server that asks to be left alone is left alone at once, for as long as it asks.
    """

    def __init__(
        self,
        spending: Budget,
        name: Callable[[], str],
        clock: Clock,
        *,
        failures: int = FAILURES_TO_PAUSE,
        pause: float = PAUSE_SECONDS,
        max_pause: float = MAX_PAUSE_SECONDS,
        trial: float = TRIAL_SECONDS,
    ) -> None:
        self._spending = spending
        self._name = name
        self._clock = clock
        self._limit = failures
        self._pause = pause
        self._max_pause = max_pause
        self._trial = trial

    def condition(self) -> Condition:
        """How the model fares; creates no file where there is none."""
        if not self._spending.exists:
            return Condition()
        with self._spending.exclusive() as database:
            return self._read(database)

    def status(self) -> dict[str, Any]:
        return self.condition().status(self._now())

    def admit(self) -> bool:
        """Let one call through, or raise; True where it is the one that tries, which may `withdraw`."""
        now = self._now()
        with self._spending.exclusive() as database:
            condition = self._read(database)
            if condition.state(now) == "open":
                raise _refusal(condition, condition.left(now))
            if condition.state(now) == "closed":
                return False
            self._write(database, until=now + self._trial)
            return True

    def succeeded(self) -> None:
        with self._spending.exclusive() as database:
            self._write(database, answered=self._now(), since=None, failures=0, until=0.0)

    def failed(self, error: LlmUnavailable) -> None:
        now = self._now()
        with self._spending.exclusive() as database:
            condition = self._read(database)
            failures = condition.failures + 1
            pause = self._pause_after(failures, error)
            self._write(
                database, failed=now, since=condition.since if condition.failures else now, failures=failures,
                until=now + pause if pause else 0.0, reason=error.reason, message=error.message, hint=error.hint,
            )  # fmt: skip

    def withdraw(self) -> None:
        """The call that was to try was not made after all."""
        with self._spending.exclusive() as database:
            self._write(database, until=self._now())

    def judge(self, work: LlmTask, *, useful: bool) -> None:
        """Count the answers in a row that could not be used for this work."""
        key = self._name(), work.value
        with self._spending.exclusive() as database:
            if useful:
                database.execute("DELETE FROM useless WHERE name = ? AND work = ?", key)
            else:
                database.execute(
                    "INSERT INTO useless VALUES (?, ?, 1, ?) ON CONFLICT DO UPDATE SET answers = answers + 1",
                    (*key, self._now()),
                )

    def _pause_after(self, failures: int, error: LlmUnavailable) -> float:
        pauses = failures - self._limit
        pause = min(self._pause * 2.0 ** min(pauses, 30), self._max_pause) if pauses >= 0 else 0.0
        return max(pause, min(error.retry_after or 0.0, MAX_ASKED_PAUSE_SECONDS))

    def _read(self, database: sqlite3.Connection) -> Condition:
        row = database.execute(f"SELECT {_PARTS} FROM models WHERE name = ?", (self._name(),)).fetchone()  # noqa: S608
        counts = database.execute("SELECT work, answers, since FROM useless WHERE name = ?", (self._name(),)).fetchall()
        useless = {work: (answers, since) for work, answers, since in counts}
        return replace(Condition() if row is None else Condition(*row), useless=useless)

    def _write(self, database: sqlite3.Connection, **parts: Any) -> None:
        database.execute("INSERT OR IGNORE INTO models (name) VALUES (?)", (self._name(),))
        changed = ", ".join(f"{part} = ?" for part in parts)
        database.execute(f"UPDATE models SET {changed} WHERE name = ?", (*parts.values(), self._name()))  # noqa: S608

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _refusal(condition: Condition, left: float) -> LlmUnavailable:
    return LlmUnavailable(
        f"the language model is not called for now, because it failed before: {condition.message}",
        hint=condition.hint,
        reason="paused",
        retry_after=left,
    )


def _iso(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
