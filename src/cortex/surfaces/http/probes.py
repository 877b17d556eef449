"""What is asked by whoever watches over the process: whether it is alive, ready, and how busy."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from cortex.surfaces.http.request_context import AppState
from cortex.surfaces.wire.upkeep import HealthResponse

router = APIRouter(tags=["upkeep"])

READY_SECONDS = 2.0
_PLAIN: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Metrics as Prometheus reads them.",
        "content": {"text/plain": {"schema": {"type": "string"}, "example": "cortex_http_requests_under_way 1.0\n"}},
    }
}


@router.get("/health")
async def health() -> HealthResponse:
    """Whether the server is alive. Asks nothing of the engine."""
    return HealthResponse(status="ok")


@router.get("/ready")
async def ready(request: Request) -> HealthResponse:
    """Whether the store can be read, so that requests can be answered."""
    state: AppState = request.app.state.served
    await state.lanes.probes.run(lambda: state.engine.list(limit=1), seconds=READY_SECONDS)
    return HealthResponse(status="ready")


@router.get("/metrics", responses=_PLAIN, response_class=Response)
async def metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    state: AppState = request.app.state.served
    return Response(state.metrics.page(), media_type=state.metrics.media_type)
