"""What a store keeps in memory of its lexicon changes no answer, whoever writes meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from samples import ANNA, AT, Desk, chunk, id_, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.lanes import State
from cortex.domain.terms import query_terms
from cortex.ports.store import Filter, Match, Put, RecordAccess, Remove, View
from cortex.stores.relational import lexicon_cache
from cortex.stores.sqlite import SqliteStore
from cortex.stores.sqlite.index import SqliteIndex

QUERIES = ("harbour dawn", "tide", "ferry harbour bell", "lighthouse keeper")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "main.db"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(file)) as made:
        desk = Desk(made, ANNA)
        desk.put(*(memory(number, f"The harbour bell rang {number} times at dawn") for number in range(1, 20)))
        desk.put(*(turn(number, f"The tide and the ferry, part {number}") for number in range(30, 50)))
        desk.put(turn(50, "Nothing of the sort " * 60 + "but a lighthouse"), turn(51, "A keeper. " * 80))
        yield made


def found_in(view: View) -> list[list[Match]]:
    return [view.keywords(query_terms(text), Filter(), 20) for text in QUERIES]


def found(store: SqliteStore) -> list[list[Match]]:
    with store.view(ANNA) as view:
        return found_in(view)


def found_anew(file: Path) -> list[list[Match]]:
    """By a store that has nothing in memory yet."""
    with closing(SqliteStore(file)) as fresh:
        return found(fresh)


CHANGES: dict[str, Callable[[Desk], object]] = {
    "a memory is stored": lambda desk: desk.put(memory(60, "The lighthouse keeper keeps the harbour")),
    "a memory says something else": lambda desk: desk.put(memory(3, "The ferry has a bell")),
    "a turn moves to another session": lambda desk: desk.put(turn(31, "The tide and the ferry", session="s2", seq=4)),
    "a memory is forgotten": lambda desk: desk.put(replace(memory(4), state=State.FORGOTTEN)),
    "a memory is removed": lambda desk: desk.store.apply(ANNA, [Remove(id_(5))], at=AT),
    "a memory is used": lambda desk: desk.store.apply(ANNA, [RecordAccess((id_(6),), AT)], at=AT),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("by_another", [False, True], ids=["here", "by another process"])
def test_a_search_sees_every_change_at_once(
    store: SqliteStore, file: Path, change: Callable[[Desk], object], by_another: bool
):
    """B1: with words in memory from before, the answer is that of a store that has none"""
    assert found(store) == found(store) == found_anew(file)
    if by_another:
        with closing(SqliteStore(file)) as other:
            change(Desk(other, ANNA))
    else:
        change(Desk(store, ANNA))
    assert found(store) == found(store) == found_anew(file)


def test_a_view_keeps_what_it_saw_while_the_cache_goes_on(store: SqliteStore):
    """B2: one consistent snapshot, whatever writers do meanwhile"""
    with store.view(ANNA) as before:
        seen = found_in(before)
        Desk(store, ANNA).put(
            memory(3, "The lighthouse keeper rings at dawn"), memory(61, "A ferry, a harbour, a bell")
        )
        now = found(store)
        assert found_in(before) == seen
    assert found(store) == now != seen


def test_an_earlier_view_that_comes_late_reads_the_file(store: SqliteStore):
    with store.view(ANNA) as before:
        assert before.position  # its snapshot is taken
        Desk(store, ANNA).put(memory(3, "The lighthouse keeper rings at dawn"))
        now = found(store)
        assert found_in(before) != now
    assert found(store) == now


def test_where_there_is_no_room_for_all_the_answer_is_the_same(
    store: SqliteStore, file: Path, monkeypatch: pytest.MonkeyPatch
):
    plain = found_anew(file)
    monkeypatch.setattr(lexicon_cache, "MOST_PASSAGES", 15)
    monkeypatch.setattr(lexicon_cache, "MOST_IDS", 3)
    monkeypatch.setattr(lexicon_cache, "MOST_KEPT", 1)
    assert [found(store) for _ in range(3)] == [plain] * 3


def test_after_very_many_changes_everything_is_read_again(
    store: SqliteStore, file: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lexicon_cache, "_MOST_EVENTS", 2)
    found(store)
    Desk(store, ANNA).put(*(memory(number, f"The tide is {number} feet high") for number in range(1, 9)))
    assert found(store) == found_anew(file)


def test_an_index_that_is_made_anew_is_read_again_by_all(store: SqliteStore, file: Path):
    """B16: one process repairs what another has in memory"""
    found(store)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("UPDATE lexicon SET terms = x'', length = 0 WHERE row % 2 = 0")
    with closing(SqliteStore(file)) as damaged:
        found(damaged)
        with closing(SqliteStore(file)) as repairing:
            list(repairing.verify(repair=True))
        assert found(damaged) == found_anew(file) == found(store)


def test_a_damaged_passage_is_left_out_and_the_rest_is_found(store: SqliteStore, file: Path):
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("UPDATE lexicon SET terms = x'00' WHERE row = 3")
    left = found(store)
    assert left == found(store) == found_anew(file)
    assert id_(3) not in [match.id for match in left[0]]
    assert len(left[0]) == 18


def test_the_index_of_files_forgets_its_words_when_a_file_changes(tmp_path: Path):
    with closing(SqliteIndex(tmp_path / "index.db", made_with="x")) as index:

        def said(text: str) -> list[Match]:
            index.apply(ANNA, [Put(chunk(1, text), EventKind.CHUNKED)], at=AT)
            with index.view(ANNA) as view:
                return view.keywords(query_terms("tide"), Filter(), 20)

        assert said("The ferry comes in") == []
        assert [match.id for match in said("The tide comes in")] == [id_(1)]
        assert said("The ferry comes in") == []
