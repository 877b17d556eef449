"""Conversations: the list, and the turns of one."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field

from cortex.domain.conversations import Conversation
from cortex.services.conversations import ConversationPage, ConversationTurns
from cortex.surfaces.wire.fields import A_TRACE, AT, ID, AnyMemory, AnyTrace, Moment, Next
from cortex.surfaces.wire.model import Request, Response, example

_MOST = 1_000_000_000


class ConversationsRequest(Request):
    """Which conversations."""

    contains: str = Field("", max_length=256, description="Only sessions with this in their name.")
    after: str | None = Field(
        None, min_length=1, max_length=512, description="Continue here: the `next` of the previous page."
    )
    limit: int = Field(50, ge=1, le=1_000, description="How many at most.")


class ConversationFields(Response):
    """One session."""

    result = Conversation
    session: str
    turns: int = Field(description="How many turns it has.")
    memories: int = Field(description="How many memories were extracted from them.")
    first_at: Moment
    last_at: Moment
    opening: str = Field(description="What the first turn says.")


class ConversationsResponse(Response):
    """Sessions with turns, the one that was spoken in last first."""

    conversations: tuple[ConversationFields, ...]
    next: Next

    model_config = example({
        "conversations": [{
            "session": "agent:main:main", "turns": 12, "memories": 3, "first_at": AT, "last_at": AT,
            "opening": "When does the deploy key rotate?",
        }],
        "next": None,
    })  # fmt: skip

    @classmethod
    def of(cls, result: ConversationPage, request: Any = None) -> Self:  # noqa: ARG003
        return cls.model_validate({"conversations": tuple(result), "next": result.next})

    def value(self) -> ConversationPage:
        return ConversationPage((each.value() for each in self.conversations), self.next)


class ConversationRequest(Request):
    """Which turns of a session."""

    id: str = Field(min_length=1, max_length=256, description="The name of the session.")
    after: int = Field(-1, ge=-1, le=_MOST, description="Only turns after this place; places count from 0.")
    limit: int = Field(100, ge=1, le=1_000, description="How many at most.")


class ConversationResponse(Response):
    """Turns in their order. Each memory names its turns in `source_turns`."""

    result = ConversationTurns
    session: str
    turns: tuple[AnyTrace, ...]
    memories: tuple[AnyMemory, ...] = Field(description="The memories extracted from these turns.")
    last: int = Field(description="The place of the last turn of the session.")
    next: int | None = Field(description="The place after which to continue; null at the end.")

    model_config = example({
        "session": "agent:main:main",
        "turns": [{**A_TRACE, "type": "turn", "lane": "sessions", "session": "agent:main:main", "seq": 0}],
        "memories": [{**A_TRACE, "source_turns": [ID]}], "last": 11, "next": 0,
    })  # fmt: skip
