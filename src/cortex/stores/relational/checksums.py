"""Checksums of rows, and the damaged rows a view left out (decision 0020)."""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

from cortex.errors import EngineError
from cortex.ports.store import Skipped
from cortex.stores.relational.codec import unpack_id

log = logging.getLogger("cortex")

T = TypeVar("T")

UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, EngineError)
"""What decoding a damaged row may raise."""


SEE_VERIFY = "run `cortex admin verify`: it says what is damaged, and what can be done"


class WrongChecksum(ValueError):
    """A row is not what was written."""


class Summed(NamedTuple):
    """What the checksum of a table's rows covers, and what names a row."""

    content: str
    about: tuple[str, ...]
    key: tuple[str, ...]


SUMMED: Mapping[str, Summed] = {
    "users": Summed("name", (), ("id",)),
    "traces": Summed("body", ("facet",), ("row",)),
    "versions": Summed("body", ("facet",), ("row", "since")),
    "receipts": Summed("body", ("user", "query"), ("id",)),
    "sessions": Summed("state", ("user", "session"), ("user", "session")),
    "jobs": Summed("payload", ("user", "kind", "key"), ("id",)),
    "spaces": Summed("centre", ("user", "key", "dimension"), ("id",)),
    "vectors": Summed("vector", ("space", "row", "passage"), ("key",)),
}


def checksum(content: str | bytes | None, *about: object) -> int:
    """The CRC-32 of a row's content and of what it is about."""
    return crc32(content.encode("utf-8", "replace") if isinstance(content, str) else content or b"", _seed(*about))


@functools.lru_cache(maxsize=4_096, typed=True)  # of traces there are few: one for each facet
def _seed(*about: object) -> int:
    return crc32("\x1f".join(map(_plain, about)).encode("utf-8", "replace"))


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def check(expected: int | None, content: object, *about: object) -> None:
    """Refuse a row that is not what was written; one that is older than checksums passes."""
    if not isinstance(content, str | bytes):
        raise WrongChecksum
    if expected is not None and checksum(content, *about) != expected:
        raise WrongChecksum


def fields(body: object, expected: int | None, facet: int) -> dict[str, Any] | None:
    """What the body of a trace says; None where it is damaged."""
    try:
        check(expected, body, facet)
        found = json.loads(body)  # type: ignore[arg-type]  # checked right above
        return found if isinstance(found, dict) and isinstance(found.get("text"), str) else None
    except UNREADABLE:
        return None


class Skips:
    """The damaged rows a view has met."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Skipped] = {}

    def reading(self, table: str, key: object, read: Callable[..., T], *values: object) -> T | None:
        """What a row says; None where it is damaged, which is logged by its id and never by its text."""
        try:
            return read(*values)
        except UNREADABLE as error:
            self.add(table, key, type(error).__name__)
            return None

    def add(self, table: str, key: object, why: str) -> None:
        skipped = Skipped(table, key_name(key))
        if (table, skipped.key) not in self.rows:
            self.rows[table, skipped.key] = skipped
            log.warning("skipped a damaged row: %s %s (%s)", table, skipped.key, why)


def key_name(key: object) -> str:
    return str(unpack_id(key)) if isinstance(key, bytes) else str(key)
