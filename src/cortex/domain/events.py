"""The ledger of a tenant: every change leaves an event, and each event seals the one before it.

An event holds a commitment to what was written, not the text. The commitment is salted, so that a
short text cannot be guessed back from it once the text and its salt have been erased.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from json.encoder import encode_basestring_ascii

GENESIS = "0" * 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

UNNOTED = timedelta(minutes=1)
"""Writers queue, and a long history takes seconds to read: a shorter step back looks like such a wait."""


quoted = encode_basestring_ascii
"""A text as a seal has it."""


class EventKind(StrEnum):
    REMEMBERED = "remembered"
    SAID = "said"
    CHUNKED = "chunked"
    OBSERVED = "observed"
    """An event of a tool, a decision or an alert was ingested."""
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
    GRADED = "graded"
    """A grader annotated a memory, which says the same as before."""
    REVIEWED = "reviewed"
    """A person decided an inbox item about it; the receipt that caused the event says what."""
    CLOCK_SET_BACK = "clock_set_back"
    """The subject is the time the clock then showed; its own time is that of the event before it."""
    BACKUP_RESTORED = "backup_restored"
    """A backup replaced the store; the subject is its name. What was written between the two is gone."""
    HELD = "held"
    """A hold was placed; the subject is its name."""
    RELEASED = "released"
    """A hold was released."""
    DAMAGED = "damaged"
    """A row that was found damaged was moved to the quarantine table."""


@dataclass(frozen=True, slots=True)
class Event:
    """One link of a tenant's chain. `position` counts from 1 without gaps, and `at` never goes back.

    In a file that was begun with one chain for all users, the events of then keep their positions, with gaps.
    """

    position: int
    at: datetime
    kind: EventKind
    subject: str
    commitment: str
    seal: str
    actor: str = ""
    """Who made the change: a token's id, `cli`, `scheduler`, a host, …; empty where that is unknown."""
    cause: str = ""
    """The id of the receipt of the operation that made it; empty where that is unknown."""


@dataclass(frozen=True, slots=True)
class EventCount:
    """How many events of one kind there were on one day (UTC)."""

    day: date
    kind: EventKind
    number: int


def commit(salt: bytes, content: str) -> str:
    """A salted commitment to `content`."""
    return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), key=salt, digest_size=32).hexdigest()


def seal(
    previous: str, position: int, at: str, kind: str, subject: str, commitment: str, actor: str = "", cause: str = ""
) -> str:
    """The seal of an event: it fixes the event and everything before it in its tenant's chain."""
    by = f"{quoted(actor)}, {quoted(cause)}"
    return seal_quoted(quoted(previous), position, quoted(at), quoted(kind), quoted(subject), quoted(commitment), by)


def seal_quoted(previous: str, position: int, at: str, kind: str, subject: str, commitment: str, by: str) -> str:
    """`seal`, of what is quoted already; `by` is the actor and the cause. Many events share most of it."""
    # As `json.dumps` writes the list of these, in a third of the time: every change of anything has a seal.
    content = f'["event.2", {previous}, {position}, {at}, {kind}, {subject}, {commitment}, {by}]'
    return hashlib.sha256(content.encode()).hexdigest()


def common_seal(previous: str, position: int, at: str, kind: str, subject: str, commitment: str) -> str:
    """The seal of an event from when all users of an agent had one chain. What it fixes begins with another seal."""
    return hashlib.sha256(f"{previous}|{position}|{at}|{kind}|{subject}|{commitment}".encode()).hexdigest()


def time_in_seal(at: datetime) -> str:
    """The time of an event as its seal has it: in microseconds."""
    return str((at - _EPOCH) // timedelta(microseconds=1))


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
