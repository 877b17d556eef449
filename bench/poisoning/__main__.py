"""How far attacks on a memory come: `python -m bench.poisoning`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bench import command
from bench.command import AsJson, Home
from bench.poisoning import runner, view
from bench.poisoning.attacks import FAMILIES, PER_FAMILY
from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output

MISSED = 1
"""Exit code where a goal was not met."""


def poisoning(
    family: Annotated[list[str] | None, typer.Option(help="Only this family of attacks; may be repeated.")] = None,
    per_family: Annotated[
        int, typer.Option(min=1, max=1_000, metavar="NUMBER", help="How many attacks of each family.")
    ] = PER_FAMILY,
    embedder: Annotated[str | None, typer.Option(help="Embed with this provider; `none` for keywords alone.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Attack a temporary memory, and show how far each attack came."""
    if unknown := [name for name in family or () if name not in FAMILIES]:
        raise InvalidRequest(f"{unknown[0]!r} is no family", field="family", hint=f"one of {', '.join(FAMILIES)}")
    with output.progress("attacking") as progress:
        report = runner.run(home, embedder=embedder, families=family or None, per_family=per_family, progress=progress)
    if as_json:
        output.show_json(report.to_json())
    else:
        output.show(*view.tables(report))
    return 0 if all(goal.is_met for goal in report.goals) else MISSED


if __name__ == "__main__":
    sys.exit(command.run(poisoning, sys.argv[1:], "python -m bench.poisoning"))
