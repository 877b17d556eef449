"""A LangChain agent that remembers from one thread to the next: python examples/langchain_agent.py FOLDER"""

import sys
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from cortex import Cortex
from cortex.integrations.langchain import CortexMiddleware


class ScriptedModel(BaseChatModel):
    """Stands for a real model: it knows of peanuts only if its messages do."""

    _llm_type = "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        knows = any("peanuts" in message.text for message in messages)
        answer = "You are allergic to peanuts." if knows else "I do not know."
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer))])


with Cortex(sys.argv[1]) as memory:
    cortex = CortexMiddleware(memory)
    agent = create_agent(ScriptedModel(), system_prompt="You are helpful.", middleware=[cortex])

    for thread, question in {"monday": "I am allergic to peanuts.", "tuesday": "What am I allergic to?"}.items():
        config = {"configurable": {"thread_id": thread, "user_id": "anna"}}
        answer = agent.invoke({"messages": [("user", question)]}, config)["messages"][-1].text
        print(f"{thread}: {question} -> {answer}")
        cortex.hooks.flush()
