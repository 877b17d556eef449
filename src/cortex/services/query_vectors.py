"""Query vectors: by the embedder in use, and by an earlier one while the file index still has its vectors."""

from __future__ import annotations

from cortex.dependencies import Dependencies
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import StoreError
from cortex.ports.embedder import Embedder
from cortex.ports.index import FileIndex, vectors_in
from cortex.recall.retrieve import Question

UNAVAILABLE = "earlier_model_unavailable"
"""The index has vectors of a model that is not available any more, until it is rebuilt."""


class QueryVectors:
    """Starts embedding the queries of one recall. Both spaces serve until the new index is complete (B14)."""

    def __init__(self, dependencies: Dependencies, index: FileIndex | StoreError | None, space: EmbeddingSpace) -> None:
        """`space` is that of the embedder in use, on the scale that holds for this recall."""
        self._dependencies = dependencies
        self._space = space
        self._index = None if isinstance(index, StoreError) else index
        self._questions: list[Question] = []
        self._lacks_earlier = False

    def ask(self, text: str) -> Question | None:
        """The query's vector, on its way; None where embedding is off."""
        embedder = self._dependencies.embedder
        if not embedder.space.dimension:
            return None
        earlier = self._earlier(embedder)
        older = self._question(earlier, earlier.space, text) if earlier else None
        self._questions.append(self._question(embedder, self._space, text, older))
        return self._questions[-1]

    def degraded(self) -> list[str]:
        """What could not be compared, though the leg of vectors is there."""
        lines = [f"files:{UNAVAILABLE}"] if self._lacks_earlier else []
        for question in self._questions:
            if question.earlier is None or bool(question.failed) == bool(question.earlier.failed):
                continue
            lines.append(f"embedding:{question.failed}" if question.failed else f"files:{question.earlier.failed}")
        return sorted({*lines})

    def _question(
        self, embedder: Embedder, space: EmbeddingSpace, text: str, earlier: Question | None = None
    ) -> Question:
        seconds = self._dependencies.settings.embedding.query_timeout_ms / 1000
        pending = self._dependencies.workers.submit(embedder.embed_query, text)
        return Question(space, pending, seconds, readable=space.reads(text), earlier=earlier)

    def _earlier(self, embedder: Embedder) -> Embedder | None:
        """The embedder of the index's vectors, if it is not the one in use."""
        made = vectors_in(self._index.made_with) if self._index is not None else None
        if made is None or made.space == embedder.space.key:
            return None
        found = self._dependencies.embedder_of(made)
        self._lacks_earlier = found is None
        return found
