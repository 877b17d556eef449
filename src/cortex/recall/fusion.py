"""Bringing legs together: by place, or by weighted scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from cortex.domain.identity import TraceId

Key = TypeVar("Key")


def reciprocal(legs: Iterable[Sequence[TraceId]], k: int) -> dict[TraceId, float]:
    """Reciprocal rank fusion: two legs agreeing beats one leg insisting. 1.0 is first place in every leg."""
    scores: dict[TraceId, float] = defaultdict(float)
    count = 0
    for leg in legs:
        count += 1
        for place, id in enumerate(leg, start=1):
            scores[id] += 1.0 / (k + place)
    best = count / (k + 1)
    return {id: score / best for id, score in scores.items()}


def weighted(
    legs: Mapping[str, Mapping[TraceId, float]], weights: Mapping[str, float]
) -> dict[TraceId, dict[str, float]]:
    """What each leg adds to a trace's score; a leg that does not know a trace adds nothing to it."""
    parts: dict[TraceId, dict[str, float]] = defaultdict(dict)
    for name, scores in legs.items():
        if name in weights:
            for id, score in scores.items():
                parts[id][name] = weights[name] * score
    return dict(parts)


def convex(legs: Mapping[str, Mapping[TraceId, float]], weights: Mapping[str, float]) -> dict[TraceId, float]:
    """The weighted sum of the legs' scores."""
    return {id: sum(parts.values()) for id, parts in weighted(legs, weights).items()}


def against_best(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores as shares of the best one; all zero where nothing scored."""
    best = max(scores.values(), default=0.0)
    return {key: max(0.0, score / best) if best > 0 else 0.0 for key, score in scores.items()}


def ranked(scores: Mapping[TraceId, float]) -> list[TraceId]:
    """Best first, ties by id, so that the same scores always give the same order."""
    return sorted(scores, key=lambda id: (-scores[id], id))
