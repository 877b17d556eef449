"""Statements that a person rejected: salted marks of what was said, by which capture knows it when it is said again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from cortex.domain.erasure import mark
from cortex.domain.memory import Memory
from cortex.domain.text_similarity import read
from cortex.domain.trust import SourceKind, TrustTier

REJECTED = "#rejected"
"""The session in whose state the marks of a user are kept: dumps, backups and erasures treat it as any other."""

MARKS = "marks"
"""The part of that state that holds them, with their salt."""

MOST_MARKS = 5_000
"""How many are kept, the latest."""

_READ = 4_000
"""How much of a text is compared by its words; what follows has to be the same to the letter."""


class Rejections:
    """The marks of one user. They tell whether a statement was rejected, and nothing about what it said."""

    __slots__ = ("_marks", "_salt")

    def __init__(self, state: Mapping[str, Any] | None) -> None:
        part = (state or {}).get(MARKS)
        payload = part if isinstance(part, Mapping) else {}
        salt, marks = payload.get("salt"), payload.get("marks")
        self._salt = salt if isinstance(salt, str) else ""
        self._marks = tuple(each for each in marks if isinstance(each, str)) if isinstance(marks, list) else ()

    def __bool__(self) -> bool:
        return bool(self._marks)

    def has(self, text: str) -> bool:
        """Whether the statement of `text` was rejected."""
        return bool(self._marks) and mark(statement_digest(text), self._salt) in self._marks

    def held_back(self, memory: Memory) -> Memory:
        """The memory, quarantined if it was rejected before and nobody but the operator may say it again."""
        if memory.source_kind is SourceKind.OPERATOR or not self.has(memory.text):
            return memory
        return memory.revised(trust=TrustTier.QUARANTINED)

    def marks_of(self, texts: Iterable[str], salt: str) -> list[str]:
        """The marks of these statements, made with the salt there is, or else with this one."""
        return [mark(statement_digest(text), self._salt or salt) for text in dict.fromkeys(texts)]

    def changed(self, added: Iterable[str], dropped: Iterable[str], salt: str) -> dict[str, Any] | None:
        """The part of the state with these marks and without those; None where nothing changes."""
        gone, new = frozenset(dropped), list(dict.fromkeys(added))
        kept = [each for each in self._marks if each not in gone and each not in new]
        marks = [*kept, *(each for each in new if each not in gone)][-MOST_MARKS:]
        return None if tuple(marks) == self._marks else {"salt": self._salt or salt, "marks": marks}


def statement_digest(text: str) -> str:
    """Stands for what a statement says: the same for other forms, spaces and order of the same words."""
    compared = read(text)
    words = list(compared.order) if compared.directed else sorted(set(compared.order))
    said = [
        words, compared.bare, list(compared.numbers), sorted(compared.dates), sorted(compared.names),
        sorted(compared.persons), sorted(compared.limits), compared.denies, text[_READ:],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()
