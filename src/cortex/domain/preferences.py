"""How a statement says what somebody prefers, in every language that capture reads."""

from __future__ import annotations

import re

from cortex.languages import WORDS
from cortex.languages.words import either

_NOUNS = r"\b(?:preferences?|preferring|preferencias?|vorlieben?)\b"
_STATED = re.compile(either((*(each.kinds.get("preference.states", "") for each in WORDS), _NOUNS)), re.IGNORECASE)


def states_preference(text: str) -> bool:
    """Whether a text says outright what somebody prefers."""
    return _STATED.search(text) is not None
