from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.vectors import EmbeddingSpace, Vector


class Embedder(Protocol):
    """Turns text into unit vectors. Vectors compare only within one space.

    Raises `EmbedderUnavailable` when it cannot; callers go on without vectors and say so.
    """

    @property
    def space(self) -> EmbeddingSpace: ...

    def embed_query(self, text: str) -> Vector: ...

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]: ...
