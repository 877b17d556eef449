"""Reading conversations: which there are, and their turns with what was extracted from each (S6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cortex.context import Context
from cortex.domain.conversations import Before, Conversation
from cortex.domain.memory import Memory
from cortex.domain.query import MAX_LIMIT
from cortex.domain.scope import checked_label
from cortex.domain.trace import parse_time
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import RESERVED


class ConversationPage(list[Conversation]):
    """One page of conversations. `next` is where the next one begins, None on the last."""

    def __init__(self, found: Iterable[Conversation] = (), next: str | None = None) -> None:
        super().__init__(found)
        self.next = next


@dataclass(frozen=True, slots=True)
class ConversationTurns:
    """Some turns of a session in their order, and the memories that were extracted from them."""

    session: str
    turns: tuple[Turn, ...]
    memories: tuple[Memory, ...]
    last: int
    """The place of the last turn of the session; places count from 0."""
    next: int | None
    """The place after which the next turns follow; None at the end."""


class ConversationService:
    """The conversations of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def all(self, *, after: str | None = None, limit: int = 50, contains: str = "") -> ConversationPage:
        before = _place(after) if after else None
        _check_limit(limit)
        with self._context.recording("conversations") as record, self._context.reading() as view:
            found = view.conversations(before, limit, contains)
            end = f"{found[-1].last_at.isoformat()}~{found[-1].session}" if len(found) == limit else None
            record.close(view.position, returned=len(found))
            return ConversationPage(found, end)

    def one(self, id: str, *, after: int = -1, limit: int = 100) -> ConversationTurns:
        checked_label(id, "id")
        _check_limit(limit)
        with self._context.recording("conversation") as record, self._context.reading() as view:
            last = view.last_seq(id)
            if last < 0 or id.startswith(RESERVED):
                raise NotFound(f"no turns of a session {id[:80]!r}", hint="see `GET /v1/conversations`")
            turns = view.turns(id, after, limit)
            memories = view.derived([turn.id for turn in turns]) if turns else []
            record.touch(turn.id for turn in turns)
            record.close(view.position, turns=len(turns), memories=len(memories))
        end = turns[-1].seq if turns and turns[-1].seq < last else None
        return ConversationTurns(id, tuple(turns), tuple(memories), last, end)


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidRequest(f"{limit} is outside 1 to {MAX_LIMIT}", field="limit", hint="give another")


def _place(cursor: str) -> Before:
    at, _, session = cursor.partition("~")
    try:
        return parse_time(at), session
    except ValueError:
        raise InvalidRequest(
            "is not a place in a list of conversations", field="after", hint="give the `next` of the page before"
        ) from None
