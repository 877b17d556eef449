"""One-bit codes in memory behind the port: what a store uses by itself, for contract tests and as a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cortex.domain.vectors import Vector, sign_codes
from cortex.ports.nearest import Candidates, OpenNearest, Points, Watermark
from cortex.stores.relational.code_index import CodeIndex


class CodesNearest:
    """The codes of one space. They are gone when the process ends."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self.clear()

    def clear(self) -> None:
        self._index = CodeIndex(0, self._dimension)
        self._watermark: Watermark | None = None
        self._centre = np.zeros(self._dimension, dtype=np.float32)
        self._tombs = 0

    def watermark(self) -> Watermark | None:
        return self._watermark

    def put(self, points: Points, watermark: Watermark) -> None:
        fresh = points.ids > self._index.last_code
        ids, facets = points.ids[fresh].tolist(), points.facets[fresh].tolist()
        codes = [code.tobytes() for code in sign_codes(points.matrix[fresh], self._centre)]
        self._index.add(list(zip(ids, ids, facets, codes, strict=True)))
        self._watermark = watermark

    def drop(self, ids: Sequence[int]) -> None:
        self._tombs += 1
        for id in ids:
            self._index.bury(self._tombs, id)

    def search(self, vector: Vector, facets: Sequence[int], limit: int) -> Candidates | None:
        if self._watermark is None:
            return None
        columns = self._index.seen(self._index.last_code, self._tombs)
        found = self._index.choose(columns, list(facets), sign_codes(vector, self._centre), limit)
        return Candidates(found, self._watermark)

    def optimize(self, *, purge: bool = False) -> None:
        """There is nothing to optimize."""

    def describe(self) -> Mapping[str, Any]:
        alive = self._index.seen(self._index.last_code, self._tombs).alive
        return {"engine": "codes", "mode": "in memory", "points": int(alive.sum())}

    def close(self) -> None:
        """There is nothing to close."""


def create(url: str, options: Mapping[str, Any]) -> OpenNearest:  # noqa: ARG001 - it takes neither
    """What the registry calls."""
    return lambda name, dimension: CodesNearest(dimension)  # noqa: ARG005 - nothing is kept under a name
