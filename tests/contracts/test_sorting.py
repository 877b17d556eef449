"""Lists in every order, and what narrows them: each claim runs on every store, over the present and the past."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from samples import AT, DAY, Desk, id_, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.sorting import Place, Placed, Sort, SortKey
from cortex.ports.store import Filter, Put, RecordAccess

MEMORIES = Filter(lanes=frozenset({Lane.MEMORIES}))


def ids(*numbers: int) -> list[TraceId]:
    return [id_(number) for number in numbers]


def page_of(
    desk: Desk, sort: Sort, after: Place | None = None, limit: int = 9, as_of: int | None = None
) -> list[Placed]:
    with desk.view(as_of) as view:
        return view.sorted(MEMORIES, sort, after, limit)


def sorted_ids(desk: Desk, sort: Sort, after: Place | None = None, as_of: int | None = None) -> list[TraceId]:
    return [each.trace.id for each in page_of(desk, sort, after, as_of=as_of)]


@pytest.fixture
def stocked(anna: Desk) -> Desk:
    """Five memories that every order sorts in another way, and a turn."""
    shares = [(1, 0.5, 1.0), (2, 0.9, 0.25), (3, 0.1, 0.5), (4, 0.9, 0.75), (5, 0.3, 1.0)]
    for number, importance, confidence in shares:
        anna.put(memory(number, importance=importance, confidence=confidence, created_at=AT + (number * 7 % 5) * DAY))
    anna.put(turn(9))
    anna.apply(RecordAccess((id_(2), id_(4)), AT + DAY))
    anna.apply(RecordAccess((id_(4),), AT + 2 * DAY))
    anna.apply(Put(memory(3, importance=0.1, confidence=0.5, created_at=AT + DAY, topic="tides"), EventKind.REVISED))
    return anna


ORDERS = {
    "created": [5, 3, 1, 4, 2],
    "-created": [2, 4, 1, 3, 5],
    "changed": [1, 2, 4, 5, 3],
    "-used": [4, 2, 5, 3, 1],
    "uses": [1, 3, 5, 2, 4],
    "-importance": [4, 2, 1, 5, 3],
    "confidence": [2, 3, 4, 1, 5],
}


@pytest.mark.parametrize("order", ORDERS)
def test_a_list_is_sorted_and_walked_page_by_page(stocked: Desk, order: str) -> None:
    sort = Sort.parse(order)
    for as_of in (None, stocked.position):
        found, after = list[TraceId](), None
        while page := page_of(stocked, sort, after, 2, as_of):
            found += [each.trace.id for each in page]
            after = Place.parse(page[-1].place.cursor(), sort)
        assert found == ids(*ORDERS[order])


def test_stored_follows_the_ledger_whatever_the_ids_are(anna: Desk) -> None:
    """Imported statements keep their ids, which are in no order of time; an edit changes no place."""
    for number in (3, 1, 5, 2):
        anna.put(memory(number))
    anna.apply(Put(memory(1, "The harbour opens at noon"), EventKind.REVISED))
    for as_of in (None, anna.position):
        assert sorted_ids(anna, Sort(SortKey.STORED), as_of=as_of) == ids(3, 1, 5, 2)
        first, second = page_of(anna, Sort(SortKey.STORED, descending=True), limit=2, as_of=as_of)
        assert [first.trace.id, second.trace.id] == ids(2, 5)
        after = Place.parse(second.place.cursor(), Sort(SortKey.STORED))
        assert sorted_ids(anna, Sort(SortKey.STORED, descending=True), after, as_of) == ids(1, 3)


def test_the_latest_that_match_are_found_behind_what_was_changed_since(anna: Desk) -> None:
    for number in range(1, 7):
        anna.put(memory(number, "The harbour is open" if number % 2 else "The market is open"))
    anna.apply(Put(memory(1, "The harbour opens at noon"), EventKind.REVISED))
    anna.apply(Put(memory(5, "The harbour is open", state=State.FORGOTTEN), EventKind.FORGOTTEN))
    newest, words = Sort(SortKey.STORED, descending=True), replace(MEMORIES, contains="HARBOUR")
    for as_of in (None, anna.position):
        with anna.view(as_of) as view:
            assert [each.trace.id for each in view.sorted(words, newest, None, 1)] == ids(3)
            assert [each.trace.id for each in view.sorted(words, newest, None, 9)] == ids(3, 1)


def test_an_earlier_state_is_sorted_as_it_was(stocked: Desk) -> None:
    before = stocked.position - 3  # before the uses, and before the edit
    assert sorted_ids(stocked, Sort(SortKey.USES), as_of=before) == ids(1, 2, 3, 4, 5)
    assert sorted_ids(stocked, Sort(SortKey.CHANGED), as_of=before) == ids(1, 2, 3, 4, 5)


def test_a_page_goes_on_from_its_place_though_the_memory_there_has_changed(stocked: Desk) -> None:
    sort = Sort(SortKey.IMPORTANCE, descending=True)
    (first,) = page_of(stocked, sort, limit=1)
    changed = memory(4, importance=0.0, state=State.FORGOTTEN, created_at=AT + 3 * DAY)
    stocked.apply(Put(changed, EventKind.FORGOTTEN))
    assert sorted_ids(stocked, sort, first.place) == ids(2, 1, 5, 3)


TEXTS = {
    1: 'The Straße is closed, said "Ömer"',
    2: "100% of it_is\\here\nON two lines",
    3: "Ο ΔΡΟΜΟΣ είναι κλειστός",
    4: "nothing of the topic",
    6: "From İstanbul with love",
}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("STRASSE", []), ("straße", [1]), ('"ömer"', [1]), ("100% OF", [2]), ("it_is\\h", [2]), ("here\non", [2]),
        ("here\\non", []), ("%", [2]), ("δρόμος", []), ("δρομοσ", [3]), ("ΚΛΕΙΣΤΌΣ", [3]), ("topic", [4]),
        ("harbour", [5]), ("İSTANBUL", [6]),
    ],
)  # fmt: skip
def test_a_text_is_found_by_any_part_of_it_in_capitals_or_not(anna: Desk, words: str, found: list[int]) -> None:
    for number, text in TEXTS.items():
        anna.put(memory(number, text))
    anna.put(turn(5))
    narrowed = Filter(contains=words)
    for as_of in (None, anna.position):
        assert [trace.id for trace in anna.scan(narrowed, as_of)] == ids(*found)
        assert anna.total(narrowed, as_of) == len(found)


def test_topics_and_tags_narrow_a_list_to_memories_that_have_them(anna: Desk) -> None:
    anna.put(memory(1, topic="tides", tags=("sea", "moon")))
    anna.put(memory(2, 'says "topic":"tides" and "tags":["sea"]', tags=('a "b"',)))
    anna.put(memory(3, topic="Tides", tags=("moons",)))
    anna.put(turn(4))
    for as_of in (None, anna.position):
        assert [each.id for each in anna.scan(Filter(topics=frozenset({"tides"})), as_of)] == ids(1)
        assert [each.id for each in anna.scan(Filter(tags=frozenset({"moon", 'a "b"'})), as_of)] == ids(1, 2)
        assert [each.id for each in anna.scan(Filter(topics=frozenset({""})), as_of)] == ids(2)


def test_times_are_compared_to_the_microsecond(anna: Desk) -> None:
    for number in (1, 2, 3):
        anna.put(memory(number, created_at=AT - timedelta(microseconds=number)))
    assert sorted_ids(anna, Sort(SortKey.CREATED)) == ids(3, 2, 1)
