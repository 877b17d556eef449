"""How it stands and looking after it: status, stats, export, import, the lifecycle, health, metrics."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from typing import IO, Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from cortex.access.tokens import Right
from cortex.memory import Cortex
from cortex.surfaces.http.visiting import Administering, Reading, Served, StrictRoute, Writing
from cortex.surfaces.schemas import (
    ID,
    AddressedQuery,
    ExportRequest,
    Health,
    ImportRequest,
    LifecycleAnswer,
    LifecycleRequest,
    StatsAnswer,
    StatsQuery,
)

router = APIRouter(tags=["upkeep"], route_class=StrictRoute)

Whose = Annotated[AddressedQuery, Query()]
Counted = Annotated[StatsQuery, Query()]

READY_SECONDS = 2.0
_IN_MEMORY = 8 << 20
_PIECE = 1 << 16
_LINE = {"type": "memory", "id": ID, "text": None, "text_sha256": "9f86…", "text_chars": 33, "scope": "infra"}
_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One JSON object a line, or Markdown.",
        "content": {
            "application/x-ndjson": {"schema": {"type": "string"}, "example": json.dumps(_LINE) + "\n"},
            "text/markdown": {"schema": {"type": "string"}, "example": "# infra\n\n## fact\n\n- The deploy key …\n"},
        },
    }
}
_PLAIN: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Metrics as Prometheus reads them.",
        "content": {"text/plain": {"schema": {"type": "string"}, "example": "cortex_http_requests_under_way 1.0\n"}},
    }
}


def _object(example: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {"application/json": {"example": example}}}}


@router.get("/v1/status", responses=_object({"version": "0.1.0", "agent": "main", "user": "default", "degraded": []}))
async def status(whose: Whose, visit: Reading) -> dict[str, Any]:
    """What is there, what is degraded, and how to mend it."""
    found = await visit.call(lambda engine: engine.status(), whose)
    if Right.ADMIN not in visit.caller.rights:
        # The file is all users' together: how it grows tells what the others do.
        found["store"].pop("bytes", None)
    return found


@router.get("/v1/stats")
async def stats(asked: Counted, visit: Reading) -> StatsAnswer:
    """How many traces there are, and of what sort."""
    return StatsAnswer.of(await visit.call(lambda engine: engine.stats(asked.filter()), asked))


@router.post("/v1/export", responses=_EXPORTED, response_class=Response)
async def export(asked: ExportRequest, visit: Reading) -> Response:
    """Export memories and turns in order of id, without their text unless asked for."""
    file = await visit.long_call(lambda engine: _exported(engine, asked), asked)
    kind = "text/markdown; charset=utf-8" if asked.format == "markdown" else "application/x-ndjson"
    return StreamingResponse(_pieces(file), media_type=kind)


@router.post(
    "/v1/import", responses=_object({"schema": "cortex.import.receipt.v1", "id": ID, "op": "import", "memories": 1})
)
async def import_(asked: ImportRequest, visit: Writing) -> dict[str, Any]:
    """Import what an export gave: all of it is checked, then all is stored, or nothing."""
    if asked.trusted:
        visit.caller.require(Right.ADMIN)
    return await visit.long_call(lambda engine: _imported(engine, asked), asked)


@router.post("/v1/lifecycle")
async def lifecycle(asked: LifecycleRequest, visit: Administering) -> LifecycleAnswer:
    """Run the lifecycle: expire what is over, merge what was said twice; or take a run back."""
    return await visit.long_call(lambda engine: _tended(engine, asked), asked)


@router.get("/health")
async def health() -> Health:
    """Whether the server is alive. Asks nothing of the engine."""
    return Health(status="ok")


@router.get("/ready")
async def ready(request: Request) -> Health:
    """Whether the store can be read, so that requests can be answered."""
    served: Served = request.app.state.served
    await served.lanes.probes.run(lambda: served.engine.list(limit=1), seconds=READY_SECONDS)
    return Health(status="ready")


@router.get("/metrics", responses=_PLAIN, response_class=Response)
async def metrics(request: Request) -> Response:
    """Counters for Prometheus."""
    served: Served = request.app.state.served
    return Response(served.metrics.page(), media_type=served.metrics.media_type)


def _exported(engine: Cortex, asked: ExportRequest) -> IO[bytes]:
    """All of it in a nameless file, so that one look at the store gives it, however slowly it is fetched."""
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed when it was sent
    try:
        if asked.format == "markdown":
            for page in engine.export_markdown(asked.filter()):
                file.write(page.text.encode())
        else:
            for line in _lines(engine, asked):
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _lines(engine: Cortex, asked: ExportRequest) -> Iterator[dict[str, Any]]:
    if asked.format == "jsonl":
        return engine.export(asked.filter(), redact=not asked.with_text)
    return (asdict(page) for page in engine.export_markdown(asked.filter(), by_scope=asked.by_scope))


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece


def _imported(engine: Cortex, asked: ImportRequest) -> dict[str, Any]:
    if asked.markdown is not None:
        edits = engine.import_markdown(
            asked.markdown,
            dry_run=asked.dry_run,
            trusted=asked.trusted,
            skip_conflicts=asked.skip_conflicts,
            forget_missing=asked.forget_missing,
            embed=asked.embed,
        )
        return edits.receipt.to_json() | {"conflicting": [each.to_json() for each in edits.plan.divergences]}
    lines = [json.dumps(line, ensure_ascii=False) for line in asked.lines or ()]
    done = engine.import_(
        lines,
        dedupe=asked.dedupe,
        dry_run=asked.dry_run,
        skip_bad=asked.skip_bad,
        trusted=asked.trusted,
        embed=asked.embed,
    )
    return done.receipt.to_json()


def _tended(engine: Cortex, asked: LifecycleRequest) -> LifecycleAnswer:
    if asked.undo is not None:
        undone = engine.undo_tend(asked.undo)
        return LifecycleAnswer(
            run=asked.undo,
            plans=[],
            anomalies=[],
            restored=list(undone.undone.restored),
            refused=list(undone.undone.refused),
            receipt=undone.receipt.to_json(),
        )
    tended = engine.tend(dry_run=asked.dry_run)
    outcome = tended.outcome
    return LifecycleAnswer(
        run=str(outcome.run) if outcome.run else None,
        plans=[
            {"step": name, "reason": plan.reason, "ids": list(plan.ids)}
            for name, step in outcome.steps.items()
            for plan in step.plans
        ],
        anomalies=[anomaly.to_json() for anomaly in outcome.anomalies],
        restored=[],
        refused=[],
        receipt=tended.receipt.to_json(),
    )
