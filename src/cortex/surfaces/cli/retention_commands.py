"""`admin retention`: what the rules of the settings expire and erase, as a plan first; and `admin hold`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.services.holds import HoldResult
    from cortex.services.retention import RetentionResult, UserRetention


def retention(
    context: typer.Context,
    apply: Annotated[bool, typer.Option("--apply", help="Expire and erase what is due.")] = False,
) -> None:
    """Show what is due by the retention rules, for all users of the agent or for one with --user."""
    surface = surface_of(context)
    with surface.engine() as engine, output.progress("retention") as progress:
        done = engine.retention(apply=apply, everyone=surface.user is None, progress=progress)
    if surface.json:
        from cortex.surfaces.wire.retention import RetentionResponse

        output.show_response(RetentionResponse.of(done))
    else:
        output.show(*_result(done))


def _result(done: RetentionResult) -> Iterator[RenderableType]:
    from rich.text import Text

    from cortex.surfaces.cli import rendering

    table = rendering.table("rule", "keep", "then", "due", right=["due"])
    for rule in done.rules:
        payload = rule.to_json()
        about = ", ".join(f"{name} {value}" for name, value in rule.conditions.items()) or "everything"
        due = sum(each.rules.get(str(rule), 0) for each in done.users)
        table.add_row(output.one_line(about), payload["keep"], payload["then"] if rule.keep else "", f"{due:,}")
    yield table
    columns = ("expire", "erase", "kept_back", "held", "receipts", "queries")
    busy = [each for each in done.users if not each.is_empty or each.kept_back or each.held]
    if busy:
        users = rendering.table("user", *(name.replace("_", " ") for name in columns), right=[*columns, "kept back"])
        for each in busy:
            users.add_row(output.one_line(each.user), *(f"{_number(each, name):,}" for name in columns))
        yield users
    else:
        yield Text("nothing is due")
    if any(each.kept_back for each in done.users):
        yield rendering.notice(
            "turns are kept back: memories that no rule erases were extracted from them",
            "give those memories a rule that erases them as well",
        )
    yield from _undone(done)
    if not done.applied and busy:
        yield Text("nothing was changed; apply it with `cortex admin retention --apply`", "dim")
    if not done.approved:
        yield rendering.notice(
            "scheduled runs erase nothing by these rules yet", "`cortex admin retention --apply` lets them"
        )


def _undone(done: RetentionResult) -> Iterator[RenderableType]:
    from rich.text import Text

    for each in done.users:
        of = f" --user {each.user}" if len(done.users) > 1 else ""
        if each.run:
            yield Text(f"undo the expiry with `cortex consolidate --undo {each.run}{of}`", "dim")
        for id in each.certificates:
            yield Text(f"erased, which cannot be undone: `cortex erase --certificate {id}{of}`", "dim")


def _number(found: UserRetention, name: str) -> int:
    value = getattr(found, name)
    return value if isinstance(value, int) else len(value)


# --- holds ------------------------------------------------------------------------------------------------------------

hold = typer.Typer(help="Holds: what is on hold neither expires, merges nor is erased.", no_args_is_help=True)


@hold.command("add")
def hold_add(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID...]", help="IDs of memories or turns.")] = None,
    scope: Annotated[str | None, typer.Option(help="Hold everything in this scope.")] = None,
    session: Annotated[str | None, typer.Option(help="Hold this session, with what was extracted from it.")] = None,
    person: Annotated[str | None, typer.Option(help="Hold what this person is in.")] = None,
    also: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Another name of the person.")] = None,
    reason: Annotated[str, typer.Option(help="Why, in one line.")] = "",
) -> None:
    """Place a hold, for all users of the agent or for one with --user."""
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.hold(
            ids=ids or (), scope=scope, session=session, person=person, also=also or (), reason=reason,
            everyone=surface.user is None,
        )  # fmt: skip
    _show_hold(surface, done, "placed")


@hold.command("release")
def hold_release(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the hold.")],
) -> None:
    """Release a hold, so that its memories can expire and be erased again."""
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.release_hold(name, everyone=surface.user is None)
    _show_hold(surface, done, "released")


@hold.command("list")
def hold_list(context: typer.Context) -> None:
    """List the holds of all users of the agent, or with --user those on one user's memory."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.holds(everyone=surface.user is None)
    if surface.json:
        from cortex.surfaces.wire.retention import HoldsResponse

        output.show_response(HoldsResponse.of(found))
        return
    if not found:
        output.plain("no holds; place one with `cortex admin hold add`")
        return
    from cortex.surfaces.cli import rendering

    table = rendering.table("hold", "placed", "by", "user", "on", "reason", whole=["hold", "placed"])
    for each in found:
        table.add_row(
            each.name, f"{each.at.astimezone():%Y-%m-%d %H:%M}", output.one_line(each.by),
            output.one_line(each.user) or "all", output.one_line(f"{each.kind} {', '.join(each.values)}"),
            output.one_line(each.reason),
        )  # fmt: skip
    output.show(table)


def _show_hold(surface: Surface, done: HoldResult, what: str) -> None:
    if surface.json:
        from cortex.surfaces.wire.retention import HoldResponse

        output.show_response(HoldResponse.of(done))
    else:
        output.plain(f"{what} {done.hold.name}")
