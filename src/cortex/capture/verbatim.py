"""Capture without reading: a message that matched a trigger is remembered as it stands, in its own words (L4)."""

from __future__ import annotations

from cortex.capture.candidate import Candidate
from cortex.capture.policies import detected_category
from cortex.domain.ownership import own_words
from cortex.domain.turn import Turn


def candidates(turn: Turn) -> list[Candidate]:
    """The whole message without what is somebody else's, under one of the five categories (L2)."""
    said = own_words(turn.text, turn.speaker).strip()
    if not said:
        return []
    return [
        Candidate(
            text=said,
            kind=detected_category(said),
            confidence=1.0,
            source_turns=(turn.id,),
            found_by="whole message",
        )
    ]
