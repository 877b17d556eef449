"""A Microsoft Agent Framework agent that remembers: python examples/agent_framework_agent.py FOLDER"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from cortex import Cortex
from cortex.integrations.agent_framework import CortexContextProvider


class ScriptedClient(BaseChatClient):
    """Stands for a real model: it knows of peanuts only if its instructions or messages do."""

    async def _inner_get_response(self, *, messages: Sequence[Message], options: Any, **_: Any) -> ChatResponse:
        knows = "peanuts" in str(options.get("instructions")) + "".join(message.text for message in messages)
        answer = "You are allergic to peanuts." if knows else "I do not know."
        return ChatResponse(messages=[Message("assistant", [answer])])


async def main(memory: Cortex) -> None:
    cortex = CortexContextProvider(memory, user="anna")
    agent = Agent(ScriptedClient(), "You are helpful.", context_providers=[cortex])

    for day, question in {"monday": "I am allergic to peanuts.", "tuesday": "What am I allergic to?"}.items():
        answer = await agent.run(question, session=agent.create_session(session_id=day))
        print(f"{day}: {question} -> {answer.text}")
        cortex.hooks.flush()


with Cortex(sys.argv[1]) as memory:
    asyncio.run(main(memory))
