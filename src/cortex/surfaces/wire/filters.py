"""The filter that list, stats and export share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, ClassVar

from pydantic import Field

from cortex.domain.lanes import Lane, State
from cortex.errors import InvalidRequest
from cortex.ports.store import Filter
from cortex.surfaces.wire.fields import KindName, LabelName, LaneName, Short, Since, StateName, TrustName, Until
from cortex.surfaces.wire.model import Json, Request, plain

Sessions = Annotated[
    list[str] | None, Field(description="Only turns of these sessions, and memories extracted from them.")
]
_NAMES = {
    "lanes": "lane", "scopes": "scope", "kinds": "kind", "trusts": "trust", "labels": "label", "states": "state",
    "sessions": "session", "since": "since", "until": "until", "contains": "contains", "topics": "topic", "tags": "tag",
}  # fmt: skip


class FilterRequest(Request):
    """A request for some of the traces; every field narrows it."""

    scope: list[str] | None = Field(None, description="Only these scopes.")
    kind: list[KindName] | None = Field(None, description="Only these kinds.")
    lane: list[LaneName] | None = Field(
        None, description="Only these lanes: memories, sessions (turns), notes and docs (lines of files), outcomes."
    )
    state: list[StateName] | None = Field(None, description="Only these states.")
    trust: list[TrustName] | None = Field(None, description="Only these trust tiers.")
    label: list[LabelName] | None = Field(None, description="Only these importance labels.")
    session: list[str] | None = Field(None, description="Only turns of these sessions.")
    since: Since = None
    until: Until = None
    contains: str | None = Field(
        None, min_length=1, max_length=1_000, description="Only texts with these words, in capitals or not."
    )
    topic: list[Short] | None = Field(None, description="Only memories of these topics.")
    tag: list[Short] | None = Field(None, description="Only memories with one of these tags.")

    _states: ClassVar[frozenset[State]] = frozenset(State)
    """The states by default."""
    _lanes: ClassVar[frozenset[Lane]] = frozenset(Lane)
    """The lanes that a filter without lanes stands for."""

    def filter(self) -> Filter:
        return Filter(
            lanes=_several(self.lane),
            scopes=_several(self.scope),
            kinds=_several(self.kind),
            states=_several(self.state) or self._states,
            trusts=_several(self.trust),
            labels=_several(self.label),
            sessions=_several(self.session),
            since=self.since,
            until=self.until,
            contains=self.contains,
            topics=_several(self.topic),
            tags=_several(self.tag),
        )

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        rest = {name: value for name, value in arguments.items() if name != "filter"}
        return _payload_of(arguments.get("filter") or Filter(states=cls._states), cls._lanes) | super().payload_of(rest)


def _payload_of(filter: Filter, lanes: frozenset[Lane]) -> Json:
    """A filter as a payload; refused if it has fields that only work in process."""
    payload: Json = {"lane": [lane.value for lane in Lane if lane in lanes]}
    for field in fields(filter):
        value = getattr(filter, field.name)
        if value is None:
            continue
        if field.name not in _NAMES:
            raise InvalidRequest(
                "cannot be sent to a server", field=f"filter.{field.name}", hint=f"known there: {', '.join(_NAMES)}"
            )
        if value == frozenset():
            raise InvalidRequest("matches nothing", field=f"filter.{field.name}", hint="leave it out for all")
        payload[_NAMES[field.name]] = plain(value)
    return payload


def _several(given: Sequence[Any] | None) -> frozenset[Any] | None:
    return frozenset(given) if given else None
