"""The context of a request: the caller's engine, called in a thread with a deadline."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import anyio.to_thread
from starlette.requests import Request

from cortex.access.tokens import Right
from cortex.context import Context
from cortex.domain.scope import Tenant
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks
from cortex.surfaces.bounded_executor import BoundedExecutor
from cortex.surfaces.http.access import Caller
from cortex.surfaces.http.errors import Malformed
from cortex.surfaces.http.metrics import Metrics
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.recall_workers import RecallWorkerPool
from cortex.surfaces.http.streams import Streams
from cortex.surfaces.http.tenant_scheduler import TenantScheduler
from cortex.surfaces.http.worker_process import WorkerProcess
from cortex.surfaces.operations import Operation, TimeLimit
from cortex.surfaces.wire.model import ChatRequest

if TYPE_CHECKING:
    from cortex.surfaces.http.change_stream import StateCache

T = TypeVar("T")

_RECALLS_AT_ONCE = 3
"""The most concurrent recalls of turns without workers: they share one interpreter."""

_INGESTS_AT_ONCE = 2
"""How many turns are stored at once: while one is written, the next is parsed."""

_AT_ONCE = 8
"""How many calls of a pool run at once; many of them wait for I/O."""

_MOST_LATE = 64
"""How many abandoned calls of turns may keep running."""

_PARSED_INLINE = 1 << 16
"""Longer bodies are parsed in a thread, so that other requests do not wait."""


class TenantRef(Protocol):
    """A request that may name an agent and a user."""

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
class Pools:
    """Separate executors, so that a turn never waits for an import, nor anything for a store that hangs."""

    recalls: BoundedExecutor
    """Recalls before a turn. One core is left for the event loop; more at once would only be slower."""
    ingests: BoundedExecutor
    """Ingests after a turn."""
    calls: BoundedExecutor
    long_calls: BoundedExecutor
    probes: BoundedExecutor

    @classmethod
    def of(cls, options: ServeOptions, recall_workers: int) -> Pools:
        """With recall workers, one thread for each; without, few threads share the interpreter."""
        recalls = recall_workers or max(1, min((os.cpu_count() or 1) - 1, _RECALLS_AT_ONCE))
        some = min(_AT_ONCE, options.max_concurrent)
        return cls(
            recalls=BoundedExecutor(recalls, late=_MOST_LATE),
            ingests=BoundedExecutor(_INGESTS_AT_ONCE, late=_MOST_LATE),
            calls=BoundedExecutor(some, late=options.max_concurrent - some),
            long_calls=BoundedExecutor(_AT_ONCE),
            probes=BoundedExecutor(1),
        )


@dataclass(frozen=True, slots=True)
class AppState:
    """What all requests share."""

    engine: Cortex
    hooks: TurnHooks
    options: ServeOptions
    metrics: Metrics
    scheduler: TenantScheduler | WorkerProcess
    pools: Pools
    streams: Streams
    recall_workers: RecallWorkerPool
    states: StateCache


@dataclass(frozen=True, slots=True)
class RequestContext:
    """One request: the shared state, and the caller."""

    state: AppState
    caller: Caller
    right: Right
    """The required right; the caller has it."""

    @classmethod
    def of(cls, request: Request, right: Right) -> RequestContext:
        """The context of a request; refused if the caller lacks the right."""
        caller: Caller = request.scope["cortex.caller"]
        caller.require(right)
        return cls(request.app.state.cortex, caller, right)

    async def call(self, work: Callable[[Cortex], T], target: TenantRef = OWN, *, seconds: float | None = None) -> T:
        """Run `work` with the engine of the target tenant."""
        limit = self.state.options.request_timeout_ms / 1000 if seconds is None else seconds
        return await self._run(self.state.pools.calls, work, target, limit)

    async def long_call(self, work: Callable[[Cortex], T], target: TenantRef = OWN) -> T:
        """`call` for work that may take minutes."""
        limit = self.state.options.long_timeout_ms / 1000
        return await self._run(self.state.pools.long_calls, work, target, limit)

    async def call_for(self, operation: Operation, work: Callable[[Cortex], T], target: TenantRef = OWN) -> T:
        """Run `work` within the time limit of an operation."""
        call = self.long_call if operation.limit is TimeLimit.LONG else self.call
        return await call(work, target)

    async def _run(self, lane: BoundedExecutor, work: Callable[[Cortex], T], target: TenantRef, seconds: float) -> T:
        engine = self.engine(target)
        return await lane.run(lambda: work(engine), seconds=seconds, writes=self.right is not Right.READ)

    def engine(self, target: TenantRef = OWN) -> Cortex:
        """The memory a request is for, with the chat it is made in."""
        return Cortex.over(self._admitted(target))

    def tenant(self, target: TenantRef = OWN) -> Tenant:
        """Whose memory a request is for."""
        return self._admitted(target).tenant

    def _admitted(self, target: TenantRef) -> Context:
        """The memory a request is for; refused if the caller may not use it."""
        owner = self.caller.acting_for(target.agent, target.user)
        context = self.state.engine.context.bind(agent=owner.agent, user=owner.user).by(self.caller.token_id or "http")
        if isinstance(target, ChatRequest) and (chat := target.chat_of()) is not None:
            context = context.in_chat(chat)
            self.caller.acting_for(context.tenant.agent, context.tenant.user)
        if self.right is not Right.READ:  # reading creates no jobs
            self.state.scheduler.add_tenant(context.tenant)
        return context


# --- bodies -----------------------------------------------------------------------------------------------------------


async def json_of(request: Request) -> Any:
    """The parsed body; an empty one is `{}`."""
    state: AppState = request.app.state.cortex
    body = await request.body()
    if not body:
        return {}
    if len(body) <= _PARSED_INLINE:
        return parsed(body, state.options.max_keys)
    return await anyio.to_thread.run_sync(parsed, body, state.options.max_keys)


def parsed(body: bytes, max_keys: int) -> Any:
    """Parse `body`, or raise `Malformed`."""

    def checked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) > max_keys:
            raise Malformed(f"an object has over {max_keys:,} keys", "send fewer", status=422, code="too_many_keys")
        return dict(pairs)

    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=checked, parse_constant=_refuse_constant)
        if b"\\u" in body:
            # A lone surrogate is not a character, and can neither be stored nor searched.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed("is not UTF-8", "send it as UTF-8") from error
    except UnicodeEncodeError as error:
        raise Malformed("contains a lone surrogate", "send surrogates in pairs") from error
    except RecursionError as error:
        raise Malformed("is nested too deeply", "use fewer levels") from error
    except json.JSONDecodeError as error:
        raise Malformed(f"is not JSON: line {error.lineno}, column {error.colno}", "fix the JSON") from error
    except ValueError as error:  # a number of too many digits
        raise Malformed("contains a number that is too long", "use fewer digits") from error
    return value


def _refuse_constant(name: str) -> Any:
    raise Malformed(f"{name} is not JSON", "leave it out, or send null")
