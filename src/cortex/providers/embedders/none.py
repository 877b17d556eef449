"""No embedder, by choice: recall goes by keywords alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable


def create(options: Mapping[str, Any], models: Path) -> NoEmbedder:  # noqa: ARG001 - every provider is made alike
    return NoEmbedder()


class NoEmbedder:
    """Refuses every text, so that callers go on without vectors. Its space holds no dimension."""

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace(provider="none", model="none", dimension=0)

    def embed_query(self, text: str) -> Vector:  # noqa: ARG002
        raise self._refusal()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if texts:
            raise self._refusal()
        return []

    def trouble(self, *, thorough: bool = False) -> EmbedderUnavailable:  # noqa: ARG002
        return self._refusal()

    @staticmethod
    def _refusal() -> EmbedderUnavailable:
        return EmbedderUnavailable("embedding is turned off", hint="set embedding.provider to use one")
