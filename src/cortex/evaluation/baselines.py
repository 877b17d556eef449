"""What a plain search finds in the same records: FTS5 as it comes, exact cosines of whole texts, and both fused."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cortex.domain.text import estimate_tokens
from cortex.evaluation.sets import Record
from cortex.ports.embedder import Embedder
from cortex.progress import Progress, silent

_WORD = re.compile(r"\w+")
_BATCH = 256


class Baseline(Protocol):
    """A plain search over all records, within one scope."""

    def search(self, query: str, scope: str, k: int) -> list[str]:
        """The ids of the best records of the scope, best first."""

    def tokens(self, ids: Sequence[str]) -> int:
        """What it would cost to show these records."""


class PlainFts:
    """One FTS5 table with the porter stemmer; any word of the query matches, BM25 decides."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE plain USING fts5(id UNINDEXED, scope UNINDEXED, text, tokenize = 'porter unicode61')"
        )
        self._sizes: dict[str, int] = {}
        for record in records:
            self._db.execute("INSERT INTO plain VALUES (?, ?, ?)", (record.id, record.scope, record.text))
            self._sizes[record.id] = estimate_tokens(record.text)

    def search(self, query: str, scope: str, k: int) -> list[str]:
        words = _WORD.findall(query)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT id FROM plain WHERE plain MATCH ? AND scope = ? ORDER BY bm25(plain), rowid LIMIT ?",
            (match, scope, k),
        )
        return [row[0] for row in rows]

    def tokens(self, ids: Sequence[str]) -> int:
        return sum(self._sizes[id] for id in ids)

    def close(self) -> None:
        self._db.close()


class PlainVectors:
    """The cosine of the query with every record of the scope, each embedded whole."""

    def __init__(self, records: Sequence[Record], embedder: Embedder, progress: Progress = silent) -> None:
        self._embedder = embedder
        self._sizes = {record.id: estimate_tokens(record.text) for record in records}
        self._scopes: dict[str, tuple[list[str], NDArray[np.float32]]] = {}
        vectors: list[NDArray[np.float32]] = []
        for start in range(0, len(records), _BATCH):
            vectors += embedder.embed_documents([record.text for record in records[start : start + _BATCH]])
            progress(len(vectors), len(records), "embedded whole, for the baseline")
        places: dict[str, list[int]] = {}
        for place, record in enumerate(records):
            places.setdefault(record.scope, []).append(place)
        for scope, mine in places.items():
            self._scopes[scope] = [records[at].id for at in mine], np.stack([vectors[at] for at in mine])

    def search(self, query: str, scope: str, k: int) -> list[str]:
        if scope not in self._scopes:
            return []
        ids, matrix = self._scopes[scope]
        order = np.argsort(-(matrix @ self._embedder.embed_query(query)), kind="stable")[:k]
        return [ids[at] for at in order.tolist()]

    def tokens(self, ids: Sequence[str]) -> int:
        return sum(self._sizes[id] for id in ids)


FUSION_K = 10
FUSED = 50
"""How many of each search are fused."""


class PlainHybrid:
    """Reciprocal rank fusion of two plain searches."""

    def __init__(self, one: Baseline, other: Baseline) -> None:
        self._searches = (one, other)

    def search(self, query: str, scope: str, k: int) -> list[str]:
        scores: dict[str, float] = {}
        for search in self._searches:
            for place, id in enumerate(search.search(query, scope, max(k, FUSED)), start=1):
                scores[id] = scores.get(id, 0.0) + 1.0 / (FUSION_K + place)
        return sorted(scores, key=lambda id: (-scores[id], id))[:k]

    def tokens(self, ids: Sequence[str]) -> int:
        return self._searches[0].tokens(ids)
