"""What every embedder around another one passes on."""

from __future__ import annotations

from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import EngineError
from cortex.ports.embedder import BatchEmbedder, BatchStatus, ChosenEmbedder, Embedder, EmbedderChoice
from cortex.ports.provider import close, trouble_of


class EmbedderWrapper:
    """Reports of the inner embedder, as far as it makes any."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner

    @property
    def space(self) -> EmbeddingSpace:
        """The space of the inner embedder: its vectors are the same."""
        return self._inner.space

    @property
    def chosen(self) -> EmbedderChoice | None:
        return self._inner.chosen if isinstance(self._inner, ChosenEmbedder) else None

    def batch_status(self) -> BatchStatus | None:
        return self._inner.batch_status() if isinstance(self._inner, BatchEmbedder) else None

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        return trouble_of(self._inner, thorough=thorough)

    def close(self) -> None:
        close(self._inner)
