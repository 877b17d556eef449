"""Texts that are made to take long: each is a piece that is repeated up to a size, with something before and after."""

from __future__ import annotations

import re
import re._constants as code  # the parse tree of a pattern tells what to repeat
import re._parser as parser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class Shape:
    """A text of any size."""

    before: str
    piece: str
    after: str = ""

    def __call__(self, size: int) -> str:
        room = max(1, size - len(self.before) - len(self.after))
        return self.before + self.piece * (room // len(self.piece)) + self.after

    def __str__(self) -> str:
        return f"{self.before[-60:]!r} + {self.piece[:60]!r} * n + {self.after[:60]!r}"


_LETTERS = (
    " \n\t\r\u3000\u2028.,;:!?…'\"`’“«()[]{}<>|/\\-_=+*#&%$@~0aAé日あ한ก。、！「（：\u200b\u0301\ufffc😀\U000e0061"
)
_PIECES = (
    "\r\n", " \n", "\n\t\n", ". ", ".\n", "。\n", "a ", "a\n", "a. ", "A. ", "a, ", "aA", "a1", "1 ", "1.", "1,",
    "1-", "1:", "a-", "a_", "a'", "'a", "\"a", "\"a\" ", "“a", "\u0301\u0316", "\uff9e\u0301", "\u0f73", "I ", "my ",
    "日 ", "我是", "これは", "한국 ", "[[", "[a](", "![a](", "[a][", "(a", "{{", "<a ", "</a", "<!--", "<|", "```\n",
    "~~~\n", "``a", "> ", "> > ", "\n> ", "- - ", "\n- ", "\n1. ", "\n# ", "\n## a", "--\n", "a\n---\n", "\na: b",
    "|a|\n", "\\n", "\\x41", "\\u0041", "&gt;", "&#9", "%41", "a%20", "${a", "key=", "key=a&", "a=b;", "token: ",
    "password is ", "Bearer ", "http://", "http://a:", "//a?", "a.a@", "a@a.", "a/a", "AKIA", "eyJ.", "sk-",
    "-----BEGIN ", "QUJD", "QUJDRA==\n", "Ab1", "de ad ", "2024-01-01 ", "12:00 ", "[12:00] ", "1 May ", "Monday ",
    "system: ", "\nuser: ", "\nHuman:", "### System", "From: a\n", "On a wrote:", "user ", "when ", "always ",
    "ignore all ", "you must ", "remember ", "I like ", "my a is ", "first ", "between ", "what is ", "[redacted:",
    "cortex:id=", "{\"a\":", "{\"role\":\"user\"}\n",
)  # fmt: skip


@cache
def common() -> tuple[Shape, ...]:
    """Shapes that hurt one pattern or another: what is repeated from end to end, and between two letters."""
    return (*(Shape("", piece) for piece in (*_LETTERS, *_PIECES)), *(Shape("a", piece, "b") for piece in " \n\t.-_'"))


# --- what a pattern gives away ----------------------------------------------------------------------

_TRIED = "a0 \n.A_-'\",:;!?(/[<>=#*`|{&@%\t日か。é\u200b"
_LONG = 24
"""A repeat that can go on for so long is tried."""


def derived(pattern: re.Pattern[str]) -> tuple[Shape, ...]:
    """Shapes made of what a pattern looks for: all before a repeat, then what is repeated, then what does not fit."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    found: dict[Shape, None] = {}
    for before, pieces in _repeats(tree, ""):
        for piece in pieces:
            found[Shape(before, piece, "\x00")] = None
            found[Shape("", before + piece)] = None
            found[Shape("", before + piece * 8, "\x00")] = None
    whole = _sample(tree)
    for part in (whole, f"{whole} ", whole[:-1], whole[: len(whole) // 2]):
        found[Shape("", part or "a")] = None
    return tuple(found)


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, list[str]]]:
    """Every long repeat of a tree, with a text that leads to it and what it can repeat."""
    for op, given in tree:
        if op in _REPEATS:
            least, most, inner = given
            if most is code.MAXREPEAT or most >= _LONG:
                yield before, _pieces(inner)
            yield from _repeats(inner, before)
            before += _sample(inner) * least
        elif op is code.SUBPATTERN:
            yield from _repeats(given[-1], before)
            before += _sample(given[-1])
        elif op is code.ATOMIC_GROUP:
            yield from _repeats(given, before)
            before += _sample(given)
        elif op is code.BRANCH:
            for each in given[1]:
                yield from _repeats(each, before)
            before += _sample([(op, given)])
        elif op in (code.ASSERT, code.ASSERT_NOT):
            yield from _repeats(given[1], before)
        else:
            before += _sample([(op, given)])


_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)


def _pieces(inner: Any) -> list[str]:
    """What a repeat can repeat: of a class, some letters of each sort; else a sample of each alternative."""
    if len(inner) == 1:
        op, given = inner[0]
        if op is code.SUBPATTERN:
            return _pieces(given[-1])
        if op is code.BRANCH:
            return list(dict.fromkeys(piece for each in given[1] for piece in _pieces(each)))[:12]
        letters = [letter for letter in _TRIED if _fits(op, given, letter)]
        if letters:
            return letters[:6]
    sample = _sample(inner)
    return [sample] if sample else []


def _sample(tree: Any) -> str:
    """A short text that fits, as far as that can be told from here: what it must not be is not looked at."""
    text = ""
    for op, given in tree:
        if op is code.LITERAL:
            text += chr(given)
        elif op in (code.IN, code.NOT_LITERAL, code.ANY):
            text += next((letter for letter in _TRIED if _fits(op, given, letter)), _first(given))
        elif op in _REPEATS:
            text += _sample(given[2]) * given[0]
        elif op is code.SUBPATTERN:
            text += _sample(given[-1])
        elif op is code.ATOMIC_GROUP:
            text += _sample(given)
        elif op is code.BRANCH:
            text += _sample(given[1][0])
    return text


def _first(given: Any) -> str:
    if isinstance(given, list):
        for op, value in given:
            if op is code.LITERAL:
                return chr(value)
            if op is code.RANGE:
                return chr(value[0])
    return ""


def _fits(op: Any, given: Any, letter: str) -> bool:
    if op is code.ANY:
        return letter != "\n"
    if op is code.LITERAL:
        return chr(given) == letter
    if op is code.NOT_LITERAL:
        return chr(given) != letter
    return op is code.IN and _among(given, letter)


def _among(given: Any, letter: str) -> bool:
    negated = given[0][0] is code.NEGATE
    return negated != any(_is(op, value, letter) for op, value in given if op is not code.NEGATE)


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    code.CATEGORY_DIGIT: str.isdigit,
    code.CATEGORY_NOT_DIGIT: lambda letter: not letter.isdigit(),
    code.CATEGORY_SPACE: str.isspace,
    code.CATEGORY_NOT_SPACE: lambda letter: not letter.isspace(),
    code.CATEGORY_WORD: lambda letter: letter.isalnum() or letter == "_",
    code.CATEGORY_NOT_WORD: lambda letter: not (letter.isalnum() or letter == "_"),
}


def _is(op: Any, value: Any, letter: str) -> bool:
    if op is code.LITERAL:
        return chr(value) == letter
    if op is code.RANGE:
        return value[0] <= ord(letter) <= value[1]
    return op is code.CATEGORY and _CATEGORIES[value](letter)
