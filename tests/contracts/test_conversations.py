"""Sessions as conversations: each claim runs on every store, over the present and the past."""

from __future__ import annotations

from datetime import timedelta

from samples import AT, MINUTE, Desk, id_, memory, turn

from cortex.domain.conversations import Conversation
from cortex.domain.events import EventKind
from cortex.ports.store import Put


def test_conversations_are_listed_by_their_last_turn_and_walked_in_pages(anna: Desk, boris: Desk) -> None:
    for number in range(5):
        session = f"s/{number % 3}"
        anna.put(turn(number + 1, f"Line {number}", session=session, seq=number // 3, created_at=AT + number * MINUTE))
    boris.put(turn(20, session="his"))
    anna.put(memory(10, source_turns=(id_(1), id_(4))), memory(11, source_turns=(id_(4),)), memory(12))
    whole = [
        Conversation("s/1", 2, 0, AT + MINUTE, AT + 4 * MINUTE, "Line 1"),
        Conversation("s/0", 2, 2, AT, AT + 3 * MINUTE, "Line 0"),
        Conversation("s/2", 1, 0, AT + 2 * MINUTE, AT + 2 * MINUTE, "Line 2"),
    ]
    for as_of in (None, anna.position):
        with anna.view(as_of) as view:
            assert view.conversations() == whole
            first = view.conversations(limit=2)
            assert first == whole[:2]
            assert view.conversations((first[-1].last_at, first[-1].session), 2) == whole[2:]
            assert view.conversations(named="S/2") == whole[2:]
    anna.apply(Put(turn(9, session="s/2", seq=1, created_at=AT + timedelta(hours=1)), EventKind.SAID))
    with anna.view() as view:
        assert [each.session for each in view.conversations()] == ["s/2", "s/1", "s/0"]
