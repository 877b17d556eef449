"""Fields that requests and responses share: choices, times, and the engine's values as JSON."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, Strict, WithJsonSchema
from pydantic_core import PydanticCustomError

from cortex.domain.chunk import Chunk
from cortex.domain.events import EventKind
from cortex.domain.hits import Hit, ScoreParts, SearchMode
from cortex.domain.identity import TraceId, checked_id
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import ImportanceLabel, Kind, Memory
from cortex.domain.outcome import Outcome
from cortex.domain.receipt import Receipt
from cortex.domain.tags import checked_name
from cortex.domain.trace import from_json, parse_time, to_json
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest
from cortex.services.bulk import BulkAction, BulkStatus
from cortex.surfaces.wire.model import Json

ID = "0198c1a2-7b3c-7def-8a01-23456789abcd"
AT = "2026-01-05T09:00:00+00:00"
LARGEST = 9_007_199_254_740_991
"""The largest integer that every JSON parser keeps exactly."""

_MOST_MESSAGES = 100_000
_YEARS = (1900, 2200)

T = TypeVar("T")


# --- choices, times, names --------------------------------------------------------------------------------------------


def _choices(choices: type[StrEnum]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "enum": [choice.value for choice in choices]})


# Choices are given by name; other values are strict.
KindName = Annotated[Kind, Strict(False), _choices(Kind)]
LaneName = Annotated[Lane, Strict(False), _choices(Lane)]
StateName = Annotated[State, Strict(False), _choices(State)]
TrustName = Annotated[TrustTier, Strict(False), _choices(TrustTier)]
LabelName = Annotated[ImportanceLabel, Strict(False), _choices(ImportanceLabel)]
BulkName = Annotated[BulkAction, Strict(False), _choices(BulkAction)]
BulkStatusName = Annotated[BulkStatus, Strict(False), _choices(BulkStatus)]
SourceName = Annotated[SourceKind, Strict(False), _choices(SourceKind)]
EventName = Annotated[EventKind, Strict(False), _choices(EventKind)]
ModeName = Annotated[SearchMode, Strict(False), _choices(SearchMode)]


def _moment(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    try:
        at = parse_time(given)
    except (ValueError, OverflowError):
        raise PydanticCustomError("time", "is not an ISO 8601 time", {"hint": f"use one such as {AT}"}) from None
    if not _YEARS[0] <= at.year < _YEARS[1]:
        raise PydanticCustomError("time", "is outside the years 1900 to 2199", {"hint": f"use one such as {AT}"})
    return at


def _iso(at: datetime) -> str:
    return at.isoformat()


Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    PlainSerializer(_iso, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time", "description": "ISO 8601; UTC without a zone."}),
]


def _as_of(given: Any) -> Any:
    """A ledger position, a time, or the name of a tag; names begin with a letter."""
    if not isinstance(given, str) or isinstance(given, bool):
        return given
    if given.isascii() and given.isdigit():
        return int(given)
    if not given[:1].isalpha():
        return _moment(given)
    try:
        return checked_name(given)
    except InvalidRequest as error:
        raise PydanticCustomError("tag", error.message.partition(": ")[2], {"hint": error.hint}) from None


AsOf = Annotated[
    int | datetime | str | None,
    BeforeValidator(_as_of),
    WithJsonSchema({
        "anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}],
        "description": "An earlier state: an ISO 8601 time, a ledger position, or the name of a tag.",
    }),
]  # fmt: skip


def _id(given: str) -> TraceId:
    try:
        return checked_id(given)
    except InvalidRequest as error:
        raise PydanticCustomError("id", error.message.removeprefix("id: "), {"hint": error.hint}) from None


Id = Annotated[str, Field(min_length=1, max_length=256), AfterValidator(_id)]
MemoryId = Annotated[Id, Field(description="The id of a memory, turn or chunk: a UUID.", examples=[ID])]
Label = Annotated[str, Field(min_length=1, max_length=256)]
Short = Annotated[str, Field(max_length=1_024)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

ScopeFilter = Annotated[str | None, Field(max_length=1_024, description="Only this scope, such as a project's name.")]
SharePersonal = Annotated[
    bool,
    Field(
        description="With `scope`: facts about the person are kept in the scope `personal`, and found there as well."
    ),
]
Project = Annotated[
    str | None,
    Field(max_length=1_024, description="The scope of the current project. It is preferred; nothing is excluded."),
]
RecipeName = Annotated[str | None, Field(max_length=256, description="The name of a recipe.")]
Session = Annotated[str, Field(description="The id of the conversation; the same every time.")]
Channel = Annotated[str, Field(description="The channel of the conversation, such as `telegram`.")]
Trigger = Annotated[
    str, Field(description="What started the turn, if not a person; `heartbeat` and `cron` are skipped.")
]
Messages = Annotated[
    list[Any],
    Field(
        max_length=_MOST_MESSAGES,
        description="The history in the host's format, oldest first: `{role, content}` objects, or richer ones.",
    ),
]
Since = Annotated[Moment | None, Field(description="Only from this time on.")]
Until = Annotated[Moment | None, Field(description="Only before this time.")]
Degraded = Annotated[tuple[str, ...], Field(description="Names of what did not work as usual.")]


# --- the engine's values ----------------------------------------------------------------------------------------------


def _read(kind: type[Any] | tuple[type[Any], ...], read: Callable[[Json], Any]) -> PlainValidator:
    """A value as it is, or parsed from JSON."""
    return PlainValidator(lambda given: given if isinstance(given, kind) else read(given))


_OBJECT: Json = {"type": "object", "additionalProperties": True}
_TRACE: Json = {
    "type": "object",
    "description": "A memory, turn, chunk or outcome: these fields, and all others that differ from their default.",
    "properties": {
        "id": {"type": "string"},
        "type": {"type": "string", "enum": ["memory", "turn", "chunk", "outcome"]},
        "lane": {"type": "string", "enum": [lane.value for lane in Lane]},
        "text": {"type": "string"},
        "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
        "scope": {"type": "string"},
        "trust": {"type": "string", "enum": [trust.value for trust in TrustTier]},
        "state": {"type": "string", "enum": [state.value for state in State]},
        "created_at": {"type": "string"},
    },
    "required": ["id", "type", "lane", "text", "kind", "scope", "trust", "state", "created_at"],
    "additionalProperties": True,
}
A_TRACE: Json = {
    "id": ID, "type": "memory", "lane": "memories", "text": "The deploy key rotates on Mondays", "kind": "fact",
    "scope": "infra", "trust": "trusted", "state": "active", "created_at": AT, "importance": 0.8,
}  # fmt: skip


def _hit_to_json(hit: Hit) -> Json:
    return {
        "id": hit.trace.id,
        "score": round(hit.score, 6),
        "legs": list(hit.legs),
        "parts": dict(hit.parts.parts),
        "reasons": list(hit.parts.reasons),
        "excerpt": hit.excerpt,
        "trace": to_json(hit.trace),
    }


def _hit_from_json(payload: Json) -> Hit:
    return Hit(
        trace=from_json(payload["trace"]),
        score=payload["score"],
        parts=ScoreParts(payload["parts"], tuple(payload["reasons"])),
        legs=tuple(payload["legs"]),
        excerpt=payload["excerpt"],
    )


_HIT: Json = {
    "type": "object",
    "description": "A matching trace with its score, score parts and reasons.",
    "properties": {
        "id": {"type": "string"},
        "score": {"type": "number"},
        "legs": {"type": "array", "items": {"type": "string"}},
        "parts": {"type": "object", "additionalProperties": {"type": "number"}},
        "reasons": {"type": "array", "items": {"type": "string"}},
        "excerpt": {"type": "string"},
        "trace": _TRACE,
    },
    "required": ["id", "score", "legs", "parts", "reasons", "excerpt", "trace"],
}

AnyTrace = Annotated[
    Memory | Turn | Chunk | Outcome,
    _read((Memory, Turn, Chunk, Outcome), from_json),
    PlainSerializer(to_json),
    WithJsonSchema(_TRACE),
]
AnyMemory = Annotated[Memory, _read(Memory, from_json), PlainSerializer(to_json), WithJsonSchema(_TRACE)]
AnyHit = Annotated[Hit, _read(Hit, _hit_from_json), PlainSerializer(_hit_to_json), WithJsonSchema(_HIT)]
AnyReceipt = Annotated[
    Receipt, _read(Receipt, Receipt.from_json), PlainSerializer(Receipt.to_json), WithJsonSchema(_OBJECT)
]
ReceiptField = Annotated[AnyReceipt, Field(description="What was done: ids, counts, reasons and timings, never text.")]
Total = Annotated[int, Field(description="The total number.")]
Next = Annotated[str | None, Field(description="Where to continue; null on the last page.")]
