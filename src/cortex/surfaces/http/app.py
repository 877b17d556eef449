"""The application: every route behind one door, over one engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio.to_thread
from fastapi import FastAPI
from starlette.routing import Route

from cortex._version import __version__
from cortex.access.tokens import Tokens
from cortex.domain.identity import IdSource, Uuid7Source
from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks
from cortex.surfaces.dashboard import pages
from cortex.surfaces.http import probes, turns, watching
from cortex.surfaces.http.access import Access
from cortex.surfaces.http.apart import OpenEngine, Recallers
from cortex.surfaces.http.documented import document
from cortex.surfaces.http.door import Door
from cortex.surfaces.http.errors import handle_errors
from cortex.surfaces.http.hosting import PATH as MCP_PATH
from cortex.surfaces.http.hosting import McpHosting
from cortex.surfaces.http.keeping import TenantScheduler
from cortex.surfaces.http.metrics import Metrics
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.request_context import AppState, Lanes
from cortex.surfaces.http.routes import operation_routes
from cortex.surfaces.http.streams import Streams
from cortex.surfaces.http.worker import WorkerProcess
from cortex.surfaces.operations import OPERATIONS

_PATHS = frozenset(operation.path for operation in OPERATIONS)
ROUTERS = (probes.router, pages.router)


def create_app(
    engine: Cortex,
    tokens: Tokens,
    options: ServeOptions | None = None,
    *,
    ids: IdSource | None = None,
    open_engine: OpenEngine | None = None,
) -> FastAPI:
    """The application over `engine`; whoever made the engine closes it after the application has ended.

    With `open_engine`, which opens the same memory again, turns recall in processes of their own, and background work
    has one of its own too.
    """
    options = options or ServeOptions.of(engine.settings)
    hooks = TurnHooks(engine)
    processes = options.recall_processes if open_engine is not None else 0
    recallers = Recallers(open_engine or _nothing, processes, engine.context.dependencies.clock)
    caretaker: TenantScheduler | WorkerProcess = TenantScheduler(engine)
    if open_engine is not None and options.worker_process:
        caretaker = WorkerProcess(engine, open_engine)
    served = AppState(
        engine=engine,
        hooks=hooks,
        options=options,
        metrics=Metrics(lambda: hooks.troubles, lambda: getattr(caretaker, "ended", 0)),
        caretaker=caretaker,
        lanes=Lanes.of(options, recallers.number),
        streams=Streams(options.max_streams),
        recallers=recallers,
        pulses=watching.Pulses(),
    )

    engine.context.dependencies.is_crowded = lambda: served.lanes.recalls.is_crowded
    hosting = McpHosting(served)

    access = Access(tokens, options, engine.tenant)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        with suppress(EngineError):  # told to whoever asks
            access.missing()
        caring = served.caretaker.at_work(_tenants(tokens))
        # In threads: opening the store and stopping the keepers may take a moment.
        await anyio.to_thread.run_sync(caring.__enter__)
        hooks.warm()
        try:
            with recallers.at_work():
                async with hosting.at_work():
                    yield
        finally:
            await anyio.to_thread.run_sync(hooks.flush, options.shutdown_seconds / 2)
            await anyio.to_thread.run_sync(caring.__exit__, None, None, None)
            await anyio.to_thread.run_sync(engine.flush)

    # No pages of its own: they would load their scripts from elsewhere.
    app = FastAPI(
        title="Cortex", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.state.served = served
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes.extend(operation_routes())
    app.router.routes.append(Route(MCP_PATH, hosting, include_in_schema=False))
    handle_errors(app)
    document(app)
    app.add_middleware(
        Door,
        options=options,
        access=access,
        metrics=served.metrics,
        clock=engine.context.dependencies.clock,
        ids=ids or Uuid7Source(),
        overflow=turns.Overflow(served),
        paths={MCP_PATH, *(getattr(route, "path", "") for router in ROUTERS for route in router.routes), *_PATHS},
    )
    return app


def _nothing() -> Cortex:
    raise AssertionError("no process is started that would open it")


def _tenants(tokens: Tokens) -> list[Tenant]:
    """Whom tokens were made for; a file that cannot be read lets nobody in, and is told to whoever tries."""
    with suppress(EngineError):
        return [Tenant(token.agent, token.user) for token in tokens.all()]
    return []
