"""How well capture works, as tables for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from cortex.evaluation.capture_gold import GoldReport
    from cortex.evaluation.capturing import CaptureReport, SmallTalk
    from cortex.evaluation.figures import Figure
    from cortex.evaluation.judged import JudgeReport
    from cortex.evaluation.metrics import Summary
    from cortex.evaluation.updates import UpdatesReport
    from cortex.progress import Progress

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


def measure_capture(
    context: typer.Context,
    half: Annotated[
        str, typer.Option(help="Which labelled turns: `dev`, or `held` for those no rule was tuned on.")
    ] = "dev",
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take the labelled turns of this file instead of a half.")
    ] = None,
    through: Annotated[str, typer.Option(help="`rules` alone, or a whole `engine`.")] = "rules",
    errors: Annotated[bool, typer.Option("--errors", help="Show every fault.")] = False,
    small_talk: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also count what is made of turns of this records.jsonl.")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Judge on labeled turns of real conversations, through an engine."),
    ] = None,
    updates: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Count what is replaced and flagged in conversations; may be given again."),
    ] = None,
    judge: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Judge on attacks, honest texts, imperatives and languages of a folder."),
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --updates, write both texts of every decision to a file.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --updates, keep vectors here between runs, not in home.")
    ] = None,
) -> None:
    """Measure what capture finds in labelled turns, and what it makes up.

    With --gold, --updates or --judge, all of their figures are printed in one table instead.
    """
    from cortex.evaluation import capturing

    surface = surface_of(context)
    if gold or updates or judge:
        with output.progress("judging") as progress:
            judged = judged_on(surface.home, gold, updates or (), judge, progress, cache)
        if pairs is not None:
            pairs.write_text("".join(f"{line}\n" for each in judged.updates for line in each.pairs()), encoding="utf-8")
        show_judged(judged, surface.json, errors=errors)
        return
    with output.progress("measuring") as progress:
        report = capturing.run(half, through=through, file=file, progress=progress)
        talk = capturing.small_talk(small_talk, through=through) if small_talk is not None else None
    show(report, surface.json, errors=errors, talk=talk)


def show(report: CaptureReport, as_json: bool, *, errors: bool = False, talk: SmallTalk | None = None) -> None:
    """Print a report: one JSON object, or tables; every fault where `errors` asks for it."""
    if as_json:
        told: dict[str, Any] = report.to_json(faults=errors)
        output.show_json(told | ({"small_talk": talk.to_json(examples=errors)} if talk else {}))
    else:
        output.show(*tables(report, errors=errors, talk=talk))


@dataclass(frozen=True, slots=True)
class Judged:
    """Capture judged on folders: conversations with labels, with changed values, and sets written to judge it."""

    gold: GoldReport | None
    updates: tuple[UpdatesReport, ...]
    judge: JudgeReport | None

    def to_json(self, *, errors: bool) -> dict[str, Any]:
        payload: dict[str, Any] = {"gold": self.gold.as_dict()} if self.gold else {}
        payload |= {"updates": [each.as_dict() for each in self.updates]} if self.updates else {}
        return payload | ({"judge": self.judge.to_json(errors=errors)} if self.judge else {})

    def figures(self) -> Iterator[Figure]:
        for report in (self.gold, *self.updates, self.judge):
            yield from report.figures() if report is not None else ()


def judged_on(
    home: Path | None,
    gold: Path | None,
    updates: Sequence[Path],
    judge: Path | None,
    progress: Progress,
    cache: Path | None = None,
) -> Judged:
    """Judge capture on the folders that are given."""
    from cortex.evaluation import capture_gold, judged
    from cortex.evaluation import updates as updating

    return Judged(
        capture_gold.run(gold, home=home, progress=progress) if gold else None,
        tuple(updating.run(each, home=home, cache=cache, progress=progress) for each in updates),
        judged.run(judge, home=home, progress=progress) if judge else None,
    )


def show_judged(report: Judged, as_json: bool, *, errors: bool) -> None:
    """Print one JSON object or one table. No text of a conversation or a case is shown."""
    if as_json:
        output.show_json(report.to_json(errors=errors))
    else:
        output.show(*judged_tables(report, errors=errors))


def judged_tables(report: Judged, *, errors: bool) -> Iterator[RenderableType]:
    """All figures in one table, then the ids of the cases that went wrong."""
    from rich.text import Text

    from cortex.surfaces.cli import rendering

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
