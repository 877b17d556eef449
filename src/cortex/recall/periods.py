"""Questions about a time and no topic: "what did we talk about yesterday?", "where did we leave off?".

No word of what was said stands in them, so no leg finds it. They are answered with what the user said at that time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import index_terms
from cortex.languages import WORDS
from cortex.languages.words import Words

_READ_CHARS = 200
"""A longer message is about something."""
_DAY = timedelta(days=1)
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Period:
    """The time that a question is about; without a beginning it is the last conversation."""

    since: datetime | None = None
    until: datetime | None = None


_Reading = Callable[[re.Match[str], datetime], Period | None]
"""What a phrase means at a time; `datetime` is the beginning of that day."""


def requested(text: str, now: datetime) -> Period | None:
    """The time whose conversations a query asks for; None where it asks for something else, or names a topic."""
    if len(text) > _READ_CHARS:
        return None
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for requests, topicless, phrases in _languages():
        if not requests.search(text):
            continue
        for phrase, reading in phrases:
            if (found := phrase.search(text)) and (period := reading(found, today)):
                rest = f"{text[: found.start()]} {text[found.end() :]}"
                return period if _telling(rest) <= topicless else None
    return None


def _telling(text: str) -> frozenset[str]:
    return frozenset(term for term in index_terms(text) if term not in STOP_WORDS and len(term) > 1)


@cache
def _languages() -> Sequence[tuple[re.Pattern[str], frozenset[str], Sequence[tuple[re.Pattern[str], _Reading]]]]:
    """Of each language that has the words: how such a question opens, what names no topic, and the phrases of time."""
    return [
        (
            re.compile(words.periods.requests, re.IGNORECASE),
            frozenset(index_terms(words.periods.talk)),
            [(re.compile(pattern, re.IGNORECASE), reading) for pattern, reading in _phrases(words)],
        )
        for words in WORDS
        if words.periods.requests
    ]


def _phrases(words: Words) -> Sequence[tuple[str, _Reading]]:
    """The phrases of time, those first that hold others."""
    given = words.periods
    weekdays = _numbered(words.similarity.weekdays)
    months = _numbered(words.similarity.months)
    day, month = "|".join(weekdays), "|".join(months)
    return [
        (given.last_time, _counted(lambda _: Period())),
        (r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\b", lambda found, today: _date(found, today, {})),
        (
            rf"\b(?:(?:{given.on}) )?(?:(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?(?P<month>{month})"
            rf"|(?P<month2>{month}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?:,? (?P<year>\d{{4}}))?",
            lambda found, today: _date(found, today, months),
        ),
        (rf"\b(?:{given.in_}) (?P<month>{month})\b", lambda found, today: _month(months[_word(found)], today)),
        (
            rf"\b(?:{given.on}) (?P<weekday>{day})\b",
            lambda found, today: _weekday(weekdays[found["weekday"].lower()], today),
        ),
        (given.ago, lambda found, today: _ago(found, today, given.numbers)),
        *((rf"\b{phrase}\b", _days_ago(days)) for phrase, days in given.days.items()),
        (rf"\b(?:{given.this}) {given.week}\b", _counted(lambda today: Period(today - _WEEK, today + _DAY))),
        (rf"\b(?:{given.this}) {given.month}\b", _counted(lambda today: Period(today - 30 * _DAY, today + _DAY))),
        (rf"\b(?:{given.last}) {given.week}\b", _counted(_last_week)),
        (rf"\b(?:{given.last}) {given.month}\b", _counted(lambda today: _month((today.month - 2) % 12, today))),
    ]


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {word: number for number, words in enumerate(names) for word in words.split()}


def _word(found: re.Match[str]) -> str:
    return found["month"].lower()


def _counted(reading: Callable[[datetime], Period]) -> _Reading:
    """A phrase that means the same time however it is worded."""
    return lambda _, today: reading(today)


def _days_ago(days: int) -> _Reading:
    return _counted(lambda today: Period(today - days * _DAY, today - (days - 1) * _DAY))


def _date(found: re.Match[str], today: datetime, months: dict[str, int]) -> Period | None:
    """A day of a year, or else the last one of this date."""
    groups = found.groupdict()
    named = groups.get("month") or groups.get("month2") or ""
    month = months.get(named.lower(), -1) + 1 or int(named)
    number = int(groups.get("day") or groups.get("day2") or 0)
    try:
        day = today.replace(year=int(groups["year"] or today.year), month=month, day=number)
        if groups["year"] is None and day > today:
            day = day.replace(year=day.year - 1)
    except ValueError:
        return None
    return Period(day, day + _DAY)


def _month(number: int, today: datetime) -> Period:
    """The last month of this number, counted from 0, that has begun."""
    first = today.replace(day=1, month=number + 1)
    if first > today:
        first = first.replace(year=first.year - 1)
    return Period(first, (first + 32 * _DAY).replace(day=1))


def _weekday(number: int, today: datetime) -> Period:
    """The last such day before today."""
    day = today - ((today.weekday() - number - 1) % 7 + 1) * _DAY
    return Period(day, day + _DAY)


def _last_week(today: datetime) -> Period:
    monday = today - today.weekday() * _DAY
    return Period(monday - _WEEK, monday)


def _ago(found: re.Match[str], today: datetime, numbers: Mapping[str, int]) -> Period:
    word = found["number"].lower()
    count = numbers[word] if word in numbers else int(word)
    if found["weeks"]:
        return Period(today - (count * 7 + 3) * _DAY, today - (count * 7 - 4) * _DAY)
    return Period(today - count * _DAY, today - (count - 1) * _DAY)
