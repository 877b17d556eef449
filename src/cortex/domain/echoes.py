"""What a conversation says about a recall: whether the reply used a memory, and whether the user corrected it."""

from __future__ import annotations

from cortex.domain.terms import index_terms, query_terms
from cortex.languages.pack import compiled
from cortex.languages.packs import DEFAULT_PACKS

ENOUGH = 0.6
"""So much of what a memory says beyond the question must be in the reply, by the weight of its words."""


_OPENING_CHARS = 200


def is_echoed(text: str, query: str, reply: str) -> bool:
    """Whether a reply says what a memory says and its question does not."""
    asked, said = set(index_terms(query)), set(index_terms(reply))
    news = [term for term in query_terms(text) if term.text not in asked]
    whole = sum(term.weight for term in news)
    return whole > 0 and sum(term.weight for term in news if term.text in said) >= ENOUGH * whole


def is_correction(text: str) -> bool:
    """Whether a message opens by saying that something was wrong."""
    said = f"{text.strip()[:_OPENING_CHARS]}."
    return any(compiled(pack.corrections).match(said) for pack in DEFAULT_PACKS if pack.corrections)
