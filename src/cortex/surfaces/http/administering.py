"""What an operator has done for the memory: files followed, background work, checks, repairs, backups."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query

from cortex.memory import Cortex
from cortex.services.erasure import Erased
from cortex.surfaces.http.visiting import Administering, Reading, StrictRoute, Writing
from cortex.surfaces.schemas import (
    A_CERTIFICATE,
    ID,
    AddressedQuery,
    BackupAnswer,
    BackupsAnswer,
    BareRequest,
    DoctorAnswer,
    DueAnswer,
    ErasedAnswer,
    EraseRequest,
    ErasuresAnswer,
    IndexedAnswer,
    IndexRequest,
    VerifiedAnswer,
    VerifyRequest,
    WorkRequest,
)

router = APIRouter(tags=["operating"], route_class=StrictRoute)

Whose = Annotated[AddressedQuery, Query()]


def _receipt(op: str, **facts: Any) -> dict[int | str, dict[str, Any]]:
    example = {"schema": f"cortex.{op}.receipt.v1", "id": ID, "op": op, **facts}
    return {200: {"content": {"application/json": {"example": example}}}}


_OPTIMISED: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {"example": {"indexes": "none"}}}}}
_CERTIFICATE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {"example": A_CERTIFICATE}}}}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "application/json": {"example": {"backend": "builtin", "files": 12, "chunks": 87, "reindexing": False}}
        }
    }
}


@router.get("/v1/index", responses=_FILES)
async def files_status(whose: Whose, visit: Reading) -> dict[str, Any]:
    """How the files stand: which are followed, how many chunks they are, what could not be read."""
    return await visit.call(lambda engine: dict(engine.searching.status()), whose)


@router.post("/v1/index")
async def index(asked: IndexRequest, visit: Administering) -> IndexedAnswer:
    """Follow the files under a path of the server's from now on, and look at all that are followed."""
    done = await visit.long_call(lambda engine: engine.index(asked.path, force=asked.force, **asked.options()), asked)
    return IndexedAnswer.of(done)


@router.get("/v1/work")
async def next_due(whose: Whose, visit: Reading) -> DueAnswer:
    """When there will be background work to do."""
    due = await visit.call(lambda engine: engine.next_due(), whose)
    return DueAnswer(next=due.isoformat() if due else None)


@router.post("/v1/work", responses=_receipt("work", done=3))
async def work(asked: WorkRequest, visit: Writing) -> dict[str, Any]:
    """Carry out the background work that is due: vectors, memories, syntheses."""
    return (await visit.long_call(lambda engine: engine.work(most=asked.most), asked)).to_json()


@router.post("/v1/backfill", responses=_receipt("backfill", embedded=42))
async def backfill(asked: BareRequest, visit: Writing) -> dict[str, Any]:
    """Embed everything that has no vector of the current model."""
    return (await visit.long_call(lambda engine: engine.backfill(), asked)).to_json()


@router.post("/v1/verify")
async def verify(asked: VerifyRequest, visit: Administering) -> VerifiedAnswer:
    """Recompute everything derived, and the chain of events, and compare; of all the agent's users."""
    return VerifiedAnswer.of(await visit.long_call(lambda engine: engine.verify(repair=asked.repair), asked))


@router.post("/v1/optimize", responses=_OPTIMISED)
async def optimize(asked: BareRequest, visit: Administering) -> dict[str, Any]:
    """Compact the indexes; gives their status."""
    return await visit.long_call(lambda engine: engine.optimize(), asked)


@router.post("/v1/erase")
async def erase(asked: EraseRequest, visit: Administering) -> ErasedAnswer:
    """Erase memories and turns for good, with what was drawn from them; gives a certificate of what is left."""

    def erased(engine: Cortex) -> Erased:
        return engine.erase(*asked.ids, sources=asked.sources, backups=asked.backups)

    return ErasedAnswer.of(await visit.long_call(erased, asked))


@router.get("/v1/erasures")
async def erasures(whose: Whose, visit: Administering) -> ErasuresAnswer:
    """What was erased, oldest first, each with its certificate; those not finished yet say why."""
    found = await visit.call(lambda engine: engine.erasures(), whose)
    return ErasuresAnswer(erasures=[each.to_json() for each in found])


@router.get("/v1/erasures/{id}", responses=_CERTIFICATE)
async def certificate(id: str, whose: Whose, visit: Administering) -> dict[str, Any]:
    """The certificate of an erasure again, by its id or by that of a memory or turn it took out."""
    found = await visit.call(lambda engine: engine.certificate(id), whose)
    return found.to_json()


@router.post("/v1/erasures/finish")
async def finish_erasures(asked: BareRequest, visit: Administering) -> ErasuresAnswer:
    """Finish what was interrupted or had to wait; gives what is pending still. The server does so by itself, too."""
    found = await visit.long_call(lambda engine: engine.finish_erasures(), asked)
    return ErasuresAnswer(erasures=[each.to_json() for each in found])


@router.get("/v1/backups")
async def backups(whose: Whose, visit: Administering) -> BackupsAnswer:
    """The backups of the agent, newest first."""
    found = await visit.call(lambda engine: engine.backups(), whose)
    return BackupsAnswer(backups=[backup.to_json() for backup in found])


@router.post("/v1/backups", status_code=201)
async def backup(asked: BareRequest, visit: Administering) -> BackupAnswer:
    """Back up the agent's memory while it is in use; old backups are removed as the settings say."""
    made = await visit.long_call(lambda engine: engine.backup(), asked)
    return BackupAnswer(backup=made.backup.to_json(), removed=[each.to_json() for each in made.removed])


@router.get("/v1/doctor")
async def doctor(whose: Whose, visit: Administering) -> DoctorAnswer:
    """Everything an installation needs, checked: the model embeds, the database is read."""
    checks = await visit.long_call(lambda engine: engine.doctor(), whose)
    return DoctorAnswer(ok=all(check.ok is not False for check in checks), checks=[asdict(check) for check in checks])
