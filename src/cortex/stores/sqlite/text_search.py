"""Whether the text of a trace has some words in it: SQL asks it of Python, as SQLite knows only ASCII."""

from __future__ import annotations

import json
import sqlite3
from functools import lru_cache

from cortex.domain.text import folded

CONTAINS = "says(CAST(t.body AS BLOB), ?)"
"""As a blob: a text that is no UTF-8 cannot be handed to a function."""


def install(connection: sqlite3.Connection) -> None:
    connection.create_function("says", 2, _says, deterministic=True)


def _says(body: bytes, words: str) -> bool:
    fields = body.decode("utf-8", "replace")
    # Most traces are not decoded: what is not in any of the fields is not in the text.
    if _written(words) not in folded(fields):
        return False
    try:
        return words in folded(json.loads(fields)["text"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return False  # it is damaged


@lru_cache(maxsize=64)
def _written(words: str) -> str:
    """The words as a body has them."""
    return json.dumps(words, ensure_ascii=False)[1:-1]
