"""A canary: settings that a share of the sessions tries before they become everybody's (E20)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

from cortex.domain.scope import Tenant


class Arm(StrEnum):
    """Which settings a session uses."""

    CONTROL = "control"
    CANARY = "canary"


class CanaryState(StrEnum):
    """What became of a canary."""

    REFUSED = "refused"
    """The comparison spoke against it: no session tried it."""
    PASSED = "passed"
    """The comparison spoke for it, and that was all that was wanted."""
    RUNNING = "running"
    ENDED = "ended"
    """Its time is over, and every session has the old settings again."""
    RETURNED = "returned"
    """It was taken back before its time."""
    PROMOTED = "promoted"
    """Its settings are everybody's now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """The latest canary of a store, shared by all its processes and hosts."""

    id: str
    settings: Mapping[str, Any]
    """By their dotted names."""
    share: float
    started_at: datetime
    ends_at: datetime
    agent: str
    user: str
    """Whose golden set it was compared on."""
    state: CanaryState = CanaryState.RUNNING
    why: str = ""
    """Why it was refused or returned."""
    closed_at: datetime | None = None
    comparison: Mapping[str, Any] = field(default_factory=dict)
    """The figures of both sides."""

    def at(self, now: datetime) -> Canary:
        """The canary as it is at `now`: one whose time is over has ended."""
        if self.state is CanaryState.RUNNING and now >= self.ends_at:
            return self.closed(CanaryState.ENDED, self.ends_at)
        return self

    def closed(self, state: CanaryState, at: datetime, why: str = "") -> Canary:
        return replace(self, state=state, closed_at=at, why=why)

    def arm(self, tenant: Tenant, session: str) -> Arm:
        """The arm of a session: always the same one, on every host."""
        name = "\0".join((self.id, tenant.agent, tenant.user, session))
        digest = sha256(name.encode("utf-8", "surrogatepass")).digest()
        return Arm.CANARY if int.from_bytes(digest[:8], "big") < self.share * 2**64 else Arm.CONTROL

    def to_json(self) -> dict[str, Any]:
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}

    def to_body(self) -> bytes:
        """The content of its document."""
        return json.dumps(self.to_json(), ensure_ascii=False).encode()

    @classmethod
    def from_body(cls, body: bytes) -> Canary:
        """The canary of a document; ValueError where it holds none."""
        return cls.from_json(json.loads(body))

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Canary:
        """The canary of `to_json`; ValueError where it is none."""
        try:
            times = {name: datetime.fromisoformat(payload[name]) for name in ("started_at", "ends_at")}
            closed_at = payload["closed_at"] and datetime.fromisoformat(payload["closed_at"])
            return cls(**{**payload, **times, "closed_at": closed_at, "state": CanaryState(payload["state"])})
        except (TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
            raise ValueError("is not a canary") from error


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else dict(value) if isinstance(value, Mapping) else value
