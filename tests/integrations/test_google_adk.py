"""What is Google ADK's own: events, entries and their ids."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from frameworks import adapter, is_installed

from cortex import Cortex
from cortex.errors import InvalidRequest

pytestmark = [
    pytest.mark.skipif(not is_installed("google-adk"), reason="google-adk is not installed"),
    pytest.mark.filterwarnings("default"),
]
WHOSE = {"app_name": "demo", "user_id": "anna"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Cortex]:
    settings = {"recall": {"deadline_ms": 60_000}, "embedding": {"provider": "none"}}
    with Cortex(tmp_path / "home", settings=settings) as opened:
        yield opened


@pytest.fixture
def service(memory: Cortex) -> Iterator[Any]:
    made = adapter("google-adk").CortexMemoryService(memory, timeout=60.0)
    yield made
    assert made.hooks.flush(60)


def found(service: Any, query: str) -> list[Any]:
    return list(asyncio.run(service.search_memory(**WHOSE, query=query)).memories)


def content(text: str) -> Any:
    from google.genai import types

    return types.Content(role="user", parts=[types.Part(text=text)])


def event(author: str, text: str, **fields: Any) -> Any:
    from google.adk.events.event import Event

    return Event(author=author, content=content(text), **fields)


def test_the_app_is_the_agent(service: Any, memory: Cortex) -> None:
    asyncio.run(service.add_events_to_memory(**WHOSE, events=[event("user", "I live in Oslo")], session_id="s1"))
    assert memory.list() == []
    (turn,) = memory.bind(agent="demo", user="anna").list()
    assert (turn.text, turn.created_at.year > 2000) == ("I live in Oslo", True)


def test_events_are_stored_once_and_take_nothing_back(service: Any, memory: Cortex) -> None:
    first = [event("user", "Good morning"), event("helper", "Good morning!"), event("user", "I live in Oslo")]
    later = [event("user", "Good morning"), event("helper", "Welcome back!")]
    partial = event("helper", "Wel", partial=True)
    for events in (first, [*later, partial], first):
        asyncio.run(service.add_events_to_memory(**WHOSE, events=events, session_id="s1"))
    texts = [turn.text for turn in memory.bind(agent="demo", user="anna").list()]
    assert texts == ["Good morning", "Good morning!", "I live in Oslo", "Welcome back!"]


def test_an_entry_is_remembered_found_by_its_id_and_deleted(service: Any) -> None:
    from google.adk.memory.memory_entry import MemoryEntry

    entries = [
        MemoryEntry(content=content("Anna is allergic to peanuts"), author="user", timestamp="2026-01-05T10:00:00"),
        MemoryEntry(content=content("   ")),
        MemoryEntry(content=content("Anna lives in Oslo"), timestamp="last week"),
    ]
    asyncio.run(service.add_memory(**WHOSE, memories=entries))
    entry = found(service, "What is Anna allergic to?")[0]
    assert (entry.content.parts[0].text, entry.timestamp) == (
        "Anna is allergic to peanuts",
        "2026-01-05T10:00:00+00:00",
    )
    assert entry.custom_metadata["trust"] == "trusted"
    assert found(service, "Where does Anna live?")
    asyncio.run(service.delete_memory(**WHOSE, memory_id=entry.id))
    assert entry.id not in {each.id for each in found(service, "What is Anna allergic to?")}
    with pytest.raises(InvalidRequest):
        asyncio.run(service.delete_memory(**WHOSE, memory_id="not an id"))


def test_a_search_that_takes_too_long_finds_nothing(memory: Cortex, caplog: pytest.LogCaptureFixture) -> None:
    memory.bind(agent="demo", user="anna").remember("Anna is allergic to peanuts")
    hasty = adapter("google-adk").CortexMemoryService(memory, timeout=0.0)
    assert found(hasty, "What is Anna allergic to?") == []
    assert hasty.hooks.flush(60)
    assert "google-adk: search_memory: deadline_exceeded" in caplog.text
