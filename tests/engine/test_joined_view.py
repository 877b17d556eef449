"""One look at what was said and remembered and at the files: each lane is asked where it lives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cortex.composite_view import FILE_LANES, CompositeView
from cortex.domain.chunk import Chunk
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.lanes import Lane
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.domain.trace import Trace
from cortex.domain.turn import Role, Turn
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.ports.index import Follow
from cortex.ports.store import Embed, Filter, Match, Put, Store
from cortex.stores.sqlite.index import SqliteIndex
from store_list import STORE_URLS, open_store

AT = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
TENANT = Tenant()
SPACE = EmbeddingSpace("fake", "compass", 2)


def id_(number: int) -> TraceId:
    return TraceId(format_uuid7(1_700_000_000_000 + number, number))


def memory(number: int, text: str = "The anchor is heavy", **fields: Any) -> Memory:
    return Memory(id=id_(number), text=text, created_at=AT + timedelta(minutes=number), **fields)


def turn(number: int, text: str = "Is the anchor heavy?") -> Turn:
    at = AT + timedelta(minutes=number)
    return Turn(id=id_(number), text=text, created_at=at, session="s1", seq=number, role=Role.USER)


def chunk(number: int, text: str = "The anchor is heavy", **fields: Any) -> Chunk:
    place = {"path": f"notes/{number}.md", "start_line": 1, "end_line": 1, **fields}
    return Chunk(id=id_(number), text=text, created_at=AT + timedelta(minutes=number), **place)


def towards(degrees: float) -> Vector:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)


class Both:
    """A store and an index, and one look at them together."""

    def __init__(self, store: Store, index: SqliteIndex) -> None:
        self.store = store
        self.index = index

    def keep(self, *traces: Trace) -> None:
        for trace in traces:
            if isinstance(trace, Chunk):
                file = IndexedFile(trace.path, "notes", 1, 2, 3, chunks=(trace.id,))
                self.index.apply(TENANT, [Put(trace, EventKind.CHUNKED), Follow(file)], at=AT)
            else:
                self.store.apply(TENANT, [Put(trace, EventKind.REMEMBERED)], at=AT)

    def embed(self, trace: Trace, vector: Vector) -> None:
        place: Any = self.index if isinstance(trace, Chunk) else self.store
        place.apply(TENANT, [Embed(trace.id, SPACE, [vector])], at=AT)

    @contextmanager
    def view(self) -> Iterator[CompositeView]:
        with self.store.view(TENANT) as said, self.index.view(TENANT) as filed:
            yield CompositeView(said, filed)


@pytest.fixture(params=list(STORE_URLS))
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Both]:
    store = open_store(request.param, tmp_path)
    index = SqliteIndex(tmp_path / "index.sqlite", made_with="{}")
    yield Both(store, index)
    findings = [*store.verify(), *index.verify()]
    store.close()
    index.close()
    assert findings == []


class Asked:
    """A view that notes with which lanes it was asked, and has nothing."""

    def __init__(self) -> None:
        self.lanes: list[frozenset[Lane] | None] = []

    def keywords(self, terms: Any, filter: Filter, limit: int, deadline: Any = None) -> list[Match]:
        self.lanes.append(filter.lanes)
        return []

    def nearest(self, vector: Any, space: Any, filter: Filter, limit: int, deadline: Any = None) -> list[Match]:
        self.lanes.append(filter.lanes)
        return []

    def scan(self, filter: Filter, after: Any = None, limit: int = 0) -> list[Trace]:
        self.lanes.append(filter.lanes)
        return []


def ids(found: list[Match] | list[Trace]) -> list[TraceId]:
    return [each.id for each in found]


EVERY = frozenset(Lane)


# --- whom a filter concerns ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lanes", "of_store", "of_index"),
    [
        ({Lane.MEMORIES}, {Lane.MEMORIES}, None),
        ({Lane.SESSIONS, Lane.MEMORIES}, {Lane.SESSIONS, Lane.MEMORIES}, None),
        ({Lane.NOTES}, None, {Lane.NOTES}),
        ({Lane.DOCS, Lane.NOTES}, None, {Lane.DOCS, Lane.NOTES}),
        ({Lane.MEMORIES, Lane.NOTES}, {Lane.MEMORIES}, {Lane.NOTES}),
        (None, EVERY - FILE_LANES, FILE_LANES),
        (set(), None, None),
    ],
)
def test_each_lane_is_asked_where_it_lives_and_nowhere_else(
    lanes: set[Lane] | None, of_store: set[Lane] | None, of_index: set[Lane] | None
) -> None:
    store, index = Asked(), Asked()
    view = CompositeView(store, index)  # type: ignore[arg-type]
    only = Filter(lanes=None if lanes is None else frozenset(lanes))
    assert view.keywords([], only, 5) == view.nearest(towards(0), SPACE, only, 5) == view.scan(only) == []
    assert store.lanes == ([] if of_store is None else [of_store] * 3)
    assert index.lanes == ([] if of_index is None else [of_index] * 3)


def test_every_lane_lives_somewhere() -> None:
    assert {Lane.NOTES, Lane.DOCS} == FILE_LANES
    assert {Lane.MEMORIES, Lane.SESSIONS, Lane.OUTCOMES} == EVERY - FILE_LANES


# --- searches ------------------------------------------------------------------------------------


def test_a_search_by_words_finds_both_and_the_best_first(both: Both) -> None:
    both.keep(
        memory(1, "The anchor is heavy"), chunk(2, "Anchor, anchor, anchor!"), memory(3, "A buoy"), chunk(4, "Fog")
    )
    with both.view() as view:
        found = view.keywords(query_terms("anchor"), Filter(), 10)
        assert {match.id for match in found} == {id_(1), id_(2)}
        assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)
        assert ids(view.keywords(query_terms("anchor"), Filter(), 1)) == ids(found)[:1]
        assert ids(view.keywords(query_terms("anchor"), Filter(lanes=frozenset({Lane.NOTES})), 10)) == [id_(2)]
        assert ids(view.keywords(query_terms("anchor"), Filter(lanes=frozenset({Lane.MEMORIES})), 10)) == [id_(1)]


def test_what_scores_alike_goes_by_id_wherever_it_lives(both: Both) -> None:
    for number in (4, 1, 6):
        both.keep(memory(number))
        both.embed(memory(number), towards(0))
    for number in (3, 5, 2):
        both.keep(chunk(number))
        both.embed(chunk(number), towards(0))
    with both.view() as view:
        near = view.nearest(towards(0), SPACE, Filter(), 10)
        assert ids(near) == [id_(number) for number in range(1, 7)]
        assert ids(view.nearest(towards(0), SPACE, Filter(), 4)) == ids(near)[:4]


def test_a_search_by_meaning_puts_the_nearest_of_both_first(both: Both) -> None:
    angles = {1: 50.0, 2: 10.0, 3: 30.0, 4: 20.0, 5: 40.0}
    for number, angle in angles.items():
        trace = chunk(number) if number % 2 else memory(number)
        both.keep(trace)
        both.embed(trace, towards(angle))
    with both.view() as view:
        near = view.nearest(towards(0), SPACE, Filter(), 10)
        assert ids(near) == [id_(number) for number in (2, 4, 3, 5, 1)]
        assert ids(view.nearest(towards(0), SPACE, Filter(), 3)) == ids(near)[:3]
        only = Filter(lanes=frozenset({Lane.NOTES}))
        assert ids(view.nearest(towards(0), SPACE, only, 2)) == [id_(3), id_(5)]


def test_filters_other_than_lanes_hold_for_both(both: Both) -> None:
    both.keep(memory(1, scope="port"), memory(2), chunk(3, scope="port"), chunk(4))
    with both.view() as view:
        port = Filter(scopes=frozenset({"port"}))
        assert {match.id for match in view.keywords(query_terms("anchor"), port, 10)} == {id_(1), id_(3)}
        assert ids(view.scan(port)) == [id_(1), id_(3)]
        late = Filter(since=AT + timedelta(minutes=2), until=AT + timedelta(minutes=4))
        assert ids(view.scan(late)) == [id_(2), id_(3)]
        assert ids(view.scan(Filter(lacking=SPACE))) == [id_(1), id_(2), id_(3), id_(4)]


# --- walking, loading, counting ------------------------------------------------------------------


def test_a_walk_goes_through_both_by_id_and_can_be_taken_up_again(both: Both) -> None:
    numbers = list(range(1, 12))
    both.keep(*(chunk(number) if number % 3 else memory(number) for number in numbers))
    with both.view() as view:
        assert ids(view.scan(Filter())) == [id_(number) for number in numbers]
        walked: list[TraceId] = []
        while some := view.scan(Filter(), walked[-1] if walked else None, 4):
            assert len(some) <= 4
            walked += ids(some)
    assert walked == [id_(number) for number in numbers]


def test_loading_keeps_the_order_asked_for_and_leaves_out_what_is_unknown(both: Both) -> None:
    kept: list[Trace] = [memory(1), chunk(2), turn(3), chunk(4)]
    both.keep(*kept)
    with both.view() as view:
        wanted = [id_(4), id_(3), id_(99), id_(2), id_(1), id_(4)]
        assert ids(view.load(wanted)) == [id_(4), id_(3), id_(2), id_(1), id_(4)]
        assert view.load([id_(2)]) == [kept[1]]
        assert view.load([]) == []


def test_counts_add_up(both: Both) -> None:
    both.keep(memory(1, "ä"), memory(2, scope="port"), turn(3), chunk(4), chunk(5, lane=Lane.DOCS, scope="port"))
    with both.view() as view:
        counts = view.counts(Filter())
        assert (counts.total, counts.by_lane) == (5, {"memories": 2, "sessions": 1, "notes": 1, "docs": 1})
        assert counts.by_scope["port"] == 2
        assert sum(counts.by_kind.values()) == sum(counts.by_trust.values()) == sum(counts.by_label.values()) == 5
        assert counts.by_state == {"active": 5}
        assert (counts.oldest, counts.newest) == (AT + timedelta(minutes=1), AT + timedelta(minutes=5))
        assert counts.text_bytes == sum(len(trace.text.encode()) for trace in view.scan(Filter()))
        only = view.counts(Filter(lanes=frozenset({Lane.DOCS})))
        assert (only.total, only.by_lane, only.oldest) == (1, {"docs": 1}, AT + timedelta(minutes=5))


def test_where_there_is_nothing_nothing_is_counted(both: Both) -> None:
    with both.view() as view:
        counts = view.counts(Filter())
        assert (counts.total, counts.by_lane, counts.oldest, counts.newest, counts.text_bytes) == (0, {}, None, None, 0)
        assert view.counts(Filter(lanes=frozenset())).total == 0


def test_each_trace_has_its_history_and_files_have_no_past(both: Both) -> None:
    both.keep(memory(1, "heavy"), memory(1, "light"), chunk(2, "heavy"), chunk(2, "light"))
    with both.view() as view:
        assert [version.trace.text for version in view.history(id_(1))] == ["heavy", "light"]
        assert [version.trace.text for version in view.history(id_(2))] == ["light"]
        assert view.history(id_(3)) == []


def test_what_only_a_store_has_is_the_stores(both: Both) -> None:
    both.keep(turn(1), turn(2), memory(3), chunk(4))
    with both.view() as view, both.store.view(TENANT) as own:
        assert (view.position, view.at) == (own.position, own.at)
        assert ids(view.turns("s1")) == [id_(1), id_(2)]
        assert (view.last_seq("s1"), view.turn_at("s1", 1)) == (2, turn(1))
        assert [event.position for event in view.events()] == [event.position for event in own.events()]
        assert (view.receipts(), view.receipt(id_(9)), view.state("s1"), view.jobs()) == ([], None, None, [])  # type: ignore[arg-type]
        assert (view.derived([id_(1)]), view.speakers(Filter())) == ([], frozenset())
