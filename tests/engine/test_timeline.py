"""Looking back: what happened, and how a memory grew (DESIGN 5)."""

from __future__ import annotations

import threading
from datetime import date, timedelta

import pytest
from laboratory import user

from cortex.domain.events import EventKind
from cortex.domain.growth import DayCount, days_of
from cortex.domain.lanes import Lane
from cortex.errors import InvalidRequest
from cortex.memory import Cortex

FIRST = date(2026, 7, 1)


def test_what_happened_comes_with_the_trace_as_it_is_now(engine):
    kept = engine.remember("I live in Rome").memory
    engine.forget(kept.id)
    found = engine.timeline()
    assert [each.event.kind for each in found.happened] == [EventKind.FORGOTTEN, EventKind.REMEMBERED]
    assert {each.trace for each in found.happened} == {engine.get(kept.id)}
    assert found.next is None


def test_an_event_names_who_made_the_change_and_the_receipt_of_the_operation(engine):
    by_hand = Cortex.over(engine.context.by("cli"))
    kept = by_hand.remember("I live in Rome")
    gone = engine.forget(kept.memory.id)
    found = [(each.event.kind, each.event.actor, each.event.cause) for each in engine.timeline().happened]
    assert found == [(EventKind.FORGOTTEN, "", gone.receipt.id), (EventKind.REMEMBERED, "cli", kept.receipt.id)]
    assert by_hand.bind(user="boris").context.actor == "cli"
    assert {each.id for each in engine.receipts()} >= {kept.receipt.id, gone.receipt.id}


def test_without_receipts_an_event_names_none(open_engine):
    engine = open_engine(receipts={"enabled": False})
    engine.remember("I live in Rome")
    assert [each.event.cause for each in engine.timeline().happened] == [""]


def test_what_is_extracted_is_of_the_extractor_and_its_turn_of_whoever_handed_it_over(engine):
    by_hand = Cortex.over(engine.context.by("cli"))
    by_hand.ingest(
        [{"role": "user", "content": "I live in Rome and my sister is called Ada."}], session="s1", debounce=False
    )
    by_hand.run_jobs()
    actors = {each.event.kind: each.event.actor for each in engine.timeline().happened}
    assert (actors[EventKind.SAID], actors[EventKind.REMEMBERED]) == ("cli", "extractor")


def test_what_is_done_in_the_background_is_of_the_scheduler(engine):
    by_hand = Cortex.over(engine.context.by("cli"))
    by_hand.ingest([{"role": "user", "content": "I live in Rome."}], session="s1")
    embedded: list[str] = []
    with by_hand.scheduler():
        for _ in range(6_000):
            embedded = [each.event.actor for each in engine.timeline(kinds={EventKind.EMBEDDED}).happened]
            if embedded:
                break
            threading.Event().wait(0.01)
    assert set(embedded) == {"scheduler"}


def test_a_page_that_is_full_says_where_to_go_on(engine):
    engine.remember("one")
    engine.remember("two")
    page = engine.timeline(limit=1)
    assert [each.trace.text for each in page.happened] == ["two"]
    rest = engine.timeline(limit=1, before=page.next)
    assert [each.trace.text for each in rest.happened] == ["one"]


def test_files_leave_no_events_and_turns_leave_theirs(engine):
    engine.remember("one")
    engine.store_turns("s1", [user("hello")])
    kinds = {lane: [each.event.kind for each in engine.timeline(lane=lane).happened] for lane in Lane}
    assert kinds == {
        Lane.MEMORIES: [EventKind.REMEMBERED],
        Lane.SESSIONS: [EventKind.SAID],
        Lane.NOTES: [],
        Lane.DOCS: [],
        Lane.OUTCOMES: [],
    }


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_a_page_has_a_bearable_length(engine, limit):
    with pytest.raises(InvalidRequest, match="limit"):
        engine.timeline(limit=limit)


@pytest.mark.parametrize("days", [0, 3_661])
def test_growth_looks_back_a_bearable_time(engine, days):
    with pytest.raises(InvalidRequest, match="days"):
        engine.growth(days=days)


def test_days_without_anything_are_there_and_carry_the_total_on():
    counts = [
        DayCount(None, "fact", "unknown", "trusted", "active", 5),
        DayCount(FIRST, "fact", "unknown", "trusted", "active", 2),
        DayCount(FIRST, "rule", "ignore", "trusted", "forgotten", 1),
        DayCount(FIRST + timedelta(days=9), "fact", "unknown", "trusted", "active", 99),
    ]
    days = days_of(counts, FIRST, FIRST + timedelta(days=2))
    assert [(day.day.day, day.created, day.total) for day in days] == [(1, 3, 8), (2, 0, 8), (3, 0, 8)]
    assert (days[0].kinds, days[0].states) == ({"fact": 2, "rule": 1}, {"active": 2, "forgotten": 1})
    assert days[1].kinds == {}


def test_a_pulse_beats_when_something_happens(engine):
    before = engine.pulse()
    engine.remember("one")
    after = engine.pulse()
    assert (before.total, after.total) == (0, 1)
    assert after.position > before.position
    assert after.reindexing is False
    assert after.total == engine.stats().total


def test_files_count_in_a_pulse(engine, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "one.md").write_text("The kettle is mine.\n", encoding="utf-8")
    engine.index(notes)
    assert engine.pulse().total == engine.stats().total == 1


def test_the_hooks_of_an_engine_are_its_own(engine):
    engine.remember("The deploy key rotates on Mondays")
    hooks = engine.hooks()
    assert "Mondays" in hooks.before("When does the deploy key rotate?", session="s1").block
    hooks.after([{"role": "user", "content": "When does the deploy key rotate?"}], session="s1")
    assert hooks.flush()
    assert [turn.text for turn in engine.list() if turn.lane is Lane.SESSIONS] == ["When does the deploy key rotate?"]
