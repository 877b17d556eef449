"""Query vectors: by the embedder in use, and by others that indexes of files have vectors of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from cortex.dependencies import Dependencies
from cortex.domain.vectors import Calibration, EmbeddingSpace
from cortex.errors import StoreError
from cortex.ports.embedder import Embedder, ManagedMediaEmbedder
from cortex.ports.index import FileIndex, vectors_in
from cortex.recall.retrieve import Question

UNAVAILABLE = "earlier_model_unavailable"
"""The index has vectors of a model that is not available any more, until it is rebuilt."""

OTHER_UNAVAILABLE = "other_host_model_unavailable"
"""Another host embeds its files with a model that is not available here: they are found by their words."""


class QueryVectors:
    """Starts embedding the queries of one recall. Both spaces serve until the new index is complete (B14)."""

    def __init__(
        self,
        dependencies: Dependencies,
        indexes: Sequence[FileIndex] | StoreError,
        space: EmbeddingSpace,
        media: Mapping[str, Calibration] = MappingProxyType({}),
    ) -> None:
        """`space` is that of the embedder in use, on the scale that holds for this recall; `media` are the scales of
        the spaces of media that the indexes have."""
        self._dependencies = dependencies
        self._space = space
        self._indexes = () if isinstance(indexes, StoreError) else indexes
        self._questions: list[Question] = []
        self._media = media
        self._lacking = set[str]()

    def ask(self, text: str) -> Question | None:
        """The query's vector, on its way; None where embedding is off."""
        embedder = self._dependencies.embedder
        if not embedder.space.dimension:
            return None
        older: Question | None = None
        for other in self._others(embedder):
            older = self._question(other, other.space, text, older)
        self._questions.append(self._question(embedder, self._space, text, older))
        return self._questions[-1]

    def ask_media(self, text: str) -> list[Question | None]:
        """The query's vectors in the spaces of media, on their way; None in the place of one that is busy."""
        embedders = dict.fromkeys(self._dependencies.media_embedders.values())
        return [self._of_media(each, text) for each in embedders if each.space.key in self._media]

    def media_spaces(self) -> list[EmbeddingSpace]:
        """The spaces of media that queries are compared in, on their scales."""
        embedders = dict.fromkeys(self._dependencies.media_embedders.values())
        spaces = [each.space for each in embedders if each.space.key in self._media]
        return [replace(space, calibration=self._media[space.key]) for space in spaces]

    def _of_media(self, embedder: ManagedMediaEmbedder, text: str) -> Question | None:
        seconds = self._dependencies.settings.embedding.query_timeout_ms / 1000
        pending = self._dependencies.media_questions.start(lambda: embedder.embed_query(text), "cortex-media")
        space = replace(embedder.space, calibration=self._media[embedder.space.key])
        return Question(space, pending, seconds) if pending is not None else None

    def degraded(self) -> list[str]:
        """What could not be compared, though the leg of vectors is there."""
        lines = {f"files:{each}" for each in self._lacking}
        for question in self._questions:
            others = question.others()
            if all(each.failed for each in (question, *others)):
                continue
            lines |= {f"embedding:{question.failed}"} if question.failed else set()
            lines |= {f"files:{each.failed}" for each in others if each.failed}
        return sorted(lines)

    def _question(
        self, embedder: Embedder, space: EmbeddingSpace, text: str, earlier: Question | None = None
    ) -> Question:
        seconds = self._dependencies.settings.embedding.query_timeout_ms / 1000
        pending = self._dependencies.workers.submit(embedder.embed_query, text)
        return Question(space, pending, seconds, readable=space.reads(text), earlier=earlier)

    def _others(self, embedder: Embedder) -> list[Embedder]:
        """The embedders of the vectors that indexes have, besides the one in use."""
        found: dict[str, Embedder] = {}
        for index in self._indexes:
            made = vectors_in(index.made_with)
            if made is None or made.space == embedder.space.key or made.space in found:
                continue
            if (other := self._dependencies.embedder_of(made)) is not None:
                found[made.space] = other
            else:
                self._lacking.add(UNAVAILABLE if index.is_own else OTHER_UNAVAILABLE)
        return list(found.values())
