"""The daily census counts each day as it was; what it shows becomes an alert (S3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cortex.domain.census import CENSUS
from cortex.domain.memory import Draft
from cortex.memory import Cortex
from cortex.ports.store import PatchSession
from cortex.services.drift import DriftService
from cortex.services.tags import TagService
from cortex.testing import FakeClock

DAY = timedelta(days=1)


def live(engine: Cortex, clock: FakeClock, days: int, label: str, per_day: int = 8) -> None:
    """So many days with as many memories each, counted after the end of each day."""
    for day in range(days):
        drafts = [Draft(text=f"{clock.now():%j} {label} {day}-{number}", label=label) for number in range(per_day)]  # type: ignore[arg-type]
        engine.remember_all(drafts, embed=False)
        clock.advance(DAY)
        engine.take_census()


def test_a_day_is_counted_once_it_has_ended(engine: Cortex, clock: FakeClock) -> None:
    """S3"""
    engine.take_census()
    assert not DriftService(engine.context).is_due()
    engine.remember("The deploy key rotates on Mondays", kind="rule", label="must_remember")
    engine.recall("When does the deploy key rotate?")
    engine.recall("What is the capital of Mongolia?")
    assert not DriftService(engine.context).is_due()
    clock.advance(DAY)
    assert DriftService(engine.context).is_due()
    report = engine.take_census()
    assert not DriftService(engine.context).is_due()
    with engine.context.store_view() as view:
        counts = (view.state(CENSUS) or {})[str(report.day)]["counts"]
    assert counts["labels"] == {"must_remember": 1}
    assert counts["unknown"] == {"unknown": 0, "rated": 1}
    assert (counts["kinds"], counts["trust"]) == ({"rule": 1}, {"trusted": 1})
    assert counts["silence"] == {"answered": 1, "silent": 1}
    assert (report.memories, report.unknown) == (1, 0)


def test_a_day_keeps_the_labels_it_had(engine: Cortex, clock: FakeClock) -> None:
    """S3"""
    kept = engine.remember("The deploy key rotates on Mondays", label="nice_to_have").memory
    clock.advance(DAY)
    engine.edit(kept.id, importance=0.9)  # before the census, and after the end of the day
    engine.take_census()
    engine.edit(kept.id, importance=0.95)
    assert [day.labels for day in engine.growth(days=2)] == [{"nice_to_have": 1}, {}]


def test_the_first_census_and_one_after_a_pause_count_the_days_before(engine: Cortex, clock: FakeClock) -> None:
    """S3"""
    for day in range(3):
        engine.remember(f"Statement {day}", as_new=True)
        clock.advance(DAY)
    assert engine.take_census().days == 35
    clock.advance(5 * DAY)
    report = engine.take_census()
    assert (report.days, report.day) == (40, clock.now().date() - DAY)


def test_a_shift_of_labels_opens_an_alert_and_a_new_base_closes_it(engine: Cortex, clock: FakeClock) -> None:
    """S3"""
    live(engine, clock, 28, "nice_to_have")
    assert engine.alerts() == []
    live(engine, clock, 9, "ignore")
    alert = next(alert for alert in engine.alerts() if alert.cause == "drift:labels")
    assert "of the last 7 days" in alert.message
    labels = engine.drift().verdicts[0]
    assert (labels.name, labels.is_open, labels.comparison.shares[0].category) == ("labels", True, "ignore")
    DriftService(engine.context).start_base("regrade")
    clock.advance(DAY)
    engine.take_census()
    assert "drift:labels" not in {alert.cause for alert in engine.alerts()}


def test_a_large_import_or_a_regrade_starts_a_new_base(engine: Cortex, clock: FakeClock) -> None:
    """S3"""
    live(engine, clock, 2, "ignore")
    TagService(engine.context).automatic("regrade")
    regraded = clock.now().date()
    live(engine, clock, 1, "ignore")
    report = engine.drift()
    assert (report.base, report.base_reason) == (regraded + DAY, "regrade")


def test_users_are_counted_apart(engine: Cortex, clock: FakeClock) -> None:
    """S3"""
    ben = engine.bind(user="ben")
    ben.remember("Ben keeps a boat in Porto")
    clock.advance(DAY)
    assert (engine.take_census().memories, ben.take_census().memories) == (0, 1)


def test_what_is_not_a_census_in_the_state_is_passed_over(engine: Cortex) -> None:
    """S3"""
    bad = {"base": "soon", "2026-01-01": {"counts": {"labels": {"unknown": "many"}}}, "someday": 3}
    engine.context.apply([PatchSession(CENSUS, bad)])
    assert engine.drift().day is None
    assert engine.take_census().days == 35
    assert engine.drift().day == datetime(2026, 1, 4, tzinfo=UTC).date()
