"""Claude Code: its transcripts, `~/.claude/projects/*/*.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from cortex.exchange.import_format import Account, ForeignConversation, ImportFormat, ImportItem
from cortex.exchange.import_source import ImportSource

_TRANSCRIPTS = r"[^/]+\.jsonl"
_OF_HELPERS = r"agent-[^/]+\.jsonl|subagents/.*\.jsonl"
_DETECTED = 20
_PEEKED = 20
_COPY = "toolUseResult"
"""What a tool answered, once more: the message of the row has it too."""


def _detect(source: ImportSource) -> bool:
    return any(_is_transcript(source, name) for name in _transcripts(source)[:_DETECTED])


def _is_transcript(source: ImportSource, name: str) -> bool:
    head = source.head(name)
    return '"sessionId"' in head and ('"parentUuid"' in head or '"leafUuid"' in head or '"cwd"' in head)


def _transcripts(source: ImportSource) -> list[str]:
    helpers = frozenset(source.find(_OF_HELPERS))
    return [name for name in source.find(_TRANSCRIPTS) if name not in helpers]


def _read(source: ImportSource, _: Account | None) -> Iterator[ImportItem]:
    source.skipped["transcript of a subagent"] += len(source.find(_OF_HELPERS))
    for name in _transcripts(source):
        rows = _rows(source, name)
        first = list(islice(rows, _PEEKED))
        folder = next((row["cwd"] for row in first if isinstance(row.get("cwd"), str)), "")
        # The hooks of Claude Code name the session by the same id.
        session = name.rpartition("/")[2].removesuffix(".jsonl")
        yield ForeignConversation(session=session, title=folder, folder=folder, messages=chain(first, rows))


def _rows(source: ImportSource, name: str) -> Iterator[dict[str, Any]]:
    for row in source.rows(name):
        row.pop(_COPY, None)
        yield row


FORMAT = ImportFormat(
    name="claude-code",
    title="Claude Code transcripts",
    about="`~/.claude/projects`, a folder in it, or one transcript; not those of subagents.",
    detect=_detect,
    read=_read,
)
