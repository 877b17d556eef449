"""Conversations as a person reads them (S6)."""

from __future__ import annotations

import pytest

from cortex import Cortex
from cortex.domain.turn import Role, TurnDraft
from cortex.errors import InvalidRequest, NotFound


def test_turns_come_in_order_page_by_page_with_what_was_extracted(engine: Cortex) -> None:
    """S6"""
    turns = engine.store_turns("a/b", [TurnDraft(text=f"Line {number}", role=Role.USER) for number in range(7)]).ids
    extracted = engine.remember("The port is 8300", source_turns=(turns[3], turns[5]), as_new=True).memory
    seen, after = [], -1
    while True:
        found = engine.conversation("a/b", after=after, limit=3)
        seen += found.turns
        assert [memory.id for memory in found.memories] == ([extracted.id] if after == 2 else [])
        if found.next is None:
            break
        after = found.next
    assert [turn.id for turn in seen] == list(turns)
    around = engine.conversation("a/b", after=3 - 3, limit=5)
    assert [turn.seq for turn in around.turns] == [1, 2, 3, 4, 5]
    assert around.last == 6
    (conversation,) = engine.conversations()
    assert (conversation.turns, conversation.memories, conversation.opening) == (7, 1, "Line 0")


def test_pages_of_conversations_go_on_from_their_cursor(engine: Cortex) -> None:
    """S6"""
    for number in range(3):
        engine.store_turns(f"s~{number}", [TurnDraft(text="Good morning")])
    first = engine.conversations(limit=2)
    rest = engine.conversations(limit=2, after=first.next)
    assert {each.session for each in [*first, *rest]} == {"s~0", "s~1", "s~2"}
    assert rest.next is None


def test_what_is_not_there_is_said_by_name(engine: Cortex) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        engine.conversation("nowhere")
    with pytest.raises(InvalidRequest, match="after"):
        engine.conversations(after="yesterday")
    with pytest.raises(InvalidRequest, match="limit"):
        engine.conversation("nowhere", limit=0)
