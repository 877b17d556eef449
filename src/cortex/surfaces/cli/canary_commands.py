"""`admin golden` and `admin canary`: other settings, compared on known questions and tried by some sessions (E20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.inputs import duration_of

if TYPE_CHECKING:
    from cortex.services.canary import CanaryResult
    from cortex.services.golden import GoldenMark, GoldenStatus

golden = typer.Typer(help="The golden set: recorded questions whose right answers are known.", no_args_is_help=True)

REFUSED = 1
"""Exit code if the comparison spoke against a canary."""


@golden.command("build")
def golden_build(context: typer.Context) -> None:
    """Build the golden set from recorded recalls; at least 60 questions are needed."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.build_golden()
    _show_golden(surface, found)


@golden.command("show")
def golden_show(context: typer.Context) -> None:
    """Show how many questions there are."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.golden()
    _show_golden(surface, found)


@golden.command("approve")
def golden_approve(
    context: typer.Context,
    receipt: Annotated[str, typer.Argument(metavar="RECEIPT", help="The ID of a recall's receipt.")],
    hit: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="What it should find; by default, what it found.")
    ] = None,
    silent: Annotated[bool, typer.Option("--silent", help="It should find nothing.")] = False,
) -> None:
    """Approve a recorded recall for the next golden set."""
    surface = surface_of(context)
    with surface.engine() as engine:
        marked = engine.mark_golden(receipt, expected=hit or None, silent=silent)
    _show_mark(surface, marked)


@golden.command("reject")
def golden_reject(
    context: typer.Context,
    receipt: Annotated[str, typer.Argument(metavar="RECEIPT", help="The ID of a recall's receipt.")],
) -> None:
    """Keep a recorded recall out of the next golden set."""
    surface = surface_of(context)
    with surface.engine() as engine:
        marked = engine.mark_golden(receipt, reject=True)
    _show_mark(surface, marked)


def _show_golden(surface: Surface, found: GoldenStatus) -> None:
    if surface.json:
        from cortex.surfaces.wire.canaries import GoldenResponse

        output.show_response(GoldenResponse.of(found))
    elif not found.questions:
        output.plain("no golden set; build one with `cortex admin golden build`")
    else:
        parts = f"{found.answered} with an answer, {found.silent} rightly silent, {found.approved} approved"
        output.plain(f"{found.questions} questions: {parts}")


def _show_mark(surface: Surface, marked: GoldenMark) -> None:
    if surface.json:
        from cortex.surfaces.wire.canaries import MarkGoldenResponse

        output.show_response(MarkGoldenResponse.of(marked))
    elif not marked.is_question:
        output.plain(f"{marked.receipt_id} is no question of the next golden set")
    else:
        should = f"find {', '.join(marked.expected)}" if marked.expected else "find nothing"
        output.plain(f"{marked.receipt_id} should {should}; run `cortex admin golden build` to use it")


def canary(
    context: typer.Context,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting to try; may be repeated.")
    ] = None,
    share: Annotated[float, typer.Option(min=0.01, max=0.5, help="The share of the sessions that try it.")] = 0.1,
    lasts: Annotated[str, typer.Option("--for", metavar="DURATION", help="How long they try it.")] = "24h",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Compare only; no session tries it.")] = False,
    promote: Annotated[bool, typer.Option("--promote", help="Keep what the canary tried, for every session.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the canary now.")] = False,
) -> int:
    """Try other settings on the golden set, then in a share of the sessions. Without options, show the canary."""
    surface = surface_of(context)
    if promote + stop + bool(settings) > 1:
        raise InvalidRequest("cannot be combined", field="--set, --promote, --stop", hint="give one of them")
    with surface.engine() as engine:
        if settings:
            span = duration_of(lasts, "for")
            assert span is not None
            with output.progress("comparing") as progress:
                found = engine.start_canary(
                    settings_of(settings), share=share, seconds=span.total_seconds(), dry_run=dry_run,
                    progress=progress,
                )  # fmt: skip
        elif promote:
            found = engine.promote_canary()
        else:
            found = engine.stop_canary() if stop else engine.canary()
    _show(surface, found)
    is_refused = found.canary is not None and found.canary.state == "refused"
    return REFUSED if settings and is_refused else 0


def settings_of(given: Sequence[str]) -> dict[str, Any]:
    """Settings given as KEY=VALUE."""
    found: dict[str, Any] = {}
    for each in given:
        name, has_value, value = each.partition("=")
        if not has_value or not name.strip():
            raise InvalidRequest(f"{each[:60]!r} is not KEY=VALUE", field="--set", hint="such as recall.recipe=deep.v1")
        found[name.strip()] = value.strip()
    return found


def _show(surface: Surface, found: CanaryResult) -> None:
    if surface.json:
        from cortex.surfaces.wire.canaries import CanaryResponse

        output.show_response(CanaryResponse.of(found))
        return
    from cortex.surfaces.cli import rendering

    if found.canary is None:
        output.plain("no canary; start one with `cortex admin canary --set KEY=VALUE`")
        return
    tried = ", ".join(f"{name}={value}" for name, value in found.canary.settings.items())
    end = f", until {found.canary.ends_at.astimezone():%Y-%m-%d %H:%M}" if found.canary.state == "running" else ""
    output.plain(f"{tried}: {found.canary.state} ({found.canary.share:.0%} of sessions{end})")
    if found.canary.why:
        output.plain(f"  {output.one_line(found.canary.why)}")
    if found.canary.comparison:
        output.show(_figures(found.canary.comparison))
    if found.hint:
        output.show(rendering.notice("not everywhere yet", found.hint))


def _figures(compared: Mapping[str, Any]) -> Any:
    from cortex.surfaces.cli import rendering

    table = rendering.table("", "in force", "canary", right=["in force", "canary"])
    for title, key in (("hit@5", "hit_at_5"), ("wrong scope", "wrong_scope"), ("p95 ms", "p95_ms")):
        table.add_row(title, str(compared["control"][key]), str(compared["candidate"][key]))
    low, high = compared["interval"]
    table.add_row("difference", "", f"{compared['difference']:+.3f} ({low:+.3f} to {high:+.3f})")
    table.add_row("questions", "", str(compared["questions"]))
    return table
