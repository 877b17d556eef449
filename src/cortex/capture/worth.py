"""How likely a statement is worth remembering: named signs and the sentence's own vector, weighed.

The weights were fitted on labeled chats written for this project (`python -m bench.capture.fit`). The vector comes from
the built-in model whatever embedder is configured; without it the signs alone decide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from math import exp, fsum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import Vector

WEIGHTS_FILE = Path(__file__).with_name("worth_weights.json")

SentenceVectors = Callable[[Sequence[str]], Sequence[Vector] | None]
"""Vectors of sentences by the built-in model; None where it cannot be had."""


@dataclass(frozen=True, slots=True)
class WorthWeights:
    """One fitted scale: what each sign and each dimension of the vector adds."""

    bias: float
    signs: Mapping[str, float]
    vector: NDArray[np.float32] | None
    threshold: float
    """From this score on a statement is remembered."""

    def score(self, signs: Set[str], vector: Vector | None = None) -> float:
        """The log-odds that a statement with these signs is worth remembering."""
        known = fsum(self.signs[name] for name in sorted(signs) if name in self.signs)
        similarity = float(vector @ self.vector) if vector is not None and self.vector is not None else 0.0
        return round(self.bias + known + similarity, 3)


class WorthScale(StrEnum):
    """What is judged, and by what."""

    STATEMENT = "with_vectors"
    STATEMENT_BY_SIGNS = "signs_alone"
    RULE = "rules"
    """Whether a sentence is an instruction that lasts."""
    RULE_BY_SIGNS = "rules_by_signs"
    RULE_ELSEWHERE = "rules_elsewhere"
    """The same in the other languages that have signs of instructions, whose names they share."""
    NEWS = "news"
    """Whether a statement tells that something is otherwise than it was said to be."""


@cache
def weights(scale: WorthScale) -> WorthWeights:
    """The weights that ship with the package."""
    fitted = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))[scale]
    vector = fitted.get("vector")
    return WorthWeights(
        fitted["bias"],
        fitted["signs"],
        np.array(vector, dtype=np.float32) if vector else None,
        fitted["threshold"],
    )


def likelihood(score: float) -> float:
    """A score as a probability."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, score))))
