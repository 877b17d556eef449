"""What the engine needs of an embedder: of text, and of other modalities where one is configured for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, runtime_checkable

from cortex.domain.modality import Medium
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EngineError
from cortex.ports.store import Finding

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


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Which embedder is used, and why it is that one."""

    provider: str
    because: str
    passed_over: tuple[tuple[str, str], ...] = ()
    """The providers that come before it in the order, each with what kept it from being used."""


@runtime_checkable
class ChosenEmbedder(Protocol):
    """An embedder that was chosen among several."""

    @property
    def chosen(self) -> EmbedderChoice | None:
        """Which one and why; None where it was named."""


class BatchStatus(TypedDict):
    """The state of a batch service (B21): `used` counts the texts it has embedded."""

    enabled: bool
    failures: int
    limit: int
    used: int


@runtime_checkable
class BatchEmbedder(Protocol):
    """An embedder that gives large runs to a batch service."""

    def batch_status(self) -> BatchStatus | None:
        """The state of the service; None where none is used."""


class ManagedEmbedder(Embedder, ChosenEmbedder, BatchEmbedder, Protocol):
    """An embedder within its guard, with or without a cache, as the engine uses it."""

    @property
    def degraded(self) -> str | None:
        """Why the cache is not in use; None while it is, or where there is none."""

    def cache_status(self) -> Mapping[str, Any] | None:
        """The state of the cache (B21); None where there is none."""

    def verify_cache(self, *, repair: bool = False) -> list[Finding]:
        """Compare the checksums of all cached vectors; with `repair`, remove damaged ones."""

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        """Why it could not work now; None as far as can be seen."""

    def close(self) -> None: ...


class VectorCache(Protocol):
    """A cache of vectors beside the store, by keys of their texts."""

    def key(self, text: str) -> str: ...

    def forget(self, keys: Iterable[str]) -> str:
        """Remove the vectors of these keys, of all embedders; returns what prevents it, if anything."""


class MediaEmbedder(Embedder, Protocol):
    """An embedder that also turns media into unit vectors of its space: texts and media compare.

    A question is compared with media only by the vector computed here. Where it fails, what is said about the media
    is still found as text. It is given what a file holds, never where it is.
    """

    @property
    def accepts(self) -> frozenset[str]:
        """The media types it embeds, such as `image/png`. It is given no others."""

    def embed_medium(self, medium: Medium) -> Vector:
        """The vector of one medium; `MediumRefused` where this one cannot be embedded and others can."""


class ManagedMediaEmbedder(MediaEmbedder, Protocol):
    """A media embedder within its guard, with or without a cache, as the engine uses it."""

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        """Why it could not work now; None as far as can be seen."""

    def close(self) -> None: ...
