"""Usage: how recall went on each day, in numbers."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

MOST_TIMES = 20_000
"""How many times are kept of a day; of more, every second one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFigures:
    """How recall went in some time."""

    recalls: int = 0
    """Turns and recalls, those that were skipped too."""
    answered: int = 0
    silent: int = 0
    """Recalls that found nothing to say."""
    skipped: int = 0
    """Recalls that did not search, such as for a greeting."""
    searches: int = 0
    """Searches by people and tools; they are in none of the numbers before."""
    degraded: int = 0
    """Recalls and searches of which something did not work as usual."""
    tokens: int = 0
    """What recalls gave to agents."""
    p50_ms: float | None = None
    p95_ms: float | None = None
    """The duration of recalls and searches that were not skipped; None where there are none."""
    llm_calls: int | None = None
    llm_tokens: int | None = None
    """What the language model was asked, by everyone who shares its budget; None where that is not known."""

    @property
    def hit_rate(self) -> float | None:
        """The share of recalls that found something, of those that searched."""
        searched = self.recalls - self.skipped
        return self.answered / searched if searched else None

    @property
    def silent_rate(self) -> float | None:
        """The share of recalls that gave an agent nothing, for whatever reason."""
        return (self.recalls - self.answered) / self.recalls if self.recalls else None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDay(UsageFigures):
    """How recall went on one day (UTC)."""

    day: date


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage by day, the oldest first, and in total."""

    days: Sequence[UsageDay]
    total: UsageFigures
    counted_since: date
    """Receipts of days before were not counted: there are too many, or they are not kept."""
    cents_per_million_tokens: int | None = None
    """What the language model costs; None where nobody said so."""

    def cents(self, tokens: int | None) -> float | None:
        """What so many tokens of the language model cost; None where that is not known."""
        if tokens is None or self.cents_per_million_tokens is None:
            return None
        return tokens * self.cents_per_million_tokens / 1_000_000


@dataclass(frozen=True, slots=True)
class RecallFigures:
    """One recall or search."""

    outcome: str
    is_search: bool
    milliseconds: float
    tokens: int
    is_degraded: bool


@dataclass(slots=True)
class DayTally:
    """What is counted of one day."""

    recalls: int = 0
    answered: int = 0
    skipped: int = 0
    searches: int = 0
    degraded: int = 0
    tokens: int = 0
    times: array[float] = field(default_factory=lambda: array("f"))

    def count(self, one: RecallFigures) -> None:
        self.degraded += one.is_degraded
        if one.is_search:
            self.searches += 1
        else:
            self.recalls += 1
            self.answered += one.outcome == "answered"
            self.skipped += one.outcome == "skipped"
            self.tokens += one.tokens
        if one.outcome != "skipped":
            self.times.append(one.milliseconds)
            if len(self.times) > MOST_TIMES:
                self.times = self.times[::2]


def usage_of(
    tallies: Mapping[date, DayTally], spent: Mapping[date, tuple[int, int]] | None, first: date, last: date,
    counted_since: date, spent_since: date,
) -> Usage:  # fmt: skip
    """Every day from `first` to `last`, the empty ones too. `spent` is None where no language model is used."""
    days = [first + timedelta(days=offset) for offset in range((last - first).days + 1)]

    def llm(some: Sequence[date]) -> dict[str, int | None]:
        known = [] if spent is None else [spent.get(day, (0, 0)) for day in some if day >= spent_since]
        if not known:
            return {"llm_calls": None, "llm_tokens": None}
        return {"llm_calls": sum(calls for calls, _ in known), "llm_tokens": sum(tokens for _, tokens in known)}

    def figures(some: Sequence[date]) -> dict[str, float | int | None]:
        of = [tallies[day] for day in some if day in tallies]
        times = sorted(time for each in of for time in each.times)
        numbers = {name: sum(getattr(each, name) for each in of) for name in _SUMMED}
        silent = numbers["recalls"] - numbers["answered"] - numbers["skipped"]
        return {**numbers, "silent": silent, "p50_ms": percentile(times, 0.5), "p95_ms": percentile(times, 0.95)}

    found = [UsageDay(day=day, **figures([day]), **llm([day])) for day in days]  # type: ignore[arg-type]
    return Usage(tuple(found), UsageFigures(**figures(days), **llm(days)), counted_since)  # type: ignore[arg-type]


_SUMMED = ("recalls", "answered", "skipped", "searches", "degraded", "tokens")


def percentile(ascending: Sequence[float], share: float) -> float | None:
    """The value that `share` of all do not exceed; None without any."""
    if not ascending:
        return None
    return round(ascending[max(0, math.ceil(share * len(ascending)) - 1)], 3)
