"""What time ends: memories past their time to live, and memories of a session nobody came back to (X6, X16)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE, State
from cortex.domain.memory import Memory, Retention
from cortex.domain.trace import Trace
from cortex.domain.turn import MOST_OF, Turn
from cortex.lifecycle.plan import Planned
from cortex.ports.store import Put

TTL_PAST = "ttl_past"
SESSION_IDLE = "session_idle"

NO_TURNS: Mapping[TraceId, Turn] = {}

_REASONS = {Retention.TTL: TTL_PAST, Retention.SESSION: SESSION_IDLE}


def plan(
    memories: Iterable[Memory],
    now: datetime,
    *,
    retention: Retention = Retention.TTL,
    turns: Mapping[TraceId, Turn] = NO_TURNS,
) -> list[Planned]:
    """The memories of one retention whose time is over, each to be hidden from recall with its history kept.

    With them go those of their source `turns` that say little else: they stay evidence, and leave recall.
    """
    return [_expired(memory, turns) for memory in ended(memories, now) if memory.retention is retention]


def ended(memories: Iterable[Memory], now: datetime) -> list[Memory]:
    """The memories whose retention has run out."""
    return [each for each in memories if each.state in SEARCHABLE and not each.is_alive(now)]


def plan_turns(turns: Iterable[Turn], now: datetime) -> list[Planned]:
    """The turns all of which is over, whether anything was extracted from them or not."""
    over = (turn for turn in turns if turn.state in SEARCHABLE and not turn.is_alive(now))
    return [Planned((Put(turn.revised(state=State.EXPIRED), EventKind.EXPIRED),), TTL_PAST, (turn,)) for turn in over]


def _expired(memory: Memory, turns: Mapping[TraceId, Turn]) -> Planned:
    sources = [turns[id] for id in memory.source_turns if id in turns]
    over = [turn for turn in sources if turn.state in SEARCHABLE and len(memory.text) >= MOST_OF * len(turn.text)]
    gone: list[Trace] = [memory.revised(state=State.EXPIRED)]
    gone += [turn.revised(state=State.EXPIRED) for turn in over]
    return Planned(tuple(Put(each, EventKind.EXPIRED) for each in gone), _REASONS[memory.retention], (memory,))
