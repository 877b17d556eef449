"""The spending meter: what language models may cost in an hour and in a day, kept in one small document.

    spent   calls and tokens of each hour
    held    what calls under way may come to cost; room that nobody else can take
    models  how each model fares (`breaker`)

Every process, and every host that shares the store, shares the budget. What cannot be counted is not spent: where the
document cannot be used, nothing is sent. Hours and days are those of the clock, in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from typing import Any, NamedTuple, TypeVar

from cortex.errors import LlmUnavailable, StoreCorrupt, StoreError
from cortex.ports.clock import Clock
from cortex.ports.documents import LLM_BUDGET, Bodies, Documents
from cortex.providers.llms.condition import Condition

T = TypeVar("T")

HOLD_SECONDS = 300.0
"""A call still under way after this long is taken to have died with its process."""

DAYS_KEPT = 31
_HOUR, _HOURS_KEPT = 3_600, DAYS_KEPT * 24


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
    """What is counted now."""

    hour: BudgetWindow
    day: BudgetWindow


class _Held(NamedTuple):
    """Room that is held for a call."""

    hour: int
    until: float
    input: int
    output: int


@dataclass(slots=True)
class Counters:
    """Everything that is counted, as the document has it."""

    spent: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Calls and tokens, by hour."""
    held: dict[int, _Held] = field(default_factory=dict)
    last: int = 0
    """The id of the last reservation."""
    models: dict[str, Condition] = field(default_factory=dict)

    @classmethod
    def from_json(cls, body: bytes) -> Counters:
        payload: Mapping[str, Any] = json.loads(body)
        return cls(
            spent={int(hour): (int(calls), int(tokens)) for hour, (calls, tokens) in payload["spent"].items()},
            held={int(id): _Held(*held) for id, held in payload["held"].items()},
            last=int(payload["last"]),
            models={str(name): Condition.from_json(model) for name, model in payload["models"].items()},
        )

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False).encode()

    def count(self, hour: int, calls: int, tokens: int) -> None:
        before = self.spent.get(hour, (0, 0))
        self.spent[hour] = before[0] + calls, before[1] + tokens

    def lapse(self, now: datetime) -> None:
        """Calls whose process died: their prompt was likely sent, the room for their answer is given back."""
        for id in [id for id, held in self.held.items() if held.until <= now.timestamp()]:
            held = self.held.pop(id)
            self.count(held.hour, 1, held.input)
        self.spent = {hour: spent for hour, spent in self.spent.items() if hour >= _hour(now) - _HOURS_KEPT}

    def windows(self, now: datetime, limits: BudgetLimits) -> Meter:
        hour = _hour(now)
        midnight = hour - hour % 24
        return Meter(
            self._window("hour", hour, hour, limits.calls_per_hour, limits.tokens_per_hour),
            self._window("day", midnight, midnight + 23, limits.calls_per_day, limits.tokens_per_day),
        )

    def _window(self, name: str, first: int, last: int, max_calls: int, max_tokens: int) -> BudgetWindow:
        spent = [each for hour, each in self.spent.items() if first <= hour <= last]
        held = [(1, each.input + each.output) for each in self.held.values() if first <= each.hour <= last]
        calls, tokens = (sum(column) for column in zip((0, 0), *spent, *held, strict=True))
        return BudgetWindow(name, calls, max_calls, tokens, max_tokens, datetime.fromtimestamp((last + 1) * _HOUR, UTC))


class Budget:
    """The budget in one document, shared by everyone who uses it."""

    def __init__(
        self, documents: Documents, limits: BudgetLimits, clock: Clock, *, hold_seconds: float = HOLD_SECONDS
    ) -> None:
        self._documents = documents
        self._limits = limits
        self._clock = clock
        self._hold_seconds = hold_seconds

    def reserve(self, input_tokens: int, output_tokens: int) -> Reservation:
        """Room for one call, held against everyone else; `LlmUnavailable` where there is none."""
        now, tokens = self._clock.now(), input_tokens + output_tokens

        def hold(counters: Counters) -> Reservation:
            counters.lapse(now)
            meter = counters.windows(now, self._limits)
            for window in (meter.hour, meter.day):
                if limit := window.lacks_room_for(tokens):
                    raise _refusal(window, limit, tokens, now)
            counters.last += 1
            until = now.timestamp() + self._hold_seconds
            counters.held[counters.last] = _Held(_hour(now), until, input_tokens, output_tokens)
            return Reservation(counters.last, _hour(now), input_tokens, output_tokens)

        return self.change(hold)

    def settle(self, reservation: Reservation, tokens: int) -> None:
        """Count what the call did cost in place of what was held for it."""

        def count(counters: Counters) -> None:
            if counters.held.pop(reservation.id, None):
                counters.count(reservation.hour, 1, tokens)
            else:  # it lapsed meanwhile: its call and its input are counted already
                counters.count(reservation.hour, 0, max(0, tokens - reservation.input_tokens))

        self.change(count)

    def release(self, reservation: Reservation) -> None:
        """Give the room back: nothing was sent."""
        self.change(lambda counters: counters.held.pop(reservation.id, None))

    def meter(self) -> Meter:
        """What is spent and what is left; creates nothing."""
        now, counters = self._clock.now(), self.read()
        counters.lapse(now)
        return counters.windows(now, self._limits)

    def days(self) -> dict[date, tuple[int, int]]:
        """Calls and tokens spent on each day (UTC) that is kept; creates nothing."""
        found: dict[date, tuple[int, int]] = {}
        for hour, (calls, tokens) in sorted(self.read().spent.items()):
            day = datetime.fromtimestamp(hour * _HOUR, UTC).date()
            before = found.get(day, (0, 0))
            found[day] = before[0] + calls, before[1] + tokens
        return found

    def read(self) -> Counters:
        """The counters as they are now; creates nothing."""
        with self._named_errors():
            found = self._documents.read(LLM_BUDGET)
            return self._parsed(found.body if found else None)

    def change(self, edit: Callable[[Counters], T]) -> T:
        """What `edit` returns, which is given the counters and changes them while nobody else does."""

        def change(bodies: Bodies) -> T:
            counters = self._parsed(bodies[LLM_BUDGET])
            before = counters.to_json()
            result = edit(counters)
            if (after := counters.to_json()) != before:
                bodies[LLM_BUDGET] = after
            return result

        with self._named_errors():
            return self._documents.change((LLM_BUDGET,), change)

    def _parsed(self, body: bytes | None) -> Counters:
        try:
            return Counters() if body is None else Counters.from_json(body)
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
            raise StoreCorrupt("it is damaged") from error

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            raise LlmUnavailable(
                f"the spending meter {self._documents.where(LLM_BUDGET)} cannot be used: {error.message}",
                hint=error.hint or _WITHOUT_METER,
                reason="budget",
            ) from error


_WITHOUT_METER = "restore it from a copy, or delete it to count anew; without it nothing is spent"


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
