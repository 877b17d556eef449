"""An evaluation report as tables, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from cortex.domain.text import visible
from cortex.surfaces.cli import rendering

if TYPE_CHECKING:
    from cortex.evaluation.metrics import Summary
    from cortex.evaluation.report import Report

_TITLES = {
    "empty_on_unanswerable": "correctly\nempty",
    "empty_on_answerable": "wrongly\nempty",
    "updated_above_original": "updated\nabove",
}
_COUNTS = frozenset({"tokens_mean", "latency_ms_p50", "latency_ms_p95", "block_lines", "block_tokens"})


def tables(report: Report) -> Iterator[RenderableType]:
    """The measures with intervals next to the baselines, then by category, then notes."""
    title = f"{report.set_name}: {report.records:,} records, recipe {report.recipe}, {report.embedder}"
    yield Text(visible(title), style="bold")
    yield Text()
    yield _overall(report)
    yield Text()
    if len(report.cortex.categories) > 1:
        yield _categories(report)
        yield Text()
    yield Text("interval: 95% of the resamples", style="dim")
    yield Text(f"wrong-scope rate {report.wrong_scope_rate:.4f}; stored in {report.feed_seconds:.1f} s", style="dim")
    for note in report.notes:
        yield Text(note, style="dim")


def _overall(report: Report) -> Table:
    baselines = {name: measured.overall for name, measured in report.baselines.items() if measured.categories}
    numbers = ["Cortex", "interval", *baselines]
    table = rendering.table("measure", *numbers, right=numbers)
    for measure, value in report.cortex.overall.values.items():
        if any(summary[measure] is not None for summary in (report.cortex.overall, *baselines.values())):
            table.add_row(
                measure,
                Text(_shown(measure, value), "bold"),
                Text(_interval(report.cortex.overall, measure), "dim"),
                *(_shown(measure, summary[measure]) for summary in baselines.values()),
            )
    return table


def _categories(report: Report) -> Table:
    names = _used(report.cortex.categories)
    titles = [_TITLES.get(name, name.replace("@", "\n@")) for name in names]
    table = rendering.table("category", *titles, right=titles)
    for category, summary in report.cortex.categories.items():
        label = f"{category} (separate)" if category in report.apart else category
        table.add_row(Text(visible(label)), *(_shown(name, summary[name]) for name in names))
    return table


def _used(categories: Mapping[str, Summary]) -> list[str]:
    """The measures that apply to at least one category."""
    names = [name for name in next(iter(categories.values())).values if name not in _COUNTS]
    return [name for name in names if any(summary[name] is not None for summary in categories.values())]


def _shown(measure: str, value: float | int | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if measure in _COUNTS else f"{value:.3f}"


def _interval(summary: Summary, measure: str) -> str:
    interval = summary.intervals.get(measure)
    if interval is None:
        return ""
    return f"{_shown(measure, interval[0])} to {_shown(measure, interval[1])}"
