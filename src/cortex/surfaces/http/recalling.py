"""Asking: `/v1/recall` for what helps with a message, `/v1/search` for what there is on a topic."""

from __future__ import annotations

from fastapi import APIRouter

from cortex.domain.query import Mode
from cortex.surfaces.http.visiting import Reading, StrictRoute, Visit
from cortex.surfaces.schemas import RecallAnswer, RecallRequest

router = APIRouter(tags=["recall"], route_class=StrictRoute)


@router.post("/v1/recall", response_model_exclude_unset=True)
async def recall(asked: RecallRequest, visit: Reading) -> RecallAnswer:
    """The right few lines for a message, packed to a budget; nothing when nothing is relevant."""
    return await _answer(asked, visit, Mode.AUTO)


@router.post("/v1/search", response_model_exclude_unset=True)
async def search(asked: RecallRequest, visit: Reading) -> RecallAnswer:
    """What there is on a topic; untrusted and superseded memories are shown, and marked."""
    return await _answer(asked, visit, Mode.SEARCH)


async def _answer(asked: RecallRequest, visit: Visit, mode: Mode) -> RecallAnswer:
    found = await visit.call(lambda engine: engine.explain(asked.query, mode=mode, **asked.options()), asked)
    return RecallAnswer.of(found, whole=asked.explain)
