"""What the engine asks of an embedder: of text, and of one other modality where a third party brings one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from cortex.domain.modality import Modality
from cortex.domain.vectors import EmbeddingSpace, Vector

MEDIA_EMBEDDERS = "cortex.media_embedders"
"""The entry-point group of media embedders."""


class Embedder(Protocol):
    """Turns text into unit vectors. Vectors compare only within one space.

    Raises `EmbedderUnavailable` when it cannot; callers go on without vectors and say so.
    """

    @property
    def space(self) -> EmbeddingSpace: ...

    def embed_query(self, text: str) -> Vector: ...

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]: ...


class VectorCache(Protocol):
    """Where vectors are kept beside the store, by keys of their texts."""

    def key(self, text: str) -> str: ...

    def forget(self, keys: Iterable[str]) -> str:
        """Remove the vectors of these keys, whichever embedder made them; gives what is in the way, if anything."""
        ...


class MediaEmbedder(Protocol):
    """Turns media of one modality, and the questions asked about them, into unit vectors of one space.

    The space is its own: a question is compared with media only by the vector made here. Raises `EmbedderUnavailable`
    when it cannot; what is said about the media is still found as text. A slot for third parties: none ships.
    """

    @property
    def space(self) -> EmbeddingSpace: ...

    @property
    def modality(self) -> Modality: ...

    def embed_query(self, text: str) -> Vector: ...

    def embed_media(self, refs: Sequence[str]) -> list[Vector]:
        """A vector for each reference, a path or an address as it stands in `media_refs`, in their order."""
        ...
