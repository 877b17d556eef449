"""Verbs that bring memory in and out: capture, ingest (C1, C2), import, export, backfill (E14, C7)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.reading import STDIN, filter_of, given, lines_of
from cortex.surfaces.cli.use import Kinds, Lanes, Scopes, Since, States, Until

if TYPE_CHECKING:
    from cortex.engine import Captured, Engine
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
    """Store a conversation and draw memories from it at once. What is known already is not stored again."""
    surface = surface_of(context)
    said = _conversation(file, role)
    options = given(scope=scope, channel=channel)
    with surface.engine() as engine:
        # How much there is to find is known only once it was looked for: the bar just moves.
        with output.progress(f"drawing memories from {len(said.messages):,} messages"):
            done = engine.capture(said.messages, session=_session(session, said), **options)
        memories = list(_drawn(engine, done))
        failed = _failed(engine)
    if surface.json:
        output.show_json(_captured(done, memories, failed))
        return
    from cortex.surfaces.cli import capture_rendering, rendering

    if memories:
        output.show(capture_rendering.drawn(memories))
    facts = done.receipt.facts
    output.plain(capture_rendering.left_alone(facts) or capture_rendering.counts(facts))
    if not memories and done.turns:
        output.plain("nothing in it was worth a memory of its own; its turns can be recalled all the same")
    if failed:
        output.show(rendering.notice(f"not all could be done: {', '.join(failed)}", "run `cortex doctor`"))


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
    """Store a conversation and return; memories are drawn from it in the background."""
    surface = surface_of(context)
    said = _conversation(file, role)
    options = given(scope=scope, channel=channel)
    with surface.engine() as engine:
        done = engine.ingest(said.messages, session=_session(session, said), debounce=debounce, **options)
    if surface.json:
        output.show_json({"turns": list(done.ids), "receipt": done.receipt.to_json()})
        return
    from cortex.surfaces.cli import capture_rendering
    from cortex.surfaces.cli.reading import time_of

    facts = done.receipt.facts
    output.plain(capture_rendering.left_alone(facts) or capture_rendering.counts(facts))
    if at := time_of(facts.get("due"), "due"):
        output.plain(capture_rendering.due(at, done.receipt.at))


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


COMMANDS: dict[str, Callable[..., Any]] = {
    "capture": capture,
    "ingest": ingest,
    "export": export,
    "import": import_,
    "backfill": backfill,
}


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


def _drawn(engine: Engine, done: Captured) -> Iterable[Drawn]:
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


def _failed(engine: Engine) -> list[str]:
    """The kinds of background work that the capture could not finish."""
    return sorted({kind for receipt in engine.receipts(limit=1, op="work") for kind in receipt.facts["failed"]})


def _captured(done: Captured, memories: Iterable[Drawn], failed: list[str]) -> dict[str, Any]:
    from cortex.surfaces.cli import plain

    told = [
        plain.trace(each.memory)
        | {"became": each.became, "replaced": plain.trace(each.replaced) if each.replaced else None}
        for each in memories
    ]
    return {"turns": list(done.turns), "memories": told, "failed": failed, "receipt": done.receipt.to_json()}


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
