"""Verbs that bring memory in and out: capture, ingest (C1, C2), import, export, backfill (E14, C7)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, full_disk
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.reading import STDIN, filter_of, given, lines_of
from cortex.surfaces.cli.use import Kinds, Lanes, Scopes, Since, States, Until

if TYPE_CHECKING:
    from cortex.exchange import Divergence, MarkdownImported
    from cortex.memory import Cortex
    from cortex.ports.store import Filter
    from cortex.services.capture import Captured
    from cortex.surfaces.cli.capture_rendering import Drawn
    from cortex.surfaces.cli.conversations import Conversation

Said = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A JSON array of messages, one message a line, or plain text; `-` is stdin."),
]
Session = Annotated[str | None, typer.Option(metavar="NAME", help="The session it is of, unless the file says.")]
InScope = Annotated[str | None, typer.Option("--scope", help="The namespace its turns and memories live in.")]
Channel = Annotated[str | None, typer.Option(help="Where it was said, such as a chat program.")]
PlainRole = Annotated[str, typer.Option("--role", help="Who said it, where it is plain text: user or assistant.")]


def capture(
    context: typer.Context,
    file: Said,
    session: Session = None,
    scope: InScope = None,
    channel: Channel = None,
    role: PlainRole = "user",
) -> None:
    """Store a conversation and extract memories from it at once. What is known already is not stored again."""
    surface = surface_of(context)
    said = _conversation(file, role)
    options = given(scope=scope, channel=channel)
    with surface.engine() as engine:
        # How much there is to find is known only once it was looked for: the bar just moves.
        with output.progress(f"extracting memories from {len(said.messages):,} messages"):
            done = engine.capture(said.messages, session=_session(session, said), **options)
        memories = list(_drawn(engine, done))
        failed, postponed = _undone(engine)
    if surface.json:
        output.show_json(_captured(done, memories, failed, postponed))
        return
    from cortex.surfaces.cli import capture_rendering, rendering

    if memories:
        output.show(capture_rendering.drawn(memories))
    facts = done.receipt.facts
    output.plain(capture_rendering.left_alone(facts) or capture_rendering.counts(facts))
    unread = capture_rendering.unread(failed, postponed) if done.turns else []
    if not memories and done.turns and not unread:
        output.plain("No statement in it is worth a memory of its own. Its turns can be recalled.")
    for problem, fix in unread:
        output.show(rendering.notice(problem, fix))


def ingest(
    context: typer.Context,
    file: Said,
    session: Session = None,
    scope: InScope = None,
    channel: Channel = None,
    role: PlainRole = "user",
    debounce: Annotated[
        bool, typer.Option(help="Draw memories once the session has been quiet for a while, or as soon as possible.")
    ] = True,
) -> None:
    """Store a conversation and return; memories are extracted from it in the background."""
    surface = surface_of(context)
    said = _conversation(file, role)
    options = given(scope=scope, channel=channel)
    with surface.engine() as engine:
        done = engine.ingest(said.messages, session=_session(session, said), debounce=debounce, **options)
    if surface.json:
        from cortex.surfaces.wire.turns import IngestResponse

        output.show_response(IngestResponse.of(done))
        return
    from cortex.surfaces.cli import capture_rendering
    from cortex.surfaces.cli.reading import time_of

    facts = done.receipt.facts
    output.plain(capture_rendering.left_alone(facts) or capture_rendering.counts(facts))
    if at := time_of(facts.get("due"), "due"):
        output.plain(capture_rendering.due(at, done.receipt.at))


def export(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Where to; `-` is stdout, a directory gets a page for each scope.")
    ] = STDIN,
    with_text: Annotated[bool, typer.Option("--with-text", help="Include what the memories say.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Active memories as Markdown to edit and import again, text included.")
    ] = False,
    scope: Scopes = None,
    kind: Kinds = None,
    lane: Lanes = None,
    state: States = None,
    since: Since = None,
    until: Until = None,
) -> None:
    """Export memories and turns as JSON lines in order of id, without their text unless asked for.

    With --markdown, export active memories with their text, for a person to edit.
    """
    surface = surface_of(context)
    if markdown:
        _refuse("is not for --markdown, which is of active memories", lane=lane, state=state)
        which = filter_of(scope=scope, kind=kind, since=since, until=until)
        _export_markdown(surface, file, which)
        return
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
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="What `export --with-text` or `--markdown` wrote; `-` is stdin.")
    ],
    dedupe: Annotated[str, typer.Option(help="What counts as here already: none, id, or id_text.")] = "id_text",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, store nothing.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out bad lines instead of refusing all.")] = False,
    trusted: Annotated[bool, typer.Option("--trusted", help="Believe the file as far as it says itself.")] = False,
    embed: Annotated[bool, typer.Option(help="Embed now, or leave that to `cortex backfill`.")] = True,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The edits made in what `export --markdown` wrote: a file or directory.")
    ] = False,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="With --markdown: the edits are not the operator's own words.")
    ] = False,
    skip_conflicts: Annotated[
        bool,
        typer.Option("--skip-conflicts", help="With --markdown: import the rest where some were changed here."),
    ] = False,
    forget_missing: Annotated[
        bool, typer.Option("--forget-missing", help="With --markdown: forget what was deleted from the file.")
    ] = False,
) -> None:
    """Import memories and turns. All lines are checked before any is stored.

    With --markdown, import what a person changed; what was changed here as well is a conflict, and nothing is stored.
    """
    surface = surface_of(context)
    if markdown:
        _refuse("is not for --markdown", dedupe=dedupe != "id_text", skip_bad=skip_bad, trusted=trusted)
        options = {"dry_run": dry_run, "trusted": not untrusted, "skip_conflicts": skip_conflicts, "embed": embed}
        _import_markdown(surface, file, forget_missing=forget_missing, **options)
        return
    _refuse("needs --markdown", untrusted=untrusted, skip_conflicts=skip_conflicts, forget_missing=forget_missing)
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


COMMANDS: dict[str, Callable[..., Any]] = {
    "capture": capture,
    "ingest": ingest,
    "export": export,
    "import": import_,
    "backfill": backfill,
}


# --- memories as Markdown ------------------------------------------------------------------------


def _export_markdown(surface: Surface, file: str, which: Filter) -> None:
    directory = Path(file) if file != STDIN and (Path(file).is_dir() or file.endswith(("/", os.sep))) else None
    with surface.engine() as engine:
        pages = engine.export_markdown(which, by_scope=directory is not None)
        if file == STDIN:
            sys.stdout.write(pages[0].text)
            return
        targets = {directory / page.name if directory else Path(file): page for page in pages}
        _keep_edits(engine, targets)
    if directory:
        _make(directory)
    for path, page in targets.items():
        _write(path, [page.text.removesuffix("\n")])
    total = sum(page.memories for page in pages)
    if surface.json:
        output.show_json({"files": [str(path) for path in targets], "memories": total, "redacted": False})
        return
    into = f"{len(targets):,} files in {file}" if directory else file
    output.plain(f"{total:,} memories to {into}, with their text")


def _keep_edits(engine: Cortex, targets: Iterable[Path]) -> None:
    """What a person wrote is not written over before it was imported."""
    from cortex.errors import Conflict, NotFound

    there = {str(path): _page(path) for path in targets if path.is_file() and path.stat().st_size}
    if not there:
        return
    try:
        plan = engine.import_markdown(there, dry_run=True).plan
    except (InvalidRequest, NotFound, Conflict) as error:
        raise InvalidRequest(
            f"is there already and would be lost: {error.message}",
            field=next(iter(there)) if len(there) == 1 else "FILE",
            hint="name another file or directory, or remove what is there",
        ) from error
    if plan.created or plan.edited:
        raise InvalidRequest(
            f"has edits that were not imported: {len(plan.edited):,} changed, {len(plan.created):,} new",
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
        # The error itself is told by ids alone; both sides go where answers go.
        if surface.json:
            output.show_json({"conflicting": [each.to_json() for each in conflict.divergences]})
        else:
            _tell_conflicts(conflict.divergences)
        raise
    if surface.json:
        from cortex.surfaces.wire.upkeep import ImportResponse

        output.show_response(ImportResponse.of(done))
    else:
        _tell_imported(done)


def _tell_imported(done: MarkdownImported) -> None:
    from cortex.surfaces.cli import rendering

    plan = done.plan
    _tell_conflicts(plan.divergences)
    would = "would have " if plan.dry_run else ""
    told = f"{would}{len(plan.edited):,} edited, {len(plan.created):,} created, {len(plan.forgotten):,} forgotten"
    output.plain(f"{told}; {plan.unchanged + plan.same:,} as they were")
    if plan.changes and not plan.dry_run:
        output.plain("the file knows nothing of this yet: export again before you go on editing it")
    if plan.divergences:
        skipped = f"{len(plan.divergences):,} were changed here as well, and left as they are here"
        output.show(rendering.notice(skipped, "export again and repeat these edits"))
    if plan.missing:
        gone = f"{len(plan.missing):,} that were exported are missing from the file, and still remembered"
        output.show(rendering.notice(gone, "--forget-missing forgets them"))
    if done.receipt.degraded:
        output.show(rendering.notice("they were stored without vectors", "run `cortex doctor`, then `cortex backfill`"))


def _tell_conflicts(found: Sequence[Divergence]) -> None:
    for each in found[:_MOST_CONFLICTS]:
        told = each.to_json()
        output.plain(output.one_line(f"conflict {each.id} {each.where}"))
        for side in ("base", "yours", "theirs"):
            output.plain(f"  {side:<7}{' '.join(_side(told[side]))}")
    if len(found) > _MOST_CONFLICTS:
        output.plain(f"and {len(found) - _MOST_CONFLICTS:,} more; --json lists them all")


_MOST_CONFLICTS = 20


def _side(told: dict[str, Any] | None) -> Iterator[str]:
    """One of the three versions of a memory, on one line."""
    if told is None:
        yield "deleted"
        return
    yield told["digest"] or "-"
    if "scope" in told:
        yield output.one_line(f"[{told['scope']}, {told['kind']}]")
    if told.get("state", "active") != "active":
        yield f"({told['state']})"
    yield output.one_line(told["text"] or "")
    if told.get("fields"):
        yield output.one_line(told["fields"])


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


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise full_disk(error, directory) or InvalidRequest(
            f"cannot be made: {error.strerror or error}", field=str(directory), hint="check the path and permissions"
        ) from error


def _refuse(reason: str, **options: object) -> None:
    """Options that mean nothing here are an error, not ignored."""
    for name in options:
        if options[name]:
            raise InvalidRequest(reason, field=f"--{name.replace('_', '-')}", hint="leave it out, or see --help")


# --- conversations -------------------------------------------------------------------------------


def _conversation(file: str, role: str) -> Conversation:
    from cortex.domain.choices import chosen
    from cortex.domain.turn import Role
    from cortex.surfaces.cli.conversations import conversation_of

    return conversation_of(file, role=chosen(Role, role, "role").value)


def _session(named: str | None, said: Conversation) -> str:
    session = named or said.session
    if not session:
        raise InvalidRequest("is not given", field="session", hint="name it with --session, such as --session monday")
    return session


def _drawn(engine: Cortex, done: Captured) -> Iterable[Drawn]:
    """The memories of a capture, beside what they replaced or disagree with."""
    from cortex.domain.memory import Memory
    from cortex.surfaces.cli.capture_rendering import Drawn

    def found(id: str) -> Memory | None:
        trace = engine.get(id)
        return trace if isinstance(trace, Memory) else None

    new = frozenset(done.turns)
    for memory in done.memories:
        if memory.source_turns[0] not in new:
            yield Drawn(memory, was_known=True)
            continue
        others = tuple(other for id in memory.contradicts if (other := found(id)))
        replaced = found(memory.supersedes) if memory.supersedes else None
        yield Drawn(memory, was_known=False, replaced=replaced, contradicts=others)


def _undone(engine: Cortex) -> tuple[list[str], list[str]]:
    """The kinds of background work that failed in the capture, and those that wait for their time."""
    (receipt,) = engine.receipts(limit=1, op="run_jobs") or (None,)
    facts: Mapping[str, Any] = receipt.facts if receipt else {}
    return sorted(facts.get("failed", ())), sorted(facts.get("postponed", ()))


def _captured(done: Captured, memories: Iterable[Drawn], failed: list[str], postponed: list[str]) -> dict[str, Any]:
    from cortex.domain.trace import to_json
    from cortex.surfaces.wire.turns import CaptureResponse

    told = [
        to_json(each.memory)
        | {"became": each.became, "replaced": to_json(each.replaced) if each.replaced else None}
        for each in memories
    ]
    return CaptureResponse.of(done).to_json() | {"memories": told, "failed": failed, "postponed": postponed}


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
        raise full_disk(error, path) or InvalidRequest(
            f"cannot be written: {error.strerror or error}", field=str(path), hint="check the path and permissions"
        ) from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return number
