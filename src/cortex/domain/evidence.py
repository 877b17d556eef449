"""Grounding: whether a statement that a model wrote down was said at all.

A model that extracts memories invents some. What it says must be made of what was said: most of its words, and
every number and every name. A true statement in other words is lost by this; the turn itself is kept.

A model that retells memories is judged more strictly, by `retelling`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from cortex.domain.ownership import own_words
from cortex.domain.terms import QueryTerm, index_terms, query_terms
from cortex.domain.turn import Role, Turn
from cortex.languages import WORDS
from cortex.languages.words import either

MOST = 0.6
"""How much of a statement must have been said, by the weight of its words."""
HALF = 0.5

_SHARED_START = 5  # "Antworten" was said where "antworte" was: no stemmer is needed for most languages
_DATE_REACH = timedelta(days=732)
_SMALL = 12  # people write such numbers as words

# How a report speaks of what was said, in any conversation: these words are evidence neither for nor against.
_REPORTING = frozenset(word for each in WORDS for word in each.reporting.split())
_UNSPACED_REPORTING = re.compile(either(each.reporting_pattern for each in WORDS))
_NAME = re.compile(r"(?<=[\w,;)\]'’-]) +([^\W\d_][\w&+-]+)")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What some turns say, as words to look up."""

    terms: frozenset[str]
    starts: frozenset[str]
    numbers: frozenset[str]
    days: tuple[date, ...]

    @classmethod
    def of(cls, turns: Sequence[Turn]) -> Evidence:
        """The words of these turns, of those who speak in them, and the days they were said on.

        What a user only passes on is no evidence: nobody said it of themselves.
        """
        text = "\n".join(f"{turn.speaker} {turn.role.value} {_said(turn)}" for turn in turns)
        terms = frozenset(index_terms(text))
        return cls(
            terms,
            frozenset(term[:_SHARED_START] for term in terms if len(term) >= _SHARED_START),
            frozenset(_numbers(text)),
            tuple(turn.created_at.date() for turn in turns),
        )

    def supports(self, statement: str) -> bool:
        """Whether `statement` is made of what was said."""
        plain = self._plain(statement)
        names = (name for name in _NAME.findall(plain) if name[0].isupper() and name.lower() not in _REPORTING)
        words = query_terms(plain)
        return (
            self._has_numbers(plain)
            and all(self._has_any(index_terms(name)) for name in names)
            and self._share(_telling(words) or words) >= MOST
        )

    def mentions(self, thing: str) -> bool:
        """Whether `thing`, a few words, was spoken of."""
        plain = self._plain(thing)
        return self._has_numbers(plain) and self._share(_telling(query_terms(plain))) >= HALF

    def _plain(self, text: str) -> str:
        """`text` without what any report may add: quotation marks, words for the user, the day of a "yesterday"."""
        return _UNSPACED_REPORTING.sub(" ", _ISO_DATE.sub(self._without_near_days, text)).replace('"', " ")

    def _share(self, words: Sequence[QueryTerm]) -> float:
        """The part of these words that was said."""
        whole = sum(word.weight for word in words)
        return sum(word.weight for word in words if self._has(word.text)) / whole if whole else 1.0

    def _has(self, term: str) -> bool:
        return term in self.terms or (term.isalpha() and term[:_SHARED_START] in self.starts)

    def _has_any(self, terms: Iterable[str]) -> bool:
        return any(map(self._has, terms))

    def _has_numbers(self, text: str) -> bool:
        return all(map(self._has_number, _numbers(text)))

    def _has_number(self, number: str) -> bool:
        if number in self.numbers or len(number.lstrip("0")) > len("9999"):
            return number in self.numbers
        return int(number) <= _SMALL or any(abs(int(number) - day.year) <= 1 for day in self.days)

    def _without_near_days(self, found: re.Match[str]) -> str:
        """A day that may well be the "yesterday" of a turn is no invention."""
        try:
            day = date(*map(int, found.groups()))
        except ValueError:
            return found.group()
        return " " if any(abs(day - said) <= _DATE_REACH for said in self.days) else found.group()


def _said(turn: Turn) -> str:
    return own_words(turn.text, turn.speaker) if turn.role is Role.USER else turn.text


def _telling(words: Sequence[QueryTerm]) -> list[QueryTerm]:
    # Numbers are looked at by themselves, and strictly.
    return [word for word in words if word.text not in _reporting_terms() and not word.text.isdigit()]


def _numbers(text: str) -> list[str]:
    """The numbers of a text by their digits alone: 1,000 is 1000."""
    return [re.sub(r"\D", "", number) for number in _NUMBER.findall(text)]


@cache
def _reporting_terms() -> frozenset[str]:
    return frozenset(index_terms(" ".join(_REPORTING)))
