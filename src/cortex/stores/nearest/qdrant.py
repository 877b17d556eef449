"""Vectors in Qdrant: on a server, or in the client's local mode on a folder.

The local mode is for one process, keeps everything in memory, and compares every vector. With a server we speak gRPC,
which is tested against the protocol, with the client's local mode behind it, and not against a Qdrant server.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import Vector
from cortex.errors import InvalidRequest, NearestUnavailable, ProviderMissing, install_command
from cortex.ports.nearest import Candidates, Nearest, OpenNearest, Points, Watermark

_WATERMARK = 0
"""The id of the point that keeps the watermark. It lies in no facet, so no search finds it."""

_TOGETHER = 1_000
"""How many points one request holds."""

_LEAST_EF = 128

_ATTEMPTS = 3
"""How often a search is done again that a feed came between."""


class QdrantNearest:
    """One collection."""

    def __init__(
        self, client: Any, name: str, dimension: int, *, lock: threading.Lock | None, close: Callable[[], None]
    ) -> None:
        """`lock` is that of the local mode, which is not made for several threads; None for a server."""
        from qdrant_client import models

        self._client = client
        self._models: Any = models
        self._name = name
        self._dimension = dimension
        self._is_local = lock is not None
        self._close = close
        self._lock: Any = lock or nullcontext()

    def watermark(self) -> Watermark | None:
        with self._lock:
            return self._watermark()

    def put(self, points: Points, watermark: Watermark) -> None:
        with self._lock:
            self._create()
            for first in range(0, len(points.ids), _TOGETHER):
                some = slice(first, first + _TOGETHER)
                payloads = [{"facet": facet} for facet in points.facets[some].tolist()]
                self._upsert(points.ids[some].tolist(), points.matrix[some].tolist(), payloads)
            self._upsert([_WATERMARK], [[1.0] * self._dimension], [asdict(watermark)])

    def drop(self, ids: Sequence[int]) -> None:
        with self._lock:
            if ids and self._client.collection_exists(self._name):
                self._client.delete(self._name, self._models.PointIdsList(points=list(ids)), wait=True)

    def search(self, vector: Vector, facets: Sequence[int], limit: int) -> Candidates | None:
        with self._lock:
            for _ in range(_ATTEMPTS):
                before = self._watermark()
                if before is None:
                    return None
                ids = self._query(vector, facets, limit)
                after = self._watermark()
                if after is not None and after.feed == before.feed:
                    # What was put meanwhile may be missing, and what was dropped meanwhile is: the earlier number of
                    # the one holds, and the later of the other.
                    return Candidates(ids, replace(before, dropping=after.dropping))
        raise NearestUnavailable(f"the collection {self._name} is being fed all the time")

    def _query(self, vector: Vector, facets: Sequence[int], limit: int) -> NDArray[np.int64]:
        models = self._models
        is_in = models.FieldCondition(key="facet", match=models.MatchAny(any=list(facets)))
        found = self._client.query_points(
            self._name,
            query=vector.tolist(),
            query_filter=models.Filter(must=[is_in]),
            # The local mode has no index, and warns of its parameters.
            search_params=None if self._is_local else models.SearchParams(hnsw_ef=max(_LEAST_EF, limit)),
            limit=limit,
            with_payload=False,
        )
        return np.array([point.id for point in found.points], dtype=np.int64)

    def clear(self) -> None:
        with self._lock:
            self._client.delete_collection(self._name)

    def optimize(self, *, purge: bool = False) -> None:
        """Qdrant builds its index by itself, and frees by itself what was dropped."""

    def describe(self) -> Mapping[str, Any]:
        mode = "local mode (one process, compares every vector)" if self._is_local else "server"
        with self._lock:
            there = self._client.collection_exists(self._name)
            points = self._client.count(self._name, exact=self._is_local).count - 1 if there else 0
        return {"engine": "qdrant", "mode": mode, "collection": self._name, "points": points}

    def close(self) -> None:
        self._close()

    def _watermark(self) -> Watermark | None:
        if not self._client.collection_exists(self._name):
            return None
        found = self._client.retrieve(self._name, [_WATERMARK], with_payload=True)
        return Watermark(**found[0].payload) if found else None

    def _upsert(self, ids: list[int], vectors: list[list[float]], payloads: list[dict[str, Any]]) -> None:
        batch = self._models.Batch(ids=ids, vectors=vectors, payloads=payloads)
        self._client.upsert(self._name, batch, wait=True)

    def _create(self) -> None:
        """Create the collection on first use, and refuse one of other vectors."""
        models = self._models
        if not self._client.collection_exists(self._name):
            vectors = models.VectorParams(size=self._dimension, distance=models.Distance.DOT)
            self._client.create_collection(self._name, vectors_config=vectors)
            if not self._is_local:
                self._client.create_payload_index(self._name, "facet", models.PayloadSchemaType.INTEGER)
        size = self._client.get_collection(self._name).config.params.vectors.size
        if size != self._dimension:
            raise NearestUnavailable(
                f"the collection {self._name} holds vectors of {size} dimensions, not {self._dimension}",
                hint="delete the collection; it is fed again",
            )


class _Engine:
    """One client for all collections: the local mode lets a folder be opened once."""

    def __init__(self, url: str, options: Mapping[str, Any]) -> None:
        self._place = _place(url)
        self._options = dict(options)
        self._lock = threading.Lock()
        self._calls = threading.Lock()
        self._client: Any = None
        self._users = 0

    def open(self, name: str, dimension: int) -> Nearest:
        with self._lock:
            if self._client is None:
                self._client = _client(self._place | self._options)
            self._users += 1
            lock = self._calls if "path" in self._place else None
            return QdrantNearest(self._client, name, dimension, lock=lock, close=self._release)

    def _release(self) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._client.close()
                self._client = None


def create(url: str, options: Mapping[str, Any]) -> OpenNearest:
    """What the registry calls. Options are those of `QdrantClient`, such as `api_key`, `grpc_port` or `timeout`."""
    return _Engine(url, options).open


def _place(url: str) -> dict[str, Any]:
    """Where a URL points to, as the client takes it."""
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise InvalidRequest(
            "has a password in it",
            field="nearest.url",
            hint='set options.api_key = "${QDRANT_API_KEY}" under [nearest]',
        )
    if not parts.hostname:
        if not parts.path.strip("/"):
            raise InvalidRequest(_FORMS, field="nearest.url", hint=_SEE)
        return {"path": parts.path, "force_disable_check_same_thread": True}
    try:
        port = parts.port or 6333
    except ValueError as error:
        raise InvalidRequest(f"has no such port: it {_FORMS}", field="nearest.url", hint=_SEE) from error
    is_secure = parts.scheme == "qdrant+https"
    return {
        "host": parts.hostname, "port": port, "https": is_secure, "prefix": parts.path.strip("/") or None,
        "prefer_grpc": True, "timeout": 10, "check_compatibility": False,
    }  # fmt: skip


_FORMS = "is not qdrant://host:6333, qdrant+https://host:6333 or qdrant:///folder"
_SEE = "see docs/nearest.md"


def _client(options: Mapping[str, Any]) -> Any:
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise ProviderMissing(
            "the package qdrant-client is not installed", hint=f"run `{install_command('qdrant')}`"
        ) from error
    return QdrantClient(**options)
