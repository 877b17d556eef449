"""Whether one of two statements gives another amount of the same thing, in languages that run their words together.

`claims` reads statements word by word, which needs spaces between them, or at least endings that a stemmer knows. Here
a clause is its amounts and what is left of it: "我的房租是3000元" is 房租 and 3000 元. Two clauses are of one thing if
just that is the same, down to the letter. A language names what may differ besides in its module `amounts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from itertools import product

from cortex.domain.text import normal
from cortex.domain.text_similarity import denies
from cortex.languages import AMOUNTS
from cortex.languages.amounts import SIGNS, AmountWords

MAX_CHARACTERS = 400

LONGEST_TOPIC = 40
"""Longer clauses say so much that one amount does not decide what they are about."""

SHORTEST_TOPIC = 2
"""A single letter tells too little of what has an amount, unless it is due each day or counts something."""

_HERE = "¤"
"""Stands for an amount."""
_AGE, _CLOCK, _COUNT, _NUMBER, _VERSION = "age", "clock", "count", "number", "version"
_NAMED = re.compile(r"[a-z][a-z\d+#.-]*\s+$")
"""What a version follows: "PostgreSQL 16"."""


class AmountChange(IntEnum):
    """How the amount of the later of two statements stands to that of the earlier."""

    NONE = 0
    RECURRING = 1
    """Another time of day, which may be that of another day."""
    STATED = 2
    """Both cannot be so, and nothing says which is."""
    REPORTED = 3
    """The later one says that it is so from now on."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit."""

    dimension: str
    number: float
    unit: str
    """The first name of the unit; empty for a bare number."""
    factor: float
    """How many of the smallest unit it is; 0 where that is not known."""
    said: str

    def is_like(self, other: Amount) -> bool:
        """Whether both may measure the same."""
        if _NUMBER in (self.dimension, other.dimension):
            return _VERSION not in (self.dimension, other.dimension)
        if self.dimension != other.dimension:
            return False
        return self.dimension != _COUNT or self.unit == other.unit

    def is_same(self, other: Amount) -> bool:
        """Whether both are one amount: 72 公斤 is 144 斤."""
        if _VERSION in (self.dimension, other.dimension):
            return self.said == other.said
        if self.unit and other.unit and self.unit != other.unit:
            both = self.factor and other.factor and self.dimension == other.dimension
            return bool(both) and abs(self.number * self.factor - other.number * other.factor) < 1e-6
        return self.number == other.number


@dataclass(frozen=True, slots=True)
class AmountClause:
    """What a clause says of an amount."""

    topic: str
    """What is left of it without what may differ."""
    amounts: tuple[Amount, ...]
    former: tuple[Amount, ...]
    """What it says was so before."""
    rates: frozenset[str]
    parts_of_day: frozenset[str]
    times: frozenset[str]
    changed: bool
    is_step: bool
    """Whether it is by how much something changed."""
    is_state: bool
    """Whether it is so until something else is said."""
    is_once: bool
    """Whether it tells of a single occasion, or of what is not sure."""
    is_goal: bool


def change(old: str, new: str) -> AmountChange:
    """How the amount that `new` gives, said later, stands to the amount of the same thing in `old`."""
    earlier, later = _read(old), _read(new)
    if earlier.code != later.code:
        return AmountChange.NONE
    says_more = earlier.says_more or later.says_more
    # Where more is said, nothing tells whose age "今年52岁" is.
    pairs = [(one, other) for one, other in product(earlier.clauses, later.clauses) if one.topic or not says_more]
    found = max((_between(one, other) for one, other in pairs), default=AmountChange.NONE)
    # Who is told that one of several amounts has changed does not forget the others.
    return min(found, AmountChange.STATED) if earlier.says_more else found


def are_apart(old: str, new: str) -> bool:
    """Whether two amounts are of two times, or are by how much something changed, not what it is."""
    first, second = (_read(text).clauses for text in (old, new))
    if any(clause.is_step for clause in (*first, *second)):
        return True
    times = [frozenset(time for clause in clauses for time in clause.times) for clauses in (first, second)]
    return all(times) and times[0].isdisjoint(times[1])


def are_unlike(old: str, new: str) -> bool:
    """Whether two statements that share words state no amount of one thing: of a single occasion, or of two times."""
    first, second = _read(old).clauses, _read(new).clauses
    if any(clauses and all(clause.is_once for clause in clauses) for clauses in (first, second)):
        return True
    pairs = [(one, other) for one, other in product(first, second) if one.topic == other.topic]
    return bool(pairs) and not any(_are_of_one_time(one, other) for one, other in pairs)


@dataclass(frozen=True, slots=True)
class _Reading:
    code: str = ""
    """The language."""
    clauses: tuple[AmountClause, ...] = ()
    says_more: bool = False


def _between(old: AmountClause, new: AmountClause) -> AmountChange:
    if not _are_of_one_thing(old, new) or not (old.is_state and new.is_state) or old.is_step or new.is_step:
        return AmountChange.NONE
    differing = [(was, now) for was, now in zip(old.amounts, new.amounts, strict=True) if not was.is_same(now)]
    if len(differing) != 1:
        return AmountChange.NONE
    ((was, now),) = differing
    if new.former and not any(was.is_same(each) for each in new.former):
        return AmountChange.NONE
    if new.changed or (was.dimension == now.dimension == _AGE and now.number > was.number):
        return AmountChange.REPORTED
    if _CLOCK in (was.dimension, now.dimension) and not (old.rates and new.rates):
        return AmountChange.RECURRING
    return AmountChange.STATED


def _are_of_one_thing(old: AmountClause, new: AmountClause) -> bool:
    if old.topic != new.topic or old.is_goal != new.is_goal or not _are_of_one_time(old, new):
        return False
    if len(old.amounts) != len(new.amounts) or not all(map(Amount.is_like, old.amounts, new.amounts)):
        return False
    return len(old.topic) >= SHORTEST_TOPIC or (_tells_by_unit(old) and _tells_by_unit(new))


def _are_of_one_time(old: AmountClause, new: AmountClause) -> bool:
    """Whether two amounts are due as often, in one period, and at one part of the day unless it was moved."""
    if old.times != new.times or (old.rates and new.rates and old.rates != new.rates):
        return False
    return new.changed or not (old.parts_of_day and new.parts_of_day) or old.parts_of_day == new.parts_of_day


def _tells_by_unit(clause: AmountClause) -> bool:
    """Whether what an amount is of shows without more than a letter: "I'm 34", "3 cats", "I run 20 km a week"."""
    dimensions = {amount.dimension for amount in clause.amounts}
    return _AGE in dimensions or (bool(clause.topic) and (bool(clause.rates) or _COUNT in dimensions))


# --- reading ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4_096)
def _read(text: str) -> _Reading:
    """The clauses of a text that state an amount; none where it denies something, or is read word by word."""
    if len(text) > MAX_CHARACTERS or text.isascii():
        return _Reading()
    plain = normal("NFKC", text).casefold()
    code = next((code for code, words in AMOUNTS.items() if re.search(words.letters, plain)), "")
    if not code or denies(text):
        return _Reading(code)
    language = _language(code)
    parts = list(filter(None, map(str.strip, language.breaks.split(plain))))
    return _Reading(code, tuple(filter(None, map(language.clause, parts))), says_more=len(parts) > 1)


@cache
def _language(code: str) -> _Language:
    return _Language(AMOUNTS[code])


@dataclass(frozen=True, slots=True)
class _Unit:
    dimension: str
    name: str
    factor: float = 0.0


class _Language:
    """The words of a language, ready to read clauses with."""

    def __init__(self, words: AmountWords) -> None:
        self._words = words
        self._units = {name: unit for unit, names in _units(words) for name in names}
        self._digits = {name: digit for digit, names in enumerate(words.digits.split()) for name in names.split("/")}
        self._amount, self._figure = self._finders(words)
        self.breaks = re.compile(words.breaks)
        self._since = re.compile(rf"(?:{words.former_before})?\s?(?:{words.times})\s?(?:{words.since})")
        self._times, self._passing, self._goals = map(re.compile, (words.times, words.passing, words.goals))
        self._changed, self._steps, self._past = map(re.compile, (words.changed, words.steps, words.past))
        self._states, self._fillers = map(re.compile, (words.states, words.fillers))
        self._measured = re.compile(rf"(?:{words.measures}){_HERE}")
        self._former = re.compile(rf"(?:{words.former_before})\s?{_HERE}|{_HERE}\s?(?:{words.former_after})")
        self._rates = {name: re.compile(rate) for name, rate in words.rates.items()}
        self._parts_of_day = re.compile(words.parts_of_day)

    def _finders(self, words: AmountWords) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What finds an amount, and what finds the parts of its number."""
        figure, scale = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*", _either(words.scales)
        number = rf"(?:{figure})(?:\s?(?:{scale})(?:\s?\d{{1,4}}(?!\d))?)*"
        spelled = rf"(?:(?:{_either((*self._digits, *words.scales))})+|(?<!\w)(?:{_either(words.numbers)}))"
        large = "".join(name for name, times in words.scales.items() if times >= 10_000)
        unit = rf"(?:{_either(self._units)})(?![a-z])"
        amount = re.compile(
            rf"(?<![\d:.])(?P<hour>\d{{1,2}}|{spelled})(?::(?P<minutes>\d\d)(?!\d)|\s?(?:{words.hour})"
            rf"(?:\s?(?:(?P<half_past>{words.half})|(?P<past>\d{{1,2}})(?:\s?(?:{words.minute})|(?!\d))))?)"
            rf"|(?P<sign>[$€£¥])\s?(?P<priced>{number})"
            rf"|(?<![a-z\d_./:-])v?(?P<number>{number})(?:\s?(?P<unit>{unit})(?P<half>\s?{words.half})?)?"
            rf"|(?P<spelled>{spelled})(?:\s?(?P<counted>{unit})|(?<=[{large}]))"
        )
        return amount, re.compile(rf"(?P<figure>{figure})|(?P<scale>{scale})|(?P<digit>{_either(self._digits)})")

    def clause(self, text: str) -> AmountClause | None:
        """What a clause says of an amount; None where it states none."""
        text, rates = self._since.sub(" ", text), set[str]()
        times = frozenset(found.group() for found in self._times.finditer(text))
        rest, amounts = self._with_places(self._without_rates(self._times.sub(" ", text), rates))
        rest = self._without_rates(rest, rates)
        rest = " ".join(rest.split()) if self._words.spaced else "".join(rest.split())
        if not amounts:
            return None
        is_passing = bool(self._passing.search(text) or self._passing.search(rest))
        is_goal = bool(self._goals.search(rest))
        parts_of_day = frozenset(self._parts_of_day.findall(rest))
        rest, amounts, former = self._without_former(self._parts_of_day.sub("", rest), amounts)
        rest, changes = self._changed.subn(_place_in, rest)
        is_step = not changes and bool(self._steps.search(rest))
        is_once = is_passing or (not changes and bool(self._past.search(rest)))
        rest = _settled(self._fillers, rest)
        rest, states = self._states.subn(_place_in, rest)
        says_so = bool(states or rates or changes or self._measured.search(rest))
        topic = _settled(self._fillers, rest).replace(_HERE, "").replace(" ", "")
        if len(topic) > LONGEST_TOPIC or not amounts:
            return None
        return AmountClause(
            topic=topic,
            amounts=amounts,
            former=former,
            rates=frozenset(rates),
            parts_of_day=parts_of_day,
            times=times,
            changed=bool(changes),
            is_step=is_step,
            is_state=not is_once and (says_so or not self._words.needs_state or amounts[0].dimension == _AGE),
            is_once=is_once,
            is_goal=is_goal,
        )

    def _without_rates(self, text: str, rates: set[str]) -> str:
        for name, rate in self._rates.items():
            text, found = rate.subn(" ", text)
            rates.update([name] if found else [])
        return text

    def _with_places(self, text: str) -> tuple[str, tuple[Amount, ...]]:
        """A clause with a sign in the place of each amount, and the amounts."""
        amounts: list[Amount] = []
        parts: list[str] = []
        at = 0
        for found in self._amount.finditer(text):
            amount, between = self._amount_of(found), text[at : found.start()]
            if amounts and not between.strip() and (both := _together(amounts[-1], amount)):
                amounts[-1] = both
            else:
                parts += [between, _HERE]
                amounts.append(amount)
            at = found.end()
        return "".join((*parts, text[at:])), tuple(amounts)

    def _amount_of(self, found: re.Match[str]) -> Amount:
        if hour := found["hour"]:
            past = 30 if found["half_past"] else int(found["minutes"] or found["past"] or 0)
            return Amount(_CLOCK, 60 * self._number(hour) + past, _CLOCK, 1.0, found.group())
        number = found["priced"] or found["number"] or found["spelled"]
        name = found["sign"] or found["unit"] or found["counted"]
        if name:
            unit = self._units[name]
            return Amount(
                unit.dimension, self._number(number) + 0.5 * bool(found["half"]), unit.name, unit.factor, number
            )
        is_version = number.count(".") > 1 or _NAMED.search(found.string, 0, found.start("number"))
        return Amount(_VERSION if is_version else _NUMBER, self._number(number), "", 0.0, number)

    def _number(self, said: str) -> float:
        """The value of a number: 9万5千 is 95,000."""
        if said in self._words.numbers:
            return float(self._words.numbers[said])
        total = section = 0.0
        current: float | None = None
        for part in self._figure.finditer(said):
            if part["figure"]:
                whole, _, decimals = part["figure"].replace(",", "").partition(".")
                current = float(f"{whole}.{decimals.replace('.', '')}")
            elif part["digit"]:
                current = 10 * (current or 0.0) + self._digits[part["digit"]]
            else:
                times = self._words.scales[part["scale"]]
                if times < 10_000:
                    section += (1.0 if current is None else current) * times
                else:
                    total += ((section + (current or 0.0)) or 1.0) * times
                    section = 0.0
                current = None
        return total + section + (current or 0.0)

    def _without_former(
        self, text: str, amounts: tuple[Amount, ...]
    ) -> tuple[str, tuple[Amount, ...], tuple[Amount, ...]]:
        """A clause without what it says was so before: "from 40 minutes" of "from 40 minutes to 30"."""
        if not (found := self._former.search(text)) or _HERE not in text[found.end() :]:
            return text, amounts, ()
        at = text.count(_HERE, 0, found.start())
        return text[: found.start()] + text[found.end() :], (*amounts[:at], *amounts[at + 1 :]), (amounts[at],)


def _units(words: AmountWords) -> Iterator[tuple[_Unit, Sequence[str]]]:
    """Every unit with its names; what a language gives takes the place of what is written alike everywhere."""
    for table in (SIGNS, words.units, {_COUNT: words.counters}):
        for dimension, units in table.items():
            for unit in units.split():
                names, _, factor = unit.partition("*")
                listed = names.split("/")
                yield _Unit(dimension, listed[0], float(factor or 0)), listed


def _together(one: Amount, other: Amount) -> Amount | None:
    """One amount of two that stand side by side: 1小时20分钟; None where they are two."""
    if one.dimension != other.dimension or not one.factor > other.factor > 0 or one.dimension == _CLOCK:
        return None
    return Amount(
        one.dimension,
        one.number + other.number * other.factor / one.factor,
        one.unit,
        one.factor,
        f"{one.said} {other.said}",
    )


def _place_in(found: re.Match[str]) -> str:
    return _HERE if _HERE in found.group() else ""


def _settled(pattern: re.Pattern[str], text: str) -> str:
    """A text without what a pattern finds, however often: endings stand on endings."""
    while (shorter := pattern.sub("", text)) != text:
        text = shorter
    return text


def _either(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
