"""How a language model fares: its last answer, its failures in a row, and until when it is left alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

MAX_PAUSE_SECONDS = 15 * 60.0
MAX_ASKED_PAUSE_SECONDS = 60 * 60.0


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

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Condition:
        useless = {str(task): (int(answers), float(since)) for task, (answers, since) in payload["useless"].items()}
        return cls(**{**payload, "useless": useless})

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


def _iso(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
