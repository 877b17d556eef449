"""What the engine needs of a language model. None is required; where there is one, it has a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer, and what it cost."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class LlmTask(StrEnum):
    """What a model is used for."""

    MEMORIES = "memories"
    SUMMARIES = "summaries"
    NARRATIVES = "narratives"


class LLM(Protocol):
    """Completes a prompt. Raises `LlmUnavailable` when it cannot, or may not."""

    @property
    def name(self) -> str: ...

    def complete(
        self, *, system: str, prompt: str, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The answer to `prompt`. Where a `schema` is given, a JSON text that should fit it; models may misread it."""


@runtime_checkable
class JudgedLLM(LLM, Protocol):
    """A model that counts how often its answers could be used."""

    def judge(self, task: LlmTask, *, useful: bool) -> None:
        """Record whether its last answer could be used for this task."""


class ManagedLLM(JudgedLLM, Protocol):
    """A model with a budget and a circuit breaker, as the engine uses it."""

    @property
    def background(self) -> LLM:
        """The same model for work that nobody waits for."""

    def status(self) -> dict[str, Any]:
        """Its budget, its breaker and its last failures, as plain values."""

    def spent_by_day(self) -> Mapping[date, tuple[int, int]]:
        """Calls and tokens of each of the last days (UTC), of everyone who shares the budget."""

    def close(self) -> None: ...


def judge(llm: LLM, task: LlmTask, *, useful: bool) -> None:
    """Record whether the last answer of `llm` could be used for this task, where it counts that."""
    if isinstance(llm, JudgedLLM):
        llm.judge(task, useful=useful)
