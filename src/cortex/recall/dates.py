"""Dates that capture worked out: beside the words they stand for in a memory, and so in the turn it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

WORKED_OUT = re.compile(r" \((?:week of |weekend of )?\d{4}(?:-\d\d){0,2}\)")
"""What capture writes beside a relative date."""

_MOST_WORDS = 3
_LAST_CHARS = 80
_WORD = re.compile(r"\S+")

Dated = tuple[str, str]
"""The words a date stands for, and the date as capture wrote it."""


def dates_in(memory: str) -> Iterator[Dated]:
    """The dates in the text of a memory, each with the last words before it."""
    for found in WORKED_OUT.finditer(memory):
        words = _WORD.findall(memory, max(0, found.start() - _LAST_CHARS), found.start())
        if words:
            yield " ".join(words[-_MOST_WORDS:]), found.group()


def with_dates(text: str, dates: Iterable[Dated]) -> str:
    """`text` with the dates beside the words they stand for, where it has those words once."""
    for words, date in dates:
        if date not in text and (place := _behind(words, text)) is not None:
            text = text[:place] + date + text[place:]
    return text


def _behind(words: str, text: str) -> int | None:
    """The place behind the words in a text: behind as many of the last ones as it has, or None."""
    said = words.split()
    for first in range(len(said)):
        spelled = r"\s+".join(map(re.escape, said[first:]))
        found = [each.end() for each in re.finditer(rf"(?<!\w){spelled}(?!\w)", text, re.IGNORECASE)]
        if len(found) == 1:
            return found[0]
    return None
