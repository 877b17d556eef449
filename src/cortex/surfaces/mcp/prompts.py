"""The one prompt: a last turn in which the agent writes down what must not be lost (B20)."""

from __future__ import annotations

import mcp_types as types

from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.surfaces.wire.model import short
from cortex.workspace.flush import FlushSession

FLUSH = types.Prompt(
    name="flush",
    title="Write down what must not be lost",
    description="Ask the agent to write down what later sessions need, before this conversation is compacted.",
    arguments=[
        types.PromptArgument(
            name="timezone",
            description="The time zone of today's date, such as Europe/Berlin; the operator's by default.",
            required=False,
        )
    ],
)


def flush(engine: Cortex, given: dict[str, str]) -> types.GetPromptResult:
    """The prompt for the agent, whether or not a flush is due."""
    if unknown := sorted(given.keys() - {"timezone"}):
        raise InvalidRequest("is unknown", field=short(unknown[0]), hint="known fields: timezone")
    plan = engine.flush_plan(FlushSession(context_window=1, tokens_used=0), timezone=given.get("timezone"))
    content = types.TextContent(type="text", text=f"{plan.system_prompt}\n\n{plan.prompt}")
    return types.GetPromptResult(
        description=FLUSH.description, messages=[types.PromptMessage(role="user", content=content)]
    )
