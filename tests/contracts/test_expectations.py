"""What every store promises of slots, of a session's turns and merged state, and of writes that expect something."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from samples import ANNA, AT, BORIS, DAY, EAST, MINUTE, SPACE, Desk, chunk, id_, ids, job, memory, receipt, turn

from cortex.domain.events import EventKind
from cortex.domain.identity import ReceiptId
from cortex.domain.lanes import State
from cortex.domain.memory import Kind, Memory, Retention, slot_of
from cortex.domain.trace import Trace
from cortex.domain.trust import TrustTier
from cortex.errors import Conflict, InvalidRequest
from cortex.ports.store import (
    Change,
    Embed,
    ExpectAbsent,
    ExpectClaim,
    ExpectLast,
    ExpectSame,
    ExpectState,
    Filter,
    Job,
    JobState,
    PatchSession,
    Put,
    PutJob,
    PutReceipt,
    RecordAccess,
    Remove,
    Store,
)
from cortex.stores.sqlite import SqliteStore, damage
from forking import PIPE, Forked

HOME = slot_of("user", "home city")
WORK = slot_of("user", "employer")
EVERY_STATE = frozenset(State)


def home(number: int, text: str = "I live in Lisbon", **fields: Any) -> Memory:
    return memory(number, text, **{"subject": "user", "attribute": "home city", **fields})


def about(*slots: str | None, **more: Any) -> Filter:
    return Filter(slots=frozenset(slot for slot in slots if slot), **more)


# --- slots ------------------------------------------------------------------------------------------------------------


def test_memories_are_found_by_their_slot(anna: Desk) -> None:
    """X14"""
    anna.put(home(1), memory(2), home(3, attribute="employer"), turn(4), chunk(5))
    assert ids(anna.scan(about(HOME))) == [id_(1)]
    assert ids(anna.scan(about(WORK, HOME))) == [id_(1), id_(3)]
    assert anna.scan(about("nobody\x1fnothing")) == []
    assert anna.scan(Filter(slots=frozenset())) == []
    assert anna.total(about(HOME, WORK)) == 2


def test_a_slot_is_the_same_however_it_is_spaced_and_cased(anna: Desk) -> None:
    anna.put(home(1, subject=" User ", attribute="Home  City"), home(2, subject="USER"))
    assert ids(anna.scan(about(HOME))) == [id_(1), id_(2)]


@pytest.mark.parametrize("fields", [{"subject": ""}, {"attribute": ""}, {"attribute": "  "}])
def test_half_a_slot_is_none(anna: Desk, fields: dict[str, str]) -> None:
    anna.put(home(1, **fields))
    assert anna.scan(about(HOME, *(slot_of(*pair) for pair in [("user", "  "), ("", "home city")]))) == []


@pytest.mark.parametrize("name", ['it\'s "quoted" % _ ; --', "住所 🏠", "naïve\nline", "=f1 AND 1"])
def test_the_name_of_a_slot_is_a_name_and_never_syntax(anna: Desk, name: str) -> None:
    anna.put(home(1, subject=name), home(2))
    assert ids(anna.scan(about(slot_of(name, "home city")))) == [id_(1)]


def test_a_slot_narrows_searches_and_counts_and_goes_with_the_rest_of_a_filter(anna: Desk) -> None:
    """X14"""
    anna.put(home(1), memory(2, "I live in Porto"), home(3, "I live in Faro", scope="work"))
    for number in (1, 2, 3):
        anna.embed(memory(number), EAST)
    assert ids(anna.find("live", about(HOME))) == [id_(1), id_(3)]
    assert {match.id for match in anna.near(EAST, about(HOME))} == {id_(1), id_(3)}
    assert ids(anna.scan(about(HOME, scopes=frozenset({"work"})))) == [id_(3)]
    assert anna.total(about(HOME, scopes=frozenset({"work"}))) == 1


def test_a_slot_narrows_the_answer_but_not_the_statistics(anna: Desk) -> None:
    anna.put(home(1), memory(2, "I live in Porto"))
    everything = {match.id: match.score for match in anna.find("live in lisbon")}
    assert {match.id: match.score for match in anna.find("live in lisbon", about(HOME))} == {id_(1): everything[id_(1)]}


def test_a_slot_shows_what_states_are_asked_for(anna: Desk) -> None:
    """X14: superseded values are found, forgotten ones only where they are asked for"""
    anna.put(home(1, state=State.SUPERSEDED), home(2), home(3, state=State.FORGOTTEN))
    assert ids(anna.scan(about(HOME))) == [id_(1), id_(2)]
    assert ids(anna.scan(about(HOME, states=EVERY_STATE))) == [id_(1), id_(2), id_(3)]
    assert ids(anna.scan(about(HOME, states=frozenset({State.ACTIVE})))) == [id_(2)]


def test_a_revised_memory_is_found_by_its_new_slot_and_the_past_by_its_old(anna: Desk) -> None:
    first = anna.put(home(1))
    second = anna.put(home(1, attribute="employer"), because=EventKind.REVISED)
    third = anna.put(memory(1), because=EventKind.REVISED)
    for position, expected in ((first, [HOME]), (second, [WORK]), (third, []), (None, []), (0, [])):
        found = [slot for slot in (HOME, WORK) if anna.scan(about(slot), as_of=position)]
        assert found == expected
        assert anna.total(about(HOME, WORK), as_of=position) == len(expected)
        assert len(anna.find("lisbon harbour", about(HOME, WORK), as_of=position)) == len(expected)


def test_a_removed_memory_is_in_no_slot(anna: Desk) -> None:
    before = anna.put(home(1), home(2))
    anna.apply(Remove(id_(1)))
    assert ids(anna.scan(about(HOME))) == [id_(2)]
    assert ids(anna.scan(about(HOME), as_of=before)) == [id_(2)]  # what was removed is gone from the past, too


def test_tenants_with_slots_of_the_same_name_do_not_see_each_other(anna: Desk, boris: Desk) -> None:
    anna.put(home(1))
    boris.put(home(2, "I live in Oslo"))
    assert ids(anna.scan(about(HOME))) == [id_(1)]
    assert ids(boris.find("live", about(HOME))) == [id_(2)]


def test_many_slots_may_be_asked_for_at_once(anna: Desk) -> None:
    anna.put(home(1))
    many = [slot_of("user", f"attribute {number}") for number in range(5_000)]
    assert ids(anna.scan(about(HOME, *many))) == [id_(1)]


def test_a_wrong_slot_is_found_and_mended(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with closing(SqliteStore(file)) as store:
        Desk(store, ANNA).put(home(1), memory(2), home(3, attribute="employer"), turn(4))
    with closing(sqlite3.connect(file)) as damaged:
        damaged.execute("UPDATE traces SET slot = NULL WHERE slot = ?", (HOME,))
        damaged.execute("UPDATE traces SET slot = 'other' WHERE slot = ?", (WORK,))
        damaged.execute("UPDATE traces SET slot = ? WHERE id = (SELECT max(id) FROM traces WHERE slot IS NULL"
                        " AND name = 'memory')", (HOME,))  # fmt: skip
        damaged.commit()
    with closing(SqliteStore(file)) as store:
        assert [(finding.code, finding.repaired) for finding in store.verify()] == [("slots", False)]
        assert [(finding.code, finding.repaired) for finding in store.verify(repair=True)] == [("slots", True)]
        assert list(store.verify()) == []
        desk = Desk(store, ANNA)
        assert ids(desk.scan(about(HOME))) == [id_(1)]
        assert ids(desk.scan(about(WORK))) == [id_(3)]


# --- the turns of a session -------------------------------------------------------------------------------------------


def test_the_turns_of_a_session_come_in_their_order(anna: Desk) -> None:
    anna.put(turn(3, seq=0), turn(1, seq=2), turn(2, seq=1), turn(4, seq=0, session="s2"), memory(5))
    with anna.view() as view:
        assert ids(view.turns("s1")) == [id_(3), id_(2), id_(1)]
        assert ids(view.turns("s2")) == [id_(4)]
        assert view.turns("never") == []


def test_turns_are_read_page_by_page(anna: Desk) -> None:
    anna.put(*(turn(number, seq=number) for number in range(7)))
    pages, after = [], -1
    with anna.view() as view:
        while page := view.turns("s1", after, 3):
            pages.append([each.seq for each in page])
            after = page[-1].seq
        assert view.turns("s1", limit=0) == []
        assert [each.seq for each in view.turns("s1", after=4)] == [5, 6]
    assert pages == [[0, 1, 2], [3, 4, 5], [6]]


def test_the_turns_of_a_session_are_shown_whatever_their_state_and_as_they_were_then(anna: Desk) -> None:
    before = anna.put(turn(1), turn(2))
    anna.put(turn(1, state=State.FORGOTTEN), turn(2, outdated_by=id_(3)), because=EventKind.OUTDATED)
    anna.put(turn(3))
    with anna.view() as view:
        assert view.turns("s1") == [turn(1, state=State.FORGOTTEN), turn(2, outdated_by=id_(3)), turn(3)]
    with anna.view(before) as view:
        assert view.turns("s1") == [turn(1), turn(2)]


def test_tenants_with_sessions_of_the_same_name_do_not_read_each_others_turns(anna: Desk, boris: Desk) -> None:
    anna.put(turn(1))
    boris.put(turn(2))
    with boris.view() as view:
        assert ids(view.turns("s1")) == [id_(2)]


# --- merging state ----------------------------------------------------------------------------------------------------


def state_of(desk: Desk, session: str = "s1") -> Any:
    with desk.view() as view:
        return view.state(session)


def test_parts_of_a_state_are_kept_beside_each_other(anna: Desk) -> None:
    anna.apply(PatchSession("s1", {"extracted": 3, "injected": ["a"]}))
    anna.apply(PatchSession("s1", {"extracted": 4}), PatchSession("s1", {"history": {"count": 2}}))
    assert state_of(anna) == {"extracted": 4, "injected": ["a"], "history": {"count": 2}}


def test_a_part_that_is_none_is_dropped_and_parts_are_replaced_whole(anna: Desk) -> None:
    anna.apply(PatchSession("s1", {"a": 1, "history": {"count": 2, "digest": "x"}}))
    anna.apply(PatchSession("s1", {"a": None, "never": None, "history": {"count": 3}}))
    assert state_of(anna) == {"history": {"count": 3}}
    anna.apply(PatchSession("s1", {"history": None}))
    assert state_of(anna) == {}


def test_falsy_parts_are_kept(anna: Desk) -> None:
    anna.apply(PatchSession("s1", {"zero": 0, "no": False, "empty": [], "text": ""}))
    assert state_of(anna) == {"zero": 0, "no": False, "empty": [], "text": ""}


def test_what_is_dropped_begins_anew(anna: Desk) -> None:
    anna.apply(PatchSession("s1", {"a": 1}), PatchSession("s1", None), PatchSession("s1", {"b": 2}))
    assert state_of(anna) == {"b": 2}


def test_two_who_write_different_parts_lose_nothing(anna: Desk) -> None:
    barrier = threading.Barrier(4)

    def write(name: str) -> None:
        barrier.wait()
        for number in range(10):
            anna.apply(PatchSession("s1", {name: number}))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, "abcd"))
    assert state_of(anna) == dict.fromkeys("abcd", 9)


# --- expecting the last turn ------------------------------------------------------------------------------------------


def everything(desk: Desk) -> Any:
    """All that a desk can see, to tell whether anything was done."""
    with desk.view() as view:
        return (
            view.position, view.events(), view.scan(Filter(states=EVERY_STATE)), view.state("s1"), view.jobs(),
            view.receipts(), view.turns("s1"), view.nearest(EAST, SPACE, Filter(), 10),
        )  # fmt: skip


OTHER_CHANGES: list[Change] = [
    Put(turn(20, seq=1), EventKind.SAID),
    Put(memory(1, "The harbour opens at noon"), EventKind.REVISED),
    Put(memory(21), EventKind.REMEMBERED),
    Embed(id_(1), SPACE, [EAST]),
    RecordAccess((id_(1),), AT),
    Remove(id_(2)),
    PatchSession("s1", {"extracted": 9}),
    PutJob(job(30, key="other")),
    PutReceipt(receipt(40)),
]


@pytest.mark.parametrize("place", ["first", "last"])
def test_where_a_session_has_gone_on_nothing_at_all_is_done(anna: Desk, place: str) -> None:
    """B3: what two write at once"""
    anna.put(turn(10, seq=0), memory(1), memory(2))
    anna.apply(PatchSession("s1", {"extracted": 0}))
    before = everything(anna)
    expected = ExpectLast("s1", -1)
    changes = [expected, *OTHER_CHANGES] if place == "first" else [*OTHER_CHANGES[1:], expected]
    with pytest.raises(Conflict):
        anna.apply(*changes)
    assert everything(anna) == before
    with anna.view() as view:
        assert view.receipt(ReceiptId(id_(40))) is None


def test_where_a_session_is_as_expected_all_is_done(anna: Desk) -> None:
    anna.put(turn(10, seq=0), memory(1), memory(2))
    before = anna.position
    assert anna.apply(ExpectLast("s1", 0), *OTHER_CHANGES) > before
    with anna.view() as view:
        assert (view.last_seq("s1"), view.state("s1")) == (1, {"extracted": 9})


def test_a_session_without_turns_ends_at_minus_one(anna: Desk, boris: Desk) -> None:
    boris.put(turn(1))
    anna.apply(ExpectLast("s1", -1), Put(turn(2, seq=0), EventKind.SAID))
    with pytest.raises(Conflict):
        anna.apply(ExpectLast("s1", -1))
    with pytest.raises(Conflict):
        anna.apply(ExpectLast("other", 0))


def test_forgotten_turns_keep_their_place_and_removed_ones_lose_it(anna: Desk) -> None:
    anna.put(turn(1, seq=0), turn(2, seq=1, state=State.FORGOTTEN))
    anna.apply(ExpectLast("s1", 1))
    anna.apply(Remove(id_(2)))
    anna.apply(ExpectLast("s1", 0))


def test_an_expectation_sees_what_stands_before_it_in_the_same_apply(anna: Desk) -> None:
    anna.apply(ExpectLast("s1", -1), Put(turn(1, seq=0), EventKind.SAID), ExpectLast("s1", 0))
    with pytest.raises(Conflict):
        anna.apply(Put(turn(2, seq=1), EventKind.SAID), ExpectLast("s1", 0))
    with anna.view() as view:
        assert view.last_seq("s1") == 0


def test_an_expectation_alone_leaves_no_event(anna: Desk) -> None:
    before = anna.put(turn(1, seq=0))
    assert anna.apply(ExpectLast("s1", 0)) == before
    assert anna.position == before


def append(desk: Desk, first: int, turns: int) -> None:
    """Put turns at the end of a session that others write to, looking again where somebody was first."""
    for number in range(first, first + turns):
        while True:
            with desk.view() as view:
                last = view.last_seq("s1")
            try:
                desk.apply(ExpectLast("s1", last), Put(turn(number, seq=last + 1), EventKind.SAID))
            except Conflict:
                continue
            break


def assert_each_turn_has_its_place(desk: Desk, numbers: set[int]) -> None:
    with desk.view() as view:
        turns = view.turns("s1")
    assert [each.seq for each in turns] == list(range(len(numbers)))
    assert {each.id for each in turns} == {id_(number) for number in numbers}


def test_threads_that_append_to_one_session_never_share_a_place(anna: Desk) -> None:
    """B3"""
    barrier = threading.Barrier(4)

    def write(writer: int) -> None:
        barrier.wait()
        append(anna, 100 * writer, 8)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert_each_turn_has_its_place(anna, {100 * writer + number for writer in range(4) for number in range(8)})


def test_processes_that_append_to_one_session_never_share_a_place(tmp_path: Path) -> None:
    """B3"""
    file = tmp_path / "store.db"
    SqliteStore(file).close()
    here = Path(__file__)
    paths = os.pathsep.join([str(here.parents[2] / "src"), str(here.parent)])
    writers = [
        Forked([here, file, str(100 * writer), "8"], env={**os.environ, "PYTHONPATH": paths}, stderr=PIPE)
        for writer in range(2)
    ]
    complaints = [writer.communicate(timeout=600)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], complaints
    with closing(SqliteStore(file)) as store:
        numbers = {100 * writer + number for writer in range(2) for number in range(8)}
        assert_each_turn_has_its_place(Desk(store, ANNA), numbers)
        assert list(store.verify()) == []


# --- expecting a claim ------------------------------------------------------------------------------------------------


def claimed(desk: Desk, now: Any = AT) -> Job:
    found = desk.store.claim(desk.tenant, ["extract"], now=now, until=now + MINUTE)
    assert found is not None
    return found


def test_whoever_holds_a_job_writes_back_what_became_of_it(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    mine = claimed(anna)
    anna.apply(ExpectClaim(mine), PutJob(replace(mine, state=JobState.DONE)), *map(_remembered, (5, 6)))
    with anna.view() as view:
        assert [each.state for each in view.jobs()] == [JobState.DONE]
    assert anna.total() == 2


def _remembered(number: int) -> Change:
    return Put(memory(number), EventKind.REMEMBERED)


def test_a_late_write_back_of_a_lapsed_claim_is_refused_as_a_whole(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    late = claimed(anna)
    mine = claimed(anna, now=AT + DAY)
    before = everything(anna)
    changes = [_remembered(5), PatchSession("s1", {"extracted": 3}), PutJob(replace(late, state=JobState.DONE))]
    with pytest.raises(Conflict):
        anna.apply(ExpectClaim(late), *changes)
    with pytest.raises(Conflict):
        anna.apply(*changes, ExpectClaim(late))
    assert everything(anna) == before
    anna.apply(ExpectClaim(mine), PutJob(replace(mine, state=JobState.DONE)))


def test_a_lapsed_claim_that_nobody_took_over_may_still_be_written_back(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    mine = claimed(anna)
    anna.apply(ExpectClaim(mine), PutJob(replace(mine, state=JobState.DONE)), at=AT + DAY)


def test_a_renewed_claim_is_still_the_same(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    mine = claimed(anna)
    anna.apply(ExpectClaim(mine), PutJob(replace(mine, claimed_until=AT + DAY)))
    assert anna.store.claim(ANNA, ["extract"], now=AT + 2 * MINUTE, until=AT + DAY) is None
    anna.apply(ExpectClaim(mine))


@pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.WAITING])
def test_what_has_been_written_back_is_no_longer_claimed(anna: Desk, state: JobState) -> None:
    anna.apply(PutJob(job(1)))
    mine = claimed(anna)
    anna.apply(PutJob(replace(mine, state=state)))
    with pytest.raises(Conflict):
        anna.apply(ExpectClaim(mine))


def test_a_job_that_never_was_or_is_somebody_elses_is_not_claimed(anna: Desk, boris: Desk) -> None:
    boris.apply(PutJob(job(1)))
    theirs = claimed(boris)
    for other in (theirs, job(2, state=JobState.RUNNING, attempts=1)):
        with pytest.raises(Conflict):
            anna.apply(ExpectClaim(other))
    boris.apply(ExpectClaim(theirs))


def test_of_two_who_write_back_one_job_one_is_refused(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    mine = claimed(anna)
    barrier = threading.Barrier(4)

    def write(number: int) -> bool:
        barrier.wait()
        try:
            anna.apply(ExpectClaim(mine), PutJob(replace(mine, state=JobState.DONE)), _remembered(number))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(write, range(10, 14))) == [False, False, False, True]
    assert anna.total() == 1


# --- expecting what a trace says --------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["first", "last"])
def test_where_a_trace_says_something_else_nothing_at_all_is_done(anna: Desk, place: str) -> None:
    """B3: what two write at once"""
    anna.put(turn(10, seq=0), memory(1), memory(2), memory(3))
    anna.put(memory(3, "The harbour is closed"), because=EventKind.REVISED)
    before = everything(anna)
    expected = ExpectSame(memory(3))
    with pytest.raises(Conflict, match=f"memory {id_(3)}"):
        anna.apply(*([expected, *OTHER_CHANGES] if place == "first" else [*OTHER_CHANGES, expected]))
    assert everything(anna) == before
    with anna.view() as view:
        assert view.receipt(ReceiptId(id_(40))) is None


def test_where_traces_say_what_is_expected_all_is_done(anna: Desk) -> None:
    anna.put(turn(10, seq=0), memory(1), memory(2), memory(3))
    anna.apply(*map(ExpectSame, (memory(1), memory(2), memory(3), turn(10, seq=0))), *OTHER_CHANGES)
    with anna.view() as view:
        assert (view.last_seq("s1"), view.state("s1")) == (1, {"extracted": 9})


ODD_ZONE = timezone(timedelta(hours=5, minutes=45))
EVERY_SORT: list[Trace] = [
    memory(1),
    memory(1, "Zoë said: “…”\n\t\x00", tags=("a", "b"), importance=1, ttl=DAY / 7, retention=Retention.TTL),
    memory(1, created_at=AT.astimezone(ODD_ZONE), source_turns=(id_(2),), valid_from=AT.astimezone(ODD_ZONE)),
    turn(1, speaker="Zoë", state=State.SUPERSEDED),
    chunk(1, section=("Harbour", "Hours")),
]


@pytest.mark.parametrize("trace", EVERY_SORT)
def test_a_trace_is_the_same_as_it_was_given_and_as_it_is_read(anna: Desk, trace: Trace) -> None:
    anna.put(trace)
    anna.apply(ExpectSame(trace), *map(ExpectSame, anna.load(trace.id)))


CHANGES: tuple[dict[str, Any], ...] = (
    {"text": "The harbour opens at dawn "},
    {"scope": "work"},
    {"kind": Kind.RULE},
    {"tags": ("b", "a")},
    {"importance": 0.6},
    {"confidence": 0.5},
    {"trust": TrustTier.UNTRUSTED},
    {"state": State.FORGOTTEN},
    {"attribute": "home city"},
    {"superseded_by": id_(9)},
    {"created_at": AT + MINUTE},
)


def test_whatever_field_of_a_trace_was_changed_it_is_not_the_same(anna: Desk) -> None:
    for number, changes in enumerate(CHANGES):
        was = memory(number, tags=("a", "b"))
        anna.put(was)
        anna.put(was.revised(**changes), because=EventKind.REVISED)
        with pytest.raises(Conflict):
            anna.apply(ExpectSame(was))
        anna.apply(ExpectSame(was.revised(**changes)))


def test_uses_and_vectors_do_not_change_what_a_trace_says(anna: Desk) -> None:
    anna.put(memory(1))
    anna.apply(RecordAccess((id_(1),), AT))
    anna.embed(memory(1), EAST)
    (read,) = anna.load(id_(1))
    assert isinstance(read, Memory)
    assert read.access_count == 1
    anna.apply(ExpectSame(memory(1)), ExpectSame(read), ExpectSame(memory(1, access_count=7, last_accessed_at=AT)))


def test_what_was_changed_and_changed_back_is_the_same(anna: Desk) -> None:
    anna.put(memory(1))
    anna.put(memory(1, "The harbour is closed"), because=EventKind.REVISED)
    anna.put(memory(1), because=EventKind.REVISED)
    anna.apply(ExpectSame(memory(1)))


def test_what_was_removed_or_never_was_or_is_somebody_elses_is_not_the_same(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1))
    anna.apply(Remove(id_(1)))
    boris.put(memory(2))
    for number in (1, 2, 3):
        with pytest.raises(Conflict):
            anna.apply(ExpectSame(memory(number)))
    boris.apply(ExpectSame(memory(2)))


def test_what_a_trace_says_is_expected_of_what_stands_before_it_in_the_same_apply(anna: Desk) -> None:
    closed = memory(1, "The harbour is closed")
    anna.put(memory(1))
    with pytest.raises(Conflict):
        anna.apply(Put(closed, EventKind.REVISED), ExpectSame(memory(1)))
    anna.apply(ExpectSame(memory(1)), Put(closed, EventKind.REVISED), ExpectSame(closed))
    assert anna.load(id_(1)) == [closed]


def test_what_a_trace_says_is_expected_without_an_event(anna: Desk) -> None:
    before = anna.put(memory(1))
    assert anna.apply(ExpectSame(memory(1))) == before
    assert anna.position == before


def test_of_those_who_revise_one_memory_at_once_nobody_is_overwritten(anna: Desk) -> None:
    """B3"""
    anna.put(memory(1))
    barrier = threading.Barrier(4)

    def write(writer: int) -> None:
        barrier.wait()
        for number in range(6):
            while True:
                (known,) = anna.load(id_(1))
                assert isinstance(known, Memory)
                more = known.revised(tags=(*known.tags, f"{writer}.{number}"))
                try:
                    anna.apply(ExpectSame(known), Put(more, EventKind.REVISED))
                except Conflict:
                    continue
                break

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    (found,) = anna.load(id_(1))
    assert isinstance(found, Memory)
    assert sorted(found.tags) == sorted(f"{writer}.{number}" for writer in range(4) for number in range(6))


def test_fields_that_another_release_wrote_in_another_order_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with closing(SqliteStore(file)) as store:
        Desk(store, ANNA).put(memory(1, scope="work"))
    with closing(sqlite3.connect(file)) as other:
        (body,) = other.execute("SELECT body FROM traces").fetchone()
        turned = json.dumps(dict(reversed(json.loads(body).items())))
        assert turned != body
        damage.summing(other)
        other.execute("UPDATE traces SET body = ?", (turned,))
        other.execute(f"UPDATE traces SET checksum = {damage.expression('traces')}")
        other.commit()
    with closing(SqliteStore(file)) as store:
        Desk(store, ANNA).apply(ExpectSame(memory(1, scope="work")))


def test_a_store_goes_on_after_a_conflict(open_store: Callable[[], Store]) -> None:
    with closing(open_store()) as store:
        anna, boris = Desk(store, ANNA), Desk(store, BORIS)
        for _ in range(3):
            with pytest.raises(Conflict):
                anna.apply(_remembered(1), ExpectLast("s1", 7))
            with pytest.raises(Conflict):
                anna.apply(_remembered(1), ExpectSame(memory(2)))
        assert boris.put(memory(2)) == 1
        assert anna.apply(_remembered(1), ExpectLast("s1", -1)) == 1
        assert list(store.verify()) == []


if __name__ == "__main__":
    opened = SqliteStore(Path(sys.argv[1]))
    append(Desk(opened, ANNA), *map(int, sys.argv[2:]))
    opened.close()


# --- work that runs alone -----------------------------------------------------------------------------------------


def test_of_work_that_runs_alone_one_job_runs_at_a_time_whatever_its_key(anna: Desk) -> None:
    anna.apply(PutJob(job(1, key="s1")), PutJob(job(2, key="s2")), PutJob(job(3, kind="embed", key="s2")))
    options = {"now": AT, "until": AT + MINUTE, "alone": ["extract", "enrich"]}
    assert anna.store.claim(anna.tenant, ["extract", "embed"], **options)
    second = anna.store.claim(anna.tenant, ["extract", "embed"], **options)
    assert second is not None
    assert second.kind == "embed"
    assert anna.store.claim(anna.tenant, ["extract", "embed"], **options) is None
    later = {"now": AT + 2 * MINUTE, "until": AT + 3 * MINUTE, "alone": ["extract", "enrich"]}
    assert anna.store.claim(anna.tenant, ["extract"], **later)
    assert anna.store.claim(anna.tenant, ["extract"], **later) is None


def test_work_that_runs_alone_holds_up_nobody_else(anna: Desk, boris: Desk) -> None:
    for desk, number in ((anna, 1), (boris, 2)):
        desk.apply(PutJob(job(number)))
        assert desk.store.claim(desk.tenant, ["extract"], now=AT, until=AT + MINUTE, alone=["extract"])


# --- expecting that nobody was first ----------------------------------------------------------------------------------


def test_what_is_expected_not_to_be_there_must_not_be(anna: Desk, boris: Desk) -> None:
    """E14"""
    anna.put(memory(1))
    boris.put(memory(2))
    before = everything(anna)
    with pytest.raises(Conflict, match=id_(1)):
        anna.apply(ExpectAbsent((id_(3), id_(1))), *OTHER_CHANGES)
    assert everything(anna) == before
    anna.apply(ExpectAbsent((id_(2), id_(3))))
    anna.apply(Remove(id_(1)))
    anna.apply(ExpectAbsent((id_(1),)))


def test_what_was_absent_is_known_once_it_is_stored(anna: Desk, boris: Desk) -> None:
    absent, put = ExpectAbsent((id_(1),)), Put(memory(1), EventKind.REMEMBERED)
    anna.apply(absent, put, Put(memory(1, "The harbour is closed"), EventKind.REVISED))
    with anna.view() as view:
        assert [trace.text for trace in view.load([id_(1)])] == ["The harbour is closed"]
    anna.apply(Remove(id_(1)), absent, put, Remove(id_(1)), absent, put)
    with pytest.raises(Conflict):
        anna.apply(Remove(id_(1)), absent, put, absent)
    with pytest.raises(InvalidRequest):
        boris.apply(absent, put)
    with anna.view() as view:
        assert [trace.text for trace in view.load([id_(1)])] == [memory(1).text]


def test_of_many_that_are_to_be_absent_one_that_is_there_is_named_and_none_is_stored(anna: Desk, boris: Desk) -> None:
    """S1: a batch of events is stored as a whole or not at all"""
    anna.put(memory(150))
    before = everything(anna)
    puts = [Put(memory(number), EventKind.REMEMBERED) for number in range(1, 300)]
    absent = ExpectAbsent(tuple(put.trace.id for put in puts))
    with pytest.raises(Conflict, match=id_(150)):
        anna.apply(absent, *puts)
    assert everything(anna) == before
    with pytest.raises(InvalidRequest):
        boris.apply(absent, *puts)
    anna.apply(Remove(id_(150)))
    anna.apply(absent, *puts)
    with anna.view() as view:
        assert len(view.load(list(absent.ids))) == 299


def test_parts_of_a_state_are_expected_as_they_were_read(anna: Desk) -> None:
    anna.apply(ExpectState("s1", {"read": None}), PatchSession("s1", {"read": [1, {"to": "2"}], "other": 5}))
    with anna.view() as view:
        read = view.state("s1")
    assert read is not None
    anna.apply(ExpectState("s1", read), ExpectState("s1", {"read": read["read"]}), ExpectState("s2", {"read": None}))
    for parts in ({"read": None}, {"read": [1]}, {"other": 6}, {"missing": 0}):
        with pytest.raises(Conflict, match="s1"):
            anna.apply(ExpectState("s1", parts), PatchSession("s1", {"other": 7}))
    with anna.view() as view:
        assert view.state("s1") == read


def test_vectors_of_a_text_that_was_changed_meanwhile_are_dropped(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    revised = memory(1, "The harbour is closed")
    anna.put(revised, because=EventKind.REVISED)
    late = [Embed(id_(number), SPACE, [EAST], memory(number).text) for number in (1, 2, 3)]
    anna.apply(*late)
    assert ids(anna.scan(Filter(lacking=SPACE))) == [id_(1)]
    anna.apply(Embed(id_(1), SPACE, [EAST], revised.text))
    assert anna.scan(Filter(lacking=SPACE)) == []


def test_a_job_that_still_waits_is_withdrawn_only_while_it_does(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    waiting = job(1)
    claimed(anna)
    with pytest.raises(Conflict):
        anna.apply(ExpectClaim(waiting), PutJob(replace(waiting, state=JobState.DONE)))
