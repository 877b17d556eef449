"""How a memory grew: what was created on each day, and of what sort it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, timedelta

from cortex.domain.trace import Trace, label_of


@dataclass(frozen=True, slots=True)
class DayCount:
    """How many traces of one sort were created on one day (UTC), as they stand now; None: before the requested days."""

    day: date | None
    kind: str
    label: str
    trust: str
    state: str
    number: int


@dataclass(frozen=True, slots=True)
class Day:
    """What was created on one day, and how much there was at its end; what was forgotten since is counted too."""

    day: date
    created: int
    total: int
    kinds: Mapping[str, int]
    labels: Mapping[str, int]
    trusts: Mapping[str, int]
    states: Mapping[str, int]


def counted_by_day(traces: Iterable[Trace], first: date) -> list[DayCount]:
    """What was created when, by looking at every trace: for stores that have nothing quicker."""
    found = Counter(
        (
            day if (day := trace.created_at.astimezone(UTC).date()) >= first else None,
            trace.kind.value,
            label_of(trace).value,
            trace.trust.value,
            trace.state.value,
        )
        for trace in traces
    )
    return [DayCount(*sort, number) for sort, number in found.items()]


def days_of(counts: Iterable[DayCount], first: date, last: date) -> list[Day]:
    """One entry for every day from `first` to `last`, the empty ones too; what is dated after `last` is left out."""
    by_day: dict[date | None, list[DayCount]] = {}
    for count in counts:
        by_day.setdefault(count.day, []).append(count)
    total = sum(count.number for count in by_day.get(None, ()))
    days = []
    for offset in range((last - first).days + 1):
        day = first + timedelta(days=offset)
        made = by_day.get(day, [])
        number = sum(count.number for count in made)
        total += number
        days.append(Day(day, number, total, *(_by(made, name) for name in ("kind", "label", "trust", "state"))))
    return days


def _by(counts: Iterable[DayCount], name: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for count in counts:
        found[getattr(count, name)] += count.number
    return dict(sorted(found.items()))
