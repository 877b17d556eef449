"""What every store keeps of erasures: a log that outlives what is erased, and each carried out once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from samples import ANNA, AT, BORIS, MINUTE, Desk, id_, memory, turn

from cortex.domain.erasure import Erasure
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.errors import Conflict, StoreCorrupt
from cortex.ports.store import Erase, PatchSession, Put, Store
from cortex.stores.sqlite import SqliteStore

SECRET = "The spare key lies under the third stone"


def erasure(number: int, *ids: int, user: str = ANNA.user, **fields: object) -> Erasure:
    named = tuple(TraceId(id_(each)) for each in ids)
    known = Erasure(id=id_(900 + number), user=user, at=AT + number * MINUTE, ids=named, texts=(SECRET,))
    return replace(known, **fields)  # type: ignore[arg-type]


def test_an_erasure_is_kept_until_it_is_finished_and_then_without_its_text(store: Store) -> None:
    first, second, other = erasure(1, 1), erasure(2, 2, backups=True), erasure(3, 3, user=BORIS.user)
    for each in (second, first, other):
        store.record_erasure(each)
    assert store.erasures() == [first, second, other]
    assert store.erasures(ANNA.user, pending=True) == [first, second]
    done = first.ended({"clean": True})
    store.record_erasure(replace(second, reason="a reader"))
    store.record_erasure(done)
    assert store.erasures(ANNA.user) == [done, replace(second, reason="a reader")]
    assert store.erasures(pending=True) == [replace(second, reason="a reader"), other]
    assert SECRET not in str(done)
    store.withdraw_erasure(second.id)
    assert store.erasures(ANNA.user) == [done]


def test_an_erasure_is_carried_out_once(anna: Desk) -> None:
    anna.put(memory(1, SECRET), memory(2))
    anna.apply(Erase(erasure(1, 1)))
    assert [trace.id for trace in anna.scan()] == [id_(2)]
    anna.put(memory(1, SECRET))  # brought back on purpose
    anna.apply(Erase(erasure(1, 1), loosely=True))
    assert [trace.id for trace in anna.scan()] == [id_(1), id_(2)]
    assert list(anna.store.verify()) == []


def test_what_was_drawn_from_a_turn_or_is_gone_meanwhile_is_a_conflict_unless_it_is_taken_loosely(anna: Desk) -> None:
    anna.put(turn(1, SECRET), memory(2, "drawn", source_turns=(TraceId(id_(1)),)), memory(3))
    for planned in (erasure(1, 1), erasure(1, 1, 2, 9)):
        with pytest.raises(Conflict):
            anna.apply(Put(memory(4), EventKind.REMEMBERED), Erase(planned))
    assert [trace.id for trace in anna.scan()] == [id_(1), id_(2), id_(3)]
    anna.apply(Erase(erasure(1, 1, 9), loosely=True))
    assert [trace.id for trace in anna.scan()] == [id_(3)]


def test_another_user_s_traces_are_never_erased(anna: Desk, boris: Desk) -> None:
    boris.put(memory(1, SECRET))
    anna.apply(Erase(erasure(1, 1), loosely=True))
    assert [trace.text for trace in boris.scan()] == [SECRET]


def test_marks_of_lines_are_added_to_those_a_session_has(anna: Desk) -> None:
    anna.apply(PatchSession("s1", {"erased": {"salt": "00", "marks": ["a"]}, "history": {"count": 1}, "other": 1}))
    anna.apply(Erase(erasure(1, marks={"s1": {"salt": "00", "marks": ["b"]}, "s2": {"salt": "01", "marks": ["c"]}})))
    anna.apply(Erase(erasure(2, marks={"s1": {"salt": "02", "marks": ["d"]}})))
    with anna.view() as view:
        assert view.state("s2") == {"erased": {"salt": "01", "marks": ["c"]}}
        assert view.state("s1") == {
            "erased": {"salt": "00", "marks": ["a", "b"], "others": {"salt": "02", "marks": ["d"]}},
            "other": 1,
        }


def test_one_at_a_time_may_erase(store: Store) -> None:
    with store.erasure_lock(0) as first, store.erasure_lock(0.01) as second:
        assert (first, second) == (True, False)
    with store.erasure_lock(0) as again:
        assert again


def test_an_older_file_is_given_out_only_after_what_is_missing_was_carried_out(tmp_path: Path) -> None:
    path = tmp_path / "agents" / "main.sqlite"
    store = SqliteStore(path)
    desk = Desk(store, ANNA)
    desk.put(memory(1, SECRET), memory(2))
    store.backup(tmp_path / "older.sqlite")
    desk.apply(Erase(erasure(1, 1)))
    store.record_erasure(erasure(1, 1).ended({}))
    store.close()
    path.write_bytes((tmp_path / "older.sqlite").read_bytes())
    store = SqliteStore(path)
    assert [trace.id for trace in Desk(store, ANNA).scan()] == [id_(2)]
    assert [each.finished for each in store.erasures()] == [False], "its pages are still to be rewritten"
    assert list(store.verify()) == []
    store.close()


def test_an_older_file_stays_closed_while_it_cannot_be_told_what_was_erased(tmp_path: Path) -> None:
    path = tmp_path / "agents" / "main.sqlite"
    store = SqliteStore(path)
    store.record_erasure(erasure(1, 1).ended({}))
    store.close()
    (log,) = path.with_suffix(".erasures").glob("*.json")
    log.write_text("{", encoding="utf-8")
    with pytest.raises(StoreCorrupt, match=log.name) as refused:
        SqliteStore(path)
    assert "move it away" in refused.value.hint
