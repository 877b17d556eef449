"""Cortex as a memory block of LlamaIndex: `Memory.from_defaults(memory_blocks=[CortexMemoryBlock(memory)])`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cortex.integrations.framework_turns import FrameworkTurn, FrameworkTurns, Said
from cortex.integrations.packages import required
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks

with required("llama-index"):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.memory import BaseMemoryBlock


class CortexMemoryBlock(BaseMemoryBlock[str]):
    """Adds relevant memories to the messages of a turn, and stores what was said. It never fails a turn.

    The session is that of the `Memory`. LlamaIndex knows no user: without `user`, it is the memory's own. `agent`,
    `user` and `session` are names, or functions of the session's id.
    """

    _turns: FrameworkTurns = PrivateAttr()
    _last: tuple[Any, str] = PrivateAttr(default=(None, ""))
    """The last turn, and what was recalled for it: a turn with tools shows its messages several times."""

    def __init__(self, memory: Cortex, *, name: str = "cortex", priority: int = 0, **options: Any) -> None:
        super().__init__(name=name, priority=priority)
        self._turns = FrameworkTurns("llama-index", memory, **options)

    @property
    def hooks(self) -> TurnHooks:
        """The hooks it uses: `hooks.flush()` waits until everything is stored."""
        return self._turns.hooks

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """The memories for the user's last message. What was said so far is stored on the way.

        The framework hands messages over to be stored only once they no longer fit, but it shows them here every time.
        """
        with self._turns.caught("recall"):
            turn = _turn(messages or [], block_kwargs.get("session_id"))
            block = await self._recalled(turn)
            self._turns.capture(lambda: turn, partial_history=True)
            return block
        return ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        session = messages[0].additional_kwargs.get("session_id") if messages else None
        self._turns.capture(partial(_turn, messages, session), partial_history=True)

    async def _recalled(self, turn: FrameworkTurn) -> str:
        this = (turn.session, turn.message, sum(message["role"] == "user" for message in turn.messages))
        last, block = self._last
        if this != last:
            block = await self._turns.recall_in_thread(lambda: turn)
            self._last = (this, block)
        return block


def _turn(messages: Sequence[ChatMessage], session: str | None) -> FrameworkTurn:
    said = [_said(message) for message in messages]
    asked = [message["content"] for message in said if message["role"] == "user"]
    if said and said[-1]["role"] == "user" and asked[-2:-1] == asked[-1:]:
        said.pop()  # the input of a turn, shown once more after its tools were called
    return FrameworkTurn(session=session, message=asked[-1] if asked else "", messages=said, run=session)


def _said(message: ChatMessage) -> Said:
    # A model that answers with a tool call alone has no content.
    return {"role": message.role.value, "content": message.content or ""}
