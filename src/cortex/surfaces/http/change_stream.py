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
"""How often the state is read where no signal says that it has changed."""

GATHER_SECONDS = 0.25
"""How long a signal waits for others: under load the state is read four times a second."""

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
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the next signal, which puts another one in its place."""
    is_stale: bool = False
    seen_at: float | None = None
    judged_at: float | None = None
    degraded: int = 0
    state: State = field(default_factory=dict)


class StateCache:
    """Reads the state of each tenant once per second and after signals, however many clients listen."""

    def __init__(self) -> None:
        self._states: dict[Tenant, _CachedState] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def signal(self) -> None:
        """Something has changed, of whomever. Any thread may call it."""
        if self._states and self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for cached in self._states.values():
            cached.is_stale = True
            cached.changed.set()
            cached.changed = asyncio.Event()

    @contextmanager
    def listening(self, tenant: Tenant) -> Iterator[_CachedState]:
        self._loop = asyncio.get_running_loop()
        cached = self._states.setdefault(tenant, _CachedState())
        cached.listeners += 1
        try:
            yield cached
        finally:
            cached.listeners -= 1
            if not cached.listeners:
                self._states.pop(tenant, None)

    async def look(self, cached: _CachedState, context: RequestContext, target: EmptyRequest) -> State:
        """The state, at most a second old, and as new as the last signal."""
        now = context.state.engine.context.dependencies.clock.monotonic
        async with cached.looking:
            if cached.is_stale or cached.seen_at is None or now() - cached.seen_at >= 0.9 * LOOK_SECONDS:
                cached.is_stale = False
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
    time, streams = asyncio.get_running_loop().time, context.state.streams
    began = spoken = time()
    with states.listening(context.tenant(target)) as cached:
        while time() - began < LONGEST_SECONDS:
            state, changed = sent or cached.state, cached.changed
            # Busy or locked for a moment: keep the last state.
            with suppress(EngineError, RequestRefused):
                state = await states.look(cached, context, target)
            if state and state != sent:
                sent, spoken = state, time()
                yield f"event: state\ndata: {json.dumps(state)}\n\n"
            elif time() - spoken >= QUIET_SECONDS:
                spoken = time()
                yield ": no change\n\n"
            if await streams.ending(LOOK_SECONDS, or_else=changed):
                return
            if changed.is_set() and await streams.ending(GATHER_SECONDS):
                return


class _Stream(StreamingResponse):
    """A response that counts as an open stream."""

    def __init__(self, streams: Streams, events: AsyncIterator[str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._streams.entered():
            await super().__call__(scope, receive, send)
