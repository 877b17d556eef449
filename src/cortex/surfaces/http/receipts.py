"""Receipts: what operations did, and whether a recall gives the same answer again."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from cortex.surfaces.http.visiting import Reading, StrictRoute
from cortex.surfaces.schemas import ID, AddressedQuery, ReceiptsAnswer, ReceiptsQuery, ReplayAnswer, ReplayRequest

router = APIRouter(tags=["receipts"], route_class=StrictRoute)

Whose = Annotated[AddressedQuery, Query()]
Listed = Annotated[ReceiptsQuery, Query()]
ReceiptPath = Annotated[str, Path(description="The id of a receipt: a UUID.", examples=[ID])]

_RECEIPT: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/json": {"example": {"schema": "cortex.recall.receipt.v1", "id": ID, "op": "recall"}}}
    }
}


@router.get("/v1/receipts")
async def receipts(asked: Listed, visit: Reading) -> ReceiptsAnswer:
    """The latest receipts, newest first: ids, counts, reasons and milliseconds, never text."""
    found = await visit.call(lambda engine: engine.receipts(limit=asked.limit, op=asked.op, before=asked.before), asked)
    return ReceiptsAnswer.of(found, asked.limit)


@router.get("/v1/receipts/{id}", responses=_RECEIPT)
async def receipt(id: ReceiptPath, whose: Whose, visit: Reading) -> dict[str, Any]:
    """What one operation did: ids, counts, reasons and milliseconds, never text."""
    found = await visit.call(lambda engine: engine.receipt(id), whose)
    return found.to_json()


@router.post("/v1/receipts/{id}/replay")
async def replay(id: ReceiptPath, asked: ReplayRequest, visit: Reading) -> ReplayAnswer:
    """Ask a recorded recall again of the state it saw, and compare the answers."""
    return ReplayAnswer.of(await visit.call(lambda engine: engine.replay(id, query=asked.query), asked))
