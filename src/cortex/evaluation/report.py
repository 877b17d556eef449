"""What an evaluation says, as values and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cortex.evaluation.metrics import Summary


@dataclass(frozen=True, slots=True)
class SearchMeasures:
    """One way of searching, measured over a set: overall, without the categories apart, and by category."""

    overall: Summary
    categories: Mapping[str, Summary] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """How well a set was answered, beside the plain baselines on the same records."""

    set_name: str
    recipe: str
    embedder: str
    k: int
    budget: int | None
    records: int
    noise: int
    feed_seconds: float
    wrong_scope_rate: float
    """The share of hits from another scope than that of the query."""
    cortex: SearchMeasures
    baselines: Mapping[str, SearchMeasures]
    apart: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """`overall`, `categories` and `baselines` with their measures; the intervals under keys of their own."""
        return {
            "set": self.set_name,
            "recipe": self.recipe,
            "embedder": self.embedder,
            "k": self.k,
            "budget": self.budget,
            "records": self.records,
            "noise": self.noise,
            "feed_seconds": round(self.feed_seconds, 3),
            "wrong_scope_rate": self.wrong_scope_rate,
            "apart": sorted(self.apart),
            "notes": list(self.notes),
            "overall": _values(self.cortex.overall),
            "categories": {name: _values(summary) for name, summary in self.cortex.categories.items()},
            "baselines": {name: _values(measured.overall) for name, measured in self.baselines.items()},
            "baseline_categories": {
                name: {category: _values(summary) for category, summary in measured.categories.items()}
                for name, measured in self.baselines.items()
            },
            "intervals": {
                "overall": _intervals(self.cortex.overall),
                "categories": {name: _intervals(summary) for name, summary in self.cortex.categories.items()},
                "baselines": {name: _intervals(measured.overall) for name, measured in self.baselines.items()},
            },
        }


def _values(summary: Summary) -> dict[str, float | int | None]:
    return {name: _rounded(value) for name, value in summary.values.items()}


def _intervals(summary: Summary) -> dict[str, list[float] | None]:
    return {
        name: None if interval is None else [round(end, 4) for end in interval]
        for name, interval in summary.intervals.items()
    }


def _rounded(value: float | int | None) -> float | int | None:
    return round(value, 4) if isinstance(value, float) else value
