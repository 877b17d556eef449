"""Ids. UUIDv7, so that ids sort by the time they were made; where they come from is handed in."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from datetime import datetime
from typing import NewType

from cortex.errors import InvalidRequest

TraceId = NewType("TraceId", str)
"""Names one memory, turn or chunk."""

ReceiptId = NewType("ReceiptId", str)

IdSource = Callable[[datetime], str]
"""Gives a fresh id for something that happens at the given time."""

_VARIANT = {digit: "89ab"[int(digit, 16) & 0b11] for digit in "0123456789abcdef"}
"""The digit of a UUID that has its variant in the upper two bits, by what the lower two say."""

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHOWN_CHARS = 48


class Uuid7Source:
    """Fresh UUIDv7 ids, rising even within one millisecond and when the clock steps back."""

    def __init__(self, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._entropy = entropy
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self, at: datetime) -> str:
        milliseconds = int(at.timestamp() * 1000)
        with self._lock:
            # 48 bits of milliseconds followed by 74 random bits; within one millisecond they count upwards.
            value = self._last + 1
            if milliseconds > value >> 74:
                value = milliseconds << 74 | int.from_bytes(self._entropy(10), "big") >> 6
            self._last = value
        return format_uuid7(value >> 74, value & ((1 << 74) - 1))


def format_uuid7(milliseconds: int, random74: int) -> str:
    """The text of the UUIDv7 with these 48 bits of time and 74 bits of randomness."""
    high, low = random74 >> 62, random74 & ((1 << 62) - 1)
    digits = f"{(milliseconds & ((1 << 48) - 1)) << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def id_of_key(key: bytes) -> TraceId:
    """The id that always belongs to these 16 bytes: a UUIDv8, which is in no order of time."""
    digits = key.hex()
    return TraceId(f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{_VARIANT[digits[16]]}{digits[17:20]}-{digits[20:]}")


def is_id(text: str) -> bool:
    """Whether `text` is written as ids are."""
    return _UUID.fullmatch(text) is not None


def checked_id(text: str, *, field: str = "id") -> TraceId:
    """`text` as an id, or an error that says what an id looks like."""
    folded = text.strip().lower() if isinstance(text, str) else ""
    if not _UUID.fullmatch(folded):
        given = text if isinstance(text, str) else type(text).__name__
        shown = given if len(given) <= _SHOWN_CHARS else f"{given[: _SHOWN_CHARS - 1]}…"
        hint = "give all 36 characters, as printed by `cortex list`"
        raise InvalidRequest(f"{shown!r} is not an ID", field=field, hint=hint)
    return TraceId(folded)
