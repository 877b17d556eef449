"""Probes for monitoring: liveness, readiness and metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from cortex.surfaces.http.request_context import AppState
from cortex.surfaces.wire.upkeep import HealthResponse

router = APIRouter(tags=["upkeep"])

READY_SECONDS = 2.0
METRICS_SECONDS = 10.0
_PLAIN: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Metrics in the Prometheus text format.",
        "content": {"text/plain": {"schema": {"type": "string"}, "example": "cortex_http_requests_in_progress 1.0\n"}},
    }
}


@router.get("/health")
async def health() -> HealthResponse:
    """Whether the server is alive. Does not use the engine."""
    return HealthResponse(status="ok")


@router.get("/ready")
async def ready(request: Request) -> HealthResponse:
    """Whether the store can be read."""
    state: AppState = request.app.state.cortex
    await state.pools.probes.run(lambda: state.engine.pulse(), seconds=READY_SECONDS)
    return HealthResponse(status="ready")


@router.get("/metrics", responses=_PLAIN, response_class=Response)
async def metrics(request: Request) -> Response:
    """Metrics for Prometheus."""
    state: AppState = request.app.state.cortex
    page = await state.pools.probes.run(state.metrics.page, seconds=METRICS_SECONDS)
    return Response(page, media_type=state.metrics.media_type)
