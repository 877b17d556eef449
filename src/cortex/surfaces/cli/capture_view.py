"""How well capture works, as tables for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from cortex.evaluation.capturing import CaptureReport, SmallTalk
    from cortex.evaluation.metrics import Summary

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
_PARTS = {"apart": "unlike the other half", "drawn": "by lot"}
_BY_KIND = ("labels", "recall", "made", "precision")


def measure_capture(
    context: typer.Context,
    half: Annotated[
        str, typer.Option(help="Which labelled turns: `dev`, or `held` for those no rule was tuned on.")
    ] = "dev",
    through: Annotated[str, typer.Option(help="`rules` alone, or a whole `engine`.")] = "rules",
    errors: Annotated[bool, typer.Option("--errors", help="Show every fault.")] = False,
    small_talk: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also count what is made of turns of this records.jsonl.")
    ] = None,
) -> None:
    """Measure what capture finds in labelled turns, and what it makes up."""
    from cortex.evaluation import capturing

    surface = surface_of(context)
    with output.progress("measuring") as progress:
        report = capturing.run(half, through=through, progress=progress)
        talk = capturing.small_talk(small_talk, through=through) if small_talk is not None else None
    show(report, surface.json, errors=errors, talk=talk)


def show(report: CaptureReport, as_json: bool, *, errors: bool = False, talk: SmallTalk | None = None) -> None:
    """Print a report: one JSON object, or tables; every fault where `errors` asks for it."""
    if as_json:
        told: dict[str, Any] = report.to_json(faults=errors)
        output.show_json(told | ({"small_talk": talk.to_json(examples=errors)} if talk else {}))
    else:
        output.show(*tables(report, errors=errors, talk=talk))


def tables(report: CaptureReport, *, errors: bool = False, talk: SmallTalk | None = None) -> Iterator[RenderableType]:
    """The measures beside the plainest capture there is; by language; by wording; by kind; slots; then the faults."""
    from rich.text import Text

    yield Text(f"capture, labelled turns: {report.name}", style="bold")
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
    from rich.text import Text

    from cortex.surfaces.cli import rendering

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
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    titles = [_title(name) for name in names]
    table = rendering.table(title, *titles, right=titles)
    for group, summary in groups.items():
        table.add_row(Text(output.one_line(group)), *(_shown(summary, name) for name in names))
    return table


def _faults(report: CaptureReport, talk: SmallTalk | None) -> Table:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

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
    told = f"slots: {slots.agreed} of {slots.groups} changed values meet in one slot ({slots.found} found at all)"
    return f"{told}; {slots.clashing} of {slots.beside} pairs that stand side by side would erase each other"


def _small_talk(talk: SmallTalk) -> str:
    return f"small talk: {talk.memories} memories from {talk.turns} turns ({talk.per_hundred:.1f} in 100)"


def _title(name: str) -> str:
    return _TITLES.get(name, name)


def _shown(summary: Summary, name: str) -> str:
    value = summary.values.get(name)
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
