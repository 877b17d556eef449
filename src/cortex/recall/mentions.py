"""Where a text mentions the terms of a query: found by their spelling, without cutting the whole text into terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_Stems = tuple[tuple[str, str], ...]
"""How terms may be spelled, each with its term."""


def mentions(text: str, terms: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The place and the term of every mention, in order. Terms are stems: any ending of a word will do."""
    wanted = tuple(sorted(set(terms)))
    if not wanted:
        return
    if (stems := _stems(wanted)) is not None and (lowered := _lowered(text)) is not None:
        yield from _by_words(lowered, stems)
        return
    for found in _pattern(wanted).finditer(text):
        assert found.lastindex is not None  # every alternative is a group
        yield found.start(), wanted[found.lastindex - 1]


def _lowered(text: str) -> str | None:
    """`text` in small letters, each in its place; None where a letter beyond ASCII may stand for a plain one."""
    return text.lower() if text.isascii() or not _LIKE_PLAIN.search(text) else None


_LIKE_PLAIN = re.compile("[\u0130\u0131\u017f\u212a]")
"""Those that a pattern takes for i, s and k, whatever their case. Of all letters one of these grows when lowered."""


def _by_words(text: str, stems: _Stems) -> list[tuple[int, str]]:
    """As the pattern finds plain ASCII terms: a pattern for every question costs more to compile than to use."""
    places: dict[int, str] = {}
    for stem, term in stems:
        at = text.find(stem)
        while at >= 0:
            # Where a word may be of two terms, it is of the first.
            if at not in places and not (at and _goes_on(text[at - 1])):
                places[at] = term
            at = text.find(stem, at + 1)
    return sorted(places.items())


def _goes_on(before: str) -> bool:
    """Whether a word may go on after this character, as patterns see it."""
    return before.isalnum() or before == "_"


@lru_cache(maxsize=256)
def _stems(terms: tuple[str, ...]) -> _Stems | None:
    """Each way a term may be spelled, with its term; None where a pattern has to tell."""
    if not all(term.isascii() and term.isalnum() and term == term.lower() for term in terms):
        return None
    return tuple((stem, term) for term in terms for stem in _spellings(term))


def _spellings(term: str) -> tuple[str, ...]:
    """How the words of a stem begin: "citi" is of "city" and "cities", "stage" of "stages" and "staging"."""
    if term.endswith("i"):
        return term, f"{term[:-1]}y"
    return (term, f"{term[:-1]}ing") if term.endswith("e") else (term,)


def mentioned(text: str, terms: Iterable[str]) -> frozenset[str]:
    """Which of `terms` a text mentions."""
    return frozenset(term for _, term in mentions(text, terms))


@lru_cache(maxsize=256)
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"({_spelling(term)})" for term in terms), re.IGNORECASE)


def _spelling(term: str) -> str:
    """A stem as a pattern finds it; scripts without spaces have no edges."""
    if not term[:1].isascii():
        return re.escape(term)
    return rf"\b(?:{'|'.join(map(re.escape, _spellings(term)))})\w*"
