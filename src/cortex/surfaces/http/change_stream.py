"""Server-sent events: the current state at once, then after every change."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.memory import Cortex
from cortex.ports.store import JobState
from cortex.services.browse import Alive
from cortex.surfaces.http.errors import RequestRefused
from cortex.surfaces.http.request_context import RequestContext
from cortex.surfaces.http.streams import Streams
from cortex.surfaces.wire.model import EmptyRequest

LOOK_SECONDS = 1.0
JUDGE_SECONDS = 30.0
"""How often degradations are checked, which is slower than the rest."""

QUIET_SECONDS = 15.0
LONGEST_SECONDS = 600.0
"""After that a stream ends and the client reconnects, so that a revoked token stops working."""

_LOOK_TIMEOUT = 10.0
_JOBS = (JobState.WAITING, JobState.RUNNING, JobState.FAILED)
State = dict[str, Any]


@dataclass(slots=True)
class _CachedState:
    """The last state of a tenant, for all its listeners."""

    listeners: int = 0
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    seen_at: float | None = None
    judged_at: float | None = None
    degraded: int = 0
    state: State = field(default_factory=dict)


class StateCache:
    """Reads the state of each tenant at most once per second, however many clients listen."""

    def __init__(self) -> None:
        self._states: dict[Tenant, _CachedState] = {}

    @contextmanager
    def listening(self, tenant: Tenant) -> Iterator[_CachedState]:
        cached = self._states.setdefault(tenant, _CachedState())
        cached.listeners += 1
        try:
            yield cached
        finally:
            cached.listeners -= 1
            if not cached.listeners:
                self._states.pop(tenant, None)

    async def look(self, cached: _CachedState, context: RequestContext, target: EmptyRequest) -> State:
        """The state, at most a second old."""
        now = context.state.engine.context.dependencies.clock.monotonic
        async with cached.looking:
            if cached.seen_at is None or now() - cached.seen_at >= 0.9 * LOOK_SECONDS:
                judged = cached.judged_at is not None and now() - cached.judged_at < JUDGE_SECONDS

                def glance(engine: Cortex) -> tuple[Alive, int]:
                    return engine.pulse(), cached.degraded if judged else len(engine.status()["degraded"])

                alive, cached.degraded = await context.call(glance, target, seconds=_LOOK_TIMEOUT)
                cached.seen_at = now()
                if not judged:
                    cached.judged_at = cached.seen_at
                cached.state = _to_json(alive, cached.degraded)
            return cached.state


def _to_json(alive: Alive, degraded: int) -> State:
    return {
        "position": alive.position,
        "total": alive.total,
        "jobs": {state.value: alive.jobs.get(state.value, 0) for state in _JOBS},
        "degraded": degraded,
        "files": {"reindexing": alive.reindexing},
    }


async def changes(context: RequestContext, target: EmptyRequest) -> Response:
    """One event at once, then one after every change."""
    states = context.state.states
    with states.listening(context.tenant(target)) as cached:
        # Once before the stream starts, so that a failure is an error response.
        await states.look(cached, context, target)
    return _Stream(context.state.streams, _events(states, context, target))


async def _events(states: StateCache, context: RequestContext, target: EmptyRequest) -> AsyncIterator[str]:
    sent: State | None = None
    quiet = passed = 0.0
    with states.listening(context.tenant(target)) as cached:
        while passed < LONGEST_SECONDS:
            state = sent or cached.state
            # Busy or locked for a moment: keep the last state.
            with suppress(EngineError, RequestRefused):
                state = await states.look(cached, context, target)
            if state and state != sent:
                sent, quiet = state, 0.0
                yield f"event: state\ndata: {json.dumps(state)}\n\n"
            elif quiet >= QUIET_SECONDS:
                quiet = 0.0
                yield ": no change\n\n"
            if await context.state.streams.ending(LOOK_SECONDS):
                return
            quiet += LOOK_SECONDS
            passed += LOOK_SECONDS


class _Stream(StreamingResponse):
    """A response that counts as an open stream."""

    def __init__(self, streams: Streams, events: AsyncIterator[str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._streams.entered():
            await super().__call__(scope, receive, send)
