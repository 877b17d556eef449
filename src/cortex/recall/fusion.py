"""Bringing legs together: by place, or by weighted scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from cortex.domain.identity import TraceId

Key = TypeVar("Key")


def reciprocal(legs: Iterable[Sequence[TraceId]], k: int) -> dict[TraceId, float]:
    """Reciprocal rank fusion: two legs agreeing beats one leg insisting. The plain sum of 1 / (k + place)."""
    scores: dict[TraceId, float] = defaultdict(float)
    for leg in legs:
        for place, id in enumerate(leg, start=1):
            scores[id] += 1.0 / (k + place)
    return dict(scores)


def most_reciprocal(legs: int, k: int) -> float:
    """What first place in every leg gives: beside it other parts of a score are weighed."""
    return legs / (k + 1)


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


def against_best(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores as shares of the best one; all zero where nothing scored."""
    best = max(scores.values(), default=0.0)
    return {key: max(0.0, score / best) if best > 0 else 0.0 for key, score in scores.items()}


def ranked(scores: Mapping[TraceId, float]) -> list[TraceId]:
    """Best first, ties by id, so that the same scores always give the same order."""
    return sorted(scores, key=lambda id: (-scores[id], id))
