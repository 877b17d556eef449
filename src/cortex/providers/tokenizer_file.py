"""Tokens of models of one's own, by the `tokenizer.json` that comes with them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.errors import ProviderMissing, install_command

INSTALL_HINT = install_command("own-model")

_IN_EACH_SCRIPT: Mapping[str, str] = MappingProxyType(
    {
        "GREEK": "Το λιμάνι ανοίγει το πρωί και κλείνει το βράδυ",
        "CYRILLIC": "Гавань открывается утром и закрывается вечером",
        "HEBREW": "הנמל נפתח בבוקר ונסגר בערב",
        "ARABIC": "يفتح الميناء في الصباح ويغلق في المساء",
        "DEVANAGARI": "बंदरगाह सुबह खुलता है और शाम को बंद होता है",
        "THAI": "ท่าเรือเปิดในตอนเช้าและปิดในตอนเย็น",
        "HANGUL": "항구는 아침에 열리고 저녁에 닫힌다",
        "HIRAGANA": "みなとはあさにひらいてよるにしまる",
        "CJK": "港口早上开放晚上关闭很多船停在码头",
    }
)
"""The same sentence in scripts by their Unicode names, to see what a vocabulary makes of it. Latin is always read."""

_MOST_UNKNOWN = 0.1
_MOST_TOKENS_A_LETTER = 0.75
_MOST_TOKENS_A_CHARACTER = 1.25
"""Of Chinese, where a character is a word or half of one, and of kana."""


class TokenizerFile:
    """Turns text into token ids by a `tokenizer.json`, with the frame its model expects around it."""

    def __init__(self, path: Path, max_tokens: int) -> None:
        self._tokenizer = _library().Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        # No text can pass for the frame around it: "[SEP]" inside one is plain tokens.
        self._tokenizer.encode_special_tokens = True
        self._unknown = _unknown_token(self._tokenizer, path)

    def framed(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Token ids and their kinds as the model reads them, one row of each."""
        found = self._tokenizer.encode(*(_sound(text) for text in texts))
        return np.array([found.ids], np.int64), np.array([found.type_ids], np.int64)

    def unread_scripts(self) -> list[str]:
        """The scripts its vocabulary has no words of: their texts come to unknown tokens, or to single letters."""
        return [script for script, text in _IN_EACH_SCRIPT.items() if not self._reads(script, text)]

    def _reads(self, script: str, text: str) -> bool:
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        letters = sum(unicodedata.category(char)[0] in "LM" for char in text)
        most = _MOST_TOKENS_A_CHARACTER if script in {"CJK", "HIRAGANA"} else _MOST_TOKENS_A_LETTER
        unknown = sum(id == self._unknown for id in ids)
        return 0 < len(ids) <= most * letters and unknown <= _MOST_UNKNOWN * len(ids)


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise ProviderMissing(
            "tokenizers, which reads the tokens of a model of your own, is not installed", hint=INSTALL_HINT
        ) from error
    return tokenizers


def _unknown_token(tokenizer: Any, path: Path) -> int | None:
    """The id of the token for what is in no vocabulary; None where everything is."""
    said = json.loads(path.read_text(encoding="utf-8"))["model"]
    if isinstance(said.get("unk_id"), int):
        return int(said["unk_id"])
    named = said.get("unk_token")
    return tokenizer.token_to_id(named) if isinstance(named, str) else None


def _sound(text: str) -> str:
    """`text` without halves of characters, which the library refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")
