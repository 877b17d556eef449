"""What candidates say about a question: their words, the values they give, and how close the two stand.

Everything here is read in one pass over the words of a text, of which only the beginning is read.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from cortex.domain.changes import find_changes
from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import index_terms
from cortex.languages import WORDS
from cortex.languages.lists import listed
from cortex.recall.mentions import mentions

READ_CHARS = 1_000
REACH = 90
"""How many characters around a value its statement is read in."""
_CLOSE = 35
_BEFORE, _AFTER = 40, 30
"""What stands beside a value: it tells what the value is of."""
_MOST_OF_A_THING = 4
"""How many words name what changed: "the deploy window", "staging"."""
_MOST_VALUES = 40
_KEPT_VALUES = 3

_WORD = re.compile(r"\d+(?:[.,:/-]\d+){0,4}|[^\W\d_][\w'’]*")

_DAYS = listed("days in words")
_KIND_OF_WORD = (
    dict.fromkeys(listed("months in words") | _DAYS, "date")
    | dict.fromkeys(listed("numbers in words"), "number")
    | dict.fromkeys(listed("times in words"), "clock")
)
_KIND_OF_UNIT = {unit: kind for each in WORDS for kind, units in each.questions.units.items() for unit in units.split()}
_CURRENCY = "$€£¥"
_ENDS_SENTENCE = ".!?:\n"


class StatedValue(NamedTuple):
    """A number, date, time, amount or name that a text gives."""

    start: int
    end: int
    kind: str
    said: str
    unit: frozenset[str]
    """The terms of what it counts, as far as its neighbors tell."""


@dataclass(slots=True)
class Text:
    """The words of a text, with their places and terms."""

    said: str
    starts: list[int]
    words: list[str]
    terms: list[str]
    beside: dict[StatedValue, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Text:
        return _read(text[:READ_CHARS])

    def end(self, at: int) -> int:
        return self.starts[at] + len(self.words[at])

    def terms_between(self, start: int, end: int) -> frozenset[str]:
        """The terms of the words that begin between two places."""
        if self.said.isascii():
            return frozenset(self.terms[bisect_left(self.starts, start) : bisect_left(self.starts, end)])
        return frozenset(index_terms(self.said[max(0, start) : end]))

    def context(self, value: StatedValue) -> frozenset[str]:
        """What stands right beside a value."""
        known = self.beside.get(value)
        if known is None:
            known = self.terms_between(value.start - _BEFORE, value.start) | self.terms_between(
                value.end, value.end + _AFTER
            )
            self.beside[value] = known
        return known


@dataclass(slots=True)
class RelevantStatement:
    """The part of a text that bears most on a question."""

    text: Text
    covers: float = 0.0
    """How much of the question stands near its value, or together, in 0..1."""
    mentions: float = 0.0
    """How much of it the whole text mentions."""
    changed: bool = False
    changed_things: tuple[frozenset[str], ...] = ()
    """What it says has changed: the terms of each thing."""
    terms: frozenset[str] = frozenset()
    values: tuple[StatedValue, ...] = ()
    question_terms: frozenset[str] = frozenset()
    """The terms of the question that the whole text mentions."""

    @property
    def named(self) -> frozenset[str]:
        """The terms of its values."""
        return frozenset(term for value in self.values for term in self.text.terms_between(value.start, value.end))


@lru_cache(maxsize=256)
def _read(said: str) -> Text:
    found = list(_WORD.finditer(said))
    words = [each[0] for each in found]
    return Text(said, [each.start() for each in found], words, list(map(_term, words)))


@lru_cache(maxsize=20_000)
def _term(word: str) -> str:
    found = index_terms(word)
    return found[0] if found else word.lower()


# --- values -----------------------------------------------------------------------------------------------------------


def values(text: Text) -> list[StatedValue]:
    """The values of a text, in order, at most so many."""
    found: list[StatedValue] = []
    for at, word in enumerate(text.words):
        first = word[0]
        # Most words are none: small, and not among the words for numbers and days.
        if first.isdigit():
            value: StatedValue | None = _figure(text, at)
        elif (kind := _KIND_OF_WORD.get(word.lower())) is not None:
            value = _spelled(text, at, kind)
        else:
            value = _named(text, at) if first.isupper() else None
        if value is not None and not (found and value.start < found[-1].end):
            found.append(value)
            if len(found) == _MOST_VALUES:
                break
    return found


_ONE = {kind: frozenset({kind}) for kind in ("date", "clock", "percent", "money", "version", "duration", "name")}


def _simple(text: Text, at: int, kind: str, *, more: int = 0) -> StatedValue:
    return StatedValue(text.starts[at], text.end(at) + more, kind, text.words[at].lower().replace(",", ""), _ONE[kind])


def _named(text: Text, at: int) -> StatedValue | None:
    before = text.said[: text.starts[at]].rstrip(" \"'([*-")[-1:]
    opens = not before or before in _ENDS_SENTENCE
    return None if opens or text.words[at] == "I" else _simple(text, at, "name")


def _spelled(text: Text, at: int, kind: str) -> StatedValue | None:
    if kind == "number":
        return _counted(text, at)
    word = text.words[at]
    # "May" and "Mar" are months, "may" is not.
    return _simple(text, at, kind) if kind == "clock" or word[0].isupper() or word in _DAYS else None


def _figure(text: Text, at: int) -> StatedValue:
    """What a number is, by how it is written and what stands beside it."""
    said, start, end = text.words[at], text.starts[at], text.end(at)
    after = text.said[end : end + 1]
    if ":" in said:
        return _simple(text, at, "clock")
    if said.count("-") == 2 or said.count("/") == 2:
        return _simple(text, at, "date")
    if said.count(".") >= 2:
        return _simple(text, at, "version")
    if after == "%":
        return _simple(text, at, "percent", more=1)
    if (start and text.said[start - 1] in _CURRENCY) or (after and after in "€元円"):
        return _simple(text, at, "money")
    return _counted(text, at)


def _counted(text: Text, at: int) -> StatedValue:
    """A number by what it counts: the words after it, and the one before."""
    beside = text.words[at + 1 : at + 2]
    unit = _unit(beside[0]) if beside and text.starts[at + 1] - text.end(at) <= 1 else None
    said = text.words[at].lower().replace(",", "")
    if unit is not None:
        spoken = f"{said} {beside[0].lower()}" if unit == "duration" else said
        return StatedValue(text.starts[at], text.end(at + 1), unit, spoken, _ONE[unit])
    if any(_KIND_OF_WORD.get(word.lower()) == "date" for word in (*text.words[max(0, at - 1) : at], *beside)):
        return _simple(text, at, "date")
    unit_terms = frozenset((*text.terms[at + 1 : at + 4], *text.terms[max(0, at - 1) : at]))
    return StatedValue(text.starts[at], text.end(at), "number", said, unit_terms)


def _unit(word: str) -> str | None:
    return _KIND_OF_UNIT.get(word.lower()) or (None if word.isascii() else _KIND_OF_UNIT.get(word[0]))


# --- statements -------------------------------------------------------------------------------------------------------


def weights_of(texts: Sequence[str], terms: Set[str]) -> dict[str, float]:
    """What each term of a question weighs among these texts, together 1: what all of them mention tells little."""
    lowered = [text[:READ_CHARS].lower() for text in texts]
    rarity = {term: math.log(1 + len(texts) / (1 + sum(root(term) in text for text in lowered))) for term in terms}
    total = sum(rarity.values()) or 1.0
    return {term: weight / total for term, weight in rarity.items()}


def mentioned(text: str, weights: Mapping[str, float]) -> float:
    """About how much of a question a text mentions: its terms are looked for as they are spelled."""
    lowered = text[:READ_CHARS].lower()
    return sum(weight for term, weight in weights.items() if root(term) in lowered)


def root(term: str) -> str:
    """What all forms of a word have in common: "staging" has "stage" for a stem, and no e."""
    return term[:-1] if len(term) > _SHORT and term[-1] in "ei" else term


_SHORT = 3


def statement(text: Text, weights: Mapping[str, float], kinds: Set[str]) -> RelevantStatement:
    """What `text` says about a question whose terms have these weights, and which asks for values of these kinds."""
    places = _places(text, weights.keys())
    starts = [place for place, _ in places]

    def covered(start: int, end: int) -> float:
        inside = {term for _, term in places[bisect_left(starts, start) : bisect_left(starts, end)]}
        return sum(weights[term] for term in inside)

    def near(value: StatedValue) -> float:
        wide = covered(value.start - REACH, value.end + REACH)
        return (wide + covered(value.start - _CLOSE, value.end + _CLOSE)) / 2

    everything = [] if places else find_changes(text.said)
    given = values(text) if places or everything else []
    fitting = [value for value in given if value.kind in kinds] or given
    best = sorted(((near(value), value) for value in fitting), key=lambda each: -each[0])[:_KEPT_VALUES]
    if best and places:
        covers, start, end = best[0][0], best[0][1].start - REACH, best[0][1].end + REACH
    else:
        covers, start = max(((covered(place - REACH, place + REACH), place) for place in starts), default=(0.0, 0))
        start = everything[0][0] if everything else start  # what it says of something else is what it says to change
        start, end = start - REACH, start + REACH
    start, end = max(0, start), min(len(text.said), end)
    changes = find_changes(text.said, start, end)
    terms = frozenset(term for _, term in places)
    return RelevantStatement(
        text,
        covers if best else _WITHOUT_VALUE * covers,
        sum(weights[term] for term in terms),
        bool(changes),
        tuple(filter(None, (_changed_thing(text, *each) for each in changes))),
        text.terms_between(start, end),
        tuple(value for share, value in best if share >= _NEARLY * covers),
        terms,
    )


def _changed_thing(text: Text, start: int, end: int) -> frozenset[str]:
    """The thing that changed, by the words before and after: "the deploy window was moved", "we moved staging"."""
    first, after = bisect_left(text.starts, start), bisect_left(text.starts, end)
    clause = text.said.translate(_CLAUSE_ENDS)
    since, until = clause.rfind("\n", 0, start) + 1, clause.find("\n", end) % (len(clause) + 1)
    subject = _noun_phrase(text, range(first - 1, bisect_left(text.starts, since) - 1, -1), _PRONOUNS)
    thing = _noun_phrase(text, range(after, bisect_left(text.starts, until)))
    return frozenset(text.terms[at] for at in (*subject, *thing))


def _noun_phrase(text: Text, places: Iterable[int], stands_for_one: Set[str] = frozenset()) -> list[int]:
    """The words that name something, nearest along `places`; none where a word comes first that stands for one."""
    found: list[int] = []
    for skipped, at in enumerate(places):
        word = text.words[at].lower()
        if word in stands_for_one or len(found) == _MOST_OF_A_THING:
            break
        if word not in STOP_WORDS and word not in _PRONOUNS:
            found.append(at)
        elif found or skipped == _MOST_OF_A_THING:
            break
    return found


_CLAUSE_ENDS = str.maketrans(dict.fromkeys(".,;:!?", "\n"))
_PRONOUNS = frozenset(word for each in WORDS for words in each.similarity.persons.values() for word in words.split())

_WITHOUT_VALUE = 0.8
"""What words that stand together count beside words that stand by a value."""
_NEARLY = 0.7


def _places(text: Text, terms: Set[str]) -> list[tuple[int, str]]:
    if text.said.isascii():
        return [(place, term) for place, term in zip(text.starts, text.terms, strict=True) if term in terms]
    return list(mentions(text.said, terms))
