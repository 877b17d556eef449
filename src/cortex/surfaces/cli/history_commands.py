"""The commands under `admin` about memory over time: tags, differences and rollbacks (E18), and drift (S3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.inputs import moment_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.services.drift import DriftReport
    from cortex.services.rollback import DiffResult, RollbackResult

MOST_ROWS = 50

State = Annotated[str, typer.Argument(metavar="A", help="The earlier state: a tag, a time, or a ledger position.")]
Later = Annotated[str | None, typer.Argument(metavar="[B]", help="The later state; now if left out.")]
Scope = Annotated[str | None, typer.Option(help="Only this scope.")]
Turns = Annotated[bool, typer.Option("--turns", help="Include turns; by default only memories.")]


def tag(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the tag.")],
    reason: Annotated[str, typer.Option(help="Why it is created, in one line.")] = "",
    delete: Annotated[bool, typer.Option("--delete", help="Remove the tag; memories stay as they are.")] = False,
) -> None:
    """Name the current state of memory, for all users of the agent or for one with --user."""
    surface = surface_of(context)
    everyone = surface.user is None
    with surface.engine() as engine:
        done = engine.untag(name, everyone=everyone) if delete else engine.tag(name, reason=reason, everyone=everyone)
    if surface.json:
        from cortex.surfaces.wire.history import TagResponse

        output.show_response(TagResponse.of(done))
        return
    for each in done.tags:
        output.plain(f"{'removed' if delete else 'tagged'} {each.name}  ({each.user}, position {each.position:,})")


def tags(context: typer.Context) -> None:
    """List the tags of a user, in order of position."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.tags()
    if surface.json:
        from cortex.surfaces.wire.history import TagsResponse

        output.show_response(TagsResponse.of(found))
        return
    if not found:
        output.plain("no tags yet; create one with `cortex admin tag NAME`")
        return
    from cortex.surfaces.cli import rendering

    table = rendering.table("tag", "created", "position", "reason", right=["position"], whole=["tag", "created"])
    for each in found:
        reason = each.reason if not each.automatic else f"automatic, before: {each.reason}"
        table.add_row(each.name, f"{each.at.astimezone():%Y-%m-%d %H:%M}", f"{each.position:,}", reason)
    output.show(table)


def diff(context: typer.Context, a: State, b: Later = None, scope: Scope = None, turns: Turns = False) -> None:
    """Show what changed between two tags, times or ledger positions."""
    surface = surface_of(context)
    first, last = moment_of(a, "a"), moment_of(b, "b")
    assert first is not None
    with surface.engine() as engine:
        found = engine.diff(first, last, scope=scope, turns=turns)
    if surface.json:
        from cortex.surfaces.wire.history import DiffResponse

        output.show_response(DiffResponse.of(found))
    else:
        output.show(*_differences(found))


def rollback(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="TAG", help="The tag to go back to; see `cortex admin tags`.")],
    scope: Scope = None,
    turns: Annotated[bool, typer.Option("--turns", help="Roll back turns as well.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change; change nothing.")] = False,
) -> None:
    """Go back to a tag, for all users of the agent or for one with --user. Nothing is deleted.

    Memories created since are withdrawn, edited and forgotten ones are as they were. What was erased stays erased.
    """
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.rollback(name, scope=scope, turns=turns, dry_run=dry_run, everyone=surface.user is None)
    if surface.json:
        from cortex.surfaces.wire.history import RollbackResponse

        output.show_response(RollbackResponse.of(done))
    else:
        output.show(*_rolled_back(done))


def drift(context: typer.Context) -> None:
    """Compare the memories of the last week with those of the four weeks before, and show what shifted."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.drift()
    if surface.json:
        from cortex.surfaces.wire.drift import DriftResponse

        output.show_response(DriftResponse.of(found))
    else:
        output.show(*_drift(found))


COMMANDS: dict[str, Callable[..., Any]] = {
    "tag": tag, "tags": tags, "diff": diff, "rollback": rollback, "drift": drift,
}  # fmt: skip


def _drift(found: DriftReport) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.domain.drift import LEAST_BASE, LEAST_RECENT
    from cortex.surfaces.cli import rendering

    if found.day is None:
        yield Text("no day was counted yet; `cortex serve` and `cortex admin jobs run` count each day after its end")
        return
    table = rendering.table(
        "distribution", "moved most", "before", "last 7 days", "p", "state", right=["before", "last 7 days", "p"]
    )
    for each in found.verdicts:
        seen = each.comparison
        top = seen.shares[0] if seen.shares else None
        few = f"too few: {seen.recent:,} of {LEAST_RECENT}, {seen.before:,} of {LEAST_BASE}"
        state = f"alert since {each.since}" if each.is_open else "calm" if seen.is_enough else few
        table.add_row(
            each.name,
            top.category if top else "",
            f"{top.before:.0%}" if top else "",
            f"{top.recent:.0%}" if top else "",
            "" if seen.p_value is None else f"{seen.p_value:.3g}",
            Text(state, "yellow" if each.is_open else "dim"),
        )
    yield table
    unknown = f"{found.unknown / found.memories:.0%}" if found.memories else "none"
    yield Text(f"{found.day}: {rendering.several(found.memories, 'memory', 'memories')}, {unknown} not rated")
    if found.base is not None:
        yield Text(f"compared since {found.base}, after: {found.base_reason}", "dim")


def _differences(found: DiffResult) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    if found.differences:
        table = rendering.table("change", "id", "fields", "text", whole=["change", "id"])
        for each in found.differences[:MOST_ROWS]:
            trace = each.after or each.before
            said = output.one_line(trace.text) if trace else ""
            table.add_row(each.change.value, each.id, ", ".join(each.fields), rendering.line(said))
        yield table
        if len(found.differences) > MOST_ROWS:
            yield Text(f"and {len(found.differences) - MOST_ROWS:,} more; --json lists them all", "dim")
    changed = rendering.several(len(found.differences), "difference")
    yield Text(f"{changed} between positions {found.first:,} and {found.last:,}")
    if found.erased:
        yield Text(f"{found.erased:,} removed for good in between", "dim")


def _rolled_back(done: RollbackResult) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    columns = ("withdrawn", "restored", "reverted")
    table = rendering.table("user", *columns, right=columns)
    for each in done.users:
        table.add_row(each.user, *(f"{len(getattr(each.rollback, name)):,}" for name in columns))
    yield table
    if done.dry_run:
        yield Text("nothing was changed", "dim")
        return
    for undo in sorted({each.undo for each in done.users if each.undo}):
        users = [each.user for each in done.users if each.undo == undo]
        of = f" --user {users[0]}" if len(done.users) > 1 and len(users) == 1 else ""
        yield Text(f"undo with `cortex admin rollback {undo}{of}`", "dim")
    kept_out = sum(len(each.rollback.kept_out) for each in done.users)
    if kept_out:
        yield rendering.notice(
            f"{rendering.several(kept_out, 'memory', 'memories')} stay as they are",
            "their version of then is damaged, or came from a turn that was erased",
        )
