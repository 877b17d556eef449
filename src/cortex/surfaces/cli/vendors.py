"""API vendors: the variables with their keys, and their addresses.

The providers have the same data; this table serves users who have not set up a provider yet. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor with an API for embeddings or language models."""

    name: str
    title: str
    variables: tuple[str, ...]
    """The variables with its key; for Ollama, which needs none, the one with its address."""
    address: str

    def key(self, variable: Callable[[str], str | None]) -> str | None:
        """The first of its variables that is set."""
        return next((name for name in self.variables if variable(name)), None)

    @property
    def export(self) -> str:
        return f"export {self.variables[0]}=…"


_OPENAI = Vendor("openai", "OpenAI", ("OPENAI_API_KEY",), "https://api.openai.com/v1")

EMBEDDERS = {
    vendor.name: vendor
    for vendor in (
        _OPENAI,
        Vendor("gemini", "Google", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "https://generativelanguage.googleapis.com"),
        Vendor("voyage", "Voyage", ("VOYAGE_API_KEY", "VOYAGE_API_KEY_PATH"), "https://api.voyageai.com/v1"),
        Vendor("ollama", "Ollama", ("OLLAMA_HOST",), "http://127.0.0.1:11434"),
    )
}
LLMS = {
    vendor.name: vendor
    for vendor in (
        Vendor("anthropic", "Anthropic", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"), "https://api.anthropic.com"),
        _OPENAI,
    )
}
