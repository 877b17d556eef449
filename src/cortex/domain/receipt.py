"""A receipt: what one operation did, by ids, counts, reasons and milliseconds. Never by text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cortex.domain.identity import ReceiptId
from cortex.domain.trace import parse_time

MAX_ITEMS_CAP = 10

CAMEL_CASE_KEYS = {
    "ftsTop": "E12",
    "vecTop": "E12",
    "fusedTop": "E12",
    "embeddingSkipped": "E13",
    "embeddingSkipReason": "E13",
    "policyTier": "S5",
    "forceOverwrite": "S5",
    "forceFields": "S5",
    "overwrittenFields": "S5",
    "missingIds": "S5",
    "cachedAt": "C13",
}
"""Keys whose spelling a requirement gives, with that requirement. All other keys are snake_case."""

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
        """What was degraded, by name; empty if nothing was."""
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
    def from_json(cls, payload: Mapping[str, Any]) -> Receipt:
        """The receipt of `to_json`."""
        return cls(
            id=payload["id"],
            op=payload["op"],
            at=parse_time(payload["at"]),
            agent=payload["agent"],
            user=payload["user"],
            position=payload["position"],
            latency_ms=payload["latency_ms"],
            facts={name: value for name, value in payload.items() if name not in _ENVELOPE},
        )
