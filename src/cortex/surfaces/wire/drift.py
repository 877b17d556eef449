"""Drift: the last days against those before."""

from __future__ import annotations

from datetime import date
from typing import Any, Self

from pydantic import Field

from cortex.domain.drift import DriftComparison, DriftVerdict, Share
from cortex.services.drift import DriftReport
from cortex.surfaces.wire.model import Response, example


class ShareFields(Response):
    """The share of one category."""

    result = Share
    category: str
    before: float = Field(description="Its share in the 28 days before.")
    recent: float = Field(description="Its share in the last 7 days.")


class DistributionFields(Response):
    """One distribution: how it moved, and whether an alert is open."""

    name: str = Field(description="labels, unknown, kinds, trust, verdicts or silence.")
    since: date | None = Field(description="The day since when an alert is open; null if none is.")
    before: int = Field(description="How many were counted in the 28 days before.")
    recent: int = Field(description="How many were counted in the last 7 days.")
    p_value: float | None = Field(
        description="The probability of such a difference without a change; null if there are too few to compare."
    )
    plain_p_value: float | None = Field(description="The same by a plain chi-square test, which takes days for equal.")
    dispersion: float = Field(description="How much more days differ than by chance; 1 if they do not.")
    shares: tuple[ShareFields, ...] = Field(description="Every category, those that moved most first.")

    @classmethod
    def of(cls, result: DriftVerdict, request: Any = None) -> Self:  # noqa: ARG003
        found = result.comparison
        return cls(
            name=result.name, since=result.since, before=found.before, recent=found.recent, p_value=found.p_value,
            plain_p_value=found.plain_p_value, dispersion=found.dispersion,
            shares=tuple(map(ShareFields.of, found.shares)),
        )  # fmt: skip


class DriftResponse(Response):
    """How the distributions stand on the last day that was counted."""

    day: date | None = Field(description="The last day that was counted; null before the first census.")
    days: int = Field(description="How many days were counted.")
    base: date | None = Field(description="The day from which on days are compared, after an import or a regrade.")
    base_reason: str = Field(description="What happened before that day.")
    memories: int = Field(description="How many memories there were at the end of the day.")
    unknown: int = Field(description="How many of them nobody had rated.")
    distributions: tuple[DistributionFields, ...]

    model_config = example({
        "day": "2026-01-05", "days": 35, "base": None, "base_reason": "", "memories": 42, "unknown": 30,
        "distributions": [{
            "name": "labels", "since": None, "before": 210, "recent": 60, "p_value": 0.4, "plain_p_value": 0.1,
            "dispersion": 1.6, "shares": [{"category": "unknown", "before": 0.7, "recent": 0.65}],
        }],
    })  # fmt: skip

    @classmethod
    def of(cls, result: DriftReport, request: Any = None) -> Self:  # noqa: ARG003
        return cls(
            day=result.day, days=result.days, base=result.base, base_reason=result.base_reason,
            memories=result.memories, unknown=result.unknown,
            distributions=tuple(map(DistributionFields.of, result.verdicts)),
        )  # fmt: skip

    def value(self) -> DriftReport:
        verdicts = tuple(
            DriftVerdict(
                each.name,
                DriftComparison(
                    self.day or date.min, tuple(share.value() for share in each.shares), each.before, each.recent,
                    each.p_value, each.dispersion, each.plain_p_value,
                ),
                each.since,
            )
            for each in self.distributions
        )  # fmt: skip
        return DriftReport(
            self.day, self.days, self.base, self.base_reason, self.memories, self.unknown, verdicts
        )  # fmt: skip
