"""Cortex as a context provider of the Microsoft Agent Framework: `Agent(client, context_providers=[…])`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from cortex.integrations.framework_turns import FrameworkTurn, FrameworkTurns, Said
from cortex.integrations.packages import required
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks

with required("agent-framework"):
    from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun


class CortexContextProvider(ContextProvider):
    """Adds relevant memories to the instructions of a run, and stores what was said. It never fails a run.

    The session is the agent's session. The framework knows no user: without `user`, it is the memory's own. `agent`,
    `user` and `session` are names, or functions of the `AgentSession`.
    """

    def __init__(self, memory: Cortex, *, source_id: str = "cortex", **options: Any) -> None:
        super().__init__(source_id)
        self._turns = FrameworkTurns("agent-framework", memory, **options)

    @property
    def hooks(self) -> TurnHooks:
        """The hooks it uses: `hooks.flush()` waits until everything is stored."""
        return self._turns.hooks

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        block = await self._turns.recall_in_thread(partial(_turn, session, context))
        if block:
            context.extend_instructions(self.source_id, block)

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        self._turns.capture(partial(_turn, session, context), partial_history=True)


def _turn(session: AgentSession, context: SessionContext) -> FrameworkTurn:
    answered = context.response.messages if context.response is not None else []
    return FrameworkTurn(
        # Of a run without a session, before and after it have different ones.
        session=context.session_id,
        message="\n".join(message.text for message in context.input_messages if message.role == "user"),
        messages=list(_said([*context.input_messages, *answered])),
        run=session,
    )


def _said(messages: Iterable[Message]) -> Iterator[Said]:
    for message in messages:
        results = [str(content.result) for content in message.contents if content.type == "function_result"]
        if results:
            yield {"role": "tool", "content": "\n".join(results)}
        yield {"role": message.role, "content": message.text, "id": message.message_id, "name": message.author_name}
