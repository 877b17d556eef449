"""What a statement says took the place of what: "Hobson's cancelled, I've booked Quayside instead".

Such a statement names what is gone, so the memory that it replaces is the one that names it too and is about the same
person and thing. The patterns are those of the languages (`replaced` in their lists).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache

from cortex.capture import claims
from cortex.domain.text import normal
from cortex.domain.text_similarity import read
from cortex.languages.lists import finder, listed, patterns

MOST_WORDS = 30
"""A longer statement says so much that it replaces none whole."""

MOST_GONE = 7
"""In more words than these something is told, not named."""

SAME_THING = 0.6
"""How much of what a statement says beside the two values the other holds, for both to be about one thing."""

FEW_WORDS = 8
"""How short a memory is that says little but what is gone."""


class Replaced(Enum):
    """How sure it is that one statement took the place of another."""

    NO = 0
    PERHAPS = 1
    SURELY = 2


@dataclass(frozen=True, slots=True)
class Replacement:
    """What is gone, in words and numbers, and what else is said."""

    gone: str
    owner: str
    """Of whom it was: a name or relation, empty for the speaker."""
    about: str
    """What else the clause names, all of which the earlier statement has to name."""
    rest: str
    """The statement without what is gone."""
    is_value: bool
    """Whether one value stands against another, and the rest says of what: "it's the 14th, not the 12th"."""


def replaced(old: str, new: str) -> Replaced:
    """Whether `new`, said later, tells that what `old` says was replaced."""
    if max(len(old.split()), len(new.split())) > MOST_WORDS:
        return Replaced.NO
    return max((_meets(each, old, new) for each in replacements(new)), key=lambda each: each.value, default=Replaced.NO)


@lru_cache(maxsize=4_096)
def replacements(text: str) -> tuple[Replacement, ...]:
    """What a statement says was replaced."""
    plain = normal("NFKC", text).replace("’", "'")
    return tuple(each for pattern in _patterns() for found in pattern.finditer(plain) for each in _read(found, plain))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each, re.IGNORECASE) for each in patterns("replaced"))


def _read(found: re.Match[str], plain: str) -> Iterator[Replacement]:
    parts = found.groupdict()
    gone = parts.get("gone") or parts.get("value") or ""
    if gone.strip() and len(gone.split()) <= MOST_GONE:
        at = found.start("gone" if parts.get("gone") else "value")
        rest = f"{plain[:at]} {plain[at + len(gone) :]}"
        now = parts.get("now") or ""
        yield Replacement(
            gone, parts.get("owner") or "", parts.get("about") or "", rest.replace(now, " ", 1) if now else rest,
            bool(parts.get("value")),
        )  # fmt: skip


def _meets(each: Replacement, old: str, new: str) -> Replaced:
    """Whether a statement is the one that names what is gone, and is of the same person."""
    gone, said = read(each.gone), read(old)
    if not _names(each.gone, old) or not _is_of_one_owner(each, old, new) or _is_denied(each.gone, old):
        return Replaced.NO
    if not _telling(each.about) <= said.words.keys() | said.spelled:
        return Replaced.NO
    common = _telling(each.rest) & said.words.keys()
    if each.is_value:
        rest = _telling(each.rest)
        is_same = bool(common) and len(common) >= SAME_THING * len(rest)
        return Replaced.SURELY if is_same else Replaced.NO
    if _is_name(each.gone, old, new) or len(gone.words) > 1:
        return Replaced.SURELY
    if common:
        return Replaced.SURELY
    return Replaced.PERHAPS if _is_all_of(each.gone, old) else Replaced.NO


def _telling(text: str) -> Set[str]:
    return read(text).words.keys() if text.strip() else frozenset()


def _names(gone: str, old: str) -> bool:
    """Whether an earlier statement names what is gone: every word of it, and its number."""
    first, second = read(gone), read(old)
    words = set(first.words) - _vague()
    has_words = words <= second.words.keys() | second.spelled
    digits = set(_DIGITS.findall(gone))
    return bool(words or digits) and has_words and digits <= set(_DIGITS.findall(old))


_DIGITS = re.compile(r"\d+(?:[.:,]\d+)*")


@cache
def _vague() -> Set[str]:
    return listed("vague things")


def _is_of_one_owner(each: Replacement, old: str, new: str) -> bool:
    """Whether both are about the same person: by name, by relation, or the speaker."""
    first, second = claims.read(old), claims.read(new)
    own = read(each.owner).spelled if each.owner else frozenset()
    named = {word for word in own if word in read(old).spelled} - _vague()
    if each.owner and _telling(each.owner):
        return _telling(each.owner) <= read(old).words.keys() | read(old).spelled and bool(named)
    people = frozenset(first.others) - _vague()
    if people <= second.others and frozenset(second.others) & _kin() <= people:
        return True
    shared = first.names & second.names
    return bool(shared - read(each.gone).spelled)


@cache
def _kin() -> frozenset[str]:
    return listed("several people")
