"""A clock that is set back and forth under a running engine: nothing is shown too early, and nothing waits for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from laboratory import ids

from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.ports.store import Filter
from cortex.surfaces.http.tenant_scheduler import TenantScheduler

DAY = timedelta(days=1)
MEMORIES = Filter(lanes=frozenset({Lane.MEMORIES}))
CHAT = [{"role": "user", "content": "I prefer trams over buses"}]


def test_after_one_event_of_2006_what_was_written_later_is_not_known_in_2020(engine, clock):
    """E18"""
    now = clock.now()
    clock.set(datetime(2006, 1, 1, tzinfo=UTC))
    engine.remember("The harbor opens at dawn")
    clock.set(now)
    engine.remember("The deploy key rotates on Mondays")
    asked = "when does the deploy key rotate?"
    assert ids(engine.recall(asked)) != []
    assert ids(engine.recall(asked, as_of=datetime(2020, 1, 1, tzinfo=UTC))) == []
    clock.set(datetime(2006, 1, 1, tzinfo=UTC))
    engine.remember("The deploy key rotates on Tuesdays too")
    clock.set(now + DAY)
    assert ids(engine.recall(asked, as_of=datetime(2020, 1, 1, tzinfo=UTC))) == []


def test_a_step_back_is_told_by_the_timeline_the_status_and_the_doctor(engine, clock):
    now = clock.now()
    engine.remember("The harbor opens at dawn")
    assert "clock" not in {each["what"] for each in engine.status()["degraded"]}
    clock.set(now - 3 * DAY)
    engine.remember("The deploy key rotates on Mondays")
    (step,) = engine.timeline(kinds={EventKind.CLOCK_SET_BACK}).happened
    assert (step.event.at, step.event.subject) == (now, (now - 3 * DAY).isoformat())
    assert step in engine.timeline().happened
    assert "clock" in {each["what"] for each in engine.status()["degraded"]}
    assert next(check for check in engine.doctor() if check.name == "clock").ok is None
    clock.set(now + DAY)
    assert "clock" not in {each["what"] for each in engine.status()["degraded"]}
    (told,) = [check for check in engine.doctor() if check.name == "clock"]
    assert told.ok
    assert "set back" in told.detail


def test_a_debounced_session_does_not_wait_a_day_where_the_clock_was_set_back(engine, clock):
    """C2"""
    engine.ingest(CHAT, session="s")
    engine.run_jobs()  # vectors wait for nothing
    assert engine.next_due() > clock.now()
    clock.set(clock.now() - DAY)
    assert engine.next_due() <= clock.now()
    engine.run_due()
    assert [each.text for each in engine.list(MEMORIES)] != []


def test_a_session_that_goes_on_after_the_step_is_quiet_for_its_time_and_no_longer(engine, clock):
    """C2"""
    engine.ingest(CHAT, session="s")
    clock.set(clock.now() - DAY)
    engine.ingest([*CHAT, {"role": "user", "content": "I moved to Lisbon"}], session="s")
    engine.run_jobs()
    due = engine.next_due()
    assert timedelta(0) < due - clock.now() <= timedelta(seconds=engine.settings.capture.debounce_seconds)


def test_a_clock_that_was_ahead_for_a_while_holds_up_nothing_once_it_is_right(open_engine, clock):
    """Jobs, claims of the dead, the lifecycle and backups go on at once, and not in ten years."""
    now = clock.now()
    clock.set(now.replace(year=2036))
    engine = open_engine()
    engine.ingest(CHAT, session="s")
    engine.context.store.claim(engine.tenant, ["extract"], now=clock.now() + DAY, until=clock.now() + 2 * DAY)
    engine.run_due()
    before = engine.backups()
    assert before
    clock.set(now)
    engine.run_due()
    assert [each.text for each in engine.list(MEMORIES)] != []
    made = engine.backups()
    assert len(made) == len(before) + 1
    assert made[0].at == now
    engine.run_due()
    assert engine.backups() == made, "one that is dated in the future does not call for another every time"
    assert now in {receipt.at for receipt in engine.receipts(op="consolidate")}


def test_restore_latest_brings_back_what_was_backed_up_last(open_engine, clock):
    """E21: by the order of making, not by what the clock said"""
    engine = open_engine(lifecycle={"backup_keep_daily": 1, "backup_keep_weekly": 0})
    engine.remember("The first fact")
    engine.backup()
    clock.set(clock.now() - 400 * DAY)
    engine.remember("The second fact")
    last = engine.backup().backup
    assert last.path.exists()
    assert engine.backups()[0].path == last.path
    engine.remember("The third fact")
    assert engine.restore_backup("latest").path == last.path
    assert sorted(each.text for each in engine.list(MEMORIES)) == ["The first fact", "The second fact"]


@pytest.mark.parametrize("back", [DAY, 3_650 * DAY])
def test_a_server_looks_after_its_tenants_again_as_soon_as_the_clock_was_set_back(open_engine, clock, back):
    engine = open_engine()
    scheduler = TenantScheduler(engine)
    scheduler.add_tenant(Tenant("main", "anna"))
    scheduler.run_due()
    engine.flush()
    handle = engine.bind(user="anna")
    first = [each.id for each in handle.receipts(op="consolidate")]
    assert first
    clock.set(clock.now() - back)
    scheduler.run_due()
    assert len(handle.receipts(op="consolidate")) == len(first) + 1
