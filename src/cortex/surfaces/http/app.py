"""The application: all routes behind the gateway, over one engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress

import anyio.to_thread
from fastapi import FastAPI
from starlette.routing import Route

from cortex._version import __version__
from cortex.access.tokens import Tokens
from cortex.domain.identity import IdSource, Uuid7Source
from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.memory import Cortex
from cortex.ports.signals import Topic
from cortex.services.metrics import MetricsService
from cortex.services.turn_hooks import TurnHooks
from cortex.surfaces.dashboard import pages
from cortex.surfaces.http import change_stream, probes, turns
from cortex.surfaces.http.access import Authenticator
from cortex.surfaces.http.errors import handle_errors
from cortex.surfaces.http.gateway import GatewayMiddleware
from cortex.surfaces.http.mcp_endpoint import PATH as MCP_PATH
from cortex.surfaces.http.mcp_endpoint import McpEndpoint
from cortex.surfaces.http.metrics import Metrics
from cortex.surfaces.http.openapi import install_openapi
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.recall_workers import OpenEngine, RecallWorkerPool
from cortex.surfaces.http.request_context import AppState, Pools
from cortex.surfaces.http.routes import operation_routes
from cortex.surfaces.http.streams import Streams
from cortex.surfaces.http.tenant_scheduler import TenantScheduler
from cortex.surfaces.http.worker_process import WorkerProcess
from cortex.surfaces.operations import OPERATIONS

_PATHS = frozenset(operation.path for operation in OPERATIONS)
ROUTERS = (probes.router, pages.router)


def create_app(
    engine: Cortex,
    tokens: Tokens | None = None,
    options: ServeOptions | None = None,
    *,
    ids: IdSource | None = None,
    open_engine: OpenEngine | None = None,
    host_secrets: Sequence[str] = (),
) -> FastAPI:
    """The application over `engine`. The caller closes the engine after the application has ended.

    `tokens` are those of the engine unless others are given.
    `open_engine` opens the same memory in another process: with it, turns recall in worker processes, and background
    jobs run in one too.
    """
    dependencies = engine.context.dependencies
    tokens = tokens or Tokens(dependencies.documents, dependencies.clock)
    options = options or ServeOptions.of(engine.settings)
    hooks = TurnHooks(engine)
    if not all(abilities.multi_process for abilities in dependencies.all_abilities):
        open_engine = None  # another process would see another memory
    processes = options.recall_processes if open_engine is not None else 0
    recall_workers = RecallWorkerPool(open_engine or _nothing, processes, dependencies.clock, dependencies.counters)
    scheduler: TenantScheduler | WorkerProcess = TenantScheduler(engine)
    if open_engine is not None and options.worker_process:
        scheduler = WorkerProcess(engine, open_engine)
    state = AppState(
        engine=engine,
        hooks=hooks,
        options=options,
        metrics=Metrics(
            lambda: hooks.failures,
            lambda: getattr(scheduler, "exits", 0),
            lambda: dependencies.ladder.rung,
            dependencies.counters.counted,
            MetricsService(engine.context).measure,
        ),
        scheduler=scheduler,
        pools=Pools.of(options, recall_workers.number),
        streams=Streams(options.max_streams),
        recall_workers=recall_workers,
        states=change_stream.StateCache(),
    )

    dependencies.is_crowded = lambda: state.pools.recalls.is_crowded
    mcp_endpoint = McpEndpoint(state)

    access = Authenticator(tokens, options, engine.tenant, host_secrets)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        with suppress(EngineError):  # reported to every request
            access.missing()
        scheduling = ExitStack()

        def start() -> None:
            scheduling.enter_context(state.scheduler.running(_tenants(tokens)))
            scheduling.enter_context(dependencies.signals.waiting(Topic.CHANGES, state.states.signal))

        # In threads: opening the store and stopping schedulers may take a moment.
        await anyio.to_thread.run_sync(start)
        hooks.warm()
        try:
            with recall_workers.running():
                async with mcp_endpoint.running():
                    yield
        finally:
            await anyio.to_thread.run_sync(hooks.flush, options.shutdown_seconds / 2)
            await anyio.to_thread.run_sync(scheduling.close)
            await anyio.to_thread.run_sync(engine.flush)

    # No documentation pages: they would load scripts from elsewhere.
    app = FastAPI(
        title="Cortex", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.state.cortex = state
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes.extend(operation_routes())
    app.router.routes.append(Route(MCP_PATH, mcp_endpoint, include_in_schema=False))
    handle_errors(app)
    install_openapi(app)
    app.add_middleware(
        GatewayMiddleware,
        options=options,
        access=access,
        metrics=state.metrics,
        clock=dependencies.clock,
        ids=ids or Uuid7Source(),
        overload=turns.TurnOverload(state),
        paths={MCP_PATH, *(getattr(route, "path", "") for router in ROUTERS for route in router.routes), *_PATHS},
    )
    return app


def _nothing() -> Cortex:
    raise AssertionError("no worker process is started")


def _tenants(tokens: Tokens) -> list[Tenant]:
    """The tenants of all tokens; tokens that cannot be read are reported to every request."""
    with suppress(EngineError):
        return [Tenant(token.agent, token.user) for token in tokens.all()]
    return []
