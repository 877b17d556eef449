"""The agent's files: searched by what they say, and read by the paths that a search cites."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.surfaces.http.visiting import Reading, StrictRoute
from cortex.surfaces.schemas import ExcerptAnswer, FilesQuery, FoundLinesAnswer

router = APIRouter(tags=["files"], route_class=StrictRoute)

Asked = Annotated[FilesQuery, Query()]


@router.get("/v1/files")
async def files(asked: Asked, visit: Reading) -> FoundLinesAnswer | ExcerptAnswer:
    """Lines that answer `query`, with citations; or exactly those lines of the file at `path`."""
    if (asked.query is None) == (asked.path is None):
        raise InvalidRequest("give one of query and path", field="query", hint="search first, then read what it cites")
    return await visit.call(lambda engine: _answer(engine, asked), asked)


def _answer(engine: Cortex, asked: FilesQuery) -> FoundLinesAnswer | ExcerptAnswer:
    if asked.path is not None:
        return ExcerptAnswer.model_validate(engine.memory_get(asked.path, start=asked.start, lines=asked.lines))
    found = engine.memory_search(
        asked.query or "", max_results=asked.max_results, min_score=asked.min_score, session=asked.session
    )
    return FoundLinesAnswer.model_validate(found)
