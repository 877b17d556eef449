"""The daily census: of what sort the memories of each day were, as it was on that day (S3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from cortex.domain.growth import Day
from cortex.domain.memory import ImportanceLabel

CENSUS = "#census"
"""The session in whose state the censuses of a user are kept, each under its day."""

MOST_DAYS = 366
BASE = "base"
"""The part of the state that says from which day on days can be compared."""

LABELS, UNKNOWN, KINDS, TRUST, VERDICTS, SILENCE = "labels", "unknown", "kinds", "trust", "verdicts", "silence"
DISTRIBUTIONS = (LABELS, UNKNOWN, KINDS, TRUST, VERDICTS, SILENCE)
"""What is counted: memories created on the day by label, rated or not, kind and trust; verdicts of capture; recalls
with an answer and without."""


@dataclass(frozen=True, slots=True)
class DayCensus:
    """What was counted for one day (UTC)."""

    day: date
    counts: Mapping[str, Mapping[str, int]]
    """By distribution and category."""
    memories: int = 0
    """How many memories could be found at the end of the day."""
    unknown: int = 0
    """How many of those nobody had rated."""
    late: bool = False
    """Whether it was counted more than a day later, with the labels of then."""

    def of(self, name: str) -> Mapping[str, int]:
        return self.counts.get(name, {})

    def to_state(self) -> dict[str, Any]:
        return {
            "counts": {name: dict(counted) for name, counted in self.counts.items() if counted},
            "memories": self.memories,
            "unknown": self.unknown,
            "late": self.late,
        }


@dataclass(frozen=True, slots=True)
class Censuses:
    """All censuses of a user, the oldest first, and from which day on they can be compared."""

    days: Sequence[DayCensus] = ()
    base: date | None = None
    reason: str = ""

    @property
    def last(self) -> date | None:
        return self.days[-1].day if self.days else None

    def series(self, name: str) -> dict[date, Mapping[str, int]]:
        """What was counted of one distribution on each day."""
        return {each.day: each.of(name) for each in self.days}

    @property
    def too_old(self) -> list[str]:
        """The parts of the state beyond the latest `MOST_DAYS`."""
        return [each.day.isoformat() for each in self.days[: max(0, len(self.days) - MOST_DAYS)]]


def censuses_in(state: Mapping[str, Any] | None) -> Censuses:
    """The censuses that a state holds. What is not as it should be is as if it were not there."""
    parts = state or {}
    found = (_census(name, payload) for name, payload in parts.items() if name != BASE)
    days = sorted((each for each in found if each is not None), key=lambda each: each.day)
    base = parts.get(BASE)
    day = _day(base.get("day")) if isinstance(base, Mapping) else None
    reason = str(base.get("reason", "")) if isinstance(base, Mapping) else ""
    return Censuses(days, day, reason)


def counted(day: Day) -> dict[str, Mapping[str, int]]:
    """The distributions of the memories that were created on a day."""
    unknown = day.labels.get(ImportanceLabel.UNKNOWN.value, 0)
    rated = sum(day.labels.values()) - unknown
    return {
        LABELS: day.labels,
        UNKNOWN: {"unknown": unknown, "rated": rated} if unknown + rated else {},
        KINDS: day.kinds,
        TRUST: day.trusts,
    }


def with_labels_of_then(days: Iterable[Day], known: Censuses) -> list[Day]:
    """Days with the labels as they were counted then, where there is a census."""
    labels = known.series(LABELS)
    then = {day: dict(sorted(counts.items())) for day, counts in labels.items()}
    return [replace(each, labels=then[each.day]) if each.day in then else each for each in days]


def by_day(rows: Iterable[tuple[date, str, int]]) -> dict[date, Counter[str]]:
    """Categories counted by day."""
    found: dict[date, Counter[str]] = {}
    for day, category, number in rows:
        found.setdefault(day, Counter())[category] += number
    return found


def _census(name: str, payload: Any) -> DayCensus | None:
    day = _day(name)
    if day is None or not isinstance(payload, Mapping) or not isinstance(payload.get("counts"), Mapping):
        return None
    try:
        counts = {
            str(each): {str(key): int(number) for key, number in numbers.items()}
            for each, numbers in payload["counts"].items()
        }
        return DayCensus(
            day, counts, int(payload.get("memories", 0)), int(payload.get("unknown", 0)), bool(payload.get("late"))
        )  # fmt: skip
    except (AttributeError, TypeError, ValueError):
        return None


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
