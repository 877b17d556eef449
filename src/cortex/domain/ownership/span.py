"""A stretch of a message, whose words it holds, and what tells that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Place = tuple[int, int]


class Owner(StrEnum):
    """Whose words they are."""

    OWN = "own"
    QUOTED = "quoted"
    PASTED = "pasted"
    OTHER_SPEAKER = "other_speaker"
    FICTION = "fiction"


class OwnershipReason(StrEnum):
    """What tells that words are not the speaker's own."""

    FENCE = "fence"
    TAG = "tag"
    QUOTED_LINES = "quoted_lines"
    FORWARDED = "forwarded"
    MAIL = "mail"
    REQUEST = "request"
    FRAME = "frame"
    QUOTATION = "quotation"
    RECEIVED = "received"
    SAID_BY_OTHERS = "said_by_others"
    TRANSCRIPT = "transcript"
    PLAY = "play"
    GUEST = "guest"
    ASSISTANT = "assistant"
    ANNOUNCED = "announced"
    HAND_OVER = "hand_over"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a message and whose words it holds."""

    start: int
    stop: int
    owner: Owner
    reason: OwnershipReason | None = None
    is_code: bool = False
    is_sure: bool = True
    """Words that are only doubtful are not extracted as the user's, but no label says so."""
