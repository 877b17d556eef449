"""The tools of a model, for hosts that show them without an MCP session."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cortex.surfaces.wire.fields import Short
from cortex.surfaces.wire.model import ChatRequest, Json, Response, Strict, example

ProfileName = Literal["model", "canonical"]


class ToolsRequest(Strict):
    """Which names the tools are listed under."""

    profile: ProfileName = Field("canonical", description="`canonical`: the names hosts such as OpenClaw know.")


class ToolsResponse(Response):
    """Every tool, as MCP lists it."""

    contract: int = Field(description="The version of what hosts and servers agree on.")
    tools: list[Json]

    model_config = example({
        "contract": 1,
        "tools": [{"name": "memory_get", "title": "Read lines of a memory file", "owner_only": False,
        "read_only": True, "destructive": False, "input_schema": {"type": "object", "properties": {}}}],
    })  # fmt: skip


class ToolCallRequest(ChatRequest):
    """A call that a model made."""

    name: Short = Field(description="The tool, as it was listed.")
    given: Json = Field(default_factory=dict, alias="arguments", description="What the model gave it.")
    profile: ProfileName = Field("canonical", description="The names the tools were listed under.")
    owner: bool = Field(True, description="Whether the agent's owner speaks. Some tools are for the owner alone.")

    model_config = example({"arguments": {"query": "deploy key"}, "chat": "direct", "sender": "42"})


class ToolCallResponse(Response):
    """What the model is shown, and the same as plain values."""

    text: str
    structured: Json

    model_config = example({"text": "- The deploy key rotates on Mondays", "structured": {}})
