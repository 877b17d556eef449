"""The commands `import` and `export` (E14): other programs, JSON lines, and Markdown to edit."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, full_disk
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.inputs import STDIN, filter_of, given, lines_of, moment_of
from cortex.surfaces.cli.memory_commands import AsOf, Kinds, Lanes, Scopes, Since, States, Until

if TYPE_CHECKING:
    from cortex.exchange import Divergence, MarkdownImported
    from cortex.memory import Cortex
    from cortex.ports.store import Filter


def export(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(metavar="[FILE]", help="The file to write; `-` is stdout, a directory gets one page per scope."),
    ] = STDIN,
    with_text: Annotated[bool, typer.Option("--with-text", help="Include the text of the memories.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Active memories with their text, as Markdown to edit and import again.")
    ] = False,
    scope: Scopes = None,
    kind: Kinds = None,
    lane: Lanes = None,
    state: States = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
) -> None:
    """Export memories and turns as JSON lines, ordered by ID. Add --with-text to include their text.

    With --markdown, export active memories with their text, for a person to edit.
    """
    surface = surface_of(context)
    if markdown:
        _refuse("cannot be combined with --markdown, which exports active memories", lane=lane, state=state)
        which = filter_of(scope=scope, kind=kind, since=since, until=until)
        _export_markdown(surface, file, which, as_of)
        return
    which = filter_of(scope=scope, kind=kind, lane=lane, state=state, since=since, until=until, any_state=True)
    with surface.engine() as engine:
        lines = map(output.json_line, engine.export(which, redact=not with_text, as_of=moment_of(as_of)))
        if file == STDIN:
            for line in lines:
                print(line)
            return
        number = _write(Path(file), lines)
    if surface.json:
        output.show_json({"file": file, "lines": number, "redacted": not with_text})
    else:
        message = "" if with_text else ", without their text; --with-text includes it"
        output.plain(f"wrote {number:,} lines to {file}{message}")


def import_(
    context: typer.Context,
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATH]", help="An export, a folder, or what `cortex export` wrote; `-` reads that from stdin."
        ),
    ] = None,
    format: Annotated[
        str, typer.Option("--from", metavar="FORMAT", help="The program it comes from; detected if left out.")
    ] = "auto",
    account: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose data to import, if it holds that of several.")
    ] = None,
    scope: Annotated[str | None, typer.Option(help="The scope of what comes from another program.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count and check everything, store nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    trusted: Annotated[bool, typer.Option("--trusted", help="Trust its memories as your own words.")] = False,
    background: Annotated[
        bool, typer.Option("--background", help="Store conversations and leave the extraction to background jobs.")
    ] = False,
    undo: Annotated[
        str | None, typer.Option(metavar="IMPORT", help="Undo an import by the name it printed, or `latest`.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the imports from other programs.")] = False,
    dedupe: Annotated[
        str, typer.Option(help="With an export of Cortex: how to detect duplicates: none, id, or id_text.")
    ] = "id_text",
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="With an export of Cortex: skip bad lines instead of refusing the file.")
    ] = False,
    embed: Annotated[bool, typer.Option(help="Embed now, or later by `cortex admin backfill`.")] = True,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Import edits of what `export --markdown` wrote: a file or directory.")
    ] = False,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="With --markdown: do not trust the edits as your own.")
    ] = False,
    skip_conflicts: Annotated[
        bool,
        typer.Option("--skip-conflicts", help="With --markdown: skip memories that were changed here too."),
    ] = False,
    forget_missing: Annotated[
        bool, typer.Option("--forget-missing", help="With --markdown: forget memories deleted from the file.")
    ] = False,
) -> None:
    """Import conversations and memories of other programs, or what `cortex export` wrote. Nothing is stored twice.

    It shows what it found and asks first. To continue an interrupted import, run it again. Exports of Cortex are stored
    as a whole or not at all; with --markdown, edits are imported, and a conflict stores nothing.
    """
    from cortex.surfaces.cli import import_command

    surface = surface_of(context)
    if undo is not None or list_:
        _refuse("cannot be combined with --undo or --list", PATH=path, dry_run=dry_run, markdown=markdown)
        import_command.undo(surface, undo) if undo is not None else import_command.show_list(surface)
        return
    if path is None:
        raise InvalidRequest("is missing", field="PATH", hint="name the file or folder to import")
    of_markdown = {"untrusted": untrusted, "skip_conflicts": skip_conflicts, "forget_missing": forget_missing}
    of_programs = {"account": account, "scope": scope, "background": background}
    of_lines = {"dedupe": dedupe != "id_text", "skip_bad": skip_bad}
    if markdown:
        _refuse("cannot be combined with --markdown", **of_programs, **of_lines, trusted=trusted)
        options = {"dry_run": dry_run, "trusted": not untrusted, "skip_conflicts": skip_conflicts, "embed": embed}
        _import_markdown(surface, path, forget_missing=forget_missing, **options)
        return
    _refuse("needs --markdown", **of_markdown)
    if program := import_command.program_of(path, format):
        _refuse("is for exports of Cortex", **of_lines, no_embed=not embed)
        import_command.run(
            surface, path, program, dry_run=dry_run, yes=yes, trusted=trusted, extract=not background,
            **given(account=account, scope=scope),
        )  # fmt: skip
        return
    _refuse("is for imports from other programs", **of_programs)
    options = {"dry_run": dry_run, "skip_bad": skip_bad, "trusted": trusted, "embed": embed}
    _import_lines(surface, path, dedupe=dedupe, **options)


COMMANDS: dict[str, Callable[..., Any]] = {"import": import_, "export": export}


# --- lines of an export ---------------------------------------------------------------------------


def _import_lines(surface: Surface, file: str, *, dry_run: bool, **options: Any) -> None:
    with surface.engine() as engine, lines_of(file) as lines, output.progress("importing") as progress:
        done = engine.import_(lines, dry_run=dry_run, progress=progress, **options)
    if surface.json:
        output.show_json({"format": "cortex", **done.receipt.to_json()})
        return
    from cortex.surfaces.cli import import_command, rendering

    facts, several = done.receipt.facts, rendering.several
    stored = f"{several(facts['memories'], 'memory', 'memories')} and {several(facts['turns'], 'turn')}"
    skipped = f"{several(sum(facts['duplicates'].values()), 'duplicate')} and {several(facts['bad'], 'bad line')}"
    would = "would import" if dry_run else "imported"
    output.plain(f"{would} {stored} of {several(facts['lines'], 'line')}; skipped {skipped}")
    for bad in done.plan.bad[:10]:
        output.show(rendering.notice(f"line {bad.number}: {bad.field}: {bad.reason}", bad.hint))
    if not dry_run:
        output.show(*import_command.withheld(facts, trusted=bool(options["trusted"])))
    if done.receipt.degraded:
        output.show(rendering.notice("stored without vectors", "run `cortex doctor`, then `cortex admin backfill`"))


# --- memories as Markdown ------------------------------------------------------------------------


def _export_markdown(surface: Surface, file: str, which: Filter, as_of: str | None) -> None:
    directory = Path(file) if file != STDIN and (Path(file).is_dir() or file.endswith(("/", os.sep))) else None
    with surface.engine() as engine:
        pages = engine.export_markdown(which, by_scope=directory is not None, as_of=moment_of(as_of))
        if file == STDIN:
            sys.stdout.write(pages[0].text)
            return
        targets = {directory / page.name if directory else Path(file): page for page in pages}
        _protect_edits(engine, targets)
    if directory:
        _create(directory)
    for path, page in targets.items():
        _write(path, [page.text.removesuffix("\n")])
    total = sum(page.memories for page in pages)
    if surface.json:
        output.show_json({"files": [str(path) for path in targets], "memories": total, "redacted": False})
        return
    into = f"{len(targets):,} files in {file}" if directory else file
    output.plain(f"wrote {total:,} memories to {into}, with their text")


def _protect_edits(engine: Cortex, targets: Iterable[Path]) -> None:
    """Refuse to overwrite edits that were not imported yet."""
    from cortex.errors import Conflict, NotFound

    there = {str(path): _page(path) for path in targets if path.is_file() and path.stat().st_size}
    if not there:
        return
    try:
        plan = engine.import_markdown(there, dry_run=True).plan
    except (InvalidRequest, NotFound, Conflict) as error:
        raise InvalidRequest(
            f"exists and would be overwritten: {error.message}",
            field=next(iter(there)) if len(there) == 1 else "FILE",
            hint="name another file or directory, or remove what is there",
        ) from error
    if plan.created or plan.edited:
        raise InvalidRequest(
            f"has edits that are not imported: {len(plan.edited):,} changed, {len(plan.created):,} new",
            field=next(iter(there)) if len(there) == 1 else "FILE",
            hint="import them first with `cortex import --markdown`, or export elsewhere",
        )


def _import_markdown(surface: Surface, file: str, **options: bool) -> None:
    from cortex.exchange import EditConflict

    pages = _pages(file)
    try:
        with surface.engine() as engine, output.progress("importing") as progress:
            done = engine.import_markdown(pages, progress=progress, **options)
    except EditConflict as conflict:
        # The error contains only IDs; the text of both sides goes to stdout.
        if surface.json:
            output.show_json({"conflicting": [each.to_json() for each in conflict.divergences]})
        else:
            _show_conflicts(conflict.divergences)
        raise
    if surface.json:
        from cortex.surfaces.wire.upkeep import ImportResponse

        output.show_response(ImportResponse.of(done))
    else:
        _show_imported(done)


def _show_imported(done: MarkdownImported) -> None:
    from cortex.surfaces.cli import rendering

    plan = done.plan
    _show_conflicts(plan.divergences)
    would = "would have " if plan.dry_run else ""
    message = f"{would}{len(plan.edited):,} edited, {len(plan.created):,} created, {len(plan.forgotten):,} forgotten"
    output.plain(f"{message}; {plan.unchanged + plan.same:,} unchanged")
    if plan.changes and not plan.dry_run:
        output.plain("export again before you edit the file further")
    if plan.divergences:
        skipped = f"{len(plan.divergences):,} were changed here too, and were skipped"
        output.show(rendering.notice(skipped, "export again and repeat these edits"))
    if plan.missing:
        gone = f"{len(plan.missing):,} are missing from the file, but still remembered"
        output.show(rendering.notice(gone, "--forget-missing forgets them"))
    if done.receipt.degraded:
        output.show(rendering.notice("stored without vectors", "run `cortex doctor`, then `cortex admin backfill`"))


def _show_conflicts(found: Sequence[Divergence]) -> None:
    for each in found[:_MOST_CONFLICTS]:
        payload = each.to_json()
        output.plain(output.one_line(f"conflict {each.id} {each.where}"))
        for side in ("base", "yours", "theirs"):
            output.plain(f"  {side:<7}{' '.join(_side(payload[side]))}")
    if len(found) > _MOST_CONFLICTS:
        output.plain(f"and {len(found) - _MOST_CONFLICTS:,} more; --json lists them all")


_MOST_CONFLICTS = 20


def _side(payload: dict[str, Any] | None) -> Iterator[str]:
    """One of the three versions of a memory, on one line."""
    if payload is None:
        yield "deleted"
        return
    yield payload["digest"] or "-"
    if "scope" in payload:
        yield output.one_line(f"[{payload['scope']}, {payload['kind']}]")
    if payload.get("state", "active") != "active":
        yield f"({payload['state']})"
    yield output.one_line(payload["text"] or "")
    if payload.get("fields"):
        yield output.one_line(payload["fields"])


def _pages(file: str) -> dict[str, str]:
    """The Markdown of a file, of stdin, or of each page in a directory, by name."""
    if file == STDIN:
        return {"": _decoded(sys.stdin.buffer.read(), "")}
    if not Path(file).is_dir():
        return {"": _page(Path(file), "")}
    found = {path.name: _page(path, path.name) for path in sorted(Path(file).glob("[!.]*.md"))}
    if not found:
        raise InvalidRequest("has no .md file", field=file, hint="export there first with --markdown")
    return found


def _page(path: Path, name: str | None = None) -> str:
    try:
        read = path.read_bytes()
    except OSError as error:
        raise InvalidRequest(
            f"cannot be read: {error.strerror or error}", field=str(path), hint="check the path and permissions"
        ) from error
    return _decoded(read, str(path) if name is None else name)


def _decoded(read: bytes, name: str) -> str:
    try:
        return read.decode("utf-8")
    except UnicodeDecodeError as error:
        line = read.count(b"\n", 0, error.start) + 1
        raise InvalidRequest(
            "is not UTF-8", field=f"{name} line {line}".lstrip(), hint="save the file as UTF-8 and import it again"
        ) from error


def _create(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise full_disk(error, directory) or InvalidRequest(
            f"cannot be created: {error.strerror or error}", field=str(directory), hint="check the path and permissions"
        ) from error


def _refuse(reason: str, **options: object) -> None:
    """Reject options that do not apply instead of ignoring them."""
    for name in options:
        if options[name]:
            field = name if name.isupper() else f"--{name.replace('_', '-')}"
            raise InvalidRequest(reason, field=field, hint="leave it out, or see --help")


def _write(path: Path, lines: Iterable[str]) -> int:
    """Write all lines or leave `path` unchanged; return their number."""
    number = 0
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        # Readable by the owner only, like the database.
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
                number += 1
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise full_disk(error, path) or InvalidRequest(
            f"cannot be written: {error.strerror or error}", field=str(path), hint="check the path and permissions"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return number
