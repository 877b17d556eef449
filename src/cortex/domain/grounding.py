"""Grounding: whether a statement that a model wrote down was said at all.

A model that is asked for memories invents some. What it says must be made of what was said: most of its words, and
every number and every name. A true statement in other words is lost by this; the turn itself is kept.

A model that retells memories has no turn to add anything from: `is_supported` is stricter. It also compares small
numbers, dates, units, the first word, relations and polarity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from cortex.domain import likeness
from cortex.domain.likeness import Reading
from cortex.domain.ownership import own_words
from cortex.domain.terms import QueryTerm, index_terms, query_terms, spelling
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


# --- what is retold of memories ---------------------------------------------------------------------------------------

FAIR = 0.5
"""How much of a retold sentence must stand in the memories it is held against."""
UNCASED = 0.8
"""The same for scripts in which a name cannot be told from other words by its first letter."""

_MAX_SENTENCE = 1_000
_MAX_SOURCE = 4_000
_MAX_CLAUSES = 200

_CLAUSE = re.compile(
    r"[,;:.!?()，。；：！？、]|\s[-–—]\s|\b(?:and|but|although|though|while|whereas|because|und|aber|weil|y|pero|porque|et"
    r"|mais|e|ma)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[\d.,:/-]*\d")
# What a sentence may open with though no memory says it, and though it is written large.
_OPENERS = frozenset(
    """
    according additionally after also although another apart as aside based because before besides beyond both certain
    consequently currently despite during earlier either eventually every everyone everything finally first following
    formerly further furthermore generally given however if initially instead last lastly lately later many meanwhile
    moreover most neither nobody nothing now occasionally often one once originally otherwise overall perhaps possibly
    presently previously probably rather recently regarding second several similarly since sometimes soon still
    subsequently that then there thereafter therefore these third this those though thus today together two typically
    unless until usually when whenever whereas while whose within without yesterday yet you your
    außerdem danach derzeit früher inzwischen jetzt laut seit später zudem zunächst
    actualmente además antes ahora después según
    """.split()
)


def is_supported(sentence: str, sources: Sequence[str]) -> bool:
    """Whether `sentence` says only what these texts say: in numbers, dates, names and polarity, and mostly in words."""
    if len(sentence) > _MAX_SENTENCE:
        return False
    plain, texts = _UNSPACED_REPORTING.sub(" ", sentence), [source[:_MAX_SOURCE] for source in sources]
    said, known = likeness.read(plain), [likeness.read(text) for text in texts]
    return (
        _has_figures(said, known)
        and all(any(_is_within(date, other) for each in known for other in each.dates) for date in said.dates)
        and _has_names(said, known)
        and _has_words(plain, said, texts, known)
        and _agrees(plain, texts)
    )


def _has_figures(said: Reading, known: Sequence[Reading]) -> bool:
    """Whether every number is there, with the unit it is given; a number without one may leave it out."""
    figures = {figure for each in known for figure in each.numbers}
    years = {date.partition("-")[0] for each in known for date in each.dates}
    bare = {_bare(figure) for figure in figures} | years
    return all(figure in figures or (figure == _bare(figure) and figure in bare) for figure in said.numbers)


def _bare(figure: str) -> str:
    found = _FIGURE.match(figure)
    return found.group() if found else figure


def _is_within(date: str, other: str) -> bool:
    """Whether a date says no more than another: May is within 3 May, and 2024 within 2024-05-03."""
    if date == other:
        return True
    parts, others = date.split("-"), other.split("-")
    return len(parts) == len(others) == 3 and all(
        not part or part == more for part, more in zip(parts, others, strict=True)
    )


def _has_names(said: Reading, known: Sequence[Reading]) -> bool:
    spelled = frozenset(word for each in known for word in each.spelled)
    relations = frozenset(word for each in known for word in each.relations)
    names = {*said.names, *({said.opening} - _opening_terms())} - _reporting_terms() - {""}
    return spelled >= names and relations >= said.relations


def _has_words(sentence: str, said: Reading, texts: Sequence[str], known: Sequence[Reading]) -> bool:
    if sentence.upper() != sentence.lower():
        return _word_share(said, known) >= FAIR
    terms, has = query_terms(sentence), frozenset(term for text in texts for term in index_terms(text))
    whole = sum(term.weight for term in terms)
    return whole > 0 and sum(term.weight for term in terms if term.text in has) >= UNCASED * whole


def _word_share(said: Reading, known: Sequence[Reading]) -> float:
    """The share of the words that tell something; 1 where only numbers, dates or names do, 0 where nothing does."""
    words = _content(said)
    spelled = frozenset(word for each in known for word in (*each.words, *each.spelled))
    starts = frozenset(word[:_SHARED_START] for word in spelled if len(word) >= _SHARED_START)
    if not words:
        return float(bool(said.numbers or said.dates or said.names))
    has = [word in spelled or (word.isalpha() and word[:_SHARED_START] in starts) for word in words]
    return sum(has) / len(has)


def _content(said: Reading) -> list[str]:
    return [word for word in said.order if word not in _reporting_terms()]


def _agrees(sentence: str, sources: Sequence[str]) -> bool:
    """Whether each clause affirms or denies as the clause does that is most like it."""
    known = [each for source in sources for each in _clauses(source)]
    return all(_agrees_with(clause, known) for clause in _clauses(sentence))


def _agrees_with(clause: Reading, known: Sequence[Reading]) -> bool:
    shared = [(clause.words & other.words).total() for other in known]
    most = max(shared, default=0)
    return most == 0 or any(
        other.denies == clause.denies for other, common in zip(known, shared, strict=True) if common == most
    )


def _clauses(text: str) -> list[Reading]:
    return [likeness.read(part) for part in _CLAUSE.split(text, maxsplit=_MAX_CLAUSES) if part.strip()]


@cache
def _opening_terms() -> frozenset[str]:
    return frozenset(spelling(" ".join(_OPENERS)))
