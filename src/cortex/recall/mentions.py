"""Where a text mentions the terms of a query: found by their spelling, without cutting the whole text into terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache


def mentions(text: str, terms: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The place and the term of every mention, in order. Terms are stems: any ending of a word will do."""
    wanted = tuple(sorted(set(terms)))
    if not wanted:
        return
    for found in _pattern(wanted).finditer(text):
        assert found.lastindex is not None  # every alternative is a group
        yield found.start(), wanted[found.lastindex - 1]


def mentioned(text: str, terms: Iterable[str]) -> frozenset[str]:
    """Which of `terms` a text mentions."""
    return frozenset(term for _, term in mentions(text, terms))


@lru_cache(maxsize=256)
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"({_spelling(term)})" for term in terms), re.IGNORECASE)


def _spelling(term: str) -> str:
    """A stem as it may be spelled: a final i stands for the y it was, and scripts without spaces have no edges."""
    if not term[:1].isascii():
        return re.escape(term)
    stem = f"{re.escape(term[:-1])}[iy]" if term.endswith("i") else re.escape(term)
    return rf"\b{stem}\w*"
