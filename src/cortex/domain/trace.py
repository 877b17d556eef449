"""A trace is anything recall can find: a memory, a turn or a chunk. Here are the rules all three share."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import ImportanceLabel, Kind, Memory, Retention
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Role, Turn

Trace = Memory | Turn | Chunk

COUNTERS = frozenset({"last_accessed_at", "access_count"})
"""Fields that count use; they change without making a new version."""

_CLASSES: dict[str, type[Memory] | type[Turn] | type[Chunk]] = {"memory": Memory, "turn": Turn, "chunk": Chunk}
_NAMES = {cls: name for name, cls in _CLASSES.items()}
_FIELDS = {
    cls: tuple((field.name, field.default) for field in fields(cls) if field.name not in COUNTERS)
    for cls in _CLASSES.values()
}
# All fields of a trace in one call: this is the hottest part of storing.
_VALUES = {cls: attrgetter(*(name for name, _ in named)) for cls, named in _FIELDS.items()}

_ENUMS = MappingProxyType(
    {
        "kind": Kind,
        "retention": Retention,
        "label": ImportanceLabel,
        "trust": TrustTier,
        "source_kind": SourceKind,
        "state": State,
        "role": Role,
        "lane": Lane,
    }
)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_TIMES = frozenset({"created_at", "valid_from", "valid_to", "last_accessed_at", "dated"})
_LISTS = frozenset({"tags", "source_turns", "media_refs", "section"})


def name_of(trace: Trace) -> str:
    """`memory`, `turn` or `chunk`."""
    return _NAMES[type(trace)]


def kind_of(trace: Trace) -> Kind:
    """The kind of a memory or turn; chunks count as facts wherever a kind is asked for."""
    return Kind.FACT if isinstance(trace, Chunk) else trace.kind


def label_of(trace: Trace) -> ImportanceLabel:
    return trace.label if isinstance(trace, Memory) else ImportanceLabel.UNKNOWN


def to_fields(trace: Trace) -> dict[str, Any]:
    """Plain values of every field that differs from its default, in field order; counters left out."""
    cls = type(trace)
    return {
        name: _plain(value)
        for (name, default), value in zip(_FIELDS[cls], _VALUES[cls](trace), strict=True)
        if value is not default and value != default
    }


def from_fields(name: str, plain: dict[str, Any], **counters: Any) -> Trace:
    """The trace that `to_fields` took apart. Raises ValueError, KeyError or TypeError on what is not one."""
    return _CLASSES[name](**{key: _typed(key, value) for key, value in plain.items()}, **counters)


def canonical(trace: Trace) -> str:
    """The one text form of what a trace says, for commitments and for storage."""
    return _encode(to_fields(trace))


def parse_time(text: str) -> datetime:
    """An ISO 8601 time as aware UTC; a time without a zone is taken as UTC."""
    parsed = datetime.fromisoformat(text)
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, tuple):
        return list(value)
    return value


def _typed(key: str, value: Any) -> Any:
    if value is None:
        return None
    if key in _ENUMS:
        return _ENUMS[key](value)
    if key in _TIMES:
        return parse_time(value)
    if key == "ttl":
        return timedelta(seconds=value)
    return tuple(value) if key in _LISTS else value
