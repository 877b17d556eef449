"""Agents of real frameworks with a scripted model, driven alike: who says what in which session, and what it saw.

A driver imports its framework when it is made; frameworks that are not installed have none here.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import importlib.util
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from cortex import Cortex

WANTED = os.environ.get("CORTEX_FRAMEWORK", "")
"""The extra whose tests must run (`make e2e-frameworks`); others are skipped if they are not installed."""

MODULES = {
    "langchain": "langchain",
    "agent-framework": "agent_framework",
    "google-adk": "google.adk",
    "llama-index": "llama_index.core",
    "pydantic-ai": "pydantic_ai",
}
"""The module of each framework, by extra."""


def is_installed(extra: str) -> bool:
    package, _, module = MODULES[extra].partition(".")
    found = importlib.util.find_spec(package) is not None and (
        not module or importlib.util.find_spec(MODULES[extra]) is not None
    )
    assert found or extra != WANTED
    return found


def adapter(extra: str) -> Any:
    """The adapter of a framework."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # frameworks warn of their own libraries when they are imported
        return importlib.import_module(f"cortex.integrations.{extra.replace('-', '_')}")


class Driver(ABC):
    """An agent with a memory and a scripted model."""

    extra: str
    is_labeled = True
    """Whether memories reach the model in our own block."""
    stores_last_answer = True
    """Whether the framework shows the answer of a session's last turn to the adapter."""

    def __init__(self, memory: Cortex, **options: Any) -> None:
        self.requests: list[str] = []
        """What the model was given, request by request."""
        self.answers: list[str] = []
        self.loop = asyncio.Runner()
        self.adapter = adapter(self.extra)
        self.start(memory, options)
        self.flush()

    @abstractmethod
    def start(self, memory: Cortex, options: dict[str, Any]) -> None:
        """Make the agent."""

    @abstractmethod
    async def turn(self, text: str, session: str, user: str) -> str:
        """One turn of a session, which goes on from the one before."""

    @property
    @abstractmethod
    def hooks(self) -> Any:
        """The adapter's hooks."""

    def say(self, text: str, *, session: str, user: str = "anna") -> str:
        """Say something in a session; returns what the agent answers, once everything is stored."""
        answer = self.loop.run(self.turn(text, session, user))
        self.flush()
        return answer

    def flush(self) -> None:
        assert self.hooks.flush(60)

    def close(self) -> None:
        self.loop.close()

    def answered(self, *given: object) -> str:
        """What the model says to what it was given."""
        self.requests.append("\n".join(str(each) for each in given))
        self.answers.append(f"Understood, this is answer number {len(self.requests)}.")
        return self.answers[-1]


class LangChain(Driver):
    extra = "langchain"

    def start(self, memory: Cortex, options: dict[str, Any]) -> None:
        from langchain.agents import create_agent
        from langchain_core.language_models import BaseChatModel
        from langchain_core.messages import AIMessage
        from langchain_core.outputs import ChatGeneration, ChatResult
        from langgraph.checkpoint.memory import InMemorySaver

        driver = self

        class Model(BaseChatModel):
            _llm_type = "scripted"

            def _generate(self, messages: Sequence[Any], *_: Any, **__: Any) -> ChatResult:
                answer = driver.answered(*(message.text for message in messages))
                return ChatResult(generations=[ChatGeneration(message=AIMessage(answer))])

        self.middleware = self.adapter.CortexMiddleware(memory, **options)
        self.agent: Any = create_agent(
            Model(), system_prompt="You are helpful.", middleware=[self.middleware], checkpointer=InMemorySaver()
        )

    @property
    def hooks(self) -> Any:
        return self.middleware.hooks

    async def turn(self, text: str, session: str, user: str) -> str:
        done = await self.agent.ainvoke(*self.arguments(text, session, user))
        return str(done["messages"][-1].text)

    def arguments(self, text: str, session: str, user: str) -> tuple[Any, Any]:
        return {"messages": [("user", text)]}, {"configurable": {"thread_id": session, "user_id": user}}


class SyncLangChain(LangChain):
    async def turn(self, text: str, session: str, user: str) -> str:
        done = await asyncio.to_thread(self.agent.invoke, *self.arguments(text, session, user))
        return str(done["messages"][-1].text)


class AgentFramework(Driver):
    extra = "agent-framework"

    def start(self, memory: Cortex, options: dict[str, Any]) -> None:
        from agent_framework import Agent, BaseChatClient, ChatResponse, Message

        driver = self

        class Client(BaseChatClient):  # type: ignore[misc]
            async def _inner_get_response(self, *, messages: Sequence[Any], options: Any, **_: Any) -> ChatResponse:
                answer = driver.answered(options.get("instructions"), *(message.text for message in messages))
                return ChatResponse(messages=[Message("assistant", [answer])])

        given = {"user": lambda session: session.state["user"], **options}
        self.provider = self.adapter.CortexContextProvider(memory, **given)
        self.agent: Any = Agent(Client(), "You are helpful.", context_providers=[self.provider])
        self.sessions: dict[str, Any] = {}

    @property
    def hooks(self) -> Any:
        return self.provider.hooks

    async def turn(self, text: str, session: str, user: str) -> str:
        if session not in self.sessions:
            self.sessions[session] = self.agent.create_session(session_id=session)
            self.sessions[session].state["user"] = user
        return str((await self.agent.run(text, session=self.sessions[session])).text)


class GoogleAdk(Driver):
    extra = "google-adk"
    is_labeled = False

    def start(self, memory: Cortex, options: dict[str, Any]) -> None:
        from google.adk.agents import LlmAgent
        from google.adk.models import BaseLlm, LlmResponse
        from google.adk.runners import Runner
        from google.adk.sessions import InMemorySessionService
        from google.adk.tools.preload_memory_tool import PreloadMemoryTool
        from google.genai import types

        driver = self

        class Model(BaseLlm):
            async def generate_content_async(self, request: Any, **_: Any) -> AsyncGenerator[Any, None]:
                texts = [part.text for content in request.contents for part in content.parts]
                answer = driver.answered(request.config.system_instruction, *texts)
                yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=answer)]))

        async def remember(callback_context: Any) -> None:
            await callback_context.add_session_to_memory()

        self.service = self.adapter.CortexMemoryService(memory, **{"timeout": 60.0, "agent": "main", **options})
        agent = LlmAgent(
            name="helper",
            model=Model(model="scripted"),
            instruction="You are helpful.",
            tools=[PreloadMemoryTool()],
            after_agent_callback=remember,
        )
        self.sessions = InMemorySessionService()
        self.runner: Any = Runner(
            app_name="demo", agent=agent, session_service=self.sessions, memory_service=self.service
        )
        self.types = types

    @property
    def hooks(self) -> Any:
        return self.service.hooks

    async def turn(self, text: str, session: str, user: str) -> str:
        ids = {"app_name": "demo", "user_id": user, "session_id": session}
        if await self.sessions.get_session(**ids) is None:
            await self.sessions.create_session(**ids)
        message = self.types.Content(role="user", parts=[self.types.Part(text=text)])
        said = ""
        async for event in self.runner.run_async(user_id=user, session_id=session, new_message=message):
            if event.is_final_response() and event.content:
                said = event.content.parts[0].text
        return said


class LlamaIndex(Driver):
    extra = "llama-index"
    stores_last_answer = False

    def start(self, memory: Cortex, options: dict[str, Any]) -> None:
        from llama_index.core.chat_engine import SimpleChatEngine
        from llama_index.core.llms import ChatMessage, ChatResponse, MockLLM
        from llama_index.core.memory import Memory
        from sqlalchemy.ext.asyncio import create_async_engine

        driver = self

        class Model(MockLLM):
            async def achat(self, messages: Sequence[Any], **_: Any) -> ChatResponse:
                answer = driver.answered(*(message.content for message in messages))
                return ChatResponse(message=ChatMessage(role="assistant", content=answer))

        given = {"user": lambda session: session.partition("/")[0], **options}
        self.block = self.adapter.CortexMemoryBlock(memory, **given)
        self.chats: dict[str, Any] = {}
        self.engine = create_async_engine("sqlite+aiosqlite:///:memory:")
        memory_of = functools.partial(Memory.from_defaults, memory_blocks=[self.block], async_engine=self.engine)
        self.new = lambda session: SimpleChatEngine.from_defaults(llm=Model(), memory=memory_of(session_id=session))

    @property
    def hooks(self) -> Any:
        return self.block.hooks

    async def turn(self, text: str, session: str, user: str) -> str:
        chat = self.chats.setdefault(session, self.new(f"{user}/{session}"))
        return str((await chat.achat(text)).response)

    def close(self) -> None:
        self.loop.run(self.engine.dispose())
        super().close()


class PydanticAi(Driver):
    extra = "pydantic-ai"

    def start(self, memory: Cortex, options: dict[str, Any]) -> None:
        from pydantic_ai import Agent
        from pydantic_ai.messages import ModelResponse, TextPart
        from pydantic_ai.models.function import FunctionModel

        def model(messages: list[Any], info: Any) -> ModelResponse:
            contents = [str(part.content) for message in messages for part in message.parts]
            return ModelResponse([TextPart(self.answered(*contents))])

        given = {"user": lambda context: context.deps, **options}
        self.capability = self.adapter.CortexMemory(memory, **given)
        self.agent: Any = Agent(FunctionModel(model), deps_type=str, capabilities=[self.capability])
        self.histories: dict[str, Any] = {}

    @property
    def hooks(self) -> Any:
        return self.capability.hooks

    async def turn(self, text: str, session: str, user: str) -> str:
        done = await self.agent.run(
            text, deps=user, conversation_id=session, message_history=self.histories.get(session)
        )
        self.histories[session] = done.all_messages()
        return str(done.output)


DRIVERS: tuple[type[Driver], ...] = tuple(
    driver
    for driver in (LangChain, SyncLangChain, AgentFramework, GoogleAdk, LlamaIndex, PydanticAi)
    if is_installed(driver.extra)
)
"""Of the frameworks that are installed."""
