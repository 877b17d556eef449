"""Conversations: sessions as somebody reads them, the one that was spoken in last first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.memory import Memory
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session: how much was said in it, when, and how it began."""

    session: str
    turns: int
    memories: int
    """How many memories were extracted from its turns, whatever their state."""
    first_at: datetime
    last_at: datetime
    opening: str
    """What its first turn says."""


@dataclass(frozen=True, slots=True)
class Length:
    """A session and how long it is, before anything of it is read."""

    session: str
    turns: int
    last_at: datetime


Before = tuple[datetime, str]
"""Where a page ended: the time of the last turn of its last session, and the session's name."""


def latest(known: Iterable[Length], before: Before | None, limit: int, named: str = "") -> list[Length]:
    """One page of sessions, the latest first; of those that have `named` in their name."""
    wanted = named.lower()
    rest = [
        each
        for each in known
        if (before is None or (each.last_at, each.session) < before) and wanted in each.session.lower()
    ]
    return sorted(rest, key=lambda each: (each.last_at, each.session), reverse=True)[: max(0, limit)]


def gathered(traces: Iterable[Trace], before: Before | None, limit: int, named: str = "") -> list[Conversation]:
    """A page of the conversations among all traces there are: the plain reading of what stores do by indexes."""
    turns: dict[str, list[Turn]] = {}
    memories: list[Memory] = []
    for trace in traces:
        if isinstance(trace, Turn):
            turns.setdefault(trace.session, []).append(trace)
        elif isinstance(trace, Memory) and trace.source_turns:
            memories.append(trace)
    ordered = {name: sorted(said, key=lambda turn: (turn.seq, turn.id)) for name, said in turns.items()}
    page = latest(
        (Length(name, len(said), said[-1].created_at) for name, said in ordered.items()), before, limit, named
    )
    return [_conversation(each, ordered, memories) for each in page]


def _conversation(length: Length, turns: Mapping[str, Sequence[Turn]], memories: Sequence[Memory]) -> Conversation:
    said = turns[length.session]
    ids = {turn.id for turn in said}
    extracted = sum(not ids.isdisjoint(memory.source_turns) for memory in memories)
    return Conversation(length.session, length.turns, extracted, said[0].created_at, length.last_at, said[0].text)
