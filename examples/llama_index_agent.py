"""A LlamaIndex agent that remembers from one session to the next: python examples/llama_index_agent.py FOLDER"""

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
from llama_index.core.memory import Memory

from cortex import Cortex
from cortex.integrations.llama_index import CortexMemoryBlock


class ScriptedModel(MockLLM):
    """Stands for a real model: it knows of peanuts only if its messages do."""

    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        knows = any("peanuts" in (message.content or "") for message in messages)
        answer = "You are allergic to peanuts." if knows else "I do not know."
        return ChatResponse(message=ChatMessage(role="assistant", content=f"Thought: I can answer.\nAnswer: {answer}"))


async def main(memory: Cortex) -> None:
    cortex = CortexMemoryBlock(memory, user="anna")
    agent = ReActAgent(llm=ScriptedModel(), system_prompt="You are helpful.", streaming=False)

    for day, question in {"monday": "I am allergic to peanuts.", "tuesday": "What am I allergic to?"}.items():
        chat = Memory.from_defaults(session_id=day, memory_blocks=[cortex])
        answer = await agent.run(question, memory=chat)
        print(f"{day}: {question} -> {answer}")
        cortex.hooks.flush()


with Cortex(sys.argv[1]) as memory:
    asyncio.run(main(memory))
