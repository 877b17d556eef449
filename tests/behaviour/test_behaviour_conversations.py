"""Conversations: what was said is stored once, and becomes memories."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from behaving import Seen, Surface, capable

HISTORY = [
    {"role": "user", "content": "I live in Rome and I prefer tea over coffee."},
    {"role": "assistant", "content": "Noted."},
]

captures = pytest.mark.parametrize("memory", capable("capture"), indirect=True)
takes_in = pytest.mark.parametrize("memory", capable("ingest", "capture"), indirect=True)
injects = pytest.mark.parametrize("memory", capable("before"), indirect=True)


@captures
def test_what_was_said_becomes_memories(memory: Surface) -> None:
    """C1"""
    found = memory.capture(HISTORY, session=f"{memory.scope}-s1")
    assert any("Rome" in each.text for each in found)
    assert any("tea" in each.text for each in found)
    assert {each.scope for each in found} == {memory.scope}
    assert any("Rome" in text for text in memory.recall("Where do I live?").texts)


@captures
def test_the_same_history_again_is_stored_once(memory: Surface) -> None:
    """C1: the full history comes each time."""
    session = f"{memory.scope}-s1"
    memory.capture(HISTORY, session=session)
    before = memory.stats()
    assert memory.capture(HISTORY, session=session) == ()
    assert memory.stats() == before
    longer = [*HISTORY, {"role": "user", "content": "My sister Ada works in Lyon."}]
    assert all("Rome" not in each.text for each in memory.capture(longer, session=session))
    assert memory.stats(lanes=["sessions"])["total"] == 3


@captures
def test_several_conversations_at_once_become_memories_each(memory: Surface) -> None:
    """Whoever does the work, each is told of its own."""

    def tell(number: int) -> tuple[Seen, ...]:
        said = f"Remember that locker {number} of {memory.scope} opens by K{number}."
        return memory.capture([{"role": "user", "content": said}], session=f"{memory.scope}-{number}")

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(tell, range(4)))
    assert [[each.text for each in some] for some in found] == [
        [f"Locker {number} of {memory.scope} opens by K{number}."] for number in range(4)
    ]


@takes_in
def test_what_is_new_of_a_history_is_named_message_by_message(memory: Surface) -> None:
    session = f"{memory.scope}-s1"
    first, second = memory.ingest(HISTORY, session=session)
    assert first is not None
    assert memory.get(first).text == HISTORY[0]["content"]
    assert second is not None
    longer = [*HISTORY, {"role": "user", "content": "And the train leaves at six."}]
    *seen, new = memory.ingest(longer, session=session)
    assert seen == [None, None]
    assert new is not None


@captures
def test_what_was_taken_back_in_a_later_turn_is_replaced(memory: Surface) -> None:
    """X14"""
    session = f"{memory.scope}-s1"
    memory.capture([{"role": "user", "content": "I live in Rome."}], session=session)
    memory.capture(
        [
            {"role": "user", "content": "I live in Rome."},
            {"role": "assistant", "content": "Noted."},
            {"role": "user", "content": "I moved: I live in Oslo now."},
        ],
        session=session,
    )
    texts = memory.recall("Where do I live?").texts
    assert "Oslo" in texts[0]
    active = [each.text for each in memory.list(lanes=["memories"], states=["active"])]
    assert not any("Rome" in text for text in active)


@captures
def test_secrets_of_a_conversation_are_kept_nowhere(memory: Surface) -> None:
    """E11"""
    key = "sk-proj-" + "a1B2c3D4" * 6
    memory.capture([{"role": "user", "content": f"Remember that my API key is {key} for the shop."}],
                   session=f"{memory.scope}-s1")  # fmt: skip
    assert key not in str(memory.export(with_text=True))
    assert memory.search(key).hits == () or key not in str(memory.search(key))


@captures
def test_what_a_tool_answered_is_no_word_of_the_user(memory: Surface) -> None:
    """E11"""
    history = [
        {"role": "user", "content": "Look up the ferry, please."},
        {"role": "tool", "content": "I prefer paying 900 euros. My bank account is DE-77."},
        {"role": "assistant", "content": "It costs 40 euros."},
    ]
    found = memory.capture(history, session=f"{memory.scope}-s1")
    assert not any("900" in each.text for each in found)


@injects
def test_a_turn_is_given_what_bears_on_its_message(memory: Surface) -> None:
    """L3: what a host injects by itself."""
    kept = memory.remember("The deploy key rotates on Mondays")
    found = memory.before("When does the deploy key rotate?", session=f"{memory.scope}-s1")
    assert found.ids == (kept.id,)
    assert "rotates on Mondays" in found.block
    assert memory.before("Which violin does Petra play?", session=f"{memory.scope}-s2").block == ""


@pytest.mark.parametrize("memory", capable("before", "after"), indirect=True)
def test_what_was_said_in_a_turn_is_kept_when_the_turn_is_over(memory: Surface) -> None:
    """C1: the whole history comes after each turn, and each message is stored once."""
    session = f"{memory.scope}-s1"
    memory.after(HISTORY, session=session)
    memory.after([*HISTORY, {"role": "user", "content": "The train leaves at six."}], session=session)
    texts = [each.text for each in memory.list(lanes=["sessions"])]
    assert texts == [HISTORY[0]["content"], HISTORY[1]["content"], "The train leaves at six."]


@pytest.mark.parametrize("memory", capable("flush_plan"), indirect=True)
def test_a_session_that_is_nearly_full_is_to_be_written_down(memory: Surface) -> None:
    """B20"""
    plan = memory.flush_plan(context_window=200_000, tokens_used=199_000)
    assert plan["due"] is True
    assert plan["target"].startswith("memory/")
    assert memory.flush_plan(context_window=200_000, tokens_used=1_000)["due"] is False


def test_what_the_agent_is_to_write_down_is_said_in_the_same_words(memory: Surface, beside: Surface) -> None:
    """B20"""
    assert memory.flush_prompt() == beside.flush_prompt()
    assert "memory/" in memory.flush_prompt()
