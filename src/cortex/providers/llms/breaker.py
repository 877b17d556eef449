"""The circuit breaker of a language model, kept beside the spending meter.

Every process that shares the meter leaves a dead model alone, also one that ends after a single call; and the status
reports a model that only a worker calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cortex.errors import LlmUnavailable
from cortex.ports.clock import Clock
from cortex.ports.llm import LlmTask
from cortex.providers.llms.budget import Budget, Counters
from cortex.providers.llms.condition import MAX_ASKED_PAUSE_SECONDS, MAX_PAUSE_SECONDS, Condition

FAILURES_TO_PAUSE = 3
PAUSE_SECONDS = 30.0
TRIAL_SECONDS = 120.0
"""How long one call may try for all: a process that died while it tried must not hold up the others for longer."""


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

    def status(self) -> dict[str, Any]:
        return self._of(self._spending.read()).status(self._now())

    def admit(self) -> bool:
        """Let one call through, or raise; True where it is the one that tries, which may `withdraw`."""
        now = self._now()

        def admit(condition: Condition) -> Condition:
            if condition.state(now) == "open":
                raise _refusal(condition, condition.left(now))
            return condition if condition.state(now) == "closed" else replace(condition, until=now + self._trial)

        return self._revise(admit).state(now) != "closed"

    def succeeded(self) -> None:
        now = self._now()
        self._revise(lambda condition: replace(condition, answered=now, since=None, failures=0, until=0.0))

    def failed(self, error: LlmUnavailable) -> None:
        now = self._now()

        def count(condition: Condition) -> Condition:
            failures = condition.failures + 1
            pause = self._pause_after(failures, error)
            return replace(
                condition, failed=now, since=condition.since if condition.failures else now, failures=failures,
                until=now + pause if pause else 0.0, reason=error.reason, message=error.message, hint=error.hint,
            )  # fmt: skip

        self._revise(count)

    def withdraw(self) -> None:
        """The call that was to try was not made after all."""
        self._revise(lambda condition: replace(condition, until=self._now()))

    def judge(self, work: LlmTask, *, useful: bool) -> None:
        """Count the answers in a row that could not be used for this work."""

        def count(condition: Condition) -> Condition:
            useless = dict(condition.useless)
            if useful:
                useless.pop(work.value, None)
            else:
                answers, since = useless.get(work.value, (0, self._now()))
                useless[work.value] = answers + 1, since
            return replace(condition, useless=useless)

        self._revise(count)

    def _pause_after(self, failures: int, error: LlmUnavailable) -> float:
        pauses = failures - self._limit
        pause = min(self._pause * 2.0 ** min(pauses, 30), self._max_pause) if pauses >= 0 else 0.0
        return max(pause, min(error.retry_after or 0.0, MAX_ASKED_PAUSE_SECONDS))

    def _of(self, counters: Counters) -> Condition:
        return counters.models.get(self._name(), Condition())

    def _revise(self, revise: Callable[[Condition], Condition]) -> Condition:
        """The condition after `revise`, kept while nobody else changes it."""

        def change(counters: Counters) -> Condition:
            counters.models[self._name()] = after = revise(self._of(counters))
            return after

        return self._spending.change(change)

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _refusal(condition: Condition, left: float) -> LlmUnavailable:
    return LlmUnavailable(
        f"the language model is not called for now, because it failed before: {condition.message}",
        hint=condition.hint,
        reason="paused",
        retry_after=left,
    )
