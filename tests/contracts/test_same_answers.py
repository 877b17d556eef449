"""PostgreSQL gives the records that SQLite gives, in the same order and with the same scores."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from samples import ANNA, AT, BORIS, MINUTE, chunk, id_, memory, turn

import postgres_server
from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane
from cortex.domain.terms import query_terms
from cortex.domain.trace import Trace
from cortex.domain.vectors import EmbeddingSpace
from cortex.ports.store import Change, Embed, Filter, Match, Put, Remove, Store
from cortex.stores.relational import vector_cache
from cortex.stores.relational.code_index import MANY
from cortex.stores.relational.keyword_search import POSTING_BUDGET
from store_list import open_store, open_url

DOCS = Path(__file__).parents[2] / "docs"
DIMENSION = 16
SPACE = EmbeddingSpace("fake", "sphere", DIMENSION)
VOCABULARY = [f"w{number}" for number in range(400)]
SCOPES = ("personal", "infra", "kitchen")
FILTERS = (
    Filter(),
    Filter(scopes=frozenset({"kitchen"})),
    Filter(lanes=frozenset({Lane.SESSIONS})),
    Filter(sessions=frozenset({"s3"})),
    Filter(since=AT + 30 * MINUTE, scopes=frozenset({"personal", "infra"})),
    Filter(ids=frozenset(id_(number) for number in range(0, 600, 3))),
)


def random_traces(count: int, seed: int) -> list[Trace]:
    """Texts of words that are as unevenly used as those of a language."""
    chance = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))]
    made: list[Trace] = []
    for number in range(count):
        text = " ".join(chance.choices(VOCABULARY, weights, k=chance.randint(3, 12)))
        fields = {"scope": chance.choice(SCOPES), "created_at": AT + (number % 60) * MINUTE}
        if number % 2:
            made.append(turn(number, text, session=f"s{number % 7}", seq=number, **fields))
        else:
            made.append(memory(number, text, **fields))
    return made


def sample_traces() -> list[Trace]:
    """The documentation, paragraph by paragraph."""
    texts = [text for page in sorted(DOCS.glob("*.md")) for text in page.read_text(encoding="utf-8").split("\n\n")]
    return [chunk(100_000 + at, text, path="memory/a.md") for at, text in enumerate(filter(str.strip, texts[:400]))]


def vectors_of(traces: Sequence[Trace], seed: int) -> np.ndarray:
    matrix = np.random.default_rng(seed).normal(size=(len(traces), DIMENSION))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Store]]:
    """The same history in both, of two users, with revisions and removals."""
    opened = tuple(open_store(kind, tmp_path_factory.mktemp(kind)) for kind in ("sqlite", "postgresql"))
    many = random_traces(POSTING_BUDGET + 300, 1)
    changes: list[Sequence[Change]] = [[Put(trace, EventKind.REMEMBERED) for trace in many]]
    embedded = zip(many[: MANY + 200], vectors_of(many[: MANY + 200], 2), strict=True)
    changes.append([Embed(trace.id, SPACE, (vector, -vector)) for trace, vector in embedded])
    changes.append([Put(trace, EventKind.REVISED) for trace in random_traces(50, 3)])
    changes.append([Remove(trace.id) for trace in many[100:140]])
    for store in opened:
        for each in changes:
            store.apply(ANNA, each, at=AT)
        store.apply(BORIS, [Put(trace, EventKind.CHUNKED) for trace in sample_traces()], at=AT)
    yield opened
    for store in opened:
        assert list(store.verify()) == []
        store.close()


def same(found: Sequence[Match], expected: Sequence[Match]) -> bool:
    return [(match.id, match.passage) for match in found] == [(match.id, match.passage) for match in expected] and (
        [match.score for match in found] == pytest.approx([match.score for match in expected], abs=1e-5)
    )


@pytest.mark.parametrize("filter", FILTERS, ids=range(len(FILTERS)))
def test_words_find_the_same_in_the_same_order(stores: tuple[Store, Store], filter: Filter) -> None:
    chance = random.Random(7)
    queries = [" ".join(chance.sample(VOCABULARY, 4)) for _ in range(6)] + ["w0", "w0 w1", "w399 w0 w5", "nothing"]
    with stores[0].view(ANNA) as sqlite, stores[1].view(ANNA) as postgres:
        for query in queries:
            terms = query_terms(query)
            expected = sqlite.keywords(terms, filter, 50)
            assert same(postgres.keywords(terms, filter, 50), expected), query


def test_words_of_a_real_text_find_the_same(stores: tuple[Store, Store]) -> None:
    found = 0
    with stores[0].view(BORIS) as sqlite, stores[1].view(BORIS) as postgres:
        for query in ("how is memory erased", "which port does the server use", "recall recipe", "the", "token"):
            expected = sqlite.keywords(query_terms(query), Filter(), 50)
            found += len(expected)
            assert same(postgres.keywords(query_terms(query), Filter(), 50), expected), query
    assert found


@pytest.mark.parametrize("filter", FILTERS, ids=range(len(FILTERS)))
def test_vectors_find_the_same_in_the_same_order(stores: tuple[Store, Store], filter: Filter) -> None:
    with stores[0].view(ANNA) as sqlite, stores[1].view(ANNA) as postgres:
        for vector in vectors_of([memory(0)] * 8, 11):
            expected = sqlite.nearest(vector, SPACE, filter, 50)
            assert expected
            assert same(postgres.nearest(vector, SPACE, filter, 50), expected)


@pytest.mark.parametrize("filter", FILTERS, ids=range(len(FILTERS)))
def test_vectors_that_do_not_fit_into_memory_find_the_same(
    stores: tuple[Store, Store], filter: Filter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The server compares them first, and few of them travel."""
    monkeypatch.setattr(vector_cache, "MOST_BYTES", 0)
    large = open_url(postgres_server.shared().url(user=postgres_server.OWNER), tmp_path)
    with stores[0].view(ANNA) as sqlite, large.view(ANNA) as postgres:
        for vector in vectors_of([memory(0)] * 8, 13):
            for limit in (1, 7, 50):
                expected = sqlite.nearest(vector, SPACE, filter, limit)
                assert same(postgres.nearest(vector, SPACE, filter, limit), expected)
    large.close()


def test_the_past_answers_the_same(stores: tuple[Store, Store]) -> None:
    as_of = POSTING_BUDGET + 100
    (vector,) = vectors_of([memory(0)], 5)
    with stores[0].view(ANNA, as_of) as sqlite, stores[1].view(ANNA, as_of) as postgres:
        terms = query_terms("w3 w17 w40")
        assert same(postgres.keywords(terms, Filter(), 50), sqlite.keywords(terms, Filter(), 50))
        assert same(postgres.nearest(vector, SPACE, Filter(), 50), sqlite.nearest(vector, SPACE, Filter(), 50))
