"""Cortex as the memory service of Google's Agent Development Kit: `Runner(memory_service=CortexMemoryService(…))`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from cortex.domain.hits import Hit
from cortex.domain.text import escaped
from cortex.domain.trace import parse_time
from cortex.domain.trust import SourceKind
from cortex.domain.turn import Turn
from cortex.errors import DeadlineExceeded
from cortex.integrations.framework_turns import FrameworkTurn, FrameworkTurns, Said
from cortex.integrations.packages import required
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks

with required("google-adk"):
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai import types

LIMIT = 10
"""How many memories a search returns."""


class CortexMemoryService(BaseMemoryService):
    """Stores sessions and events, and finds what is relevant to a query. Only `delete_memory` raises errors.

    The app is the agent, its user the user, its session the session. `agent`, `user` and `session` override this,
    each with a name or a function of the framework's own `(app, user, session)`. A search that takes longer than
    `timeout` seconds finds nothing.
    """

    def __init__(self, memory: Cortex, *, timeout: float = 2.0, **options: Any) -> None:
        self._turns = FrameworkTurns("google-adk", memory, **options)
        self._recalled_by = {name: options.get(name) for name in ("scope", "project", "recipe")}
        self._memory = memory
        self._timeout = timeout

    @property
    def hooks(self) -> TurnHooks:
        """The hooks it uses."""
        return self._turns.hooks

    async def add_session_to_memory(self, session: Session) -> None:
        """Store a session. It may be added again, with more events: what is stored already is not stored twice."""
        await self._add(session.app_name, session.user_id, session.id, session.events, end=True)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store some events of a session."""
        await self._add(app_name, user_id, session_id or "events", events, partial_history=True)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember each entry. What is known already is counted once more, and a changed value replaces the old one."""
        with self._turns.caught("add_memory"):
            await asyncio.to_thread(_remember, self._memory_of(app_name, user_id), memories)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What is remembered that bears on a query, best first; its text is escaped, to be shown as data."""
        with self._turns.caught("search_memory"):
            return await self._search(app_name, user_id, query)
        return SearchMemoryResponse()

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget a memory or turn that a search returned."""
        if memory_id:
            await asyncio.to_thread(self._memory_of(app_name, user_id).forget, memory_id)

    async def _add(
        self, app_name: str, user_id: str, session_id: str, events: Sequence[Event], **options: bool
    ) -> None:
        self._turns.capture(partial(_turn, app_name, user_id, session_id, events), **options)
        await asyncio.to_thread(self.hooks.flush)

    async def _search(self, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        memory = self._memory_of(app_name, user_id)
        looking = asyncio.to_thread(partial(memory.recall, query, limit=LIMIT, **self._recalled_by))
        try:
            found = await asyncio.wait_for(looking, self._timeout)
        except TimeoutError as error:
            raise DeadlineExceeded(f"a search took longer than {self._timeout} s") from error
        return SearchMemoryResponse(memories=[_entry(hit) for hit in found.hits])

    def _memory_of(self, app_name: str, user_id: str) -> Cortex:
        turn = self._turns.named(_turn(app_name, user_id, None))
        return self._memory.bind(agent=turn.agent, user=turn.user)


def _turn(app_name: str, user_id: str, session_id: str | None, events: Sequence[Event] = ()) -> FrameworkTurn:
    return FrameworkTurn(
        session=session_id,
        user=user_id,
        agent=app_name,
        messages=[message for event in events for message in _said(event)],
        run=(app_name, user_id, session_id),
    )


def _said(event: Event) -> Iterator[Said]:
    if event.partial or not event.content:
        return
    parts = event.content.parts or []
    results = [str(part.function_response.response) for part in parts if part.function_response]
    text = "\n".join(part.text for part in parts if part.text and not part.thought)
    about = {"id": event.id, "timestamp": event.timestamp}
    yield {"role": "tool", "content": "\n".join(results), **about}
    yield {"role": "user" if event.author == "user" else "assistant", "content": text, **about}


def _remember(memory: Cortex, entries: Sequence[MemoryEntry]) -> None:
    for entry in entries:
        text = "\n".join(part.text for part in entry.content.parts or [] if part.text)
        source = SourceKind.USER if entry.author == "user" else SourceKind.ASSISTANT
        if text.strip():
            memory.remember(text, source_kind=source, created_at=_time(entry.timestamp))


def _time(timestamp: str | None) -> datetime | None:
    """When an entry says it happened; what is no time is left out."""
    try:
        return parse_time(timestamp) if timestamp else None
    except ValueError:
        return None


def _entry(hit: Hit) -> MemoryEntry:
    trace = hit.trace
    return MemoryEntry(
        id=trace.id,
        content=types.Content(role="user", parts=[types.Part(text=escaped(hit.excerpt or trace.text))]),
        author=trace.role.value if isinstance(trace, Turn) else "memory",
        timestamp=trace.created_at.isoformat(),
        custom_metadata={"trust": trace.trust.value, "score": hit.score},
    )
