"""Whether a message goes on with what was talked about, or turns to something else (C10).

A message is compared with what the synthesis says, not with the message before it: two questions are alike in
how they ask, whatever they ask about. On a hundred and more labeled pairs of messages the cosine of the messages
themselves was right in 0.68 of them, the cosine of message and synthesis in 0.90.

Cosines are compared on the scale of their model. On a measured scale unrelated texts lie higher than on the one that
the built-in model declares; where nothing was measured yet, a cosine says nothing, and words alone decide.
"""

from __future__ import annotations

import re

from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import index_terms, query_terms
from cortex.domain.vectors import Basis, Calibration
from cortex.languages.lists import finder

SAME_TOPIC = 0.5
"""From here on it is the same topic."""

_BY_MEANING = 0.31
_BY_WORDS = 0.10
"""Where the border lies on the scale of each measure: within the range where both halves of the pairs agree."""

_MEASURED_ABOVE = 0.06
"""How much higher the border lies on a scale that was measured on stored texts."""

_OVERLAP = 0.3
_LEANING = 0.05
_LEANING_IN_WORDS = 0.15

_FEW_TERMS = 4
_WORD = re.compile(r"\w+")
_LEANS = finder("leans back")


def same_topic(message: str, about: str, similarity: float | None = None) -> float:
    """How surely `message` is about what the text `about` is about, in 0..1.

    `similarity` is that of the two by meaning; None where it cannot be had, and then words alone decide.
    """
    shared = overlap(message, about)
    leans = leans_back(message)
    if similarity is None:
        return _scaled(shared + _LEANING_IN_WORDS * leans, _BY_WORDS)
    by_meaning = _scaled(similarity + _OVERLAP * shared + _LEANING * leans, _BY_MEANING)
    # "And who does that?" means nothing by itself: there is nothing to compare.
    return max(by_meaning, SAME_TOPIC) if leans and _own_words(message) <= 1 else by_meaning


def similarity(cosine: float, calibration: Calibration) -> float | None:
    """What `same_topic` takes of the cosine of a message, as a query, and a synthesis, as a document.

    None where the scale of the model is not known.
    """
    if calibration.basis is Basis.ASSUMED:
        return None
    above = _MEASURED_ABOVE if calibration.basis is Basis.MEASURED else 0.0
    return max(0.0, calibration.apply(cosine) - above)


def overlap(message: str, about: str) -> float:
    """The share of the message's telling terms, by weight, that the text has too."""
    terms = query_terms(message)
    whole = sum(term.weight for term in terms)
    known = set(index_terms(about))
    return sum(term.weight for term in terms if term.text in known) / whole if whole else 0.0


def leans_back(message: str) -> bool:
    """Whether a short message needs what was said before it: "and how long does that take?"."""
    return bool(_LEANS.search(message)) and len(query_terms(message)) <= _FEW_TERMS


def _own_words(message: str) -> int:
    return sum(word not in STOP_WORDS for word in _WORD.findall(message.lower()))


def _scaled(score: float, border: float) -> float:
    return min(1.0, SAME_TOPIC * max(0.0, score) / border)
