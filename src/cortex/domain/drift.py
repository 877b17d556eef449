"""Drift: whether the memories of the last days are of another sort than those before (S3). Counts in, verdicts out.

Memories come in days, and days differ: what people talk about on one day is of one sort. A plain chi-square test takes
each memory for an independent draw, and finds a change on most days. Here the spread from day to day is measured first,
weekdays and weekends apart, and the difference is compared with that (a quasi-likelihood F test).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

RECENT_DAYS = 7
BASE_DAYS = 28
LEAST_RECENT = 50
LEAST_BASE = 200
MOVED = 0.10
"""The least change of a share that is worth an alert."""

LEVEL = 0.001
"""A test agrees if so large a difference has this probability without a change. Each day is tested, for months."""

IN_A_ROW = 2
"""On so many days in a row both must hold before an alert is opened."""

CALM_DAYS = 3
"""After so many days in a row on which one of them does not hold, it is closed."""

LOOK_BACK = 60
"""How many days back it is followed whether an alert was opened and closed."""

Counts = Mapping[str, int]
Series = Mapping[date, Counts]
"""What was counted on each day, by category."""


@dataclass(frozen=True, slots=True)
class Share:
    """The share of one category in the days before and in the last days."""

    category: str
    before: float
    recent: float

    @property
    def moved(self) -> float:
        return self.recent - self.before


@dataclass(frozen=True, slots=True)
class DriftComparison:
    """The last days against those before, for one distribution on one day."""

    day: date
    shares: tuple[Share, ...]
    """Those that moved most first."""
    before: int
    """How many were counted in the days before."""
    recent: int
    p_value: float | None
    """None where there are too few to compare."""
    dispersion: float
    """How much more days differ than chance alone would have it; 1 where they do not."""
    plain_p_value: float | None
    """What a chi-square test says that takes each memory for an independent draw."""

    @property
    def is_enough(self) -> bool:
        return self.p_value is not None

    @property
    def is_signal(self) -> bool:
        """Whether a share moved far enough and the test agrees."""
        if self.p_value is None or not self.shares:
            return False
        return abs(self.shares[0].moved) >= MOVED and self.p_value < LEVEL


@dataclass(frozen=True, slots=True)
class DriftVerdict:
    """How a distribution stands on the last day: the comparison, and the day since when an alert is open."""

    name: str
    comparison: DriftComparison
    since: date | None

    @property
    def is_open(self) -> bool:
        return self.since is not None


def compare(series: Series, day: date, base: date | None = None) -> DriftComparison:
    """The days up to `day` against those before them. What was counted before `base` is left out."""
    first = day - timedelta(days=RECENT_DAYS + BASE_DAYS - 1)
    split = day - timedelta(days=RECENT_DAYS - 1)
    start = first if base is None else max(first, base)
    before = [(each, series[each]) for each in _days(start, split) if each in series]
    recent = [
        (each, series[each]) for each in _days(split, day + timedelta(days=1)) if each in series and each >= start
    ]
    windows = _Windows(before, recent)
    number_before, number_recent = windows.sizes
    if number_before < LEAST_BASE or number_recent < LEAST_RECENT:
        return DriftComparison(day, windows.shares, number_before, number_recent, None, 1.0, None)
    return DriftComparison(
        day=day, shares=windows.shares, before=number_before, recent=number_recent, p_value=windows.p_value,
        dispersion=windows.dispersion, plain_p_value=windows.plain_p_value,
    )  # fmt: skip


def judged(name: str, series: Series, day: date, base: date | None = None) -> DriftVerdict:
    """Whether an alert is open on `day`: opened after `IN_A_ROW` signals, closed after `CALM_DAYS` without one.

    It follows from the counts alone, so every process comes to the same verdict.
    """
    first = min((each for each in series if base is None or each >= base), default=day)
    first = max(first, day - timedelta(days=LOOK_BACK))
    since: date | None = None
    signals = calm = 0
    comparison = compare(series, day, base)
    for each in _days(first + timedelta(days=RECENT_DAYS), day + timedelta(days=1)):
        comparison = compare(series, each, base)
        signals, calm = (signals + 1, 0) if comparison.is_signal else (0, calm + 1)
        if since is None and signals >= IN_A_ROW:
            since = each
        elif since is not None and calm >= CALM_DAYS:
            since = None
    return DriftVerdict(name, comparison, since)


def _days(first: date, end: date) -> Iterable[date]:
    return (first + timedelta(days=offset) for offset in range(max(0, (end - first).days)))


class _Windows:
    """Two windows of days with counts."""

    def __init__(self, before: Sequence[tuple[date, Counts]], recent: Sequence[tuple[date, Counts]]) -> None:
        self._windows = (before, recent)
        self._totals = tuple(_total(counts for _, counts in window) for window in self._windows)
        self.sizes = (self._totals[0].total(), self._totals[1].total())
        self._categories = sorted(self._totals[0].keys() | self._totals[1].keys())

    @property
    def shares(self) -> tuple[Share, ...]:
        before, recent = (
            {name: total[name] / size if size else 0.0 for name in self._categories}
            for total, size in zip(self._totals, self.sizes, strict=True)
        )
        found = [Share(name, before[name], recent[name]) for name in self._categories]
        return tuple(sorted(found, key=lambda share: (-abs(share.moved), share.category)))

    @cached_property
    def statistic(self) -> float:
        """Pearson's chi-square between the windows."""
        both = self._totals[0] + self._totals[1]
        return sum(_pearson(total, both, both.total()) for total in self._totals)

    @cached_property
    def _spread(self) -> tuple[float, int]:
        """The dispersion from day to day within each window, weekdays and weekends apart; its degrees of freedom."""
        statistic, freedom = 0.0, 0
        for window in self._windows:
            for is_weekend in (False, True):
                days = [counts for day, counts in window if (day.weekday() >= 5) is is_weekend and any(counts.values())]
                total = _total(days)
                categories = len(total)
                if len(days) > 1 and categories > 1:
                    statistic += sum(_pearson(counts, total, total.total()) for counts in days)
                    freedom += (len(days) - 1) * (categories - 1)
        return (statistic / freedom if freedom else 1.0), freedom

    @property
    def dispersion(self) -> float:
        return max(1.0, self._spread[0])

    @property
    def p_value(self) -> float:
        freedom = len(self._categories) - 1
        if freedom < 1:
            return 1.0
        within = self._spread[1]
        return f_survival(self.statistic / freedom / self.dispersion, freedom, within) if within else 1.0

    @property
    def plain_p_value(self) -> float:
        freedom = len(self._categories) - 1
        return chi_square_survival(self.statistic, freedom) if freedom > 0 else 1.0


def _total(counts: Iterable[Counts]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update({name: number for name, number in each.items() if number > 0})
    return total


def _pearson(counts: Counts, expected: Counter[str], size: int) -> float:
    own = sum(counts.values())
    wanted = {name: own * number / size for name, number in expected.items() if number}
    return sum((counts.get(name, 0) - number) ** 2 / number for name, number in wanted.items() if number)


# --- distributions ---------------------------------------------------------------------------------------------------


def f_survival(value: float, above: int, below: int) -> float:
    """The probability that a value of the F distribution is larger."""
    if value <= 0:
        return 1.0
    return _incomplete_beta(below / 2, above / 2, below / (below + above * value))


def chi_square_survival(value: float, freedom: int) -> float:
    """The probability that a value of the chi-square distribution is larger."""
    if value <= 0:
        return 1.0
    half, at = freedom / 2, value / 2
    if at < half + 1:
        term = total = 1 / half
        for step in range(1, 1_000):
            term *= at / (half + step)
            total += term
            if term < total * 1e-14:
                break
        return max(0.0, 1 - total * math.exp(-at + half * math.log(at) - math.lgamma(half)))
    # Lentz's continued fraction, which converges where the series above does not.
    b = at + 1 - half
    c, d = 1e300, 1 / b
    fraction = d
    for step in range(1, 1_000):
        a = -step * (step - half)
        b += 2
        d = 1 / (_nonzero(a * d + b))
        c = _nonzero(b + a / c)
        fraction *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return fraction * math.exp(-at + half * math.log(at) - math.lgamma(half))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )  # fmt: skip
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1))
    fraction = d
    for step in range(1, 1_000):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        d = 1 / _nonzero(1 + even * d)
        c = _nonzero(1 + even / c)
        fraction *= d * c
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        d = 1 / _nonzero(1 + odd * d)
        c = _nonzero(1 + odd / c)
        fraction *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return fraction


def _nonzero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300
