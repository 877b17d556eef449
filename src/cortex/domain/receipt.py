"""A receipt: what one operation did, by ids, counts, reasons and milliseconds. Never by text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cortex.domain.identity import ReceiptId
from cortex.domain.trace import parse_time

MAX_ITEMS_CAP = 10

_ENVELOPE = frozenset({"schema", "id", "op", "at", "agent", "user", "position", "latency_ms"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The envelope every operation shares; `facts` holds what is particular to the operation."""

    id: ReceiptId
    op: str
    at: datetime
    agent: str
    user: str
    position: int
    latency_ms: float
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def schema(self) -> str:
        return f"cortex.{self.op}.receipt.v1"

    @property
    def degraded(self) -> tuple[str, ...]:
        """What could not be done as asked, by name; empty when all went well."""
        return tuple(self.facts.get("degraded", ()))

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": self.schema,
            "id": self.id,
            "op": self.op,
            "at": self.at.isoformat(),
            "agent": self.agent,
            "user": self.user,
            "position": self.position,
            "latency_ms": round(self.latency_ms, 3),
            **self.facts,
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Receipt:
        """The receipt that `to_json` told of."""
        return cls(
            id=told["id"],
            op=told["op"],
            at=parse_time(told["at"]),
            agent=told["agent"],
            user=told["user"],
            position=told["position"],
            latency_ms=told["latency_ms"],
            facts={name: value for name, value in told.items() if name not in _ENVELOPE},
        )
