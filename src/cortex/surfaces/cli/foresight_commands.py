"""`admin rehearse`, `admin gaps` and `admin digest`: what settings would change, what is missing, and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, NotFound
from cortex.surfaces.cli import output
from cortex.surfaces.cli.canary_commands import settings_of
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.errors import INTERRUPTED
from cortex.surfaces.cli.inputs import days_of

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.recall.rehearsal import ChangedAnswer
    from cortex.services.rehearsal import Rehearsal

_SHOWN = 5
"""So many of the most changed answers are printed with their texts."""
_LINES = 4
_LINE_CHARS = 90

_CHANGES = {
    "same": "same",
    "tokens": "same hits, other size",
    "order": "other order",
    "hits": "other hits",
    "silenced": "nothing found any more",
    "answered": "found where nothing was",
}


def rehearse(
    context: typer.Context,
    settings: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUE", help="A setting, such as recall.recipe=deep.v1; repeatable."),
    ],
    last: Annotated[str, typer.Option(metavar="DURATION", help="Only recalls of this last period, such as 7d.")] = "7d",
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most this many of the latest.")] = 1_000,
) -> int:
    """Answer recorded recalls under other settings, and show what would change; Ctrl-C shows what was compared."""
    from cortex.services.rehearsal import MOST_DAYS

    surface = surface_of(context)
    days = days_of(last, "last", most=MOST_DAYS)
    with surface.engine() as engine:
        with output.progress("rehearsing") as progress:
            done = engine.rehearse(settings_of(settings), days=days, limit=limit, progress=progress)
        if not surface.json:
            _show(engine, done)
    if surface.json:
        from cortex.surfaces.wire.foresight import RehearseResponse

        output.show_response(RehearseResponse.of(done))
    return INTERRUPTED if done.stopped else 0


def _show(engine: Cortex, done: Rehearsal) -> None:
    from cortex.recall.rehearsal import differing
    from cortex.surfaces.cli import rendering

    tried = ", ".join(f"{name}={value}" for name, value in done.settings.items())
    if done.stopped:
        output.plain("stopped; this is what was compared so far")
    output.plain(f"{tried}: {differing(done.changes):,} of {done.compared:,} answers would change")
    if done.compared:
        table = rendering.table("answers", "number", "share", right=["number", "share"])
        for change, number in done.changes.items():
            if number:
                table.add_row(_CHANGES.get(change, change), f"{number:,}", f"{number / done.compared:.1%}")
        before, after = done.tokens_before / done.compared, done.tokens_after / done.compared
        table.add_row("tokens per answer", f"{before:.1f} → {after:.1f}", "")
        output.show(table)
    for reason, number in done.left_out.items():
        output.plain(f"not compared: {number:,} ({reason})")
    for changed in done.most_changed[:_SHOWN]:
        output.plain("")
        for line in _lines_of(engine, changed):
            output.plain(line)
    if len(done.most_changed) > _SHOWN:
        output.plain(f"\n{len(done.most_changed) - _SHOWN} more with --json")


def _lines_of(engine: Cortex, changed: ChangedAnswer) -> Iterator[str]:
    yield f"{_cut(changed.query)}  [{_CHANGES[changed.change]}; receipt {changed.receipt_id}]"
    for mark, ids in (("-", changed.lost), ("+", changed.gained)):
        for id in ids[:_LINES]:
            yield f"  {mark} {id}  {_first_line(engine, id)}"
        if len(ids) > _LINES:
            yield f"  {mark} and {len(ids) - _LINES} more"
    if not (changed.lost or changed.gained) and changed.before.ids != changed.after.ids:
        yield f"  before {_places(changed.before.ids)}"
        yield f"  after  {_places(changed.after.ids)}"


def _places(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_LINES]) + (", …" if len(ids) > _LINES else "")


def _first_line(engine: Cortex, id: str) -> str:
    try:
        return _cut(engine.get(id).text.strip().partition("\n")[0])
    except NotFound:
        return "(not there any more)"


def _cut(text: str) -> str:
    line = output.one_line(text)
    return line if len(line) <= _LINE_CHARS else f"{line[: _LINE_CHARS - 1]}…"


def gaps(
    context: typer.Context,
    last: Annotated[
        str, typer.Option(metavar="DURATION", help="Only recalls of this last period, such as 7d.")
    ] = "30d",
    scope: Annotated[str | None, typer.Option(help="Only recalls in this scope.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=200, help="The maximum number of gaps, the most frequent first.")
    ] = 20,
) -> None:
    """Show the questions that found nothing, grouped, and whether something would answer them today."""
    from cortex.services.rehearsal import MOST_DAYS

    surface = surface_of(context)
    days = days_of(last, "last", most=MOST_DAYS)
    with surface.engine() as engine, output.progress("gaps") as progress:
        found = engine.gaps(days=days, scope=scope, limit=limit, progress=progress)
    if surface.json:
        from cortex.surfaces.wire.foresight import GapsResponse

        output.show_response(GapsResponse.of(found))
        return
    from cortex.surfaces.cli import rendering

    asked = (
        f"{found.found_nothing:,} of {found.recalls:,} recalls since {found.since.astimezone():%Y-%m-%d} found nothing"
    )
    output.plain(f"{asked}; {found.groups:,} {'gap' if found.groups == 1 else 'gaps'}")
    if found.unknown:
        output.plain(f"{found.unknown:,} of them are not known: their queries are not kept (receipts.keep_queries)")
    if found.gaps:
        table = rendering.table("asked", "question", "first", "last", "today", right=["asked"])
        for gap in found.gaps:
            dates = (f"{at.astimezone():%Y-%m-%d}" for at in (gap.first, gap.last))
            today = f"answered by {gap.answered_by[0]}" if gap.answered_by else "still nothing"
            wordings = f" (and {gap.wordings - 1} like it)" if gap.wordings > 1 else ""
            table.add_row(f"{gap.times:,}", _cut(gap.question) + wordings, *dates, today)
        output.show(table)


def digest(
    context: typer.Context,
    last: Annotated[str, typer.Option(metavar="DURATION", help="Sum up this long.")] = "7d",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Sum up the last days: what was learned, changed, not found, used most and spent, and what waits for a person."""
    from cortex.domain.digest import as_markdown, as_text
    from cortex.services.digest import MOST_DAYS

    surface = surface_of(context)
    days = days_of(last, "last", most=MOST_DAYS)
    if markdown and surface.json:
        raise InvalidRequest("cannot be combined", field="--markdown, --json", hint="give one of them")
    with surface.engine() as engine, output.progress("digest") as progress:
        found = engine.digest(days=days, progress=progress)
    if surface.json:
        from cortex.surfaces.wire.foresight import DigestResponse

        output.show_response(DigestResponse.of(found))
    else:
        print(as_markdown(found) if markdown else as_text(found), end="")


COMMANDS: dict[str, Callable[..., Any]] = {"rehearse": rehearse, "gaps": gaps, "digest": digest}
