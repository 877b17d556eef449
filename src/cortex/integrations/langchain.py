"""Cortex as a middleware of LangChain's agents: `create_agent(model, middleware=[CortexMiddleware(memory)])`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Annotated, Any

from cortex.integrations.framework_turns import FrameworkTurn, FrameworkTurns, Said
from cortex.integrations.packages import required
from cortex.memory import Cortex
from cortex.services.turn_hooks import TurnHooks

with required("langchain"):
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.messages import BaseMessage, SystemMessage
    from langgraph.channels.untracked_value import UntrackedValue
    from langgraph.config import get_config
    from langgraph.runtime import Runtime

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "function": "tool"}


class CortexState(AgentState[Any]):
    """The state of an agent, with the memories of this turn; they are in no checkpoint, input or output."""

    cortex_block: Annotated[str, UntrackedValue, PrivateStateAttr]


class CortexMiddleware(AgentMiddleware[CortexState, Any, Any]):
    """Adds relevant memories to the system message of a turn, and stores what was said. It never fails a turn.

    The session is the thread (`configurable.thread_id`), the user `user_id` of the runtime's context or of
    `configurable`. `agent`, `user` and `session` override this, each with a name or a function of the runtime.
    """

    state_schema = CortexState

    def __init__(self, memory: Cortex, **options: Any) -> None:
        super().__init__()
        self._turns = FrameworkTurns("langchain", memory, **options)

    @property
    def hooks(self) -> TurnHooks:
        """The hooks it uses: `hooks.flush()` waits until everything is stored."""
        return self._turns.hooks

    def before_agent(self, state: CortexState, runtime: Runtime[Any]) -> dict[str, Any]:
        return {"cortex_block": self._turns.recall(partial(_turn, state, runtime))}

    async def abefore_agent(self, state: CortexState, runtime: Runtime[Any]) -> dict[str, Any]:
        return {"cortex_block": await self._turns.recall_in_thread(partial(_turn, state, runtime))}

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        block = request.state.get("cortex_block")
        if block is None:  # the run was interrupted, and goes on from a checkpoint
            block = self._turns.recall(partial(_turn, request.state, request.runtime))
        return handler(_with_block(request, block))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        block = request.state.get("cortex_block")
        if block is None:
            block = await self._turns.recall_in_thread(partial(_turn, request.state, request.runtime))
        return await handler(_with_block(request, block))

    def after_agent(self, state: CortexState, runtime: Runtime[Any]) -> None:
        self._turns.capture(partial(_turn, state, runtime))

    async def aafter_agent(self, state: CortexState, runtime: Runtime[Any]) -> None:
        self._turns.capture(partial(_turn, state, runtime))


def _turn(state: CortexState, runtime: Runtime[Any]) -> FrameworkTurn:
    configured = get_config().get("configurable", {})
    messages = _said(state["messages"])
    return FrameworkTurn(
        session=_text(configured.get("thread_id")),
        user=_text(_user_of(runtime.context) or configured.get("user_id")),
        message=next((message["content"] for message in reversed(messages) if message["role"] == "user"), ""),
        messages=messages,
        run=runtime,
    )


def _user_of(context: object) -> object:
    return context.get("user_id") if isinstance(context, dict) else getattr(context, "user_id", None)


def _text(id: object) -> str | None:
    """An id, which may also be a number or a UUID."""
    return None if id is None else str(id)


def _said(messages: Sequence[BaseMessage]) -> list[Said]:
    # `lc_source` marks what a middleware wrote in the user's place, such as a summary.
    return [
        {"role": _ROLES[message.type], "content": str(message.text), "id": message.id}
        for message in messages
        if message.type in _ROLES and not message.additional_kwargs.get("lc_source")
    ]


def _with_block(request: ModelRequest[Any], block: str) -> ModelRequest[Any]:
    if not block:
        return request
    system = request.system_message
    content = system.content if system is not None else ""
    if isinstance(content, str):
        return request.override(system_message=SystemMessage(content=f"{content}\n\n{block}".lstrip()))
    return request.override(system_message=SystemMessage(content=[*content, {"type": "text", "text": block}]))
