"""No language model, by choice: nothing is sent and nothing is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cortex.errors import LlmUnavailable
from cortex.ports.llm import Completion


def create(options: Mapping[str, Any], timeout: float) -> NoLLM:  # noqa: ARG001 - every provider is made alike
    return NoLLM()


class NoLLM:
    """Refuses every prompt, so that callers go on by rules alone."""

    @property
    def name(self) -> str:
        return "none"

    def complete(
        self,
        *,
        system: str,  # noqa: ARG002
        prompt: str,  # noqa: ARG002
        max_tokens: int,  # noqa: ARG002
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Completion:
        raise self._refusal()

    def trouble(self, *, thorough: bool = False) -> LlmUnavailable:  # noqa: ARG002
        return self._refusal()

    def close(self) -> None:
        pass

    @staticmethod
    def _refusal() -> LlmUnavailable:
        return LlmUnavailable("no language model is configured", hint="set llm.provider to use one", reason="off")
