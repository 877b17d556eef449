"""What a route has to do with: the engine of whoever asks, called in a thread and under a deadline."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio.to_thread
from starlette.requests import Request

from cortex.access.tokens import Right
from cortex.domain.scope import Tenant
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks
from cortex.surfaces.calling import Calls
from cortex.surfaces.http.access import Caller
from cortex.surfaces.http.apart import Recallers
from cortex.surfaces.http.errors import Malformed
from cortex.surfaces.http.keeping import TenantScheduler
from cortex.surfaces.http.metrics import Metrics
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.streams import Streams
from cortex.surfaces.http.worker import WorkerProcess

if TYPE_CHECKING:
    from cortex.surfaces.http.watching import Pulses

T = TypeVar("T")

_RECALLS_AT_ONCE = 3
"""How many recalls of turns are under way at most, however many cores there are: they share one interpreter."""

_INGESTS_AT_ONCE = 2
"""How many turns are stored at once: while one is written, the next is read."""

_AT_ONCE = 8
"""How many calls of a lane are under way; many of them wait for something else than this machine."""

_MOST_LATE = 64
"""How many calls of turns may go on though nobody waits for them any more."""

_READ_AT_ONCE = 1 << 16
"""A longer body is read beside the event loop, so that others need not wait for it."""


class Whose(Protocol):
    """Names whose memory is meant, or leaves it open."""

    @property
    def agent(self) -> str | None: ...
    @property
    def user(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class _Own:
    agent: str | None = None
    user: str | None = None


OWN = _Own()


@dataclass(frozen=True, slots=True)
class Lanes:
    """Calls of the engine that must not wait for each other: a turn for an import, or either for a store that hangs."""

    recalls: Calls
    """What a turn waits for. One core is left to the event loop; more recalls at once would all be later, not more."""
    ingests: Calls
    """What a turn leaves behind."""
    calls: Calls
    long_calls: Calls
    probes: Calls

    @classmethod
    def of(cls, options: ServeOptions, recallers: int) -> Lanes:
        """With processes that recall, each has a place of its own; without, the threads here share an interpreter."""
        recalls = recallers or max(1, min((os.cpu_count() or 1) - 1, _RECALLS_AT_ONCE))
        some = min(_AT_ONCE, options.max_concurrent)
        return cls(
            recalls=Calls(recalls, late=_MOST_LATE),
            ingests=Calls(_INGESTS_AT_ONCE, late=_MOST_LATE),
            calls=Calls(some, late=options.max_concurrent - some),
            long_calls=Calls(_AT_ONCE),
            probes=Calls(1),
        )


@dataclass(frozen=True, slots=True)
class AppState:
    """What all requests share."""

    engine: Cortex
    hooks: TurnHooks
    options: ServeOptions
    metrics: Metrics
    caretaker: TenantScheduler | WorkerProcess
    lanes: Lanes
    streams: Streams
    recallers: Recallers
    pulses: Pulses


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request: what all requests share, and who asks."""

    state: AppState
    caller: Caller
    right: Right
    """What is needed; the caller has it."""

    @classmethod
    def of(cls, request: Request, right: Right) -> RequestContext:
        """The context of a request whose caller has the right."""
        caller: Caller = request.scope["cortex.caller"]
        caller.require(right)
        return cls(request.app.state.served, caller, right)

    async def call(self, work: Callable[[Cortex], T], whose: Whose = OWN, *, seconds: float | None = None) -> T:
        """What `work` gives of the engine of whoever is meant."""
        limit = self.state.options.request_timeout_ms / 1000 if seconds is None else seconds
        return await self._called(self.state.lanes.calls, work, whose, limit)

    async def long_call(self, work: Callable[[Cortex], T], whose: Whose = OWN) -> T:
        """`call` for what may take minutes."""
        limit = self.state.options.long_timeout_ms / 1000
        return await self._called(self.state.lanes.long_calls, work, whose, limit)

    async def _called(self, lane: Calls, work: Callable[[Cortex], T], whose: Whose, seconds: float) -> T:
        engine = self.engine(whose)
        return await lane.run(lambda: work(engine), seconds=seconds, writes=self.right is not Right.READ)

    def engine(self, whose: Whose = OWN) -> Cortex:
        tenant = self.tenant(whose)
        return self.state.engine.bind(agent=tenant.agent, user=tenant.user)

    def tenant(self, whose: Whose = OWN) -> Tenant:
        tenant = self.caller.acting_for(whose.agent, whose.user)
        if self.right is not Right.READ:  # whoever only asks leaves no work behind
            self.state.caretaker.meet(tenant)
        return tenant


# --- bodies -----------------------------------------------------------------------------------------------------------


async def json_of(request: Request) -> Any:
    """What the body says; an empty one says nothing."""
    state: AppState = request.app.state.served
    body = await request.body()
    if not body:
        return {}
    if len(body) <= _READ_AT_ONCE:
        return parsed(body, state.options.max_keys)
    return await anyio.to_thread.run_sync(parsed, body, state.options.max_keys)


def parsed(body: bytes, max_keys: int) -> Any:
    """What `body` says, or `Malformed`."""

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) > max_keys:
            raise Malformed(f"an object has over {max_keys:,} keys", "send fewer", status=422, code="too_many_keys")
        return dict(pairs)

    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=checked, parse_constant=_refuse_constant)
        if b"\\u" in body:
            # Half of a pair of surrogates is no character, and can neither be stored nor searched for.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed("is not UTF-8", "send it as UTF-8") from error
    except UnicodeEncodeError as error:
        raise Malformed("holds half a character", "send whole ones: surrogates come in pairs") from error
    except RecursionError as error:
        raise Malformed("is nested too deeply", "send it flatter") from error
    except json.JSONDecodeError as error:
        raise Malformed(f"is not JSON: line {error.lineno}, column {error.colno}", "fix it there") from error
    except ValueError as error:  # a number of too many digits
        raise Malformed("holds a number nobody can read", "send a shorter one") from error
    return value


def _refuse_constant(name: str) -> Any:
    raise Malformed(f"{name} is not JSON", "leave it out, or send null")
