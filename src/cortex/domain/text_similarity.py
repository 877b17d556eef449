"""Whether two statements say the same, judged by their words: it works with no embedder and guards one that is there.

A restatement adds or drops words; a change of value exchanges one for another. So two texts are the same statement
only where one holds nearly all words of the other, and where numbers, dates, names, persons and polarity agree.
Vectors cannot be trusted with that: "I prefer tea over coffee" and its reverse are as near as two texts can be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain

from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import index_terms, spelling
from cortex.domain.text import normal
from cortex.languages import WORDS
from cortex.languages.lists import alternatives, listed
from cortex.languages.words import either

ALIKE = 0.85
"""From here on two texts that exchange no word are one statement: on the labeled pairs of the tests it is the lowest
value that keeps out additions which narrow a statement ("I like fish" and "I like fish tacos" score 0.8)."""

NARROWED = 0.66
"""How much of a statement has to be left in another for the two to be about the same thing."""

FULLER = 0.75
"""How much two statements have to have in common for the fuller to take the place of the other."""

_MAX_CHARACTERS = 4_000
_COMPARED = tuple(each.similarity for each in WORDS)


@dataclass(frozen=True, slots=True)
class SimilarityResult:
    """How alike two texts are."""

    score: float
    """Share of the telling words they have in common, 0..1; order, repeats and fillers do not count."""
    same_values: bool
    """Whether numbers, dates, units, names, persons and, where it matters, the order of things agree."""
    same_polarity: bool
    """Whether both affirm or both deny."""
    exchanged: bool = False
    """Whether each has telling words that the other lacks."""

    @property
    def is_restatement(self) -> bool:
        """Whether the words alone show that both say the same."""
        return self.score >= ALIKE and self.same_values and self.same_polarity and not self.exchanged

    @property
    def is_reversal(self) -> bool:
        """Whether one denies what the other affirms, in nearly the same words."""
        return self.score >= ALIKE and self.same_values and not self.same_polarity and not self.exchanged


def alike(a: Comparable, b: Comparable) -> SimilarityResult:
    """How alike two texts are by their words; the order of the two makes no difference."""
    first, second = _reading(a), _reading(b)
    only_first, only_second = first.words - second.words, second.words - first.words
    return SimilarityResult(
        score=_score(first, second),
        same_values=_same_values(first, second) and not _has_letters(only_first) and not _has_letters(only_second),
        same_polarity=first.denies == second.denies,
        exchanged=bool(only_first and only_second),
    )


def is_duplicate(a: Comparable, b: Comparable, cosine: float | None, at: float = 0.92) -> bool:
    """Whether `a` says what `b` says. `cosine` is their calibrated nearness by meaning, None where it is not known."""
    first, second = _reading(a), _reading(b)
    likeness = alike(first, second)
    if likeness.is_restatement:
        return True
    near = cosine is not None and cosine >= at
    return near and likeness.same_values and likeness.same_polarity and not _differs_in_place(first, second)


def stands_for(full: Comparable, other: Comparable, cosine: float | None, at: float = 0.92) -> bool:
    """Whether nothing is lost where only `full` is kept: it says what `other` says, with all its words in order.

    A cosine below `at` is evidence against it, unless the words are the same.
    """
    first, second = _reading(full), _reading(other)
    if first == second:
        return True
    if not second.order or _score(first, second) < FULLER or not _in_order(second.order, first.order):
        return False
    if not second.persons <= first.persons:  # "likes tea" would bring together what he likes and what she likes
        return False
    far = cosine is not None and cosine < at
    return not (far and first.order != second.order) and is_duplicate(first, second, cosine, at)


def covers(narrow: Comparable, wide: Comparable) -> bool:
    """Whether `wide` speaks of all that `narrow` does, affirmed or denied: "I use no Vim", "I use Vim at work"."""
    first, second = _reading(narrow), _reading(wide)
    within = bool(first.words) and not first.words - second.words
    return within and _score(first, second) >= NARROWED and _values_within(first, second)


def denies_ever(denial: Comparable, other: Comparable) -> bool:
    """Whether one says that what the other tells was never so: "Ich war nie in Rom", "Ich war zweimal in Rom"."""
    first, second = _reading(denial), _reading(other)
    is_so = not second.denies and _UNREAL.isdisjoint(second.limits)
    return first.never and is_so and covers(first, second)


def denies(text: Comparable) -> bool:
    """Whether a text says that something is not so, or no longer."""
    return _reading(text).denies


def same_names(a: Comparable, b: Comparable) -> bool:
    """Whether neither text names somebody or something that the other does not."""
    first, second = _reading(a), _reading(b)
    return _same_names(first, second) and not _opens_otherwise(first, second)


def same_value(a: str, b: str) -> bool:
    """Whether two values are one: case, articles, punctuation and the way numbers are written do not count."""
    return _bare_value(a) == _bare_value(b)


# --- reading one text -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ComparedText:
    """What of a text is compared. To compare many, read each of them once."""

    order: tuple[str, ...]
    """The telling words as they stand, stems, synonyms as one."""
    bare: str
    """The whole text, where no word of it tells anything."""
    numbers: tuple[str, ...]
    dates: frozenset[str]
    names: tuple[str, ...]
    opening: str
    persons: frozenset[str]
    relations: frozenset[str]
    limits: frozenset[str]
    past: frozenset[str]
    directed: bool
    denies: bool
    never: bool
    spelled: frozenset[str] = field(compare=False)
    """Every word and name, also those that tell nothing."""
    words: Counter[str] = field(compare=False)

    @property
    def fixed(self) -> tuple[object, ...]:
        """What two statements that say the same have exactly alike: all others need not be compared."""
        return self.numbers, self.dates, self.relations, self.limits, self.denies


Comparable = str | ComparedText
"""A text, or what was read of it."""


def _reading(said: Comparable) -> ComparedText:
    return said if isinstance(said, ComparedText) else read(said)


@lru_cache(maxsize=4_096)
def read(text: str) -> ComparedText:
    """What of a text is compared with others."""
    plain = normal("NFKC", text[:_MAX_CHARACTERS]).replace("’", "'").strip()
    whole = plain.casefold()
    folded = _rewritten(whole, _REWRITES)
    denied, positive = _polarity(folded)
    dates, undated = _dates(positive)
    numbers, unnumbered = _numbers(undated)
    unfilled = _without_filling(unnumbered)
    seen = _seen(unfilled)
    spelled = tuple(_spelled(folded))
    order = tuple(_telling(unfilled))
    opening, names = _names(plain)
    return ComparedText(
        order=order,
        bare="" if order else " ".join(spelled) or folded,
        numbers=numbers,
        dates=dates,
        names=names,
        opening=opening,
        persons=frozenset(_persons(folded)),
        relations=_relations().intersection(order),
        limits=frozenset(_limits(unfilled, seen)),
        past=_past(seen),
        directed=_is_directed(folded),
        denies=denied,
        never=denied and bool(_NEVER.search(whole)),
        spelled=frozenset((*spelled, opening, *names)),
        words=Counter(order),
    )


_SEEN = re.compile(r"[^\W_]+")


@lru_cache(maxsize=64)  # most steps leave a text as it is, and ask again
def _seen(folded: str) -> tuple[str, ...]:
    """The words of a text as they are written. Most patterns below are only tried where one of theirs is seen."""
    return tuple(_SEEN.findall(folded))


def _without_filling(folded: str) -> str:
    """A text without phrases that add nothing."""
    seen = _seen(folded)
    if not _EVERYWHERE_CUES.isdisjoint(seen):
        folded = _EVERYWHERE.sub(" ", folded)
    if not folded.isascii() or not _FILLING_CUES.isdisjoint(seen):
        folded = _FILLING.sub(" ", folded)
    return folded


def _telling(text: str) -> Iterator[str]:
    """The words of a text that say something, in order, synonyms as one."""
    for word in _spelled(text):
        word = _synonyms().get(word, word)
        if word not in _saying_nothing():
            yield word


def _spelled(text: str) -> Iterator[str]:
    """The words of a text as `spelling` has them; no word reaches over a space, so each is spelled but once."""
    return chain.from_iterable(map(_spelled_once, text.split()))


_spelled_once = lru_cache(maxsize=20_000)(spelling)


# --- what has to agree ------------------------------------------------------------------------------------------------


def _score(a: ComparedText, b: ComparedText) -> float:
    """The share of common words (Dice)."""
    total = len(a.order) + len(b.order)
    return 2 * (a.words & b.words).total() / total if total else float(a.bare == b.bare)


def _same_values(a: ComparedText, b: ComparedText) -> bool:
    return (
        a.numbers == b.numbers
        and a.dates == b.dates
        and a.relations == b.relations
        and a.limits == b.limits
        and _same_tense(a, b)
        and (not a.persons or not b.persons or a.persons == b.persons)
        and _same_names(a, b)
        and _same_order(a, b)
    )


def _same_names(a: ComparedText, b: ComparedText) -> bool:
    return b.spelled.issuperset(a.names) and a.spelled.issuperset(b.names)


def _opens_otherwise(a: ComparedText, b: ComparedText) -> bool:
    """Whether each opens with what may be a name, and the other has it nowhere."""
    return bool(a.opening and b.opening) and a.opening not in b.spelled and b.opening not in a.spelled


def _values_within(narrow: ComparedText, wide: ComparedText) -> bool:
    """Whether every number, date and name of one is also in the other, of the same person."""
    return (
        not Counter(narrow.numbers) - Counter(wide.numbers)
        and narrow.dates <= wide.dates
        and narrow.relations == wide.relations
        and (not narrow.persons or not wide.persons or narrow.persons == wide.persons)
        and wide.spelled.issuperset(narrow.names)
    )


def _same_tense(a: ComparedText, b: ComparedText) -> bool:
    """Whether no verb is in the past in one of them alone: "I live in Rome", "I lived in Rome"."""
    return _common(a.past, b.words) == _common(a.past, b.past) and _common(b.past, a.words) == _common(b.past, a.past)


def _has_letters(words: Iterable[str]) -> bool:
    """Whether one of the words is a letter of a script in which one letter more makes another word: 茶, 绿茶."""
    return any(not word.isascii() and _LETTER.match(word) for word in words)


# Han, Katakana, Hangul, Thai, Lao, Myanmar, Khmer; not Hiragana, which is mostly endings.
_LETTER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u303f\u30a0-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff]"
)


def _same_order(a: ComparedText, b: ComparedText) -> bool:
    """Whether what both name stands in the same order, where order tells who did what, or what is preferred."""
    if a.directed or b.directed:
        return _common(a.order, b.words) == _common(b.order, a.words)
    first, second = (a.opening, *a.names), (b.opening, *b.names)
    return _common(first, second) == _common(second, first)


def _in_order(some: Iterable[str], words: Iterable[str]) -> bool:
    """Whether `some` stand among the words in the same order: nothing else says what bites whom."""
    rest = iter(words)
    return all(word in rest for word in some)


def _common(words: Iterable[str], others: Iterable[str]) -> list[str]:
    known = frozenset(others)
    return [word for word in words if word in known]


def _differs_in_place(a: ComparedText, b: ComparedText) -> bool:
    """Whether two texts are the same but for what stands in one place: a changed value, however near in meaning."""
    if _opens_otherwise(a, b):
        return True
    start = 0
    while start < min(len(a.order), len(b.order)) and a.order[start] == b.order[start]:
        start += 1
    end = 0
    while end < min(len(a.order), len(b.order)) - start and a.order[-1 - end] == b.order[-1 - end]:
        end += 1
    left, right = a.order[start : len(a.order) - end], b.order[start : len(b.order) - end]
    framed = start + end > 0 or bool(a.numbers) or bool(a.dates)
    return framed and bool(left and right) and not set(left) & set(right)


# --- polarity ---------------------------------------------------------------------------------------------------------

_ENDED = re.compile(either(each.ended for each in _COMPARED))
_ENDED_CUES = frozenset(cue for each in _COMPARED for cue in each.ended_cues.split())
_NEVER = re.compile(either(each.never for each in _COMPARED))
_DENYING = frozenset(word for each in _COMPARED for word in each.denying.split())
# Where two of these stand together they deny once: "ne … pas", "no … nunca", "никогда не".
_CONCORD = frozenset(word for each in _COMPARED for word in each.concord.split())
_DENIED_WORDS = "|".join(sorted(_DENYING, key=len, reverse=True))
_CONCORD_WORDS = "|".join(sorted(_CONCORD, key=len, reverse=True))
_DENIED = re.compile(either((rf"\b(?:{_DENIED_WORDS})\b", *(each.denied for each in _COMPARED))))
_DENIED_TOGETHER = re.compile(
    either((rf"(?<![\w'])(?:{_CONCORD_WORDS})(?![\w\u0900-\u097f])", *(each.concord_pattern for each in _COMPARED)))
)
# A word that denies and names at once counts as its opposite, denied.
_OPPOSITES = tuple(
    (tuple(cues.split("|")), re.compile(shape), said) for each in _COMPARED for cues, shape, said in each.opposites
)
_REWRITES = tuple(
    (tuple(cues.split("|")), re.compile(shape), said) for each in _COMPARED for cues, shape, said in each.rewrites
)
_ANSWER = re.compile(rf"^(?:{either(each.answers for each in _COMPARED)})\s*[,.!;:，。！、]+\s*")


def _rewritten(text: str, ways: Iterable[tuple[tuple[str, ...], re.Pattern[str], str]]) -> str:
    """A text with phrases put as others; each is only tried where letters of it are seen."""
    for cues, phrase, said in ways:
        if any(cue in text for cue in cues):
            text = phrase.sub(said, text)
    return text


def _polarity(folded: str) -> tuple[bool, str]:
    """Whether a text denies, and the same text without the words that do."""
    text = _rewritten(_ANSWER.sub("", folded, count=1), _OPPOSITES)
    seen, foreign = _seen(text), not text.isascii()
    ended = together = denials = 0
    if foreign or not _ENDED_CUES.isdisjoint(seen):
        text, ended = _ENDED.subn(" ", text)
    if foreign or "n'" in text or not _CONCORD.isdisjoint(seen):
        text, together = _DENIED_TOGETHER.subn(" ", text)
    if foreign or "n't" in text or not _DENYING.isdisjoint(seen):
        text, denials = _DENIED.subn(" ", text)
    # "I don't use it any more" denies once, however many words it takes.
    return bool(ended or together) or denials % 2 == 1, text


# --- numbers and dates ------------------------------------------------------------------------------------------------

_MONTHS = {
    name: number for each in _COMPARED for number, names in enumerate(each.months, start=1) for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH_NAMES = frozenset(
    name for each in _COMPARED if each.capitalized for months in each.months for name in months.split()
)
"""Months that are written large: "Mars" is none of them, though it is March in French."""
_WEEKDAYS = {
    name: number for each in _COMPARED for number, names in enumerate(each.weekdays, start=1) for name in names.split()
}
_DIGIT = re.compile(r"\d")
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?:,?\s+(?:de\s+)?(\d{4}))?"
_WEEKDAY = re.compile("|".join(rf"\b{name}\b" if name.isalpha() and name < "\u0250" else name for name in _WEEKDAYS))
_DATES = (
    (re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b"), "ymd"),
    (re.compile(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]"), "ymd"),
    (re.compile(rf"\b({_MONTH})\.?\s+{_ORDINAL}(?!\d|:){_YEAR}\b"), "mdy"),
    (re.compile(rf"\b{_ORDINAL}\s+(?:of\s+|de\s+)?({_MONTH})\b{_YEAR}"), "dmy"),
    # "may" and "mar" are words; with one of these before them they are months.
    (re.compile(rf"\b(?:{alternatives('before a lone month')})\s+({_MONTH})\b{_YEAR}"), "my"),
)


def _dates(folded: str) -> tuple[frozenset[str], str]:
    """Every date and weekday of a text in one way of writing, and the text without them."""
    found: list[str] = []
    seen, foreign = _seen(folded), not folded.isascii()
    if foreign or _DIGIT.search(folded) or not _MONTHS.keys().isdisjoint(seen):
        for pattern, form in _DATES:
            found += [_date(dict(zip(form, match.groups(), strict=True))) for match in pattern.finditer(folded)]
            folded = pattern.sub(" ", folded)
    if foreign or not _WEEKDAYS.keys().isdisjoint(seen):
        found += [f"weekday {_WEEKDAYS[name]}" for name in _WEEKDAY.findall(folded)]
        folded = _WEEKDAY.sub(" ", folded)
    return frozenset(found), folded


def _date(parts: Mapping[str, str | None]) -> str:
    year, month, day = (parts.get(part) or "" for part in "ymd")
    return f"{year}-{_MONTHS.get(month) or int(month)}-{day.lstrip('0')}"


_SIGNS_OF_UNITS = "km mi m cm mm ft inch kg g mg lb l ml oz h min s % $ € £ ¥ gb mb tb kb ms k x mph kmh hz ghz"
_UNITS = {sign: sign for sign in _SIGNS_OF_UNITS.split()} | {
    name: sign for each in _COMPARED for sign, names in each.units.items() for name in names.split()
}
_UNIT = "|".join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))
_FIGURE = re.compile(
    rf"(?P<coin>[$€£¥])?\s?(?<![a-z0-9_.])v?(?P<figure>\d+(?:[.,:/-]\d+)*)\s?"
    rf"(?P<unit>(?:(?:{_UNIT})(?![a-z])|[ap]\.?m\b\.?))?"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[,.]\d{3})+")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?")

_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_COUNTED = {word: number for each in _COMPARED for number, words in each.numbers.items() for word in words.split()}
_COUNT_CUES = _COUNTED.keys() | _SCALES.keys()
_COUNT_WORDS = "|".join(sorted(_COUNTED, key=len, reverse=True))
_COUNT = re.compile(
    rf"\b(?:(?:{_COUNT_WORDS}|one|a)[\s-]+(?:and\s+)?)??(?:{_COUNT_WORDS})(?:[\s-]+(?:and\s+)?"
    rf"(?:{_COUNT_WORDS}|one|hundred|thousand|million))*\b|\b(?:one|a)\s+(?:hundred|thousand|million)\b"
)
_HAN_DIGITS = "[二两三四五六七八九十百]"
_HAN_COUNT = re.compile(f"(?<!{_HAN_DIGITS}){_HAN_DIGITS}++(?=[个個只隻条條岁歲年月日号点點次位本台辆天])")
_HAN = {"二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}


def _numbers(folded: str) -> tuple[tuple[str, ...], str]:
    """Every number of a text in one way of writing, with its unit, in order, and the text without them."""
    text = folded if folded.isascii() else _HAN_COUNT.sub(lambda match: f" {_han_number(match.group())} ", folded)
    if not _COUNT_CUES.isdisjoint(_seen(text)):
        text = _COUNT.sub(lambda match: _counted(match.group()), text)
    if not _DIGIT.search(text):
        return (), text
    return tuple(map(_figure, _FIGURE.finditer(text))), _FIGURE.sub(" ", text)


def _figure(found: re.Match[str]) -> str:
    figure, unit = found["figure"], (found["unit"] or found["coin"] or "").replace(".", "")
    if unit in ("am", "pm") and (clock := _CLOCK.fullmatch(figure)):
        hour = int(clock[1]) % 12 + (12 if unit == "pm" else 0)
        return f"{hour}:{clock[2] or '00'}"
    if _THOUSANDS.fullmatch(figure):
        figure = re.sub("[,.]", "", figure)
    elif figure.count(",") == 1:
        figure = figure.replace(",", ".")
    return f"{figure.lstrip('0') or '0'}{_UNITS.get(unit, '')}"


def _counted(words: str) -> str:
    """The digits of a number in words: twelve hundred is 1200."""
    total = current = 0
    for word in re.split(r"[\s-]+", words):
        if word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if word != "hundred":
                total, current = total + current, 0
        elif word in ("one", "a"):
            current += 1
        else:
            current += _COUNTED.get(word, 0)
    return str(total + current)


def _han_number(text: str) -> int:
    total = current = 0
    for character in text:
        if character in "十百":
            total += max(current, 1) * (10 if character == "十" else 100)
            current = 0
        else:
            current = _HAN[character]
    return total + current


# --- names, persons, relations ----------------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+")
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_IDENTIFIER = re.compile(
    r"(?<!\w)(?:[#@/~.]?\w[\w-]{0,100}(?:[./_#@:]+[\w-]+)+|\w*[a-z][A-Z]\w*|(?=\w*\d)(?=\w*[^\W\d])\w{3,})"
)
_MAY_IDENTIFY = re.compile(r"[\d./_#@:]|[a-z][A-Z]")


def _names(plain: str) -> tuple[str, tuple[str, ...]]:
    """The word a text opens with, if it may be a name, and the names and identifiers in it, as they are spelled."""
    opening = ""
    found: list[str] = []
    for number, sentence in enumerate(_SENTENCE.split(plain)):
        for place, word in enumerate(_WORD.findall(sentence)):
            if not word[0].isupper() or _is_common(word):
                continue
            # What opens a sentence is written large anyway; whose it is, is a name.
            if place or word.endswith("'s"):
                found += _spelled(word)
            elif number == 0:
                opening = next(_spelled(word), "")
    for identifier in _IDENTIFIER.findall(plain) if _MAY_IDENTIFY.search(plain) else ():
        if not re.fullmatch(r"[\d.,:/-]+\w{0,3}", identifier):
            found += [part for part in _spelled(identifier) if not part.isdigit()]
    return opening, tuple(dict.fromkeys(found))


def _is_common(word: str) -> bool:
    folded = word.casefold().partition("'")[0]
    return folded in STOP_WORDS or folded in _WEEKDAYS or folded in _MONTH_NAMES or folded in _ME


_ME = frozenset(word for each in _COMPARED for word in each.me.split())
_PERSONS = {word: person for each in _COMPARED for person, words in each.persons.items() for word in words.split()}
_HAN_PERSONS = re.compile("[{}]".format("".join(word for word in _PERSONS if "\u4e00" <= word <= "\u9fff")))


def _persons(folded: str) -> Iterator[str]:
    """Who is spoken of by a pronoun; what is said of the user counts as said by the user."""
    yield from (_PERSONS[word] for word in _seen(folded) if word in _PERSONS)
    if not folded.isascii():
        yield from (_PERSONS[character] for character in _HAN_PERSONS.findall(folded))


@cache
def _relations() -> frozenset[str]:
    """Words for whom or what of the speaker's a statement is about: they change the subject."""
    spaced = " ".join(each.similarity.relations for each in WORDS if each.spaced)
    return frozenset(spelling(spaced)) | _letters(each.similarity.relations for each in WORDS if not each.spaced)


def _letters(words: Iterable[str]) -> frozenset[str]:
    """Where words are not separated by spaces, each letter is a word."""
    return frozenset("".join(words))


_LIMITS = {word: name for each in _COMPARED for name, words in each.limits.items() for word in words.split()} | {
    word: word for each in _COMPARED for word in each.limiting.split()
}  # each of these tells from every other
_UNREAL = frozenset({"wanted", "perhaps", "supposed", "to come", "if", "nearly"})
"""Limits of what is not said to have been so."""
_LIMITED = tuple((name, re.compile(shape)) for each in _COMPARED for name, shape in each.limit_patterns.items())
_LIMITED_CUES = tuple(cue for each in _COMPARED for cue in each.limit_cues.split())


def _limits(folded: str, seen: Iterable[str]) -> Iterator[str]:
    """What sets bounds to a statement: when, how much and how surely it is so, whether as a wish; which of several."""
    yield from (_LIMITS[word] for word in seen if word in _LIMITS)
    if not folded.isascii() or any(cue in folded for cue in _LIMITED_CUES):
        yield from (name for name, cue in _LIMITED if cue.search(folded))


_BEING = listed("passive")


def _past(seen: Sequence[str]) -> frozenset[str]:
    """The verbs that are in the past, as they are spelled; not those of "is rotated", which are not."""
    return frozenset(
        stem
        for before, word in zip(("", *seen), seen, strict=False)
        if word.endswith("ed") and len(word) > 3 and before not in _BEING
        for stem in _spelled_once(word)
        if stem != word
    )


# --- words that say nothing, and words that say the same --------------------------------------------------------------

_FILLING = re.compile(either(each.filling for each in _COMPARED))
_FILLING_CUES = frozenset(cue for each in _COMPARED for cue in each.filling_cues.split())
_EVERYWHERE_CUES = listed("everywhere cues")
_EVERYWHERE = re.compile(alternatives("everywhere"))
_DIRECTIONS = frozenset(word for each in _COMPARED for word in each.directions.split())
_PREFERENCE = re.compile(either(each.preference for each in _COMPARED))


def _is_directed(folded: str) -> bool:
    """Whether the order of things tells what is said of which."""
    return not _DIRECTIONS.isdisjoint(_seen(folded)) or bool(_PREFERENCE.search(folded))


@cache
def _saying_nothing() -> frozenset[str]:
    """Stop words and fillers, as they are spelled; what they do to polarity and person is read elsewhere."""
    fillers = " ".join(each.similarity.fillers for each in WORDS if each.spaced)
    letters = _letters(each.similarity.fillers for each in WORDS if not each.spaced)
    stop_words = " ".join(sorted(STOP_WORDS))
    return (frozenset(spelling(stop_words)) | frozenset(spelling(fillers)) | letters) - {""}


@cache
def _synonyms() -> dict[str, str]:
    """Each word that has a plainer one of the same meaning."""
    return {word: spelled[0] for each in _COMPARED for spelled in map(spelling, each.synonyms) for word in spelled[1:]}


_ARTICLES = frozenset(word for each in _COMPARED for word in each.articles.split())


@lru_cache(maxsize=4_096)
def _bare_value(value: str) -> tuple[object, ...]:
    folded = normal("NFKC", value).replace("’", "'").casefold()
    dates, undated = _dates(folded)
    numbers, rest = _numbers(undated)
    words = re.findall(r"[\w+#&]+(?:[.'@/-][\w+#]+)*", rest)
    kept = tuple(word.removesuffix("'s") for word in words if word not in _ARTICLES) or tuple(words)
    # Signs alone ("C++" is a word, "+" is not one) still tell values apart.
    return dates, numbers, kept or tuple(index_terms(rest)) or rest.strip()
