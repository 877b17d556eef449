"""Which traces are meant: the filter that lists, counts and exports share."""

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
    """A request about some of the traces; every field narrows them."""

    scope: list[str] | None = Field(None, description="Only those of these scopes.")
    kind: list[KindName] | None = Field(None, description="Only statements of these kinds.")
    lane: list[LaneName] | None = Field(
        None, description="Only these: memories (statements), sessions (turns), notes and docs (lines of files)."
    )
    state: list[StateName] | None = Field(None, description="Only those in these states.")
    trust: list[TrustName] | None = Field(None, description="Only those of these trust tiers.")
    label: list[LabelName] | None = Field(None, description="Only those of these importance labels.")
    session: list[str] | None = Field(None, description="Only turns of these conversations.")
    since: Since = None
    until: Until = None

    _states: ClassVar[frozenset[State]] = frozenset(State)
    """Which states are meant where none is given."""

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
    """A filter as a server takes it. What only a process with the store itself can say is refused."""
    told: Json = {"lane": [lane.value for lane in Lane]}
    for field in fields(filter):
        value = getattr(filter, field.name)
        if value is None:
            continue
        if field.name not in _NAMES:
            raise InvalidRequest(
                "cannot be sent to a server", field=f"filter.{field.name}", hint=f"known there: {', '.join(_NAMES)}"
            )
        if value == frozenset():
            raise InvalidRequest("matches nothing at all", field=f"filter.{field.name}", hint="leave it out for any")
        told[_NAMES[field.name]] = plain(value)
    return told


def _several(given: Sequence[Any] | None) -> frozenset[Any] | None:
    return frozenset(given) if given else None


