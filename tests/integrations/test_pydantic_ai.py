"""What is Pydantic AI's own: the history, tools and streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import PydanticAi, adapter, is_installed

from cortex import Cortex

pytestmark = [
    pytest.mark.skipif(not is_installed("pydantic-ai"), reason="pydantic-ai-slim is not installed"),
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Cortex]:
    settings = {"hooks": {"deadline_ms": 60_000}, "embedding": {"provider": "none"}}
    with Cortex(tmp_path / "home", user="anna", settings=settings) as opened:
        yield opened


@pytest.fixture
def agent(memory: Cortex) -> Iterator[PydanticAi]:
    made = PydanticAi(memory)
    yield made
    made.close()


def test_the_history_has_no_memories(memory: Cortex, agent: PydanticAi) -> None:
    memory.remember("Anna is allergic to peanuts")
    agent.say("What is Anna allergic to?", session="s1")
    agent.say("How old is the tower in Pisa?", session="s1")
    assert "peanuts" in agent.requests[0]
    assert "peanuts" not in agent.requests[1]
    assert "peanuts" not in str(agent.histories)


def test_a_turn_with_a_tool_recalls_once_and_stores_no_answer_of_the_tool(memory: Cortex) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    requests: list[str] = []

    def model(messages: list[Any], info: Any) -> ModelResponse:
        requests.append(str(messages))
        return ModelResponse([TextPart("You live by the sea.") if requests[1:] else ToolCallPart("look_up", {})])

    memory.remember("Anna lives in Oslo")
    capability = adapter("pydantic-ai").CortexMemory(memory)
    asking: Any = Agent(FunctionModel(model), deps_type=str, capabilities=[capability])
    asking.tool_plain(lambda: "Anna lives in Rome.", name="look_up")
    asyncio.run(asking.run("Where does Anna live?", deps="anna", conversation_id="s1"))
    assert capability.hooks.flush(60)
    assert ["Anna lives in Oslo" in request for request in requests] == [True, True]
    said = [trace.text for trace in memory.list() if hasattr(trace, "session")]
    assert said == ["Where does Anna live?", "You live by the sea."]


def test_a_streamed_run_is_stored_too(memory: Cortex) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel

    async def stream(messages: list[Any], info: Any) -> AsyncIterator[str]:
        yield "You live "
        yield "by the sea."

    capability = adapter("pydantic-ai").CortexMemory(memory)
    assert capability.hooks.flush(60)
    asking: Any = Agent(FunctionModel(stream_function=stream), deps_type=str, capabilities=[capability])

    async def run() -> None:
        async with asking.run_stream("Where does Anna live?", deps="anna", conversation_id="s1") as streamed:
            assert await streamed.get_output() == "You live by the sea."

    asyncio.run(run())
    assert capability.hooks.flush(60)
    assert [trace.text for trace in memory.list()] == ["Where does Anna live?", "You live by the sea."]
