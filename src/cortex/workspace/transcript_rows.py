"""The rows of session transcripts, and the messages in them (B12, B19).

Everything known of their forms stands here. OpenClaw and pi write a `session` header, then `message` rows among rows
of their own; Claude Code writes `user` and `assistant` rows among notes of the program; `agent_rows` has those of
Codex and Gemini CLI; others write plain messages.

`cortex hook` imports this in every turn, so it imports nothing that is slow to load.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from cortex.workspace import agent_rows

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from typing import Any

_SESSIONS = ("session_id", "session", "sessionId")
_LONGEST_NAME = 256
# Rows in the name of a speaker that nobody said: notes of the program, summaries, talk of its own helpers.
_ASIDES = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_OF_PROGRAM = re.compile(
    r"\s*(?:<(?:command|local-command|bash)-|\[Request interrupted by user"
    r"|<(system-reminder|task-notification|user-prompt-submit-hook)>.*</\1>\s*\Z)",
    re.DOTALL,
)
_OTHERS = frozenset({"peer", "task-notification", "inter_session"})
_SYNTHETIC = "<synthetic>"
# Rows of a transcript that hold no message, though some have content: a header, a queue, what a plugin injected.
_NOTES = frozenset({"session", "summary", "queue-operation", "file-history-snapshot", "custom", "custom_message"})
# Rows that repeat what was sent to the model: what was said in it has rows of its own.
_COPIES = frozenset({"api-request", "api-request-blob"})
_IN_TRANSCRIPTS = frozenset({"uuid", "parentUuid", "parentId", "leafUuid", "sessionId"})
_SPEAKERS = frozenset({"user", "human", "assistant", "ai", "model", "system", "tool"})
_BESIDE = ("timestamp", "ts", "created_at", "speaker", "name", "sender")


def row_of(line: bytes | str) -> object | None:
    """What a line of a transcript says; None where it says nothing, or is no JSON in UTF-8."""
    try:
        row: object = json.loads(line if isinstance(line, str) else line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return row


def messages_of(rows: Iterable[object]) -> list[object]:
    """The messages in `rows`, in a form that capture takes, with their time where a row tells it.

    What was written in the name of a speaker and said by nobody is handed on as the program's own, so that capture
    counts it. Rows that hold no message are left out; what is no row at all is handed on for capture to refuse.
    """
    return [message for row in rows if (message := _message(row)) is not None]


def sessions_of(rows: Iterable[object]) -> list[str]:
    """The sessions that `rows` say they are of, each once, in the order they are named."""
    named = (_session(row) for row in rows if isinstance(row, Mapping))
    return list(dict.fromkeys(name for name in named if name))


def _message(row: object) -> object | None:
    if not isinstance(row, Mapping):
        return row
    if agent_rows.is_agent_row(row):
        return agent_rows.message_of(row)
    if _text(row, "type") in _COPIES:
        return None
    inner = row.get("message")
    held = inner if isinstance(inner, Mapping) else _queued(row)
    if held is None and _is_note(row):
        return None
    if _is_aside(row, row if held is None else held):
        return {"role": "system"}
    return row if held is None or "role" in row else _within(row, held)


def _within(row: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """The message that a row holds, with what the row alone tells of it."""
    role = {"role": row["type"]} if _text(row, "type") in _SPEAKERS else {}
    beside = {key: row[key] for key in _BESIDE if key in row}
    content = inner.get("content")
    # Reminders of the program stand beside what was said.
    said = {"content": [part for part in content if not _is_of_program(part)]} if isinstance(content, list) else {}
    return {**role, **beside, **inner, **said}


def _is_aside(row: Mapping[str, Any], inner: Mapping[str, Any]) -> bool:
    if any(row.get(mark) is True for mark in _ASIDES) or inner.get("model") == _SYNTHETIC:
        return True
    # What another agent or a task sent in stands under the user's name, and is not the user's word.
    if any(_sender(fields.get(key)) in _OTHERS for fields in (row, inner) for key in ("origin", "provenance")):
        return True
    content = inner.get("content") if inner is not row else None
    parts = content if isinstance(content, list) else [content]
    return bool(parts) and all(map(_is_of_program, parts))


def _is_of_program(part: object) -> bool:
    text = part.get("text") if isinstance(part, Mapping) else part
    return isinstance(text, str) and _OF_PROGRAM.match(text) is not None


def _sender(payload: object) -> str | None:
    return _text(payload, "kind") if isinstance(payload, Mapping) else None


def _queued(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a user typed while Claude Code was at work: it stands in an attachment and in no row of its own."""
    held = row.get("attachment")
    if row.get("type") != "attachment" or not isinstance(held, Mapping) or held.get("type") != "queued_command":
        return None
    is_typed = held.get("commandMode", "prompt") == "prompt" and held.get("isMeta") is not True
    if not is_typed or _sender(held.get("origin")) in _OTHERS:
        return None
    return {"role": "user", "content": held.get("prompt")}


def _is_note(row: Mapping[str, Any]) -> bool:
    """Whether a row that holds no message is a transcript's own; a plain message may have a type as well."""
    kind = _text(row, "type")
    if kind is None or kind in _SPEAKERS or "role" in row:
        return False
    return kind in _NOTES or not _IN_TRANSCRIPTS.isdisjoint(row)


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) else None


def _session(row: Mapping[str, Any]) -> str | None:
    keys = (*_SESSIONS, "id") if row.get("type") == "session" else _SESSIONS
    return next((name for key in keys if (name := row.get(key)) and _is_name(name)), None)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable() and len(value) <= _LONGEST_NAME
