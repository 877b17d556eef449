"""A trace is anything recall can find: a memory, turn, chunk or outcome. Here are the rules that all share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from json.encoder import encode_basestring
from math import isfinite
from operator import attrgetter
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.importance import Grade, ImportanceLabel, Origins
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Kind, Memory, Retention
from cortex.domain.outcome import Outcome, OutcomeType
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Role, Turn

Trace = Memory | Turn | Chunk | Outcome

COUNTERS = frozenset({"last_accessed_at", "access_count"})
"""Fields that count use; they change without making a new version."""

_CLASSES: dict[str, type[Memory] | type[Turn] | type[Chunk] | type[Outcome]] = {
    "memory": Memory,
    "turn": Turn,
    "chunk": Chunk,
    "outcome": Outcome,
}
_NAMES = {cls: name for name, cls in _CLASSES.items()}


def defaults_of(cls: type[Trace]) -> dict[str, Any]:
    """The fields of a trace with their defaults; `MISSING` where there is none."""
    if issubclass(cls, Outcome):
        return {name: Outcome._field_defaults.get(name, MISSING) for name in Outcome._fields}
    return {field.name: field.default for field in fields(cls)}


_FIELDS = {
    cls: tuple((name, default) for name, default in defaults_of(cls).items() if name not in COUNTERS)
    for cls in _CLASSES.values()
}
_KEYS = {cls: tuple((f'"{name}":', default) for name, default in named) for cls, named in _FIELDS.items()}
_KNOWN = {name: frozenset(defaults_of(cls)) for name, cls in _CLASSES.items()}
# All fields of a trace in one call: this is the hottest part of storing.
_VALUES = {cls: attrgetter(*(name for name, _ in named)) for cls, named in _FIELDS.items()}

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def with_sources(trace: Trace) -> frozenset[TraceId]:
    """The ids of a trace, and of the turns it was extracted from."""
    return frozenset((trace.id, *(trace.source_turns if isinstance(trace, Memory) else ())))


def name_of(trace: Trace) -> str:
    """`memory`, `turn`, `chunk` or `outcome`."""
    return _NAMES[type(trace)]


def label_of(trace: Trace) -> ImportanceLabel:
    return trace.label if isinstance(trace, Memory) else ImportanceLabel.UNKNOWN


def used_at(trace: Trace) -> datetime:
    """When it was last used, as far as uses are counted, or else made: what recency goes by."""
    return trace.used_at if isinstance(trace, Memory) else trace.created_at


def is_contradicted(trace: Trace) -> bool:
    """Whether it is a memory that points to one that says otherwise."""
    return isinstance(trace, Memory) and bool(trace.contradicts)


def to_fields(trace: Trace) -> dict[str, Any]:
    """Plain values of every field that differs from its default, in field order; counters left out."""
    return {name: _plain(value) for name, value in _said(trace)}


def from_fields(name: str, plain: dict[str, Any], **counters: Any) -> Trace:
    """The trace that `to_fields` took apart. Raises ValueError, KeyError or TypeError on what is not one."""
    typed = dict(plain)
    for key, value in plain.items():
        if value is not None and (read := _READERS.get(key)) is not None:
            typed[key] = read(value)
    typed.update(counters)
    return _CLASSES[name](**typed)


def to_json(trace: Trace) -> dict[str, Any]:
    """Plain values for a reader: the type, the lane, every field that is not at its default, and the counters."""
    payload = {"type": name_of(trace), "lane": trace.lane.value, **to_fields(trace)}
    payload |= {"kind": trace.kind.value, "scope": trace.scope, "trust": trace.trust.value, "state": trace.state.value}
    if isinstance(trace, Memory):
        used = trace.last_accessed_at.isoformat() if trace.last_accessed_at else None
        payload |= {"access_count": trace.access_count, "last_accessed_at": used}
    return payload


def from_json(payload: Mapping[str, Any], name: str = "") -> Trace:
    """The trace that `to_json` wrote; `name` says what it is where the payload does not."""
    name = name or payload["type"]
    known = _KNOWN[name]
    return from_fields(name, {key: value for key, value in payload.items() if key in known})


def canonical(trace: Trace) -> str:
    """The one text form of what a trace says, for commitments and for storage: its fields as compact JSON."""
    if isinstance(trace, Outcome):
        return _outcome(trace)
    # Joined here rather than encoded as a dict: most values are plain texts, and the encoder is slow to start.
    cls = type(trace)
    said = [
        key + _WRITERS.get(type(value), _json)(value)
        for (key, default), value in zip(_KEYS[cls], _VALUES[cls](trace), strict=True)
        if value is not default and value != default
    ]
    return "{" + ",".join(said) + "}"


def _outcome(trace: Outcome) -> str:
    """The canonical form of an outcome: they are the most there are, and field by field takes half the time."""
    id, text, created_at, outcome, session, tool, call_id, ok, ms, error, payload, *rare = trace
    said = f'{{"id":{encode_basestring(id)},"text":{encode_basestring(text)},"created_at":{_moment(created_at)}'
    if outcome != OutcomeType.TOOL_RESULT:
        said += f',"outcome":{_OUTCOME_TYPES[outcome]}'
    if session:
        said += f',"session":{encode_basestring(session)}'
    if tool:
        said += f',"tool":{encode_basestring(tool)}'
    if call_id:
        said += f',"call_id":{encode_basestring(call_id)}'
    if ok is not None:
        said += ',"ok":true' if ok else ',"ok":false'
    if ms is not None:
        said += f',"ms":{_WRITERS.get(type(ms), _json)(ms)}'
    if error:
        said += f',"error":{encode_basestring(error)}'
    if payload:
        said += f',"payload":{encode_basestring(payload)}'
    if rare != _RARE:
        pairs = zip(_KEYS[Outcome][-len(_RARE) :], rare, strict=True)
        said += "".join([f",{key}{_json(value)}" for (key, default), value in pairs if value != default])
    return said + "}"


def parse_time(text: str) -> datetime:
    """An ISO 8601 time as aware UTC; a time without a zone is taken as UTC."""
    parsed = datetime.fromisoformat(text)
    if parsed.tzinfo is UTC:  # as it was stored: most are
        return parsed
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def _said(trace: Trace) -> list[tuple[str, Any]]:
    """Name and value of every field that differs from its default."""
    cls = type(trace)
    return [
        (name, value)
        for (name, default), value in zip(_FIELDS[cls], _VALUES[cls](trace), strict=True)
        if value is not default and value != default
    ]


def _json(value: Any) -> str:
    plain = _plain(value)
    return encode_basestring(plain) if isinstance(plain, str) else _encode(plain)


def _number(value: float) -> str:
    return repr(value) if isfinite(value) else _encode(value)


def _moment(value: datetime) -> str:
    return f'"{value.isoformat()}"' if value.tzinfo is UTC else f'"{_iso(value)}"'


def _iso(value: datetime) -> str:
    return (value if value.tzinfo is UTC else value.astimezone(UTC)).isoformat()


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime):
        return _iso(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Grade | Origins):
        return value.to_json()
    return value


def _seconds(value: float) -> timedelta:
    return timedelta(seconds=value)


# Looked up by their values: to call an enumeration takes ten times as long, for every row that is read.
_CHOICES: Mapping[str, Iterable[StrEnum]] = {
    "kind": Kind,
    "retention": Retention,
    "label": ImportanceLabel,
    "trust": TrustTier,
    "source_kind": SourceKind,
    "state": State,
    "role": Role,
    "lane": Lane,
    "outcome": OutcomeType,
}
_WRITERS: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: repr,
    bool: ("false", "true").__getitem__,
    float: _number,
    datetime: _moment,
    **{
        type(each): {each: encode_basestring(each.value) for each in known}.__getitem__
        for known in _CHOICES.values()
        for each in known
    },
}
"""How the values that most fields have are written: as the encoder does, in a tenth of the time."""
_OUTCOME_TYPES = {each: encode_basestring(each.value) for each in OutcomeType}
_RARE = [default for _, default in _KEYS[Outcome][11:]]
"""What most outcomes have in their last fields."""

# What makes a plain value typed again; fields that are not here stay as they are.
_READERS: Mapping[str, Callable[[Any], Any]] = {
    **{name: {each.value: each for each in known}.__getitem__ for name, known in _CHOICES.items()},
    **dict.fromkeys(("created_at", "valid_from", "valid_to", "last_accessed_at", "dated", "expires_at"), parse_time),
    **dict.fromkeys(("tags", "source_turns", "other_source_refs", "media_refs", "section", "contradicts"), tuple),
    "refs": tuple,
    "ttl": _seconds,
    "grade": Grade.from_json,
    "origins": Origins.from_json,
}
