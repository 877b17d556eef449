"""No embedder, by choice or because none can be used: recall goes by keywords alone, and says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable

_OFF = EmbedderUnavailable("embedding is turned off", hint="set embedding.provider to use one")
_NO_SPACE = EmbeddingSpace(provider="none", model="none", dimension=0)


def create(options: Mapping[str, Any], models: Path) -> NoEmbedder:  # noqa: ARG001 - every provider is made alike
    return NoEmbedder()


class NoEmbedder:
    """Refuses every text with `why`, so that callers go on without vectors. Its space holds no dimension."""

    def __init__(self, why: EmbedderUnavailable = _OFF, space: EmbeddingSpace = _NO_SPACE) -> None:
        self.space = space
        self._why = why

    def embed_query(self, text: str) -> Vector:  # noqa: ARG002
        raise copy(self._why)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if texts:
            raise copy(self._why)
        return []

    def trouble(self, *, thorough: bool = False) -> EmbedderUnavailable:  # noqa: ARG002
        return self._why
