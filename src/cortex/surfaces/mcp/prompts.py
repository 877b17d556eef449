"""The one prompt there is: a last turn in which the agent writes down what must not be lost (B20)."""

from __future__ import annotations

import mcp_types as types

from cortex.errors import InvalidRequest
from cortex.memory import Cortex
from cortex.surfaces.wire.model import short
from cortex.workspace.flush import SessionState

FLUSH = types.Prompt(
    name="flush",
    title="Write down what must not be lost",
    description="Have the agent write down what a later session has to know, before this conversation is shortened.",
    arguments=[
        types.PromptArgument(
            name="timezone",
            description="Whose day it is, such as Europe/Berlin; the operator's by default.",
            required=False,
        )
    ],
)


def flush(engine: Cortex, given: dict[str, str]) -> types.GetPromptResult:
    """What to say to the agent. Whether it is time for that, whoever asks has decided."""
    if unknown := sorted(given.keys() - {"timezone"}):
        raise InvalidRequest("is not known here", field=short(unknown[0]), hint="known fields: timezone")
    plan = engine.flush_plan(SessionState(context_window=1, tokens_used=0), timezone=given.get("timezone"))
    said = types.TextContent(type="text", text=f"{plan.system_prompt}\n\n{plan.prompt}")
    return types.GetPromptResult(
        description=FLUSH.description, messages=[types.PromptMessage(role="user", content=said)]
    )
