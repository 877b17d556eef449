"""The verb `flush-plan` (B20): whether an agent should write down now what a compaction would lose, and its prompts.

It opens no store and reads nothing but the settings and the transcript it is given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.clock import SystemClock
from cortex.errors import InvalidRequest
from cortex.settings import load
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.reading import lines_of, time_of

if TYPE_CHECKING:
    from cortex.workspace.flush import FlushPlan

_COMPACTED = ('"compaction"', '"isCompactSummary"')
"""What a line says that may tell of a compaction; only such lines are worth a look."""


def flush_plan(
    context: typer.Context,
    window: Annotated[int | None, typer.Option(metavar="TOKENS", help="The context window of the model.")] = None,
    tokens: Annotated[
        int | None, typer.Option(metavar="TOKENS", help="How many are in context, as the provider counted them.")
    ] = None,
    transcript: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where the session is written; what is not given is taken from it. `-`: stdin."
        ),
    ] = None,
    incoming: Annotated[int, typer.Option(metavar="TOKENS", help="How many the coming turn adds.")] = 0,
    size: Annotated[
        int | None, typer.Option("--bytes", metavar="BYTES", help="The transcript's size since it was last compacted.")
    ] = None,
    compactions: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="How often the session was compacted.")
    ] = None,
    flushed_at: Annotated[
        int | None, typer.Option(metavar="CYCLE", help="The cycle of the last flush, as its plan named it.")
    ] = None,
    reserve: Annotated[
        int | None, typer.Option(metavar="TOKENS", help="What the host keeps free: it compacts once less is left.")
    ] = None,
    soft: Annotated[int | None, typer.Option(metavar="TOKENS", help="How far ahead of that a flush is due.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="The agent cannot write to its workspace.")] = False,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Where the user is, such as Europe/Berlin (the machine's own).")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="Plan for this time instead of now.")] = None,
    openclaw: Annotated[
        bool, typer.Option("--openclaw", help="Print OpenClaw's MemoryFlushPlan, which needs no session.")
    ] = False,
) -> None:
    """Tell whether an agent should write down now what a compaction would lose, and print what to say to it.

    Say how long the session is by --tokens, by --transcript, or by --bytes. Asking changes nothing.
    """
    from cortex.workspace import flush

    surface = surface_of(context)
    configured = load(surface.root).flush
    settings = flush.configured(asdict(configured), reserve_tokens=reserve, soft_threshold_tokens=soft)
    today = flush.day_in(timezone or configured.timezone or None, time_of(at, "at") or SystemClock().now())
    if openclaw:
        output.show_json(flush.openclaw_plan(settings, target=flush.target_on(today)))
        return
    if window is None:
        raise InvalidRequest("is not given", field="window", hint="give the model's, such as --window 200000")
    found = None if transcript is None else _measured(transcript)
    state = flush.SessionState(
        context_window=window,
        tokens_used=tokens,
        messages=found.messages if found else None,
        incoming_tokens=incoming,
        transcript_bytes=found.bytes if found and size is None else size,
        compactions=found.compactions if found and compactions is None else compactions or 0,
        flushed_at_compaction=flushed_at,
        read_only=read_only,
    )
    plan = flush.plan(state, settings, today=today)
    if surface.json:
        output.show_json(plan.to_json())
    else:
        output.plain("\n".join(_told(plan, window)))


COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"flush-plan": flush_plan}


# --- the transcript ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a transcript says of its session since it was last compacted."""

    messages: tuple[object, ...]
    bytes: int
    compactions: int


def _measured(given: str) -> _Measured:
    from cortex.surfaces.cli.conversations import read
    from cortex.workspace.transcripts import row_of

    with lines_of(given) as lines:
        since, compactions = _since_compaction(lines)
    text = "".join(since)
    size = len(text.encode("utf-8", "surrogateescape"))
    # Row by row where there are rows: a summary is nobody's words, and is in the context all the same.
    rows = [(row_of(line), line) for line in since if line.strip()]
    if any(isinstance(row, Mapping) for row, _ in rows):
        said: Iterable[object] = [row if isinstance(row, Mapping) else line for row, line in rows]
    else:
        said = read(text.removeprefix("\ufeff")).messages if text.strip() else ()
    return _Measured(tuple(row for row in said if not _is_aside(row)), size, compactions)


def _since_compaction(lines: Iterable[str]) -> tuple[list[str], int]:
    """The lines from the last compaction on, and how many there were: transcripts grow on when a context is cut."""
    since: list[str] = []
    compactions = 0
    for line in lines:
        if _is_compaction(line):
            since, compactions = [], compactions + 1
        since.append(line)
    return since, compactions


def _is_compaction(line: str) -> bool:
    if not any(mark in line for mark in _COMPACTED):
        return False
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, Mapping) and (row.get("type") == "compaction" or row.get("isCompactSummary") is True)


def _is_aside(row: object) -> bool:
    """Whether a row is from the talk of a coding agent's own helpers, which have a context of their own."""
    return isinstance(row, Mapping) and row.get("isSidechain") is True


# --- for people -------------------------------------------------------------------------------------------------------


def _told(plan: FlushPlan, window: int) -> Iterator[str]:
    yield f"{'A flush is due' if plan.due else 'No flush is due'}: {_why(plan, window)}."
    if not plan.due:
        return
    yield f"  target        {plan.target}"
    yield f"  silent token  {plan.silent_token}"
    yield f"  cycle         {plan.cycle}; once the turn is done, say so by --flushed-at {plan.cycle}"
    yield from ("", "System prompt:", "", plan.system_prompt, "", "Prompt:", "", plan.prompt)


def _why(plan: FlushPlan, window: int) -> str:
    from cortex.workspace.flush import Reason

    settings = plan.settings
    room = f"{window:,} − {settings.reserve_tokens:,} in reserve − {settings.soft_threshold_tokens:,} ahead"
    match plan.reason:
        case Reason.DUE_TOKENS | Reason.BELOW_THRESHOLD if plan.tokens_used is not None:
            used = f"{'about ' if plan.estimated else ''}{plan.tokens_used:,} tokens"
            return f"{used} are in context, and it is time from {plan.threshold:,} on ({room})"
        case Reason.DUE_TOKENS | Reason.DUE_BYTES | Reason.BELOW_THRESHOLD:
            if not settings.force_transcript_bytes:
                return "nobody has counted its tokens, and its size is not to decide"
            most = settings.force_transcript_bytes
            return f"the transcript has {plan.transcript_bytes:,} bytes, and it is time from {most:,} on"
        case Reason.WINDOW_TOO_SMALL:
            return f"the window has no room for one ({room}); give what the host really keeps free by --reserve"
        case Reason.ALREADY_FLUSHED:
            return f"cycle {plan.cycle} has had its flush, and the next begins with the next compaction"
        case Reason.READ_ONLY:
            return "the agent cannot write to its workspace"
        case Reason.DISABLED:
            return "flushing is turned off"
