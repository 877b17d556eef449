"""The quick comparison of vectors gives what the plain one gives, to the last digit."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import ANNA, AT, id_, memory

from cortex.domain.events import EventKind
from cortex.domain.vectors import EmbeddingSpace, Vector, unit
from cortex.ports.store import Embed, Filter, Match, Put
from cortex.stores.relational import code_index
from cortex.stores.relational.vectors import SCORE_DIGITS, Vectors, promising
from cortex.stores.sqlite import SqliteStore

DIMENSION = 24
SPACE = EmbeddingSpace("fake", "sphere", DIMENSION)


def plain(vector: Vector, found: Vectors, limit: int) -> list[tuple[int, float]]:
    """The best passage of each row, all of them compared in double precision."""
    cosines = (found.matrix.astype(np.float64) @ vector.astype(np.float64)).round(SCORE_DIGITS)
    best: dict[int, float] = {}
    for row, cosine in zip(found.rows.tolist(), cosines.tolist(), strict=True):
        best[row] = max(best.get(row, -2.0), cosine)
    return sorted(best.items(), key=lambda each: (-each[1], each[0]))[:limit]


@given(st.integers(1, 60), st.integers(1, 30), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-7, 1e-5, 1.0]))
def test_nothing_that_belongs_to_the_best_is_left_out_early(count: int, limit: int, seed: int, apart: float):
    """B6: vectors that are nearly alike, and several passages of one trace"""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=DIMENSION) + apart * random.normal(size=(count, DIMENSION))
    matrix = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    rows = np.sort(random.integers(0, count, count))
    found = Vectors(np.arange(count), rows, np.arange(count), matrix)
    query = unit(random.normal(size=DIMENSION).astype(np.float32))
    kept = promising(query, found, limit)
    assert plain(query, kept, limit) == plain(query, found, limit)
    assert len(kept.keys) >= min(limit, len(set(rows.tolist())))


@pytest.fixture
def vectors() -> np.ndarray:
    random = np.random.default_rng(7)
    matrix = random.normal(size=(code_index.MANY + 300, DIMENSION))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def file(tmp_path: Path, vectors: np.ndarray) -> Path:
    path = tmp_path / "main.db"
    with closing(SqliteStore(path)) as store:
        traces = [memory(number, f"berth {number}") for number in range(len(vectors))]
        store.apply(ANNA, [Put(trace, EventKind.REMEMBERED) for trace in traces], at=AT)
        embeds = [Embed(trace.id, SPACE, (vector,)) for trace, vector in zip(traces, vectors, strict=True)]
        store.apply(ANNA, embeds, at=AT)
    return path


def nearest(file: Path, vector: Vector, limit: int = 20) -> tuple[list[Match], int]:
    with closing(SqliteStore(file)) as store, store.view(ANNA) as view:
        return view.nearest(vector, SPACE, Filter(), limit), len(view.skipped)


def test_of_many_vectors_the_nearest_are_found_with_their_cosines(file: Path, vectors: np.ndarray):
    """B6"""
    matches, skipped = nearest(file, vectors[40])
    assert matches[0] == Match(id_(40), 1.0)
    assert skipped == 0
    for match in matches:
        number = next(at for at in range(len(vectors)) if id_(at) == match.id)
        assert match.score == pytest.approx(float(vectors[number] @ vectors[40]), abs=2e-6)


@pytest.mark.parametrize(
    "damaged",
    [b"short", "a text", b"\xff" * 4 * DIMENSION, b"\x7f" * 4 * DIMENSION],
    ids=["short", "a text", "no number", "too long"],
)
def test_a_damaged_vector_is_skipped_and_the_others_are_found(
    file: Path, vectors: np.ndarray, damaged: object, caplog: pytest.LogCaptureFixture
):
    """B16: one that lost its length, is no blob, is no number, or is far too long"""
    whole, _ = nearest(file, vectors[40])
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("UPDATE vectors SET vector = ? WHERE key = 41", (damaged,))
    with caplog.at_level(logging.ERROR):
        left, skipped = nearest(file, vectors[40], 19)
    assert left == whole[1:]
    assert skipped == 1
