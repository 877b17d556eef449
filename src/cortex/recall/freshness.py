"""For what changes: where a question asks how something is now, the newer of two statements about it goes first.

Only the order changes. A newer statement passes an older one when both give a value of the kind that is asked
for, close to the words that are asked about, and the newer one says that something changed, or is the same
statement with another number. The older one stays where it is, below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.identity import TraceId
from cortex.domain.terms import index_terms
from cortex.domain.trust import SourceKind
from cortex.domain.turn import Turn
from cortex.recall.mentions import mentions
from cortex.recall.plan import Plan
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Freshness

_READ_CHARS = 3_000
_MOST_VALUES = 60
_REACH = 14
"""How many words around a value are looked at."""

_ABOUT_THE_PAST = re.compile(
    r"\b(?:did|was|were|had|originally|initial(?:ly)?|at first|the first time|before|previous(?:ly)?|used to|earlier|"
    r"at (?:the )?start|in the beginning|change[ds]?|history|over time|in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_ABOUT_SEVERAL = re.compile(
    r"\bbetween\b(?:(?!\bbetween\b).)*\band\b|\bacross\b|\bdifferent\b|\bin total\b|\bhave i ever\b",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT_NOW = re.compile(
    r"\b(?:is|are|am|do|does|has|have)\b|['’]s\b|\b(?:ist|sind|habe|hat|haben)\b|\b(?:es|está|son|tengo|hay)\b"
    r"|[\u3040-\u30ff\u4e00-\u9fff]",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|often|old|big|large|far)\b|\b(?:percentage|percent|rate|number|count|total|average|quota|"
    r"limit|score|size|budget|price|cost|salary|amount|version|time|coverage|accuracy|duration|hours)\b"
    r"|\bwie ?viele?\b|\bcuánt[oa]s?\b|多少|几|幾|いくつ|何(?:人|個|回|本|件|時間)",
    re.IGNORECASE,
)
_ASKS_DATE = re.compile(
    r"\bwhen\b|\b(?:deadline|due date|date|what time|what day|scheduled?)\b|\bwann\b|\bcuándo\b"
    r"|什么时候|什麼時候|几号|いつ",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|"
    r"thousand|half)\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|noon|midnight)\b"
    r"|\b\d{1,2}\s*(?:am|pm)\b|\d{1,2}:\d\d|\d{4}-\d\d-\d\d|\b\d{1,2}[/.]\d{1,2}|\d{1,8}[月日号號点點時]",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|recent(?:ly)?|new(?:ly)?|updated?|latest|current(?:ly)?|(?:in|de)creased|improved|grown|grew|rose|risen|"
    r"raised|dropped|fell|fallen|reduced|extended|expanded|moved|moving|postponed|rescheduled|pushed|changed|switched|"
    r"bumped|reached|hit|up to|down to|no longer|instead|so far|to date|as of|a total of|added|already|since then|"
    r"just)\b"
    r"|\b(?:jetzt|inzwischen|mittlerweile|neue[rsn]?|verschoben|erhöht|ahora|actualmente|nuev[oa]|aumentó|cambió)\b"
    r"|现在|現在|目前|最近|新的|改[为為到成]|增加到|变成|變成|今は|新しい|変更",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\bhow (?:many|much)\s+((?:[\w'-]+\s+){0,4}?[\w'-]+?)\s+"
    r"(?:have|has|am|are|is|do|does|did|in|of|i|we|can|will|would|should|were|was|to|a|per)\b"
    r"|\b(?:what|when)(?:['’]s| is| are)\s+(?:the |my |our |your )?(?:current |latest |new )?"
    r"((?:[\w'.-]+\s+){0,5}?[\w'.-]+?)\s*(?:\bof\b|\bfor\b|\bin\b|\bto\b|\bwith\b|\bon\b|\bscheduled\b|\?|,|$)",
    re.IGNORECASE,
)
_MEASURES = frozenset(index_terms("percentage percent rate number count total average amount current latest new my"))
_COUNTED = re.compile(
    r"(?<![^\W\d])([^\W\d][\w'-]{0,60})\s+(?:(?:only|just|about|over|around|at least|almost|nearly|a total of)\s+)?"
    r"\$?(?:\d[\d,.]*)\s?(%|[^\W\d][\w'-]*)"
)
_WORD = re.compile(r"\S+")

_SAID_BY_USERS = frozenset({SourceKind.USER, SourceKind.OPERATOR})
"""Whose statements count: what an assistant repeats is no update."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a candidate says about the thing asked for."""

    covers: float = 0.0
    """How many of the words asked about stand near a value."""
    changed: float = 0.0
    """The same, where a change is told there as well."""
    of_the_thing: bool = False
    """Whether the change is told of the very thing asked for."""
    counts: frozenset[tuple[str, str]] = frozenset()
    """The words before and after its numbers."""


def newest_first(ranked: Sequence[Scored], plan: Plan, recipe: Freshness) -> list[Scored]:
    """`ranked` with newer statements moved above the older ones they replace."""
    value = _value_asked_for(plan.text)
    top = list(ranked[: recipe.depth])
    if value is not None and not plan.asks_both:
        asked, thing = frozenset(term.text for term in plan.terms), _thing(plan.text)
        said = {each.trace.id: _statement(each, asked, thing, value) for each in top}
        top = _passed(top, said, recipe)
    return [*_after_what_outdates_them(top), *ranked[recipe.depth :]]


def _value_asked_for(text: str) -> re.Pattern[str] | None:
    """The kind of value a question about the present asks for; None for any other question."""
    if _ABOUT_THE_PAST.search(text) or _ABOUT_SEVERAL.search(text) or not _ABOUT_NOW.search(text):
        return None
    if _ASKS_DATE.search(text):
        return _DATE
    return _NUMBER if _ASKS_NUMBER.search(text) else None


def _thing(text: str) -> frozenset[str]:
    """The terms of the thing whose value is asked for: "How many COMMITS have …", "What is the CALL QUOTA of …"."""
    found = _THING.search(text)
    return frozenset(index_terms(found.group(1) or found.group(2))) - _MEASURES if found else frozenset()


def _statement(each: Scored, asked: frozenset[str], thing: frozenset[str], value: re.Pattern[str]) -> _Statement:
    if each.trace.source_kind not in _SAID_BY_USERS:
        return _Statement()
    text = each.trace.text[:_READ_CHARS]
    places = list(mentions(text, asked | thing))
    covers = changed = 0.0
    of_the_thing = False
    for start, end in _surroundings(text, value):
        near = {term for place, term in places if start <= place < end}
        found = len(asked & near) + (0.5 if thing & near else 0.0)
        covers = max(covers, found)
        is_of_the_thing = bool(thing & near)
        if (found > changed or is_of_the_thing > of_the_thing) and _CHANGE.search(text, start, end):
            changed = max(changed, found)
            of_the_thing = of_the_thing or is_of_the_thing
    return _Statement(covers, changed, of_the_thing, frozenset(_counts(text, asked)))


def _surroundings(text: str, value: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where the words around each value stand."""
    words = [found.span() for found in _WORD.finditer(text)]
    at = 0
    for number, found in enumerate(value.finditer(text)):
        if number == _MOST_VALUES:
            return
        while words[at][1] <= found.start():
            at += 1
        yield words[max(0, at - _REACH)][0], words[min(len(words) - 1, at + _REACH)][1]


def _counts(text: str, asked: frozenset[str]) -> Iterator[tuple[str, str]]:
    for found in _COUNTED.finditer(text):
        before, after = index_terms(found.group(1)), index_terms(found.group(2)) or [found.group(2)]
        if before and before[0] in asked and (after[0] in asked or after[0] == "%"):
            yield before[0], after[0]


def _passed(top: list[Scored], said: dict[TraceId, _Statement], recipe: Freshness) -> list[Scored]:
    most = max((statement.covers for statement in said.values()), default=0.0)
    if most < recipe.least_terms:
        return top
    on_topic = max(recipe.least_terms, recipe.topic_share * most)
    of_the_thing = max(recipe.least_terms, recipe.thing_share * most)

    def tells_change(statement: _Statement) -> bool:
        least = of_the_thing if statement.of_the_thing else on_topic
        return statement.changed >= least

    found = {each.trace.id: each.score for each in top}
    for newer in sorted(top, key=_time):
        mine = said[newer.trace.id]
        for older in top[: top.index(newer)]:
            theirs = said[older.trace.id]
            if (
                (theirs.covers >= on_topic or tells_change(theirs))
                and _time(older) < _time(newer)
                and found[newer.trace.id] >= recipe.score_share * found[older.trace.id]
                and (tells_change(mine) or mine.counts & theirs.counts)
            ):
                top = _moved(top, newer, older)
                break
    return top


def _after_what_outdates_them(top: list[Scored]) -> list[Scored]:
    """A turn whose statement a later turn replaced stands below that turn, where both are candidates."""
    places = {each.trace.id: each for each in top}
    for each in list(top):
        by = each.trace.outdated_by if isinstance(each.trace, Turn) else None
        if by is not None and by in places and top.index(places[by]) > top.index(each):
            top = _moved(top, places[by], each)
    return top


def _moved(top: list[Scored], newer: Scored, older: Scored) -> list[Scored]:
    """`newer` right above `older`, with the part of its score that says so."""
    newer.parts["newer"] = newer.parts.get("newer", 0.0) + older.score - newer.score + 0.000001
    newer.reasons.append(f"says newer than {older.trace.id}")
    rest = [each for each in top if each is not newer]
    rest.insert(rest.index(older), newer)
    return rest


def _time(each: Scored) -> tuple[datetime, int]:
    return each.trace.created_at, each.trace.seq if isinstance(each.trace, Turn) else 0
