"""The patterns of all languages that show whose words a text holds."""

from __future__ import annotations

from cortex.languages import OWNERSHIP


def alternatives(*fields: str, spaced: bool) -> str:
    """The alternatives of some fields, of all languages with spaces or of all without."""
    tables = [words for words in OWNERSHIP.values() if words.spaced is spaced]
    return "|".join(filter(None, (getattr(words, field) for words in tables for field in fields))) or "(?!)"


def bounded(*fields: str) -> str:
    """The words of some fields in the languages with spaces, as a pattern."""
    return rf"\b(?:{alternatives(*fields, spaced=True)})\b"


def either(*fields: str) -> str:
    """One pattern of some fields in all languages."""
    return rf"(?:{bounded(*fields)}|{alternatives(*fields, spaced=False)})"
