"""An evaluation report as tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from cortex.domain.text import visible

if TYPE_CHECKING:
    from cortex.evaluation.metrics import Summary
    from cortex.evaluation.report import Report

_TITLES = {
    "empty_on_unanswerable": "nothing,\nrightly",
    "empty_on_answerable": "nothing,\nwrongly",
    "updated_above_original": "updated\nabove",
    "tokens_mean": "tokens",
    "latency_ms_p50": "p50 ms",
    "latency_ms_p95": "p95 ms",
}
_COUNTS = frozenset({"tokens_mean", "latency_ms_p50", "latency_ms_p95"})


def print_report(report: Report, console: Console) -> None:
    """Print `report` on `console`."""
    console.print(*tables(report), sep="\n")


def tables(report: Report) -> Iterator[RenderableType]:
    """The measures beside the baselines, each with its interval; then by category; then what is worth knowing."""
    yield _overall(report)
    if len(report.cortex.categories) > 1:
        yield _categories(report)
    yield Text(f"wrong-scope rate {report.wrong_scope_rate:.4f}; fed in {report.feed_seconds:.1f} s", style="dim")
    for note in report.notes:
        yield Text(note, style="dim")


def _overall(report: Report) -> Table:
    title = f"{report.set_name}: {report.records:,} records, recipe {report.recipe}, {report.embedder}"
    table = Table(title=Text(visible(title)), title_justify="left", caption="interval: where 95 of 100 resamples lie")
    table.add_column("measure")
    table.add_column("Cortex", justify="right", style="bold")
    table.add_column("interval", justify="right", style="dim")
    for name in report.baselines:
        table.add_column(name, justify="right")
    for measure, value in report.cortex.overall.values.items():
        others = [measured.overall for measured in report.baselines.values()]
        if any(summary[measure] is not None for summary in (report.cortex.overall, *others)):
            table.add_row(
                measure,
                _shown(measure, value),
                _interval(report.cortex.overall, measure),
                *(_shown(measure, summary[measure]) for summary in others),
            )
    return table


def _categories(report: Report) -> Table:
    names = _used(report.cortex.categories)
    table = Table(title="by category", title_justify="left")
    table.add_column("category")
    for name in names:
        table.add_column(_TITLES.get(name, name), justify="right")
    for category, summary in report.cortex.categories.items():
        label = f"{category} (apart)" if category in report.apart else category
        table.add_row(Text(visible(label)), *(_shown(name, summary[name]) for name in names))
    return table


def _used(categories: Mapping[str, Summary]) -> list[str]:
    """The measures that apply to at least one category."""
    names = list(next(iter(categories.values())).values)
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
