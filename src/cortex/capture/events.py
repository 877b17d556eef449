"""Events of agents and tools, read from lines of JSON (S1): `cortex.event.v1`, and the rows of a capture sidecar.

A line that cannot be used is refused with its field and the fix; it never spoils the rest.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]  # not in typeshed
from typing import Any, NamedTuple

from cortex.domain.outcome import MAX_PAYLOAD_BYTES, MAX_SUMMARY_CHARS, OutcomeType
from cortex.domain.scope import DEFAULT_SCOPE, checked_label
from cortex.domain.secrets import without_secrets
from cortex.domain.trace import parse_time
from cortex.domain.turn import Role
from cortex.errors import InvalidRequest

SCHEMA = "cortex.event.v1"

MESSAGE = "message"
TYPES = (MESSAGE, *(each.value for each in OutcomeType))

SIDECAR_SESSION = "sidecar"
"""The session of a sidecar's rows, which name none."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is refused without being read; of a shorter one the payload is cut."""

MAX_NAME_CHARS = 256
MAX_REFS = 32

_READ_CHARS = 8_192
"""How much of a text is looked through for secrets before it is cut."""

# Once: `json.dumps` creates an encoder for each call with options.
_digested = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_spelled = json.JSONEncoder(ensure_ascii=False, sort_keys=True)
_spell = c_make_encoder and c_make_encoder(
    None, _spelled.default, encode_basestring, None, ": ", ", ", True, False, True
)
"""What `_spelled.encode` makes anew for each value, where Python has it."""

_decoder = json.JSONDecoder()

_label = lru_cache(maxsize=1_024)(checked_label)
"""Sessions and scopes are few, and each is checked once."""

_SIDECAR_TYPES = {
    "tool_call": OutcomeType.TOOL_CALL,
    "decision": OutcomeType.DECISION,
    "alert": OutcomeType.ALERT,
    "error": OutcomeType.ALERT,
}


ToolOutcome = tuple[str, str, bool | None, float | None, str]
"""What an event says of a tool: its name, the id of the call, whether it succeeded, how long it took, and its error."""

_NO_TOOL: ToolOutcome = ("", "", None, None, "")


class IncomingEvent(NamedTuple):
    """One event as it came in, checked."""

    type: str
    at: datetime
    session: str
    scope: str = DEFAULT_SCOPE
    id: str = ""
    role: Role | None = None
    text: str = ""
    tool: str = ""
    call_id: str = ""
    ok: bool | None = None
    ms: float | None = None
    error: str = ""
    payload: Any = None
    refs: tuple[str, ...] = ()

    @property
    def is_message(self) -> bool:
        return self.type == MESSAGE

    def key(self, user: str, salt: bytes) -> bytes:
        """Its idempotency key: its id, or else a digest of what it says, when, and where."""
        if self.id:
            content = f"id\n{user}\n{self.id}"
        else:
            said = [
                user, self.type, self.session, self.at.isoformat(), self.call_id, self.role, self.text,
                self.tool, self.ok, self.ms, self.error, self.payload, self.refs,
            ]  # fmt: skip
            content = "digest\n" + _digested(said)
        digest = _keyed(salt).copy()
        digest.update(content.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def summary(self) -> str:
        """What happened in one line, redacted and cut."""
        said = self.text or self.error or _spoken(self.type, self.tool, self.ok)
        return _cut(without_secrets(" ".join(said[:_READ_CHARS].split())), MAX_SUMMARY_CHARS)

    def kept_error(self) -> str:
        """What the tool reported, redacted and cut."""
        return _cut(without_secrets(self.error[:_READ_CHARS]), MAX_SUMMARY_CHARS) if self.error else ""

    def kept_payload(self) -> tuple[str, int]:
        """The payload as JSON, redacted and cut, and its size where it was cut, or else 0."""
        if self.payload is None:
            return "", 0
        # With spaces: the search for secrets goes by words.
        whole = "".join(_spell(self.payload, 0)) if _spell else _spelled.encode(self.payload)
        said = without_secrets(whole[:_READ_CHARS])
        if len(whole) <= _READ_CHARS and len(said) <= MAX_PAYLOAD_BYTES and said.isascii():  # most are
            return said, 0
        kept = said.encode("utf-8", "replace")
        if len(whole) <= _READ_CHARS and len(kept) <= MAX_PAYLOAD_BYTES:
            return kept.decode(), 0
        size = len(whole.encode("utf-8", "surrogatepass"))
        return kept[:MAX_PAYLOAD_BYTES].decode("utf-8", "ignore"), size


@lru_cache(maxsize=64)
def _keyed(salt: bytes) -> hashlib.blake2b:
    """What has taken in the key, which is half of the work."""
    return hashlib.blake2b(key=salt, digest_size=16)


def _parsed(line: str) -> Any:
    """What a line of JSON says. Most have nothing around their object, which need not be looked for."""
    if line.startswith("{"):
        found, end = _decoder.raw_decode(line)
        if end == len(line):
            return found
    return _decoder.decode(line)


def read_line(line: bytes | str) -> IncomingEvent:
    """The event in a line, or an `InvalidRequest` that names the field and the fix."""
    if len(line) > MAX_LINE_BYTES:
        raise InvalidRequest(
            f"is over {MAX_LINE_BYTES // 1024**2} MiB", field="line", hint="shorten the payload of the event"
        )
    try:
        found = _parsed(line.decode() if isinstance(line, bytes) else line)
    except UnicodeDecodeError:
        raise InvalidRequest("is not UTF-8", field="line", hint="write the file as UTF-8") from None
    except (ValueError, RecursionError):
        raise InvalidRequest("is not JSON", field="line", hint="write one JSON object per line") from None
    return read_event(found)


def read_event(given: object) -> IncomingEvent:
    """The event in a JSON object, or an `InvalidRequest` that names the field and the fix."""
    if type(given) is not dict and not isinstance(given, Mapping):  # most are the former, which is quicker to see
        raise InvalidRequest("is not an object", field="event", hint=f"see `{SCHEMA}` in docs/events.md")
    if "ts" in given and "kind" in given and "type" not in given:
        return _of_sidecar(given)
    schema = given.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise InvalidRequest("is not known", field="schema", hint=f"this release reads {SCHEMA}")
    kind = given.get("type")
    if kind not in TYPES:
        raise InvalidRequest("is not a type of event", field="type", hint=f"one of {', '.join(TYPES)}")
    text = _text(given, "text")
    if kind == MESSAGE and not text.strip():
        raise InvalidRequest("is missing", field="text", hint="a message has a text")
    return IncomingEvent(
        kind,
        _time(given.get("at"), "at"),
        _label(_text(given, "session"), "session"),
        _label(_text(given, "scope") or DEFAULT_SCOPE, "scope") if "scope" in given else DEFAULT_SCOPE,
        _name(given, "id"),
        _role(given["role"]) if "role" in given else None,
        text,
        *(_tool(given["tool"]) if "tool" in given else _NO_TOOL),
        given.get("payload"),
        _refs(given["refs"]) if "refs" in given else (),
    )


def _of_sidecar(row: Mapping[str, Any]) -> IncomingEvent:
    """A row of the capture sidecar: `{ts, kind, tool_name, summary, detail}`."""
    kind, detail = row["kind"], row.get("detail")
    if not isinstance(kind, str):
        raise InvalidRequest("is not a string", field="kind", hint="such as `tool`")
    role = detail.get("role") if isinstance(detail, Mapping) else None
    is_message = kind == MESSAGE and role is not None
    summary = _text(row, "summary")
    if is_message and not summary.strip():
        raise InvalidRequest("is missing", field="summary", hint="a message has a summary")
    name = _name(row, "tool_name") or ("" if kind in ("tool", *_SIDECAR_TYPES) else kind[:MAX_NAME_CHARS])
    return IncomingEvent(
        type=MESSAGE if is_message else _SIDECAR_TYPES.get(kind, OutcomeType.TOOL_RESULT).value,
        at=_time(row["ts"], "ts"),
        session=_label(_text(row, "session") or SIDECAR_SESSION, "session"),
        id=_name(row, "id"),
        role=_role(role) if is_message else None,
        text=summary,
        tool="" if is_message else name,
        payload=None if is_message else detail,
    )


def _spoken(type: str, tool: str, ok: bool | None) -> str:
    """What happened, of an event that does not say it."""
    ended = {True: "succeeded", False: "failed", None: type.replace("_", " ")}[ok]
    return f"{tool or 'event'} {ended}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if type(value) is str and value.isascii():  # most are
        return value
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidRequest("is not a string", field=name, hint="give a string")
    # A lone surrogate, which JSON can spell, can be neither stored nor shown.
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def _name(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if type(value) is not str or not value.isascii():  # most are
        value = _text(given, name)
    if not value.isprintable() or len(value) > MAX_NAME_CHARS:
        raise InvalidRequest(
            f"is over {MAX_NAME_CHARS} characters or not printable", field=name, hint="give a short name"
        )
    return value


def _time(value: object, name: str) -> datetime:
    """A time: ISO 8601, or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str):
            return parse_time(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value / 1_000 if abs(value) >= 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidRequest("is not a time", field=name, hint="such as 2026-01-31T09:30:00Z")


def _role(value: Any) -> Role | None:
    if value is None:
        return None
    try:
        return Role(value)
    except ValueError:
        roles = ", ".join(role.value for role in Role)
        raise InvalidRequest("is not a role", field="role", hint=f"one of {roles}") from None


def _tool(value: object) -> ToolOutcome:
    if value is None:
        return _NO_TOOL
    if type(value) is not dict and not isinstance(value, Mapping):
        raise InvalidRequest("is not an object", field="tool", hint="such as {name, call_id, ok, ms, error}")
    ok, ms = value.get("ok"), value.get("ms")
    if ok is not None and not isinstance(ok, bool):
        raise InvalidRequest("is neither true nor false", field="tool.ok", hint="leave it out where it is not known")
    if ms is not None and (isinstance(ms, bool) or not isinstance(ms, int | float) or not 0 <= ms < 1e12):
        raise InvalidRequest("is not a number of milliseconds", field="tool.ms", hint="give a number from 0 on")
    error = _text(value, "error") if "error" in value else ""
    return _name(value, "name"), _name(value, "call_id"), ok, ms, error


def _refs(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or len(value) > MAX_REFS:
        raise InvalidRequest(f"is not a list of at most {MAX_REFS}", field="refs", hint="give a list of strings")
    return tuple(_name({"refs": each}, "refs") for each in value)
