"""Conversations: stored as they were said, and memories drawn from them, later or at once."""

from __future__ import annotations

from fastapi import APIRouter

from cortex.surfaces.http.visiting import StrictRoute, Writing
from cortex.surfaces.schemas import CapturedAnswer, HistoryRequest, IngestedAnswer, SessionRequest

router = APIRouter(tags=["conversations"], route_class=StrictRoute)


@router.post("/v1/ingest")
async def ingest(asked: SessionRequest, visit: Writing) -> IngestedAnswer:
    """Store what is new of a session's history; memories are drawn from it in the background."""
    return IngestedAnswer.of(await visit.call(lambda engine: engine.ingest(asked.messages, **asked.options()), asked))


@router.post("/v1/capture")
async def capture(asked: HistoryRequest, visit: Writing) -> CapturedAnswer:
    """Store what is new of a session's history and draw memories from it at once."""
    done = await visit.long_call(lambda engine: engine.capture(asked.messages, **asked.options()), asked)
    return CapturedAnswer.of(done)
