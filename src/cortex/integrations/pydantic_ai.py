"""Cortex as a capability of Pydantic AI's agents: `Agent(model, capabilities=[CortexMemory(memory)])`."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from cortex.integrations.framework_turns import FrameworkTurn, FrameworkTurns, Said
from cortex.integrations.packages import required
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks

with required("pydantic-ai"):
    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolReturnPart,
        UserPromptPart,
    )
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult


class CortexMemory(AbstractCapability[Any]):
    """Adds relevant memories to the user's prompt of a request, and stores what was said. It never fails a run.

    The memories are in the requests alone, not in the history. The session is the conversation
    (`conversation_id`). The framework knows no user: without `user`, it is the memory's own. `agent`, `user` and
    `session` are names, or functions of the `RunContext`: `user=lambda context: context.deps.user_id`.
    """

    def __init__(self, memory: Cortex, **options: Any) -> None:
        super().__init__()
        self._turns = FrameworkTurns("pydantic-ai", memory, **options)
        self._block: str | None = None

    @property
    def hooks(self) -> TurnHooks:
        """The hooks it uses: `hooks.flush()` waits until everything is stored."""
        return self._turns.hooks

    async def for_run(self, ctx: RunContext[Any]) -> CortexMemory:
        run = copy.copy(self)
        run._block = None
        return run

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        messages = request_context.messages
        if self._block is None:
            self._block = await self._turns.recall_in_thread(partial(_turn, ctx, messages))
        if self._block:
            request_context.messages = _with_block(messages, self._block)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        self._turns.capture(lambda: _turn(ctx, result.all_messages()))
        return result


def _turn(context: RunContext[Any], messages: Sequence[ModelMessage]) -> FrameworkTurn:
    said = [part for message in messages for part in _said(message)]
    return FrameworkTurn(
        session=context.conversation_id,
        message=next((part["content"] for part in reversed(said) if part["role"] == "user"), ""),
        messages=said,
        run=context,
    )


def _said(message: ModelMessage) -> Iterator[Said]:
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            texts = [part.content] if isinstance(part.content, str) else [_text(each) for each in part.content]
            yield {"role": "user", "content": "\n".join(texts), "timestamp": part.timestamp.isoformat()}
        elif isinstance(part, ToolReturnPart):
            yield {"role": "tool", "content": part.model_response_str()}
        elif isinstance(message, ModelResponse) and isinstance(part, TextPart):
            yield {"role": "assistant", "content": part.content, "timestamp": message.timestamp.isoformat()}


def _text(content: object) -> str:
    """The text of a part of a prompt; empty for an image, a file and the like."""
    return content if isinstance(content, str) else str(getattr(content, "content", ""))


def _with_block(messages: Sequence[ModelMessage], block: str) -> list[ModelMessage]:
    """The messages of a request, with the block before the user's last prompt."""
    changed = list(messages)
    for place, message in reversed(list(enumerate(changed))):
        if isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts):
            changed[place] = replace(message, parts=[UserPromptPart(content=block), *message.parts])
            break
    return changed
