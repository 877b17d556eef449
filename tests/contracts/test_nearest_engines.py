"""What every engine for vectors does alike: codes, Qdrant in local mode and by gRPC, LanceDB in a folder and on S3."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from nearest_engines import BY_GRPC, DIMENSION, KEEPING, NAMES, Place, clustered, place_of

from cortex.errors import NearestUnavailable
from cortex.ports.nearest import Nearest, Points, Watermark
from cortex.stores.nearest import lance
from cortex.stores.relational.code_index import MANY

FEED = Watermark("first", 9, 4, 3)
WIDE = 256
"""Codes of one bit a dimension need some to tell vectors apart."""


@pytest.fixture(params=[*NAMES, BY_GRPC])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return place_of(request.param, tmp_path, request)


@pytest.fixture
def engine(place: Place) -> Iterator[Nearest]:
    opened = place.open()
    yield opened
    opened.close()


def points(matrix: np.ndarray, first: int = 1, facet: int | None = None) -> Points:
    """Points from the id `first` on; in three facets by turns, or in one."""
    ids = np.arange(first, first + len(matrix))
    return Points(ids, ids % 3 if facet is None else np.full(len(ids), facet), matrix)


def found(engine: Nearest, vector: np.ndarray, facets: list[int], limit: int = 10) -> list[int]:
    answer = engine.search(vector, facets, limit)
    assert answer is not None
    return sorted(answer.ids.tolist())


def test_one_that_nothing_was_put_into_has_no_watermark_and_no_answer(engine: Nearest):
    """L1: it is created on first use"""
    assert engine.watermark() is None
    assert engine.search(clustered(1)[0], [0, 1, 2], 5) is None
    assert engine.describe()["points"] == 0
    engine.drop([1, 2])
    engine.optimize()


def test_points_are_found_by_facet_with_the_watermark_they_were_put_with(engine: Nearest):
    """X17, L1"""
    matrix = clustered(60)
    engine.put(points(matrix), FEED)
    everything = [id for id in range(1, 61) if id % 3 == 1]
    assert found(engine, matrix[0], [1], 60) == everything
    assert found(engine, matrix[0], [1, 7], 60) == everything
    assert found(engine, matrix[0], [0, 1, 2], 60) == list(range(1, 61))
    assert found(engine, matrix[0], [7]) == found(engine, matrix[0], []) == []
    assert found(engine, matrix[40], [41 % 3], 1) == [41]
    assert engine.watermark() == FEED
    answer = engine.search(matrix[0], [1], 5)
    assert answer is not None
    assert answer.watermark == FEED
    assert engine.describe()["points"] == 60


def test_the_watermark_moves_on_with_and_without_points(engine: Nearest):
    matrix = clustered(4)
    engine.put(points(matrix), FEED)
    later = Watermark("second", 12, 8, 8)
    engine.put(points(matrix[:0]), later)
    assert engine.watermark() == later
    assert found(engine, matrix[0], [0, 1, 2]) == [1, 2, 3, 4]


def test_putting_and_dropping_again_changes_nothing(engine: Nearest):
    """A feed that was interrupted is done again"""
    matrix = clustered(30)
    for _ in range(2):
        engine.put(points(matrix), FEED)
        assert engine.describe()["points"] == 30
    for _ in range(2):
        engine.drop([2, 4, 77])
        assert engine.describe()["points"] == 28
    assert found(engine, matrix[1], [0, 1, 2], 30) == [id for id in range(1, 31) if id not in (2, 4)]
    assert engine.watermark() == FEED


def test_clearing_removes_everything(engine: Nearest):
    matrix = clustered(5)
    engine.put(points(matrix), FEED)
    engine.clear()
    assert engine.watermark() is None
    assert engine.search(matrix[0], [0, 1, 2], 5) is None
    engine.clear()
    engine.put(points(matrix[:2]), FEED)
    assert found(engine, matrix[0], [0, 1, 2]) == [1, 2]


@pytest.mark.parametrize("place", [*KEEPING, BY_GRPC], indirect=True)
def test_what_was_put_is_there_when_it_is_opened_again(place: Place):
    matrix = clustered(8)
    first = place.open()
    first.put(points(matrix), FEED)
    first.close()
    again = place.open()
    assert again.watermark() == FEED
    assert found(again, matrix[0], [0, 1, 2]) == list(range(1, 9))
    other = place.open(name="main-other")
    assert other.watermark() is None
    other.close()
    again.close()


def test_vectors_of_another_dimension_are_refused(place: Place):
    """Bad input: a wrong dimension"""
    engine = place.open()
    engine.put(points(clustered(3)), FEED)
    with pytest.raises(NearestUnavailable, match="dimensions"):
        engine.put(points(clustered(3, DIMENSION + 8), first=4), FEED)
    with pytest.raises(NearestUnavailable, match="dimensions"):
        engine.search(clustered(1, DIMENSION + 8)[0], [0, 1, 2], 5)
    assert engine.describe()["points"] == 3
    engine.close()


@pytest.mark.parametrize("place", KEEPING, indirect=True)
def test_what_holds_vectors_of_another_dimension_is_left_alone(place: Place):
    """Bad input: a wrong dimension"""
    engine, other = place.open(), place.open(DIMENSION + 8)
    engine.put(points(clustered(3)), FEED)
    with pytest.raises(NearestUnavailable, match="holds vectors of 16 dimensions, not 24"):
        other.put(points(clustered(3, DIMENSION + 8)), FEED)
    assert found(engine, clustered(1)[0], [0, 1, 2]) == [1, 2, 3]
    other.close()
    engine.close()


def test_the_nearest_are_among_the_candidates(place: Place):
    """Recall@10 of at least 0.99 against the exact comparison, over everything and within a facet"""
    engine = place.open(WIDE)
    queries, matrix = np.split(clustered(2_010, WIDE), [10])
    engine.put(points(matrix), FEED)
    for facets in ([0, 1, 2], [1]):
        ids = np.array([id for id in range(1, 2_001) if id % 3 in facets])
        hits = 0
        for query in queries:
            exact = ids[np.argsort(-(matrix[ids - 1] @ query))[:10]]
            hits += len({*exact.tolist()} & {*found(engine, query, facets, MANY)})
        assert hits >= 0.99 * 10 * len(queries)
    engine.close()


def test_optimizing_keeps_every_point_and_the_watermark(engine: Nearest):
    """E16"""
    matrix = clustered(200)
    engine.put(points(matrix), FEED)
    engine.drop([3])
    for purge in (False, True):
        engine.optimize(purge=purge)
        assert engine.watermark() == FEED
        assert found(engine, matrix[0], [0, 1, 2], 200) == [id for id in range(1, 201) if id != 3]
    engine.put(points(matrix[:1], first=201), FEED)
    assert found(engine, matrix[0], [0, 1, 2], 2) == [1, 201]


@pytest.mark.parametrize("place", ["lancedb", "s3"], indirect=True)
def test_the_index_of_a_table_is_built_extended_and_trained_anew(engine: Nearest, monkeypatch: pytest.MonkeyPatch):
    """E16: by thresholds, and nothing is missing that is not in it yet"""
    monkeypatch.setattr(lance, "INDEX_FROM", 600)
    monkeypatch.setattr(lance, "ROWS_PER_PARTITION", 100)
    monkeypatch.setattr(lance, "STALE_ROWS", 50)
    matrix = clustered(3_000)

    def grown(first: int, last: int) -> tuple[object, object]:
        engine.put(points(matrix[first:last], first=first + 1), FEED)
        unindexed = engine.describe().get("unindexed")
        assert found(engine, matrix[last - 1], [0, 1, 2], last) == list(range(1, last + 1))
        engine.optimize()
        assert last in found(engine, matrix[last - 1], [last % 3], 100)
        return unindexed, engine.describe()["index"]

    assert grown(0, 598) == (None, "none (from 600 on)")
    assert grown(598, 700) == (None, "IVF_RQ, 7 partitions")
    assert grown(700, 740) == (41, "IVF_RQ, 7 partitions")  # too few to extend it; the watermark's row is one of them
    assert engine.describe()["unindexed"] == 41
    assert grown(740, 800) == (101, "IVF_RQ, 7 partitions")
    assert engine.describe()["unindexed"] == 0
    assert grown(800, 3_000)[1] == "IVF_RQ, 30 partitions"
    assert found(engine, matrix[0], [0, 1, 2], 3_000) == list(range(1, 3_001))


@pytest.mark.parametrize("place", ["lancedb", "s3"], indirect=True)
def test_a_table_is_optimized_and_written_anew_while_another_feeds_it(place: Place):
    """E16: where one comes before the other, it is done again"""
    matrix, engine, other = clustered(120), place.open(), place.open()
    engine.put(points(matrix[:10]), FEED)
    done = threading.Event()

    def feed() -> None:
        for number in range(10, 110, 10):
            with suppress(NearestUnavailable):  # the version it builds on was removed: it is fed again later
                other.put(points(matrix[number : number + 10], first=number + 1), FEED)
        done.set()

    thread = threading.Thread(target=feed)
    thread.start()
    while not done.is_set():
        with suppress(NearestUnavailable):  # a writer that never stops may come first each time
            engine.optimize(purge=True)
    thread.join()
    for number in range(10, 110, 10):  # what was overwritten is fed again, as the watermark says
        other.put(points(matrix[number : number + 10], first=number + 1), FEED)
    engine.optimize(purge=True)
    assert found(engine, matrix[0], [0, 1, 2], 120) == list(range(1, 111))
