"""The ledger: every change leaves an event, and each event seals the one before it.

An event holds a commitment to what was written, not the text. The commitment is salted, so that a
short text cannot be guessed back from it once the text and its salt have been erased.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

GENESIS = "0" * 64

UNNOTED = timedelta(minutes=1)
"""Writers queue, and a long history takes seconds to read: a shorter step back looks like such a wait."""


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
    CLOCK_SET_BACK = "clock_set_back"
    """The subject is the time the clock then showed; its own time is that of the event before it."""
    DAMAGED = "damaged"
    """A row that was found damaged was moved to the quarantine table."""


@dataclass(frozen=True, slots=True)
class Event:
    """One link of the chain. `position` counts from 1 without gaps, and `at` never goes back."""

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


@dataclass(frozen=True, slots=True)
class Lag:
    """What the clock showed at the last change it was behind the ledger at, and where the ledger stood then."""

    ledger: datetime
    clock: datetime


def lag(clock: datetime, ledger: datetime | None, last: Lag | None) -> tuple[Lag | None, bool]:
    """How far `clock` is behind the last event, if it is, and whether it was set back since the last change.

    While the clock catches up, the ledger stands still: `last` tells that this step was noted already.
    """
    if ledger is None or clock >= ledger - UNNOTED:
        return None, False
    seen = last.clock if last is not None and last.ledger == ledger else ledger
    stepped = clock < seen - UNNOTED
    return Lag(ledger, clock if stepped else max(clock, seen)), stepped
