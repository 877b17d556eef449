"""Session transcripts that hosts write, a row on each line, followed by byte offset as they grow (B12, B19).

Everything known of their forms stands here. OpenClaw and pi write a `session` header, then `message` rows among rows
of their own; Claude Code writes `user` and `assistant` rows among notes of the program; others write plain messages.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, unquote

from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest, NotFound
from cortex.workspace.sources import SESSIONS_FOLDER

MOST_BYTES = 4 << 20
"""How much of a transcript is read at once."""

LONGEST_LINE = 2 << 20
"""A longer line is a picture or the output of a program, not something anybody said."""

MOST_ROWS = 5_000
"""How many rows are read at once: fewer than a history may have messages, so that capture leaves out none."""

# --- rows and messages ----------------------------------------------------------------------------------------------

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


# --- reading on -----------------------------------------------------------------------------------------------------

_ENDS = 1024
"""How much of what was read is looked at again, at its beginning and its end, to know it as the same."""

_PIECE = 64 * 1024
# Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class How(StrEnum):
    """What became of a transcript since it was read last."""

    APPENDED = "appended"
    """It begins as it did and has grown; or it is read for the first time."""
    ROTATED = "rotated"
    """Another file lies in its place, or it was written anew: it is read from its start."""
    TRUNCATED = "truncated"
    """It is shorter than what was read of it: it is read from its start."""
    NOTHING = "nothing"
    """No whole line came to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """Where reading a transcript goes on, and by what it is known as the same. Keep it once its messages are kept."""

    offset: int = 0
    """Just after the last line that was read."""
    head: str = ""
    """Digest of what it begins with, up to 1 KiB of what was read."""
    tail: str = ""
    """Digest of what stands before the offset, up to 1 KiB."""
    inode: int = 0
    size: int = 0
    """How long it was then; what is longer than the offset waits for the rest of its line."""
    session: str = ""
    messages: int = 0
    """How many were handed over since its start."""
    within: bool = False
    """Whether the offset stands within a line that is too long to be read."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, payload: object) -> Bookmark | None:
        """The bookmark that was kept; None where it is none, and then the transcript is read from its start."""
        if not isinstance(payload, Mapping):
            return None
        given = {each.name: payload.get(each.name) for each in fields(cls)}
        if any(type(value) is not type(getattr(_START, name)) for name, value in given.items()):
            return None
        mark = cls(**given)  # type: ignore[arg-type]  # each has the type of its default
        return mark if mark.offset >= 0 and mark.messages >= 0 else None


_START = Bookmark()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """What came to a transcript since it was read last."""

    how: How
    messages: tuple[object, ...]
    follows: int
    """How many messages of the same transcript were handed over before these; 0 where it was read from its start."""
    bookmark: Bookmark
    more: bool = False
    """Whether there is more to read at once."""
    unreadable: int = 0
    """Lines that are no JSON in UTF-8."""
    too_long: int = 0

    @property
    def session(self) -> str:
        return self.bookmark.session


def read_on(
    path: str | Path,
    bookmark: Bookmark | None = None,
    *,
    max_bytes: int = MOST_BYTES,
    max_line_bytes: int = LONGEST_LINE,
    max_rows: int = MOST_ROWS,
) -> Grown:
    """The messages of whole lines after `bookmark`, at most `max_bytes` of them, though at least a line.

    A line that is being written waits for its end. What is no JSON or too long is passed over and counted.
    """
    with _opened(path) as file:
        status = os.fstat(file.fileno())
        how = _how(file, status, bookmark)
        mark = bookmark if bookmark is not None and how is How.APPENDED else _START
        taken = _take(file, mark, max_bytes, max_line_bytes, max_rows)
        messages = messages_of(taken.rows)
        after = Bookmark(
            offset=taken.end,
            head=_digest(file, 0, min(_ENDS, taken.end)),
            tail=_digest(file, max(taken.end - _ENDS, 0), taken.end),
            inode=status.st_ino,
            size=max(status.st_size, taken.end),
            session=_named(path, mark, taken.rows),
            messages=mark.messages + len(messages),
            within=taken.within,
        )
    return Grown(
        how=How.NOTHING if how is How.APPENDED and taken.end == mark.offset else how,
        messages=tuple(messages),
        follows=mark.messages,
        bookmark=after,
        more=taken.stopped and taken.end < after.size,
        unreadable=taken.unreadable,
        too_long=taken.too_long,
    )


@contextmanager
def _opened(path: str | Path) -> Iterator[BinaryIO]:
    try:
        opened = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise NotFound(f"there is no transcript {str(path)!r}", hint="it may have been moved or deleted") from None
    except OSError as error:
        why = "is a link" if error.errno == errno.ELOOP else f"cannot be opened: {error.strerror or error}"
        raise InvalidRequest(why, field=str(path), hint="give the path of a transcript itself") from error
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise InvalidRequest("is not a regular file", field=str(path), hint="give the path of a transcript itself")
    with open(opened, "rb") as file:
        yield file


def _how(file: BinaryIO, status: os.stat_result, mark: Bookmark | None) -> How:
    # By what it says and not by its inode alone: a file put back from a backup need not be read again.
    if mark is None or (status.st_size >= mark.offset and _is_same(file, mark)):
        return How.APPENDED
    return How.TRUNCATED if status.st_ino == mark.inode and status.st_size < mark.offset else How.ROTATED


def _is_same(file: BinaryIO, mark: Bookmark) -> bool:
    if not mark.offset:
        return True
    return (
        _digest(file, 0, min(_ENDS, mark.offset)) == mark.head
        and _digest(file, max(mark.offset - _ENDS, 0), mark.offset) == mark.tail
    )


def _digest(file: BinaryIO, start: int, end: int) -> str:
    file.seek(start)
    return hashlib.blake2b(file.read(end - start), digest_size=16).hexdigest()


@dataclass(slots=True)
class _Taken:
    """What was read of a transcript, up to `end`."""

    end: int
    within: bool
    rows: list[object]
    unreadable: int = 0
    too_long: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A line, or a part of one that is too long to be read."""

    end: int
    line: bytes | None
    within: bool
    """Whether its line goes on after it."""


def _take(file: BinaryIO, mark: Bookmark, max_bytes: int, max_line_bytes: int, max_rows: int) -> _Taken:
    taken = _Taken(mark.offset, mark.within, [])
    for stretch in _stretches(file, mark, max_line_bytes):
        is_over = taken.end > mark.offset and stretch.end - mark.offset > max_bytes
        if is_over or len(taken.rows) >= max_rows:
            taken.stopped = True
            break
        taken.end, taken.within = stretch.end, stretch.within
        if stretch.line is None:
            taken.too_long += not stretch.within
        elif (row := row_of(stretch.line)) is not None:
            taken.rows.append(row)
        else:
            taken.unreadable += bool(stretch.line.strip())
    return taken


def _stretches(file: BinaryIO, mark: Bookmark, max_line_bytes: int) -> Iterator[_Stretch]:
    """The whole lines after `mark`; of one that is too long no more than a piece is ever held."""
    file.seek(mark.offset)
    end, within = mark.offset, mark.within
    while line := file.readline(_PIECE if within else max_line_bytes + 1):
        is_too_long = within or len(line) > max_line_bytes
        is_ended = line.endswith(b"\n")
        if not is_ended and not is_too_long:
            return
        end, within = end + len(line), not is_ended
        yield _Stretch(end, None if is_too_long else line, within)


def _named(path: str | Path, mark: Bookmark, rows: Sequence[object]) -> str:
    """The session as it was named first: what was handed over under one name goes on under it."""
    if mark.messages:
        return mark.session
    name, is_jsonl, _ = Path(path).name.partition(".jsonl")
    return next(iter(sessions_of(rows)), "") or mark.session or (name if is_jsonl and name else Path(path).stem)


# --- growth ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What was written to a transcript since it was read last, and whether that is enough to read on (B12)."""

    bytes: int = 0
    messages: int = 0
    enough_bytes: int = 100_000
    enough_messages: int = 50

    @property
    def is_enough(self) -> bool:
        return self.bytes >= self.enough_bytes or self.messages >= self.enough_messages


def growth_of(path: str | Path, bookmark: Bookmark | None = None, *, rule: Growth | None = None) -> Growth:
    """How far a transcript has grown beyond `bookmark`, by the thresholds of `rule`; its lines count as messages.

    Nothing is parsed, and lines are counted only until there are enough.
    """
    rule = rule if rule is not None else Growth()
    with _opened(path) as file:
        status = os.fstat(file.fileno())
        offset = bookmark.offset if bookmark is not None and _how(file, status, bookmark) is How.APPENDED else 0
        grown = replace(rule, bytes=status.st_size - offset, messages=0)
        file.seek(offset)
        while not grown.is_enough and (piece := file.read(_PIECE)):
            grown = replace(grown, messages=grown.messages + piece.count(b"\n"))
    return grown


# --- sessions as files ----------------------------------------------------------------------------------------------


def session_path(session: str) -> str:
    """The path by which turns of a session are cited; its line n is the turn at place n-1 (B19)."""
    name = quote(session, safe=":@+=,", errors="surrogatepass")
    return f"{SESSIONS_FOLDER}/{name.replace('.', '%2E') if not name.strip('.') else name}"


def session_of(path: str) -> str | None:
    """The session that a path of `session_path` is of; None for any other path."""
    folder, _, name = path.partition("/")
    if folder != SESSIONS_FOLDER or not name or "/" in name:
        return None
    try:
        return unquote(name, errors="surrogatepass")
    except UnicodeDecodeError:
        return None


def as_lines(turns: Iterable[Turn]) -> str:
    """The turns of a session as text, one on each line and each on the line of its place; others stay empty."""
    said = {turn.seq: f"{turn.role.value}: {_one_line(turn.text)}" for turn in turns}
    return "".join(f"{said.get(seq, '')}\n" for seq in range(max(said, default=-1) + 1))


def _one_line(text: str) -> str:
    return " ".join(part for line in text.splitlines() if (part := line.strip()))
