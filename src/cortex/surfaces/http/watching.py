"""Server-sent events: how it stands, told at once and whenever that changes."""

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
from cortex.surfaces.http.errors import Refused
from cortex.surfaces.http.request_context import RequestContext
from cortex.surfaces.http.streams import Streams
from cortex.surfaces.wire.model import EmptyRequest

LOOK_SECONDS = 1.0
JUDGE_SECONDS = 30.0
"""How often it is asked what is degraded, which takes longer than a glance."""

QUIET_SECONDS = 15.0
LONGEST_SECONDS = 600.0
"""After that a stream ends and its listener asks again, so that nobody listens for ever with a token long revoked."""

_LOOK_TIMEOUT = 10.0
_JOBS = (JobState.WAITING, JobState.RUNNING, JobState.FAILED)
State = dict[str, Any]


@dataclass(slots=True)
class _Beat:
    """What was last seen of a tenant, for all who listen to it."""

    listeners: int = 0
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    seen_at: float | None = None
    judged_at: float | None = None
    degraded: int = 0
    state: State = field(default_factory=dict)


class Pulses:
    """Looks at each tenant once a second at most, however many listen."""

    def __init__(self) -> None:
        self._beats: dict[Tenant, _Beat] = {}

    @contextmanager
    def listening(self, tenant: Tenant) -> Iterator[_Beat]:
        beat = self._beats.setdefault(tenant, _Beat())
        beat.listeners += 1
        try:
            yield beat
        finally:
            beat.listeners -= 1
            if not beat.listeners:
                self._beats.pop(tenant, None)

    async def look(self, beat: _Beat, context: RequestContext, whose: EmptyRequest) -> State:
        """How it stands, no older than a second."""
        now = context.state.engine.context.dependencies.clock.monotonic
        async with beat.looking:
            if beat.seen_at is None or now() - beat.seen_at >= 0.9 * LOOK_SECONDS:
                judged = beat.judged_at is not None and now() - beat.judged_at < JUDGE_SECONDS

                def glance(engine: Cortex) -> tuple[Alive, int]:
                    return engine.pulse(), beat.degraded if judged else len(engine.status()["degraded"])

                alive, beat.degraded = await context.call(glance, whose, seconds=_LOOK_TIMEOUT)
                beat.seen_at = now()
                if not judged:
                    beat.judged_at = beat.seen_at
                beat.state = _told(alive, beat.degraded)
            return beat.state


def _told(alive: Alive, degraded: int) -> State:
    return {
        "position": alive.position,
        "total": alive.total,
        "jobs": {state.value: alive.jobs.get(state.value, 0) for state in _JOBS},
        "degraded": degraded,
        "files": {"reindexing": alive.reindexing},
    }


async def changes(context: RequestContext, whose: EmptyRequest) -> Response:
    """One event at once, then one whenever something changed."""
    pulses = context.state.pulses
    with pulses.listening(context.tenant(whose)) as beat:
        # Once before the stream begins: what cannot be told at all is told as an error.
        await pulses.look(beat, context, whose)
    return _Stream(context.state.streams, _events(pulses, context, whose))


async def _events(pulses: Pulses, context: RequestContext, whose: EmptyRequest) -> AsyncIterator[str]:
    told: State | None = None
    quiet = passed = 0.0
    with pulses.listening(context.tenant(whose)) as beat:
        while passed < LONGEST_SECONDS:
            state = told or beat.state
            # Busy or locked for a moment: what was seen last still stands.
            with suppress(EngineError, Refused):
                state = await pulses.look(beat, context, whose)
            if state and state != told:
                told, quiet = state, 0.0
                yield f"event: state\ndata: {json.dumps(state)}\n\n"
            elif quiet >= QUIET_SECONDS:
                quiet = 0.0
                yield ": nothing new\n\n"
            if await context.state.streams.ending(LOOK_SECONDS):
                return
            quiet += LOOK_SECONDS
            passed += LOOK_SECONDS


class _Stream(StreamingResponse):
    """A response that takes a place among the streams for as long as it is sent."""

    def __init__(self, streams: Streams, events: AsyncIterator[str]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._streams.entered():
            await super().__call__(scope, receive, send)
