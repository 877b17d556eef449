"""Parsing of conversations from files and stdin: JSON, JSON lines, transcripts, plain text.

`cortex hook` imports this in every turn, so it imports nothing that is slow to load.
"""

from __future__ import annotations

import os

from cortex.surfaces.cli.host_events import HostEvent, completed

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from typing import Any

    from cortex.errors import InvalidRequest

_FORMS = "give a JSON array of messages, one message a line, or plain text"
_LIKE_JSON = r'\s*(?:\[\s*\{|\[\s*\]|\{\s*")'
MOST_BYTES = 16 << 20
"""How much of a transcript is read: what came before was stored in earlier turns."""

_JSON_NAMES = frozenset({".json", ".jsonl", ".ndjson"})


class ConversationInput:
    """The messages in order, unchanged; capture decides which of them are valid."""

    __slots__ = ("is_plain", "messages", "session")

    def __init__(self, messages: tuple[object, ...], session: str | None = None, *, is_plain: bool = False) -> None:
        self.messages = messages
        self.is_plain = is_plain
        """Whether it is one message of plain text."""
        self.session = session
        """The session that the messages name, if any."""


def message_of(text: str) -> tuple[str, str | None]:
    """The user's message in what a hook received, and the session if the host's JSON names one."""
    event = HostEvent.of(text)
    return (text, None) if event is None or event.prompt is None else (event.prompt, event.session)


def history_of(text: str) -> ConversationInput:
    """The history in what a hook received: itself, or the transcript that the host's JSON names."""
    event = HostEvent.of(text)
    return read(text) if event is None or event.transcript is None else said_in(event)


def said_in(event: HostEvent) -> ConversationInput:
    """What was said in the session of an event, as far as the host hands it over."""
    if isinstance(event.messages, list):
        return ConversationInput(tuple(event.messages), event.session)
    if event.has_no_transcript or event.transcript is None:
        return ConversationInput(tuple(event.single_message() if event.has_no_transcript else ()), event.session)
    found = transcript_of(event.transcript, session=event.session)
    return ConversationInput(tuple(completed(list(found.messages), event)), found.session)


def conversation_of(path: str, *, role: str = "user") -> ConversationInput:
    """The conversation in a file; plain text is one message of `role`."""
    return read(_file(path), role=role, is_json=os.path.splitext(path)[1].lower() in _JSON_NAMES)


def transcript_of(path: str, *, session: str | None = None) -> ConversationInput:
    """The conversation in the transcript of a coding agent, one JSON row per line; of a very long one, its end."""
    found = read(_file(os.path.expanduser(path), MOST_BYTES), is_json=True)
    return ConversationInput(found.messages, session or found.session)


def read(text: str, *, role: str = "user", is_json: bool = False) -> ConversationInput:
    """Parse a conversation; `is_json` if it cannot be plain text."""
    import json
    import re
    from collections.abc import Mapping

    if not text.strip():
        raise _invalid("is empty")
    if not is_json and not re.match(_LIKE_JSON, text):
        return ConversationInput(({"role": role, "content": text},), is_plain=True)
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


def _of_json(payload: Any) -> ConversationInput:
    from cortex.workspace.transcript_rows import sessions_of

    if isinstance(payload, list):
        return _of_rows(payload)
    if isinstance(payload, dict) and isinstance(payload.get("messages"), list):
        found = _of_rows(payload["messages"])
        return ConversationInput(found.messages, next(iter(sessions_of([payload])), None) or found.session)
    if isinstance(payload, dict) and "messages" not in payload:
        return _of_rows([payload])
    raise _invalid("is JSON, but not a list of messages")


def _of_rows(rows: list[Any]) -> ConversationInput:
    from cortex.workspace.transcript_rows import messages_of, sessions_of

    sessions = sessions_of(rows)
    return ConversationInput(tuple(messages_of(rows)), sessions[0] if len(sessions) == 1 else None)


def _row(line: str) -> object:
    """A parsed line; a line that is not JSON stays text, which capture rejects."""
    from cortex.workspace.transcript_rows import row_of

    row = row_of(line)
    return line if row is None else row


def _file(path: str, most: int | None = None) -> str:
    """The text of a file; of one longer than `most` bytes the last lines within that."""
    try:
        with open(path, "rb") as file:
            if most is not None and (size := os.fstat(file.fileno()).st_size) > most:
                file.seek(size - most)
                file.readline()
            return file.read().decode("utf-8-sig", "strict" if most is None else "replace")
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        raise _invalid(reason, path, "check the path and permissions") from error
    except UnicodeDecodeError as error:
        raise _invalid("is not UTF-8", path, "convert it first, such as with `iconv`") from error


def _invalid(message: str, field: str = "messages", hint: str = _FORMS) -> InvalidRequest:
    from cortex.errors import InvalidRequest

    return InvalidRequest(message, field=field, hint=hint)
