"""The phrases of all languages as patterns, and which of them stand in a text.

What may stand anywhere is looked up by the first letters of each word: most words begin no phrase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from cortex.domain.ownership.words import either
from cortex.languages import OWNERSHIP as WORDS

UNSPACED_LETTERS = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_GAP = r"[^.!?\n:：]{0,40}?"
_NAME = r"(?-i:[A-ZÀ-ÞА-ЯЁ])[\w'-]{0,24}"
ANY_CASE = "(?i)"


def _phrase(line: str) -> str:
    """A phrase of a table as a pattern: bounded, and without groups that are kept."""
    plain = line.replace("(", "(?:").replace("(?:?", "(?").replace("…", _GAP).replace("@", _NAME)
    return f"(?:{plain})".replace(r"\w+", r"[\w&'-]{1,24}").replace(r"\w*", r"\w{0,24}")


def _lines(given: str) -> list[str]:
    """The phrases of a field; a line that begins with `|` goes on with the one before."""
    joined = "".join(line if line.startswith("|") else f"\n{line}" for line in map(str.strip, given.split("\n")))
    return [line for line in joined.split("\n") if line]


def phrase_pattern(field: str, *, spaced: bool | None = None) -> str:
    """One pattern of all phrases of a field, of all languages or of those with or without spaces."""
    found: list[str] = []
    for words in WORDS.values():
        if spaced is None or spaced is words.spaced:
            phrases = map(_phrase, _lines(getattr(words, field)))
            found += [rf"\b{each}(?!\w)" if words.spaced else each for each in phrases]
    return f"(?:{'|'.join(found)})" if found else "(?!)"


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when the first text needs it."""
    return re.compile(pattern)


# What may stand anywhere in a text is looked up by the first letters of each word: most words begin no phrase.
ANYWHERE = (
    "these",
    "asks",
    "asks_loosely",
    "asks_after",
    "received",
    "wrote",
    "plays",
    "plays_on",
    "plays_no_more",
    "guests",
    "guests_no_more",
    "asks_for_others",
    "announces",
    "is_assistant",
    "assistant_opens",
    "assistant_closes",
)
_KEY = 3
_WORD_STARTS = rf"(?<!\w)[^\W_]{{1,{_KEY}}}"
_NAME_KEY = "@"


@dataclass(frozen=True, slots=True)
class _Bucket:
    """The phrases that begin with the same letters."""

    any: str
    """A pattern of all of them: mostly none stands there, and nothing else has to be tried."""
    fields: tuple[tuple[str, str], ...]


@cache
def phrase_index() -> dict[str, _Bucket]:
    """The phrases of all languages by their first letters."""
    found: dict[str, dict[str, list[str]]] = {}
    for words in (words for words in WORDS.values() if words.spaced):
        for field in ANYWHERE:
            for line in _lines(getattr(words, field)):
                for key in _keys(line):
                    found.setdefault(key, {}).setdefault(field, []).append(_phrase(line))
    return {
        key: _Bucket(
            _joined([phrase for each in fields.values() for phrase in each]),
            tuple((field, _joined(each)) for field, each in fields.items()),
        )
        for key, fields in found.items()
    }


def _joined(phrases: Sequence[str]) -> str:
    return rf"{ANY_CASE}(?:{'|'.join(dict.fromkeys(phrases))})(?!\w)"


def _keys(phrase: str) -> set[str]:
    """The first letters that a phrase may begin with."""
    if phrase.startswith("("):
        inner, rest = _group(phrase)
        keys = {key for choice in _choices(inner) for key in _keys(choice)}
        return keys | _keys(rest[1:].lstrip()) if rest.startswith("?") else keys
    if phrase.startswith("@"):
        return {_NAME_KEY}
    letters = re.match(r"[^\W_]+", phrase)
    assert letters is not None, f"the phrase {phrase!r} begins with no word"
    is_loose = phrase[letters.end() : letters.end() + 1] in {"?", "{"}
    return {letters.group()[: len(letters.group()) - is_loose][:_KEY].casefold()}


def _group(phrase: str) -> tuple[str, str]:
    """What stands in the brackets a phrase begins with, and after them."""
    depth = 0
    for at, letter in enumerate(phrase):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return phrase[1:at], phrase[at + 1 :]
    raise ValueError(phrase)


def _choices(inner: str) -> list[str]:
    choices, depth = [""], 0
    for letter in inner:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            choices.append("")
        else:
            choices[-1] += letter
    return choices


@lru_cache(maxsize=4_096)
def _buckets(letters: str) -> tuple[_Bucket, ...]:
    """The phrases that may begin with a word of these first letters."""
    begin = letters.casefold()
    keys = (begin[:1], begin[:2], begin[:3], _NAME_KEY if letters[0].isupper() else "")
    return tuple(bucket for key in dict.fromkeys(keys) if (bucket := phrase_index().get(key)) is not None)


Found = dict[str, list[re.Match[str]]]
"""The phrases that stand in a text, by their field, in order."""


def find_phrases(text: str, only: Sequence[str] = ANYWHERE) -> Found:
    found: Found = {field: [] for field in ANYWHERE}
    for word in compiled(_WORD_STARTS).finditer(text):
        for bucket in _buckets(word.group()):
            if compiled(bucket.any).match(text, word.start()) is None:
                continue
            for field, pattern in bucket.fields:
                if field in only and (match := compiled(pattern).match(text, word.start())):
                    found[field].append(match)
    if not text.isascii() and compiled(UNSPACED_LETTERS).search(text):
        for field in only:
            found[field] += compiled(unspaced_pattern(field)).finditer(text)
            found[field].sort(key=lambda each: each.start())
    return found


@cache
def unspaced_pattern(field: str) -> str:
    pattern = phrase_pattern(field, spaced=False)
    return ANY_CASE + (rf"(?:\A|(?<=[，。！？：；、\n ,.])){pattern}" if field == "asks" else pattern)


# What a few words beside a phrase are tested for.
THESE = phrase_pattern("these")
NOUNS = phrase_pattern("nouns")
STATES = phrase_pattern("states")
POINTS = (
    rf"{ANY_CASE}{THESE}(?= {{0,2}}(?:[,.!?:：。！？\n\"“„«「『]|\Z|{phrase_pattern('links')}"
    rf"|(?:[\w'-]{{1,24}} ){{0,2}}{NOUNS}))"
)
NOUN = rf"{ANY_CASE}{NOUNS}"
THESE_WORDS = rf"{ANY_CASE}{THESE}"
NOT_TEXTS = rf"{ANY_CASE}{phrase_pattern('not_texts')}"
STATED = rf"{ANY_CASE}{STATES}"
CLOSES = rf"{ANY_CASE}{phrase_pattern('closes')}"
CALLS_ASSISTANTS = rf"{ANY_CASE}{either('assistants')}"
TO_ASSISTANTS = rf"{CALLS_ASSISTANTS}|\b(?:claude|chatgpt|gpt|gemini|cortex|copilot|siri|alexa)\b"
FIRST_PERSON = rf"{ANY_CASE}{either('first_person')}"
SUBJECT = rf"{ANY_CASE}{either('i')}"
LANGUAGES = rf"{ANY_CASE}{phrase_pattern('languages')}"
PEOPLE = rf"{ANY_CASE}{phrase_pattern('people')}"
