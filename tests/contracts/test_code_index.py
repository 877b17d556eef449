"""The codes in memory, kept in step with the file, whoever runs out of time meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from cortex.domain.vectors import code_bytes
from cortex.stores.relational import code_index
from cortex.stores.relational.code_index import CodeIndex
from cortex.stores.sqlite import schema
from cortex.stores.sqlite.view import code_positions

MANY = 3 * code_index._BATCH + 7
DIMENSION = 8


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        schema.prepare(made, ":memory:")
        made.executemany(
            "INSERT INTO codes (space, key, row, facet, code) VALUES (1, ?, ?, 1, ?)",
            [(key, key, bytes([key % 256]) * code_bytes(DIMENSION)) for key in range(1, MANY + 1)],
        )
        yield made


@pytest.mark.parametrize("steps", [1, 20, 40])
def test_codes_that_were_not_read_to_the_end_are_read_on_and_not_again(
    connection: sqlite3.Connection, steps: int
) -> None:
    """C8: a deadline may pass while they are read for the first time"""
    index, looks = CodeIndex(1, DIMENSION), 0

    def is_late() -> bool:
        nonlocal looks
        looks += 1
        return looks > steps

    connection.set_progress_handler(is_late, 2_000)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        index.columns(connection, *code_positions(connection))
    connection.set_progress_handler(None, 0)
    seen = index.columns(connection, *code_positions(connection))
    assert seen.keys.tolist() == list(range(1, MANY + 1))
    assert seen.alive.all()
    assert (seen.codes[:, 0] & np.uint64(255)).tolist() == [key % 256 for key in range(1, MANY + 1)]


def test_reading_goes_on_a_little_each_time_until_it_is_done(connection: sqlite3.Connection) -> None:
    index = CodeIndex(1, DIMENSION)
    for _ in range(100):
        looks = iter([False] * 20)
        connection.set_progress_handler(lambda looks=looks: next(looks, True), 2_000)
        try:
            found = index.columns(connection, *code_positions(connection))
            break
        except sqlite3.OperationalError:
            continue
    assert len(found.keys) == MANY


def test_which_codes_lie_in_the_facets_that_hold_most_follows_what_is_added_and_taken_out(
    connection: sqlite3.Connection,
) -> None:
    index = CodeIndex(1, DIMENSION)

    def within(*facets: int) -> list[int]:
        return index.within(index.columns(connection, *code_positions(connection)), list(facets))[1].tolist()

    assert within(1) == within(1) == list(range(1, MANY + 1))
    assert within(2) == []
    connection.execute("INSERT INTO codes (space, key, row, facet, code) VALUES (1, ?, 1, 2, ?)", (MANY + 1, b"x" * 8))
    connection.execute("INSERT INTO tombs (code) SELECT seq FROM codes WHERE key = 1")
    assert within(1) == list(range(2, MANY + 1))
    assert within(1, 2) == list(range(2, MANY + 2))
