"""Which messages are not worth a recall: greetings, thanks, emoji, heartbeats, commands (E10)."""

from __future__ import annotations

from cortex.domain.small_talk import passing_reason


def skip_reason(message: str) -> str | None:
    """Why this message needs no recall, or None when it does."""
    return passing_reason(message)
