"""What happened once and matters for good: it stays, though it is told with a word such as "this week" (X6)."""

from __future__ import annotations

import re
from functools import cache

from cortex.languages import WORDS
from cortex.languages.words import either


def is_life_event(text: str) -> bool:
    """Whether a statement tells of an event that changes a life."""
    return bool(_pattern().search(text.replace("’", "'")))


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(either(each.life_events for each in WORDS), re.IGNORECASE)
