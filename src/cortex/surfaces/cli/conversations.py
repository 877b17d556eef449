"""Reading a conversation as it lies in a file or comes over a pipe: JSON, JSON lines, a transcript, plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex.errors import InvalidRequest
from cortex.surfaces.cli.reading import STDIN, text_of
from cortex.workspace.transcripts import messages_of, row_of, sessions_of

_FORMS = "give a JSON array of messages, one message a line, or plain text"
_LIKE_JSON = re.compile(r'\s*(?:\[\s*\{|\[\s*\]|\{\s*")')
_JSON_NAMES = frozenset({".json", ".jsonl", ".ndjson"})


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in the order they were said, as they came; capture decides what of them can be used."""

    messages: tuple[object, ...]
    session: str | None = None
    """The session they say they are of, where they do."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """What a coding agent tells its hooks: which session, and what was asked or where its transcript is."""

    session: str | None
    prompt: str | None
    transcript: str | None

    @classmethod
    def of(cls, text: str) -> HookEvent | None:
        """The event that `text` is, if it is one."""
        try:
            told = json.loads(text) if text.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(told, dict) or "messages" in told or not ("session_id" in told or "hook_event_name" in told):
            return None
        event = cls(_text(told, "session_id"), _text(told, "prompt"), _text(told, "transcript_path"))
        return event if event.prompt is not None or event.transcript is not None else None


def conversation_of(given: str, *, role: str = "user") -> Conversation:
    """The conversation in a file, or on stdin where `given` is `-`; plain text is one message of `role`."""
    if given == STDIN:
        return read(text_of(STDIN, "messages"), role=role)
    return read(_file(given), role=role, is_json=Path(given).suffix.lower() in _JSON_NAMES)


def transcript_of(path: str, *, session: str | None = None) -> Conversation:
    """The conversation in the transcript of a coding agent, a row on each line, of the session its host names."""
    found = read(_file(str(Path(path).expanduser())), is_json=True)
    return Conversation(found.messages, session or found.session)


def read(text: str, *, role: str = "user", is_json: bool = False) -> Conversation:
    """The conversation that `text` is; `is_json` where it cannot be plain text."""
    if not text.strip():
        raise InvalidRequest("is empty", field="messages", hint=_FORMS)
    if not is_json and not _LIKE_JSON.match(text):
        return Conversation(({"role": role, "content": text},))
    try:
        return _of_json(json.loads(text))
    except RecursionError as error:
        raise InvalidRequest("is nested too deeply", field="messages", hint=_FORMS) from error
    except ValueError as error:
        # Only a line feed ends a row: JSON may hold other ends of lines as they are.
        rows = [_row(line) for line in text.split("\n") if line.strip()]
        if not any(isinstance(row, Mapping) for row in rows):
            where = (
                f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "at all"
            )
            raise InvalidRequest(f"is not JSON: {where}", field="messages", hint=_FORMS) from error
        return _of_rows(rows)


def _of_json(told: Any) -> Conversation:
    if isinstance(told, list):
        return _of_rows(told)
    if isinstance(told, dict) and isinstance(told.get("messages"), list):
        found = _of_rows(told["messages"])
        return Conversation(found.messages, next(iter(sessions_of([told])), None) or found.session)
    if isinstance(told, dict) and "messages" not in told:
        return _of_rows([told])
    raise InvalidRequest("is JSON, but not a list of messages", field="messages", hint=_FORMS)


def _of_rows(rows: list[Any]) -> Conversation:
    sessions = sessions_of(rows)
    return Conversation(tuple(messages_of(rows)), sessions[0] if len(sessions) == 1 else None)


def _row(line: str) -> object:
    """What a line says; a line that is not JSON stays text, which capture counts as no message."""
    row = row_of(line)
    return line if row is None else row


def _text(told: Mapping[str, Any], key: str) -> str | None:
    value = told.get(key)
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
