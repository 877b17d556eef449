"""A Pydantic AI agent that remembers from one conversation to the next: python examples/pydantic_ai_agent.py FOLDER"""

import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cortex import Cortex
from cortex.integrations.pydantic_ai import CortexMemory


def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Stands for a real model: it knows of peanuts only if its messages do."""
    knows = "peanuts" in str(messages)
    return ModelResponse([TextPart("You are allergic to peanuts." if knows else "I do not know.")])


with Cortex(sys.argv[1]) as memory:
    cortex = CortexMemory(memory, user=lambda context: context.deps)
    agent = Agent(FunctionModel(scripted), deps_type=str, instructions="You are helpful.", capabilities=[cortex])

    for day, question in {"monday": "I am allergic to peanuts.", "tuesday": "What am I allergic to?"}.items():
        answer = agent.run_sync(question, deps="anna", conversation_id=day).output
        print(f"{day}: {question} -> {answer}")
        cortex.hooks.flush()
