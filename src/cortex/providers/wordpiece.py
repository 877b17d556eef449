"""BERT's uncased WordPiece tokens.

Written here because the usual library costs 40 ms and 13 MB of every start for what takes these lines;
a test holds its ids against that library's. One difference is wanted: `[SEP]` inside a text is three plain
tokens, so that no text can pass for the frame around it.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

from cortex.domain.text import normal

UNKNOWN, START, END = 100, 101, 102
_LONGEST_WORD = 100

# The ideographs that stand for words of their own; kana and hangul do not.
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Turns text into token ids by the vocabulary in a file, one token per line."""

    def __init__(self, vocabulary: Path) -> None:
        lines = vocabulary.read_text(encoding="utf-8").split("\n")
        self._ids = {token: number for number, token in enumerate(lines) if token}
        self._plain = _Plain()

    def ids(self, text: str, limit: int) -> list[int]:
        """The first `limit` token ids of `text`, without a frame."""
        found: list[int] = []
        for word in normal("NFD", text).translate(self._plain).split():
            whole = self._ids.get(word)
            if whole is None:
                found.extend(self._pieces(word))
            else:
                found.append(whole)
            if len(found) >= limit:
                break
        return found[:limit]

    def _pieces(self, word: str) -> list[int]:
        """The longest known pieces from the left, or one unknown token where some part is in none."""
        if len(word) > _LONGEST_WORD:
            return [UNKNOWN]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                piece = self._ids.get(mark + word[start:end])
                if piece is not None:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return [UNKNOWN]
        return pieces


class _Plain(dict[int, str]):
    """What each character becomes before words are split at spaces; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _plain(chr(code))
        return plain


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if character.isspace() and (character in "\t\n\r" or category[0] == "Z"):
        return " "
    if character in "\x00\ufffd" or category in ("Cc", "Cf", "Co", "Mn"):
        return ""
    code = ord(character)
    ascii_mark = code < 128 and not character.isalnum() and character != " "
    if ascii_mark or category[0] == "P" or any(low <= code <= high for low, high in _IDEOGRAPHS):
        return f" {character} "
    return character.lower()
