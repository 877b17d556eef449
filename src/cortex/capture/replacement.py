"""What a statement says took the place of what: "Hobson's canceled, I've booked Quayside instead".

Such a statement names what is gone, so the memory it replaces is one that names the same, of the same person, as what
they have or have arranged. How languages say it is in their lists (`replaced`, `another value`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache

from cortex.domain.terms import spelling
from cortex.domain.text import normal
from cortex.domain.text_similarity import ComparedText, read
from cortex.languages.lists import finder, listed, patterns

MOST_WORDS = 30
"""A longer statement says too much to be replaced whole."""

MOST_CHARACTERS = 300

MOST_GONE = 7
"""What takes more words is told, not named."""

SAME_THING = 0.6
"""How much of what is said of a value the other statement holds at least, for both to be of one thing."""

_NEAR = 8
"""How many words before what is gone say of it that somebody has it."""

_NEXT = 3
"""The same after it: "Dave is our plumber"."""

_WORD = re.compile(r"[^\W\d_][\w'-]*")
_FIGURE = re.compile(r"\d+(?:[.:,]\d+)*")
_CLAUSE = re.compile(r"[,;:.!?]\s|[()–—]")


class Replaced(IntEnum):
    """How sure it is that one statement took the place of another."""

    NO = 0
    PERHAPS = 1
    SURELY = 2


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a statement says is gone."""

    gone: str
    owner: frozenset[str]
    """Whose it was, by relation and name; empty for the speaker."""
    about: str
    """What is said of how it ended: a show that Netflix canceled is not Netflix."""
    rest: str
    """The statement without it."""
    is_value: bool
    """Whether it is a wrong value, and the rest says of what: "the exam is on the 14th, not the 12th"."""


def replaced(old: str, new: str) -> Replaced:
    """Whether `new`, said later, tells that what `old` says has been replaced."""
    found = replacements(new)
    if not found or _is_long(old):
        return Replaced.NO
    return max(_meets(each, read(old), read(new), old) for each in found)


@lru_cache(maxsize=4_096)
def replacements(text: str) -> tuple[Replacement, ...]:
    """What a statement says was replaced."""
    plain = normal("NFKC", text).replace("’", "'")
    if _is_long(plain):
        return ()
    return tuple(
        _replacement(found, plain, is_value=name == "another value")
        for name in ("replaced", "another value")
        for pattern in _patterns(name)
        for found in pattern.finditer(plain)
        if len(found[1].split()) <= MOST_GONE
    )


def _is_long(text: str) -> bool:
    return len(text) > MOST_CHARACTERS or len(text.split()) > MOST_WORDS


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each, re.IGNORECASE) for each in patterns(name))


def _replacement(found: re.Match[str], plain: str, *, is_value: bool) -> Replacement:
    start, end = found.span(1)
    opens = max((cut.end() for cut in _CLAUSE.finditer(plain, 0, found.start())), default=0)
    is_of_speaker = not listed("the speaker as object").isdisjoint(plain[found.start() : start].split())
    before = "" if is_of_speaker else plain[opens : found.start()]
    return Replacement(
        gone=found[1],
        owner=read(before).relations | frozenset(_names(before)),
        about=found[2] if found.re.groups > 1 else "",
        rest=f"{plain[:start]} {plain[end:]}",
        is_value=is_value,
    )


def _names(text: str) -> Iterator[str]:
    """The words written large, as they are spelled."""
    for word in _WORD.findall(text):
        if word[0].isupper() and not (folded := read(word)).bare and word.partition("'")[0].casefold() != "i":
            yield from folded.spelled


def _meets(each: Replacement, old: ComparedText, new: ComparedText, text: str) -> Replaced:
    """Whether an earlier statement is the one that was replaced."""
    if old.denies or ("past" in old.limits and not each.is_value) or not _is_named(each, old, text):
        return Replaced.NO
    if not _is_of_one_owner(each, old, new, text) or not set(read(each.about).words) - _vague() <= set(old.words):
        return Replaced.NO
    rest = set(read(each.rest).words) - _vague()
    common = rest & old.words.keys()
    if each.is_value:
        is_same = bool(common) and len(common) >= SAME_THING * len(rest) and new.relations <= old.relations
        return Replaced.SURELY if is_same else Replaced.NO
    if not _is_held(each, text):
        return Replaced.NO
    is_telling = len(set(read(each.gone).words) - _vague()) > 1 or _is_name(each.gone, text)
    if common or (is_telling and _OWN.search(text) and not _OPINION.search(text)):
        return Replaced.SURELY if is_telling or len(common) > 1 else Replaced.PERHAPS
    return Replaced.PERHAPS if _is_all_of(each.gone, text) else Replaced.NO


def _is_named(each: Replacement, old: ComparedText, text: str) -> bool:
    """Whether an earlier statement names what is gone: all of its words, its number and its day."""
    gone = read(each.gone)
    words = {word for word in gone.words if word not in _vague() and len(word) > 2}
    figures = set(_FIGURE.findall(each.gone))
    days = {date for date in gone.dates if date.startswith("weekday")}
    if not words and not days and not (figures and each.is_value):
        return False
    return words <= old.spelled | old.words.keys() and figures <= set(_FIGURE.findall(text)) and days <= old.dates


def _is_of_one_owner(each: Replacement, old: ComparedText, new: ComparedText, text: str) -> bool:
    """Whether both are of the same person: who is named as the owner, or the speaker."""
    groups = listed("groups")
    owner = each.owner - groups
    if owner:
        return owner <= old.spelled | old.relations
    return bool(_SPEAKER.match(text)) or old.relations - groups <= new.relations


def _is_held(each: Replacement, text: str) -> bool:
    """Whether a statement says of what is gone that somebody has it, is there, or has arranged for it."""
    at = _place(each.gone, text)
    before, after = (_WORD.findall(part) for part in (text[:at], text[at:]))
    if _states(before[-_NEAR:], _held()):
        return True
    is_own = bool(each.owner) or _OWN.search(text[at:]) is not None
    return is_own and _states(after[: len(each.gone.split()) + _NEXT], _held())


def _is_all_of(gone: str, text: str) -> bool:
    """Whether a statement says no more of the speaker than that they have what is gone: "I take sertraline"."""
    before = [word.casefold() for word in _WORD.findall(text[: _place(gone, text)])]
    said = [word for word in before if word not in listed("indefinite") | listed("definite")]
    return bool(_SPEAKER.match(text)) and len(said) == 2 and _states(said[1:], _held())


def _place(gone: str, text: str) -> int:
    """Where a text names what is gone, or begins to."""
    stems = set(read(gone).words) - _vague()
    return next((word.start() for word in _WORD.finditer(text) if stems.intersection(spelling(word.group()))), 0)


def _states(words: list[str], held: frozenset[str]) -> bool:
    return any(word.casefold().partition("'")[2] in _IS or not held.isdisjoint(spelling(word)) for word in words)


_IS = frozenset({"m", "s", "re", "ve"})


def _is_name(gone: str, text: str) -> bool:
    """Whether what is gone is a name, as far as it is written large where the earlier statement has it."""
    stems = set(read(gone).words) - _vague()
    return any(word[0].isupper() and stems.intersection(spelling(word)) for word in _WORD.findall(text))


@cache
def _held() -> frozenset[str]:
    return frozenset(spelling(" ".join(listed("held or arranged"))))


@cache
def _vague() -> frozenset[str]:
    return frozenset(spelling(" ".join(listed("vague things"))))


_OWN = finder("own")
_OPINION = finder("states preference")
_SPEAKER = finder("opens with the speaker")
