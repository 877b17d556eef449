"""What is LangChain's own: tools, summaries, and runs without a thread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import LangChain, is_installed

from cortex import Cortex

pytestmark = [
    pytest.mark.skipif(not is_installed("langchain"), reason="langchain is not installed"),
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Cortex]:
    settings = {"hooks": {"deadline_ms": 60_000}, "embedding": {"provider": "none"}}
    with Cortex(tmp_path / "home", settings=settings) as opened:
        yield opened


@pytest.fixture
def agent(memory: Cortex) -> Iterator[LangChain]:
    made = LangChain(memory)
    yield made
    made.close()


def stored(memory: Cortex) -> list[tuple[str, str]]:
    """The texts of all turns, in order, with their sessions."""
    return [(trace.text, getattr(trace, "session", "")) for trace in memory.list()]


def invoke(agent: LangChain, *messages: Any, **config: Any) -> dict[str, Any]:
    done = agent.agent.invoke({"messages": list(messages)}, config)
    agent.flush()
    return dict(done)


def test_the_block_is_in_no_checkpoint_and_no_output(memory: Cortex, agent: LangChain) -> None:
    memory.remember("Anna is allergic to peanuts")
    thread = {"configurable": {"thread_id": "t1"}}
    done = invoke(agent, ("user", "What is Anna allergic to?"), **thread)
    assert "peanuts" in agent.requests[-1]
    assert done.keys() == {"messages"}
    assert "peanuts" not in str(list(agent.agent.checkpointer.list(thread)))


def test_what_a_tool_answers_and_what_a_middleware_summarizes_is_not_what_the_user_said(
    memory: Cortex, agent: LangChain
) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    summary = HumanMessage("The user lives in Oslo.", additional_kwargs={"lc_source": "summarization"})
    call = AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "1"}])
    answer = ToolMessage("The user lives in Rome.", tool_call_id="1")
    question = HumanMessage([{"type": "text", "text": "Where do I live?"}, {"type": "image_url", "image_url": "data:"}])
    invoke(agent, summary, question, call, answer, configurable={"thread_id": "t1"})
    assert [text for text, _ in stored(memory)] == ["Where do I live?", agent.answers[-1]]


def test_a_run_without_a_thread_stores_its_last_exchange(memory: Cortex, agent: LangChain) -> None:
    agent.agent.checkpointer = None
    first = [("user", "Good morning to you"), ("assistant", "Good morning!"), ("user", "I live in Oslo, by the sea")]
    invoke(agent, *first)
    invoke(agent, *first, ("assistant", agent.answers[0]), ("user", "And I have a boat"))
    invoke(agent, ("user", "Good morning to you"))
    texts = [text for text, _ in stored(memory)]
    one, two, three = agent.answers
    said = ["I live in Oslo, by the sea", one, "And I have a boat", two, "Good morning to you", three]
    assert texts == said
    assert len({session for _, session in stored(memory)}) == 3


def test_ids_may_be_numbers(memory: Cortex, agent: LangChain) -> None:
    invoke(agent, ("user", "I live in Oslo, by the sea"), configurable={"thread_id": 7, "user_id": 42})
    assert stored(memory.bind(user="42"))[0] == ("I live in Oslo, by the sea", "7")
