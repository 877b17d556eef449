"""The two hooks of a turn, for plugins of hosts. They always answer, and in time."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeVar

from starlette.responses import Response

from cortex.domain.scope import DEFAULT_SCOPE
from cortex.errors import EngineError
from cortex.runtime.deadline import SHARES, Deadline
from cortex.services.capture import Ingested
from cortex.services.turn_hooks import Injection, Prepared
from cortex.surfaces.http.request_context import AppState, RequestContext
from cortex.surfaces.wire.model import NOT_ARGUMENTS
from cortex.surfaces.wire.model import Response as WireResponse
from cortex.surfaces.wire.turns import AfterTurnRequest, AfterTurnResponse, BeforeTurnRequest, BeforeTurnResponse

log = logging.getLogger("cortex.http")

T = TypeVar("T")

_LATE = "deadline"

_TURNS_IN_LINE = 3
"""How many waiting turns each thread can serve in time. Further turns are refused at once."""

BEFORE = "/v1/turns/before"


async def before(context: RequestContext, request: BeforeTurnRequest) -> BeforeTurnResponse:
    """The context for this message; empty if nothing is relevant, or at the deadline."""
    tenant = context.tenant(request)
    hooks = context.state.hooks.bind(agent=tenant.agent, user=tenant.user)
    clock = context.state.engine.context.dependencies.clock
    began = clock.monotonic()
    seconds = _seconds(context.state)
    step = hooks.begin_turn()
    payload = request.model_dump(exclude=NOT_ARGUMENTS) | {"chat": request.chat_of(), "rung": step.rung}
    work = partial(context.state.recall_workers.prepare, hooks, tenant, payload, Deadline.after(clock, seconds))
    recalls = context.state.pools.recalls

    async def recalled() -> tuple[Injection, Prepared | None]:
        prepared = await recalls.run(work, seconds=seconds, patience=SHARES.queue * seconds)
        return hooks.given(prepared, ahead=not recalls.is_crowded), prepared

    done, code = await _in_time(recalled())
    found, prepared = done or (hooks.missed(code), None)
    if found:  # a synthesis for the next turn is due
        context.state.scheduler.add_tenant(tenant)
    found = replace(found, milliseconds=round((clock.monotonic() - began) * 1000, 3))
    hooks.end_turn(step, found, prepared)
    return BeforeTurnResponse.of(found)


async def after(context: RequestContext, request: AfterTurnRequest) -> AfterTurnResponse:
    """Store the new messages of the session; they are durable when this returns."""
    engine = context.engine(request)
    clock = engine.context.dependencies.clock
    began = clock.monotonic()

    if not engine.settings.hooks.auto_ingest:
        return AfterTurnResponse(skipped="auto_ingest_off")

    def take() -> Ingested:
        return engine.ingest(
            request.messages,
            session=request.session,
            scope=DEFAULT_SCOPE if request.scope is None else request.scope,
            channel=request.channel,
            trigger=request.trigger,
            share_personal=request.share_personal,
            debounce=not request.end,
            follows=0 if request.partial_history else None,
        )

    seconds = engine.settings.hooks.ingest_timeout_ms / 1000
    done, code = await _in_time(context.state.pools.ingests.run(take, seconds=seconds, writes=True))
    took = round((clock.monotonic() - began) * 1000, 3)
    if done is None:
        engine.context.dependencies.failures.count(f"after:{code}")
        return AfterTurnResponse(degraded=(code,), milliseconds=took)
    facts = done.receipt.facts
    return AfterTurnResponse(
        stored=facts["stored"],
        seen=facts["seen"],
        skipped=facts.get("reason"),
        receipt_id=done.receipt.id,
        milliseconds=took,
    )


async def _in_time(work: Awaitable[T]) -> tuple[T | None, str]:
    """The result of `work`, or None and a code: no error may reach the host's turn."""
    try:
        return await work, ""
    except EngineError as error:
        return None, _LATE if error.code == "deadline_exceeded" else error.code
    except Exception as error:
        log.error("turn: %s", type(error).__name__)
        return None, "unexpected"


def _seconds(state: AppState) -> float:
    """How long the server works on a turn, less than its deadline."""
    return SHARES.answer * state.engine.settings.hooks.deadline_ms / 1000


# --- overload ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnOverload:
    """Answers turns on overload: empty and degraded, after a delay, so that they do not retry at once."""

    state: AppState

    def delay(self, path: str) -> float | None:
        """How long to delay a turn that cannot be served in time; None if it can."""
        if path != BEFORE or not self.state.pools.recalls.is_hopeless(_TURNS_IN_LINE):
            return None
        return SHARES.queue * _seconds(self.state)

    def response(self, path: str, code: str) -> Response:
        """The empty answer to a turn."""
        if path == BEFORE:
            self.state.hooks.missed(code)
        else:
            self.state.engine.context.dependencies.failures.count(f"after:{code}")
        return Response(_degraded(path, code), media_type="application/json")


@cache
def _degraded(path: str, code: str) -> bytes:
    without = BeforeTurnResponse.of(Injection(degraded=(code,)))
    response: WireResponse = without if path == BEFORE else AfterTurnResponse(degraded=(code,))
    return json.dumps(response.to_json()).encode()
