"""How well capture works, as tables for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bench.capture.folders import FoldersReport
from bench.capture.labeled_turns import CaptureReport, SmallTalk
from cortex.evaluation.metrics import Summary
from cortex.surfaces.cli import output, rendering

_TITLES = {
    "made": "memories made",
    "right": "of them right",
    "labels": "worth remembering",
    "found": "of them found",
    "kind_accuracy": "of the right kind",
    "false_alarm_turns": "made of nothing",
}
_OVERALL = (
    "turns",
    "made",
    "right",
    "labels",
    "found",
    "precision",
    "recall",
    "f1",
    "kind_accuracy",
    "false_alarm_turns",
)
_BY_GROUP = ("turns", "labels", "precision", "recall", "f1", "kind_accuracy", "false_alarm_turns")
_PARTS = {
    "apart": "unlike the other half",
    "drawn": "by lot",
    "first": "before the rules",
    "second": "after the rules",
    "third": "before the signs were widened",
    "fourth": "after the signs were widened",
}
_BY_KIND = ("labels", "recall", "made", "precision")


def show(report: CaptureReport, as_json: bool, *, errors: bool = False, talk: SmallTalk | None = None) -> None:
    """Print a report: one JSON object, or tables; every fault where `errors` asks for it."""
    if as_json:
        payload: dict[str, Any] = report.to_json(faults=errors)
        output.show_json(payload | ({"small_talk": talk.to_json(examples=errors)} if talk else {}))
    else:
        output.show(*tables(report, errors=errors, talk=talk))


def show_folders(report: FoldersReport, as_json: bool, *, errors: bool) -> None:
    """Print one JSON object or one table. No text of a conversation or a case is shown."""
    if as_json:
        output.show_json(report.to_json(errors=errors))
    else:
        output.show(*folder_tables(report, errors=errors))


def folder_tables(report: FoldersReport, *, errors: bool) -> Iterator[RenderableType]:
    """All figures in one table, then the ids of the cases that went wrong."""
    numbers = ["count", "share", "interval"]
    table = rendering.table("set", "measure", *numbers, right=numbers, whole=["set"])
    last = ""
    for each in report.figures():
        name, last = ("" if each.set_name == last else each.set_name), each.set_name
        table.add_row(name, each.measure, each.counts, Text(each.shown_share, "bold"), Text(each.shown_interval, "dim"))
    yield table
    for name, faults in report.judge.errors().items() if errors and report.judge else ():
        yield from (Text(f"{name}, {fault}: {' '.join(ids)}", "yellow") for fault, ids in faults.items() if ids)
    if report.gold:
        yield Text("second: every other conversation, whose labels nobody looked at while writing rules", style="dim")


def tables(report: CaptureReport, *, errors: bool = False, talk: SmallTalk | None = None) -> Iterator[RenderableType]:
    """The measures beside the plainest capture there is; by language; by wording; by kind; slots; then the faults."""
    yield Text(f"capture, labeled turns: {report.name}", style="bold")
    yield Text()
    yield _overall(report)
    yield Text()
    yield _grouped("language", report.languages, _BY_GROUP)
    yield Text()
    if report.parts:
        yield _grouped("wording", {_PARTS.get(name, name): each for name, each in report.parts.items()}, _BY_GROUP)
    yield Text()
    yield _grouped("kind", report.kinds, _BY_KIND)
    yield Text()
    yield Text(_slots(report))
    if talk is not None:
        yield Text(_small_talk(talk))
    if errors:
        yield Text()
        yield _faults(report, talk)
    yield Text("interval: where 95 of 100 resamples of the turns lie", style="dim")
    for note in report.notes:
        yield Text(note, style="dim")


def _overall(report: CaptureReport) -> Table:
    numbers = ["Cortex", "interval", "every turn"]
    table = rendering.table("measure", *numbers, right=numbers)
    for name in _OVERALL:
        interval = report.overall.intervals.get(name)
        span = f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else ""
        table.add_row(
            _title(name), Text(_shown(report.overall, name), "bold"), Text(span, "dim"), _shown(report.baseline, name)
        )
    return table


def _grouped(title: str, groups: Mapping[str, Summary], names: tuple[str, ...]) -> Table:
    titles = [_title(name) for name in names]
    table = rendering.table(title, *titles, right=titles)
    for group, summary in groups.items():
        table.add_row(Text(output.one_line(group)), *(_shown(summary, name) for name in names))
    return table


def _faults(report: CaptureReport, talk: SmallTalk | None) -> Table:
    table = rendering.table("turn", "fault", "about", "text", whole=["turn", "fault"])
    for fault in sorted(report.faults, key=lambda each: (each.what, each.turn)):
        table.add_row(
            fault.turn, Text(fault.what, "yellow"), Text(output.one_line(fault.key)), Text(output.one_line(fault.text))
        )
    for turn, text in talk.examples if talk is not None else ():
        table.add_row(Text(output.one_line(turn)), Text("small talk", "yellow"), "", Text(output.one_line(text)))
    return table


def _slots(report: CaptureReport) -> str:
    slots = report.slots
    message = f"slots: {slots.agreed} of {slots.groups} changed values meet in one slot ({slots.found} found at all)"
    return f"{message}; {slots.clashing} of {slots.beside} pairs that stand side by side would erase each other"


def _small_talk(talk: SmallTalk) -> str:
    return f"small talk: {talk.memories} memories from {talk.turns} turns ({talk.per_hundred:.1f} in 100)"


def _title(name: str) -> str:
    return _TITLES.get(name, name)


def _shown(summary: Summary, name: str) -> str:
    value = summary.values.get(name)
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
