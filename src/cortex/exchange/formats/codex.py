"""Codex: its transcripts, `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from cortex.exchange.import_format import Account, ForeignConversation, ImportFormat, ImportItem, time_of
from cortex.exchange.import_source import ImportSource

_TRANSCRIPTS = r"rollout-[^/]+\.jsonl"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OF_PROGRAM = re.compile(
    r"\s*(?:<[a-z_]+(?:_context|_instructions|_aborted)>|<INSTRUCTIONS>|# AGENTS\.md instructions)"
)
"""What Codex puts before the first message under the user's name."""


def _detect(source: ImportSource) -> bool:
    return bool(source.find(_TRANSCRIPTS)) or (
        not source.is_folder and any('"session_meta"' in source.head(name) for name in source.find(r"[^/]+\.jsonl")[:1])
    )


def _read(source: ImportSource, _: Account | None) -> Iterator[ImportItem]:
    for name in source.find(_TRANSCRIPTS) or source.find(r"[^/]+\.jsonl"):
        rows = source.rows(name)
        first = next(rows, {})
        # Older versions write the header and the items without an envelope.
        about = first["payload"] if isinstance(first.get("payload"), dict) else first
        found = _UUID.search(name)
        session = str(about.get("id") or (found[0] if found else name))
        folder = str(about.get("cwd") or "")
        messages = _messages(chain([first], rows), source)
        at = time_of(about.get("timestamp"))
        yield ForeignConversation(session=session, title=folder, folder=folder, at=at, messages=messages)


def _messages(rows: Iterator[dict[str, Any]], source: ImportSource) -> Iterator[object]:
    for row in rows:
        item = row.get("payload") if row.get("type") == "response_item" else row
        if not isinstance(item, dict):
            continue
        if item.get("type") == "function_call_output":
            yield {"role": "tool", "content": _output(item), "timestamp": row.get("timestamp")}
        elif item.get("type") == "message":
            content = _own_words(item.get("content"))
            if content:
                yield {"role": item.get("role"), "content": content, "timestamp": row.get("timestamp")}
            else:
                source.skipped["context that the program added"] += 1


def _own_words(content: object) -> list[Any]:
    parts = content if isinstance(content, list) else [content]
    return [part for part in parts if not _OF_PROGRAM.match(_text(part))]


def _text(part: object) -> str:
    return str(part.get("text") or "") if isinstance(part, dict) else str(part or "")


def _output(item: Mapping[str, Any]) -> str:
    output = item.get("output")
    return str(output.get("content") or "") if isinstance(output, dict) else str(output or "")


FORMAT = ImportFormat(
    name="codex",
    title="Codex transcripts",
    about="`~/.codex/sessions`, a folder in it, or one transcript.",
    detect=_detect,
    read=_read,
)
