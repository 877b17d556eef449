"""Whether a statement says that something is no longer as it was, or was wrong: in the words of every language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from cortex.languages import WORDS
from cortex.languages.words import Words, either


def opens_with_correction(text: str) -> bool:
    """Whether a text begins by correcting what was said before it."""
    return bool(_correction().match(text))


@cache
def _correction() -> re.Pattern[str]:
    spaced = _whole([phrase for each in WORDS if each.spaced for phrase in _split(each.corrected)])
    unspaced = either(each.corrected for each in WORDS if not each.spaced)
    takes_back = either(each.takes_back for each in WORDS)
    return re.compile(rf"\W{{0,8}}(?:(?:{takes_back})[,.!，、。]|{spaced}|{unspaced})", re.IGNORECASE)


def tells_change(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether a change or a correction is stated between two places of `text`."""
    return bool(find_changes(text, start, end))


def find_changes(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Where a change or a correction is stated between two places of `text`, in any language known here."""
    part = text[start:end]
    if not part.isascii():
        patterns = [_change_pattern()]
    else:
        # To try every phrase at every place takes far longer than to look at the words phrases begin with.
        patterns = [_opened_by(word) for word in sorted(_by_opening().keys() & _WORD.findall(part.lower()))]
    return [(start + found.start(), start + found.end()) for each in patterns for found in each.finditer(part)]


_WORD = re.compile(r"[a-z]+")


@cache
def _by_opening() -> Mapping[str, list[str]]:
    """The phrases of languages with spaces by their first word."""
    phrases: dict[str, list[str]] = {}
    for phrase in (phrase for each in WORDS if each.spaced for words in _lists(each) for phrase in _split(words)):
        if found := _WORD.match(phrase):
            phrases.setdefault(found.group(), []).append(phrase)
    return phrases


@cache
def _opened_by(word: str) -> re.Pattern[str]:
    # All together take a tenth of a second to compile, and a text has few of them.
    return re.compile(_whole(_by_opening()[word]), re.IGNORECASE)


@cache
def _change_pattern() -> re.Pattern[str]:
    spaced = [_whole(_split(words)) for each in WORDS if each.spaced for words in _lists(each)]
    unspaced = [words for each in WORDS if not each.spaced for words in _lists(each)]
    return re.compile(either((*spaced, *unspaced)), re.IGNORECASE)


def _lists(words: Words) -> tuple[str, str]:
    return words.changed, words.corrected


def _split(phrases: str) -> list[str]:
    return re.split(r",\s+", " ".join(phrases.split())) if phrases else []


def _whole(phrases: Iterable[str]) -> str:
    found = either(phrases)
    return rf"\b(?:{found})\b" if found else ""
