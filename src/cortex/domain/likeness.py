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

ALIKE = 0.85
"""From here on two texts that exchange no word are one statement: on the labelled pairs of the tests it is the lowest
value that keeps out additions which narrow a statement ("I like fish" and "I like fish tacos" score 0.8)."""

NARROWED = 0.66
"""How much of a statement has to be left in another for the two to be about the same thing."""

FULLER = 0.75
"""How much two statements have to have in common for the fuller to take the place of the other."""

_MAX_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class Likeness:
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


def alike(a: Said, b: Said) -> Likeness:
    """How alike two texts are by their words; the order of the two makes no difference."""
    first, second = _reading(a), _reading(b)
    only_first, only_second = first.words - second.words, second.words - first.words
    return Likeness(
        score=_score(first, second),
        same_values=_same_values(first, second) and not _has_letters(only_first) and not _has_letters(only_second),
        same_polarity=first.denies == second.denies,
        exchanged=bool(only_first and only_second),
    )


def is_duplicate(a: Said, b: Said, cosine: float | None, at: float = 0.92) -> bool:
    """Whether `a` says what `b` says. `cosine` is their calibrated nearness by meaning, None where it is not known."""
    first, second = _reading(a), _reading(b)
    likeness = alike(first, second)
    if likeness.is_restatement:
        return True
    near = cosine is not None and cosine >= at
    return near and likeness.same_values and likeness.same_polarity and not _differs_in_place(first, second)


def stands_for(full: Said, other: Said, cosine: float | None, at: float = 0.92) -> bool:
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


def covers(narrow: Said, wide: Said) -> bool:
    """Whether `wide` speaks of all that `narrow` does, affirmed or denied: "I use no Vim", "I use Vim at work"."""
    first, second = _reading(narrow), _reading(wide)
    within = bool(first.words) and not first.words - second.words
    return within and _score(first, second) >= NARROWED and _values_within(first, second)


def denies(text: Said) -> bool:
    """Whether a text says that something is not so, or no longer."""
    return _reading(text).denies


def same_value(a: str, b: str) -> bool:
    """Whether two values are one: case, articles, punctuation and the way numbers are written do not count."""
    return _bare_value(a) == _bare_value(b)


# --- reading one text -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a text is compared. Whoever compares many reads each of them once."""

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
    spelled: frozenset[str] = field(compare=False)
    """Every word and name, also those that tell nothing."""
    words: Counter[str] = field(compare=False)

    @property
    def fixed(self) -> tuple[object, ...]:
        """What two statements that say the same have exactly alike: all others need not be compared."""
        return self.numbers, self.dates, self.relations, self.limits, self.denies


Said = str | Reading
"""A text, or what was read of it."""


def _reading(said: Said) -> Reading:
    return said if isinstance(said, Reading) else read(said)


@lru_cache(maxsize=4_096)
def read(text: str) -> Reading:
    """What of a text is compared with others."""
    plain = normal("NFKC", text[:_MAX_CHARACTERS]).replace("’", "'").strip()
    folded = plain.casefold()
    if "like" in folded:
        folded = _WISH.sub(" want", folded)
    denied, positive = _polarity(folded)
    dates, undated = _dates(positive)
    numbers, unnumbered = _numbers(undated)
    told = _without_filling(unnumbered)
    seen = _seen(told)
    spelled = tuple(_spelled(folded))
    order = tuple(_telling(told))
    opening, names = _names(plain)
    return Reading(
        order=order,
        bare="" if order else " ".join(spelled) or folded,
        numbers=numbers,
        dates=dates,
        names=names,
        opening=opening,
        persons=frozenset(_persons(folded)),
        relations=_relations().intersection(order),
        limits=frozenset(_limits(told, seen)),
        past=_past(seen),
        directed=_is_directed(folded),
        denies=denied,
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


def _score(a: Reading, b: Reading) -> float:
    """The share of common words (Dice)."""
    total = len(a.order) + len(b.order)
    return 2 * (a.words & b.words).total() / total if total else float(a.bare == b.bare)


def _same_values(a: Reading, b: Reading) -> bool:
    return (
        a.numbers == b.numbers
        and a.dates == b.dates
        and a.relations == b.relations
        and a.limits == b.limits
        and _same_tense(a, b)
        and (not a.persons or not b.persons or a.persons == b.persons)
        and b.spelled.issuperset(a.names)
        and a.spelled.issuperset(b.names)
        and _same_order(a, b)
    )


def _values_within(narrow: Reading, wide: Reading) -> bool:
    """Whether every number, date and name of one is also in the other, of the same person."""
    return (
        not Counter(narrow.numbers) - Counter(wide.numbers)
        and narrow.dates <= wide.dates
        and narrow.relations == wide.relations
        and (not narrow.persons or not wide.persons or narrow.persons == wide.persons)
        and wide.spelled.issuperset(narrow.names)
    )


def _same_tense(a: Reading, b: Reading) -> bool:
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


def _same_order(a: Reading, b: Reading) -> bool:
    """Whether what both name stands in the same order, where order tells who did what, or what is preferred."""
    if a.directed or b.directed:
        return _common(a.order, b.words) == _common(b.order, a.words)
    first, second = (a.opening, *a.names), (b.opening, *b.names)
    return _common(first, second) == _common(second, first)


def _in_order(some: Iterable[str], words: Iterable[str]) -> bool:
    """Whether `some` stand among the words in the same order: what bites whom is told by nothing else."""
    rest = iter(words)
    return all(word in rest for word in some)


def _common(words: Iterable[str], others: Iterable[str]) -> list[str]:
    known = frozenset(others)
    return [word for word in words if word in known]


def _differs_in_place(a: Reading, b: Reading) -> bool:
    """Whether two texts are the same but for what stands in one place: a changed value, however near in meaning."""
    if a.opening and b.opening and a.opening not in b.spelled and b.opening not in a.spelled:
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

_ENDED = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|any longer|used to|stopped|quit|gave up|given up|formerly|ceased)\b"
    r"|\b(?:nicht mehr|kein\w* mehr|früher|aufgehört)\b|\bya no\b|\bdej[éeó] de\b|\bne \w+ plus\b|\bnão \w+ mais\b"
    r"|\b(?:non \w+ più|больше не)\b|不再|再也不|戒了|もう\w{0,40}ない|もう\w{0,40}ません|더 ?이상"
)
_ENDED_CUES = frozenset(
    "longer anymore more used stopped quit gave given formerly ceased mehr ya deje dejo de plus mais".split()
)
_CONTRACTED = "dont doesnt didnt isnt arent wasnt werent wont cant aint havent hasnt hadnt shouldnt wouldnt couldnt"
_DENYING = frozenset(
    f"not no never none nobody nothing neither without cannot hardly {_CONTRACTED}"
    " nicht nichts kein keine keinen keinem keiner keines nie niemals ohne niet geen nooit zonder".split()
)
# Where two of these stand together they deny once: "ne … pas", "no … nunca", "никогда не".
_CONCORD = frozenset(
    "nunca jamás jamas sin tampoco ne pas jamais sans não nem sem non mai senza не нет ни никогда без"
    " لا لم لن ليس नहीं मत न".split()
)
_DENIED_WORDS = "|".join(sorted(_DENYING, key=len, reverse=True))
_CONCORD_WORDS = "|".join(sorted(_CONCORD, key=len, reverse=True))
_DENIED = re.compile(
    rf"\b(?:{_DENIED_WORDS})\b|n't\b"
    r"|不(?!错|過|过|久|仅|僅|但|管|少|论|論|同)|没(?!关系)|沒|别(?!人|的)|ない|なく|ません|(?<!보)안 |않|없|못"
)
_DENIED_TOGETHER = re.compile(rf"(?<![\w'])(?:{_CONCORD_WORDS})(?![\w\u0900-\u097f])|\bn'(?=[aeiouéèêy])")
# A word that denies and names at once counts as its opposite, denied.
_OPPOSITES = (
    (("dislik", "hat", "detest", "despis", "stand"),
     re.compile(r"\b(?:dislik\w*|hat(?:e|es|ed|ing)|detest\w*|despis\w*|can't stand)\b"), " not like "),
    (("disabl", "deactivat"), re.compile(r"\b(?:disabl(?:e|es|ed|ing)|deactivat\w+)\b"), " not enable "),
    (("forb", "prohibit", "disallow"), re.compile(r"\b(?:forbid\w*|forbade|prohibit\w*|disallow\w*)\b"), " not allow "),
    (("avoid", "refus"), re.compile(r"\b(?:avoid\w*|refus\w+)\b"), " not "),
    ((" off",), re.compile(r"\b((?:turn|switch)\w*(?: \w+){0,3}) off\b"), r"\1 on not"),
    (("odi", "detesto"), re.compile(r"\b(?:odio|odia|detesto)\b"), " no gusta "),
    (("hass",), re.compile(r"\bhass(?:e|t|en)\b"), " nicht mag "),
    (("讨厌", "討厭"), re.compile("讨厌|討厭"), "不喜欢"),
    (("嫌い",), re.compile("嫌い"), "好きでない"),
)  # fmt: skip
_ANSWER = re.compile(r"^(?:no|nope|nein|nah|well|oh|hey|hi|yes|yeah|ok|okay|不|不是|没有|いいえ)\s*[,.!;:，。！、]+\s*")


def _polarity(folded: str) -> tuple[bool, str]:
    """Whether a text denies, and the same text without the words that do."""
    text = _ANSWER.sub("", folded, count=1)
    for cues, opposite, said in _OPPOSITES:
        if any(cue in text for cue in cues):
            text = opposite.sub(said, text)
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
    name: number
    for number, names in enumerate(
        (
            "january jan januar enero", "february feb februar febrero", "march mar märz marzo", "april apr abril",
            "may mai mayo", "june jun juni junio", "july jul juli julio", "august aug agosto",
            "september sep sept septiembre", "october oct oktober okt octubre", "november nov noviembre",
            "december dec dezember dez diciembre",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mondays montag montags lunes 周一 星期一", "tuesday tuesdays dienstag dienstags martes 周二 星期二",
            "wednesday wednesdays mittwoch mittwochs miércoles 周三 星期三",
            "thursday thursdays donnerstag donnerstags jueves 周四 星期四",
            "friday fridays freitag freitags viernes 周五 星期五",
            "saturday saturdays samstag samstags sábado sábados 周六 星期六",
            "sunday sundays sonntag sonntags domingo domingos 周日 星期日 星期天",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
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
    (re.compile(rf"\b(?:in|by|until|since|of|im|en|bis|seit|every|last|next|this)\s+({_MONTH})\b{_YEAR}"), "my"),
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


_UNITS = {
    name: names.split()[0]
    for names in (
        "km kilometer kilometers kilometre kilometres kilómetros 公里", "mi mile miles",
        "m meter meters metre metres 米",
        "cm centimeter centimeters 厘米", "mm", "ft feet foot", "inch inches", "kg kilo kilos kilogram kilograms 公斤",
        "g gram grams 克", "mg", "lb lbs pound pounds", "l liter liters litre litres", "ml", "oz",
        "h hour hours hrs stunden stunde horas hora 小时", "min mins minute minutes minuten minutos 分钟",
        "s sec second seconds", "day days tage tagen días 天", "week weeks wochen semanas 周",
        "month months monate meses",
        "year years yrs jahre jahren años 岁 歲 年", "% percent prozent", "$ usd dollar dollars", "€ eur euro euros",
        "£ gbp", "¥ yen 円 元", "gb", "mb", "tb", "kb", "ms", "k", "x", "mph", "kmh", "hz", "ghz",
    )
    for name in names.split()
}  # fmt: skip
_UNIT = "|".join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))
_FIGURE = re.compile(
    rf"(?P<coin>[$€£¥])?\s?(?<![a-z0-9_.])v?(?P<figure>\d+(?:[.,:/-]\d+)*)\s?"
    rf"(?P<unit>(?:(?:{_UNIT})(?![a-z])|[ap]\.?m\b\.?))?"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[,.]\d{3})+")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?")

_SMALL = {
    word: number
    for number, words in enumerate(
        (
            "zero null cero", "", "two zwei dos", "three drei tres", "four vier cuatro", "five fünf cinco", "six sechs",
            "seven sieben siete", "eight acht ocho", "nine neun nueve", "ten zehn diez", "eleven elf once",
            "twelve zwölf doce dozen", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
            "nineteen", "twenty zwanzig veinte",
        )
    )
    for word in words.split()
}  # fmt: skip
_TENS = {
    word: tens * 10 for tens, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), start=3)
} | {"twenty": 20}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_COUNTED = _SMALL | _TENS
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
    return folded in STOP_WORDS or folded in _WEEKDAYS or folded in _MONTHS or folded in ("i", "user", "yo", "ich")


_PERSONS = {
    word: person
    for person, words in {
        "first": "i me my mine myself we us our ours im ive user users ich mir mich mein meine meinen meiner meinem"
        " wir uns unser unsere yo mi mis nosotros nuestra nuestro 我 私 僕 俺 나 저 내",
        "he": "he him his himself él 他 彼",
        "she": "she her hers herself ella 她",
        "they": "they them their theirs ellos ellas",
    }.items()
    for word in words.split()
}
_HAN_PERSONS = re.compile("[我私僕俺他彼她]")


def _persons(folded: str) -> Iterator[str]:
    """Who is spoken of by a pronoun; what is said of the user counts as said by the user."""
    yield from (_PERSONS[word] for word in _seen(folded) if word in _PERSONS)
    if not folded.isascii():
        yield from (_PERSONS[character] for character in _HAN_PERSONS.findall(folded))


@cache
def _relations() -> frozenset[str]:
    """Words for whom or what of the speaker's a statement is about: they change the subject."""
    return frozenset(
        spelling(
            "sister brother mother father mom dad parent parents wife husband partner spouse son daughter child kid"
            " friend boss manager colleague coworker neighbor neighbour uncle aunt cousin grandmother grandfather"
            " girlfriend boyfriend roommate team company schwester bruder mutter vater frau mann freund chef hermana"
            " hermano madre padre esposa esposo amigo jefe hijo hija"
        )
    ) | frozenset("姐妹哥弟妈爸妻夫友儿")


_LIMITS = {
    word: name
    for name, words in {
        "past": "was were had did war waren hatte era tenía ex former previously earlier ago",
        "only": "only solely exclusively except unless nur außer solo sólo excepto salvo",
        "perhaps": "maybe perhaps might may could possibly probably vielleicht quizás",
        "wanted": "want wants hope hopes plan plans consider considers considering intend intends"
        " möchte quiero quisiera",
        "to come": "will shall gonna soon wird werde",
        "supposed": "would würde",
        "if": "if when whenever while until till because although wenn falls bis weil cuando mientras aunque",
        "seldom": "sometimes rarely seldom occasionally manchmal selten veces",
        "nearly": "almost nearly beinahe casi",
    }.items()
    for word in words.split()
} | {
    # Each of these tells from every other.
    word: word
    for word in (
        "first second third fourth fifth sixth other next last erste ersten zweite zweiten dritte dritten vierte"
        " vierten primer primera segundo segunda tercer tercera some few many several most half double both either"
        " twice often more less least fewer better worse up down out off above below under over against between with"
        " from after before since yesterday today tomorrow tonight already yet gestern heute morgen ayer hoy mañana"
    ).split()
}  # fmt: skip
_LIMITED = {
    "past": re.compile(r"\b(?:my|our|the) old\b"),
    "perhaps": re.compile(r"\btal vez\b|也许|可能|かも"),
    "only": re.compile("只|仅|だけ|しか"),
    "wanted": re.compile("想"),
    "if": re.compile("如果|的时候|もし"),
}


def _limits(folded: str, seen: Iterable[str]) -> Iterator[str]:
    """What sets bounds to a statement: when, how much and how surely it is so, whether as a wish; which of several."""
    yield from (_LIMITS[word] for word in seen if word in _LIMITS)
    if not folded.isascii() or "old" in folded or "vez" in folded:
        yield from (name for name, cue in _LIMITED.items() if cue.search(folded))


_BEING = frozenset("am is are be been being was were get gets got getting".split())


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

_FILLING = re.compile(
    r"\b(?:by the way|as i said|as mentioned|please (?:remember|note)|(?:remember|note) that|for the record"
    r"|just so you know|keep in mind|a lot|at the moment|these days|right now|at all|as well|kind of|sort of|in general"
    r"|i think|i guess|i'd say|i would say|fyi|btw|en realidad|por cierto|de verdad|ab jetzt)\b"
    "|现在|今は|真的|非常|其实|一直|目前|特别|とても|本当に|すごく|です|ます|だよ|정말|아주"
)
_FILLING_CUES = frozenset(
    "way said mentioned remember note record know mind lot moment days now all well kind sort general think guess say"
    " fyi btw realidad cierto verdad jetzt".split()
)
_EVERYWHERE_CUES = frozenset(("all", "every", "any", "everywhere"))
_EVERYWHERE = re.compile(r"\b(?:in|on|across|for) (?:all|every|any)(?: of)?(?: my| the| your)? \w+|\beverywhere\b")
_WISH = re.compile(r"(?:\bwould|'d) like\b")
_DIRECTIONS = frozenset(
    "over than instead rather before after from by als statt anstatt vor nach von que antes después desde hasta".split()
)
_PREFERENCE = re.compile(r"\bprefer\w* \w+ to\b|比|より")


def _is_directed(folded: str) -> bool:
    """Whether the order of things tells what is said of which."""
    return not _DIRECTIONS.isdisjoint(_seen(folded)) or bool(_PREFERENCE.search(folded))


@cache
def _saying_nothing() -> frozenset[str]:
    """Stop words and fillers, as they are spelled; what they do to polarity and person is read elsewhere."""
    fillers = (
        "really very quite just actually definitely also too so much absolutely totally still currently now always"
        " usually generally basically honestly literally simply pretty well oh hey again get got gotten user users"
        " called named name please thing things lots truly indeed obviously certainly especially mostly about around"
        " back leider wirklich sehr immer auch eigentlich gerade jetzt heiße heißt gern gerne muchísimo mucho siempre"
        " realmente también actualmente ahora llama llamo soy estoy bin bist habe hat tengo hay ist die los"
    )
    words = " ".join(sorted(STOP_WORDS))
    return (frozenset(spelling(words)) | frozenset(spelling(fillers)) | frozenset("的了很也都呢啊吧是在我")) - {""}


_SAME = (
    "like love enjoy prefer favor favour fond", "live reside based", "work employed job", "use utilize utilise",
    "buy bought purchase", "car automobile", "movie film", "start begin", "big large", "small little", "kid child",
    "mom mum mother", "dad father", "phone telephone smartphone", "bike bicycle", "photo picture", "doctor physician",
    "color colour", "favorite favourite", "neighbor neighbour", "theme mode", "speak talk", "answer reply response",
    "short brief concise", "wake awake rise", "deploy deployment release", "allergic allergy", "vegetarian veggie",
    "need require", "want wish", "fast quick", "happen occur", "meeting appointment", "program code",
)  # fmt: skip


@cache
def _synonyms() -> dict[str, str]:
    """Each word that has a plainer one of the same meaning."""
    return {word: spelled[0] for spelled in map(spelling, _SAME) for word in spelled[1:]}


_ARTICLES = frozenset(("a", "an", "the", "der", "die", "das", "ein", "eine", "el", "la", "los", "las", "le", "les"))


@lru_cache(maxsize=4_096)
def _bare_value(value: str) -> tuple[object, ...]:
    folded = normal("NFKC", value).replace("’", "'").casefold()
    dates, undated = _dates(folded)
    numbers, rest = _numbers(undated)
    words = re.findall(r"[\w+#&]+(?:[.'@/-][\w+#]+)*", rest)
    kept = tuple(word.removesuffix("'s") for word in words if word not in _ARTICLES) or tuple(words)
    # Signs alone ("C++" is a word, "+" is not one) still tell values apart.
    return dates, numbers, kept or tuple(index_terms(rest)) or rest.strip()
