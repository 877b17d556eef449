"""HNSW indexes on PostgreSQL: a setting, off by default, that chooses which vectors are compared exactly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from samples import ANNA, AT, memory

import postgres_server
import store_list
from cortex import settings, wiring
from cortex.domain.events import EventKind
from cortex.domain.vectors import EmbeddingSpace
from cortex.ports.store import Embed, Filter, Put
from cortex.stores.postgres import hnsw
from cortex.stores.postgres.store import PostgresStore

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())

SPACE = EmbeddingSpace("fake", "clusters", 32)
NUMBER = 1_500
INDEXES = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'hnsw%'"


def opened(url: str, folder: Path, **options: Any) -> PostgresStore:
    loaded = settings.load(folder, {"store": {"url": url, "postgresql": options}})
    store = wiring.Stores(folder, loaded).open("main")
    assert isinstance(store, PostgresStore)
    return store


def clustered(number: int) -> NDArray[np.float32]:
    random = np.random.default_rng(3)
    near = random.normal(size=(40, SPACE.dimension))[random.integers(0, 40, number)]
    found = near + 0.5 * random.normal(size=(number, SPACE.dimension))
    unit: NDArray[np.float32] = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    return unit


VECTORS = clustered(NUMBER + 20)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return store_list.STORE_URLS["postgresql"](tmp_path)


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(opened(url, tmp_path, hnsw=True)) as made:
        traces = [memory(number, f"Note {number}", scope="rare" if number % 300 == 0 else "often")
                  for number in range(NUMBER)]  # fmt: skip
        made.apply(ANNA, [Put(each, EventKind.REMEMBERED) for each in traces], at=AT)
        made.apply(ANNA, [Embed(each.id, SPACE, (VECTORS[at],)) for at, each in enumerate(traces)], at=AT)
        yield made
        assert list(made.verify()) == []
        made._indexes.drop()  # the database is the next test's


def nearest(store: PostgresStore, vector: NDArray[np.float32], filter: Filter | None = None) -> list[str]:
    with store.view(ANNA) as view:
        return [match.id for match in view.nearest(vector, SPACE, filter or Filter(), 10)]


def uses_index(store: PostgresStore, monkeypatch: pytest.MonkeyPatch, vector: NDArray[np.float32], **of: Any) -> bool:
    """Whether an index chose the candidates of a search."""
    chosen = []
    choose = hnsw.HnswIndexes.choose

    def noting(*given: Any) -> Any:
        chosen.append(choose(*given))
        return chosen[-1]

    with monkeypatch.context() as patched:
        patched.setattr(hnsw.HnswIndexes, "choose", noting)
        nearest(store, vector, Filter(**of))
    return any(keys is not None for keys in chosen)


def test_an_index_is_built_by_optimizing_and_finds_nearly_all_of_the_nearest(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = VECTORS[NUMBER:]
    assert not uses_index(store, monkeypatch, asked[0]), "there is none yet, and the codes choose"
    store.maintain()
    assert uses_index(store, monkeypatch, asked[0])
    exact = [[memory(int(at)).id for at in np.argsort(-(VECTORS[:NUMBER] @ each))[:10]] for each in asked]
    found = [nearest(store, each) for each in asked]
    shared = sum(len(set(a) & set(b)) for a, b in zip(exact, found, strict=True))
    assert shared >= 0.99 * 10 * len(asked)


def test_what_is_new_is_found_at_once_and_what_is_gone_is_not(store: PostgresStore) -> None:
    store.maintain()
    new = memory(9_000, "A new note", scope="often")
    store.apply(ANNA, [Put(new, EventKind.REMEMBERED), Embed(new.id, SPACE, (VECTORS[NUMBER],))], at=AT)
    assert nearest(store, VECTORS[NUMBER])[0] == new.id
    store.apply(ANNA, [Embed(new.id, SPACE, (VECTORS[NUMBER + 1],))], at=AT)
    assert nearest(store, VECTORS[NUMBER + 1])[0] == new.id
    assert nearest(store, VECTORS[NUMBER])[0] != new.id


def test_a_filter_that_leaves_few_is_searched_whole(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.maintain()
    rare = [at for at in range(NUMBER) if at % 300 == 0]
    found = nearest(store, VECTORS[NUMBER], Filter(scopes=frozenset({"rare"})))
    assert sorted(found) == sorted(memory(at).id for at in rare)


def test_turning_it_off_removes_the_indexes_and_changes_no_answer(
    store: PostgresStore, url: str, tmp_path: Path
) -> None:
    store.maintain()
    with store._connections.alone() as connection:
        assert len(connection.execute(INDEXES).fetchall()) == 1
    with closing(opened(url, tmp_path)) as plain:
        before = nearest(plain, VECTORS[NUMBER])
        plain.maintain()
        assert nearest(plain, VECTORS[NUMBER]) == before
    with store._connections.alone() as connection:
        assert connection.execute(INDEXES).fetchall() == []


def test_a_build_that_was_interrupted_is_done_again(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    store.maintain()
    with psycopg.connect(postgres_server.shared().url(), autocommit=True) as administrator:
        administrator.execute(
            "UPDATE pg_index SET indisvalid = false FROM pg_class c WHERE c.oid = indexrelid AND c.relname LIKE 'hnsw%'"
        )
    store.maintain()
    assert uses_index(store, monkeypatch, VECTORS[NUMBER])
