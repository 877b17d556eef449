"""Messages as hosts send them, made into values: OpenAI, Anthropic, OpenClaw, or plain role and text.

What cannot be used is skipped with a reason and counted; it never spoils the rest.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum

from cortex.domain.choices import aware
from cortex.domain.text import sentences
from cortex.domain.trace import parse_time
from cortex.domain.turn import Role, TurnDraft
from cortex.errors import InvalidRequest


class MessageIssue(StrEnum):
    """Why a message was not accepted, or not accepted as it came."""

    NOT_A_MESSAGE = "not_a_message"
    UNKNOWN_ROLE = "unknown_role"
    NO_CONTENT = "no_content"
    NO_TEXT = "no_text"
    TOOL_CALL = "tool_call"
    TOOL_OUTPUT = "tool_output"
    THINKING = "thinking"
    SYSTEM = "system"
    TOO_MANY = "too_many"
    # What was accepted, but not as it came.
    BAD_TIME = "bad_time"
    CLEANED = "cleaned"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Noted:
    """Something to tell of the message at this place of the input."""

    index: int
    reason: MessageIssue


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message as it was said, with its place in what the host sent."""

    index: int
    text: str
    role: Role | None = None
    """None where the host does not tell; such a message counts as a user's."""
    speaker: str = ""
    at: datetime | None = None
    id: str = ""
    from_tool: bool = False
    """Whether a tool said it: kept apart, for it is nobody's word."""
    parts_skipped: Mapping[str, int] = field(default_factory=dict)
    """How many parts of each sort were left out: `{"image": 2}`."""

    @property
    def effective_role(self) -> Role:
        return self.role or Role.USER


@dataclass(frozen=True, slots=True)
class ReceivedMessages:
    """The messages that can be used, those that cannot, and what was changed in those that can."""

    said: tuple[Message, ...]
    skipped: tuple[Noted, ...] = ()
    changed: tuple[Noted, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How often each reason applied, for the receipt."""
        return dict(sorted(Counter(noted.reason.value for noted in (*self.skipped, *self.changed)).items()))


def received(
    messages: Sequence[object], *, max_messages: int, max_message_bytes: int, tools: bool = False
) -> ReceivedMessages:
    """What was said in `messages`; what tools answered only if wanted, and then marked as theirs.

    Of too many messages the newest are accepted, and of a message too long its beginning.
    """
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes | bytearray):
        raise InvalidRequest("is not a list", field="messages", hint="give a list of messages with role and content")
    first = max(len(messages) - max_messages, 0)
    skipped = [Noted(index, MessageIssue.TOO_MANY) for index in range(first)]
    changed: list[Noted] = []
    said: list[Message] = []
    for index in range(first, len(messages)):
        one = _heard_one(index, messages[index])
        if not isinstance(one, MessageIssue):
            one = _fitted(*one, max_message_bytes, tools)
        if isinstance(one, MessageIssue):
            skipped.append(Noted(index, one))
        else:
            said.append(one[0])
            changed += [Noted(index, note) for note in one[1]]
    return ReceivedMessages(tuple(said), tuple(skipped), tuple(changed))


def unknown_roles(messages: Sequence[object]) -> list[str]:
    """The roles for which messages are skipped as unknown, as they were given."""
    rows = [row for row in messages if isinstance(row, Mapping) and _role(row) is MessageIssue.UNKNOWN_ROLE]
    return list(dict.fromkeys(str(row.get("role")) for row in rows))


def in_parts(text: str, max_bytes: int) -> list[str]:
    """`text` in pieces of whole lines or sentences of at most `max_bytes`; joined, they are `text` again."""
    if _size(text) <= max_bytes:
        return [text]
    parts: list[str] = []
    start = at = used = 0
    for piece in _pieces(text, max_bytes):
        size = _size(piece)
        if used and used + size > max_bytes:
            parts.append(text[start:at])
            start, used = at, 0
        at += len(piece)
        used += size
    return [*parts, text[start:]]


# --- one message ------------------------------------------------------------------------------------

_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "toolresult": Role.TOOL,
    "tool_result": Role.TOOL,
}
KNOWN_ROLES = tuple(_ROLES)
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal", ""})
_SORTS = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "video": "video",
    "document": "document",
    "file": "document",
    "input_file": "document",
    "tool_use": "tool_call",
    "server_tool_use": "tool_call",
    "mcp_tool_use": "tool_call",
    "toolcall": "tool_call",
    "tool_call": "tool_call",
    "function_call": "tool_call",
    "tool_result": "tool_result",
    "toolresult": "tool_result",
    "mcp_tool_result": "tool_result",
    "web_search_tool_result": "tool_result",
    "function_call_output": "tool_result",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "reasoning": "thinking",
}
# Items of a history that have a type instead of a role.
_ITEMS = {
    "tool_call": MessageIssue.TOOL_CALL,
    "tool_result": MessageIssue.TOOL_OUTPUT,
    "thinking": MessageIssue.THINKING,
}
_TIMES = ("ts", "timestamp", "created_at", "createdAt", "at", "time")
_SPEAKERS = ("speaker", "name", "author", "sender")
_ALTS = ("alt", "alt_text", "caption", "transcript")
_DEEPEST = 4


def _heard_one(index: int, given: object) -> tuple[Message, list[MessageIssue]] | MessageIssue:
    """The message, with what is to be reported of it; or why it cannot be used."""
    if isinstance(given, TurnDraft):
        return _of_said(index, given)
    if not isinstance(given, Mapping):
        return MessageIssue.NOT_A_MESSAGE
    # A row of a transcript holds its message within.
    inner = given.get("message")
    row = given if "role" in given or not isinstance(inner, Mapping) else {**given, **inner}
    role = _role(row)
    if isinstance(role, MessageIssue):
        return role
    if role is Role.SYSTEM:
        return MessageIssue.SYSTEM
    content = next((row[key] for key in ("content", "text", "parts") if row.get(key) is not None), None)
    calls = _calls(row)
    if content is None:
        return MessageIssue.TOOL_CALL if calls else MessageIssue.NO_CONTENT
    texts, left_out = _taken(content)
    left_out += calls
    if not any(text.strip() for text in texts) and left_out["tool_result"]:
        # A tool's answer in the name of the user.
        role, texts = Role.TOOL, list(_tool_texts(content))
    text = "\n".join(texts)
    if not text.strip():
        return _without_text(left_out)
    at, notes = _time(row)
    message = Message(
        index=index,
        text=text,
        role=role,
        speaker=_speaker(row),
        at=at,
        id=str(row.get("id") or "")[:256],
        from_tool=role is Role.TOOL,
        parts_skipped=dict(left_out),
    )
    return message, notes


def _of_said(index: int, said: TurnDraft) -> tuple[Message, list[MessageIssue]] | MessageIssue:
    if said.role is Role.SYSTEM:
        return MessageIssue.SYSTEM
    if not isinstance(said.text, str) or not said.text.strip():
        return MessageIssue.NO_TEXT
    at, notes = _time({"at": said.at})
    message = Message(
        index=index,
        text=said.text,
        role=said.role,
        speaker=said.speaker,
        at=at,
        from_tool=said.role is Role.TOOL,
    )
    return message, notes


def _role(row: Mapping[str, object]) -> Role | MessageIssue | None:
    """The role it names; None where it names none, and a reason where that cannot be accepted."""
    named = row.get("role")
    if named is None:
        kind = row.get("type")
        sort = _SORTS.get(kind.lower()) if isinstance(kind, str) else None
        if sort in _ITEMS:
            return _ITEMS[sort]
        return _ROLES.get(kind.lower()) if isinstance(kind, str) else None
    return (
        _ROLES.get(named.strip().lower(), MessageIssue.UNKNOWN_ROLE)
        if isinstance(named, str)
        else MessageIssue.UNKNOWN_ROLE
    )


def _calls(row: Mapping[str, object]) -> Counter[str]:
    calls = row.get("tool_calls") or row.get("function_call")
    if not calls:
        return Counter()
    return Counter(tool_call=len(calls) if isinstance(calls, list | tuple) else 1)


def _taken(content: object, depth: int = 0) -> tuple[list[str], Counter[str]]:
    """The texts of what a message holds, and how many parts of each sort have none."""
    if isinstance(content, str):
        return [content], Counter()
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, Sequence) or isinstance(content, bytes | bytearray) or depth > _DEEPEST:
        return [], Counter(other=1)
    texts: list[str] = []
    left_out: Counter[str] = Counter()
    for part in content:
        text, sort = _part(part)
        if text:
            texts.append(text)
        if sort:
            left_out[sort] += 1
    return texts, left_out


def _part(part: object) -> tuple[str, str]:
    """The text of one part, and the sort it is left out under; either may be empty."""
    if isinstance(part, str):
        return part, ""
    if not isinstance(part, Mapping):
        return "", "other"
    kind = part.get("type", "")
    sort = _SORTS.get(kind.lower(), "") if isinstance(kind, str) else "other"
    if sort in {"image", "audio", "video"}:
        return _described(part, sort), sort
    if not sort and kind in _TEXT_PARTS:
        text = part.get("text", part.get("refusal"))
        return (text, "") if isinstance(text, str) else ("", "other")
    return "", sort or "other"


def _described(part: Mapping[str, object], sort: str) -> str:
    """What is said of a picture or a recording, where anything is."""
    inner = part.get(str(part.get("type")))
    for source in (part, inner if isinstance(inner, Mapping) else {}):
        for key in _ALTS:
            if isinstance(text := source.get(key), str) and text.strip():
                return text if key == "transcript" else f"[{sort}: {text.strip()}]"
    return ""


def _tool_texts(content: object, depth: int = 0) -> Iterator[str]:
    parts = [content] if isinstance(content, Mapping) else content
    if not isinstance(parts, list | tuple) or depth > _DEEPEST:
        return
    for part in parts:
        if isinstance(part, Mapping) and _SORTS.get(str(part.get("type")).lower()) == "tool_result":
            answer = part.get("content", part.get("output"))
            yield from _taken(answer, depth + 1)[0] if answer is not None else ()


def _without_text(left_out: Mapping[str, int]) -> MessageIssue:
    """Why a message has nothing to hear: by the sort of its parts, where that tells."""
    sorts = {sort for sort, number in left_out.items() if number}
    if sorts == {"thinking"}:
        return MessageIssue.THINKING
    if "tool_call" in sorts and sorts <= {"tool_call", "thinking"}:
        return MessageIssue.TOOL_CALL
    return MessageIssue.TOOL_OUTPUT if sorts == {"tool_result"} else MessageIssue.NO_TEXT


def _speaker(row: Mapping[str, object]) -> str:
    for key in _SPEAKERS:
        named = row.get(key)
        if isinstance(named, Mapping):
            named = named.get("name")
        if isinstance(named, str) and named.strip():
            return " ".join(_cleaned(named[:512]).split())[:256]
    return ""


def _time(row: Mapping[str, object]) -> tuple[datetime | None, list[MessageIssue]]:
    """When it was said; what is no time is left out, and reported."""
    given = next((row[key] for key in _TIMES if row.get(key) is not None), None)
    if given is None:
        return None, []
    at = _read_time(given)
    return at, [] if at else [MessageIssue.BAD_TIME]


def _read_time(given: object) -> datetime | None:
    try:
        if isinstance(given, datetime):
            at = aware(given, "at")
        elif isinstance(given, str):
            number = re.fullmatch(r"\s*(\d{9,19}(?:\.\d{1,9})?)\s*", given)
            at = _of_epoch(float(number[1])) if number else parse_time(given.strip()[:64])
        elif isinstance(given, int | float) and not isinstance(given, bool):
            at = _of_epoch(float(given))
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return at if 1980 <= at.year <= 2200 else None


def _of_epoch(number: float) -> datetime:
    """Seconds, milliseconds, microseconds or nanoseconds since 1970, whichever gives a year of our time."""
    if not math.isfinite(number) or abs(number) >= 1e20:
        raise ValueError(number)
    while abs(number) >= 1e11:
        number /= 1_000
    return datetime.fromtimestamp(number, UTC)


# --- what fits --------------------------------------------------------------------------------------

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def _fitted(
    message: Message, notes: list[MessageIssue], max_bytes: int, tools: bool
) -> tuple[Message, list[MessageIssue]] | MessageIssue:
    """The message with what can be stored of its text, or why there is nothing."""
    if message.from_tool and not tools:
        return MessageIssue.TOOL_OUTPUT
    text = _cleaned(message.text)
    if len(text) != len(message.text):
        notes = [*notes, MessageIssue.CLEANED]
    if _size(text) > max_bytes:
        text = text.encode()[:max_bytes].decode("utf-8", "ignore")
        notes = [*notes, MessageIssue.CUT]
    if not text.strip():
        return MessageIssue.NO_TEXT
    return (message if text is message.text else replace(message, text=text)), notes


def _cleaned(text: str) -> str:
    """Without NUL bytes and lone surrogates, which no store can keep."""
    if "\x00" not in text and text.isascii():
        return text
    # Two halves that stand together are one character, written as some hosts do.
    if re.search("[\ud800-\udbff][\udc00-\udfff]", text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\ufffd", "\ud800")
    return _UNSTORABLE.sub("", text)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _pieces(text: str, max_bytes: int) -> Iterator[str]:
    """Sentences, each cut where it alone is too long."""
    for start, end in sentences(text):
        piece = text[start:end]
        if _size(piece) <= max_bytes:
            yield piece
        else:
            # A character takes four bytes at most.
            step = max(max_bytes // (1 if piece.isascii() else 4), 1)
            yield from (piece[at : at + step] for at in range(0, len(piece), step))
