"""Figures of several measurements in one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cortex.evaluation.metrics import Interval


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure of one set: a share with its counts, or a count alone."""

    set_name: str
    measure: str
    count: int | None = None
    of: int | None = None
    share: float | None = None
    interval: Interval | None = None

    @classmethod
    def counted(cls, set_name: str, measure: str, count: int, of: int) -> Figure:
        """So many of so many."""
        return cls(set_name, measure, count, of, count / of if of else None)

    @property
    def counts(self) -> str:
        if self.count is None:
            return ""
        return f"{self.count:,}" if self.of is None else f"{self.count:,} of {self.of:,}"

    @property
    def shown_share(self) -> str:
        return "" if self.share is None else f"{self.share:.3f}"

    @property
    def shown_interval(self) -> str:
        return f"{self.interval[0]:.3f} to {self.interval[1]:.3f}" if self.interval else ""


def lines(figures: Iterable[Figure]) -> str:
    """The figures as plain text."""
    rows = [(each.set_name, each.measure, each.counts, each.shown_share) for each in figures]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(4)]
    return "\n".join(
        f"{name:<{widths[0]}}  {measure:<{widths[1]}}  {counts:>{widths[2]}}  {share:>{widths[3]}}".rstrip()
        for name, measure, counts, share in rows
    )
