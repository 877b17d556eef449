from __future__ import annotations

from typing import Protocol


class LLM(Protocol):
    """Completes a prompt. Raises `ProviderError` when it cannot."""

    @property
    def name(self) -> str: ...

    def complete(self, *, system: str, prompt: str, max_tokens: int) -> str: ...
