"""The filter that list, stats and export share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

from pydantic import Field

from cortex.domain.lanes import Lane, State
from cortex.errors import InvalidRequest
from cortex.ports.store import Filter
from cortex.surfaces.wire.fields import KindName, LabelName, LaneName, Since, StateName, TrustName, Until
from cortex.surfaces.wire.model import Json, Request, plain

_NAMES = {
    "lanes": "lane", "scopes": "scope", "kinds": "kind", "trusts": "trust", "labels": "label", "states": "state",
    "sessions": "session", "since": "since", "until": "until",
}  # fmt: skip


class FilterRequest(Request):
    """A request for some of the traces; every field narrows it."""

    scope: list[str] | None = Field(None, description="Only these scopes.")
    kind: list[KindName] | None = Field(None, description="Only these kinds.")
    lane: list[LaneName] | None = Field(
        None, description="Only these lanes: memories, sessions (turns), notes and docs (lines of files)."
    )
    state: list[StateName] | None = Field(None, description="Only these states.")
    trust: list[TrustName] | None = Field(None, description="Only these trust tiers.")
    label: list[LabelName] | None = Field(None, description="Only these importance labels.")
    session: list[str] | None = Field(None, description="Only turns of these sessions.")
    since: Since = None
    until: Until = None

    _states: ClassVar[frozenset[State]] = frozenset(State)
    """The states by default."""

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
        )

    @classmethod
    def payload_of(cls, arguments: Mapping[str, Any]) -> Json:
        rest = {name: value for name, value in arguments.items() if name != "filter"}
        return _payload_of(arguments.get("filter") or Filter(states=cls._states)) | super().payload_of(rest)


def _payload_of(filter: Filter) -> Json:
    """A filter as a payload; refused if it has fields that only work in process."""
    payload: Json = {"lane": [lane.value for lane in Lane]}
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
