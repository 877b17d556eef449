"""What is LlamaIndex's own: messages that no longer fit, and turns with tools."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import adapter, is_installed

from cortex import Cortex

pytestmark = [
    pytest.mark.skipif(not is_installed("llama-index"), reason="llama-index-core is not installed"),
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Cortex]:
    settings = {"hooks": {"deadline_ms": 60_000}, "embedding": {"provider": "none"}}
    with Cortex(tmp_path / "home", settings=settings) as opened:
        yield opened


@pytest.fixture
def block(memory: Cortex) -> Iterator[Any]:
    made = adapter("llama-index").CortexMemoryBlock(memory)
    yield made
    assert made.hooks.flush(60)


def message(role: str, text: str | None) -> Any:
    from llama_index.core.llms import ChatMessage

    return ChatMessage(role=role, content=text)


def stored(block: Any, memory: Cortex) -> list[str]:
    assert block.hooks.flush(60)
    return [trace.text for trace in memory.list() if hasattr(trace, "session")]


def test_messages_that_no_longer_fit_are_stored_once(block: Any, memory: Cortex) -> None:
    said = [message("user", "I live in Oslo"), message("assistant", "Noted."), message("user", "I have a boat")]
    asyncio.run(block.aget(said, session_id="s1"))
    asyncio.run(block.aput(said[:2], from_short_term_memory=True, session_id="s1"))
    asyncio.run(block.aget([*said[2:], message("assistant", "A boat!")], session_id="s1"))
    assert stored(block, memory) == ["I live in Oslo", "Noted.", "I have a boat", "A boat!"]
    assert {getattr(turn, "session", "") for turn in memory.list()} == {"s1"}


def test_a_turn_with_tools_recalls_once(block: Any, memory: Cortex) -> None:
    memory.remember("Anna lives in Oslo")
    question = message("user", "Where does Anna live?")
    step = [question, message("assistant", None), message("tool", "Anna lives in Rome."), question]
    assert block.hooks.flush(60)
    blocks = [asyncio.run(block.aget(given, session_id="s1")) for given in ([question], step)]
    assert "Oslo" in blocks[0]
    assert blocks[0] == blocks[1]
    assert stored(block, memory) == ["Where does Anna live?"]
