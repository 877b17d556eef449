"""What every store promises. Each claim runs on every store; the port is `cortex.ports.store`."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import (
    ANNA,
    AT,
    BORIS,
    DAY,
    EAST,
    MINUTE,
    NORTH,
    NORTH_EAST,
    OTHER_SPACE,
    SPACE,
    Desk,
    chunk,
    id_,
    ids,
    job,
    memory,
    receipt,
    turn,
    vector,
)

from cortex.domain.events import EventKind
from cortex.domain.growth import DayCount
from cortex.domain.identity import ReceiptId
from cortex.domain.lanes import SEARCHABLE, Lane, State
from cortex.domain.lexical import K1, B
from cortex.domain.memory import ImportanceLabel, Kind, Retention
from cortex.domain.terms import QueryTerm, index_terms, query_terms
from cortex.domain.trace import Trace
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Role
from cortex.domain.vectors import unit
from cortex.errors import DeadlineExceeded, InvalidRequest, NotFound, StoreBehind, StoreError
from cortex.ports.store import (
    Change,
    Counts,
    Embed,
    Filter,
    JobState,
    Match,
    PatchSession,
    Pulse,
    Put,
    PutJob,
    PutReceipt,
    RecordAccess,
    Remove,
    Store,
    View,
)
from cortex.runtime.deadline import Deadline
from cortex.stores.ephemeral import EphemeralStore
from cortex.testing import FakeClock
from sweeps import for_each

EVERY_STATE = frozenset(State)

FULL_MEMORY = memory(
    1,
    "Deploys need two reviews, says “Zoë” — 部署需要两次审查 🚢",
    kind=Kind.RULE,
    topic="deploys",
    tags=("ops", "review"),
    scope="infra",
    retention=Retention.TTL,
    ttl=timedelta(hours=36, microseconds=5),
    confidence=0.7,
    importance=0.9,
    label=ImportanceLabel.MUST_REMEMBER,
    trust=TrustTier.UNTRUSTED,
    source_kind=SourceKind.WEB,
    source_ref="https://example.org/deploys",
    source_turns=(id_(7), id_(8)),
    lang="en",
    subject="deploys",
    attribute="reviews",
    valid_from=AT - DAY,
    valid_to=AT + DAY,
    supersedes=id_(9),
    superseded_by=id_(10),
    media_refs=("media/1.png",),
    media_kind="image",
    state=State.SUPERSEDED,
    created_at=AT + timedelta(microseconds=123_456),
)
FULL_TURN = turn(2, role=Role.ASSISTANT, speaker="Cortex", channel="cli", kind=Kind.DECISION, scope="infra")
FULL_CHUNK = chunk(3, lane=Lane.DOCS, section=("Harbour", "Hours"), dated=AT - DAY, trust=TrustTier.QUARANTINED)


# --- keeping and loading -------------------------------------------------------------------------


@pytest.mark.parametrize("trace", [FULL_MEMORY, FULL_TURN, FULL_CHUNK], ids=["memory", "turn", "chunk"])
def test_a_trace_comes_back_as_it_was_put(anna: Desk, trace: Trace) -> None:
    anna.put(trace)
    assert anna.load(trace.id) == [trace]


def test_load_keeps_the_order_asked_for_and_leaves_out_what_is_unknown(anna: Desk) -> None:
    anna.put(memory(1), memory(2), memory(3))
    assert ids(anna.load(id_(3), id_(99), id_(1))) == [id_(3), id_(1)]
    assert anna.load() == []


@pytest.mark.parametrize("state", State)
def test_load_shows_a_trace_whatever_its_state(anna: Desk, state: State) -> None:
    anna.put(memory(1, state=state))
    assert anna.load(id_(1)) == [memory(1, state=state)]


def test_scan_walks_all_traces_in_order_of_id_page_by_page(anna: Desk) -> None:
    anna.put(memory(3), turn(1), chunk(5), memory(4), memory(2))
    pages, after = [], None
    with anna.view() as view:
        while page := view.scan(Filter(), after=after, limit=2):
            pages.append(ids(page))
            after = page[-1].id
    assert pages == [[id_(1), id_(2)], [id_(3), id_(4)], [id_(5)]]


def test_the_latest_traces_come_newest_first_page_by_page(anna: Desk) -> None:
    anna.put(*(memory(number, scope="odd" if number % 2 else "even") for number in (3, 1, 5, 2, 4)))
    for as_of in (None, anna.position):
        with anna.view(as_of) as view:
            assert ids(view.latest(Filter())) == [id_(number) for number in (5, 4, 3, 2, 1)]
            assert ids(view.latest(Filter(), limit=2)) == [id_(5), id_(4)]
            assert ids(view.latest(Filter(), before=id_(4), limit=2)) == [id_(3), id_(2)]
            assert ids(view.latest(Filter(scopes=frozenset({"odd"})))) == [id_(5), id_(3), id_(1)]
            assert view.latest(Filter(), before=id_(1)) == []


def test_many_traces_can_be_put_and_loaded_at_once(anna: Desk) -> None:
    traces = [memory(number, f"Berth {number} is free") for number in range(2_000)]
    anna.put(*traces)
    assert anna.load(*reversed(ids(traces))) == traces[::-1]
    assert anna.total() == 2_000


# --- positions and the ledger --------------------------------------------------------------------


def test_a_new_store_stands_at_position_zero_and_holds_nothing(anna: Desk) -> None:
    with anna.view() as view:
        assert view.position == 0
        assert view.events() == []
        assert view.counts(Filter()).total == 0


def test_apply_gives_the_position_that_the_next_view_shows(anna: Desk) -> None:
    first = anna.put(memory(1))
    second = anna.put(memory(2), memory(3))
    assert (first, second) == (1, 3)
    assert anna.position == 3


def test_applying_nothing_changes_nothing(anna: Desk) -> None:
    before = anna.put(memory(1))
    assert anna.apply() == before
    assert anna.position == before


def test_every_user_of_a_store_has_a_ledger_of_their_own(anna: Desk, boris: Desk) -> None:
    assert [anna.put(memory(1)), boris.put(memory(2)), anna.put(memory(3))] == [1, 1, 2]


def test_a_user_sees_the_position_of_their_own_last_event_and_nothing_of_others(anna: Desk, boris: Desk) -> None:
    assert boris.position == 0
    anna.put(memory(1), memory(2))
    assert (anna.position, boris.position) == (2, 0)
    assert boris.apply(PatchSession("s1", {"seen": 1})) == 0
    assert boris.put(memory(3)) == 1
    anna.put(memory(4))
    assert boris.apply(PutReceipt(receipt(1))) == 1
    for as_of in (None, 1, 2, 1_000_000, 2**70):
        with boris.view(as_of) as view:
            assert (view.position, view.pulse().position) == (1, 1)
            assert ids(view.scan(Filter())) == [id_(3)]
    with boris.view(0) as view:
        assert (view.position, view.at, view.scan(Filter())) == (0, None, [])


def test_an_event_says_who_made_the_change_and_in_which_operation(anna: Desk) -> None:
    put = Put(memory(1), EventKind.REMEMBERED)
    anna.store.apply(ANNA, [put], at=AT, actor="cli", cause="r-1")
    anna.store.apply(ANNA, [RecordAccess((id_(1),), AT)], at=AT, actor="scheduler")
    anna.put(memory(2))
    with anna.view() as view:
        assert [(event.actor, event.cause) for event in view.events()] == [("cli", "r-1"), ("scheduler", ""), ("", "")]
        assert [event.actor for event in view.latest_events()] == ["", "scheduler", "cli"]


def test_a_view_shows_at_least_what_its_reader_has_written(anna: Desk, boris: Desk) -> None:
    written = anna.put(memory(1), memory(2))
    for as_of in (None, 1):
        with anna.store.view(ANNA, as_of, at_least=written) as view:
            assert view.position == (as_of or written)
    for desk, shown in ((anna, 2), (boris, 0)):
        with pytest.raises(StoreBehind, match=f"at position {shown}, and position 3 is"):
            desk.store.view(desk.tenant, at_least=3).__enter__()
    with boris.store.view(BORIS, at_least=0) as view:
        assert view.position == 0


def test_where_a_users_events_end_is_looked_up_and_not_searched_for(tmp_path: Path) -> None:
    """However many events others have left."""
    from cortex.stores.sqlite import SqliteStore

    store = SqliteStore(tmp_path / "store.db")
    Desk(store, ANNA).put(*(memory(number) for number in range(1, 200)))
    with store.view(BORIS) as view:
        assert view.position == 0
        looked: list[str] = []
        view._db.set_trace_callback(looked.append)
        view.pulse(), view.at, view.events(), view.latest_events()
        view._db.set_trace_callback(None)
        queries = [statement for statement in looked if " events" in statement]
        plans = [str(view._db.execute(f"EXPLAIN QUERY PLAN {each}").fetchall()) for each in queries]
    store.close()
    assert plans
    assert all("SEARCH events USING PRIMARY KEY (user=?" in plan for plan in plans), plans


def test_contradictions_are_looked_up_and_not_searched_for(tmp_path: Path) -> None:
    """However many memories contradict nothing."""
    from cortex.stores.sqlite import SqliteStore

    store = SqliteStore(tmp_path / "store.db")
    Desk(store, ANNA).put(*(memory(number) for number in range(1, 200)))
    with store.view(ANNA) as view:
        looked: list[str] = []
        view._db.set_trace_callback(looked.append)
        view.scan(Filter(lanes=frozenset({Lane.MEMORIES}), contradicted=True))
        view._db.set_trace_callback(None)
        plans = [str(view._db.execute(f"EXPLAIN QUERY PLAN {each}").fetchall()) for each in looked if "body" in each]
    store.close()
    assert plans
    assert all("USING INDEX traces_contradicted" in plan for plan in plans), plans


def test_every_put_leaves_an_event_that_says_why(anna: Desk) -> None:
    later = AT + MINUTE
    anna.put(memory(1), turn(2), because=EventKind.IMPORTED)
    anna.put(memory(1, state=State.FORGOTTEN), because=EventKind.FORGOTTEN, at=later)
    with anna.view() as view:
        events = view.events()
    assert [(event.position, event.kind, event.subject, event.at) for event in events] == [
        (1, EventKind.IMPORTED, id_(1), AT),
        (2, EventKind.IMPORTED, id_(2), AT),
        (3, EventKind.FORGOTTEN, id_(1), later),
    ]


def test_events_come_in_the_order_of_the_changes(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    anna.put(memory(3), memory(1, "revised"), memory(4), memory(2, "revised"), memory(5))
    with anna.view() as view:
        events = view.events(after=2)
    assert [event.subject for event in events] == [id_(3), id_(1), id_(4), id_(2), id_(5)]


def test_all_vectors_of_one_apply_leave_one_event(anna: Desk) -> None:
    anna.apply(
        Put(memory(1), EventKind.REMEMBERED),
        Embed(id_(1), SPACE, [EAST]),
        Put(memory(2), EventKind.REMEMBERED),
        Embed(id_(2), SPACE, [EAST, NORTH]),
    )
    with anna.view() as view:
        events = view.events()
    assert Counter(event.kind for event in events) == {EventKind.REMEMBERED: 2, EventKind.EMBEDDED: 1}
    assert [event.subject for event in events if event.kind is EventKind.EMBEDDED] == [SPACE.key]


def test_each_touch_and_each_removal_leaves_an_event(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    anna.apply(RecordAccess((id_(1), id_(2)), AT), Remove(id_(1)))
    with anna.view() as view:
        events = view.events(after=2)
    assert [event.kind for event in events] == [EventKind.RECALLED, EventKind.REMOVED]
    assert events[1].subject == id_(1)


def test_receipts_states_and_jobs_leave_no_event(anna: Desk) -> None:
    before = anna.put(memory(1))
    assert anna.apply(PutReceipt(receipt(1)), PatchSession("s1", {"seen": 1}), PutJob(job(1))) == before


def test_events_count_without_gaps_and_are_given_page_by_page(anna: Desk) -> None:
    anna.put(*(memory(number) for number in range(5)))
    with anna.view() as view:
        assert [event.position for event in view.events()] == [1, 2, 3, 4, 5]
        assert [event.position for event in view.events(after=1, limit=2)] == [2, 3]
        assert view.events(after=5) == []


def test_the_latest_events_come_newest_first_and_page_by_page(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1), turn(2))
    boris.put(memory(9))
    anna.embed(memory(1), EAST)
    anna.put(memory(1, state=State.FORGOTTEN), because=EventKind.FORGOTTEN)
    with anna.view() as view:
        assert [event.position for event in view.latest_events()] == [4, 3, 2, 1]
        assert view.latest_events()[::-1] == view.events()
        assert [event.position for event in view.latest_events(2)] == [4, 3]
        assert [event.position for event in view.latest_events(2, before=3)] == [2, 1]
        assert view.latest_events(before=1) == []


def test_the_latest_events_are_told_apart_by_kind_and_by_subject(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    anna.embed(memory(1), EAST)
    anna.put(memory(1, state=State.FORGOTTEN), because=EventKind.FORGOTTEN)
    with anna.view() as view:
        assert [event.position for event in view.latest_events(subject=id_(1))] == [4, 1]
        assert [event.position for event in view.latest_events(kinds={EventKind.EMBEDDED})] == [3]
        assert [
            event.position
            for event in view.latest_events(kinds={EventKind.REMEMBERED, EventKind.EMBEDDED}, subject=id_(1))
        ] == [1]
        assert view.latest_events(kinds=()) == []


def test_an_earlier_view_shows_the_latest_events_of_that_time(anna: Desk) -> None:
    anna.put(*(memory(number) for number in range(4)))
    with anna.view(2) as view:
        assert [event.position for event in view.latest_events()] == [2, 1]


def test_the_ledger_does_not_show_that_two_texts_are_the_same(anna: Desk) -> None:
    anna.put(memory(1))
    anna.put(memory(1))
    with anna.view() as view:
        first, second = view.events()
    assert first.commitment != second.commitment
    assert first.seal != second.seal


def test_position_at_is_the_last_position_of_that_time(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1), memory(2), at=AT)
    boris.put(memory(3), at=AT + MINUTE)
    moments = (AT - MINUTE, AT, AT + MINUTE / 2, AT + MINUTE, AT + DAY)
    assert [anna.store.position_at(ANNA, at) for at in moments] == [0, 2, 2, 2, 2]
    assert [anna.store.position_at(BORIS, at) for at in moments] == [0, 0, 0, 1, 1]


# --- versions and earlier positions --------------------------------------------------------------


def test_a_revision_takes_the_place_of_the_version_before_it_and_history_keeps_both(anna: Desk) -> None:
    first, second = memory(1, "The harbour opens at dawn"), memory(1, "The harbour opens at noon", scope="infra")
    anna.put(first)
    anna.put(memory(2))
    anna.put(second, because=EventKind.REVISED)
    with anna.view() as view:
        assert view.load([id_(1)]) == [second]
        history = view.history(id_(1))
    assert [(version.trace, version.since, version.until) for version in history] == [(first, 1, 3), (second, 3, None)]
    assert ids(anna.find("dawn")) == [id_(2)]
    assert ids(anna.find("noon")) == [id_(1)]


def test_history_of_an_unknown_trace_is_empty(anna: Desk) -> None:
    with anna.view() as view:
        assert view.history(id_(1)) == []


def test_two_versions_in_one_apply_are_both_kept(anna: Desk) -> None:
    anna.put(memory(1, "one"), memory(1, "two"), memory(1, "three"))
    with anna.view() as view:
        assert [version.trace.text for version in view.history(id_(1))] == ["one", "two", "three"]
    assert anna.load(id_(1), as_of=2)[0].text == "two"
    assert ids(anna.find("one")) == []


@pytest.fixture
def past(anna: Desk) -> Desk:
    """A harbour of which much was known by position 9, and most of it changed afterwards."""
    anna.put(turn(1, "We moor at the pier"), turn(2, "Which pier?"), turn(3, "The eastern pier"))
    anna.put(memory(4, "The pier is made of oak"), memory(5, "The crane is red"))
    anna.apply(Embed(id_(3), SPACE, [EAST]), Embed(id_(4), SPACE, [NORTH, EAST]), Embed(id_(5), SPACE, [NORTH]))
    anna.apply(RecordAccess((id_(4),), AT))
    anna.apply(RecordAccess((id_(4),), AT + MINUTE))
    assert anna.put(memory(6, "The pier closes on Mondays", scope="infra")) == 9

    anna.put(memory(4, "The jetty is made of steel", label=ImportanceLabel.IGNORE), because=EventKind.REVISED)
    anna.put(memory(5, "The crane is red", state=State.FORGOTTEN), because=EventKind.FORGOTTEN)
    anna.put(turn(2, "Which pier?", state=State.FORGOTTEN), because=EventKind.FORGOTTEN)
    anna.put(turn(7, "The western pier"), memory(8, "The pier is haunted"))
    anna.embed(memory(3), NORTH)
    anna.embed(memory(8), EAST)
    anna.apply(RecordAccess((id_(4),), AT + DAY))
    anna.put(memory(6, "The pier closes on Mondays", scope="kitchen"), because=EventKind.REVISED)
    return anna


def test_an_earlier_view_loads_what_was_known_then(past: Desk) -> None:
    then = past.load(*(id_(number) for number in range(1, 9)), as_of=9)
    assert [trace.text for trace in then] == [
        "We moor at the pier",
        "Which pier?",
        "The eastern pier",
        "The pier is made of oak",
        "The crane is red",
        "The pier closes on Mondays",
    ]
    assert {trace.state for trace in then} == {State.ACTIVE}
    assert ids(past.scan(as_of=9)) == ids(then)


def test_an_earlier_view_finds_by_keyword_what_was_findable_then(past: Desk) -> None:
    assert set(ids(past.find("pier", as_of=9))) == {id_(1), id_(2), id_(3), id_(4), id_(6)}
    assert ids(past.find("crane", as_of=9)) == [id_(5)]
    assert set(ids(past.find("pier"))) == {id_(1), id_(3), id_(6), id_(7), id_(8)}
    assert ids(past.find("crane")) == []


def test_an_earlier_view_scores_by_the_statistics_of_that_time(past: Desk) -> None:
    texts = {trace.id: trace.text for trace in past.scan(as_of=9)}
    alone = bm25("pier oak crane", texts)
    found = {match.id: match.score for match in past.find("pier oak crane", as_of=9)}
    # What is no turn borrows no words, so its score is the book's.
    for number in (1, 4, 5, 6):
        assert found[id_(number)] == pytest.approx(alone[id_(number)], abs=1e-6)


def test_an_earlier_view_finds_by_vector_what_was_near_then(past: Desk) -> None:
    assert [(match.id, match.passage) for match in past.near(EAST, as_of=9)] == [(id_(3), 0), (id_(4), 1), (id_(5), 0)]
    assert ids(past.near(EAST)) == [id_(8), id_(3)]


def test_an_earlier_view_counts_what_there_was(past: Desk) -> None:
    with past.view(as_of=9) as view:
        then = view.counts(Filter())
    assert then.total == 6
    assert then.by_scope == {"personal": 5, "infra": 1}
    assert then.by_label == {"unknown": 6}
    assert then.text_bytes == sum(len(trace.text) for trace in past.scan(as_of=9))
    assert past.total() == 6
    assert past.total(Filter(states=EVERY_STATE)) == 8


@for_each(
    ("filter", "then", "now"),
    [
        (Filter(scopes=frozenset({"infra"})), [6], []),
        (Filter(scopes=frozenset({"kitchen"})), [], [6]),
        (Filter(labels=frozenset({ImportanceLabel.IGNORE})), [], [4]),
        (Filter(states=frozenset({State.FORGOTTEN})), [], [2, 5]),
        (Filter(lacking=SPACE, lanes=frozenset({Lane.MEMORIES})), [6], [4, 6]),
        (Filter(sessions=frozenset({"s1"})), [1, 2, 3], [1, 3, 7]),
    ],
)
def test_an_earlier_view_filters_by_what_held_then(past: Desk, filter: Filter, then: list[int], now: list[int]) -> None:
    assert ids(past.scan(filter, as_of=9)) == [id_(number) for number in then]
    assert past.total(filter, as_of=9) == len(then)
    assert ids(past.scan(filter)) == [id_(number) for number in now]


def test_an_earlier_view_shows_the_session_of_that_time(past: Desk) -> None:
    with past.view(as_of=9) as view:
        assert (view.last_seq("s1"), view.turn_at("s1", 7)) == (3, None)
        assert view.turn_at("s1", 2) == turn(2, "Which pier?")
    with past.view() as view:
        assert (view.last_seq("s1"), view.turn_at("s1", 7)) == (7, turn(7, "The western pier"))
        assert view.turn_at("s1", 2) == turn(2, "Which pier?", state=State.FORGOTTEN)


def test_an_earlier_view_shows_the_history_and_events_up_to_then(past: Desk) -> None:
    with past.view(as_of=9) as view:
        assert view.position == 9
        assert [event.position for event in view.events()] == list(range(1, 10))
        assert [(version.since, version.until) for version in view.history(id_(4))] == [(4, None)]
        assert view.history(id_(8)) == []


def test_an_earlier_view_shows_how_often_a_memory_had_been_used(past: Desk) -> None:
    def uses(as_of: int | None = None) -> tuple[Any, Any]:
        (trace,) = past.load(id_(4), as_of=as_of)
        return trace.access_count, trace.last_accessed_at

    assert [uses(6), uses(7), uses(9), uses()] == [(0, None), (1, AT), (2, AT + MINUTE), (3, AT + DAY)]


def test_at_position_zero_nothing_was_known(past: Desk) -> None:
    assert past.scan(as_of=0) == []
    assert past.find("pier", as_of=0) == []
    assert past.near(EAST, as_of=0) == []


def test_a_position_before_the_first_is_refused(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1), memory(2))
    for desk, last in ((anna, 2), (boris, 0)):
        with pytest.raises(InvalidRequest, match=f"0 to {last}") as refusal, desk.view(as_of=-1):
            pass
        assert refusal.value.field == "as_of"


def test_a_view_keeps_showing_what_it_showed_when_it_was_opened(anna: Desk) -> None:
    anna.put(memory(1, "The pier is open"), turn(2, "The pier is wet", seq=0))
    anna.embed(memory(1), EAST)
    anna.apply(PutReceipt(receipt(1)), PatchSession("s1", {"seen": 1}), PutJob(job(1)))
    with anna.view() as view:
        before = everything(view)
        anna.put(memory(1, "The pier is shut"), memory(3, "The pier is new"), turn(4, "The pier, then", seq=1))
        anna.apply(Remove(id_(2)), Embed(id_(1), SPACE, [NORTH]), RecordAccess((id_(1),), AT))
        anna.apply(PutReceipt(receipt(2)), PatchSession("s1", None), PutJob(job(2, key="s2")))
        assert everything(view) == before
    with anna.view() as view:
        assert everything(view) != before


# --- removing ------------------------------------------------------------------------------------


def test_what_is_removed_is_gone_from_everything_but_the_ledger(anna: Desk) -> None:
    anna.put(turn(1, "The keys are under the mat"), turn(2, "Noted"), memory(3, "Nothing to see"))
    anna.put(turn(1, "The keys are under the stone"))
    anna.apply(Embed(id_(1), SPACE, [EAST]), RecordAccess((id_(1),), AT))
    position = anna.apply(Remove(id_(1)))
    for as_of in (None, 3, 4, 6):
        assert anna.load(id_(1), as_of=as_of) == []
        assert anna.find("keys mat stone", as_of=as_of) == []
        assert anna.near(EAST, as_of=as_of) == []
        assert ids(anna.scan(Filter(states=EVERY_STATE), as_of=as_of)) == [id_(2), id_(3)]
    with anna.view() as view:
        assert view.history(id_(1)) == []
        assert view.turn_at("s1", 1) is None
        assert [event.position for event in view.events()] == list(range(1, position + 1))
    assert anna.store.vector_sets(ANNA) == {}


def test_a_removed_id_can_be_put_again_and_starts_afresh(anna: Desk) -> None:
    anna.put(memory(1, "before"))
    anna.apply(RecordAccess((id_(1),), AT), Remove(id_(1)))
    anna.put(memory(1, "after"))
    assert anna.load(id_(1)) == [memory(1, "after")]
    with anna.view() as view:
        assert [version.trace.text for version in view.history(id_(1))] == ["after"]


# --- all or nothing ------------------------------------------------------------------------------


@pytest.fixture
def pier(anna: Desk, boris: Desk) -> Desk:
    """A memory with its vector and a turn, beside a memory of somebody else."""
    boris.put(memory(50, "his"))
    anna.put(memory(1, "The pier is open"), turn(2, seq=0))
    anna.embed(memory(1), EAST)
    return anna


@for_each(
    ("bad", "error"),
    [
        (Remove(id_(99)), NotFound),
        (RecordAccess((id_(1), id_(99)), AT), NotFound),
        (Embed(id_(99), SPACE, [EAST]), NotFound),
        (Embed(id_(1), SPACE, [EAST, vector(1, 0, 0)]), InvalidRequest),
        (Embed(id_(1), SPACE, [vector(1, 0, 0, 0, 0)]), InvalidRequest),
        (Embed(id_(1), SPACE, [vector(1, math.nan, 0, 0)]), InvalidRequest),
        (Embed(id_(1), SPACE, [vector(1, math.inf, 0, 0)]), InvalidRequest),
        (Embed(id_(1), SPACE, [np.ones((1, 4), dtype=np.float32)]), InvalidRequest),
        (Put(memory(50, "mine"), EventKind.REMEMBERED), InvalidRequest),
    ],
)
def test_a_change_that_fails_undoes_those_before_it(
    pier: Desk, boris: Desk, bad: Change, error: type[Exception]
) -> None:
    with pier.view() as view:
        before = everything(view)
    good: list[Change] = [
        Put(memory(1, "The pier is shut"), EventKind.REVISED),
        Put(memory(3, "The pier is new"), EventKind.REMEMBERED),
        Put(turn(4, seq=1), EventKind.SAID),
        Embed(id_(3), SPACE, [EAST]),
        RecordAccess((id_(1),), AT),
        Remove(id_(2)),
        PutReceipt(receipt(1), "pier?"),
        PatchSession("s1", {"seen": 1}),
        PutJob(job(1)),
    ]
    with pytest.raises(error) as refusal:
        pier.apply(*good, bad, *good)
    if isinstance(bad, Embed) and error is InvalidRequest:
        assert refusal.value.field == "vector"
    with pier.view() as view:
        assert everything(view) == before
    assert boris.load(id_(50)) == [memory(50, "his")]


# --- search by keyword ---------------------------------------------------------------------------

TEXTS = (
    "The harbour opens at dawn and the harbour closes at dusk",
    "Dawn comes early in June",
    "Nobody swims in the harbour",
    "The lighthouse keeper counts ships: ship, ship, ship, ship",
    "A ship left the harbour at dawn, bound for the island of Ærø with timber, salt, tar and rope",
    "Salt",
)


def test_keyword_scores_are_bm25(anna: Desk) -> None:
    texts = {id_(number): text for number, text in enumerate(TEXTS)}
    anna.put(*(memory(number, text) for number, text in enumerate(TEXTS)))
    for query in ("harbour", "harbour dawn", "ship salt timber island", "the", "salt salt salt"):
        assert_scores(anna.find(query), bm25(query, texts))


def test_terms_count_by_their_weight(anna: Desk) -> None:
    anna.put(memory(1, "salt"), memory(2, "rope"), memory(3, "timber"))
    (salt,), (rope,) = index_terms("salt"), index_terms("rope")
    with anna.view() as view:
        found = view.keywords([QueryTerm(salt, 0.5), QueryTerm(rope, 2.0)], Filter(), 10)
    assert [(match.id, match.score) for match in found] == [
        (id_(2), pytest.approx(0.8, abs=1e-6)),
        (id_(1), pytest.approx(0.2, abs=1e-6)),
    ]


def test_a_score_tells_how_much_of_the_evidence_was_found(anna: Desk) -> None:
    anna.put(memory(1, "salt"), memory(2, "rope"))
    ((_, all_of_it),) = [(match.id, match.score) for match in anna.find("salt")]
    ((_, part_of_it),) = [(match.id, match.score) for match in anna.find("salt submarine")]
    assert all_of_it == pytest.approx(1.0, abs=1e-6)
    assert 0.0 < part_of_it < 0.5


def test_texts_without_terms_count_as_documents_of_no_length(anna: Desk) -> None:
    texts = {id_(1): "salt", id_(2): "…", id_(3): "?!", id_(4): "—"}
    anna.put(*(memory(number, texts[id_(number)]) for number in range(1, 5)))
    assert_scores(anna.find("salt"), bm25("salt", texts))


def test_keywords_give_the_best_first_and_break_ties_by_id(anna: Desk) -> None:
    anna.put(memory(4, "a harbour"), memory(2, "a harbour"), memory(3, "a harbour harbour"), memory(1, "a pier"))
    found = anna.find("harbour")
    assert ids(found) == [id_(3), id_(2), id_(4)]
    assert found[1].score == found[2].score


def test_keywords_give_no_more_than_was_asked_for_and_the_best_of_them(anna: Desk) -> None:
    anna.put(*(memory(number, "harbour " + "pier " * number) for number in range(30)))
    assert ids(anna.find("harbour", limit=3)) == [id_(0), id_(1), id_(2)]
    assert anna.find("harbour", limit=0) == []


def test_keywords_find_nothing_where_no_term_occurs(anna: Desk) -> None:
    anna.put(memory(1))
    assert anna.find("submarine") == []
    with anna.view() as view:
        assert view.keywords([], Filter(), 10) == []


def test_what_other_scopes_and_lanes_hold_does_not_change_a_score(anna: Desk) -> None:
    here = Filter(scopes=frozenset({"infra"}), lanes=frozenset({Lane.MEMORIES}))
    anna.put(memory(1, "harbour at dawn", scope="infra"), memory(2, "dawn", scope="infra"))
    before = anna.find("harbour dawn", here)
    anna.put(*(memory(100 + number, "harbour harbour at noon", scope="kitchen") for number in range(20)))
    anna.put(*(turn(200 + number, "dawn and dawn and dawn", scope="infra") for number in range(20)))
    assert_scores(anna.find("harbour dawn", here), {match.id: match.score for match in before})


@pytest.mark.parametrize(
    "facet",
    [
        {"kinds": frozenset({Kind.RULE})},
        {"trusts": frozenset({TrustTier.UNTRUSTED})},
        {"labels": frozenset({ImportanceLabel.IGNORE})},
        {"states": frozenset({State.SUPERSEDED})},
    ],
    ids=lambda facet: next(iter(facet)),
)
def test_statistics_are_those_of_the_facets_asked_for(anna: Desk, facet: dict[str, Any]) -> None:
    fields = {"kind": Kind.RULE, "trust": TrustTier.UNTRUSTED, "label": ImportanceLabel.IGNORE}
    texts = {id_(1): "harbour at dawn", id_(2): "dawn", id_(3): "noon"}
    anna.put(*(memory(number, texts[id_(number)], **fields, state=State.SUPERSEDED) for number in (1, 2, 3)))
    anna.put(*(memory(100 + number, "harbour harbour at noon") for number in range(20)))
    assert_scores(anna.find("harbour dawn", Filter(**facet)), bm25("harbour dawn", texts))


@pytest.mark.parametrize(
    "narrower",
    [
        Filter(ids=frozenset({id_(1)})),
        Filter(sessions=frozenset({"s1"})),
        Filter(since=AT + MINUTE),
        Filter(until=AT + 2 * MINUTE, since=AT + MINUTE),
    ],
    ids=["ids", "sessions", "since", "until"],
)
def test_ids_sessions_and_times_narrow_the_answer_but_not_the_statistics(anna: Desk, narrower: Filter) -> None:
    anna.put(turn(1, "harbour at dawn", created_at=AT + MINUTE))
    anna.put(*(memory(number, "dawn over the harbour, and then dusk") for number in range(10, 30)))
    everywhere = {match.id: match.score for match in anna.find("harbour dawn")}
    assert_scores(anna.find("harbour dawn", narrower), {id_(1): everywhere[id_(1)]})


SCRIPTS = (
    ("Die Brücke über den Öresund ist gesperrt", "Brücke Öresund"),
    ("Η γέφυρα είναι κλειστή τη Δευτέρα", "γέφυρα"),
    ("Мост закрыт по понедельникам", "МОСТ закрыт"),
    ("הגשר סגור ביום שני", "הגשר"),
    ("الجسر مغلق يوم الاثنين", "الجسر"),
    ("पुल सोमवार को बंद रहता है", "सोमवार"),
    ("สะพานปิดทุกวันจันทร์", "สะพานปิด"),
    ("防波堤は月曜日に閉鎖されます", "防波堤"),
    ("码头在星期一关闭维修", "星期一"),
    ("부두는 월요일에 닫습니다", "월요일에"),
    ("fix: commit 9f8e7d6c5b in src/harbour/pier_gate.py", "9f8e7d6c5b"),
)
"""What is said in a script, and words to find it by."""


def test_keywords_find_words_of_every_script(anna: Desk) -> None:
    anna.put(
        *(memory(number, text) for number, (text, _) in enumerate(SCRIPTS)), memory(99, "The harbour opens at dawn")
    )
    for number, (_, query) in enumerate(SCRIPTS):
        assert ids(anna.find(query)) == [id_(number)], query


@pytest.fixture
def dawn(anna: Desk, boris: Desk) -> Desk:
    """Somebody who knows nothing of what somebody else remembers."""
    anna.put(memory(1, "nothing of the kind"))
    boris.put(memory(2, "The harbour opens at dawn"))
    return anna


@for_each(
    "query",
    [
        '"unbalanced', "harbour OR *", "harbour NEAR(dawn", "text:harbour", "-harbour", "harbour*", "^harbour",
        "'; DROP TABLE traces; --", "=u1 harbour", "=f1 OR harbour", "{a b}: harbour", "harbour\x00dawn", "%harbour_",
    ],
)  # fmt: skip
def test_a_query_is_words_and_never_syntax(dawn: Desk, query: str) -> None:
    assert dawn.find(query) == []


def test_raw_terms_are_never_syntax(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1, "anchor"))
    boris.put(memory(2, "The harbour opens at dawn"))
    hostile = ['"', "*", "(", "=u2", "=f2", "a OR harbour", 'x" OR "harbour', "harbour*", "terms:harbour", "", " "]
    with anna.view() as view:
        assert view.keywords([QueryTerm(text) for text in hostile], Filter(), 10) == []


def test_text_cannot_forge_the_marks_by_which_tenants_and_facets_are_told_apart(anna: Desk, boris: Desk) -> None:
    boris.put(memory(1, "=u1 =u2 =f1 =f2 =f3 u1 f1 anchor"))
    anna.put(memory(2, "=u1 =u2 =f1 =f2 =f3 u1 f1 anchor", scope="infra"))
    assert ids(anna.find("anchor")) == [id_(2)]
    assert ids(boris.find("anchor")) == [id_(1)]
    assert anna.find("anchor", Filter(scopes=frozenset({"kitchen"}))) == []


# --- search by vector ----------------------------------------------------------------------------


def test_nearest_is_by_cosine_each_trace_by_its_best_passage(anna: Desk) -> None:
    anna.put(memory(1), memory(2), memory(3), memory(4))
    anna.embed(memory(1), NORTH)
    anna.embed(memory(2), NORTH, vector(0, 0, 0, 1), EAST)
    anna.embed(memory(3), NORTH_EAST)
    found = anna.near(EAST)
    assert [(match.id, match.passage) for match in found] == [(id_(2), 2), (id_(3), 0), (id_(1), 0)]
    assert [match.score for match in found] == pytest.approx([1.0, math.sqrt(0.5), 0.0], abs=1e-6)


def test_the_length_of_a_vector_does_not_matter(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    anna.embed(memory(1), 100 * NORTH_EAST)
    anna.embed(memory(2), 0.01 * EAST)
    for query in (EAST, 1_000 * EAST, 0.001 * EAST):
        found = anna.near(query)
        assert ids(found) == [id_(2), id_(1)]
        assert [match.score for match in found] == pytest.approx([1.0, math.sqrt(0.5)], abs=1e-6)


def test_opposite_vectors_are_found_last(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    anna.embed(memory(1), -EAST)
    anna.embed(memory(2), NORTH)
    assert [match.score for match in anna.near(EAST)] == pytest.approx([0.0, -1.0], abs=1e-6)


def test_nearest_breaks_ties_by_id_and_gives_no_more_than_was_asked_for(anna: Desk) -> None:
    anna.put(*(memory(number) for number in (5, 3, 4, 1)))
    for number in (5, 3, 4, 1):
        anna.embed(memory(number), NORTH_EAST)
    assert ids(anna.near(EAST, limit=3)) == [id_(1), id_(3), id_(4)]
    assert anna.near(EAST, limit=0) == []


def test_the_first_of_equal_passages_is_named(anna: Desk) -> None:
    anna.put(memory(1))
    anna.embed(memory(1), NORTH, EAST, EAST)
    assert [match.passage for match in anna.near(EAST)] == [1]


def test_a_zero_vector_is_like_nothing(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    anna.embed(memory(1), vector(0, 0, 0, 0))
    anna.embed(memory(2), EAST)
    assert [match.score for match in anna.near(EAST)] == pytest.approx([1.0, 0.0], abs=1e-6)
    assert [match.score for match in anna.near(vector(0, 0, 0, 0))] == pytest.approx([0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("query", [vector(1, 0, 0), vector(1, 0, math.nan, 0)], ids=["dimension", "nan"])
def test_a_query_vector_that_does_not_fit_its_space_is_refused(anna: Desk, query: Any) -> None:
    anna.put(memory(1))
    anna.embed(memory(1), EAST)
    with pytest.raises(InvalidRequest) as refusal:
        anna.near(query)
    assert refusal.value.field == "vector"


def test_vectors_compare_only_within_their_space(anna: Desk) -> None:
    twin = replace(SPACE, prefixes="query: ")
    anna.put(memory(1), memory(2), memory(3))
    anna.embed(memory(1), EAST)
    anna.embed(memory(2), EAST, space=twin)
    anna.embed(memory(3), vector(1, 0, 0), space=OTHER_SPACE)
    with anna.view() as view:
        assert ids(view.nearest(EAST, SPACE, Filter(), 10)) == [id_(1)]
        assert ids(view.nearest(EAST, twin, Filter(), 10)) == [id_(2)]
        assert ids(view.nearest(EAST, replace(SPACE, endpoint="elsewhere"), Filter(), 10)) == []
    assert anna.store.vector_sets(ANNA) == {SPACE.key: 1, twin.key: 1, OTHER_SPACE.key: 1}


def test_embedding_again_replaces_the_vectors_of_that_space_only(anna: Desk) -> None:
    anna.put(memory(1))
    anna.apply(Embed(id_(1), SPACE, [EAST, NORTH]), Embed(id_(1), OTHER_SPACE, [vector(1, 0, 0)]))
    anna.embed(memory(1), NORTH)
    assert [match.score for match in anna.near(EAST)] == pytest.approx([0.0], abs=1e-6)
    assert anna.store.vector_sets(ANNA) == {SPACE.key: 1, OTHER_SPACE.key: 1}


def test_an_earlier_view_has_the_vectors_that_came_after_one_that_was_earlier_still(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    before = anna.embed(memory(1), EAST)
    assert [(match.id, match.score) for match in anna.near(NORTH, as_of=before)] == [(id_(1), 0.0)]
    anna.embed(memory(1), NORTH)
    after = anna.embed(memory(2), NORTH_EAST)
    found = anna.near(NORTH, as_of=after)
    assert ids(found) == [id_(1), id_(2)]
    assert [match.score for match in found] == pytest.approx([1.0, 0.5**0.5], abs=1e-6)


def test_a_new_text_takes_its_vectors_away_until_it_is_embedded_again(anna: Desk) -> None:
    anna.put(memory(1, "The pier is open"))
    embedded = anna.embed(memory(1), EAST)
    anna.put(memory(1, "The pier is shut"), because=EventKind.REVISED)
    assert anna.near(EAST) == []
    assert ids(anna.near(EAST, as_of=embedded)) == [id_(1)]
    assert ids(anna.scan(Filter(lacking=SPACE))) == [id_(1)]
    assert anna.store.vector_sets(ANNA) == {}
    anna.embed(memory(1), NORTH)
    assert ids(anna.near(EAST)) == [id_(1)]
    assert ids(anna.near(EAST, as_of=embedded)) == [id_(1)]


def test_a_revision_that_keeps_the_text_keeps_the_vectors(anna: Desk) -> None:
    anna.put(memory(1))
    anna.embed(memory(1), EAST)
    anna.put(memory(1, scope="infra", state=State.FORGOTTEN), because=EventKind.FORGOTTEN)
    assert anna.near(EAST) == []
    anna.put(memory(1, scope="infra"), because=EventKind.RESTORED)
    assert ids(anna.near(EAST, Filter(scopes=frozenset({"infra"})))) == [id_(1)]
    assert anna.near(EAST, Filter(scopes=frozenset({"personal"}))) == []


def test_what_contradicts_something_is_found_for_as_long_as_it_does(anna: Desk, boris: Desk) -> None:
    contradicted, others = Filter(contradicted=True), Filter(contradicted=False)
    anna.put(memory(1), memory(2, contradicts=(id_(1),)), memory(3, 'It says "contradicts":["1"] in there'), turn(4))
    boris.put(memory(5, contradicts=(id_(6),)))
    both = anna.put(memory(1, contradicts=(id_(2),)), because=EventKind.CONTRADICTED)
    assert ids(anna.scan(contradicted)) == [id_(1), id_(2)]
    assert ids(anna.scan(others)) == [id_(3), id_(4)]
    assert (anna.total(contradicted), boris.total(contradicted)) == (2, 1)
    with anna.view() as view:
        assert ids(view.latest(contradicted, limit=1)) == [id_(2)]
        assert ids(view.scan(contradicted, after=id_(1))) == [id_(2)]
    anna.put(memory(1), memory(2, contradicts=(id_(1),), state=State.FORGOTTEN), because=EventKind.FORGOTTEN)
    assert ids(anna.scan(contradicted)) == []
    assert ids(anna.scan(contradicted, as_of=both)) == [id_(1), id_(2)]


def test_a_trace_without_a_vector_is_still_found_by_keyword(anna: Desk) -> None:
    anna.put(memory(1))
    assert anna.near(EAST) == []
    assert ids(anna.find("harbour")) == [id_(1)]
    assert anna.total(Filter(lacking=SPACE)) == 1


def test_nearest_agrees_with_arithmetic_on_many_random_vectors(anna: Desk) -> None:
    rng = np.random.default_rng(7)
    space = replace(SPACE, dimension=32)
    matrix = np.stack([unit(row) for row in rng.normal(size=(300, 32)).astype(np.float32)])
    traces = [memory(number, scope=f"scope {number % 3}") for number in range(300)]
    anna.put(*traces)
    anna.apply(*(Embed(trace.id, space, [row]) for trace, row in zip(traces, matrix, strict=True)))
    query = unit(rng.normal(size=32).astype(np.float32))
    cosines = matrix @ query
    expected = [number for number in np.argsort(-cosines) if number % 3 == 1][:20]
    with anna.view() as view:
        found = view.nearest(query, space, Filter(scopes=frozenset({"scope 1"})), 20)
    assert ids(found) == [id_(int(number)) for number in expected]
    assert [match.score for match in found] == pytest.approx([float(cosines[number]) for number in expected], abs=1e-5)


def test_vectors_of_the_widest_models_are_kept_and_found(anna: Desk) -> None:
    rng = np.random.default_rng(7)
    space = replace(SPACE, dimension=4_096)
    matrix = np.stack([unit(row) for row in rng.normal(size=(20, 4_096)).astype(np.float32)])
    traces = [memory(number) for number in range(20)]
    anna.put(*traces)
    anna.apply(*(Embed(trace.id, space, [row]) for trace, row in zip(traces, matrix, strict=True)))
    with anna.view() as view:
        (found,) = view.nearest(matrix[7], space, Filter(), 1)
    assert (found.id, found.score) == (id_(7), pytest.approx(1.0, abs=1e-6))
    assert list(anna.store.verify()) == []


def test_a_similarity_does_not_depend_on_what_else_is_compared(anna: Desk) -> None:
    """E12: the same state gives the same answer, now and when it is replayed"""
    rng = np.random.default_rng(7)
    space = replace(SPACE, dimension=384)
    traces = [memory(number) for number in range(1_200)]
    anna.put(*traces)
    # All much alike: the more similar, the more digits there are to differ in.
    query, *vectors = (1.0 + 0.5 * rng.normal(size=(1_201, 384))).astype(np.float32)
    anna.apply(*(Embed(trace.id, space, [each]) for trace, each in zip(traces, vectors, strict=True)))
    with anna.view() as view:
        together = {match.id: match.score for match in view.nearest(query, space, Filter(), 1_200)}
        for some in (traces[at : at + 3] for at in range(0, 1_200, 8)):
            few = view.nearest(query, space, Filter(ids=frozenset(ids(some))), 1_200)
            assert {match.id: match.score for match in few} == {trace.id: together[trace.id] for trace in some}


# --- deadlines -----------------------------------------------------------------------------------


def test_a_leg_asked_after_its_deadline_says_so_and_one_in_time_answers(anna: Desk) -> None:
    anna.put(memory(1))
    anna.embed(memory(1), EAST)
    clock = FakeClock()
    deadline = Deadline.after(clock, 1.0)
    with anna.view() as view:
        assert ids(view.keywords(query_terms("harbour"), Filter(), 5, deadline)) == [id_(1)]
        assert ids(view.nearest(EAST, SPACE, Filter(), 5, deadline)) == [id_(1)]
        clock.advance(2.0)
        with pytest.raises(DeadlineExceeded):
            view.keywords(query_terms("harbour"), Filter(), 5, deadline)
        with pytest.raises(DeadlineExceeded):
            view.nearest(EAST, SPACE, Filter(), 5, deadline)


# --- filters -------------------------------------------------------------------------------------

RULE = memory(
    1, scope="infra", kind=Kind.RULE, label=ImportanceLabel.MUST_REMEMBER, trust=TrustTier.TRUSTED, created_at=AT
)
SAID = turn(2, scope="kitchen", session="s1", trust=TrustTier.UNTRUSTED, created_at=AT + DAY)
LINES = chunk(3, lane=Lane.DOCS, trust=TrustTier.QUARANTINED, created_at=AT + 2 * DAY)
WISH = memory(4, kind=Kind.PREFERENCE, label=ImportanceLabel.IGNORE, state=State.SUPERSEDED, created_at=AT + 3 * DAY)
GONE = memory(5, kind=Kind.RULE, scope="infra", state=State.FORGOTTEN, created_at=AT + 4 * DAY)
LATE = memory(6, kind=Kind.RULE, scope="infra", state=State.EXPIRED, created_at=AT + 5 * DAY)
ALL = (RULE, SAID, LINES, WISH, GONE, LATE)

FILTERS = {
    "by default active and superseded traces": (Filter(), (RULE, SAID, LINES, WISH)),
    "one lane": (Filter(lanes=frozenset({Lane.MEMORIES})), (RULE, WISH)),
    "several lanes": (Filter(lanes=frozenset({Lane.DOCS, Lane.SESSIONS})), (SAID, LINES)),
    "a lane with nothing in it": (Filter(lanes=frozenset({Lane.NOTES})), ()),
    "no lane": (Filter(lanes=frozenset()), ()),
    "one scope": (Filter(scopes=frozenset({"infra"})), (RULE,)),
    "several scopes": (Filter(scopes=frozenset({"infra", "kitchen", "nowhere"})), (RULE, SAID)),
    "no scope": (Filter(scopes=frozenset()), ()),
    "a kind, chunks being facts": (Filter(kinds=frozenset({Kind.RULE, Kind.FACT})), (RULE, LINES)),
    "a kind, turns having one": (Filter(kinds=frozenset({Kind.EPISODE})), (SAID,)),
    "trust": (Filter(trusts=frozenset({TrustTier.TRUSTED, TrustTier.UNTRUSTED})), (RULE, SAID, WISH)),
    "quarantine": (Filter(trusts=frozenset({TrustTier.QUARANTINED})), (LINES,)),
    "a label": (Filter(labels=frozenset({ImportanceLabel.MUST_REMEMBER})), (RULE,)),
    "no label given": (Filter(labels=frozenset({ImportanceLabel.UNKNOWN})), (SAID, LINES)),
    "forgotten": (Filter(states=frozenset({State.FORGOTTEN})), (GONE,)),
    "every state": (Filter(states=EVERY_STATE), ALL),
    "no state": (Filter(states=frozenset()), ()),
    "a session": (Filter(sessions=frozenset({"s1", "s2"})), (SAID,)),
    "another session": (Filter(sessions=frozenset({"s2"})), ()),
    "since, that moment included": (Filter(since=AT + DAY), (SAID, LINES, WISH)),
    "until, that moment excluded": (Filter(until=AT + DAY), (RULE,)),
    "a span of time": (Filter(since=AT + DAY, until=AT + 3 * DAY), (SAID, LINES)),
    "used since, what was never used by when it was made": (Filter(used_since=AT + 2 * DAY), (LINES, WISH)),
    "ids": (Filter(ids=frozenset({id_(2), id_(5), id_(99)})), (SAID,)),
    "no ids": (Filter(ids=frozenset()), ()),
    "lacking a vector": (Filter(lacking=OTHER_SPACE), (RULE, SAID, WISH)),
    "lacking no vector": (Filter(lacking=SPACE), ()),
    "lacking a vector of a space nobody used": (Filter(lacking=replace(SPACE, model="new")), (RULE, SAID, LINES, WISH)),
    "all at once": (
        Filter(
            lanes=frozenset({Lane.MEMORIES}),
            scopes=frozenset({"infra"}),
            kinds=frozenset({Kind.RULE}),
            trusts=frozenset({TrustTier.TRUSTED}),
            labels=frozenset({ImportanceLabel.MUST_REMEMBER, ImportanceLabel.UNKNOWN}),
            states=EVERY_STATE,
            since=AT,
            until=AT + 5 * DAY,
            ids=frozenset(trace.id for trace in ALL),
            lacking=OTHER_SPACE,
        ),
        (RULE, GONE),
    ),
}


@pytest.fixture
def filled(anna: Desk) -> Desk:
    """Everything there is, with vectors."""
    anna.put(*ALL)
    anna.apply(*(Embed(trace.id, SPACE, [EAST]) for trace in ALL), Embed(LINES.id, OTHER_SPACE, [vector(1, 0, 0)]))
    return anna


@for_each(("filter", "expected"), FILTERS.values())
def test_every_search_and_count_is_narrowed_by_the_filter(
    filled: Desk, filter: Filter, expected: tuple[Trace, ...]
) -> None:
    searchable = ids([trace for trace in expected if trace.state in SEARCHABLE])
    assert sorted(ids(filled.find("harbour", filter))) == searchable
    assert ids(filled.near(EAST, filter)) == searchable
    assert filled.scan(filter) == list(expected)
    assert_counts(filled, filter, expected)


def test_a_view_knows_the_scopes_of_its_tenant(anna: Desk) -> None:
    """E5: those with something in them, then as now"""
    anna.put(*ALL)
    before = anna.position
    anna.put(replace(SAID, scope="pantry"), because=EventKind.REVISED)
    with anna.view() as now, anna.view(before) as then:
        assert now.scopes(Filter()) == {"infra", "pantry", "personal"}
        assert then.scopes(Filter()) == {"infra", "kitchen", "personal"}
        assert then.scopes(Filter(lanes=frozenset({Lane.SESSIONS}))) == {"kitchen"}


def test_what_was_used_again_is_among_what_was_used_since(anna: Desk) -> None:
    """E8: and was not at a position before it was"""
    anna.put(*ALL)
    anna.apply(*(Embed(trace.id, SPACE, [EAST]) for trace in ALL))
    before = anna.position
    anna.apply(RecordAccess((RULE.id,), AT + 9 * DAY))
    lately = Filter(used_since=AT + 3 * DAY)
    assert ids(anna.scan(lately)) == ids(anna.near(EAST, lately)) == [RULE.id, WISH.id]
    assert ids(anna.scan(lately, as_of=before)) == [WISH.id]


def test_a_filter_narrows_before_the_limit_does(anna: Desk) -> None:
    anna.put(*(memory(number, "harbour harbour") for number in range(200)))
    anna.put(memory(500, "a small harbour, far away from the sea", scope="infra"))
    anna.apply(*(Embed(id_(number), SPACE, [EAST]) for number in range(200)), Embed(id_(500), SPACE, [NORTH]))
    only = Filter(scopes=frozenset({"infra"}))
    assert ids(anna.find("harbour", only, limit=1)) == [id_(500)]
    assert ids(anna.near(EAST, only, limit=1)) == [id_(500)]
    assert ids(anna.find("harbour", Filter(ids=frozenset({id_(150)})), limit=1)) == [id_(150)]
    assert ids(anna.near(NORTH, Filter(ids=frozenset({id_(150)})), limit=1)) == [id_(150)]


NAMES = (
    "infra", "kitchen", "x" * 255,
    "two words", "infra kitchen", 'quo"ted', "it's", '"', "=", "=u1", "=f1", "a=b", "a:b", "a|b", "a,b", "a\\b",
    "%", "_", "*", "(a", "a) OR 1=1 --", "'; DROP TABLE facets; --", "🚢", "🦀 crew", "港口",
    "Infra", "INFRA", "infra.", "é", "e\u0301", "x" * 256, "界" * 256, "null", "None", "0",
)  # fmt: skip


def test_the_name_of_a_scope_is_a_name_and_never_syntax(anna: Desk) -> None:
    anna.put(*(memory(number, scope=name) for number, name in enumerate(NAMES)))
    anna.apply(*(Embed(id_(number), SPACE, [EAST]) for number in range(len(NAMES))))
    for number, name in enumerate(NAMES):
        only = Filter(scopes=frozenset({name}))
        assert ids(anna.find("harbour", only)) == [id_(number)], name
        assert ids(anna.near(EAST, only)) == [id_(number)], name
        assert ids(anna.scan(only)) == [id_(number)], name
    with anna.view() as view:
        assert view.counts(Filter()).by_scope == dict.fromkeys(NAMES, 1)


def test_the_name_of_a_session_is_a_name_and_never_syntax(anna: Desk) -> None:
    names = ("s1", "s 1", "s'1", 's"1', "=s1", "会話", "🚢", "s" * 300)
    anna.put(*(turn(number, session=name, seq=number + 3) for number, name in enumerate(names)))
    anna.apply(*(PatchSession(name, {"seen": number}) for number, name in enumerate(names) if name != "s1"))
    for number, name in enumerate(names):
        assert ids(anna.find("harbour", Filter(sessions=frozenset({name})))) == [id_(number)], name
        with anna.view() as view:
            assert view.last_seq(name) == number + 3
            assert view.state(name) == (None if name == "s1" else {"seen": number})


def test_counts_add_up_by_every_sort(anna: Desk) -> None:
    anna.put(*ALL)
    with anna.view() as view:
        counts = view.counts(Filter(states=EVERY_STATE))
    assert counts == Counts(
        total=6,
        by_lane={"memories": 4, "sessions": 1, "docs": 1},
        by_scope={"infra": 3, "kitchen": 1, "personal": 2},
        by_kind={"rule": 3, "episode": 1, "fact": 1, "preference": 1},
        by_label={"must_remember": 1, "unknown": 4, "ignore": 1},
        by_trust={"trusted": 4, "untrusted": 1, "quarantined": 1},
        by_state={"active": 3, "superseded": 1, "forgotten": 1, "expired": 1},
        oldest=AT,
        newest=AT + 5 * DAY,
        text_bytes=6 * len("The harbour opens at dawn"),
    )


def test_traces_are_counted_by_the_day_they_were_made(anna: Desk, boris: Desk) -> None:
    late = datetime(2026, 7, 1, 23, 59, 59, 999_999, tzinfo=UTC)
    anna.put(
        memory(1, created_at=late),
        memory(2, created_at=late + timedelta(microseconds=1), kind=Kind.RULE),
        memory(3, created_at=late - 40 * DAY),
        memory(4, created_at=late - 41 * DAY),
        turn(5, created_at=late),
        memory(6, created_at=late, state=State.FORGOTTEN, label=ImportanceLabel.IGNORE),
    )
    boris.put(memory(9, created_at=late))
    first, only = late.date(), Filter(lanes=frozenset({Lane.MEMORIES}), states=EVERY_STATE)
    for as_of in (None, anna.position):
        with anna.view(as_of) as view:
            assert set(view.days(only, first)) == {
                DayCount(None, "fact", "unknown", "trusted", "active", 2),
                DayCount(first, "fact", "unknown", "trusted", "active", 1),
                DayCount(first, "fact", "ignore", "trusted", "forgotten", 1),
                DayCount(first + DAY, "rule", "unknown", "trusted", "active", 1),
            }
            turns = view.days(Filter(lanes=frozenset({Lane.SESSIONS})), first)
            assert turns == [DayCount(first, "episode", "unknown", "trusted", "active", 1)]


def test_events_are_counted_by_day_and_kind(anna: Desk, boris: Desk) -> None:
    """S6"""
    anna.put(memory(1), memory(2), turn(3))
    anna.put(memory(1, state=State.FORGOTTEN), because=EventKind.FORGOTTEN)
    boris.put(memory(9))
    with anna.view() as view, anna.view(as_of=2) as then:
        kinds = Counter(event.kind for event in view.events())
        (day,) = {event.at.date() for event in view.events()}
        assert {(each.day, each.kind): each.number for each in view.event_days(day)} == {
            (day, kind): number for kind, number in kinds.items()
        }
        assert view.event_days(day + DAY) == []
        assert sum(each.number for each in then.event_days(day)) == 2


def test_a_pulse_tells_the_position_and_how_many_there_are(anna: Desk, boris: Desk) -> None:
    anna.put(memory(1), memory(2, state=State.FORGOTTEN), turn(3))
    anna.apply(PutJob(job(1)), PutJob(job(2, key="s2")), PutJob(replace(job(3, key="s3"), state=JobState.FAILED)))
    boris.put(memory(9))
    with anna.view() as view:
        assert view.pulse() == Pulse(3, 3, {"waiting": 2, "failed": 1})
    with anna.view(1) as view:
        assert (view.pulse().position, view.pulse().total) == (1, 1)
    with boris.view() as view:
        assert view.pulse() == Pulse(1, 1, {})


def test_text_bytes_counts_bytes_not_characters(anna: Desk) -> None:
    anna.put(memory(1, "港口🚢"))
    with anna.view() as view:
        assert view.counts(Filter()).text_bytes == 10


# --- conversations -------------------------------------------------------------------------------


def test_a_turn_is_found_by_its_place_whatever_its_state(anna: Desk) -> None:
    position = anna.put(turn(1, seq=0), turn(2, seq=1, state=State.FORGOTTEN), turn(3, seq=0, session="s2"))
    for as_of in (None, position):
        with anna.view(as_of) as view:
            assert view.turn_at("s1", 0) == turn(1, seq=0)
            assert view.turn_at("s1", 1) == turn(2, seq=1, state=State.FORGOTTEN)
            assert view.turn_at("s2", 0) == turn(3, seq=0, session="s2")
            assert view.turn_at("s1", 2) is None
            assert view.turn_at("s3", 0) is None


def test_the_last_place_of_a_session_counts_forgotten_turns_too(anna: Desk) -> None:
    position = anna.put(turn(1, seq=0), turn(2, seq=1), turn(3, seq=7, state=State.FORGOTTEN))
    for as_of in (None, position):
        with anna.view(as_of) as view:
            assert view.last_seq("s1") == 7
            assert view.last_seq("s2") == -1


def test_speakers_are_those_of_the_turns_a_filter_means(anna: Desk, boris: Desk) -> None:
    anna.put(
        turn(1, speaker="Anna"), turn(2, speaker="Anna"), turn(3, speaker="Zoë", scope="infra"), turn(4), memory(5)
    )
    position = anna.put(turn(6, speaker="Rémy", state=State.FORGOTTEN))
    boris.put(turn(7, speaker="Boris"))
    anna.put(turn(1, speaker="Anne"), because=EventKind.REVISED)
    anna.put(turn(3, speaker="Zoë", scope="kitchen"), because=EventKind.REVISED)
    infra = Filter(scopes=frozenset({"infra"}))
    with anna.view() as view:
        assert view.speakers(Filter()) == {"Anna", "Anne", "Zoë"}
        assert view.speakers(Filter(states=EVERY_STATE)) == {"Anna", "Anne", "Zoë", "Rémy"}
        assert view.speakers(infra) == view.speakers(Filter(lanes=frozenset({Lane.MEMORIES}))) == set()
    with anna.view(position) as view:
        assert view.speakers(Filter()) == {"Anna", "Zoë"}
        assert view.speakers(infra) == {"Zoë"}
    anna.apply(Remove(id_(2)))
    with anna.view() as view:
        assert view.speakers(Filter()) == {"Anne", "Zoë"}


def test_the_words_of_the_turn_before_count_in_a_turn(anna: Desk) -> None:
    anna.put(
        turn(1, "When does the harbour open?", seq=0),
        turn(2, "At dawn", seq=1),
        turn(3, "Thank you", seq=2),
        turn(4, "At dawn", seq=0, session="s2"),
    )
    for as_of in (None, 4):
        found = {match.id: match.score for match in anna.find("harbour dawn", as_of=as_of)}
        assert found[id_(2)] > found[id_(4)]
        assert ids(anna.find("harbour", as_of=as_of)) == [id_(1), id_(2)]
    anna.put(turn(1, "When does the harbour open?", seq=0, state=State.FORGOTTEN))
    assert anna.find("harbour") == []


def test_a_long_text_scores_by_its_best_passage(anna: Desk) -> None:
    filler = "The weather was fine and nobody said much about it. " * 40
    anna.put(memory(1, filler + "The harbour opens at dawn. " + filler), memory(2, "The harbour opens late"))
    long, short = (match.score for match in sorted(anna.find("harbour opens dawn"), key=lambda match: match.id))
    assert long > short


# --- counters of use -----------------------------------------------------------------------------


def test_a_touch_counts_one_use_and_makes_no_new_version(anna: Desk) -> None:
    anna.put(memory(1), memory(2))
    anna.apply(RecordAccess((id_(1), id_(2)), AT + MINUTE))
    anna.apply(RecordAccess((id_(1),), AT + 2 * MINUTE))
    assert anna.load(id_(1), id_(2)) == [
        memory(1, access_count=2, last_accessed_at=AT + 2 * MINUTE),
        memory(2, access_count=1, last_accessed_at=AT + MINUTE),
    ]
    assert anna.scan() == anna.load(id_(1), id_(2))
    with anna.view() as view:
        assert [version.trace for version in view.history(id_(1))] == [memory(1)]


def test_a_revision_does_not_lose_count_of_uses(anna: Desk) -> None:
    anna.put(memory(1))
    anna.apply(RecordAccess((id_(1),), AT))
    anna.put(memory(1, "The harbour opens at noon"), because=EventKind.REVISED)
    anna.put(memory(1, "The harbour opens at ten", access_count=40, last_accessed_at=AT + DAY))
    assert anna.load(id_(1)) == [memory(1, "The harbour opens at ten", access_count=1, last_accessed_at=AT)]


def test_a_memory_named_twice_in_one_touch_is_used_once(anna: Desk) -> None:
    anna.put(memory(1))
    anna.apply(RecordAccess((id_(1), id_(1)), AT))
    assert anna.load(id_(1)) == [memory(1, access_count=1, last_accessed_at=AT)]


def test_turns_and_chunks_may_be_touched_and_stay_as_they_are(anna: Desk) -> None:
    anna.put(turn(1), chunk(2))
    anna.apply(RecordAccess((id_(1), id_(2)), AT))
    assert anna.load(id_(1), id_(2)) == [turn(1), chunk(2)]


# --- receipts and session state ------------------------------------------------------------------


def test_a_receipt_comes_back_with_the_query_kept_beside_it(anna: Desk) -> None:
    kept = receipt(1, facts={"legs": {"keyword": 3}, "degraded": ["vector"], "scores": [0.25, 0.5], "note": "部署"})
    anna.apply(PutReceipt(kept, "when does the harbour open?"))
    with anna.view() as view:
        assert view.receipt(kept.id) == (kept, "when does the harbour open?")
        assert view.receipt(ReceiptId(id_(2))) is None


def test_filing_a_receipt_again_replaces_it_so_that_its_query_can_be_erased(anna: Desk) -> None:
    anna.apply(PutReceipt(receipt(1), "a private question"))
    anna.apply(PutReceipt(receipt(1)))
    with anna.view() as view:
        assert view.receipt(receipt(1).id) == (receipt(1), None)
        assert len(view.receipts()) == 1


def test_receipts_come_newest_first_and_by_operation(anna: Desk) -> None:
    for number, op in ((1, "recall"), (3, "capture"), (2, "recall")):
        anna.apply(PutReceipt(receipt(number, op=op, at=AT + number * MINUTE)))
    with anna.view() as view:
        assert [kept.id for kept in view.receipts()] == [id_(3), id_(2), id_(1)]
        assert [kept.id for kept in view.receipts(limit=2)] == [id_(3), id_(2)]
        assert [kept.id for kept in view.receipts(op="recall")] == [id_(2), id_(1)]
        assert view.receipts(op="forget") == []


def test_receipts_of_one_moment_come_newest_id_first(anna: Desk) -> None:
    anna.apply(PutReceipt(receipt(2)), PutReceipt(receipt(1)), PutReceipt(receipt(3)))
    with anna.view() as view:
        assert [kept.id for kept in view.receipts()] == [id_(3), id_(2), id_(1)]


def test_receipts_go_on_before_one_of_them(anna: Desk, boris: Desk) -> None:
    anna.apply(*(PutReceipt(receipt(number, at=AT + number // 2 * MINUTE, op="recall")) for number in range(5)))
    boris.apply(PutReceipt(receipt(9, user="boris")))
    with anna.view() as view:
        assert [kept.id for kept in view.receipts(before=receipt(3).id)] == [id_(2), id_(1), id_(0)]
        assert [kept.id for kept in view.receipts(limit=1, before=receipt(2).id)] == [id_(1)]
        assert view.receipts(op="forget", before=receipt(3).id) == []
        assert view.receipts(before=receipt(9).id) == []


def test_the_state_of_a_session_is_kept_replaced_and_dropped(anna: Desk) -> None:
    with anna.view() as view:
        assert view.state("s1") is None
    anna.apply(PatchSession("s1", {"fingerprints": ["a", "b"], "watermark": 7}), PatchSession("s2", {}))
    with anna.view() as view:
        assert view.state("s1") == {"fingerprints": ["a", "b"], "watermark": 7}
        assert view.state("s2") == {}
    anna.apply(PatchSession("s1", {"watermark": 8}))
    with anna.view() as view:
        assert view.state("s1") == {"fingerprints": ["a", "b"], "watermark": 8}
    anna.apply(PatchSession("s1", None), PatchSession("never", None))
    with anna.view() as view:
        assert view.state("s1") is None


def test_what_was_kept_does_not_change_when_the_caller_changes_it(anna: Desk) -> None:
    state: dict[str, Any] = {"seen": [1]}
    payload: dict[str, Any] = {"turns": [1]}
    facts: dict[str, Any] = {"ids": [1]}
    anna.apply(PatchSession("s1", state), PutJob(job(1, payload=payload)), PutReceipt(receipt(1, facts=facts)))
    for kept, key in ((state, "seen"), (payload, "turns"), (facts, "ids")):
        kept[key].append(2)
    with anna.view() as view:
        assert view.state("s1") == {"seen": [1]}
        assert [waiting.payload for waiting in view.jobs()] == [{"turns": [1]}]
        assert [filed.facts for filed in view.receipts()] == [{"ids": [1]}]


def test_a_little_that_is_not_meant_among_much_that_is_stays_out(anna: Desk) -> None:
    """E7: many scopes of trusted memories, and a few that are not"""
    many = [memory(n, f"The berth of pier {n} is free", scope=f"pier-{n}") for n in range(1, 41)]
    strange = [
        memory(90 + n, "The berth of the pier is free for Eve", scope=f"pier-{n}", trust=TrustTier.UNTRUSTED)
        for n in (1, 2)
    ]
    anna.put(*many, *strange)
    trusted = Filter(trusts=frozenset({TrustTier.TRUSTED}))
    with anna.view() as view:
        found = {match.id for match in view.keywords(query_terms("free berth"), trusted, 100)}
        scores = {match.score for match in view.keywords(query_terms("free berth"), trusted, 100)}
    assert found == {each.id for each in many}
    assert len(scores) == 1


# --- jobs ----------------------------------------------------------------------------------------


def claim(desk: Desk, *kinds: str, now: Any = AT, lease: timedelta = MINUTE) -> Any:
    return desk.store.claim(desk.tenant, kinds or ("extract",), now=now, until=now + lease)


def test_a_job_comes_back_as_it_was_enqueued(anna: Desk) -> None:
    kept = job(1, payload={"session": "s1", "from": 3}, attempts=2, error="timed out", due=AT + MINUTE)
    anna.apply(PutJob(kept))
    with anna.view() as view:
        assert view.jobs() == [kept]


def test_enqueuing_a_waiting_job_again_moves_its_due_time(anna: Desk) -> None:
    anna.apply(PutJob(job(1, due=AT)))
    anna.apply(PutJob(job(2, due=AT + MINUTE)))
    with anna.view() as view:
        assert [(waiting.id, waiting.due) for waiting in view.jobs()] == [(id_(1), AT + MINUTE)]
    assert claim(anna) is None
    assert claim(anna, now=AT + MINUTE).id == id_(1)


def test_jobs_of_another_kind_or_key_are_other_jobs(anna: Desk) -> None:
    anna.apply(PutJob(job(1, key="s1")), PutJob(job(2, key="s2")), PutJob(job(3, key="s1", kind="embed")))
    with anna.view() as view:
        assert {waiting.id for waiting in view.jobs()} == {id_(1), id_(2), id_(3)}


def test_the_job_that_has_been_due_longest_is_claimed_first(anna: Desk) -> None:
    anna.apply(
        PutJob(job(1, key="a", due=AT - MINUTE)),
        PutJob(job(2, key="b", due=AT - DAY)),
        PutJob(job(3, key="c", due=AT + MINUTE)),
        PutJob(job(4, key="d", due=AT - DAY)),
    )
    assert [claim(anna).id for _ in range(3)] == [id_(2), id_(4), id_(1)]
    assert claim(anna) is None


def test_only_jobs_of_the_kinds_asked_for_are_claimed(anna: Desk) -> None:
    anna.apply(PutJob(job(1, kind="embed")))
    assert claim(anna, "extract", "optimise") is None
    assert claim(anna, "extract", "embed").id == id_(1)


def test_a_claim_is_a_lease_on_the_job(anna: Desk) -> None:
    anna.apply(PutJob(job(1, payload={"session": "s1"})))
    claimed = claim(anna, lease=MINUTE)
    assert claimed == job(1, payload={"session": "s1"}, state=JobState.RUNNING, claimed_until=AT + MINUTE, attempts=1)
    with anna.view() as view:
        assert view.jobs() == view.jobs(JobState.RUNNING) == [claimed]
        assert view.jobs(JobState.WAITING) == []
    assert claim(anna, now=AT + MINUTE / 2) is None


def test_a_lapsed_claim_can_be_taken_again(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    claim(anna, lease=MINUTE)
    again = claim(anna, now=AT + MINUTE, lease=MINUTE)
    assert (again.id, again.attempts, again.claimed_until) == (id_(1), 2, AT + 2 * MINUTE)


@pytest.mark.parametrize("outcome", [JobState.DONE, JobState.FAILED])
def test_what_became_of_a_job_is_written_back_and_it_is_not_claimed_again(anna: Desk, outcome: JobState) -> None:
    anna.apply(PutJob(job(1)))
    ended = replace(claim(anna), state=outcome, claimed_until=None, error="why")
    anna.apply(PutJob(ended))
    assert claim(anna, now=AT + DAY) is None
    with anna.view() as view:
        assert view.jobs(outcome) == [ended]


def test_a_job_can_be_put_back_to_be_tried_later(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    claimed = claim(anna)
    anna.apply(PutJob(replace(claimed, state=JobState.WAITING, claimed_until=None, due=AT + DAY, error="busy")))
    assert claim(anna, now=AT + MINUTE) is None
    again = claim(anna, now=AT + DAY)
    assert (again.id, again.attempts, again.error) == (id_(1), 2, "busy")


def test_a_job_that_is_done_can_be_enqueued_anew(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    anna.apply(PutJob(replace(claim(anna), state=JobState.DONE)))
    anna.apply(PutJob(job(2)))
    assert claim(anna).id == id_(2)


def test_a_job_enqueued_while_it_runs_waits_for_the_end_and_runs_again(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    running = claim(anna)
    anna.apply(PutJob(job(2, payload={"more": True})))
    assert claim(anna) is None
    anna.apply(PutJob(replace(running, state=JobState.DONE)))
    again = claim(anna)
    assert (again.key, again.payload) == ("s1", {"more": True})


def test_a_job_put_back_joins_the_one_enqueued_meanwhile(anna: Desk) -> None:
    anna.apply(PutJob(job(1)))
    running = claim(anna)
    anna.apply(PutJob(job(2)))
    anna.apply(PutJob(replace(running, state=JobState.WAITING, claimed_until=None)))
    assert claim(anna) is not None
    assert claim(anna, now=AT + MINUTE / 2) is None


def test_jobs_are_listed_by_due_time_and_no_more_than_asked_for(anna: Desk) -> None:
    anna.apply(*(PutJob(job(number, key=str(number), due=AT - number * MINUTE)) for number in range(5)))
    with anna.view() as view:
        assert [waiting.id for waiting in view.jobs(limit=2)] == [id_(4), id_(3)]


def test_no_job_is_claimed_by_two(anna: Desk) -> None:
    anna.apply(*(PutJob(job(number, key=f"s{number}")) for number in range(24)))
    barrier = threading.Barrier(8)

    def claimant(_: int) -> list[str]:
        barrier.wait()
        mine = []
        while claimed := claim(anna):
            mine.append(claimed.id)
        return mine

    with ThreadPoolExecutor(8) as pool:
        claimed = [id for mine in pool.map(claimant, range(8)) for id in mine]
    assert sorted(claimed) == [id_(number) for number in range(24)]


# --- tenants -------------------------------------------------------------------------------------


@pytest.fixture
def neighbours_in_one_store(anna: Desk, boris: Desk) -> tuple[Desk, Desk]:
    """Anna has kept something of every sort, and Boris has nothing."""
    anna.put(
        turn(1, "canary one", session="canary", speaker="Canary"),
        turn(2, "canary two", session="canary", scope="canary-scope"),
    )
    anna.put(memory(3, "canary"), because=EventKind.REMEMBERED)
    anna.put(memory(3, "canary canary", state=State.SUPERSEDED), because=EventKind.REVISED)
    anna.apply(Embed(id_(1), SPACE, [EAST]), Embed(id_(3), SPACE, [EAST]), RecordAccess((id_(3),), AT))
    session, work = PatchSession("canary", {"canary": True}), PutJob(job(1, key="canary"))
    anna.apply(PutReceipt(receipt(1), "canary?"), session, work)
    return anna, boris


def test_nothing_of_one_tenant_is_seen_by_another(neighbours_in_one_store: tuple[Desk, Desk]) -> None:
    anna, boris = neighbours_in_one_store
    for as_of in (None, *range(anna.position + 1)):
        with boris.view(as_of) as view:
            answers = everything(view, sessions=("canary",), receipts=(receipt(1).id,))
            assert answers.pop("position") == 0
            assert answers.pop("last_seq") == {"canary": -1}
            assert not [name for name, answer in answers.items() if answer]
            assert view.events() == []
    assert boris.store.vector_sets(BORIS) == {}
    assert claim(boris) is None


def test_the_statistics_of_one_tenant_do_not_move_the_scores_of_another(
    neighbours_in_one_store: tuple[Desk, Desk],
) -> None:
    anna, boris = neighbours_in_one_store
    texts = {id_(10): "a canary sings", id_(11): "a robin sings and sings"}
    boris.put(*(memory(number, texts[id_(number)]) for number in (10, 11)))
    assert_scores(boris.find("canary sings"), bm25("canary sings", texts))
    assert id_(10) not in ids(anna.find("canary"))


@pytest.mark.parametrize(
    "change",
    [Remove(id_(3)), RecordAccess((id_(3),), AT), Embed(id_(3), SPACE, [NORTH])],
    ids=["remove", "touch", "embed"],
)
def test_the_trace_of_another_tenant_is_as_unknown_as_one_that_is_not_there(
    neighbours_in_one_store: tuple[Desk, Desk], change: Change
) -> None:
    anna, boris = neighbours_in_one_store
    with anna.view() as view:
        before = everything(view, sessions=("canary",))
    with pytest.raises(NotFound):
        boris.apply(change)
    with anna.view() as view:
        assert everything(view, sessions=("canary",)) == before


def test_an_id_of_another_tenant_cannot_be_taken_and_the_refusal_tells_nothing(
    neighbours_in_one_store: tuple[Desk, Desk],
) -> None:
    anna, boris = neighbours_in_one_store
    kept = anna.load(id_(3))
    with pytest.raises(InvalidRequest) as refusal:
        boris.put(memory(3, "mine now"))
    assert refusal.value.field == "id"
    assert "canary" not in str(refusal.value)
    assert "anna" not in str(refusal.value)
    assert anna.load(id_(3)) == kept
    assert boris.load(id_(3)) == []


def test_tenants_keep_sessions_states_and_jobs_of_the_same_name_apart(anna: Desk, boris: Desk) -> None:
    for desk, number in ((anna, 1), (boris, 2)):
        desk.put(turn(number, f"turn of {desk.tenant.user}", seq=number))
        desk.apply(PatchSession("s1", {"user": desk.tenant.user}), PutJob(job(number)))
    for desk, number in ((anna, 1), (boris, 2)):
        with desk.view() as view:
            assert view.state("s1") == {"user": desk.tenant.user}
            assert view.last_seq("s1") == number
            assert view.turn_at("s1", number).id == id_(number)
            assert [waiting.id for waiting in view.jobs()] == [id_(number)]
        assert claim(desk).id == id_(number)


def test_users_are_all_who_ever_did_something_here(anna: Desk, boris: Desk) -> None:
    assert anna.store.users() == []
    boris.put(memory(2))
    anna.put(memory(1))
    assert anna.store.users() == ["anna", "boris"]
    boris.apply(Remove(id_(2)))
    assert anna.store.users() == ["anna", "boris"]
    Desk(anna.store, replace(ANNA, user="clara")).apply(PatchSession("s1", {"seen": 1}))
    assert anna.store.users() == ["anna", "boris", "clara"]


@pytest.mark.parametrize("name", ["o'brien", 'a"b', "=u1", "user 1", "用户", "🚢", "%", "x" * 256])
def test_the_name_of_a_user_is_a_name_and_never_syntax(anna: Desk, name: str) -> None:
    other = Desk(anna.store, replace(ANNA, user=name))
    anna.put(memory(1))
    other.put(memory(2))
    assert ids(anna.find("harbour")) == [id_(1)]
    assert ids(other.find("harbour")) == [id_(2)]
    assert set(anna.store.users()) == {"anna", name}


# --- looking after a store -----------------------------------------------------------------------


def test_vector_sets_count_the_traces_that_have_vectors_by_space(anna: Desk) -> None:
    anna.put(memory(1), memory(2), memory(3))
    anna.apply(
        Embed(id_(1), SPACE, [EAST, NORTH, EAST]),
        Embed(id_(2), SPACE, [EAST]),
        Embed(id_(2), OTHER_SPACE, [vector(0, 0, 1)]),
    )
    assert anna.store.vector_sets(ANNA) == {SPACE.key: 2, OTHER_SPACE.key: 1}


def test_upkeep_changes_no_answer(past: Desk) -> None:
    def answers() -> list[dict[str, Any]]:
        kept = []
        for as_of in (None, 5, 9):
            with past.view(as_of) as view:
                kept.append(everything(view))
        return kept

    before = answers()
    assert isinstance(past.store.maintain(), Mapping)
    assert list(past.store.verify(repair=True)) == []
    assert answers() == before


def test_a_store_describes_itself_without_saying_what_it_holds(anna: Desk) -> None:
    anna.put(memory(1, "canary"))
    assert "canary" not in str(anna.store.describe())


def test_every_store_here_can_look_back(store: Store) -> None:
    assert store.abilities.as_of


def test_threads_may_write_and_read_at_once(anna: Desk) -> None:
    def writer(lane: int) -> None:
        for number in range(10):
            anna.put(memory(100 * lane + number, f"Berth {number} of quay {lane}"))
            assert id_(100 * lane + number) in ids(anna.find(f"quay {lane}"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(writer, range(4)))
    assert anna.total() == anna.position == 40
    with anna.view() as view:
        assert [event.position for event in view.events()] == list(range(1, 41))


def test_closing_twice_is_closing_once(open_store: Callable[[], Store]) -> None:
    store = open_store()
    Desk(store, ANNA).put(memory(1))
    store.close()
    store.close()


def test_a_closed_store_says_so(open_store: Callable[[], Store]) -> None:
    store = open_store()
    desk = Desk(store, ANNA)
    desk.put(memory(1))
    store.close()
    with pytest.raises(StoreError):
        desk.put(memory(2))
    with pytest.raises(StoreError):
        desk.load(id_(1))


def test_a_durable_store_holds_after_reopening_what_it_held_before(open_store: Callable[[], Store]) -> None:
    store = open_store()
    if not store.abilities.durable:
        store.close()
        pytest.skip("this store is not durable")
    desk = Desk(store, ANNA)
    desk.put(*ALL)
    desk.apply(Embed(RULE.id, SPACE, [EAST]), RecordAccess((RULE.id,), AT))
    desk.apply(PutReceipt(receipt(1), "?"), PatchSession("s1", {"seen": 1}))
    desk.apply(PutJob(job(1)))
    desk.put(RULE.revised(text="The harbour is shut"))
    with desk.view() as view:
        before = everything(view)
    store.close()

    store = open_store()
    with Desk(store, ANNA).view() as view:
        assert everything(view) == before
    assert list(store.verify()) == []
    store.close()


# --- the chain, where a test can reach it --------------------------------------------------------


def kept_by_ephemeral() -> tuple[EphemeralStore, Desk]:
    store = EphemeralStore()
    desk = Desk(store, ANNA)
    desk.put(memory(1), memory(2), memory(3))
    assert list(store.verify()) == []
    return store, desk


@pytest.mark.parametrize("changed", ["at", "kind", "subject", "commitment", "seal", "position", "actor", "cause"])
def test_an_event_changed_behind_the_back_of_the_store_breaks_the_chain(changed: str) -> None:
    forged = {"at": AT + DAY, "kind": EventKind.FORGOTTEN, "position": 7}.get(changed, "0" * 64)
    store, _ = kept_by_ephemeral()
    events = store._shelves[ANNA].events
    events[1] = replace(events[1], **{changed: forged})
    assert "chain_broken" in {finding.code for finding in store.verify()}


def test_an_event_taken_out_breaks_the_chain() -> None:
    store, _ = kept_by_ephemeral()
    del store._shelves[ANNA].events[1]
    assert "chain_broken" in {finding.code for finding in store.verify()}


def test_a_text_changed_behind_the_back_of_the_store_no_longer_opens_its_commitment() -> None:
    store, _ = kept_by_ephemeral()
    said = store._shelves[ANNA].said
    said[id_(2)] = (replace(said[id_(2)][0], trace=memory(2, "The harbour never opens")),)
    assert [(finding.code, finding.repaired) for finding in store.verify()] == [("commitment_broken", False)]


# --- how answers are compared --------------------------------------------------------------------


def bm25(query: str, texts: Mapping[Any, str]) -> dict[Any, float]:
    """BM25 by the book over all of `texts`, as a share of what the query's terms weigh together."""
    documents = {id: Counter(index_terms(text)) for id, text in texts.items()}
    mean = sum(document.total() for document in documents.values()) / len(documents)
    scores: dict[Any, float] = Counter()
    whole = 0.0
    for term in query_terms(query):
        holders = sum(term.text in document for document in documents.values())
        worth = term.weight * math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        whole += worth
        for id, document in documents.items():
            if count := document[term.text]:
                scores[id] += worth * count * (K1 + 1) / (count + K1 * (1 - B + B * document.total() / mean))
    return {id: score / whole for id, score in scores.items()}


def assert_scores(found: list[Match], expected: Mapping[Any, float]) -> None:
    assert {match.id: match.score for match in found} == pytest.approx(dict(expected), abs=1e-6)
    assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)


def assert_counts(desk: Desk, filter: Filter, expected: tuple[Trace, ...]) -> None:
    with desk.view() as view:
        counts = view.counts(filter)
    assert counts.total == len(expected)
    assert counts.by_lane == Counter(trace.lane.value for trace in expected)
    assert counts.by_scope == Counter(trace.scope for trace in expected)
    assert counts.by_state == Counter(trace.state.value for trace in expected)
    assert counts.by_trust == Counter(trace.trust.value for trace in expected)
    assert counts.oldest == min((trace.created_at for trace in expected), default=None)
    assert counts.newest == max((trace.created_at for trace in expected), default=None)


def everything(view: View, sessions: tuple[str, ...] = ("s1",), receipts: tuple[ReceiptId, ...] = ()) -> dict[str, Any]:
    """The answer to every question a view can be asked."""
    every = Filter(states=EVERY_STATE)
    known = [id_(number) for number in range(20)]
    words = query_terms("canary harbour pier crane jetty sings open shut")
    counts = view.counts(every)
    return {
        "position": view.position,
        "load": view.load(known),
        "keywords": view.keywords(words, Filter(), 50),
        "keywords in every state": view.keywords(words, every, 50),
        "nearest": view.nearest(EAST, SPACE, Filter(), 50),
        "nearest in every state": view.nearest(NORTH_EAST, SPACE, every, 50),
        "by id": view.scan(Filter(ids=frozenset(known))),
        "in session": view.scan(Filter(sessions=frozenset(sessions))),
        "lacking": view.scan(Filter(lacking=SPACE)),
        "scan": view.scan(every),
        "latest": view.latest(every),
        "days": view.days(every, AT.date()),
        "event days": view.event_days(AT.date()),
        "pulse": [each for each in (view.pulse().total, view.pulse().jobs) if each],
        "speakers": view.speakers(every),
        "scopes": view.scopes(every),
        "counts": counts if counts.total else None,
        "history": {id: versions for id in known if (versions := view.history(id))},
        "last_seq": {session: view.last_seq(session) for session in sessions},
        "turn_at": [turn for session in sessions for seq in range(9) if (turn := view.turn_at(session, seq))],
        "events": view.events(),
        "latest events": view.latest_events(),
        "receipt": [kept for id in receipts if (kept := view.receipt(id))],
        "receipts": view.receipts(),
        "state": [state for session in sessions if (state := view.state(session))],
        "jobs": view.jobs(),
    }


def test_the_turn_that_follows_is_found_from_when_it_was_said_until_it_is_gone(anna: Desk) -> None:
    """Whatever a store remembers of earlier searches."""
    asked, said = turn(1, "When does the harbour open?"), turn(2, "At dawn, they say")
    anna.put(asked)
    for change, found in ((None, [asked]), (Put(said, EventKind.SAID), [asked, said]), (Remove(said.id), [asked])):
        if change is not None:
            anna.apply(change)
        for _ in range(2):
            assert ids(anna.find("harbour")) == ids(found)
