"""Looking at what there is: who asks, what happened, how it grew."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from cortex._version import __version__
from cortex.domain.lanes import Lane
from cortex.memory import Cortex
from cortex.services.timeline import Timeline
from cortex.surfaces.http.visiting import Reading, StrictRoute
from cortex.surfaces.schemas import (
    AddressedQuery,
    DayAnswer,
    EventsAnswer,
    EventsQuery,
    GrowthAnswer,
    GrowthQuery,
    MeAnswer,
    TimelineAnswer,
    TimelineQuery,
)

router = APIRouter(tags=["looking"], route_class=StrictRoute)

Whose = Annotated[AddressedQuery, Query()]
Happened = Annotated[TimelineQuery, Query()]
Recorded = Annotated[EventsQuery, Query()]
Grown = Annotated[GrowthQuery, Query()]


@router.get("/v1/me")
async def me(whose: Whose, visit: Reading) -> MeAnswer:
    """Who asks: whose memory it is, with which rights, by which token."""
    tenant, caller = visit.tenant(whose), visit.caller
    return MeAnswer(
        agent=tenant.agent,
        user=tenant.user,
        rights=sorted(right.value for right in caller.rights),
        token=caller.token_id,
        version=__version__,
        turn_deadline_ms=visit.served.engine.settings.hooks.deadline_ms,
    )


@router.get("/v1/timeline")
async def timeline(asked: Happened, visit: Reading) -> TimelineAnswer:
    """What happened, newest first, each event with the memory or turn it is about."""

    def look(engine: Cortex) -> Timeline:
        return engine.timeline(
            limit=asked.limit,
            before=asked.before,
            kinds=asked.event,
            id=asked.id,
            lane=None if asked.lane is None else Lane(asked.lane),
        )

    return TimelineAnswer.of(await visit.call(look, asked))


@router.get("/v1/events")
async def events(asked: Recorded, visit: Reading) -> EventsAnswer:
    """The ledger, oldest first, with what seals it."""
    found = await visit.call(lambda engine: engine.events(after=asked.after, limit=asked.limit), asked)
    return EventsAnswer.of(found, asked.limit)


@router.get("/v1/growth")
async def growth(asked: Grown, visit: Reading) -> GrowthAnswer:
    """What was made on each of the last days and of what sort it is, and how much there was."""
    days = await visit.call(lambda engine: engine.growth(days=asked.days, lane=Lane(asked.lane)), asked)
    return GrowthAnswer(days=[DayAnswer.of(day) for day in days], lane=asked.lane)
