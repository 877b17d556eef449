"""Alerts: what an operator should know, one for each cause. They carry no text of memories."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from cortex.domain.scope import Tenant

MOST_CLOSED = 100
"""How many closed alerts are kept."""

REPEATED_AFTER = timedelta(minutes=1)
"""A cause that is reported more often is not written down each time."""


class Severity(StrEnum):
    WARNING = "warning"
    """Something works worse than it should."""
    CRITICAL = "critical"
    """Something is lost, or will be if nobody acts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One cause that needs attention, from when it was first reported until it is over."""

    cause: str
    """What names it, such as `drift:labels`: the same cause is one alert."""
    agent: str
    user: str
    severity: Severity
    message: str
    hint: str
    opened_at: datetime
    reported_at: datetime
    """When it was last reported."""
    closed_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.agent, self.user)

    def to_json(self) -> dict[str, Any]:
        return {
            name: value.isoformat() if isinstance(value, datetime) else value for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Alert:
        closed_at = payload["closed_at"]
        return cls(
            cause=str(payload["cause"]),
            agent=str(payload["agent"]),
            user=str(payload["user"]),
            severity=Severity(payload["severity"]),
            message=str(payload["message"]),
            hint=str(payload["hint"]),
            opened_at=datetime.fromisoformat(payload["opened_at"]),
            reported_at=datetime.fromisoformat(payload["reported_at"]),
            closed_at=datetime.fromisoformat(closed_at) if closed_at else None,
        )


@dataclass(frozen=True, slots=True)
class AlertList:
    """The alerts of everybody, in the order they were opened."""

    alerts: tuple[Alert, ...] = field(default=())

    @classmethod
    def from_json(cls, body: bytes) -> AlertList:
        return cls(tuple(Alert.from_json(each) for each in json.loads(body)["alerts"]))

    def to_json(self) -> bytes:
        return json.dumps({"alerts": [each.to_json() for each in self.alerts]}, ensure_ascii=False).encode()

    def open_one(self, tenant: Tenant, cause: str) -> Alert | None:
        """The open alert of this cause."""
        return next((each for each in self.alerts if each.is_open and _is(each, tenant, cause)), None)

    def reported(self, new: Alert) -> AlertList:
        """With an alert that was reported: a new one, or the open one of its cause with what is known now."""
        if (known := self.open_one(new.tenant, new.cause)) is None:
            return AlertList((*self.alerts, new))
        return self._with(known, replace(new, opened_at=known.opened_at))

    def cleared(self, tenant: Tenant, cause: str, at: datetime) -> AlertList:
        """With the alert of this cause closed. Of closed ones only the newest are kept."""
        if (known := self.open_one(tenant, cause)) is None:
            return self
        found = self._with(known, replace(known, closed_at=at)).alerts
        closed = [each for each in found if not each.is_open]
        dropped = set(map(id, sorted(closed, key=_closed_at)[:-MOST_CLOSED]))
        return AlertList(tuple(each for each in found if id(each) not in dropped))

    def _with(self, old: Alert, new: Alert) -> AlertList:
        return AlertList(tuple(new if each is old else each for each in self.alerts))


def is_news(known: Alert | None, new: Alert) -> bool:
    """Whether a report says more than what is on record."""
    if known is None or (known.message, known.severity, known.hint) != (new.message, new.severity, new.hint):
        return True
    return new.reported_at - known.reported_at >= REPEATED_AFTER


def newest_first(alerts: Sequence[Alert]) -> list[Alert]:
    """Open alerts before closed ones, critical before others, the newest first."""
    return sorted(
        alerts,
        key=lambda each: (each.is_open, each.severity is Severity.CRITICAL, each.closed_at or each.opened_at),
        reverse=True,
    )


def _is(alert: Alert, tenant: Tenant, cause: str) -> bool:
    return (alert.agent, alert.user, alert.cause) == (tenant.agent, tenant.user, cause)


def _closed_at(alert: Alert) -> datetime:
    return alert.closed_at or alert.opened_at
