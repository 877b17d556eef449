"""BM25 over the statistics of what is being searched, so that a big store ranks as a small one would."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

K1 = 0.9
B = 0.4

BEFORE = 0.45
"""What a word of the turn before counts in a turn: an answer rarely repeats the words of its question."""

MAX_OCCURRENCES = 15
"""More occurrences of a term in one text count as this many; it keeps a packed count in four bits."""

Number = TypeVar("Number", float, NDArray[np.float64])


def rarity(documents: int, frequency: int) -> float:
    """Inverse document frequency: never negative, highest for a term nobody uses."""
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def saturation(occurrences: Number, length: Number, mean_length: float, k1: float = K1, b: float = B) -> Number:
    """How much `occurrences` of a term in a text of `length` terms count: rising, but less and less."""
    counted = np.minimum(occurrences, MAX_OCCURRENCES)
    result: Number = counted * (k1 + 1.0) / (counted + k1 * (1.0 - b + b * length / mean_length))
    return result
