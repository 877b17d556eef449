"""Usage and activity by day: what receipts and the ledger say, in numbers (X18, S6)."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta

from cortex.context import Context
from cortex.domain.events import EventCount
from cortex.domain.query import Mode
from cortex.domain.receipt import Receipt
from cortex.domain.usage import DayTally, RecallFigures, Usage, usage_of
from cortex.errors import InvalidRequest, LlmUnavailable
from cortex.operation_counters import outcome_of
from cortex.ports.store import View

MOST_DAYS = 366
MOST_RECEIPTS = 100_000
"""How many receipts are read for one answer; a day that ended is read once."""

_PAGE = 1_000
_DAY = timedelta(days=1)
_LLM_DAYS = 30
"""The budget of the language model keeps so many whole days."""

_SETTLED = timedelta(hours=1)
"""How long after its end a day is counted anew: other processes write receipts a little later."""


@dataclass(slots=True)
class _EndedDays:
    """Days that were counted and can no longer change, without gaps; kept in this process."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    tallies: dict[date, DayTally] = field(default_factory=dict)

    def add(self, first: date, last: date, counted: Mapping[date, DayTally]) -> None:
        """The days from `first` to `last`."""
        if self.tallies and first > max(self.tallies) + _DAY:
            self.tallies.clear()
        for offset in range((last - first).days + 1):
            day = first + offset * _DAY
            self.tallies[day] = counted.get(day, DayTally())

    def close(self) -> None:
        self.tallies.clear()


class UsageService:
    """How the memory of one user is used."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def usage(self, *, days: int = 30) -> Usage:
        last = self._today()
        first = last - (_checked(days) - 1) * _DAY
        self._context.flush()
        ended = self._context.dependencies.one("usage", self._context.tenant, _EndedDays)
        with ended.lock:
            tallies, counted_since = self._tallies(ended, first)
        llm = self._context.dependencies.llm
        try:
            spent = None if llm is None else llm.spent_by_day()
        except LlmUnavailable:  # `status` says what is wrong with the meter
            spent = None
        price = self._context.settings.llm.cents_per_million_tokens
        found = usage_of(tallies, spent, first, last, counted_since, last - _LLM_DAYS * _DAY)
        return replace(found, cents_per_million_tokens=price)

    def activity(self, *, days: int = 30) -> Sequence[EventCount]:
        first = self._today() - (_checked(days) - 1) * _DAY
        with self._context.store_view() as view:
            return view.event_days(first)

    def _tallies(self, ended: _EndedDays, first: date) -> tuple[dict[date, DayTally], date]:
        """What is known of each day from `first` on, and since when that is complete."""
        read_from = max(ended.tallies) + _DAY if first in ended.tallies else first
        with self._context.store_view() as view:
            counted, since = _counted(view, read_from)
        if since == read_from:
            final = (self._context.clock.now() - _SETTLED).astimezone(UTC).date() - _DAY
            ended.add(read_from, final, counted)
        return {**ended.tallies, **counted}, first if since == read_from else since

    def _today(self) -> date:
        return self._context.clock.now().astimezone(UTC).date()


def _checked(days: int) -> int:
    if not 1 <= days <= MOST_DAYS:
        raise InvalidRequest(f"{days} is outside 1 to {MOST_DAYS}", field="days", hint="give another")
    return days


def _counted(view: View, first: date) -> tuple[dict[date, DayTally], date]:
    """The recalls of each day from `first` on, and the first day of which there are all."""
    begins, tallies = datetime.combine(first, time(), UTC), dict[date, DayTally]()
    before = None
    for _ in range(MOST_RECEIPTS // _PAGE):
        page = view.receipts(_PAGE, "recall", before)
        for receipt in page:
            if receipt.at < begins:
                return tallies, first
            tallies.setdefault(_day(receipt), DayTally()).count(_figures(receipt))
        if len(page) < _PAGE:
            return tallies, first
        before = page[-1].id
    partly = min(tallies)
    del tallies[partly]
    return tallies, partly + _DAY


def _day(receipt: Receipt) -> date:
    return receipt.at.astimezone(UTC).date()


def _figures(receipt: Receipt) -> RecallFigures:
    facts = receipt.facts
    return RecallFigures(
        outcome=outcome_of(receipt),
        is_search=(facts.get("request") or {}).get("mode") == Mode.SEARCH,
        milliseconds=receipt.latency_ms,
        tokens=int(facts.get("tokens") or 0),
        is_degraded=bool(receipt.degraded),
    )
