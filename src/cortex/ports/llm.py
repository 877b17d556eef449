"""What the engine asks of a language model. None is needed; where there is one, it is budgeted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered, and what it cost."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


def background_of(llm: LLM) -> LLM:
    """The same model for work that nobody waits for, where it makes a difference."""
    found: LLM = getattr(llm, "background", llm)
    return found


class Work(StrEnum):
    """What a model is asked for."""

    MEMORIES = "memories"
    SUMMARIES = "summaries"
    NARRATIVES = "narratives"


def judge(llm: LLM, work: Work, *, useful: bool) -> None:
    """Tell a model that keeps count whether what it answered last could be used for this work."""
    if callable(keeps := getattr(llm, "judge", None)):
        keeps(work, useful=useful)


class LLM(Protocol):
    """Completes a prompt. Raises `LlmUnavailable` when it cannot, or may not."""

    @property
    def name(self) -> str: ...

    def complete(
        self, *, system: str, prompt: str, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """The answer to `prompt`. Where a `schema` is given, a JSON text that should fit it; models may misread it."""
        ...
