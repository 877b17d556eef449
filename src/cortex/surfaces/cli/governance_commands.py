"""The commands that govern memories: grade (S2), writeback (S5)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of

if TYPE_CHECKING:
    from cortex.domain.receipt import Receipt

STOPPED = 1
"""Exit code if a grader failed or took too long."""


def grade(
    context: typer.Context,
    grader: Annotated[str, typer.Option(metavar="NAME", help="The grader.")] = "heuristic-v1",
    all: Annotated[bool, typer.Option("--all", help="Also grade memories whose grade is up to date.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Grade everything, store nothing, and show how labels would change.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change; change nothing.")] = False,
) -> int:
    """Annotate memories with how much they matter, and why. A grade by itself changes no answer."""
    surface = surface_of(context)
    with surface.engine() as engine, output.progress("grading") as progress:
        receipt = engine.grade(grader=grader, all=all, compare=compare, dry_run=dry_run, progress=progress)
    stopped = receipt.facts["stopped"]
    if surface.json:
        output.show_json(receipt.to_json())
    else:
        _show_grades(receipt)
        if stopped:
            from cortex.surfaces.cli import rendering

            output.show(
                rendering.notice(f"stopped: {stopped}", "the rest was not graded; fix the grader, run it again")
            )
    return STOPPED if stopped else 0


def _show_grades(receipt: Receipt) -> None:
    facts = receipt.facts
    would = "would be " if facts["dry_run"] else ""
    output.plain(f"{facts['graded']:,} of {facts['memories']:,} memories {would}graded by {facts['grader']}")
    for label, count in facts["labels"].items():
        output.plain(f"  {label:14} {count:,}")
    for move, count in facts["moves"].items():
        output.plain(f"  {move}: {count:,}")


def writeback(
    context: typer.Context,
    limit: Annotated[int | None, typer.Option(min=1, help="How many memories at most.")] = None,
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="How many memories are one transaction.")] = 200,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change; change nothing.")] = False,
    force: Annotated[
        bool, typer.Option("--force", "--overwrite", help="Also overwrite values that somebody set.")
    ] = False,
    force_fields: Annotated[
        str | None,
        typer.Option(
            metavar="FIELDS",
            help="With --force, overwrite only these, separated by commas: importance, importance_label, scope, "
            "category (the default), trust_tier (only downwards).",
        ),
    ] = None,
    lancedb: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Update the table of the memory-lancedb plugin in this folder instead."),
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Its name; `memories` by default.")] = None,
) -> None:
    """Write grades into memories. Without --force only fields that nobody set are filled. Preview with --dry-run."""
    surface = surface_of(context)
    fields = None if force_fields is None else [name for part in force_fields.split(",") if (name := part.strip())]
    with surface.engine() as engine, output.progress("writing back") as progress:
        receipt = engine.writeback(
            limit=limit, batch=batch, dry_run=dry_run, force=force, force_fields=fields, lancedb=lancedb, table=table,
            progress=progress,
        )  # fmt: skip
    if surface.json:
        output.show_json(receipt.to_json())
        return
    _show_writeback(receipt)


def _show_writeback(receipt: Receipt) -> None:
    facts = receipt.facts
    would = "would be " if facts["dry_run"] else ""
    output.plain(f"{facts['updated']:,} {would}updated, {facts['skipped']:,} skipped")
    for name, what in (("filled_fields", "filled"), ("overwrittenFields", "overwritten")):
        for field, count in facts[name].items():
            output.plain(f"  {field}: {count:,} {what}")
    from cortex.surfaces.cli import rendering

    if facts["missing"]:
        output.show(rendering.notice(f"{facts['missing']:,} are no longer there", "--json lists the first of them"))
    if facts["ungraded"]:
        output.show(rendering.notice(f"{facts['ungraded']:,} have no grade", "run `cortex grade`"))
