"""Media embedders behind an API: one medium in each request, so that one that is refused stops no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from cortex.domain.modality import Medium
from cortex.domain.vectors import Vector
from cortex.errors import MediumRefused
from cortex.providers.embedders.remote import (
    BATCH_FACTOR,
    PATIENCE,
    Api,
    EmbeddingVendor,
    Kind,
    Options,
    Patience,
    RemoteEmbedder,
    Row,
    Variable,
)

SECTION = "embedding.media.options"


class MediaApi(Api, Protocol):
    """The same for a vendor that also takes media."""

    def embed_medium(self, medium: Medium, seconds: float) -> list[Row]:
        """The vector of one medium, at place 0. Raises whatever the SDK raises."""


class RemoteMediaEmbedder(RemoteEmbedder):
    """Unit vectors of media, and of questions about them."""

    _again = "cortex index"

    def __init__(self, options: Options, api: MediaApi, accepts: frozenset[str], patience: Patience = PATIENCE) -> None:
        super().__init__(options, api, patience)
        self._media = api
        self._accepts = accepts

    @property
    def accepts(self) -> frozenset[str]:
        return self._accepts

    def embed_medium(self, medium: Medium) -> Vector:
        seconds = self._options.query_seconds * BATCH_FACTOR
        rows = self._asked(lambda: self._media.embed_medium(medium, seconds), rejected=MediumRefused)
        return self._vectors(rows, 1)[0]

    def _hint(self, kind: Kind) -> str:
        section = self._options.section
        if kind == "rejected":
            return f"check that the file is whole, and {section}.model; `cortex index --force` tries it again"
        if kind == "timeout":
            return f"raise {section}.timeout_s, or lower embedding.media.max_bytes"
        return super()._hint(kind)


def create(
    vendor: EmbeddingVendor,
    api_of: Callable[[Options], MediaApi],
    accepts: frozenset[str],
    given: Mapping[str, Any],
    models: Path,  # noqa: ARG001 - every provider is made alike
    *,
    variable: Variable | None = None,
    patience: Patience = PATIENCE,
) -> RemoteMediaEmbedder:
    """The media embedder of a vendor."""
    options = Options.read(given, vendor, variable=variable, section=f"{SECTION}.{vendor.name}")
    return RemoteMediaEmbedder(options, api_of(options), accepts, patience)
