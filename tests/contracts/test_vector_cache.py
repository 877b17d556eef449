"""The vectors of a small space in memory: each is read once, and none is kept that is no longer searched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray

from cortex.domain.vectors import code_bytes
from cortex.stores.relational import vector_cache
from cortex.stores.relational.code_index import CodeIndex
from cortex.stores.relational.vector_cache import StoredVectorCache
from cortex.stores.relational.vectors import Vectors
from cortex.stores.sqlite import schema
from cortex.stores.sqlite.view import code_positions

DIMENSION = 8


class Stored:
    """Vectors as a file holds them, and what was read of them."""

    def __init__(self, *damaged: int) -> None:
        self.damaged = damaged
        self.read: list[list[int]] = []

    def __call__(self, keys: NDArray[np.int64]) -> Vectors:
        self.read.append(keys.tolist())
        whole = np.array([key for key in keys.tolist() if key not in self.damaged], dtype=np.int64)
        return Vectors(whole, 10 * whole, whole % 3, np.outer(whole, np.ones(DIMENSION)).astype(np.float32))


def keys(*given: int) -> NDArray[np.int64]:
    return np.array(given, dtype=np.int64)


def assert_same(found: Vectors, expected: Vectors) -> None:
    for column, other in zip(found.columns, expected.columns, strict=True):
        assert column.dtype == other.dtype
        assert column.tolist() == other.tolist()


def test_only_what_is_not_there_is_read() -> None:
    cache, stored = StoredVectorCache(DIMENSION), Stored()
    wanted = [keys(2, 5, 9), keys(5, 9, 70_000), keys(2, 70_000), keys(1, 2, 90_000), keys()]
    for each in wanted:
        assert_same(cache.taken(each, stored), Stored()(each))
    assert stored.read == [[2, 5, 9], [70_000], [1, 90_000]]


def test_what_cannot_be_compared_is_left_out_and_looked_for_again() -> None:
    cache, stored = StoredVectorCache(DIMENSION), Stored(5)
    for _ in range(2):
        assert cache.taken(keys(2, 5, 9), stored).keys.tolist() == [2, 9]
    assert stored.read == [[2, 5, 9], [5]]


def test_many_vectors_come_and_go_and_the_room_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "MOST_BYTES", 4 * DIMENSION * 100)
    cache, stored = StoredVectorCache(DIMENSION), Stored()
    for first in range(0, 1_000, 50):
        some = np.arange(first, first + 50)
        assert_same(cache.taken(some, stored), Stored()(some))
        for key in range(first, first + 50, 2):
            cache.forget(key)
        assert len(cache._kept.keys) <= max(cache._most, vector_cache._FIRST)
    assert cache._count <= cache._most


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        schema.prepare(made, ":memory:")
        add(made, range(1, 51))
        yield made


def add(connection: sqlite3.Connection, some: range) -> None:
    code = b"x" * code_bytes(DIMENSION)
    connection.executemany(
        "INSERT INTO codes (space, key, row, facet, code) VALUES (1, ?, ?, 1, ?)", [(key, key, code) for key in some]
    )


def test_what_is_taken_out_of_the_search_leaves_the_memory(connection: sqlite3.Connection) -> None:
    """An erased text's vector is not kept by a process that searches"""
    index, stored = CodeIndex(1, DIMENSION), Stored()
    index.columns(connection, *code_positions(connection))
    index.vectors(keys(7, 8), stored)
    connection.execute("INSERT INTO tombs (code) SELECT seq FROM codes WHERE key = 7")
    index.columns(connection, *code_positions(connection))
    held = index._vectors._kept.matrix
    assert not (held == 7).any()
    assert (held == 8).any()


def test_of_a_space_that_has_grown_too_large_nothing_is_kept(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "MOST_BYTES", 4 * DIMENSION * 60)
    index, stored = CodeIndex(1, DIMENSION), Stored()
    index.columns(connection, *code_positions(connection))
    for _ in range(2):
        index.vectors(keys(1, 2), stored)
    add(connection, range(51, 100))
    index.columns(connection, *code_positions(connection))
    for _ in range(2):
        assert_same(index.vectors(keys(1, 2), stored), Stored()(keys(1, 2)))
    assert stored.read == [[1, 2]] * 3
    assert not index._vectors._count
