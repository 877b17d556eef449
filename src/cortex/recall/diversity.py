"""Not saying the same thing twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TypeVar

from cortex.domain.terms import index_terms

Key = TypeVar("Key")


def jaccard(one: Set[str], other: Set[str]) -> float:
    """The share of words two texts have in common; two texts without words are the same."""
    return len(one & other) / len(one | other) if one or other else 1.0


def diversified(
    ranked: Sequence[Key], scores: Mapping[Key, float], texts: Mapping[Key, str], balance: float
) -> list[Key]:
    """Maximal marginal relevance: next is the best of `balance` × score − (1 − balance) × likeness to the chosen.

    All of `ranked` come back, in a new order. A balance of 1 keeps the order.
    """
    words = {key: frozenset(index_terms(texts[key])) for key in ranked}
    top = max((scores[key] for key in ranked), default=0.0)
    relevance = {key: scores[key] / top if top > 0 else 0.0 for key in ranked}
    likeness = dict.fromkeys(ranked, 0.0)
    rest, chosen = list(ranked), []
    while rest:
        # `max` keeps the first of equals: ties stay in the order they came in.
        best = max(rest, key=lambda key: balance * relevance[key] - (1.0 - balance) * likeness[key])
        rest.remove(best)
        chosen.append(best)
        for key in rest:
            likeness[key] = max(likeness[key], jaccard(words[key], words[best]))
    return chosen
