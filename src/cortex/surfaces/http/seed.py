"""The three routes of the original middleware, with its bodies: `/ingest`, `/hybrid-search`, `/recall`."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from cortex.domain.lanes import Lane
from cortex.domain.query import MAX_BUDGET
from cortex.surfaces.http.visiting import Reading, StrictRoute, Writing
from cortex.surfaces.schemas import (
    HybridSearchAnswer,
    HybridSearchRequest,
    IngestAnswer,
    IngestRequest,
    NarrativeAnswer,
    NarrativeRequest,
)

RECIPE = "cortex-hybrid.v1"

router = APIRouter(tags=["seed"], route_class=StrictRoute)


@dataclass(frozen=True, slots=True)
class _OfUser:
    """The seed names a user and no agent."""

    user: str | None
    agent: str | None = None


@router.post("/ingest")
async def ingest(asked: IngestRequest, visit: Writing) -> IngestAnswer:
    """Store what is new of a session's history; memories are drawn from it in the background."""
    done = await visit.call(
        lambda engine: engine.ingest(
            asked.messages, session=asked.session_id, channel=asked.channel or "", debounce=asked.debounce
        ),
        _OfUser(asked.user_id),
    )
    return IngestAnswer.of(asked.session_id, done)


@router.post("/hybrid-search")
async def hybrid_search(asked: HybridSearchRequest, visit: Reading) -> HybridSearchAnswer:
    """The facts that bear on a message, best first: 0.4 × keywords + 0.6 × vectors.

    It is a recall, for what a host injects: what is superseded or quarantined is not among them, and untrusted facts
    only where there are no others.
    """
    whose = _OfUser(asked.user_id)
    found = await visit.call(
        lambda engine: engine.recall(
            asked.query, recipe=RECIPE, lanes=[Lane.MEMORIES], limit=asked.limit, budget=MAX_BUDGET
        ),
        whose,
    )
    return HybridSearchAnswer.of(found, visit.tenant(whose).user)


@router.post("/recall")
async def narrative(asked: NarrativeRequest, visit: Reading) -> NarrativeAnswer:
    """What is remembered on a topic in one piece: by a language model, or as a digest where there is none."""
    done = await visit.call(lambda engine: engine.synthesise(asked.query), _OfUser(asked.user_id))
    return NarrativeAnswer.of(asked.query, done)
