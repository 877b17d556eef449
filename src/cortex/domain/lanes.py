"""Lanes of the one index, and the states a trace passes through."""

from __future__ import annotations

from enum import StrEnum


class Lane(StrEnum):
    """Where a trace lives: what kind of truth it is."""

    MEMORIES = "memories"
    NOTES = "notes"
    DOCS = "docs"
    SESSIONS = "sessions"
    OUTCOMES = "outcomes"
    """Events of tools, decisions and alerts: a record, never searched unless the lane is named."""


class State(StrEnum):
    """Active and superseded traces are found by recall; the others only by history and as-of."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"


DEFAULT_LANES = frozenset(Lane) - {Lane.OUTCOMES}
"""What is listed and embedded where no lane is named."""

ANY_STATE = frozenset(State)

SEARCHABLE = frozenset({State.ACTIVE, State.SUPERSEDED})
