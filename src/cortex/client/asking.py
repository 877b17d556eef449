"""What is asked of the engine, as the server takes it."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from cortex.domain.lanes import Lane
from cortex.domain.memory import Draft
from cortex.domain.query import Mode, Query
from cortex.errors import InvalidRequest
from cortex.ports.store import Filter

_FILTERED = {
    "lanes": "lane",
    "scopes": "scope",
    "kinds": "kind",
    "trusts": "trust",
    "labels": "label",
    "states": "state",
    "sessions": "session",
    "since": "since",
    "until": "until",
}


def of_filter(filter: Filter) -> dict[str, Any]:
    """A filter as the routes take it. What only a process with the store itself can tell is refused."""
    told: dict[str, Any] = {}
    for field in fields(filter):
        value = getattr(filter, field.name)
        if value is None:
            continue
        if field.name not in _FILTERED:
            raise InvalidRequest(
                "cannot be asked of a server", field=f"filter.{field.name}", hint=f"known there: {', '.join(_FILTERED)}"
            )
        if value == frozenset():
            raise InvalidRequest("means nothing at all", field=f"filter.{field.name}", hint="leave it out for any")
        told[_FILTERED[field.name]] = plain(value)
    # A list without lanes is of memories; a filter without them means all.
    return {"lane": [lane.value for lane in Lane], **told}


def of_query(text: str | Query, options: dict[str, Any]) -> tuple[Mode, dict[str, Any]]:
    """How a query asks, and as what; checked here as the engine checks it."""
    query = text if isinstance(text, Query) else Query.of(text, **options)
    if query.asked_at is not None:
        raise InvalidRequest("cannot be asked of a server", field="asked_at", hint="leave it out: it is now")
    if query.hybrid_floor is not None:
        raise InvalidRequest("cannot be asked of a server", field="hybrid_floor", hint="give `min_score`")
    left_out = {"text", "mode", "asked_at", "hybrid_floor"}
    told = {field.name: plain(getattr(query, field.name)) for field in fields(query) if field.name not in left_out}
    return query.mode, {"query": query.text, **told}


def of_draft(draft: Draft) -> dict[str, Any]:
    """A statement to remember; what is at its default is not told."""
    told = {
        field.name: plain(value)
        for field in fields(draft)
        if (value := getattr(draft, field.name)) is not None and value != field.default
    }
    if "ttl" in told:
        told["ttl_seconds"] = told.pop("ttl")
    return {"source_kind": draft.source_kind.value, **told}


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, frozenset):
        return sorted(plain(each) for each in value)
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value
