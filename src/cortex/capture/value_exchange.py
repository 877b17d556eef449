"""Whether two statements that were made on purpose say the same of one thing but for one value.

"Our backup runs at 02:00" and "… at 03:00" have no word of change. What is read from conversations needs one: people do
much on many days. Whoever has something remembered states what is so, so here the form alone is enough to ask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from cortex.capture import relation_words
from cortex.languages.lists import alternatives, listed

MOST_WORDS = 12
"""Longer statements say so much that one value does not decide what they are about."""

MOST_OF_A_NAME = 3
"""Of how many words a name is at most: "PostgreSQL 16"."""

_WORD = re.compile(r"[^\s,;:!?()\"“”]+(?::\d\d)?|[,;:!?()\"“”]")
_AMOUNT = re.compile(r"[$€£¥]?\d+(?:[.,]\d+)*(?:%|[a-z]{1,2})?")
_CLOCK = re.compile(r"\d\d?:\d\d(?::\d\d)?|\d\d?(?::\d\d)?[ap]m")


def exchanges_one_value(one: str, other: str) -> bool:
    """Whether the two are the same short statement with another value in the same place, and only one can be so."""
    first, second = _words(one), _words(other)
    if max(len(first), len(second)) > MOST_WORDS or _says_more(first) or _says_more(second):
        return False
    start = _in_common(first, second)
    end = _in_common(first[start:][::-1], second[start:][::-1])
    before, after = first[:start], first[len(first) - end :]
    was, now = first[start : len(first) - end], second[start : len(second) - end]
    if not was or not now:
        return False
    return _is_of_one_holder(before, was, now, after) or _is_of_one_thing(before, was, now, after)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("’", "'").strip().rstrip(".!"))


def _in_common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a.casefold() != b.casefold()), min(len(one), len(other)))


def _says_more(words: Sequence[str]) -> bool:
    """Whether a statement denies, enumerates, depends on something, or is of something there may be several of."""
    said = {word.casefold() for word in words}
    return (
        not listed("no single value").isdisjoint(said)
        or not relation_words.words("several").isdisjoint(said)
        or any(word.endswith("n't") or (not word[0].isalnum() and len(word) == 1) for word in said)
    )


def _is_of_one_holder(before: Sequence[str], was: Sequence[str], now: Sequence[str], after: Sequence[str]) -> bool:
    """Whether two hold what only one can: "Tom owns the checklist", "Ana owns the checklist"."""
    if max(len(was), len(now)) > MOST_OF_A_NAME:
        return False
    if before:
        # "The data team owns the dashboard" and "the web team …" share the noun, too.
        is_held = any(_begins(after[at:], _holding()) for at in (0, 1))
        return is_held and [word.casefold() for word in before] == ["the"]
    return _begins(after, _holding()) and _are_two_names(was, now)


def _is_of_one_thing(before: Sequence[str], was: Sequence[str], now: Sequence[str], after: Sequence[str]) -> bool:
    """Whether one known thing has two values: "the database is MySQL 8", "the database is PostgreSQL 16"."""
    said = [word.casefold() for word in before]
    if len(was) == len(now) == 1:
        is_timed = _both(was, now, _is_weekday) or _both(was, now, _is_clock)
        if is_timed:
            return _is_definite(said) and _is_scheduled(said) and _goes_on(after)
        if _both(was, now, _is_amount) and (not before or not before[-1][0].isupper()):
            is_counted = bool(said) and said[-1] in listed("before an amount") and _goes_on(after[1:])
            return is_counted and _is_definite(said) and not _is_dated(after)
    # "MySQL 8" and "MySQL 9" have a part of the name in common.
    begins = next((at for at in range(len(before), 0, -1) if not before[at - 1][0].isupper()), 0)
    was, now = [*before[begins:], *was], [*before[begins:], *now]
    return not after and _names_one(said[:begins]) and _are_two_names(was, now)


def _both(was: Sequence[str], now: Sequence[str], test: Callable[[str], bool]) -> bool:
    return test(was[0]) and test(now[0])


def _is_weekday(word: str) -> bool:
    return re.fullmatch(rf"(?:{alternatives('weekdays')})s?", word, re.IGNORECASE) is not None


def _is_clock(word: str) -> bool:
    return _CLOCK.fullmatch(word.casefold()) is not None


def _is_amount(word: str) -> bool:
    return _AMOUNT.fullmatch(word.casefold()) is not None and not _is_clock(word)


def _is_dated(after: Sequence[str]) -> bool:
    return bool(after) and re.fullmatch(alternatives("months"), after[0], re.IGNORECASE) is not None


def _is_definite(said: Sequence[str]) -> bool:
    """Whether a statement opens with a thing that is known: "the deploy key"."""
    return bool(said) and said[0] in listed("definite")


def _is_scheduled(said: Sequence[str]) -> bool:
    """Whether a value is when something is each time: after "is", or the verb of one thing: "rotates on"."""
    between = said[-1] in listed("before a time")
    *subject, verb = said[:-1] if between else said
    if len(subject) < 2 or verb in listed("done by many"):
        return False
    if verb in listed("is"):
        return listed("once").isdisjoint(subject)
    return between and verb.endswith("s") and not verb.endswith("ss") and not subject[-1].endswith("s")


def _goes_on(after: Sequence[str]) -> bool:
    """Whether nothing follows a value but what describes it: "on Mondays at 10:00"; else it describes the subject."""
    return not after or (after[0] in listed("prepositions") and listed("is").isdisjoint(after))


def _names_one(said: Sequence[str]) -> bool:
    """Whether one name stands after these words at a time: "the database is", "Tom lives in"."""
    if said[-2:] and " ".join(said[-2:]) in _phrases("one place"):
        return bool(said[:-2])
    return _is_definite(said) and len(said) > 2 and any(_ends(said, each) for each in _phrases("one name"))


def _are_two_names(was: Sequence[str], now: Sequence[str]) -> bool:
    """Whether two names are of two, as far as they tell: neither holds the other, as "Postgres" and "PostgreSQL"."""
    if not (was and now and was[0][0].isupper() and now[0][0].isupper()):
        return False
    if max(len(was), len(now)) > MOST_OF_A_NAME:
        return False
    if not all(word[0].isupper() or word[0].isdigit() for word in (*was, *now)):
        return False
    one, other = " ".join(was).casefold(), " ".join(now).casefold()
    is_adjective = any(name.endswith(tuple(listed("endings of origin"))) for name in (one, other))
    return not is_adjective and one not in other and other not in one


def _begins(words: Sequence[str], phrases: frozenset[str]) -> bool:
    said = " ".join(word.casefold() for word in words) + " "
    return any(said.startswith(f"{each} ") for each in phrases)


def _ends(said: Sequence[str], phrase: str) -> bool:
    return f" {' '.join(said)}".endswith(f" {phrase}")


@cache
def _holding() -> frozenset[str]:
    """What only one does with a thing that is known."""
    things = listed("definite")
    return _phrases("the one") | {f"{verb} {thing}" for verb in _phrases("held by one") for thing in things}


@cache
def _phrases(name: str) -> frozenset[str]:
    """The phrases of a list, whose words are joined by underscores."""
    return frozenset(each.replace("_", " ") for each in listed(name))
