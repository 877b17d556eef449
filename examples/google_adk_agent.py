"""A Google ADK agent that remembers from one session to the next: python examples/google_adk_agent.py FOLDER"""

import asyncio
import sys
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types

from cortex import Cortex
from cortex.integrations.google_adk import CortexMemoryService


class ScriptedModel(BaseLlm):
    """Stands for a real model: it knows of peanuts only if its request does."""

    async def generate_content_async(self, request: LlmRequest, **_: Any) -> AsyncGenerator[LlmResponse, None]:
        answer = "You are allergic to peanuts." if "peanuts" in str(request) else "I do not know."
        yield LlmResponse(content=types.ModelContent(answer))


async def remember(callback_context: CallbackContext) -> None:
    await callback_context.add_session_to_memory()


async def main(memory: Cortex) -> None:
    agent = LlmAgent(
        name="helper",
        model=ScriptedModel(model="scripted"),
        instruction="You are helpful.",
        tools=[PreloadMemoryTool()],
        after_agent_callback=remember,
    )
    sessions = InMemorySessionService()
    service = CortexMemoryService(memory, timeout=60)
    runner = Runner(app_name="demo", agent=agent, session_service=sessions, memory_service=service)

    for day, question in {"monday": "I am allergic to peanuts.", "tuesday": "What am I allergic to?"}.items():
        await sessions.create_session(app_name="demo", user_id="anna", session_id=day)
        message = types.UserContent(question)
        async for event in runner.run_async(user_id="anna", session_id=day, new_message=message):
            if event.is_final_response() and event.content:
                print(f"{day}: {question} -> {event.content.parts[0].text}")


with Cortex(sys.argv[1]) as memory:
    asyncio.run(main(memory))
