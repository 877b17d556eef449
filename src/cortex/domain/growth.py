"""How a memory grew: what was created on each day, and of what sort it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta
from enum import StrEnum

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
    """What was created on one day, and how much there was at its end; what was forgotten since is counted too.

    An entry may stand for several days from `day` on, such as a week or a month.
    """

    day: date
    created: int
    total: int
    kinds: Mapping[str, int]
    labels: Mapping[str, int]
    trusts: Mapping[str, int]
    states: Mapping[str, int]
    days: int = 1


class TimeStep(StrEnum):
    """How much time one entry covers."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"

    def first_day(self, day: date) -> date:
        """The first day of the step that a day belongs to; weeks begin on Mondays."""
        if self is TimeStep.WEEK:
            return day - timedelta(days=min(day.weekday(), (day - date.min).days))
        if self is TimeStep.MONTH:
            return day.replace(day=1)
        return day.replace(month=1, day=1) if self is TimeStep.YEAR else day

    def after(self, first: date) -> date:
        """The first day of the next step."""
        if self is TimeStep.MONTH:
            return (first + timedelta(days=31)).replace(day=1)
        if self is TimeStep.YEAR:
            return first.replace(year=first.year + 1)
        return first + timedelta(days=7 if self is TimeStep.WEEK else 1)


_STEPS = ((92, TimeStep.DAY), (2 * 366, TimeStep.WEEK), (12 * 366, TimeStep.MONTH))
"""Up to so many days, each step; beyond, years."""

EARLIEST = date(1900, 1, 1)
"""What is dated before is counted in the totals alone."""

LATEST = date(2200, 1, 1)


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
    days: list[Day] = []
    for offset in range((last - first).days + 1):
        day = first + timedelta(days=offset)
        days.append(_entry(day, by_day.get(day, []), total))
        total = days[-1].total
    return days


def fitted_days(counts: Iterable[DayCount], today: date) -> list[Day]:
    """What was created from the first day to the last, in steps that fit: days for months, weeks for years."""
    found = [count for count in counts if count.day is None or count.day < LATEST]
    dated = [count.day for count in found if count.day is not None]
    first, last = min([*dated, today]), max([*dated, today])
    step = next((step for most, step in _STEPS if (last - first).days < most), TimeStep.YEAR)
    by_step: dict[date | None, list[DayCount]] = {}
    for count in found:
        by_step.setdefault(count.day and step.first_day(count.day), []).append(count)
    total = sum(count.number for count in by_step.get(None, ()))
    days, day = list[Day](), step.first_day(first)
    while day <= last:
        following = step.after(day)
        days.append(replace(_entry(day, by_step.get(day, []), total), days=(following - day).days))
        day, total = following, days[-1].total
    return days


def _entry(day: date, made: Sequence[DayCount], before: int) -> Day:
    number = sum(count.number for count in made)
    kinds, labels, trusts, states = (_by(made, name) for name in ("kind", "label", "trust", "state"))
    return Day(day, number, before + number, kinds, labels, trusts, states)


def _by(counts: Iterable[DayCount], name: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for count in counts:
        found[getattr(count, name)] += count.number
    return dict(sorted(found.items()))
