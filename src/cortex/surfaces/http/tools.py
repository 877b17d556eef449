"""The tools of a model over plain HTTP: the same names, schemas and texts as over MCP."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from cortex.errors import NotFound
from cortex.memory import Cortex
from cortex.progress import silent
from cortex.surfaces.http.access import forbidden
from cortex.surfaces.http.errors import RequestRefused
from cortex.surfaces.http.request_context import RequestContext
from cortex.surfaces.http.server_file import CONTRACT
from cortex.surfaces.mcp.tools import OfferedTool, offered
from cortex.surfaces.wire.model import Json
from cortex.surfaces.wire.tools import ToolCallRequest, ToolCallResponse, ToolsRequest, ToolsResponse


async def list_tools(context: RequestContext, request: ToolsRequest) -> ToolsResponse:
    tools = _listed(request.profile, context.state.engine.settings.limits.max_text_bytes)
    return ToolsResponse(contract=CONTRACT, tools=list(tools))


@cache
def _listed(profile: str, max_text_bytes: int) -> tuple[Json, ...]:
    return tuple(_described(tool, max_text_bytes) for tool in offered(profile).values())


def _described(tool: OfferedTool, max_text_bytes: int) -> Json:
    return {
        "name": tool.name,
        "title": tool.tool.title,
        "description": tool.description,
        "owner_only": tool.tool.owner_only,
        "read_only": not tool.writes,
        "destructive": tool.tool.destructive,
        "input_schema": tool.schema(max_text_bytes),
    }


async def call_tool(context: RequestContext, request: ToolCallRequest) -> ToolCallResponse:
    """What a model's call answers, for the chat it was made in."""
    tool = offered(request.profile).get(request.name)
    if tool is None:
        raise NotFound(f"there is no tool {request.name}", hint="GET /v1/tools lists them")
    if tool.tool.owner_only and not request.owner:
        raise RequestRefused(forbidden(f"{tool.name} is for the agent's owner", "ask the owner to run it"))
    context.caller.require(tool.operation.right)
    arguments = tool.read(request.given)

    def answer(engine: Cortex) -> ToolCallResponse:
        said, values = tool.answered(engine, arguments, silent, cite=engine.context.cites())
        return ToolCallResponse(text=said, structured=values)

    return await replace(context, right=tool.operation.right).call_for(tool.operation, answer, request)
