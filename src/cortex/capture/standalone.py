"""A statement that stands alone: later readers see neither the sentence before it nor the day it was said.

A "he", "it" or "them" becomes what it stands for, where it can stand for only one thing said just before. Where several
can, the sentence before is remembered with it. A relative date gets the day beside it: "last Friday (2023-05-12)".
What cannot stand alone is not remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import islice

from cortex.capture.clauses import LONGEST_WORDS
from cortex.languages.pack import ReferenceWords, compiled

_MOST_DATES = 3
_MOST_REFERENCES = 8
_WEEKS = frozenset({"week", "weekend"})


def without_greeting(text: str, words: ReferenceWords) -> str:
    """`text` without what it only opens with."""
    greeting = compiled(words.greets).match(text)
    return text[greeting.end() :] if greeting else text


def resolved(text: str, before: Sequence[str], words: ReferenceWords) -> str | None:
    """`text` with its pronouns resolved by what was said `before`, nearest first; None where they cannot be."""
    opened = _opening(text, before, words)
    return opened if opened is None else _inside(opened, before, words)


def _opening(text: str, before: Sequence[str], words: ReferenceWords) -> str | None:
    if not _is_vague(text, words):
        return text
    if opening := compiled(words.mine).match(text):
        noun = _only(words.shared, before, words)
        return noun and f"{words.my} {noun}{text[opening.end() :]}"
    for pronoun, among in ((words.person, words.someone), (words.thing, words.something)):
        if opening := compiled(pronoun).match(text):
            referent = _only(among, before, words)
            return referent and f"{referent[:1].upper()}{referent[1:]}{opening['tail']}{text[opening.end() :]}"
    return None


def _inside(text: str, before: Sequence[str], words: ReferenceWords) -> str | None:
    """`text` with the one word that refers outside of it resolved; None where it cannot be, or there are more."""
    found = next(iter(references(text, words)), None)
    if found is None:
        return text
    among = {"thing": words.something, "things": words.several, "person": words.someone}.get(found.lastgroup or "")
    referent = _only(among, before, words) if among else None
    if referent is None or referent.split()[-1] in text:
        return None
    whole = f"{text[: found.start()]}{referent}{text[found.end() :]}"
    return whole if not references(whole, words) else None


def led(lead: str, text: str, words: ReferenceWords) -> str | None:
    """`text` after the statement that names what it refers to, as one; None where that is too long or does not help."""
    opening = text if compiled(words.capital).match(text) else f"{text[:1].lower()}{text[1:]}"
    whole = f"{lead.rstrip(' .!')}; {opening}"
    stands = not _is_vague(lead, words) and not references(whole, words) and compiled(words.nouns).search(lead)
    return whole if stands and len(whole.split()) <= LONGEST_WORDS else None


def joins(lead: str, text: str, words: ReferenceWords) -> bool:
    """Whether a text speaks of people that only the statement before it names: "we all made pots"."""
    people = compiled(words.people)
    return bool(compiled(words.joined).match(text) and people.search(lead)) and not people.search(text)


def _is_vague(text: str, words: ReferenceWords) -> bool:
    """Whether a text opens with what it does not name, or only adds to what was said before."""
    opens = compiled(words.vague).match(text) and not compiled(words.plain).match(text)
    return bool(opens) or is_fragment(text, words)


def is_fragment(text: str, words: ReferenceWords) -> bool:
    """Whether a text is no sentence by itself: "Only on Windows."."""
    return compiled(words.fragment).match(text) is not None


def leans(text: str, words: ReferenceWords) -> bool:
    """Whether a text opens as what goes on with the sentence before does: "its the 29th now", "310 quid but ..."."""
    return compiled(words.leaning).match(text) is not None


# --- what refers to something ----------------------------------------------------------------------------------------


def references(text: str, words: ReferenceWords) -> list[re.Match[str]]:
    """The words inside of a text that stand for something it does not name."""
    found = islice(compiled(words.inner).finditer(text, 1), _MOST_REFERENCES)
    return [each for each in found if not _is_named(text[: each.start()], each.lastgroup, words)]


def _is_named(said: str, group: str | None, words: ReferenceWords) -> bool:
    """Whether what was said in the same statement names what a word of this group may stand for."""
    if group == "here":
        return False
    if group == "person":
        return bool(compiled(words.people).search(said))
    if group == "whose":
        return bool(compiled(words.people).search(said) or compiled(words.nouns).search(said))
    ends = [bound.start() for bound in compiled(words.bounds).finditer(said)]
    part = said[: ends[-1]] if ends else ""
    return bool(compiled(words.nouns).search(part)) or (group == "things" and bool(compiled(words.people).search(part)))


def signs(text: str, words: ReferenceWords) -> frozenset[str]:
    """Signs that a text does not stand alone."""
    found = {"refers outside": bool(references(text, words)), "points outside": _points(text, words)}
    return frozenset(name for name, is_shown in found.items() if is_shown)


def _points(text: str, words: ReferenceWords) -> bool:
    """Whether a text points at something by a noun that it does not name before: "this error"."""
    pointing = islice(compiled(words.points).finditer(text), _MOST_REFERENCES)
    return any(each["noun"].casefold().rstrip("s") not in text[: each.start()].casefold() for each in pointing)


def _only(pattern: str, before: Sequence[str], words: ReferenceWords) -> str | None:
    """The one thing of its kind in the nearest sentence that names any; None where there are several, or none."""
    for sentence in before:
        found = {_named(match, words) for match in compiled(pattern).finditer(sentence)}
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _named(match: re.Match[str], words: ReferenceWords) -> str:
    """What a match names, as it may open a sentence."""
    groups = match.groupdict()
    if "noun" in groups:
        return match["noun"]
    new: str | None = groups.get("new")
    if new is None:
        return match.group()
    article, noun = new.split(" ", 1)
    return new if article.casefold() in words.own else f"{words.the} {noun}"


# --- people ----------------------------------------------------------------------------------------------------------


def addressed(text: str, listener: str, words: ReferenceWords) -> str:
    """`text` with the name of the person it is said to beside the first word for them: "your (Ana's) studio"."""
    found = compiled(words.listener).search(text) if listener else None
    if found is None or listener.casefold() in text.casefold():
        return text
    name = words.owned.format(listener) if found["owner"] else listener
    return f"{text[: found.end()]} ({name}){text[found.end() :]}"


# --- dates -----------------------------------------------------------------------------------------------------------


def dated(text: str, said: datetime, words: ReferenceWords) -> str:
    """`text` with the day, week, month or year beside each relative date."""
    beside = lambda found: f"{found.group()} ({_when(found, said.date(), words)})"  # noqa: E731
    return compiled(words.relative).sub(beside, text, count=_MOST_DATES)


def _when(found: re.Match[str], said: date, words: ReferenceWords) -> str:
    if found["day"]:
        return f"{said + timedelta(days=words.days[found['day'].casefold()])}"
    if found["weekday"]:
        day = next(at for at, name in enumerate(words.weekdays) if name.startswith(found["weekday"].casefold()))
        return f"{_weekday(day, said, behind=found['which'].casefold() in words.behind)}"
    if found["span"]:
        return _span(found["span"].casefold(), words.sides[found["side"].casefold()], said)
    number = found["number"].casefold()
    return _ago(words.numbers.get(number) or int(number), found["unit"].casefold(), said)


def _weekday(day: int, said: date, *, behind: bool) -> date:
    """The nearest such day before the day it was said, or after it."""
    distance = (said.weekday() - day) % 7 or 7 if behind else -((day - said.weekday()) % 7 or 7)
    return said - timedelta(days=distance)


def _span(span: str, step: int, said: date) -> str:
    if span == "year":
        return f"{said.year + step}"
    if span == "month":
        return _month(said, step)
    return _week(said + timedelta(weeks=step), span)


def _week(day: date, span: str) -> str:
    monday = day - timedelta(days=day.weekday())
    return f"weekend of {monday + timedelta(days=5)}" if span == "weekend" else f"week of {monday}"


def _ago(number: int, unit: str, said: date) -> str:
    if unit == "day":
        return f"{said - timedelta(days=number)}"
    if unit in _WEEKS:
        return _week(said - timedelta(weeks=number), unit)
    return f"{said.year - number}" if unit == "year" else _month(said, -number)


def _month(said: date, step: int) -> str:
    months = said.year * 12 + said.month - 1 + step
    return f"{months // 12:04d}-{months % 12 + 1:02d}"
