"""Capture without reading: a message that matched a trigger is remembered as it stands (L4)."""

from __future__ import annotations

from cortex.capture.candidate import Candidate
from cortex.capture.policies import detected_category
from cortex.domain.turn import Turn


def candidates(turn: Turn) -> list[Candidate]:
    """The whole message, under one of the five categories (L2)."""
    return [
        Candidate(
            text=turn.text.strip(),
            kind=detected_category(turn.text),
            confidence=1.0,
            source_turns=(turn.id,),
            found_by="whole message",
        )
    ]
