"""The engines under test, each as a store opens it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from cortex import registry
from cortex.clock import SystemClock
from cortex.ports.nearest import Acceleration, Nearest, OpenNearest
from cortex.stores.nearest.guard import guarded, shown

DIMENSION = 16
NEEDS = {
    "qdrant": ("qdrant_client", "qdrant-client"), "qdrant-grpc": ("qdrant_client", "qdrant-client"),
    "lancedb": ("lancedb", "lancedb"), "s3": ("lancedb", "lancedb"),
}  # fmt: skip
KEEPING = ["qdrant", "lancedb", "s3"]
"""Those that have what was put once they are opened again."""
NAMES = ["codes", *KEEPING]
BY_GRPC = "qdrant-grpc"
"""The same as `qdrant`, through the wire."""


@dataclass
class Place:
    """Where an engine keeps its points."""

    url: str
    options: dict[str, Any] = field(default_factory=dict)
    name: str = field(default_factory=lambda: f"main-{uuid4().hex[:12]}")

    @property
    def kind(self) -> str:
        return self.url.partition(":")[0]

    @cached_property
    def opener(self) -> OpenNearest:
        """One for all that is opened here, as in an engine of ours."""

        @cache
        def create() -> OpenNearest:
            made: OpenNearest = registry.find("cortex.nearest", self.kind)(self.url, self.options)
            return made

        return guarded(create, shown(self.url), self.options)

    def open(self, dimension: int = DIMENSION, name: str | None = None) -> Nearest:
        return self.opener(name or self.name, dimension)

    def acceleration(self, *, from_vectors: int = 1, seconds: float = 60.0) -> Acceleration:
        return Acceleration(self.opener, shown(self.url), from_vectors, seconds, SystemClock())


def place_of(kind: str, folder: Path, request: pytest.FixtureRequest) -> Place:
    """A place that nobody has used yet; skips where the engine is not installed."""
    if kind in NEEDS:
        package, install = NEEDS[kind]
        pytest.importorskip(package, reason=f"pip install {install}")
    if kind == "s3":
        server = request.getfixturevalue("s3")
        return Place(f"s3://vectors/{uuid4().hex}", server.options)
    if kind == BY_GRPC:
        server = request.getfixturevalue("qdrant_server")
        return Place("qdrant://127.0.0.1", server.options)
    return Place(f"{kind}://{folder / kind}")


def clustered(number: int, dimension: int = DIMENSION, seed: int = 5, clusters: int = 40) -> np.ndarray:
    """Unit vectors that lie together in clusters of different sizes, as those of texts do."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(clusters, dimension))
    shares = 1 / np.arange(1, clusters + 1)
    of = random.choice(clusters, size=number, p=shares / shares.sum())
    found = centres[of] + 0.5 * random.normal(size=(number, dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
