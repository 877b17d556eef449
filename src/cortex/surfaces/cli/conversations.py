"""Parsing of conversations from files and stdin: JSON, JSON lines, transcripts, plain text.

`cortex hook` imports this in every turn, so it imports nothing that is slow to load.
"""

from __future__ import annotations

import os

from cortex.surfaces import quick_json

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex.errors import InvalidRequest

_FORMS = "give a JSON array of messages, one message a line, or plain text"
_LIKE_JSON = r'\s*(?:\[\s*\{|\[\s*\]|\{\s*")'
_JSON_NAMES = frozenset({".json", ".jsonl", ".ndjson"})


class Conversation:
    """The messages in order, unchanged; capture decides which of them are valid."""

    __slots__ = ("messages", "session")

    def __init__(self, messages: tuple[object, ...], session: str | None = None) -> None:
        self.messages = messages
        self.session = session
        """The session that the messages name, if any."""


class HookEvent:
    """The JSON a coding agent passes to its hooks: the session, and the prompt or the path of the transcript."""

    __slots__ = ("prompt", "session", "transcript")

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self.session = _text(payload, "session_id")
        self.prompt = _text(payload, "prompt")
        self.transcript = _text(payload, "transcript_path")

    @classmethod
    def of(cls, text: str) -> HookEvent | None:
        """Parse an event; None if `text` is not one."""
        try:
            payload = quick_json.loads(text) if text.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            return None
        if (
            not isinstance(payload, dict)
            or "messages" in payload
            or not ("session_id" in payload or "hook_event_name" in payload)
        ):
            return None
        event = cls(payload)
        return event if event.prompt is not None or event.transcript is not None else None


def message_of(text: str) -> tuple[str, str | None]:
    """The user's message in what a hook received, and the session if the host's JSON names one."""
    event = HookEvent.of(text)
    return (text, None) if event is None or event.prompt is None else (event.prompt, event.session)


def history_of(text: str) -> Conversation:
    """The history in what a hook received: itself, or the transcript that the host's JSON names."""
    event = HookEvent.of(text)
    if event is None or event.transcript is None:
        return read(text)
    return transcript_of(event.transcript, session=event.session)


def conversation_of(path: str, *, role: str = "user") -> Conversation:
    """The conversation in a file; plain text is one message of `role`."""
    return read(_file(path), role=role, is_json=os.path.splitext(path)[1].lower() in _JSON_NAMES)


def transcript_of(path: str, *, session: str | None = None) -> Conversation:
    """The conversation in the transcript of a coding agent, one JSON row per line."""
    found = read(_file(os.path.expanduser(path)), is_json=True)
    return Conversation(found.messages, session or found.session)


def read(text: str, *, role: str = "user", is_json: bool = False) -> Conversation:
    """Parse a conversation; `is_json` if it cannot be plain text."""
    import json
    import re
    from collections.abc import Mapping

    if not text.strip():
        raise _invalid("is empty")
    if not is_json and not re.match(_LIKE_JSON, text):
        return Conversation(({"role": role, "content": text},))
    try:
        return _of_json(json.loads(text))
    except RecursionError as error:
        raise _invalid("is nested too deeply") from error
    except ValueError as error:
        # Only a line feed ends a row: JSON may contain other line ends.
        rows = [_row(line) for line in text.split("\n") if line.strip()]
        if not any(isinstance(row, Mapping) for row in rows):
            where = (
                f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "at all"
            )
            raise _invalid(f"is not JSON: {where}") from error
        return _of_rows(rows)


def _of_json(payload: Any) -> Conversation:
    from cortex.workspace.transcript_rows import sessions_of

    if isinstance(payload, list):
        return _of_rows(payload)
    if isinstance(payload, dict) and isinstance(payload.get("messages"), list):
        found = _of_rows(payload["messages"])
        return Conversation(found.messages, next(iter(sessions_of([payload])), None) or found.session)
    if isinstance(payload, dict) and "messages" not in payload:
        return _of_rows([payload])
    raise _invalid("is JSON, but not a list of messages")


def _of_rows(rows: list[Any]) -> Conversation:
    from cortex.workspace.transcript_rows import messages_of, sessions_of

    sessions = sessions_of(rows)
    return Conversation(tuple(messages_of(rows)), sessions[0] if len(sessions) == 1 else None)


def _row(line: str) -> object:
    """A parsed line; a line that is not JSON stays text, which capture rejects."""
    from cortex.workspace.transcript_rows import row_of

    row = row_of(line)
    return line if row is None else row


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) and value.strip() else None


def _file(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8-sig")
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise _invalid(reason, path, "check the path and permissions") from error
    except UnicodeDecodeError as error:
        raise _invalid("is not UTF-8", path, "convert it first, such as with `iconv`") from error


def _invalid(message: str, field: str = "messages", hint: str = _FORMS) -> InvalidRequest:
    from cortex.errors import InvalidRequest

    return InvalidRequest(message, field=field, hint=hint)
