"""The command `hook flush-plan` (B20): whether an agent should save its notes before a compaction, and the prompts.

It opens no store and reads only the settings and the given transcript.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cortex.clock import SystemClock
from cortex.errors import InvalidRequest
from cortex.settings import load
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.inputs import lines_of, time_of

if TYPE_CHECKING:
    from cortex.workspace.flush import FlushPlan

_COMPACTED = ('"compaction"', '"isCompactSummary"')
"""Text in a line that may mark a compaction; only such lines are parsed."""


def flush_plan(
    context: typer.Context,
    window: Annotated[int | None, typer.Option(metavar="TOKENS", help="The context window of the model.")] = None,
    tokens: Annotated[
        int | None, typer.Option(metavar="TOKENS", help="Tokens in the context, as the provider counted them.")
    ] = None,
    transcript: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The transcript of the session, measured for what is not given; `-` is stdin."
        ),
    ] = None,
    incoming: Annotated[int, typer.Option(metavar="TOKENS", help="Tokens that the next turn adds.")] = 0,
    size: Annotated[
        int | None,
        typer.Option("--bytes", metavar="BYTES", help="The size of the transcript since the last compaction."),
    ] = None,
    compactions: Annotated[int | None, typer.Option(metavar="NUMBER", help="The number of compactions so far.")] = None,
    flushed_at: Annotated[
        int | None, typer.Option(metavar="CYCLE", help="The cycle of the last flush, as its plan printed it.")
    ] = None,
    reserve: Annotated[
        int | None, typer.Option(metavar="TOKENS", help="Tokens the host keeps free: it compacts when fewer are left.")
    ] = None,
    soft: Annotated[
        int | None, typer.Option(metavar="TOKENS", help="How many tokens before that a flush is due.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="The agent cannot write to its workspace.")] = False,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The user's time zone, such as Europe/Berlin (this machine's).")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="TIME", help="Plan for this time instead of now.")] = None,
    openclaw: Annotated[
        bool, typer.Option("--openclaw", help="Print OpenClaw's MemoryFlushPlan, which needs no session.")
    ] = False,
) -> None:
    """Decide whether an agent should save its notes before a compaction, and print the prompts for it.

    Give the length of the session by --tokens, --transcript, or --bytes. This changes nothing.
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
        raise InvalidRequest("is missing", field="window", hint="give the size of the model's, such as --window 200000")
    found = None if transcript is None else _measured(transcript)
    state = flush.FlushSession(
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
        output.plain("\n".join(_lines(plan, window)))


# --- the transcript ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Measured:
    """The part of a transcript since its last compaction."""

    messages: tuple[object, ...]
    bytes: int
    compactions: int


def _measured(given: str) -> _Measured:
    from cortex.surfaces.cli.conversations import read
    from cortex.workspace.transcript_rows import row_of

    with lines_of(given) as lines:
        since, compactions = _since_compaction(lines)
    text = "".join(since)
    size = len(text.encode("utf-8", "surrogateescape"))
    # Row by row if there are rows: a summary is in the context too, though nobody said it.
    rows = [(row_of(line), line) for line in since if line.strip()]
    if any(isinstance(row, Mapping) for row, _ in rows):
        messages: Iterable[object] = [row if isinstance(row, Mapping) else line for row, line in rows]
    else:
        messages = read(text.removeprefix("\ufeff")).messages if text.strip() else ()
    return _Measured(tuple(row for row in messages if not _is_subagent(row)), size, compactions)


def _since_compaction(lines: Iterable[str]) -> tuple[list[str], int]:
    """The lines since the last compaction, and the number of compactions: a transcript keeps what a context drops."""
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


def _is_subagent(row: object) -> bool:
    """Whether a row belongs to a subagent, which has its own context."""
    return isinstance(row, Mapping) and row.get("isSidechain") is True


# --- for people -------------------------------------------------------------------------------------------------------


def _lines(plan: FlushPlan, window: int) -> Iterator[str]:
    yield f"{'A flush is due' if plan.due else 'No flush is due'}: {_why(plan, window)}."
    if not plan.due:
        return
    yield f"  target        {plan.target}"
    yield f"  silent token  {plan.silent_token}"
    yield f"  cycle         {plan.cycle}; after the turn, pass --flushed-at {plan.cycle}"
    yield from ("", "System prompt:", "", plan.system_prompt, "", "Prompt:", "", plan.prompt)


def _why(plan: FlushPlan, window: int) -> str:
    from cortex.workspace.flush import FlushReason

    settings = plan.settings
    room = f"{window:,} − {settings.reserve_tokens:,} reserved − {settings.soft_threshold_tokens:,} ahead"
    match plan.reason:
        case FlushReason.DUE_TOKENS | FlushReason.BELOW_THRESHOLD if plan.tokens_used is not None:
            used = f"{'about ' if plan.estimated else ''}{plan.tokens_used:,} tokens"
            return f"{used} in context; the threshold is {plan.threshold:,} ({room})"
        case FlushReason.DUE_TOKENS | FlushReason.DUE_BYTES | FlushReason.BELOW_THRESHOLD:
            if not settings.force_transcript_bytes:
                return "its tokens were not counted, and the size limit is off"
            most = settings.force_transcript_bytes
            return f"the transcript has {plan.transcript_bytes:,} bytes; the threshold is {most:,}"
        case FlushReason.WINDOW_TOO_SMALL:
            return f"the window is too small ({room}); give what the host keeps free with --reserve"
        case FlushReason.ALREADY_FLUSHED:
            return f"cycle {plan.cycle} was flushed already; the next begins with the next compaction"
        case FlushReason.READ_ONLY:
            return "the agent cannot write to its workspace"
        case FlushReason.DISABLED:
            return "flushing is turned off"
