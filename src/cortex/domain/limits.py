"""What words limit a statement to: a stretch of time ("until Friday", "this week"), or a project ("for Atlas").

A day that is named ends when it is over everywhere on earth, since nobody says where the speaker is.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

from cortex.languages import LIMITS
from cortex.languages.limits import LimitWords

DAY, WEEK, MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=31)
OVER_EVERYWHERE = timedelta(hours=36)
"""From midnight UTC of a day to its end in the last time zone."""
_MOST_FRONTS = 2
_LONGEST_LIMIT = 60
_LATIN = tuple(code for code, words in LIMITS.items() if re.search("[a-z]{3}", words.day))
_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " "})
_RESOLVED = re.compile(r" \((?:week(?:end)? of )?\d{4}[\d-]{0,6}\)")
_GROUP = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True, slots=True)
class Front:
    """What a sentence opens with before it comes to the point."""

    end: int
    is_explicit: bool = False
    """Whether it limits what follows beyond doubt: "until Friday" does, "today" may only tell when."""
    about: str = ""
    """The name of a project."""
    of_project: bool = False


def plain(text: str) -> str:
    """`text` with straight apostrophes, and without the days that were put beside its relative dates."""
    return _RESOLVED.sub("", text.translate(_STRAIGHT))


# --- how long --------------------------------------------------------------------------------------------------------


def named_end(text: str, said: datetime, lang: str) -> datetime | None:
    """When the day is over until which something holds: "until Friday", "for the next two weeks"."""
    for pattern in _shapes(lang).until:
        if found := _compiled(pattern).search(text):
            day = _day(found, said.date(), LIMITS[lang])
            return None if day is None else datetime.combine(day, time(), UTC) + OVER_EVERYWHERE
    return None


def stretch(text: str, lang: str) -> timedelta | None:
    """The longest stretch of time that a text names: a day for "today", a week for "this week" or "tomorrow"."""
    if _compiled(LIMITS[lang].month).search(text):
        return MONTH
    if _compiled(LIMITS[lang].week).search(text):
        return WEEK
    return DAY if _compiled(LIMITS[lang].day).search(text) else None


def holds_now(text: str, lang: str) -> bool:
    """Whether a text says that something is so at the moment."""
    return bool(_compiled(LIMITS[lang].now).search(text))


def stays(text: str, lang: str) -> bool:
    """Whether a text names a start, a habit or a later date, or tells of what took place or changes a life."""
    if starts(text, lang) or is_life_event(text, lang):
        return True
    rest = _compiled(LIMITS[lang].state).sub(" ", text) if LIMITS[lang].state else text
    return bool(_compiled(LIMITS[lang].happened).search(rest))


def starts(text: str, lang: str) -> bool:
    """Whether a text names a start, a habit or a later date: "from now on", "every week"."""
    return bool(_compiled(LIMITS[lang].stays).search(text))


def is_life_event(text: str, lang: str) -> bool:
    """Whether a statement reports an event that changes a life."""
    return bool(_compiled(LIMITS[lang].life_events).search(text))


def may_limit(text: str, lang: str) -> bool:
    """Whether a text holds words that limit it in time."""
    return lang in LIMITS and bool(_compiled(_shapes(lang).any).search(plain(text)))


# --- where -----------------------------------------------------------------------------------------------------------


def front(text: str, lang: str | None = None) -> Front | None:
    """What a sentence opens with that limits it; in any language where `lang` is None."""
    for code in _codes(text, lang):
        if found := _front(text, code):
            return found
    return None


def _front(text: str, lang: str) -> Front | None:
    found = Front(0)
    for _ in range(_MOST_FRONTS):
        if timed := _compiled(_shapes(lang).front).match(text, found.end):
            groups = timed.groupdict()
            is_intended = bool(groups.get("only") or groups.get("alone") or groups.get("dated"))
            found = Front(timed.end(), found.is_explicit or is_intended, found.about, found.of_project)
        elif placed := _compiled(LIMITS[lang].scope).match(text, found.end):
            about = next((each for name, each in placed.groupdict().items() if name and each), "")
            found = Front(placed.end(), found.is_explicit, about.strip(), of_project=True)
        else:
            break
    return found if 0 < found.end < len(text) else None


def limited(text: str, lang: str | None = None) -> tuple[str, Front] | None:
    """A sentence that opens or ends with a limit: what it says without it, and the limit."""
    if opening := front(text, lang):
        return text[opening.end :], opening
    for code in _codes(text, lang):
        if (closing := _closing(text, code)) and closing.start() > 0:
            return text[: closing.start()].rstrip(" ,"), Front(closing.end(), is_explicit=bool(closing["dated"]))
    return None


def ends_limited(text: str, lang: str) -> bool:
    """Whether a sentence ends with a limit: "answer in French today"."""
    return _closing(text, lang) is not None


def _closing(text: str, lang: str) -> re.Match[str] | None:
    return _compiled(_shapes(lang).back).search(text, max(0, len(text) - _LONGEST_LIMIT))


def _codes(text: str, lang: str | None) -> Iterable[str]:
    """The languages a text may be in: the one that is known, or those whose letters it has."""
    if lang is not None:
        return (lang,) if lang in LIMITS else ()
    return _LATIN if text.isascii() else LIMITS


def is_order(text: str, lang: str) -> bool:
    """Whether what stands beside a limit is an order: "answer in French", not "I'm on leave"."""
    return bool(_compiled(LIMITS[lang].orders).search(text))


def lasting(text: str, lang: str) -> str:
    """An instruction as it would be said for good."""
    return f"{LIMITS[lang].lasting}{text}"


# --- patterns --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shapes:
    """The patterns that are put together from the words of a language."""

    until: tuple[str, ...]
    """How a day is named until which something holds."""
    any: str
    front: str
    back: str


@cache
def _shapes(lang: str) -> _Shapes:
    words = LIMITS[lang]
    until = tuple(_until(words))
    dated = "|".join(_GROUP.sub("(?:", each) for each in until)
    short = f"{words.month}|{words.week}|{words.day}"
    return _Shapes(
        until=until,
        any=f"{dated}|{short}",
        front=rf"{words.before}(?:(?P<dated>{dated})|{short}){words.after}",
        back=rf"(?:(?P<dated>{dated})|{short})\W{{0,3}}$",
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _until(words: LimitWords) -> Iterator[str]:
    """The ways to name the day until which something holds."""
    edge = r"(?!\w)" if words.months else ""
    for template in words.until:
        for form in _forms(words):
            yield template.replace("{}", f"(?:{form}){edge}")
    number = "|".join([r"\d{1,3}", *sorted(words.numbers, key=len, reverse=True)])
    unit = "|".join(sorted(words.units, key=len, reverse=True))
    space = r"\s" if words.months else r"\s?"
    yield words.within.replace("{}", rf"(?:(?P<count>{number}){space})?(?P<unit>{unit}){edge}")


def _forms(words: LimitWords) -> Iterator[str]:
    yield r"(?P<iso>\d{4}-\d\d-\d\d)"
    if words.months:
        month = "|".join(sorted(_names(words.months), key=len, reverse=True))
        yield rf"(?P<number>\d{{1,2}}){words.of}(?P<month>{month})(?:{words.of}(?P<year>\d{{4}}))?"
        yield rf"(?P<month>{month})\s(?P<number>\d{{1,2}})(?:{words.of}(?P<year>\d{{4}}))?"
        yield r"(?P<number>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?:\s?(?P<year>\d{4}))?"
        yield rf"(?P<month>{month})"
    else:
        yield r"(?:(?P<year>\d{4})[年년]\s?)?(?P<month>\d{1,2})[月월]\s?(?P<number>\d{1,2})[日号號일]"
    yield rf"(?P<weekday>{'|'.join(sorted(_names(words.weekdays), key=len, reverse=True))})"
    for span, pattern in words.spans.items():
        yield rf"(?P<ends_{span}>{pattern})"
    yield rf"(?P<day>{'|'.join(sorted(words.days, key=len, reverse=True))})"


def _names(several: tuple[str, ...]) -> dict[str, int]:
    return {name: place for place, names in enumerate(several) for name in names.split(", ")}


def _day(found: re.Match[str], said: date, words: LimitWords) -> date | None:
    """The last day that a limit names; None for one that is none."""
    groups = {name: value.casefold() for name, value in found.groupdict().items() if value}
    if "iso" in groups:
        return _date(*map(int, groups["iso"].split("-")))
    if "month" in groups:
        return _in_year(groups, said, _names(words.months))
    if "weekday" in groups:
        return said + timedelta(days=(_names(words.weekdays)[groups["weekday"]] - said.weekday()) % 7 or 7)
    if "day" in groups:
        return said + timedelta(days=words.days[groups["day"]])
    if "unit" in groups:
        count = groups.get("count", "1")
        number = int(count) if count.isdigit() else words.numbers[count]
        return said + timedelta(days=number * words.units[groups["unit"]])
    if "ends_week" in groups:
        return said + timedelta(days=6 - said.weekday())
    last = 12 if "ends_year" in groups else said.month
    return date(said.year, last, monthrange(said.year, last)[1])


def _in_year(groups: dict[str, str], said: date, months: dict[str, int]) -> date | None:
    month = int(groups["month"]) if groups["month"].isdigit() else months[groups["month"]] + 1
    number, year = int(groups.get("number", "1")), int(groups.get("year", said.year))
    day = _date(year, month, number)
    return _date(year + 1, month, number) if day and day < said and "year" not in groups else day


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
