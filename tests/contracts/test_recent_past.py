"""A recent position is searched by the indexes of the present, and gives what looking at everything gives."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from samples import ANNA, AT, BORIS, MINUTE, id_, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Memory
from cortex.domain.terms import query_terms
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace
from cortex.ports.store import Embed, Filter, Put, RecordAccess, Remove, Store, View
from cortex.stores.relational import recent_past
from cortex.stores.relational.code_index import MANY
from cortex.stores.relational.keyword_search import POSTING_BUDGET
from store_list import open_store

DIMENSION = 16
SPACE = EmbeddingSpace("fake", "sphere", DIMENSION)
WORDS = [f"w{number}" for number in range(400)]
WEIGHTS = [1 / (rank + 1) for rank in range(len(WORDS))]
QUERIES = ("w0", "w0 w1", "w399 w0 w5", "w3 w17 w40 w211", "changed w7", "nothing")
FILTERS = (
    Filter(),
    Filter(scopes=frozenset({"kitchen"})),
    Filter(lanes=frozenset({Lane.SESSIONS})),
    Filter(sessions=frozenset({"s3"})),
    Filter(since=AT + 30 * MINUTE, scopes=frozenset({"personal", "infra"})),
    Filter(until=AT + 20 * MINUTE),
    Filter(used_since=AT + 45 * MINUTE),
    Filter(ids=frozenset(id_(number) for number in range(0, 600, 3))),
    Filter(lacking=SPACE),
)


def text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, WEIGHTS, k=chance.randint(3, 12)))


def trace(chance: random.Random, number: int) -> Trace:
    fields: dict[str, Any] = {
        "scope": chance.choice(("personal", "infra", "kitchen")),
        "created_at": AT + (number % 60) * MINUTE,
    }
    if number % 2:
        speaker = chance.choice(("", "Ada", "Ben"))
        return turn(number, text(chance), session=f"s{number % 7}", seq=number, speaker=speaker, **fields)
    return memory(number, text(chance), source_turns=(id_(number + 1),), **fields)


def vector(chance: np.random.Generator) -> Any:
    found = chance.normal(size=DIMENSION)
    return (found / np.linalg.norm(found)).astype(np.float32)


def live(store: Store, count: int, embedded: int, steps: int) -> list[int]:
    """A history with every sort of change; gives the positions to look back to."""
    chance, numbers = random.Random(1), np.random.default_rng(1)
    known = {number: trace(chance, number) for number in range(count)}
    store.apply(ANNA, [Put(each, EventKind.REMEMBERED) for each in known.values()], at=AT)
    store.apply(BORIS, [Put(turn(90_001, "w0 w1 w2"), EventKind.SAID)], at=AT)
    store.apply(ANNA, [Embed(id_(at), SPACE, (vector(numbers), vector(numbers))) for at in range(embedded)], at=AT)
    positions = []
    for step in range(steps):
        some = chance.sample(sorted(known), 12)
        for at in some[:4]:
            known[at] = replace(known[at], text=f"changed {text(chance)}", scope="infra")
        for at in some[4:6]:
            state = State.FORGOTTEN if known[at].state is State.ACTIVE else State.ACTIVE
            known[at] = replace(known[at], state=state)
        known |= {at: trace(chance, at) for at in range(count + 3 * step, count + 3 * step + 3)}
        fresh = [known[at] for at in sorted(known)[-3:]]
        changed = [Put(known[at], EventKind.REVISED) for at in some[:6]]
        store.apply(ANNA, [*changed, *(Put(each, EventKind.REMEMBERED) for each in fresh)], at=AT)
        store.apply(ANNA, [Embed(known[at].id, SPACE, (vector(numbers),)) for at in some[2:8]], at=AT)
        used = tuple(known[at].id for at in some[6:10] if isinstance(known[at], Memory))
        store.apply(ANNA, [RecordAccess(used, AT + (step + 10) * MINUTE)], at=AT)
        store.apply(ANNA, [Remove(known.pop(some[11]).id)], at=AT)
        with store.view(ANNA) as view:
            positions.append(view.position)
    return positions


@pytest.fixture(scope="module", params=["small", "large"])
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, int]]:
    """A store and a position: with few traces all are scored, with many the candidates are chosen first."""
    store = open_store("sqlite", tmp_path_factory.mktemp(request.param))
    count, embedded = (POSTING_BUDGET + 100, MANY + 150) if request.param == "large" else (120, 60)
    positions = live(store, count, embedded, 30)
    yield store, positions[3]
    assert list(store.verify()) == []
    store.close()


@pytest.fixture(scope="module")
def views(history: tuple[Store, int]) -> Iterator[tuple[View, View]]:
    """The same position by the indexes, and by looking at everything."""
    store, position = history
    with (
        store.view(ANNA, position) as recent,
        store.view(ANNA, position) as everything,
        pytest.MonkeyPatch.context() as m,
    ):
        assert recent.load([id_(0)])
        m.setattr(recent_past, "MOST_EVENTS", -1)
        assert everything.load([id_(0)])
        assert recent._recent is not None  # type: ignore[attr-defined]
        assert everything._recent is None  # type: ignore[attr-defined]
        yield recent, everything


@pytest.mark.parametrize("filter", FILTERS, ids=range(len(FILTERS)))
def test_words_and_vectors_find_the_same(views: tuple[View, View], filter: Filter) -> None:
    """E18"""
    recent, everything = views
    for query in QUERIES:
        assert recent.keywords(query_terms(query), filter, 50) == everything.keywords(query_terms(query), filter, 50)
    numbers = np.random.default_rng(5)
    for _ in range(3):
        wanted = vector(numbers)
        assert recent.nearest(wanted, SPACE, filter, 50) == everything.nearest(wanted, SPACE, filter, 50)


def test_what_is_read_beside_a_search_is_the_same(views: tuple[View, View]) -> None:
    """E18"""
    recent, everything = views
    every = [id_(number) for number in range(5_000)]
    traces: Sequence[Trace] = everything.load(every)
    assert recent.load(every) == traces
    assert any(isinstance(each, Memory) and each.access_count for each in traces)
    turns = [each for each in traces if isinstance(each, Turn)]
    assert recent.derived([each.id for each in turns]) == everything.derived([each.id for each in turns])
    for each in turns[::20]:
        assert recent.turn_at(each.session, each.seq) == everything.turn_at(each.session, each.seq) == each
    for filter in FILTERS[:3]:
        assert recent.speakers(filter) == everything.speakers(filter)
        assert recent.scopes(filter) == everything.scopes(filter)


def test_a_speaker_who_came_later_was_not_there(history: tuple[Store, int]) -> None:
    """E18"""
    store, position = history
    late = turn(80_001, "w0", session="late", seq=1, speaker="Zoe")
    store.apply(ANNA, [Put(late, EventKind.SAID)], at=AT)
    with store.view(ANNA) as now, store.view(ANNA, position) as then:
        assert "Zoe" in now.speakers(Filter())
        assert "Zoe" not in then.speakers(Filter())
        assert then.turn_at("late", 1) is None
