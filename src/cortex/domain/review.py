"""What people decided in the inbox, as far as it is applied to new statements: rejections and thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from cortex.domain.injection_detection import suspicion
from cortex.domain.memory import Memory
from cortex.domain.rejections import REJECTED, Rejections
from cortex.domain.thresholds import QUARANTINE, THRESHOLDS, extractor_of, learned
from cortex.domain.trust import TrustTier


class _States(Protocol):
    def state(self, session: str) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True)
class Review:
    """What one user's operator decided so far."""

    rejections: Rejections
    thresholds: Mapping[str, float]

    @classmethod
    def read(cls, view: _States) -> Self:
        """As the states of a view have it."""
        return cls(Rejections(view.state(REJECTED)), learned(view.state(THRESHOLDS)))

    def least(self, found_by: str, default: float) -> float:
        """How sure an extractor has to be of what it found."""
        return self.thresholds.get(extractor_of(found_by), default)

    def held_back(self, memory: Memory) -> Memory:
        """A new memory, quarantined if it was rejected before, or is more suspicious than people let pass."""
        memory = self.rejections.held_back(memory)
        limit = self.thresholds.get(QUARANTINE)
        if limit is None or memory.trust is not TrustTier.UNTRUSTED or suspicion(memory.text).score < limit:
            return memory
        return memory.revised(trust=TrustTier.QUARANTINED)
