"""Upkeep by the clock: each task once for all processes, silent on success, one alert for each cause (S7, E16)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from backends import ON_DISK, ON_SQLITE
from laboratory import opened

from cortex import Cortex
from cortex.domain.index_status import MOST_FREE_PAGES, MOST_SEGMENTS, IndexStatus
from cortex.domain.memory import Draft
from cortex.errors import StoreUnavailable
from cortex.lifecycle.schedule import RETRY, ScheduledTask
from cortex.ports.store import Filter
from cortex.services import upkeep
from cortex.services.alerts import AlertService
from cortex.services.maintenance import MaintenanceService
from cortex.testing import FakeClock

HOUR = timedelta(hours=1)


@pytest.fixture
def grades(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A schedule of one more task, which notes for whom it ran."""
    ran: list[str] = []
    as_it_is = upkeep.schedule_of

    def with_grades(context):
        return [*as_it_is(context), ScheduledTask("noted", 4 * HOUR, lambda: ran.append(context.tenant.user))]

    monkeypatch.setattr(upkeep, "schedule_of", with_grades)
    return ran


def test_two_processes_run_each_task_once_and_a_restart_forgets_nothing(
    tmp_path: Path, clock: FakeClock, grades: list[str]
) -> None:
    """S7"""
    with opened(tmp_path, clock=clock) as one, opened(tmp_path, clock=clock) as other:
        for _ in range(3):
            one.run_due()
            other.run_due()
        assert grades == ["default"]
        assert len(one.backups()) == 1
    with opened(tmp_path, clock=clock) as later:
        later.run_due()
        assert grades == ["default"]
        clock.advance(30 * 24 * HOUR)
        later.run_due()
        later.run_due()
    assert grades == ["default"] * 2


@ON_DISK
def test_every_user_has_a_schedule_and_the_agent_one_backup(engine: Cortex, grades: list[str]) -> None:
    """S7"""
    for user in ("default", "ines"):
        engine.bind(user=user).run_due()
    assert grades == ["default", "ines"]
    assert len(engine.backups()) == 1


def test_nothing_is_graded_before_its_first_time_has_come(engine: Cortex, clock: FakeClock) -> None:
    """S7"""
    engine.remember("Never deploy on a Friday", kind="rule")
    engine.run_due()
    engine.flush()
    assert engine.receipts(op="grade") == []
    clock.advance(4 * HOUR)
    engine.run_due()
    engine.flush()
    (receipt,) = engine.receipts(op="grade")
    assert receipt.facts["graded"] == 1


def test_success_is_silent(engine: Cortex, caplog: pytest.LogCaptureFixture) -> None:
    """S7"""
    with caplog.at_level(logging.INFO):
        engine.run_due()
    assert caplog.records == []
    assert (engine.alerts(closed=True), engine.status()["anomalies"]) == ([], [])


def test_a_failure_is_one_alert_until_the_task_succeeds(
    engine: Cortex, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S7"""

    def fails(self: MaintenanceService) -> None:
        raise StoreUnavailable("no space is left", hint="free some")

    with monkeypatch.context() as patched:
        patched.setattr(MaintenanceService, "optimize_due", fails)
        for _ in range(3):
            engine.bind(user="ines").run_due()
            clock.advance(RETRY)
        (alert,) = engine.alerts()
        assert (alert.cause, alert.hint) == ("upkeep:optimize", "free some")
    engine.bind(user="ines").run_due()
    assert engine.alerts() == []


# --- indexes ----------------------------------------------------------------------------------------------------------


def test_thresholds_are_those_that_were_promised() -> None:
    """E16"""
    at = IndexStatus(dead_codes=0.10, segments=16, log_bytes=64 << 20, free_pages=0.25)
    assert at.exceeded() == ()
    above = IndexStatus(dead_codes=0.101, segments=17, log_bytes=(64 << 20) + 1, free_pages=0.251)
    assert above.exceeded() == ("dead_codes", "segments", "log_bytes", "free_pages")
    assert IndexStatus().exceeded() == ()
    assert IndexStatus(segments=1).to_json()["unknown"] == ["dead_codes", "log_bytes", "free_pages"]


def grown(engine: Cortex, memories: int = 1_400) -> list[str]:
    """Enough memories for codes, of which many are then forgotten."""
    drafts = [Draft(text=f"The gate {number} opens at {number % 24} o'clock") for number in range(memories)]
    return list(engine.remember_all(drafts).ids)


@ON_SQLITE
def test_a_store_is_optimized_once_it_is_worth_it_and_the_receipt_has_the_figures(
    engine: Cortex, clock: FakeClock
) -> None:
    """E16"""
    ids = grown(engine)
    engine.run_due()
    assert engine.receipts(op="optimize") == []
    for id in ids[:200]:
        engine.forget(id)
    before = engine.recall("when does gate 1201 open?").hits[0].trace.id
    clock.advance(HOUR)
    engine.run_due()
    engine.flush()
    (receipt,) = engine.receipts(op="optimize")
    assert "dead_codes" in receipt.facts["reasons"]
    assert receipt.facts["before"]["dead_codes"] > 0.10
    assert receipt.facts["after"]["dead_codes"] == 0.0
    assert receipt.facts["after"]["segments"] <= MOST_SEGMENTS
    assert engine.recall("when does gate 1201 open?").hits[0].trace.id == before
    clock.advance(HOUR)
    engine.run_due()
    engine.flush()
    assert len(engine.receipts(op="optimize")) == 1


def test_another_process_and_an_older_look_see_the_same_after_dead_codes_are_forgotten(
    tmp_path: Path, clock: FakeClock
) -> None:
    """E16"""
    question = "when does gate 1201 open?"
    with opened(tmp_path, clock=clock) as one, opened(tmp_path, clock=clock) as other:
        ids = grown(one)
        answers = [each.trace.id for each in other.recall(question, limit=1).hits]
        with other.context.store_view() as older:
            vector = other.context.dependencies.embedder.embed_query(question)
            space = other.context.space(older)

            def seen() -> list[str]:
                return [match.id for match in older.nearest(vector, space, Filter(), 20)]

            first = seen()
            for id in ids[:200]:
                one.forget(id)
            one.optimize()
            answers = [id for id in answers if id not in set(ids[:200])]
            assert answers
            assert [each.trace.id for each in other.recall(question, limit=1).hits] == answers
            assert seen() == first
        one.forget(answers[0])
        assert answers[0] not in [each.trace.id for each in other.recall(question).hits]


@ON_SQLITE
def test_a_file_that_is_mostly_free_is_rewritten(engine: Cortex) -> None:
    """E16"""
    ids = grown(engine, 600)
    store = engine.context.dependencies.store("main")
    with store._connections.writing() as connection:  # type: ignore[attr-defined]
        connection.execute("CREATE TABLE ballast (body BLOB)")
        connection.execute("INSERT INTO ballast VALUES (zeroblob(8000000))")
    with store._connections.writing() as connection:  # type: ignore[attr-defined]
        connection.execute("DROP TABLE ballast")
    service = MaintenanceService(engine.context)
    assert service.index_status().exceeded() == ("free_pages",)
    service.optimize_due()
    assert (service.index_status().free_pages or 0) <= MOST_FREE_PAGES
    assert engine.get(ids[0]).text


def test_a_store_that_cannot_tell_says_so(open_engine: Callable[..., Cortex]) -> None:
    """E16"""
    engine = open_engine("ephemeral")
    assert engine.optimize()["index"]["unknown"] == ["dead_codes", "segments", "log_bytes", "free_pages"]
    assert not MaintenanceService(engine.context).index_status().exceeded()


def test_a_figure_that_stays_above_its_threshold_is_an_alert(engine: Cortex, monkeypatch: pytest.MonkeyPatch) -> None:
    """E16, S7"""
    monkeypatch.setattr(MaintenanceService, "index_status", lambda _: IndexStatus(log_bytes=1 << 30))
    engine.run_due()
    assert [each.cause for each in AlertService(engine.context).list()] == ["upkeep:optimize"]
