"""Holds: what is on hold neither expires nor merges, and is not erased, until an administrator releases it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from cortex.domain.identity import TraceId, checked_id
from cortex.domain.scope import checked_label
from cortex.domain.subjects import person_of, roles_of
from cortex.domain.trace import Trace, parse_time
from cortex.errors import InvalidRequest

HOLDS = "#holds"
"""The session in whose state the holds of a user are kept. An erasure takes nothing out of it."""

MOST_IDS = 1_000
MOST_HOLDS = 1_000
MOST_REASON_CHARS = 200


class HoldKind(StrEnum):
    """By what a hold knows what is held."""

    IDS = "ids"
    SCOPE = "scope"
    SESSION = "session"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One hold. It says who placed it, when and why."""

    name: str
    kind: HoldKind
    values: tuple[str, ...]
    at: datetime
    by: str = ""
    reason: str = ""
    user: str = ""
    """Whose memory it is on; empty for all users of the agent."""

    def covers(self, trace: Trace, user: str, sessions: Callable[[Trace], Iterable[str]]) -> bool:
        """Whether a trace of a user is held. `sessions` are those in which it was said, or its source turns were."""
        if self.kind is HoldKind.IDS:
            return trace.id in self.values
        if self.kind is HoldKind.SCOPE:
            return trace.scope in self.values
        if self.kind is HoldKind.PERSON:
            return bool(roles_of(trace, person_of(self.values), user))
        return any(session in self.values for session in sessions(trace))

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"at": self.at.isoformat(), "kind": self.kind.value, "values": list(self.values)}

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Hold:
        """The hold of `to_json`."""
        known = {name: payload[name] for name in cls.__dataclass_fields__ if name in payload}
        typed = {"at": parse_time(payload["at"]), "kind": HoldKind(payload["kind"]), "values": tuple(payload["values"])}
        return cls(**known | typed)


def drafted(
    *,
    ids: Sequence[str] = (),
    scope: str | None = None,
    session: str | None = None,
    person: str | None = None,
    also: Sequence[str] = (),
    reason: str = "",
    at: datetime,
    by: str,
) -> Hold:
    """A hold without a name, on one of the four; or an error that names the field."""
    choices = (("ids", ids), ("scope", scope), ("session", session), ("person", person))
    given = [name for name, value in choices if value]
    if len(given) != 1:
        raise InvalidRequest(
            "names nothing to hold" if not given else f"names {' and '.join(given)}", field="hold",
            hint="give ids, a scope, a session or a person",
        )  # fmt: skip
    if not isinstance(reason, str) or len(reason) > MOST_REASON_CHARS or not reason.isprintable():
        raise InvalidRequest(
            "is not a line of text", field="reason", hint=f"give up to {MOST_REASON_CHARS} characters in one line"
        )
    if len(ids) > MOST_IDS:
        raise InvalidRequest(f"names over {MOST_IDS:,}", field="ids", hint="place several holds")
    if also and not person:
        raise InvalidRequest("are other names of nobody", field="also", hint="give the person as well")
    kind = HoldKind(given[0])
    if person:
        names = person_of((person, *also)).names
        return Hold(name="", kind=kind, values=names, at=at, by=by, reason=reason.strip())
    values = tuple(dict.fromkeys(checked_id(id, field="ids") for id in ids)) or (
        checked_label(scope or session or "", kind.value),
    )
    return Hold(name="", kind=kind, values=values, at=at, by=by, reason=reason.strip())


def holds_in(state: Mapping[str, Any] | None, *, user: str) -> list[Hold]:
    """The holds that are in a state, oldest first. One that cannot be read is an error: it must not be passed over."""
    found = [replace(Hold.from_json(payload), name=name) for name, payload in (state or {}).items()]
    return sorted((each for each in found if each.user in ("", user)), key=lambda each: (each.at, each.name))


def held_by(
    traces: Iterable[Trace], user: str, holds: Sequence[Hold], sessions: Callable[[Trace], Iterable[str]]
) -> dict[TraceId, Hold]:
    """Which of some traces are held, each with the first hold that covers it."""
    found: dict[TraceId, Hold] = {}
    for trace in traces:
        for hold in holds:
            if hold.covers(trace, user, sessions):
                found.setdefault(trace.id, hold)
                break
    return found
