"""The ledger: every change leaves an event, and each event seals the one before it.

An event holds a commitment to what was written, not the text. The commitment is salted, so that a
short text cannot be guessed back from it once the text and its salt have been erased.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

GENESIS = "0" * 64


class EventKind(StrEnum):
    REMEMBERED = "remembered"
    SAID = "said"
    CHUNKED = "chunked"
    REVISED = "revised"
    SUPERSEDED = "superseded"
    REINFORCED = "reinforced"
    CONTRADICTED = "contradicted"
    CONSOLIDATED = "consolidated"
    OUTDATED = "outdated"
    WITHDRAWN = "withdrawn"
    FORGOTTEN = "forgotten"
    RESTORED = "restored"
    EXPIRED = "expired"
    IMPORTED = "imported"
    REMOVED = "removed"
    ERASED = "erased"
    EMBEDDED = "embedded"
    RECALLED = "recalled"


@dataclass(frozen=True, slots=True)
class Event:
    """One link of the chain. `position` counts from 1 without gaps."""

    position: int
    at: datetime
    kind: EventKind
    subject: str
    commitment: str
    seal: str


def commit(salt: bytes, content: str) -> str:
    """A salted commitment to `content`."""
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), key=salt, digest_size=32).hexdigest()


def seal(previous: str, position: int, at: str, kind: str, subject: str, commitment: str) -> str:
    """The seal of an event: it fixes the event and everything before it."""
    return hashlib.sha256(f"{previous}|{position}|{at}|{kind}|{subject}|{commitment}".encode()).hexdigest()
