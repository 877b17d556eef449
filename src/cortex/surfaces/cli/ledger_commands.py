"""`ledger ingest` and `ledger show`: events of tools and agents (S1), and who changed what."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.inputs import STDIN, given

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.services.event_files import EventFiles, EventLine

POLL_SECONDS = 0.5
"""How often a followed file is looked at."""

MOST_REPORTED = 100
"""So many lines that cannot be used are reported one by one."""

_NOUNS = {"events": "event", "outcomes": "outcome", "turns": "turn"}
_COUNTED = (*_NOUNS, "repeated", "erased", "rejected")

ledger = typer.Typer(
    help="The ledger: ingest events of tools and agents, and show what happened, by whom and why.",
    no_args_is_help=True,
)


@ledger.command("ingest")
def ingest(
    context: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="FILE|DIR|-", help="Lines of JSON; of a folder, its .jsonl files; `-` is stdin.")
    ],
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep reading as the files grow, until interrupted.")
    ] = False,
) -> None:
    """Ingest events: messages become turns, everything else an outcome. Each event is stored once.

    A line is a `cortex.event.v1` or a row of the capture sidecar. An invalid line is reported and skipped.
    An incomplete last line is read once the rest has been written.
    """
    from cortex.services.event_files import EventFiles, lines_of_stream

    if follow and path == STDIN:
        raise InvalidRequest("is only for files", field="follow", hint="leave it out: stdin is read to its end")
    files = None if path == STDIN else EventFiles(Path(path).expanduser())
    surface, counted = surface_of(context), Counter[str]()
    problems: list[dict[str, Any]] = []
    with surface.engine() as engine:
        try:
            if files is None:
                _store(engine, lines_of_stream(sys.stdin.buffer), counted, problems)
            else:
                _store(engine, files.read(is_last=not follow), counted, problems)
                if follow:
                    _follow(engine, files, counted, problems)
        except KeyboardInterrupt:
            if not follow:
                raise
    waiting = files.waiting if files is not None else 0
    result = {name: counted[name] for name in _COUNTED} | {"waiting": waiting}
    if unreported := counted["rejected"] - len(problems):
        print(f"cortex: {unreported:,} more lines were rejected", file=sys.stderr)
    if surface.json:
        output.show_json(result | {"problems": problems})
        return
    counts = [(name, number) for name, number in result.items() if number or name == "events"]
    from cortex.surfaces.cli.rendering import several

    said = (several(number, _NOUNS[name]) if name in _NOUNS else f"{number:,} {name}" for name, number in counts)
    output.plain(", ".join(said))


def _follow(engine: Cortex, files: EventFiles, counted: Counter[str], problems: list[dict[str, Any]]) -> None:
    while True:
        time.sleep(POLL_SECONDS)
        _store(engine, files.read(is_last=False), counted, problems)


def _store(engine: Cortex, lines: Iterable[EventLine], counted: Counter[str], problems: list[dict[str, Any]]) -> None:
    """Ingest lines in batches, and report those that cannot be used as they are met."""
    from cortex.services.event_files import batches

    for batch in batches(lines):
        done = engine.ingest_events([line.content for line in batch])
        counted.update({name: getattr(done, name) for name in _COUNTED})
        for problem in done.problems[: MOST_REPORTED - len(problems)]:
            line, where = batch[problem.index], {"field": problem.field, "message": problem.message}
            problems.append({"source": line.source, "line": line.number, **where, "hint": problem.hint})
            place = output.one_line(f"{line.source}:{line.number}")
            print(f"cortex: {place}: {problem.message}; {problem.hint}", file=sys.stderr)


@ledger.command("show")
def show(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Only what happened to this memory or turn.")] = None,
    event: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="Only this kind of event, such as observed.")
    ] = None,
    lane: Annotated[str | None, typer.Option(help="Only this lane, such as outcomes.")] = None,
    before: Annotated[int | None, typer.Option(min=1, metavar="POSITION", help="Only before this position.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="The maximum number.")] = 50,
) -> None:
    """Show what happened, newest first: when, what, by whom, and the receipt of the operation."""
    from cortex.domain.choices import chosen
    from cortex.domain.events import EventKind
    from cortex.domain.lanes import Lane

    kinds = [chosen(EventKind, each, "event") for each in event] if event else None
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.timeline(
            id=id, before=before, limit=limit, kinds=kinds, **given(lane=lane and chosen(Lane, lane, "lane"))
        )
    if surface.json:
        from cortex.surfaces.wire.ledger import TimelineResponse

        output.show_response(TimelineResponse.of(found))
        return
    from cortex.surfaces.cli import rendering

    output.show(rendering.timeline(found))


COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"ledger": ledger}
