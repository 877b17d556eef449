"""The words by which a retold sentence may differ from the memories it retells, as they are spelled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from cortex.domain.terms import spelling
from cortex.languages import WORDS

_LISTS = tuple(each.paraphrase for each in WORDS if each.paraphrase is not None)


def spelled(words: str | Iterable[str]) -> frozenset[str]:
    """The stems of some words."""
    return frozenset(spelling(words if isinstance(words, str) else " ".join(words))) - {""}


@cache
def neutral() -> frozenset[str]:
    """Words that retell without adding anything; where a language lists none, all that a report may speak with."""
    return spelled(each.reporting if each.paraphrase is None else each.paraphrase.neutral for each in WORDS)


@cache
def of_a_date() -> frozenset[str]:
    """What may be said of anything that has a date."""
    return spelled(each.of_a_date for each in _LISTS)


@cache
def reporting() -> frozenset[str]:
    """Verbs that only tell that something was said, whenever that was."""
    return spelled(each.reporting for each in _LISTS)


@cache
def irregular() -> dict[str, tuple[str, bool]]:
    """Each form of an irregular verb with its stem, and whether it is the past."""
    forms: dict[str, tuple[str, bool]] = {}
    for verb in _verbs():
        base, *others = verb.split()
        stem = next(iter(spelling(base)))
        forms |= {base: (stem, False), **dict.fromkeys(others, (stem, True))}
    return forms


def standing_for(word: str) -> frozenset[str]:
    """The words that may stand for a stem, itself among them."""
    return _groups().get(word, frozenset((word,)))


def canonical(word: str) -> str:
    """One form for all the forms of a word and those that may stand for it."""
    known = irregular().get(word)
    stem = known[0] if known else next(iter(spelling(word)), word)
    return min(standing_for(stem))


def _verbs() -> list[str]:
    return [verb for each in _LISTS for verb in each.irregular.split(",")]


@cache
def _groups() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for line in [*(line for each in _LISTS for line in each.synonyms.strip().splitlines()), *_verbs()]:
        words = spelled(line)
        for word in words:
            groups.setdefault(word, set()).update(words)
    return {word: frozenset(group) for word, group in groups.items()}
