"""The orders in which traces can be listed, and the place of one in them, from which the next page goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from cortex.domain.identity import TraceId, checked_id
from cortex.domain.importance import ImportanceLabel
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.trace import Trace
from cortex.domain.trust import TrustTier
from cortex.errors import InvalidRequest

Value = int | float | str
"""What is compared: microseconds, a count, a share, or a name."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class SortKey(StrEnum):
    """What traces can be sorted by."""

    STORED = "stored"
    """When it was stored: the position of its first version in the ledger; 0 for chunks of files, which have none."""
    CREATED = "created"
    CHANGED = "changed"
    """When its last version was written: the position in the ledger."""
    USED = "used"
    USES = "uses"
    IMPORTANCE = "importance"
    CONFIDENCE = "confidence"
    KIND = "kind"
    SCOPE = "scope"
    LABEL = "label"
    TRUST = "trust"
    STATE = "state"

    @property
    def is_name(self) -> bool:
        """Whether traces are compared by one of the few names that filters know."""
        return self in _NAMES

    def rank(self, name: str) -> tuple[int, str]:
        """The place of a name among the others of its kind."""
        order = _NAMES[self]
        return (order.index(name) if name in order else len(order), name)


_NAMES: Mapping[SortKey, tuple[str, ...]] = {
    SortKey.KIND: (),
    SortKey.SCOPE: (),
    SortKey.LABEL: tuple(ImportanceLabel),
    SortKey.TRUST: tuple(TrustTier),
    SortKey.STATE: tuple(State),
}
"""Names that are sorted by what they mean; the others by their letters."""


@dataclass(frozen=True, slots=True)
class Sort:
    """An order: by one key, and by id where that is the same."""

    key: SortKey
    descending: bool = False

    @classmethod
    def parse(cls, text: object) -> Sort:
        """An order by its name, such as `created`, or `-created` for the latest first."""
        if isinstance(text, Sort):
            return text
        name = str(text).removeprefix("-")
        if not isinstance(text, str) or name not in set(SortKey):
            known = ", ".join(SortKey)
            raise InvalidRequest("is not an order", field="sort", hint=f"use one of {known}; -created for latest first")
        return cls(SortKey(name), text.startswith("-"))

    def __str__(self) -> str:
        return f"{'-' if self.descending else ''}{self.key}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a trace stands in an order. It holds though the trace changes: the next page goes on from there."""

    value: Value
    id: TraceId

    def cursor(self) -> str:
        """The place as text, for the next request."""
        return f"{self.value}~{self.id}"

    @classmethod
    def parse(cls, cursor: str, sort: Sort) -> Place:
        """The place that a page of this order ended at."""
        value, _, id = cursor.rpartition("~")
        try:
            return cls(_typed(value, sort.key), checked_id(id))
        except (InvalidRequest, ValueError):
            raise InvalidRequest(
                f"is not a place in a list by {sort.key}", field="after", hint="give the `next` of the page before"
            ) from None


@dataclass(frozen=True, slots=True)
class Placed:
    """A trace, and where it stands in an order."""

    trace: Trace
    place: Place


def _typed(value: str, key: SortKey) -> Value:
    if key.is_name:
        return value
    if key in {SortKey.IMPORTANCE, SortKey.CONFIDENCE}:
        return float(value)
    return int(value)


def microseconds(at: datetime | None) -> int:
    """A time as it is compared; 0 for never."""
    return 0 if at is None else (at - _EPOCH) // _MICROSECOND


def value_of(trace: Trace, key: SortKey) -> Value:
    """What a trace is compared by, if it is in the trace: when it was stored and changed only its store knows."""
    if key is SortKey.CREATED:
        return microseconds(trace.created_at)
    return _OF_MEMORY[key](trace) if isinstance(trace, Memory) else 0


_OF_MEMORY: Mapping[SortKey, Callable[[Memory], Value]] = {
    SortKey.USED: lambda memory: microseconds(memory.last_accessed_at),
    SortKey.USES: lambda memory: memory.access_count,
    SortKey.IMPORTANCE: lambda memory: float(memory.importance),
    SortKey.CONFIDENCE: lambda memory: float(memory.confidence),
}


def in_order(found: Iterable[Placed], sort: Sort, after: Place | None, limit: int) -> list[Placed]:
    """One page of traces, sorted: the plain reading of what stores do by their indexes."""

    def key(place: Place) -> tuple[Any, TraceId]:
        return (place.value, place.id)

    rest = [
        each
        for each in found
        if after is None or (key(each.place) < key(after) if sort.descending else key(each.place) > key(after))
    ]
    return sorted(rest, key=lambda each: key(each.place), reverse=sort.descending)[: max(0, limit)]
