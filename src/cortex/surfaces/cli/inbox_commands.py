"""`admin inbox`: what needs a person, and what they decide; `admin thresholds`: what was learned from that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import Conflict, EngineError, InvalidRequest, NotFound
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.inputs import text_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.lifecycle.inbox import InboxItem
    from cortex.memory import Cortex
    from cortex.services.inbox import Inbox, InboxDecided

inbox = typer.Typer(
    help="What needs a person: quarantined text, contradictions, unsure extractions and others.",
    invoke_without_command=True,
)

Items = Annotated[list[str], typer.Argument(metavar="ID...", help="The IDs of inbox items.")]
Item = Annotated[str, typer.Argument(metavar="ID", help="The ID of an inbox item.")]
Keep = Annotated[
    str | None, typer.Option(metavar="ID", help="Of two memories, the one that is true, stays, or is edited.")
]


@inbox.callback()
def list_(
    context: typer.Context,
    all: Annotated[bool, typer.Option("--all", help="Also show what is left for another day.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="The maximum number.")] = 20,
    decided: Annotated[bool, typer.Option("--decided", help="Show the latest decisions instead.")] = False,
) -> None:
    """List what needs a person, the most harmful first; decide with the commands below, or with `review`."""
    if context.invoked_subcommand is not None:
        return
    surface = surface_of(context)
    with surface.engine() as engine:
        if decided:
            _show_decisions(surface, engine, limit)
            return
        found = engine.inbox(limit=limit, all=all)
    if surface.json:
        from cortex.surfaces.wire.inbox import InboxResponse

        output.show_response(InboxResponse.of(found))
    else:
        output.show(*_listed(found))


@inbox.command("approve")
def approve(context: typer.Context, ids: Items, keep: Keep = None) -> None:
    """Approve items: you become the source. Of a contradiction, --keep names the true side; else both are true."""
    _decide(context, ids, "approve", keep=keep)


@inbox.command("edit")
def edit(
    context: typer.Context,
    id: Item,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The new text; `-` reads it from stdin.")],
    keep: Keep = None,
) -> None:
    """Correct a memory and approve it."""
    _decide(context, [id], "edit", keep=keep, text=text_of(text, "text"))


@inbox.command("reject")
def reject(context: typer.Context, ids: Items, keep: Keep = None) -> None:
    """Forget the memories of items. If such a statement is said again, only the inbox shows it."""
    _decide(context, ids, "reject", keep=keep)


@inbox.command("rule")
def rule(context: typer.Context, ids: Items, keep: Keep = None) -> None:
    """Approve memories as standing rules."""
    _decide(context, ids, "rule", keep=keep)


@inbox.command("merge")
def merge(context: typer.Context, ids: Items, keep: Keep = None) -> None:
    """Merge duplicates; the fuller wording stays, or the one that --keep names."""
    _decide(context, ids, "merge", keep=keep)


@inbox.command("snooze")
def snooze(
    context: typer.Context,
    ids: Items,
    days: Annotated[int, typer.Option(min=1, max=365, help="For how many days.")] = 7,
) -> None:
    """Leave items out of the inbox for some days."""
    _decide(context, ids, "snooze", days=days)


@inbox.command("undo")
def undo(
    context: typer.Context,
    decisions: Annotated[
        list[str] | None, typer.Argument(metavar="[DECISION...]", help="Their IDs; by default, the latest decision.")
    ] = None,
) -> None:
    """Undo decisions; see `cortex admin inbox --decided`."""
    surface = surface_of(context)
    with surface.engine() as engine:
        if not decisions:
            latest = next((each for each in engine.decisions() if each.undone_at is None), None)
            if latest is None:
                raise NotFound("no decision to undo", hint="see `cortex admin inbox --decided`")
            decisions = [latest.id]
        done = engine.undo_decisions(decisions)
    _show_done(surface, done)


@inbox.command("review")
def review(context: typer.Context) -> None:
    """Go through the items of today one by one, with one key for each decision."""
    surface = surface_of(context)
    if surface.json:
        raise InvalidRequest("asks questions", field="--json", hint="use `cortex admin inbox approve ID` and others")
    with surface.engine() as engine:
        _review(engine)


def thresholds(
    context: typer.Context,
    revoke: Annotated[
        str | None,
        typer.Option(metavar="EXTRACTOR", help="Revoke the current threshold; the one before it applies again."),
    ] = None,
) -> None:
    """List the thresholds that extractors learned from decisions in the inbox."""
    from cortex.surfaces.wire.inbox import ThresholdResponse, ThresholdsResponse

    surface = surface_of(context)
    with surface.engine() as engine:
        revoked = engine.revoke_threshold(revoke) if revoke else None
        found = engine.thresholds()
    if surface.json:
        output.show_response(ThresholdResponse.of(revoked) if revoked else ThresholdsResponse.of(found))
        return
    if not found:
        output.plain("nothing was learned yet: that takes 20 decisions on what one extractor found")
        return
    from cortex.surfaces.cli import rendering

    table = rendering.table("extractor", "version", "threshold", "before", "moved", "right", "wrong", "state")
    for each in found:
        state = f"revoked {each.revoked_at.astimezone():%Y-%m-%d}" if each.revoked_at else ""
        table.add_row(
            each.extractor, str(each.version), f"{each.threshold:.3f}", f"{each.before:.3f}",
            f"{each.at.astimezone():%Y-%m-%d %H:%M}", str(each.right), str(each.wrong), state,
        )  # fmt: skip
    output.show(table)


# --- deciding ---------------------------------------------------------------------------------------------------------


def _decide(context: typer.Context, ids: Sequence[str], verdict: str, **more: Any) -> None:
    surface = surface_of(context)
    given = {name: value for name, value in more.items() if value is not None}
    with surface.engine() as engine:
        done = engine.decide(
            [{"id": each.id, "revision": each.revision, "verdict": verdict, **given} for each in _open(engine, ids)]
        )
    _show_done(surface, done)


def _open(engine: Cortex, ids: Sequence[str]) -> Sequence[InboxItem]:
    """These items, all of which still need somebody."""
    wanted = [id.strip().lower() for id in dict.fromkeys(ids)]
    found = {each.id: each for each in engine.inbox(ids=wanted).items}
    if closed := [id for id in wanted if id not in found]:
        raise Conflict(
            f"{closed[0][:80]} needs nobody now; nothing was decided", hint="see `cortex admin inbox --decided`"
        )
    return [found[id] for id in wanted]


_KEYS = {"a": "approve", "e": "edit", "x": "reject", "r": "rule", "m": "merge", "s": "snooze"}


def _review(engine: Cortex) -> None:
    decided: list[str] = []
    passed: set[str] = set()
    while True:
        item = next((each for each in engine.inbox(limit=1_000).items if each.id not in passed), None)
        output.show(*_one(item)) if item else output.plain("nothing more for today")
        if item is None and not decided:
            return
        possible = [f"{key} {name}" for key, name in _KEYS.items() if item and name in item.verdicts]
        keys = ", ".join([*possible, "u undo", *(["n next"] if item else []), "q quit"])
        try:
            key = typer.prompt(keys, default="n" if item else "q", show_default=False).strip().lower()
            if key == "q":
                return
            if key == "u" and decided:
                engine.undo_decisions([decided.pop()])
            elif item and key in _KEYS:
                decided += [each.id for each in engine.decide([_asked(item, _KEYS[key])]).decisions]
            elif item:
                passed.add(item.id)
        except EngineError as error:
            output.plain(str(error))
        except typer.Abort:  # no more answers
            return


def _asked(item: InboxItem, verdict: str) -> dict[str, Any]:
    """A decision, with what else it needs."""
    decision: dict[str, Any] = {"id": item.id, "revision": item.revision, "verdict": verdict}
    if item.other is not None and verdict not in ("snooze", "merge"):
        side = typer.prompt("which one: 1, 2, or both", default="both")
        if side in ("1", "2"):
            decision["keep"] = item.traces[int(side) - 1].id
    if verdict == "edit":
        decision["text"] = typer.prompt("new text")
    return decision


# --- showing ----------------------------------------------------------------------------------------------------------


def _listed(found: Inbox) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    for item in found.items:
        yield from _one(item)
    if not found.items:
        yield Text("nothing needs you today" if found.waiting else "nothing needs you")
    if more := found.waiting - len(found.items):
        yield Text(f"{rendering.several(more, 'item')} more; --all shows them", "dim")
    if found.items:
        yield Text("Decide with `cortex inbox approve|edit|reject|rule|merge|snooze ID`.", "dim")
        yield Text("`cortex inbox undo` takes the last decision back.", "dim")


def _one(item: InboxItem) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    yield Text.assemble((" ".join(item.because), "bold"), (f"  {item.id}", "dim"))
    for trace in item.traces:
        at = f"{trace.created_at.astimezone():%Y-%m-%d %H:%M}"
        yield Text.assemble((f"  {at}  ", "dim"), rendering.line(output.one_line(trace.text)[:400]))
        if item.other is not None:
            yield Text(f"  {trace.id}", "dim")
    yield Text()


def _show_done(surface: Surface, done: InboxDecided) -> None:
    if surface.json:
        from cortex.surfaces.wire.inbox import DecideResponse

        output.show_response(DecideResponse.of(done))
        return
    for each in done.decisions:
        what = f"undone: {each.verdict}" if each.undone_at else each.verdict
        output.plain(f"{what} {each.item}  (decision {each.id})")
    for moved in done.moved:
        output.plain(f"threshold of {moved.extractor}: {moved.before:.3f} -> {moved.threshold:.3f}")


def _show_decisions(surface: Surface, engine: Cortex, limit: int) -> None:
    found = engine.decisions(limit=min(limit, 300))
    if surface.json:
        from cortex.surfaces.wire.inbox import DecisionsResponse

        output.show_response(DecisionsResponse.of(found))
        return
    if not found:
        output.plain("no decisions yet")
        return
    from cortex.surfaces.cli import rendering

    table = rendering.table("decision", "when", "by", "verdict", "why", "state", whole=["decision"])
    for each in found:
        state = "undone" if each.undone_at else ""
        why = ", ".join(reason.replace("_", " ") for reason in each.reasons)
        table.add_row(each.id, f"{each.at.astimezone():%Y-%m-%d %H:%M}", each.actor, each.verdict, why, state)
    output.show(table)
