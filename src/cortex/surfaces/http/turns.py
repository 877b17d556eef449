"""The two hooks of a turn: all that the plugin of a host needs. They answer whatever happens, and in time."""

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
from cortex.ports.clock import Deadline
from cortex.services.capture import Ingested
from cortex.services.turn_hooks import Injection
from cortex.surfaces.http.request_context import AppState, RequestContext
from cortex.surfaces.wire.model import Response as WireResponse
from cortex.surfaces.wire.turns import AfterTurnRequest, AfterTurnResponse, BeforeTurnRequest, BeforeTurnResponse

log = logging.getLogger("cortex.http")

T = TypeVar("T")

_LATE = "deadline"

_ANSWER_SHARE = 0.75
"""How much of a turn's deadline may be over when it is answered."""

_PATIENCE = 0.65
"""How much of that it may stand in line: what is begun later would be late."""

_TURNS_IN_LINE = 3
"""How many recalls each place can do while somebody is patient. Who finds more before them does not join the line."""

BEFORE = "/v1/turns/before"


async def before(context: RequestContext, asked: BeforeTurnRequest) -> BeforeTurnResponse:
    """What to put before the model for this message; empty where nothing is relevant, or at the deadline."""
    tenant = context.tenant(asked)
    hooks = context.state.hooks.bind(agent=tenant.agent, user=tenant.user)
    clock = context.state.engine.context.dependencies.clock
    began = clock.monotonic()
    seconds = _seconds(context.state)
    told = asked.model_dump(exclude={"agent", "user"})
    work = partial(context.state.recallers.prepare, hooks, tenant, told, Deadline.after(clock, seconds))
    recalls = context.state.lanes.recalls

    async def recalled() -> Injection:
        prepared = await recalls.run(work, seconds=seconds, patience=_PATIENCE * seconds)
        return hooks.given(prepared, ahead=not recalls.is_crowded)

    found, trouble = await _in_time(recalled())
    if found is None:
        found = hooks.missed(trouble)
    if found:  # a synthesis for the next turn is to be made
        context.state.caretaker.meet(tenant)
    took = round((clock.monotonic() - began) * 1000, 3)
    return BeforeTurnResponse.of(replace(found, milliseconds=took))


async def after(context: RequestContext, asked: AfterTurnRequest) -> AfterTurnResponse:
    """Store what is new of the session, durably before this answers. Nobody has to wait for the answer."""
    engine = context.engine(asked)
    clock = engine.context.dependencies.clock
    began = clock.monotonic()

    def take() -> Ingested:
        # What was injected has to be on record before the reply that may repeat it is read.
        engine.flush()
        return engine.ingest(
            asked.messages,
            session=asked.session,
            scope=DEFAULT_SCOPE if asked.scope is None else asked.scope,
            channel=asked.channel,
            trigger=asked.trigger,
        )

    seconds = engine.settings.hooks.ingest_timeout_ms / 1000
    done, trouble = await _in_time(context.state.lanes.ingests.run(take, seconds=seconds, writes=True))
    took = round((clock.monotonic() - began) * 1000, 3)
    if done is None:
        engine.context.dependencies.failures.count(f"after:{trouble}")
        return AfterTurnResponse(degraded=(trouble,), milliseconds=took)
    facts = done.receipt.facts
    return AfterTurnResponse(
        stored=facts["stored"],
        seen=facts["seen"],
        skipped=facts.get("reason"),
        receipt_id=done.receipt.id,
        milliseconds=took,
    )


async def _in_time(work: Awaitable[T]) -> tuple[T | None, str]:
    """What `work` gives, or None and why not: an error must not reach the turn of the host."""
    try:
        return await work, ""
    except EngineError as error:
        return None, _LATE if error.code == "deadline_exceeded" else error.code
    except Exception as error:
        log.error("turn: %s", type(error).__name__)
        return None, "unexpected"


def _seconds(served: AppState) -> float:
    """How long a turn is waited for: the answer has a way to go as well."""
    return _ANSWER_SHARE * served.engine.settings.hooks.deadline_ms / 1000


# --- where there is no place for a turn -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Overflow:
    """What becomes of turns that find the server full: they are told so, late enough not to come again at once."""

    served: AppState

    def wait(self, path: str) -> float | None:
        """How long a turn waits that would stand in line for nothing; None where it has a chance."""
        if path != BEFORE or not self.served.lanes.recalls.is_hopeless(_TURNS_IN_LINE):
            return None
        return _PATIENCE * _seconds(self.served)

    def told(self, path: str, code: str) -> Response:
        """The answer to a turn that the server had no place for."""
        if path == BEFORE:
            self.served.hooks.missed(code)
        else:
            self.served.engine.context.dependencies.failures.count(f"after:{code}")
        return Response(_degraded(path, code), media_type="application/json")


@cache
def _degraded(path: str, code: str) -> bytes:
    without = BeforeTurnResponse.of(Injection(degraded=(code,)))
    told: WireResponse = without if path == BEFORE else AfterTurnResponse(degraded=(code,))
    return json.dumps(told.to_json()).encode()
