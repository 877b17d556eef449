"""The routes of the declared operations."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict
from typing import IO, Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match, Route
from starlette.types import Scope

from cortex._version import __version__
from cortex.access.tokens import Right
from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.recall.recipes import RECIPES
from cortex.surfaces.http import change_stream, tools, turns
from cortex.surfaces.http.request_context import RequestContext, json_of
from cortex.surfaces.http.server_file import CONTRACT
from cortex.surfaces.operations import BY_NAME, OPERATIONS, Operation
from cortex.surfaces.wire.files import MemorySearchRequest
from cortex.surfaces.wire.ledger import MeResponse
from cortex.surfaces.wire.memories import EditResponse, ShowResponse
from cortex.surfaces.wire.model import Json, Strict, own_name, rejected, schema_of, short
from cortex.surfaces.wire.model import Response as WireResponse
from cortex.surfaces.wire.recall import RecipeResponse, RecipesResponse
from cortex.surfaces.wire.upkeep import ExportRequest, ImportRequest

Handler = Callable[[RequestContext, Any], Awaitable[WireResponse | Response]]

_IN_MEMORY = 8 << 20
_PIECE = 1 << 16
_ETAG = re.compile(r'"([0-9a-f]{16})"')
_NO_REVISION = "0" * 16
"""Matches no memory: a foreign ETag never matches."""


class OperationRoute(Route):
    """The route of one operation."""

    def __init__(self, operation: Operation) -> None:
        path = f"{operation.path[:-1]}:path}}" if operation.has_slashes else operation.path
        super().__init__(path, _endpoint(operation), methods=[operation.method], name=operation.name)
        self.operation = operation
        self.methods = {operation.method}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        return match, {**child, "route": self}


def operation_routes() -> list[OperationRoute]:
    return [OperationRoute(operation) for operation in OPERATIONS]


def _endpoint(operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    handle = HANDLERS.get(operation.name) or _handler(operation)

    async def endpoint(request: Request) -> Response:
        context = RequestContext.of(request, operation.right)
        answer = await handle(context, await _read(operation, request))
        return answer if isinstance(answer, Response) else _response(operation, answer)

    return endpoint


def _handler(operation: Operation) -> Handler:
    """A handler that calls the engine in a thread."""

    async def handle(context: RequestContext, request: Any) -> Response:
        return await context.call_for(
            operation, lambda engine: _response(operation, operation.answer(engine, request)), request
        )

    return handle


def _response(operation: Operation, answer: WireResponse) -> Response:
    body = json.dumps(answer.to_json(), ensure_ascii=False, separators=(",", ":")).encode()
    response = Response(body, operation.status, media_type="application/json")
    if isinstance(answer, ShowResponse | EditResponse) and answer.revision:
        response.headers["ETag"] = f'"{answer.revision}"'
    return response


# --- requests ---------------------------------------------------------------------------------------------------------


async def _read(operation: Operation, request: Request) -> Strict:
    """Parse the request from path, query and body; `InvalidRequest` if its model refuses it."""
    model, query = operation.request, _query(operation.request, request)
    if not operation.has_body:
        return model.read(_with(request.path_params, query), as_text=True)
    if query:
        raise _unknown(next(iter(query)), "this operation takes a body, not a query")
    payload = await json_of(request)
    if not isinstance(payload, dict):
        return model.read(payload)
    if operation.name == "edit" and (tag := request.headers.get("if-match", "*").strip()) != "*":
        found = _ETAG.fullmatch(tag)
        payload["if_revision"] = found[1] if found else _NO_REVISION
    return model.read(_with(request.path_params, payload))


def _with(path: Json, payload: Json) -> Json:
    for name in path:
        if name in payload:
            raise _unknown(name, "it is part of the path")
    return {**payload, **path}


def _unknown(name: str, hint: str) -> InvalidRequest:
    return rejected([{"field": short(name), "message": "is unknown", "hint": hint}])


def _query(model: type[Strict], request: Request) -> Json:
    """The query parameters; a list field may be repeated."""
    lists, names = _lists(model), model.names()
    payload: Json = {}
    for name, value in request.query_params.multi_items():
        if own_name(name, names) in lists:
            payload.setdefault(name, []).append(value)
        else:
            payload[name] = value
    return payload


def _lists(model: type[Strict]) -> frozenset[str]:
    fields = schema_of(model).get("properties", {})
    kinds = {name: [each.get("type") for each in field.get("anyOf", [field])] for name, field in fields.items()}
    return frozenset(name for name, found in kinds.items() if "array" in found)


# --- operations with a handler of their own ---------------------------------------------------------------------------


async def _me(context: RequestContext, request: Any) -> MeResponse:
    tenant, caller = context.tenant(request), context.caller
    return MeResponse(
        agent=tenant.agent,
        user=tenant.user,
        rights=sorted(right.value for right in caller.rights),
        token=caller.token_id,
        version=__version__,
        contract=CONTRACT,
        turn_deadline_ms=context.state.engine.settings.hooks.deadline_ms,
    )


async def _recipes(context: RequestContext, _request: Any) -> RecipesResponse:
    default = context.state.engine.settings.recall.recipe
    return RecipesResponse(default=default, recipes=tuple(map(RecipeResponse.of, RECIPES.values())))


async def _status(context: RequestContext, request: Any) -> Response:
    found = await context.call(lambda engine: engine.status(), request)
    if Right.ADMIN not in context.caller.rights:
        # All users share the file: its size reveals what others do.
        found["store"].pop("bytes", None)
    return Response(json.dumps(found, ensure_ascii=False), media_type="application/json")


async def _search_files(context: RequestContext, request: MemorySearchRequest) -> WireResponse:
    """The search within its deadline; past it the host has gone on."""
    seconds = request.deadline_ms / 1000 if request.deadline_ms is not None else None
    return await context.call(lambda engine: BY_NAME["memory_search"].answer(engine, request), request, seconds=seconds)


async def _import(context: RequestContext, request: ImportRequest) -> WireResponse | Response:
    if request.trusted:
        context.caller.require(Right.ADMIN)
    return await _handler(BY_NAME["import"])(context, request)


async def _export(context: RequestContext, request: ExportRequest) -> Response:
    file = await context.long_call(lambda engine: _exported(engine, request), request)
    kind = "text/markdown; charset=utf-8" if request.format == "markdown" else "application/x-ndjson"
    return StreamingResponse(_pieces(file), media_type=kind)


def _exported(engine: Cortex, request: ExportRequest) -> IO[bytes]:
    """The whole export in a temporary file, so that it is one snapshot however slowly it is read."""
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed when it was sent
    try:
        if request.format == "markdown":
            for page in engine.export_markdown(request.filter(), as_of=request.as_of):
                file.write(page.text.encode())
        else:
            for line in _lines(engine, request):
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _lines(engine: Cortex, request: ExportRequest) -> Iterator[Json]:
    if request.format == "jsonl":
        return request.records(engine)
    pages = engine.export_markdown(request.filter(), by_scope=request.by_scope, as_of=request.as_of)
    return (asdict(page) for page in pages)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece


HANDLERS: dict[str, Handler] = {
    "before_turn": turns.before,
    "after_turn": turns.after,
    "changes": change_stream.changes,
    "list_tools": tools.list_tools,
    "call_tool": tools.call_tool,
    "me": _me,
    "recipes": _recipes,
    "status": _status,
    "memory_search": _search_files,
    "import": _import,
    "export": _export,
}
