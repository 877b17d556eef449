"""Memories: remembered, listed, shown, edited, forgotten, restored."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Response

from cortex.domain.identity import TraceId, checked_id
from cortex.domain.lanes import State
from cortex.domain.memory import Memory, Retention
from cortex.errors import Conflict, InvalidRequest
from cortex.exchange import EditConflict, Statement, markdown_of
from cortex.memory import Cortex
from cortex.ports.store import MOST_RETRIES
from cortex.surfaces.http.visiting import Reading, StrictRoute, Writing
from cortex.surfaces.schemas import (
    ID,
    AddressedQuery,
    ContradictionsAnswer,
    ContradictionsQuery,
    EditRequest,
    ForgetRequest,
    ForgottenAnswer,
    ForgottenMatchingAnswer,
    ListAnswer,
    ListQuery,
    RememberedAnswer,
    RememberRequest,
    ResolveRequest,
    ShownAnswer,
    TraceAnswer,
)

router = APIRouter(tags=["memories"], route_class=StrictRoute)

Id = Annotated[str, Path(description="The id of a memory, turn or chunk: a UUID.", examples=[ID])]
Listed = Annotated[ListQuery, Query()]
Whose = Annotated[AddressedQuery, Query()]
Contradicted = Annotated[ContradictionsQuery, Query()]
_ETAG = re.compile(r'"([0-9a-f]{16})"')

IfMatch = Annotated[
    str | None, Header(description="The `ETag` of what was read: an edit of anything else is a conflict.")
]


@router.post("/v1/memories", status_code=201)
async def remember(asked: RememberRequest, visit: Writing) -> RememberedAnswer:
    """Remember a statement beside what is known: repeated, it is counted; a changed value replaces the old one."""
    return RememberedAnswer.of(await visit.call(lambda engine: engine.remember(asked.text, **asked.fields()), asked))


@router.get("/v1/memories")
async def listed(asked: Listed, visit: Reading) -> ListAnswer:
    """List memories in order of id, oldest first; or the newest first."""
    found = await visit.call(
        lambda engine: engine.list(asked.filter(), after=asked.after, limit=asked.limit, newest=asked.newest), asked
    )
    return ListAnswer.of(found, asked.limit)


@router.get("/v1/memories/{id}")
async def show(id: Id, whose: Whose, visit: Reading, response: Response) -> ShownAnswer:
    """Show one memory, turn or chunk, with its versions, the turns it came from and the memories drawn from it."""
    found = await visit.call(lambda engine: engine.show(id), whose)
    if isinstance(found.trace, Memory):
        response.headers["ETag"] = _etag(found.trace)
    return ShownAnswer.of_shown(found)


@router.patch("/v1/memories/{id}")
async def edit(id: Id, asked: EditRequest, visit: Writing, response: Response, if_match: IfMatch = None) -> TraceAnswer:
    """Change what a memory says, as a new version of it. Its trust never rises by that."""
    edited = await visit.call(lambda engine: _edited(engine, checked_id(id), asked.changes(), if_match), asked)
    response.headers["ETag"] = _etag(edited)
    return TraceAnswer.of(edited)


@router.delete("/v1/memories/{id}")
async def forget(id: Id, whose: Whose, visit: Writing) -> ForgottenAnswer:
    """Forget a memory or turn, and memories that make the same statement; its history keeps it."""
    return ForgottenAnswer.of(await visit.call(lambda engine: engine.forget(id), whose))


@router.post("/v1/memories/{id}/restore")
async def restore(id: Id, whose: Whose, visit: Writing) -> ForgottenAnswer:
    """Undo a forgetting, or that a memory was superseded: recall finds it again."""
    return ForgottenAnswer.of(await visit.call(lambda engine: engine.restore(id), whose))


@router.get("/v1/contradictions")
async def contradictions(asked: Contradicted, visit: Reading) -> ContradictionsAnswer:
    """Show memories that cannot both be true, and of which nobody has said which is."""
    return ContradictionsAnswer.of(await visit.call(lambda engine: engine.contradictions(limit=asked.limit), asked))


@router.post("/v1/memories/{id}/resolve")
async def resolve(id: Id, asked: ResolveRequest, visit: Writing) -> ForgottenAnswer:
    """Say that a memory is true: it replaces those that contradict it. Or that both sides are."""
    done = await visit.call(lambda engine: engine.resolve(id, over=asked.over, both=asked.both), asked)
    return ForgottenAnswer.of(done)


@router.post("/v1/forget")
async def forget_matching(asked: ForgetRequest, visit: Writing) -> ForgottenMatchingAnswer:
    """Forget the one memory that is meant; where several may be, forget none and show them."""
    done = await visit.call(lambda engine: engine.forget_matching(asked.query, scope=asked.scope), asked)
    return ForgottenMatchingAnswer.of(done)


# --- edits ------------------------------------------------------------------------------------------------------------


def _edited(engine: Cortex, id: TraceId, changes: dict[str, Any], if_match: str | None) -> Memory:
    """The memory with `changes`, by the engine's own way for edits: three versions compared, a conflict told."""
    for _ in range(MOST_RETRIES):
        memory = engine.get(id)
        if not isinstance(memory, Memory):
            raise InvalidRequest("is a turn or a chunk", field="id", hint="only memories can be edited")
        yours = _revised(memory, dict(changes), engine.settings.limits.max_text_bytes)
        page = markdown_of([yours], engine.tenant, position=0, at=memory.created_at)
        ours = Statement.of(yours).digest(id)
        base = _base(memory, if_match)
        try:
            engine.import_markdown(page.replace(f"cortex:id={id} base={ours}", f"cortex:id={id} base={base}"))
        except EditConflict as error:
            if _names_a_version(if_match) or memory.state is not State.ACTIVE:
                raise _changed() from error
            continue  # whoever names no version edits what is there, whoever changed it meanwhile
        found = engine.get(id)
        assert isinstance(found, Memory)
        return found
    raise _changed()


def _names_a_version(if_match: str | None) -> bool:
    return if_match is not None and if_match.strip() != "*"


def _base(memory: Memory, if_match: str | None) -> str:
    """The digest of what the edit begins from: what is there, or what the caller has read."""
    if if_match is None or not _names_a_version(if_match):
        return Statement.of(memory).digest(memory.id)
    found = _ETAG.fullmatch(if_match.strip())
    if found is None:
        raise _changed()
    return found[1]


def _changed() -> Conflict:
    return Conflict(
        "the memory was changed since it was read, or is no longer active", hint="read it again and repeat the edit"
    )


def _revised(memory: Memory, changes: dict[str, Any], max_text_bytes: int) -> Memory:
    """The memory as it is to be, held to the rules of what is remembered."""
    expires: datetime | None = changes.pop("expires_at", None)
    if expires is not None and expires <= memory.created_at:
        raise InvalidRequest("is before the memory was made", field="expires_at", hint="give a later time")
    if expires is not None:
        changes |= {"retention": Retention.TTL, "expires": expires}
    elif "retention" in changes:
        changes["expires"] = None
    if "tags" in changes:
        changes["tags"] = tuple(tag for tag in changes["tags"] if tag)
    statement = replace(Statement.of(memory), **changes)
    draft = statement.draft(memory.created_at).checked(max_text_bytes)
    return memory.revised(
        text=draft.text,
        scope=draft.scope,
        kind=draft.kind,
        tags=draft.tags,
        importance=float(statement.importance),
        retention=draft.retention,
        ttl=draft.ttl,
    )


def _etag(memory: Memory) -> str:
    return f'"{Statement.of(memory).digest(memory.id)}"'
