"""What kind of question a query is: about now or about the past, and for what kind of value it asks."""

from __future__ import annotations

import re

from cortex.languages import WORDS
from cortex.languages.words import either

_ASKING = tuple(each.questions for each in WORDS)
_EARLIER = either(each.earlier for each in _ASKING)
_OF_BEFORE = re.compile(_EARLIER, re.IGNORECASE)
_IN_THE_PAST = re.compile(either(each.past for each in _ASKING), re.IGNORECASE)
_OF_SEVERAL = re.compile(either(each.several for each in _ASKING), re.IGNORECASE | re.DOTALL)
_FOR_ADVICE = re.compile(either(each.advice for each in _ASKING), re.IGNORECASE)
_IMPERSONAL = re.compile(either(each.impersonal for each in _ASKING), re.IGNORECASE)
_KNOWN_THING = re.compile(either(each.known_thing for each in _ASKING), re.IGNORECASE)
_ASKED = re.compile(either(each.asked for each in _ASKING), re.IGNORECASE)
_TWOFOLD = re.compile(either(each.twofold for each in _ASKING), re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r"(?<=[^.!?\s] )[^\W\d_]*[A-Z]\w*(?:-\w+)*")
_READ_CHARS = 400
QUESTION_MARK = re.compile("[?？؟]")
_NUMBER = either(each.number for each in _ASKING)
_DATE = either(each.date for each in _ASKING)
_NAME = either(each.name for each in _ASKING)
_KINDS = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(kinds.split()))
    for pattern, kinds in (
        (_DATE, "date clock"),
        (_NUMBER, "number percent money version duration"),
        (_NAME, "name"),
    )
)
_FOR_A_FACT = re.compile(either((_NUMBER, _DATE, _NAME, *(each.fact for each in _ASKING))), re.IGNORECASE)


def may_ask_how_it_is(text: str) -> bool:
    """Whether a query may ask for something as it is now: not as it was before, not for all of it, not for advice."""
    return not asks_how_it_was(text) and not _FOR_ADVICE.search(text)


def asks_how_it_is(text: str) -> bool:
    """Whether a query that may ask how something is does so: for a fact, and not in the past tense."""
    return may_ask_how_it_is(text) and asks_for_a_fact(text) and not is_past(text)


def asks_for_a_fact(text: str) -> bool:
    """Whether the question word of a query asks for a fact."""
    return _FOR_A_FACT.search(text) is not None


def is_past(text: str) -> bool:
    """Whether a query is in the past tense."""
    return _IN_THE_PAST.search(text) is not None


def asks_for_two_things(text: str) -> bool:
    """Whether a query asks for two things: then one of them may have been said."""
    return _TWOFOLD.search(text[:_READ_CHARS]) is not None


def asks_for_advice(text: str) -> bool:
    """Whether a query asks for help or advice: what the one who asks prefers bears on it."""
    return _FOR_ADVICE.search(text) is not None


def asks_what_was_asked(text: str) -> bool:
    """Whether a query is about what was asked before."""
    return _ASKED.search(text) is not None


def is_impersonal(text: str) -> bool:
    """Whether a query says nothing of the asker: "explain how a tree grows". Known of English alone.

    Which concert "when is the concert?" means, only the asker can know: it is about that one.
    """
    read = text[:_READ_CHARS]
    return _IMPERSONAL.match(read) is not None and _KNOWN_THING.match(read) is None


def names_in(text: str) -> list[str]:
    """The words of a query that are written as names, inside of its sentences: "Who runs Heron?"."""
    return [name for name in _NAMED.findall(text[:_READ_CHARS]) if name != "I"]


def asks_how_it_was(text: str) -> bool:
    """Whether a query asks how something was before it changed, or for all it has been."""
    return _OF_BEFORE.search(text) is not None or _OF_SEVERAL.search(text) is not None


def requested_kinds(text: str) -> frozenset[str]:
    """The kinds of values that answer a query, where its question word tells; empty for any."""
    return next((kinds for pattern, kinds in _KINDS if pattern.search(text)), frozenset())
