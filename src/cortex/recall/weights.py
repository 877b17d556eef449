"""Weights of the two judgments after ranking, as `python -m bench.fit_recall` fitted them: numbers, and nothing else.

Each is a logistic regression over named signs: positive means yes.
"""

from collections.abc import Mapping

NEWER: Mapping[str, float] = {
    "bias": -11.82,
    "near": 2.24,
    "mentions": 1.88,
    "changed": 1.67,
    "score": 2.02,
    "similarity": 2.19,
    "kind requested": 1.75,
    "left unsaid": 2.00,
    "same unit": 1.60,
    "same kind": 1.28,
    "overlap": 2.25,
    "same place": 1.91,
    "score beside": 2.02,
}
"""Whether a later statement replaces an earlier one."""

BRIEF: Mapping[str, float] = {
    "bias": -4.84,
    "fact": 0.31,
    "past": -0.29,
    "changed": 0.64,
    "score": 1.05,
    "similarity": 0.73,
    "older": -0.29,
    "score beside": 1.66,
    "tie": 2.60,
    "tie of change": 0.94,
    "tie by thing": 0.49,
    "no value": -0.41,
    "not requested": -0.76,
}
"""Whether a brief statement replaces an earlier one that ranks high."""

MISSING: Mapping[str, float] = {
    "bias": -4.29,
    "asks for a noun": 1.46,
    "asks for a value": -2.75,
    "terms": 1.38,
    "fall": 7.26,
    "known": -1.88,
    "noun missing": 1.22,
    "near": -2.12,
}
"""Whether the topic of a question is known, but the answer was never said."""
