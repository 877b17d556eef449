"""Parsing of conversations from files and stdin: JSON, JSON lines, transcripts, plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex.errors import InvalidRequest
from cortex.surfaces.cli.inputs import STDIN, text_of
from cortex.workspace.transcripts import messages_of, row_of, sessions_of

_FORMS = "give a JSON array of messages, one message a line, or plain text"
_LIKE_JSON = re.compile(r'\s*(?:\[\s*\{|\[\s*\]|\{\s*")')
_JSON_NAMES = frozenset({".json", ".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages in order, unchanged; capture decides which of them are valid."""

    messages: tuple[object, ...]
    session: str | None = None
    """The session that the messages name, if any."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """The JSON a coding agent passes to its hooks: the session, and the prompt or the path of the transcript."""

    session: str | None
    prompt: str | None
    transcript: str | None

    @classmethod
    def of(cls, text: str) -> HookEvent | None:
        """Parse an event; None if `text` is not one."""
        try:
            payload = json.loads(text) if text.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            return None
        if (
            not isinstance(payload, dict)
            or "messages" in payload
            or not ("session_id" in payload or "hook_event_name" in payload)
        ):
            return None
        event = cls(_text(payload, "session_id"), _text(payload, "prompt"), _text(payload, "transcript_path"))
        return event if event.prompt is not None or event.transcript is not None else None


def conversation_of(given: str, *, role: str = "user") -> Conversation:
    """The conversation in a file, or on stdin if `given` is `-`; plain text is one message of `role`."""
    if given == STDIN:
        return read(text_of(STDIN, "messages"), role=role)
    return read(_file(given), role=role, is_json=Path(given).suffix.lower() in _JSON_NAMES)


def transcript_of(path: str, *, session: str | None = None) -> Conversation:
    """The conversation in the transcript of a coding agent, one JSON row per line."""
    found = read(_file(str(Path(path).expanduser())), is_json=True)
    return Conversation(found.messages, session or found.session)


def read(text: str, *, role: str = "user", is_json: bool = False) -> Conversation:
    """Parse a conversation; `is_json` if it cannot be plain text."""
    if not text.strip():
        raise InvalidRequest("is empty", field="messages", hint=_FORMS)
    if not is_json and not _LIKE_JSON.match(text):
        return Conversation(({"role": role, "content": text},))
    try:
        return _of_json(json.loads(text))
    except RecursionError as error:
        raise InvalidRequest("is nested too deeply", field="messages", hint=_FORMS) from error
    except ValueError as error:
        # Only a line feed ends a row: JSON may contain other line ends.
        rows = [_row(line) for line in text.split("\n") if line.strip()]
        if not any(isinstance(row, Mapping) for row in rows):
            where = (
                f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "at all"
            )
            raise InvalidRequest(f"is not JSON: {where}", field="messages", hint=_FORMS) from error
        return _of_rows(rows)


def _of_json(payload: Any) -> Conversation:
    if isinstance(payload, list):
        return _of_rows(payload)
    if isinstance(payload, dict) and isinstance(payload.get("messages"), list):
        found = _of_rows(payload["messages"])
        return Conversation(found.messages, next(iter(sessions_of([payload])), None) or found.session)
    if isinstance(payload, dict) and "messages" not in payload:
        return _of_rows([payload])
    raise InvalidRequest("is JSON, but not a list of messages", field="messages", hint=_FORMS)


def _of_rows(rows: list[Any]) -> Conversation:
    sessions = sessions_of(rows)
    return Conversation(tuple(messages_of(rows)), sessions[0] if len(sessions) == 1 else None)


def _row(line: str) -> object:
    """A parsed line; a line that is not JSON stays text, which capture rejects."""
    row = row_of(line)
    return line if row is None else row


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) and value.strip() else None


def _file(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InvalidRequest(
            f"cannot be read: {error.strerror or error}", field=path, hint="check the path and permissions"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidRequest("is not UTF-8", field=path, hint="convert it first, such as with `iconv`") from error
