"""What holds for every language model: a hard budget, a circuit breaker, and a card with room."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from cortex.domain.text import estimate_tokens
from cortex.errors import EngineError, LlmReason, LlmUnavailable, ProviderMissing
from cortex.ports.clock import Clock
from cortex.ports.hardware import Hardware
from cortex.ports.llm import LLM, Completion, LlmTask
from cortex.ports.provider import close, trouble_of
from cortex.providers.llms.breaker import FAILURES_TO_PAUSE, PAUSE_SECONDS, TRIAL_SECONDS, Breaker
from cortex.providers.llms.budget import Budget, BudgetWindow, Reservation
from cortex.providers.llms.condition import MAX_PAUSE_SECONDS, Condition
from cortex.runtime import pool

HARDWARE_RETRY_SECONDS = 60.0
GRACE_SECONDS = 1.0
"""How much longer than its own time limit a provider is waited for."""

_OVERHEAD_TOKENS = 100
_UNSENT = frozenset({"off", "missing"})
_COSTLESS = frozenset({"auth", "rate_limited", "unreachable", "server_error", "rejected"})
"""Failures that no vendor charges tokens for. Where it cannot be known, everything held is counted."""

log = logging.getLogger("cortex")


class GuardedLLM:
    """Asks the inner model only within the budget, not while it keeps failing, and never longer than `timeout`.

    Everything that goes wrong is `LlmUnavailable`, with a reason; what was refused here was never sent.
    """

    def __init__(
        self,
        inner: LLM,
        spending: Budget,
        clock: Clock,
        *,
        timeout: float | None = None,
        hardware: Hardware | None = None,
        failures: int = FAILURES_TO_PAUSE,
        pause: float = PAUSE_SECONDS,
        max_pause: float = MAX_PAUSE_SECONDS,
    ) -> None:
        self._inner = inner
        self._spending = spending
        self._timeout = timeout
        self._hardware = hardware
        self._clock = clock
        trial = max(TRIAL_SECONDS, 2 * timeout) if timeout else TRIAL_SECONDS
        self._breaker = Breaker(
            spending, lambda: inner.name, clock, failures=failures, pause=pause, max_pause=max_pause, trial=trial
        )

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def background(self) -> LLM:
        """The same model for work that nobody waits for: it also waits while the card is too hot or busy."""
        return self if self._hardware is None else _Background(self, self._hardware)

    def complete(
        self, *, system: str, prompt: str, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        tries = self._breaker.admit()
        try:
            held = self._spending.reserve(_at_most(system, prompt, schema), max_tokens)
        except BaseException:
            self._withdraw(tries)
            raise
        try:
            answer = self._in_time(
                lambda: self._inner.complete(system=system, prompt=prompt, max_tokens=max_tokens, schema=schema)
            )
        except Exception as error:
            unavailable = _unavailable(error)
            self._failed(unavailable, held)
            raise unavailable from error
        except BaseException:
            self._withdraw(tries)
            self._settle(lambda: self._spending.settle(held, held.tokens))
            raise
        self._settle(self._breaker.succeeded)
        self._settle(lambda: self._spending.settle(held, _cost(answer, system, prompt)))
        return answer

    def judge(self, task: LlmTask, *, useful: bool) -> None:
        """Record whether its last answer could be used for this task; the status counts those that could not."""
        self._settle(lambda: self._breaker.judge(task, useful=useful))

    def status(self) -> dict[str, Any]:
        """The meter, the breaker, how it last went, and the card, as plain values."""
        status: dict[str, Any] = {"name": self.name}
        try:
            meter = self._spending.meter()
            status |= self._breaker.status()
        except LlmUnavailable as error:
            status |= {**Condition().status(self._clock.now().timestamp()), "meter_error": str(error)}
        else:
            status |= {"hour": _window_status(meter.hour), "day": _window_status(meter.day)}
        if self._hardware is not None:
            status["hardware"] = asdict(self._hardware.verdict())
        return status

    def spent_by_day(self) -> Mapping[date, tuple[int, int]]:
        """Calls and tokens of each of the last days, of everyone who shares the budget."""
        return self._spending.days()

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        return trouble_of(self._inner, thorough=thorough)

    def close(self) -> None:
        """Let go of the inner model's connections."""
        close(self._inner)

    def _in_time(self, ask: Callable[[], Completion]) -> Completion:
        """What `ask` answers; a provider that neither answers nor gives up is left behind."""
        if self._timeout is None:
            return ask()
        try:
            return pool.start(ask, "cortex-llm").result(self._timeout + GRACE_SECONDS)
        except TimeoutError as error:
            raise LlmUnavailable(
                f"{self.name} did not answer in time", hint="raise llm.timeout_ms", reason="timeout"
            ) from error

    def _failed(self, error: LlmUnavailable, held: Reservation) -> None:
        if error.reason == "refused":  # an answer of its own sort: the provider works
            self._settle(self._breaker.succeeded)
        else:
            self._settle(lambda: self._breaker.failed(error))
        if error.reason in _UNSENT:
            self._settle(lambda: self._spending.release(held))
        else:
            tokens = 0 if error.reason in _COSTLESS else held.tokens
            self._settle(lambda: self._spending.settle(held, tokens))

    def _withdraw(self, tries: bool) -> None:
        if tries:
            self._settle(self._breaker.withdraw)

    @staticmethod
    def _settle(write: Callable[[], None]) -> None:
        """The answer is there, or the failure is known: a meter that cannot be written must not replace it."""
        try:
            write()
        except LlmUnavailable as error:
            log.warning("spending not written down: %s", error.code)


class _Background:
    """A guarded model that first asks whether the card has room."""

    def __init__(self, guarded: GuardedLLM, hardware: Hardware) -> None:
        self._guarded = guarded
        self._hardware = hardware

    @property
    def name(self) -> str:
        return self._guarded.name

    def complete(
        self, *, system: str, prompt: str, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        verdict = self._hardware.verdict()
        if not verdict.ok:
            raise LlmUnavailable(verdict.why, reason="hardware", retry_after=HARDWARE_RETRY_SECONDS)
        return self._guarded.complete(system=system, prompt=prompt, max_tokens=max_tokens, schema=schema)

    def judge(self, task: LlmTask, *, useful: bool) -> None:
        self._guarded.judge(task, useful=useful)


def _at_most(system: str, prompt: str, schema: Mapping[str, Any] | None) -> int:
    """More input tokens than any tokenizer is likely to count: three bytes each."""
    shape = "" if schema is None else json.dumps(schema)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in (system, prompt, shape))
    return -(-size // 3) + _OVERHEAD_TOKENS


def _cost(answer: Completion, system: str, prompt: str) -> int:
    """What the server counted; where it counts nothing, what we estimate."""
    sent = answer.input_tokens or estimate_tokens(system) + estimate_tokens(prompt)
    return sent + (answer.output_tokens or estimate_tokens(answer.text))


def _unavailable(error: Exception) -> LlmUnavailable:
    if isinstance(error, LlmUnavailable):
        return error
    if isinstance(error, EngineError):
        reason: LlmReason = "missing" if isinstance(error, ProviderMissing) else "unavailable"
        return LlmUnavailable(error.message, hint=error.hint, reason=reason)
    # By its type alone: a provider's message may repeat the text it was given.
    return LlmUnavailable(f"the language model failed: {type(error).__name__}")


def _window_status(window: BudgetWindow) -> dict[str, Any]:
    status = {**asdict(window), "ends": window.ends.isoformat()}
    del status["name"]
    return status
