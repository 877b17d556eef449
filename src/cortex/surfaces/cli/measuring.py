"""Verbs that measure how well memory is made and kept: `measure capture` (X12) and `measure poisoning` (S4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.capture_view import measure_capture
from cortex.surfaces.cli.context import surface_of

MISSED = 1
"""Exit code where a goal was not met."""

measure = typer.Typer(help="Measure how well memory is made and kept: capture, poisoning.", no_args_is_help=True)


def measure_poisoning(
    context: typer.Context,
    family: Annotated[list[str] | None, typer.Option(help="Only this family of attacks; may be given again.")] = None,
    per_family: Annotated[
        int | None, typer.Option(min=1, max=1_000, metavar="NUMBER", help="How many attacks of each family.")
    ] = None,
    embedder: Annotated[str | None, typer.Option(help="Embed with this provider; `none` for keywords alone.")] = None,
) -> int:
    """Attack a memory that is made for it and thrown away, and show how far each attack came."""
    from cortex.evaluation.poisoning import runner
    from cortex.evaluation.poisoning.attacks import FAMILIES, PER_FAMILY
    from cortex.surfaces.cli import poisoning_view

    if unknown := [name for name in family or () if name not in FAMILIES]:
        raise InvalidRequest(f"{unknown[0]!r} is no family", field="family", hint=f"one of {', '.join(FAMILIES)}")
    surface = surface_of(context)
    with output.progress("attacking") as progress:
        report = runner.run(
            surface.home,
            embedder=embedder,
            families=family or None,
            per_family=per_family or PER_FAMILY,
            progress=progress,
        )
    if surface.json:
        output.show_json(report.to_json())
    else:
        output.show(*poisoning_view.tables(report))
    return 0 if all(goal.is_met for goal in report.goals) else MISSED


measure.command("capture")(measure_capture)
measure.command("poisoning")(measure_poisoning)

COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"measure": measure}
