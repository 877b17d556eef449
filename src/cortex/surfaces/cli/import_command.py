"""Imports from other programs: what was found, the question, the progress, and the undo."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import typer

from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface
from cortex.surfaces.cli.inputs import STDIN
from cortex.surfaces.project_scope import project_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cortex.exchange.import_source import ImportSource
    from cortex.services.imports import ImportPreview, ImportResult

OWN = "cortex"
"""The name of what `cortex export` writes."""


def program_of(path: str, format: str) -> str:
    """The format of another program; empty for an export of Cortex."""
    from cortex.errors import InvalidRequest
    from cortex.exchange.import_format import AUTO, detected, import_formats, named
    from cortex.exchange.import_source import ImportSource

    if format == OWN or (format == AUTO and path == STDIN):
        return ""
    if format != AUTO:
        return named(format).name
    with ImportSource(path) as source:
        if found := detected(source):
            return found.name
        if source.is_folder or source.is_zip or not _is_own(source):
            formats = ", ".join((*import_formats(), OWN))
            hint = (
                f'use --from with one of {formats}, or JSON lines with a "text" field; '
                "`cortex index` reads Markdown notes, and `cortex capture` one conversation"
            )
            raise InvalidRequest("is not in a format that Cortex knows", field=path, hint=hint)
    return ""


def _is_own(source: ImportSource) -> bool:
    """Whether a file may be an export of Cortex: a line near its beginning is an object with a type, or it is empty."""
    import json

    lines = [line for line in source.head(source.path.name).splitlines() if line.strip()]
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict) and "type" in row:
            return True
    return not lines


def run(
    surface: Surface, path: str, format: str, *, dry_run: bool, yes: bool, account: str | None = None, **options: Any
) -> None:
    """Show what there is to import, ask, and import it."""
    from cortex.surfaces.cli import rendering

    # The transcripts of a coding agent belong to the project they were written in, unless a scope is given.
    options.setdefault("scope_of", None if "scope" in options else project_of)
    with surface.engine() as engine:
        with output.progress(f"reading {path}"):
            preview = engine.preview_import(path, format=format, account=account)
        if not surface.json:
            _show_preview(preview)
            is_asked = not (yes or dry_run) and sys.stdin.isatty()
            if is_asked and not typer.confirm("Import this?", default=True, err=True):
                raise typer.Abort
        try:
            with output.progress("importing") as progress:
                done = engine.import_from(
                    path, format=format, account=account, dry_run=dry_run, preview=preview, progress=progress, **options
                )
        except KeyboardInterrupt:
            print("cortex: stopped; the same command continues, and --undo latest takes it back", file=sys.stderr)
            raise
    if surface.json:
        output.show_json(done.to_json())
        return
    if dry_run:
        output.plain("dry run; nothing was stored")
        return
    output.plain(_summary(done))
    output.show(*(rendering.notice(f"skipped {number:,}: {reason}") for reason, number in _later_skips(done)))
    output.show(*withheld(done.receipt.facts, trusted=bool(options.get("trusted")), undo=done.run))
    if done.run:
        output.plain(f"undo with `cortex import --undo {done.run}`")


def withheld(facts: Mapping[str, Any], *, trusted: bool, undo: str = "") -> Iterator[RenderableType]:
    """What recall shows of imported memories only where nothing else answers, or not at all, and how to change that."""
    from cortex.surfaces.cli import rendering

    if untrusted := facts["untrusted"]:
        number, them = ("1 memory is", "it") if untrusted == 1 else (f"{untrusted:,} memories are", "them")
        again = f"run `cortex import --undo {undo}`, then import again with --trusted" if undo else "see --trusted"
        message = f"{number} untrusted: recall shows {them} only if nothing trusted answers"
        yield rendering.notice(message, "" if trusted else f"to trust {them}, {again}")
    if quarantined := facts["quarantined"]:
        number, them = ("1 memory is", "it") if quarantined == 1 else (f"{quarantined:,} memories are", "them")
        yield rendering.notice(f"{number} quarantined: recall leaves {them} out", "see `cortex inbox`")


def undo(surface: Surface, run: str) -> None:
    """Take back an import."""
    with surface.engine() as engine:
        done = engine.undo_import(run)
    if surface.json:
        counts = {"turns": done.turns, "memories": done.memories, "kept": done.kept}
        output.show_json({"undone": done.run.to_json(), **counts, "receipt_id": done.receipt.id})
        return
    from cortex.surfaces.cli.rendering import several

    memories = several(done.memories, "memory", "memories")
    output.plain(f"removed {several(done.turns, 'turn')} and {memories} of {done.run.id}")
    if done.kept:
        output.plain(f"kept {several(done.kept, 'memory', 'memories')} edited since")


def show_list(surface: Surface) -> None:
    """List the imports."""
    from cortex.surfaces.cli import rendering

    with surface.engine() as engine:
        runs = engine.imports()
    if surface.json:
        output.show_json({"imports": [run.to_json() for run in runs]})
        return
    if not runs:
        output.plain("no imports from other programs yet")
        return
    table = rendering.table("import", "began", "turns", "memories", "state", "source", right=["turns", "memories"])
    for run in runs:
        state = "undone" if run.undone else "done" if run.ended else "stopped"
        table.add_row(run.id, run.began[:16], f"{run.turns:,}", f"{run.memories:,}", state, output.one_line(run.source))
    output.show(table)


def _show_preview(found: ImportPreview) -> None:
    from cortex.surfaces.cli import rendering

    table = rendering.table()
    for _ in range(2):
        table.add_column()
    rows = {
        "format": f"{found.title} ({found.format})",
        "source": found.source,
        "account": str(found.account or ""),
        "conversations": f"{found.conversations:,}",
        "turns": f"{found.turns:,}",
        "memories": f"{found.memories:,}",
        "notes to index": f"{found.notes:,}" if found.notes else "",
        "first": f"{found.first:%Y-%m-%d}" if found.first else "",
        "last": f"{found.last:%Y-%m-%d}" if found.last else "",
    }
    rows |= {f"skipped: {reason.replace('_', ' ')}": f"{number:,}" for reason, number in (+found.skipped).items()}
    for name, value in rows.items():
        if value:
            table.add_row(output.one_line(name), output.one_line(value))
    output.show(table)


def _summary(done: ImportResult) -> str:
    from cortex.surfaces.cli.rendering import several

    facts = done.receipt.facts
    memories = several(facts["memories"], "memory", "memories")
    message = f"imported {several(facts['turns'], 'turn')} and {memories}; {facts['known']:,} known already"
    return message + (f"; {several(facts['redacted'], 'secret')} redacted" if facts["redacted"] else "")


def _later_skips(done: ImportResult) -> list[tuple[str, int]]:
    """What was left out only when it was stored."""
    skipped = done.receipt.facts["skipped"]
    return [(reason, number) for reason, number in skipped.items() if reason not in done.preview.skipped]
