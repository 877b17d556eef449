"""What all adapters share: whose memory a turn uses, recall before it and capture after it. Nothing here raises."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cortex.memory import Cortex
from cortex.runtime.failure_counters import FailureCounters
from cortex.services.turn_hooks import TurnHooks

Name: TypeAlias = str | Callable[[Any], str | None] | None
"""A name, or a function that reads it from what the framework passes. None: the framework's own, if it has one."""

Said: TypeAlias = Mapping[str, Any]
"""A message, with `role`, `content`, and what else is known of it."""


@dataclass(frozen=True, slots=True)
class FrameworkTurn:
    """A turn, as a framework reports it."""

    session: str | None
    user: str | None = None
    agent: str | None = None
    message: str = ""
    """What the user says."""
    messages: Sequence[Said] = ()
    """What was said so far."""
    run: object = None
    """What functions that read a name are called with."""


class FrameworkTurns:
    """Recall and capture for the adapter of one framework, over one memory."""

    def __init__(
        self,
        framework: str,
        memory: Cortex,
        *,
        agent: Name = None,
        user: Name = None,
        session: Name = None,
        scope: str | None = None,
        project: str | None = None,
        recipe: str | None = None,
    ) -> None:
        self._framework = framework
        self._names: dict[str, Name] = {"agent": agent, "user": user, "session": session}
        self._scope = scope
        self._recalled_by: dict[str, Any] = {"project": project, "recipe": recipe}
        self._failures = FailureCounters()
        self.hooks = TurnHooks(memory)
        # Else the first turn may be over its deadline before the store is open.
        self.hooks.warm()

    def recall(self, read: Callable[[], FrameworkTurn]) -> str:
        """The block for a turn; empty if nothing is relevant, and if anything goes wrong."""
        with self.caught("recall"):
            turn = self.named(read())
            if turn.message.strip():
                hooks = self.hooks.bind(agent=turn.agent, user=turn.user)
                return hooks.before(turn.message, session=_session(turn), scope=self._scope, **self._recalled_by).block
        return ""

    async def recall_in_thread(self, read: Callable[[], FrameworkTurn]) -> str:
        """`recall`, while the event loop goes on."""
        return await asyncio.to_thread(self.recall, read)

    def capture(self, read: Callable[[], FrameworkTurn], *, end: bool = False, partial_history: bool = False) -> None:
        """Store what is new of a turn's messages, in the background."""
        with self.caught("capture"):
            turn = self.named(read())
            hooks = self.hooks.bind(agent=turn.agent, user=turn.user)
            # Of a conversation without a name only the last exchange is told apart from all others.
            messages = turn.messages if turn.session else _last_exchange(turn.messages)
            hooks.after(
                [message for message in messages if message["content"].strip()],
                session=_session(turn), scope=self._scope, end=end, partial_history=partial_history,
            )  # fmt: skip

    def caught(self, task: str) -> AbstractContextManager[list[str]]:
        """Let no failure of a block out to the framework: it is one line of the log."""
        return self._failures.caught(f"{self._framework}: {task}")

    def named(self, turn: FrameworkTurn) -> FrameworkTurn:
        """The turn with the names that were given in place of the framework's."""
        given: dict[str, Any] = {
            field: name(turn.run) if callable(name) else name for field, name in self._names.items()
        }
        return replace(turn, **{field: name for field, name in given.items() if name is not None})


def _session(turn: FrameworkTurn) -> str:
    """The session of a turn. One without a name is known by what was said up to the user's message."""
    if turn.session:
        return turn.session
    messages = turn.messages[: _last_of_user(turn.messages) + 1]
    said = "\x1e".join(f"{message['role']}\x1f{message['content']}" for message in messages)
    return f"unnamed:{hashlib.blake2b(said.encode('utf-8', 'surrogatepass'), digest_size=10).hexdigest()}"


def _last_exchange(messages: Sequence[Said]) -> Sequence[Said]:
    return messages[max(_last_of_user(messages), 0) :]


def _last_of_user(messages: Sequence[Said]) -> int:
    """The place of the user's last message; -1 if there is none."""
    return max((place for place, message in enumerate(messages) if message["role"] == "user"), default=-1)
