"""The command `capture` (C1, C2): a conversation becomes turns and memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.inputs import STDIN, given, text_of, time_of

if TYPE_CHECKING:
    from cortex.memory import Cortex
    from cortex.services.capture import CaptureResult
    from cortex.surfaces.cli.capture_rendering import ExtractedMemory
    from cortex.surfaces.cli.conversations import ConversationInput


def capture(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A JSON array of messages, JSON lines, or plain text; `-` is stdin."),
    ],
    session: Annotated[str | None, typer.Option(metavar="NAME", help="The session, unless the file names it.")] = None,
    scope: Annotated[str | None, typer.Option(help="The scope of its turns and memories.")] = None,
    channel: Annotated[str | None, typer.Option(help="Where it took place, such as a chat program.")] = None,
    role: Annotated[str, typer.Option(help="Who wrote a plain text: user or assistant.")] = "user",
    background: Annotated[
        bool, typer.Option("--background", help="Store it and return; memories are extracted in the background.")
    ] = False,
    debounce: Annotated[
        bool, typer.Option(help="With --background: wait until the session has been quiet for a while.")
    ] = True,
) -> int:
    """Store a conversation and extract memories from it. Messages seen before are skipped."""
    surface = surface_of(context)
    conversation = _conversation(file, role)
    name, options = _session(session, conversation), given(scope=scope, channel=channel)
    if background:
        return _ingest(surface, conversation, session=name, debounce=debounce, **options)
    with surface.engine() as engine:
        # The total is unknown until the end: the bar just moves.
        with output.progress(f"extracting memories from {len(conversation.messages):,} messages"):
            done = engine.capture(conversation.messages, session=name, **options)
        memories = list(_extracted(engine, done))
        failed, postponed = _unfinished(engine)
    if surface.json:
        output.show_json(_response(done, memories, failed, postponed))
        return _code(done.receipt.facts)
    from cortex.surfaces.cli import capture_rendering, rendering

    if memories:
        output.show(capture_rendering.extracted(memories))
    _show_read(conversation, role)
    output.plain(capture_rendering.summary(done.receipt.facts))
    _show_unknown_roles(conversation, done.receipt.facts)
    unread = capture_rendering.unread(failed, postponed) if done.turns else []
    if not memories and done.turns and not unread:
        output.plain("No memories extracted. The turns themselves can be recalled.")
    for problem, fix in unread:
        output.show(rendering.notice(problem, fix))
    return _code(done.receipt.facts)


COMMANDS: dict[str, Callable[..., Any]] = {"capture": capture}


LOST = 1
"""Exit code if nothing was stored because no message could be read."""


def _code(facts: Mapping[str, Any]) -> int:
    skipped = facts["skipped"]
    is_lost = skipped.get("unknown_role") or skipped.get("not_a_message")
    return LOST if is_lost and not (facts["stored"] or facts["seen"]) else 0


def _show_read(conversation: ConversationInput, role: str) -> None:
    if conversation.is_plain:
        output.plain(f"read as plain text: one message of the {role}")


def _show_unknown_roles(conversation: ConversationInput, facts: Mapping[str, Any]) -> None:
    """Which roles are unknown, for somebody who misspelled one."""
    if not (number := facts["skipped"].get("unknown_role")):
        return
    from cortex.capture.messages import KNOWN_ROLES, unknown_roles
    from cortex.surfaces.cli import rendering

    names = unknown_roles(conversation.messages)
    named = ", ".join(repr(name[:40]) for name in names[:5]) + (", …" if len(names) > 5 else "")
    role = f"role {named} is" if len(names) == 1 else f"roles {named} are"
    message = f"{rendering.several(number, 'message')} skipped: {role} unknown"
    output.show(rendering.notice(message, f"known: {', '.join(KNOWN_ROLES)}"))


def _ingest(surface: Surface, conversation: ConversationInput, **options: Any) -> int:
    with surface.engine() as engine:
        done = engine.ingest(conversation.messages, **options)
    if surface.json:
        from cortex.surfaces.wire.turns import IngestResponse

        output.show_response(IngestResponse.of(done))
        return _code(done.receipt.facts)
    from cortex.surfaces.cli import capture_rendering

    facts = done.receipt.facts
    output.plain(capture_rendering.summary(facts))
    _show_unknown_roles(conversation, facts)
    if at := time_of(facts.get("due"), "due"):
        output.plain(capture_rendering.due(at, done.receipt.at))
    return _code(facts)


def _conversation(file: str, role: str) -> ConversationInput:
    from cortex.domain.choices import chosen
    from cortex.domain.turn import Role
    from cortex.surfaces.cli.conversations import conversation_of, read

    speaker = chosen(Role, role, "role").value
    return read(text_of(STDIN, "messages"), role=speaker) if file == STDIN else conversation_of(file, role=speaker)


def _session(named: str | None, conversation: ConversationInput) -> str:
    session = named or conversation.session
    if not session:
        raise InvalidRequest("is missing", field="session", hint="name it, such as --session monday")
    return session


def _extracted(engine: Cortex, done: CaptureResult) -> Iterable[ExtractedMemory]:
    """The memories of a capture, with those they replaced or contradict."""
    from cortex.domain.memory import Memory
    from cortex.surfaces.cli.capture_rendering import ExtractedMemory

    def found(id: str) -> Memory | None:
        trace = engine.get(id)
        return trace if isinstance(trace, Memory) else None

    new = frozenset(done.turns)
    for memory in done.memories:
        if memory.source_turns[0] not in new:
            yield ExtractedMemory(memory, was_known=True)
            continue
        others = tuple(other for id in memory.contradicts if (other := found(id)))
        replaced = found(memory.supersedes) if memory.supersedes else None
        yield ExtractedMemory(memory, was_known=False, replaced=replaced, contradicts=others)


def _unfinished(engine: Cortex) -> tuple[list[str], list[str]]:
    """The kinds of jobs that failed in the capture, and those that were postponed."""
    (receipt,) = engine.receipts(limit=1, op="run_jobs") or (None,)
    facts: Mapping[str, Any] = receipt.facts if receipt else {}
    return sorted(facts.get("failed", ())), sorted(facts.get("postponed", ()))


def _response(
    done: CaptureResult, memories: Iterable[ExtractedMemory], failed: list[str], postponed: list[str]
) -> dict[str, Any]:
    from cortex.domain.trace import to_json
    from cortex.surfaces.wire.turns import CaptureResponse

    items = [
        to_json(each.memory) | {"became": each.became, "replaced": to_json(each.replaced) if each.replaced else None}
        for each in memories
    ]
    return CaptureResponse.of(done).to_json() | {"memories": items, "failed": failed, "postponed": postponed}
