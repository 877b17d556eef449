"""The baselines: what one would write in an afternoon, and what nothing can be faster than."""

from __future__ import annotations

import re
import sqlite3
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.corpus import DIMENSION, Text
from cortex.domain.vectors import Vector

_WORD = re.compile(r"\w+")
_POOL = 50
_RRF = 60
_GROWTH = 4_096


def connect(path: Path, synchronous: str = "FULL") -> sqlite3.Connection:
    """A database with the settings of Cortex's own: write-ahead log, waiting for the disk."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA synchronous = {synchronous}")
    return database


class PlainInserts:
    """Raw inserts into a table with ids, scopes and times, and an FTS5 index of external content.

    A trigger keeps the index, as SQLite's manual has it. Without one the index is written by hand, which is
    four times as fast: FTS5 writes out what it holds before every statement that fires a trigger.
    """

    def __init__(self, path: Path, *, trigger: bool) -> None:
        self.database = connect(path)
        self.database.execute(
            "CREATE TABLE docs (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL,"
            " created TEXT NOT NULL, text TEXT NOT NULL)"
        )
        self.database.execute("CREATE INDEX docs_by_scope ON docs (scope)")
        self.database.execute(
            "CREATE VIRTUAL TABLE words USING fts5"
            "(text, content = 'docs', content_rowid = 'row', tokenize = 'porter unicode61')"
        )
        if trigger:
            self.database.execute(
                "CREATE TRIGGER docs_added AFTER INSERT ON docs"
                " BEGIN INSERT INTO words (rowid, text) VALUES (new.row, new.text); END"
            )
        self._by_hand = not trigger
        self._count = 0

    def add(self, texts: Sequence[Text], batch: int) -> None:
        for start in range(0, len(texts), batch):
            now = datetime.now(UTC).isoformat()
            rows = [
                (row, str(uuid.uuid4()), each.scope, now, each.text)
                for row, each in enumerate(texts[start : start + batch], start=self._count)
            ]
            self.database.execute("BEGIN IMMEDIATE")
            self.database.executemany("INSERT INTO docs VALUES (?, ?, ?, ?, ?)", rows)
            if self._by_hand:
                words = [(row, text) for row, *_, text in rows]
                self.database.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", words)
            self.database.execute("COMMIT")
            self._count += len(rows)


class PlainSearch(PlainInserts):
    """FTS5 with any word of the query, an exact scan of float32 vectors, and reciprocal rank fusion."""

    def __init__(self, path: Path) -> None:
        # By hand, because it leaves the most compact index, which is the quickest to search.
        super().__init__(path, trigger=False)
        self._matrix = np.zeros((0, DIMENSION), np.float32)
        self._vectors = 0
        self._places: dict[str, list[int]] = {}

    @property
    def matrix(self) -> NDArray[np.float32]:
        return self._matrix[: self._vectors]

    def add_vectors(self, texts: Sequence[Text], vectors: Sequence[Vector]) -> None:
        """The vectors of texts that were added, in the same order."""
        needed = self._vectors + len(vectors)
        if needed > len(self._matrix):
            grown = np.zeros((max(needed, 2 * len(self._matrix), _GROWTH), DIMENSION), np.float32)
            grown[: self._vectors] = self.matrix
            self._matrix = grown
        for text, vector in zip(texts, vectors, strict=True):
            self._places.setdefault(text.scope, []).append(self._vectors)
            self._matrix[self._vectors] = vector
            self._vectors += 1

    def search(self, query: str, vector: Vector, scope: str | None = None) -> list[int]:
        """The fused best ten, of everything or of one scope."""
        return fused(self.by_words(query, scope), self.by_vector(vector, scope))

    def by_words(self, query: str, scope: str | None) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in _WORD.findall(query))
        if not match:
            return []
        if scope is None:
            rows = self.database.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, _POOL)
            )
        else:
            rows = self.database.execute(
                "SELECT d.row FROM words w JOIN docs d ON d.row = w.rowid WHERE words MATCH ? AND d.scope = ?"
                " ORDER BY rank LIMIT ?",
                (match, scope, _POOL),
            )
        return [row[0] for row in rows]

    def by_vector(self, vector: Vector, scope: str | None) -> list[int]:
        rows = None if scope is None else np.array(self._places.get(scope, []), dtype=np.int64)
        cosines = (self.matrix if rows is None else self.matrix[rows]) @ vector
        many = min(_POOL, len(cosines))
        if not many:
            return []
        best = np.argpartition(-cosines, many - 1)[:many]
        ordered = best[np.argsort(-cosines[best])]
        found: list[int] = (ordered if rows is None else rows[ordered]).tolist()
        return found


def fused(*legs: Sequence[int], k: int = _RRF) -> list[int]:
    scores: dict[int, float] = {}
    for leg in legs:
        for place, id in enumerate(leg, start=1):
            scores[id] = scores.get(id, 0.0) + 1.0 / (k + place)
    return sorted(scores, key=lambda id: -scores[id])[:10]


class OneRow:
    """A bare commit of one row, as durable as a remembered memory."""

    def __init__(self, path: Path) -> None:
        self._database = connect(path)
        self._database.execute("CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")

    def add(self, text: str) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("INSERT INTO one (text) VALUES (?)", (text,))
        self._database.execute("COMMIT")

    def close(self) -> None:
        self._database.close()


class BareModel:
    """The embedding model with nothing around it: a session, a tokenizer, a mean."""

    def __init__(self, folder: Path, threads: int = 1) -> None:
        import onnxruntime
        from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokens = BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
        self._tokens.enable_truncation(512)
        self._threads = threads

    def embed(self, text: str) -> Vector:
        ids = np.array([self._tokens.encode(text).ids], np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = self._session.run(["last_hidden_state"], feed)[0][0].mean(axis=0)
        vector: Vector = mean / np.linalg.norm(mean)
        return vector

    def embed_all(self, texts: Sequence[str]) -> list[Vector]:
        from concurrent.futures import ThreadPoolExecutor

        if self._threads < 2:
            return [self.embed(text) for text in texts]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self.embed, texts))
