"""Where a text names a person: surely, likely, or as somebody else who shares a name with them.

It knows whole words, and what the script tells of them: capitals, declensions and particles, scripts without spaces.
A full name is sure; a first name or a surname alone, and a name that is another word as well, are likely. A first name
with another surname is another person. What cannot be told apart is likely, never sure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property, lru_cache

from cortex.domain.stopwords import STOP_WORDS
from cortex.errors import InvalidRequest
from cortex.languages.lists import listed

MOST_ALIASES = 50
MOST_NAME_CHARS = 100


class Sureness(IntEnum):
    """How sure it is that the person is meant."""

    LIKELY = 1
    SURE = 2


SURE, LIKELY = Sureness.SURE, Sureness.LIKELY

# --- words that are no names, or tell what stands beside them ---------------------------------------------------------

_MONTHS = listed("months of a name")
_DAYS = listed("days of a name")
_COMMON = _MONTHS | listed("words and names")
_OPENS_CLAUSE = listed("opens after a verb")
_BEFORE_MONTH = listed("before a month")
_BEFORE_ANY = listed("before names or words")
_ARTICLES = listed("articles of any case")
_TITLES = listed("titles of people")
_PARTICLES = listed("particles of a name")

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003134f"
)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_HAN = re.compile("[\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]+")
_CYRILLIC = re.compile("[\u0400-\u04ff]+")
_ABJAD = re.compile("[\u0590-\u05ff\u0600-\u06ff\u0750-\u077f]+")

_AFTER_HAN = listed("after an unspaced name")
_BEFORE_HAN = listed("before an unspaced name")
_KOREAN_PARTICLES = re.compile(
    "(?:씨|님|군|양|이|네)?(?:은|는|이|가|을|를|의|에게서|에게|에|와|과|랑|이랑|도|만|한테서|한테|께서|께|야|아|부터|까지|로|으로|보다|처럼|라고|입니다|이다|이야|이랑)?"
)
_ENDINGS = re.compile(
    "(?:а|я|у|ю|ы|и|е|о|й|ь|ом|ем|ой|ей|ою|ею|ым|им|ого|его|ому|ему|ых|их|ами|ями|ам|ям|ах|ях|ов|ев|ий|ая)?"
)
_PREFIXES = ("وال", "بال", "لل", "و", "ف", "ب", "ل", "ك", "ו", "ה", "ב", "ל", "מ", "ש", "כ")

_SPACES = re.compile(r"[\s\u3000]+")
_HYPHEN = re.compile(r"[-\u2010-\u2013]")
_APOSTROPHE = re.compile(r"['\u2019\u02bc]")
_COMMA = re.compile(r",\s*")
_ABBREVIATED = re.compile(r"\.\s*")
_JOINT = re.compile(r"[._+]")
_NUMBER = re.compile(r"\d{1,4}(?:st|nd|rd|th)?")


@cache
def _word() -> re.Pattern[str]:
    """Words of the scripts with spaces: letters and digits, with the marks on them."""
    blocks = (*range(0x300, 0x3000), *range(0xA000, 0x10000), *range(0x11000, 0x12000))
    marks = "".join(re.escape(chr(each)) for each in blocks if unicodedata.category(chr(each))[0] == "M")
    return re.compile(rf"(?:[^\W_{_UNSPACED}]|[{marks}\u200c\u200d\u0640])+")


def folded(text: str) -> str:
    """`text` without case, accents, vowel points and other forms of the same letters."""
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_dropped())
    return unicodedata.normalize("NFC", plain)


@cache
def _dropped() -> dict[int, None]:
    """Marks that make no other letter, and characters without a form."""
    # The voiced marks of kana, and nukta and virama of Indic scripts, do make another letter.
    kept = frozenset("\u3099\u309a")
    marks = (code for code in range(0x300, 0x10000) if unicodedata.combining(chr(code)) and chr(code) not in kept)
    letters = (code for code in marks if code < 0x900 or unicodedata.combining(chr(code)) not in (7, 8, 9))
    return dict.fromkeys((*letters, 0x640, 0x200C, 0x200D))


_UMLAUTS = {
    ord("ä"): "ae",
    ord("ö"): "oe",
    ord("ü"): "ue",
    ord("ø"): "oe",
    ord("å"): "aa",
    ord("Ä"): "Ae",
    ord("Ö"): "Oe",
    ord("Ü"): "Ue",
    ord("Ø"): "Oe",
    ord("Å"): "Aa",
}


def _forms(word: str) -> frozenset[str]:
    """How a word may be written: `Müller` is `Mueller` and `Muller`."""
    if word.isascii():
        return frozenset({word.casefold()})
    return frozenset({folded(word), folded(unicodedata.normalize("NFC", word).translate(_UMLAUTS))})


# --- a text, read once ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Token:
    text: str
    gap: str
    """What stands between it and the word before; the end of a line before the first."""

    @cached_property
    def forms(self) -> frozenset[str]:
        return _forms(self.text)

    @cached_property
    def plain(self) -> str:
        return folded(self.text)

    @property
    def is_cased(self) -> bool:
        return self.text.lower() != self.text.upper()

    @property
    def is_title(self) -> bool:
        """Whether it is written as a name is: with a capital, and not with capitals alone."""
        return self.text[0].isupper() and len(self.text) > 1 and not self.text.isupper()

    @property
    def is_initial(self) -> bool:
        return len(self.text) == 1 and self.text.isupper() and self.text != "I"

    @property
    def begins(self) -> bool:
        """Whether it begins a sentence or a part of one."""
        return _SPACES.fullmatch(self.gap) is None and not _JOINT.fullmatch(self.gap) and not _is(_HYPHEN, self.gap)


_NOTHING = _Token(".", ".")


def _is(pattern: re.Pattern[str], gap: str) -> bool:
    return pattern.fullmatch(gap) is not None


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    end = 0
    for each in _word().finditer(text):
        gap = text[end : each.start()] if found else f"\n.{text[: each.start()]}"
        found.append(_Token(each.group(), gap))
        end = each.end()
    return found


class _Text:
    """A text whose words are read where a name needs them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = folded(text)

    @cached_property
    def expanded(self) -> str:
        """The folded text with `ue` for `ü`, where there are such letters."""
        written = "" if self.text.isascii() else self.text.translate(_UMLAUTS)
        return folded(written) if written != self.text else ""

    @cached_property
    def tokens(self) -> list[_Token]:
        return _tokens(self.text)

    def at(self, place: int) -> _Token:
        return self.tokens[place] if 0 <= place < len(self.tokens) else _NOTHING

    def gap_after(self, place: int) -> str:
        return self.at(place + 1).gap if place + 1 < len(self.tokens) else "."


# --- names ------------------------------------------------------------------------------------------------------------


class _Literal:
    """An address, a number or a handle: what it says, and nothing beside it."""

    def __init__(self, name: str) -> None:
        self.first = ""
        digits = re.sub(r"[\s()./+-]", "", name)
        if digits.isdigit() and len(digits) >= 6:
            between = r"[\s()./-]{0,3}"
            self._pattern = re.compile(rf"(?<!\d)(?:00)?{between.join(digits)}(?!\d)")
        else:
            self._pattern = re.compile(rf"(?<![\w.+-]){re.escape(folded(name))}(?![\w-]|\.\w)")

    def find(self, text: _Text) -> Iterator[Sureness]:
        if self._pattern.search(text.folded):
            yield SURE


class _Unspaced:
    """A name in a script without spaces, whose neighbors tell whether it ends where it ends."""

    def __init__(self, name: str) -> None:
        parts = [folded(each) for each in re.split(r"[\s\u3000・=＝·]+", name) if each]
        self._whole = re.compile(r"[\s\u3000・=＝·]*".join(map(re.escape, parts)))
        self._parts = parts if len(parts) > 1 else []

    def find(self, text: _Text) -> Iterator[Sureness]:
        for each in self._whole.finditer(text.folded):
            if found := self._beside(text.folded, each.start(), each.end()):
                yield found
        for number, part in enumerate(self._parts):
            for each in re.finditer(re.escape(part), text.folded):
                found = self._beside(text.folded, each.start(), each.end(), alone=True)
                before, after = text.folded[: each.start()][-1:], text.folded[each.end() :][:1]
                if found and not (before in "・=＝·" and before) and not (after and after in "・=＝·"):
                    # A family name with another given name after it, or a given name after another family name.
                    if _HAN.match(part[-1]) and _HAN.match((after if number == 0 else before) or " "):
                        continue
                    yield LIKELY

    @staticmethod
    def _beside(text: str, start: int, end: int, *, alone: bool = False) -> Sureness | None:
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        first, last = text[start], text[end - 1]
        if _KATAKANA.match(last):
            if (before and _KATAKANA.match(before)) or (after and _KATAKANA.match(after)):
                return None  # a longer name
            return LIKELY if (after and after in "・=＝") or (before and before in "・=＝") or alone else SURE
        if _HAN.match(last) or _HAN.match(first):
            ends = not after or not _HAN.match(after) or after in _AFTER_HAN
            begins = not before or not _HAN.match(before) or before in _BEFORE_HAN
            return SURE if ends and begins else LIKELY
        return LIKELY if any(each and _IS_UNSPACED.match(each) for each in (before, after)) else SURE


class _Words:
    """A name in a script with spaces: one word, or a first name and a surname with what is between."""

    def __init__(self, name: str) -> None:
        self._tokens = _tokens(name.replace(".", " "))
        self.first = self._tokens[0].plain
        self.surname = self._tokens[-1] if len(self._tokens) > 1 else None
        self.surnames: frozenset[str] = frozenset()
        """The surnames of all names of the person: with one of them a first name is theirs."""
        self._needles = {form for each in self._tokens for form in each.forms}

    def find(self, text: _Text) -> Iterator[Sureness]:
        # Most texts have none of the words, in any form that begins so.
        if not any(self._stem(each) in text.folded for each in self._needles) and not self._expanded(text):
            return
        count, after = len(self._tokens), 0
        for place, word in enumerate(text.tokens):
            # Any match begins with one of the words.
            if place < after or not any(_matched(word, name) for name in self._tokens):
                continue
            length, found = self._whole(text, place) if count > 1 else (1, self._single(text, place))
            if found is None and length == 1 and count > 1:
                length, found = self._part(text, place)
            if found is not None:
                yield found
            after = place + max(1, length)

    @staticmethod
    def _stem(form: str) -> str:
        if _HANGUL.fullmatch(form) and len(form) == 3:
            return form[1:]
        return form[:-1] if _CYRILLIC.fullmatch(form) and len(form) > 3 else form

    def _expanded(self, text: _Text) -> bool:
        return any(each in text.expanded for each in self._needles)

    # --- the full name ---------------------------------------------------------------------------

    def _whole(self, text: _Text, place: int) -> tuple[int, Sureness | None]:
        """How many words at a place are the full name, and how sure that is; 1 and None where they are not."""
        for matches, sure in ((self._in_order, SURE), (self._inverted, SURE), (self._loosely, LIKELY)):
            length, matched = matches(text, place)
            if length:
                return length, self._around(text, place, place + length - 1, min(sure, matched))
        return 1, None

    def _in_order(self, text: _Text, place: int) -> tuple[int, Sureness]:
        sure = SURE
        for number, name in enumerate(self._tokens):
            word = text.at(place + number)
            matched = _matched(word, name)
            if matched is None:
                return 0, LIKELY
            if number and not (_is(_SPACES, word.gap) or _is_same_joint(word, name)):
                if not _is(_JOINT, word.gap):
                    return 0, LIKELY
                matched = LIKELY
            sure = min(sure, matched)
        words = [text.at(place + number) for number in range(len(self._tokens))]
        if all(word.text.islower() and word.plain in _COMMON for word in words):
            sure = LIKELY
        return len(self._tokens), sure

    def _inverted(self, text: _Text, place: int) -> tuple[int, Sureness]:
        """`Schmidt, Anna`; without the comma it is not sure."""
        last, rest = self._tokens[-1], self._tokens[:-1]
        if _matched(text.at(place), last) is None:
            return 0, LIKELY
        for number, name in enumerate(rest, start=1):
            if _matched(text.at(place + number), name) is None:
                return 0, LIKELY
        gap = text.at(place + 1).gap
        return (
            (len(self._tokens), SURE if _is(_COMMA, gap) else LIKELY)
            if _is(_COMMA, gap) or _is(_SPACES, gap)
            else (0, LIKELY)
        )

    def _loosely(self, text: _Text, place: int) -> tuple[int, Sureness]:
        """With a middle name or an initial between, or without a middle name of theirs."""
        if _matched(text.at(place), self._tokens[0]) is None:
            return 0, LIKELY
        for between in range(3 if len(self._tokens) == 2 else 2):
            word = text.at(place + between + 1)
            if not (_is(_SPACES, word.gap) or _is(_ABBREVIATED, word.gap)):
                break
            if between == 0 and len(self._tokens) == 2 and _matched(word, self._tokens[-1]) is not None:
                break
            if _matched(word, self._tokens[-1]) is not None:
                return between + 2, LIKELY
            if not (word.is_title or word.is_initial or word.plain in _PARTICLES):
                break
        return 0, LIKELY

    def _around(self, text: _Text, first: int, last: int, sure: Sureness) -> Sureness | None:
        """What stands beside a full name may make it another."""
        after, before = text.at(last + 1), text.at(first - 1)
        if after is not _NOTHING and _is(_HYPHEN, after.gap):
            return LIKELY if after.text[0].islower() else None
        if text.at(first).gap and first and _is(_HYPHEN, text.at(first).gap):
            return None
        if all(text.at(place).text.isupper() for place in range(first, last + 1)):
            return sure
        if _is(_SPACES, after.gap) and after.is_title and after.plain not in _DAYS | _MONTHS:
            return LIKELY
        gap = text.at(first).gap
        if first and _is(_SPACES, gap) and before.is_title and not before.begins and before.plain not in _TITLES:
            return LIKELY
        return LIKELY if first and before.is_initial and (_is(_ABBREVIATED, gap) or _is(_SPACES, gap)) else sure

    # --- a part of it ----------------------------------------------------------------------------

    def _part(self, text: _Text, place: int) -> tuple[int, Sureness | None]:
        """A first name or a surname alone is likely, unless it is somebody else's."""
        word = text.at(place)
        is_first = _matched(word, self._tokens[0]) is not None and not self._has_other_surname(text, place)
        is_last = _matched(word, self._tokens[-1]) is not None and not self._has_other_first_name(text, place)
        if not (is_first or is_last) or len(word.text) < 2 or self._is_word(text, place):
            return 1, None
        # "An" is a surname, and a word of English.
        is_stop_word = word.plain in STOP_WORDS and (word.begins or not word.is_title)
        return 1, None if is_stop_word else LIKELY

    def _has_other_surname(self, text: _Text, place: int) -> bool:
        after = text.at(place + 1)
        if after is _NOTHING:
            return _is_compound(text, place)
        if _is_compound(text, place):
            return True
        if not _is(_SPACES, after.gap):
            return _is(_JOINT, after.gap)  # an address
        if after.is_initial:
            return not any(each[:1] == after.plain for each in self.surnames)
        if after.plain in _PARTICLES and text.at(place + 2).is_title and _is(_SPACES, text.at(place + 2).gap):
            return True
        return after.is_title and after.plain not in _DAYS | _MONTHS and not after.forms & self.surnames

    def _has_other_first_name(self, text: _Text, place: int) -> bool:
        word, before = text.at(place), text.at(place - 1)
        if _is_compound(text, place) or (place and _is(_JOINT, word.gap)):
            return True
        if not place or not (_is(_SPACES, word.gap) or (before.is_initial and _is(_ABBREVIATED, word.gap))):
            return False
        if before.is_initial:
            return before.plain != self._tokens[0].plain[:1]
        return before.is_title and before.plain not in _TITLES

    # --- a name of one word ----------------------------------------------------------------------

    def _single(self, text: _Text, place: int) -> Sureness | None:
        word = text.at(place)
        matched = _matched(word, self._tokens[0])
        if matched is None or _is_compound(text, place):
            return None
        if self._is_word(text, place):
            return None
        if not word.is_cased:
            return matched if _HANGUL.match(word.text) and len(self._tokens[0].text) > 2 else LIKELY
        after, before = text.at(place + 1), text.at(place - 1)
        named = _is(_SPACES, after.gap) and (after.is_title or after.is_initial or after.plain in _PARTICLES)
        if named and self._has_other_surname(text, place):
            return None if self.surnames else LIKELY
        if place and _is(_SPACES, word.gap) and before.is_title and before.plain not in _TITLES:
            return LIKELY
        if word.text.islower() or (word.plain in _COMMON and (word.text.isupper() or self._is_ambiguous(text, place))):
            return LIKELY
        return matched

    @staticmethod
    def _is_ambiguous(text: _Text, place: int) -> bool:
        """Whether a name that is a word as well may be the word, written with a capital."""
        word, after = text.at(place), text.at(place + 1)
        if word.begins:
            return not _is(_APOSTROPHE, after.gap)
        return text.at(place - 1).plain in _BEFORE_ANY

    @staticmethod
    def _is_word(text: _Text, place: int) -> bool:
        """Whether it is a verb, a month or another word here, and no name."""
        word, after, before = text.at(place), text.at(place + 1), text.at(place - 1)
        if word.plain not in _COMMON:
            return False
        if word.text.islower():
            return True
        if word.begins and _is(_SPACES, after.gap) and after.plain in _OPENS_CLAUSE:
            return True
        if before is not _NOTHING and _is(_SPACES, word.gap) and before.plain in _ARTICLES:
            return True
        if word.plain not in _MONTHS:
            return False
        numbered = _NUMBER.fullmatch(after.plain) and re.fullmatch(r",?\s+", after.gap)
        dated = _NUMBER.fullmatch(before.plain) and re.fullmatch(r"\.?\s+", word.gap)
        ranged = after.plain in _MONTHS and after is not _NOTHING
        in_it = _is(_SPACES, word.gap) and before.plain in _BEFORE_MONTH
        return bool(numbered or dated or ranged or in_it)


def _matched(word: _Token, name: _Token) -> Sureness | None:
    """Whether a word is a name: as it is, or as its language changes it."""
    return _matched_as_written(word.text, name.text)


@lru_cache(maxsize=1 << 16)
def _matched_as_written(text: str, known_text: str) -> Sureness | None:
    # Of all words most are no names, and most texts have the same words.
    word, name = _Token(text, ""), _Token(known_text, "")
    if word.forms & name.forms:
        return SURE
    said, known = word.plain, name.plain
    if said.startswith(known) and _HANGUL.fullmatch(known) and _HANGUL.fullmatch(said):
        rest = said[len(known) :]
        return SURE if _KOREAN_PARTICLES.fullmatch(rest) else None
    if _HANGUL.fullmatch(known) and len(known) == 3 and said.startswith(known[1:]):
        return LIKELY if _KOREAN_PARTICLES.fullmatch(said[2:]) else None
    if _CYRILLIC.fullmatch(known) and _CYRILLIC.fullmatch(said) and len(known) > 2:
        stem = re.sub("[аяоеуюыийь]$", "", known)
        rest = said[len(stem) :]
        return LIKELY if len(stem) > 2 and said.startswith(stem) and _ENDINGS.fullmatch(rest) else None
    if _ABJAD.fullmatch(known) and any(said == each + known for each in _PREFIXES):
        return LIKELY
    if len(known) > 3 and said == f"{known}s" and word.is_cased:
        return LIKELY
    return None


def _is_same_joint(word: _Token, name: _Token) -> bool:
    """Whether two parts of a name are joined as in the text: `Jean-Luc`, `O'Brien`."""
    return any(_is(joint, word.gap) and _is(joint, name.gap) for joint in (_HYPHEN, _APOSTROPHE))


def _is_compound(text: _Text, place: int) -> bool:
    """Whether a hyphen makes it a part of another name: `Anna-Lena`, `Schmidt-Meier`."""
    word, after = text.at(place), text.at(place + 1)
    joined = after is not _NOTHING and _is(_HYPHEN, after.gap) and after.text[0].isupper()
    return joined or (place > 0 and _is(_HYPHEN, word.gap) and text.at(place - 1).text[0].isupper())


# --- a person ---------------------------------------------------------------------------------------------------------

_Name = _Literal | _Unspaced | _Words


class Person:
    """A person, by their name and other names for them."""

    def __init__(self, name: str, also: Sequence[str] = ()) -> None:
        if len(also) > MOST_ALIASES:
            raise InvalidRequest(f"has over {MOST_ALIASES}", field="also", hint=f"give at most {MOST_ALIASES}")
        self.names = (_checked(name, "person"), *(_checked(each, f"also[{at}]") for at, each in enumerate(also)))
        self._whole = {_collapsed(each) for each in self.names}
        self._names: list[_Name] = [_read(each) for each in self.names]
        words = [each for each in self._names if isinstance(each, _Words)]
        surnames = frozenset(form for each in words if each.surname for form in each.surname.forms)
        for each in words:
            each.surnames = surnames

    def in_text(self, text: str) -> Sureness | None:
        """How surely a text names the person; None where it does not."""
        read = _Text(text)
        return self._best(found for name in self._names for found in name.find(read))

    def in_field(self, value: str) -> Sureness | None:
        """The same for a field that is a name as a whole, such as a speaker."""
        if not value:
            return None
        return SURE if self.is_exactly(value) else self.in_text(value)

    def is_exactly(self, value: str) -> bool:
        """Whether a value is one of the names, and nothing else."""
        return _collapsed(value) in self._whole

    @staticmethod
    def _best(found: Iterable[Sureness]) -> Sureness | None:
        best: Sureness | None = None
        for each in found:
            if each is SURE:
                return SURE
            best = each
        return best


def _collapsed(name: str) -> str:
    return " ".join(folded(name).split()).removeprefix("@")


def _checked(name: str, field: str) -> str:
    if not isinstance(name, str) or len(name) > MOST_NAME_CHARS or not name.strip() or not name.isprintable():
        raise InvalidRequest("is not a name", field=field, hint=f"give one line of up to {MOST_NAME_CHARS} characters")
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if sum(each.isalnum() for each in name) < 2:
        raise InvalidRequest("is too short: it would be found in anything", field=field, hint="give the full name")
    return name


def _read(name: str) -> _Name:
    if any(each.isdigit() or each in "@_/:" for each in name):
        return _Literal(name)
    if _IS_UNSPACED.search(name):
        return _Unspaced(name)
    return _Words(name) if _tokens(name) else _Literal(name)
