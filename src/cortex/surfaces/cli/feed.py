"""Verbs that bring memory in and out: import, export, backfill (E14, C7)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.reading import STDIN, filter_of, lines_of
from cortex.surfaces.cli.use import Kinds, Lanes, Scopes, Since, States, Until


def export(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Where to; `-` is stdout.")] = STDIN,
    with_text: Annotated[bool, typer.Option("--with-text", help="Include what the memories say.")] = False,
    scope: Scopes = None,
    kind: Kinds = None,
    lane: Lanes = None,
    state: States = None,
    since: Since = None,
    until: Until = None,
) -> None:
    """Export memories and turns as JSON lines in order of id, without their text unless asked for."""
    surface = surface_of(context)
    which = filter_of(scope=scope, kind=kind, lane=lane, state=state, since=since, until=until, any_state=True)
    with surface.engine() as engine:
        lines = map(output.json_line, engine.export(which, redact=not with_text))
        if file == STDIN:
            for line in lines:
                print(line)
            return
        number = _write(Path(file), lines)
    if surface.json:
        output.show_json({"file": file, "lines": number, "redacted": not with_text})
    else:
        told = "" if with_text else ", without their text; --with-text includes it"
        output.plain(f"{number:,} lines to {file}{told}")


def import_(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `export --with-text` wrote; `-` is stdin.")],
    dedupe: Annotated[str, typer.Option(help="What counts as here already: none, id, or id_text.")] = "id_text",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, store nothing.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out bad lines instead of refusing all.")] = False,
    trusted: Annotated[bool, typer.Option("--trusted", help="Believe the file as far as it says itself.")] = False,
    embed: Annotated[bool, typer.Option(help="Embed now, or leave that to `cortex backfill`.")] = True,
) -> None:
    """Import memories and turns. All lines are checked before any is stored."""
    surface = surface_of(context)
    with surface.engine() as engine, lines_of(file) as lines, output.progress("importing") as progress:
        done = engine.import_(
            lines, dedupe=dedupe, dry_run=dry_run, skip_bad=skip_bad, trusted=trusted, embed=embed, progress=progress
        )
    if surface.json:
        output.show_json(done.receipt.to_json())
        return
    facts = done.receipt.facts
    duplicates = sum(facts["duplicates"].values())
    would = "would import" if dry_run else "imported"
    told = f"{would} {facts['memories']:,} memories and {facts['turns']:,} turns of {facts['lines']:,} lines"
    output.plain(f"{told}; {duplicates:,} duplicates, {facts['bad']:,} bad lines left out")
    from cortex.surfaces.cli import rendering

    for bad in done.plan.bad[:10]:
        output.show(rendering.notice(f"line {bad.number}: {bad.field}: {bad.reason}", bad.hint))
    if done.receipt.degraded:
        output.show(rendering.notice("they were stored without vectors", "run `cortex doctor`, then `cortex backfill`"))


def backfill(context: typer.Context) -> None:
    """Embed everything that has no vector of the current model; goes on where it stopped."""
    surface = surface_of(context)
    with surface.engine() as engine, output.progress("embedding") as progress:
        receipt = engine.backfill(progress=progress)
        # The embedder's own words say more than the code in the receipt.
        missed = [trouble for trouble in engine.status()["degraded"] if trouble["what"] == "vectors"]
    if surface.json:
        output.show_json(receipt.to_json())
        return
    output.plain(f"embedded {receipt.facts['embedded']:,}")
    if receipt.degraded:
        from cortex.surfaces.cli import rendering

        output.show(*(rendering.notice(trouble["why"], trouble["fix"]) for trouble in missed))


COMMANDS: dict[str, Callable[..., Any]] = {"export": export, "import": import_, "backfill": backfill}


def _write(path: Path, lines: Iterable[str]) -> int:
    """Write all lines or leave `path` as it was; gives their number."""
    number = 0
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        # For the owner's eyes only, like the memory it comes from.
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
                number += 1
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise InvalidRequest(
            f"cannot be written: {error.strerror or error}", field=str(path), hint="check the path and permissions"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return number
