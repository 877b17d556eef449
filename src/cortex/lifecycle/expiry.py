"""What time ends: memories past their time to live, and memories of a session nobody came back to (X6, X16)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from cortex.domain.events import EventKind
from cortex.domain.lanes import SEARCHABLE, State
from cortex.domain.memory import Memory, Retention
from cortex.lifecycle.planned import Planned
from cortex.ports.store import Put

TTL_PAST = "ttl_past"
SESSION_IDLE = "session_idle"

_REASONS = {Retention.TTL: TTL_PAST, Retention.SESSION: SESSION_IDLE}


def plan(memories: Iterable[Memory], now: datetime, *, retention: Retention = Retention.TTL) -> list[Planned]:
    """The memories of one retention whose time is over, each to be hidden from recall with its history kept."""
    ended = (each for each in memories if each.retention is retention and each.state in SEARCHABLE)
    return [_expired(memory) for memory in ended if not memory.is_alive(now)]


def _expired(memory: Memory) -> Planned:
    change = Put(memory.revised(state=State.EXPIRED), EventKind.EXPIRED)
    return Planned((change,), _REASONS[memory.retention], (memory,))
