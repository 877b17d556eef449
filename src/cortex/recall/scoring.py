"""The factors of a score: numbers in, numbers out."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from cortex.domain.memory import Kind, Retention

KIND_BOOST = {
    Kind.RULE: 1.5,
    Kind.PROCEDURE: 1.3,
    Kind.FACT: 1.0,
    Kind.DECISION: 1.0,
    Kind.ENTITY: 1.0,
    Kind.OTHER: 1.0,
    Kind.EPISODE: 0.8,
    Kind.PREFERENCE: 0.7,
}
"""How much each kind counts in recall (X5)."""


def recency(age: timedelta, half_life: timedelta) -> float:
    """Weight left after `age`: 1 when new, halved every half-life."""
    return math.pow(0.5, max(age / half_life, 0.0))


def frequency(uses: int) -> float:
    """0 for what was never recalled, rising by the logarithm, 1 from about a thousand times on."""
    return min(1.0, math.log2(1 + max(uses, 0)) / 10)


def scope_boost(retention: Retention, *, scope_matches: bool) -> float:
    """1.0 for a project's own memories, 0.67 for permanent ones, 0.53 for what will pass (X9)."""
    if retention is Retention.PROJECT and scope_matches:
        return 1.0
    return 0.53 if retention in {Retention.SESSION, Retention.TTL} else 0.67


def by_place(place: int) -> float:
    """1/(1+|rank|) of the seed: 1 for the first, a half for the second (B5)."""
    return 1.0 / (1.0 + abs(place))


def by_distance(cosine: float) -> float:
    """1/(1+d) for the Euclidean distance of two unit vectors with this cosine (L1)."""
    return 1.0 / (1.0 + math.sqrt(max(0.0, 2.0 - 2.0 * cosine)))


def decayed(score: float, dated: datetime | None, now: datetime, half_life: timedelta) -> float:
    """The score of something dated falls with its age; what has no date does not decay (B8)."""
    return score if dated is None else score * recency(now - dated, half_life)
