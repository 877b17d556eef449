"""What the operator reads of use: recalls by day, the log of receipts, two of them compared, and jobs (S6, S7)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from cortex.capture.intake import EXTRACT
from cortex.domain.growth import TimeStep
from cortex.domain.identity import ReceiptId
from cortex.domain.receipt import Receipt
from cortex.errors import InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.store import Job, JobState, PutJob, PutReceipt
from cortex.services import usage as services
from cortex.testing import FakeClock

DAY = timedelta(days=1)
KEY, ASKED = "The deploy key rotates on Mondays", "When does the deploy key rotate?"


def recorded(engine: Cortex, at: datetime, number: int, *, returned: int = 1, **facts: object) -> PutReceipt:
    """A recall that was recorded at some time; `number` is its duration as well."""
    payload = {"request": {"mode": "auto"}, "counts": {"returned": returned}, "tokens": 100 * returned, **facts}
    return PutReceipt(
        Receipt(
            id=ReceiptId(f"0198c1a2-7b3c-7def-8a01-{number:012d}"), op="recall", at=at, agent=engine.tenant.agent,
            user=engine.tenant.user, position=0, latency_ms=float(number), facts=payload,
        )
    )  # fmt: skip


# --- usage ------------------------------------------------------------------------------------------------------------


def test_usage_counts_what_recalls_did_on_each_day(engine: Cortex, clock: FakeClock) -> None:
    """S6, X18"""
    engine.remember(KEY)
    engine.recall(ASKED)
    engine.recall("What is the capital of Mongolia?")
    engine.recall("hello")
    engine.search("deploy")
    clock.advance(DAY)
    found = engine.usage(days=2)
    before, today = found.days
    assert (before.day, today.day) == (clock.now().date() - DAY, clock.now().date())
    assert (before.recalls, before.answered, before.silent, before.skipped, before.searches) == (3, 1, 1, 1, 1)
    assert (before.hit_rate, before.silent_rate) == (0.5, pytest.approx(2 / 3))
    assert before.tokens > 0
    assert (today.recalls, today.hit_rate, today.p95_ms) == (0, None, None)
    assert found.total.recalls == 3
    assert (found.total.llm_calls, found.total.llm_tokens) == (None, None)


def test_durations_are_percentiles_of_what_was_searched(engine: Cortex, clock: FakeClock) -> None:
    now = clock.now()
    engine.context.apply([recorded(engine, now, number) for number in range(1, 101)])
    engine.context.apply([recorded(engine, now, 9_000, returned=0, skipped="greeting")])
    (today,) = engine.usage(days=1).days
    assert (today.p50_ms, today.p95_ms) == (50.0, 95.0)
    assert (today.recalls, today.skipped) == (101, 1)


def test_a_day_that_ended_is_read_once_and_counted_the_same(engine: Cortex, clock: FakeClock) -> None:
    """However often the page is opened, only what can still change is read again."""
    start = clock.now()
    for day in range(5):
        at = start + day * DAY
        engine.context.apply([recorded(engine, at, 10 * day + number, degraded=["x"]) for number in range(1, 4)])
    clock.advance(4 * DAY)
    first = engine.usage(days=5)
    assert [(day.recalls, day.degraded) for day in first.days] == [(3, 3)] * 5
    ended = engine.context.dependencies.made("usage", engine.tenant)
    assert sorted(ended.tallies) == [(start + day * DAY).date() for day in range(4)]
    assert engine.usage(days=5) == first
    clock.advance(30 * DAY)
    assert [day.recalls for day in engine.usage(days=31).days[:2]] == [3, 0]
    assert engine.usage(days=35).total.recalls == 15


def test_usage_says_since_when_it_counted(engine: Cortex, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_PAGE", 4)
    monkeypatch.setattr(services, "MOST_RECEIPTS", 8)
    starts = [clock.now() + day * DAY for day in range(5)]
    engine.context.apply([recorded(engine, at, 10 * day + n) for day, at in enumerate(starts) for n in range(3)])
    clock.advance(4 * DAY)
    found = engine.usage(days=5)
    assert found.counted_since == found.days[3].day
    assert [day.recalls for day in found.days] == [0, 0, 0, 3, 3]


def test_usage_of_no_days_or_too_many_is_refused(engine: Cortex) -> None:
    for days in (0, 367):
        with pytest.raises(InvalidRequest) as refused:
            engine.usage(days=days)
        assert refused.value.field == "days"


# --- growth and activity ----------------------------------------------------------------------------------------------


def test_what_happened_in_2023_and_was_imported_today_is_shown_in_both_times(engine: Cortex, clock: FakeClock) -> None:
    """S6"""
    for month in range(1, 13):
        engine.remember(f"Invoice {month} was paid", created_at=datetime(2023, month, 15, tzinfo=UTC), as_new=True)
    engine.remember(KEY)
    found = engine.growth(fit=True)
    assert found[0].day.replace(day=1) == date(2023, 1, 1)
    assert sum(each.created for each in found) == found[-1].total == 13
    assert found[-1].day <= clock.now().date()
    assert len(found) <= 144
    assert sum(day.created for day in engine.growth(days=30)) == 1
    stored = {each.kind: each.number for each in engine.activity(days=1) if each.kind == "remembered"}
    assert stored == {"remembered": 13}


def test_growth_that_fits_covers_every_day_once(engine: Cortex, clock: FakeClock) -> None:
    engine.remember(KEY)
    (today,) = engine.growth(fit=True)
    assert (today.created, today.days) == (1, 1)
    engine.remember("The pier closes at noon", created_at=clock.now() - 400 * DAY)
    weeks = engine.growth(fit=True)
    assert {each.days for each in weeks} == {7}
    assert all(one.day + one.days * DAY == other.day for one, other in pairwise(weeks))
    engine.remember("The mill burned down", created_at=datetime(1951, 3, 1, tzinfo=UTC))
    years = engine.growth(fit=True)
    assert (years[0].day, years[0].days, years[0].created) == (date(1951, 1, 1), 365, 1)


def test_steps_follow_each_other_without_gaps() -> None:
    for step in TimeStep:
        day = date(2024, 2, 29)
        first = step.first_day(day)
        assert first <= day < step.after(first)
        assert step.first_day(step.after(first)) == step.after(first)


# --- receipts ---------------------------------------------------------------------------------------------------------


def test_the_log_shows_the_question_where_it_is_kept_else_the_first_hit(engine: Cortex) -> None:
    """S6"""
    kept = engine.remember(KEY).memory
    engine.recall(ASKED)
    keeps = engine.settings.receipts.keep_queries
    (one,) = engine.receipt_log(op="recall").receipts
    assert (one.outcome, one.hits, one.first_hit, one.first_text) == ("answered", 1, kept.id, KEY)
    assert one.question == (ASKED if keeps else None)
    engine.erase(kept.id)
    (one,) = engine.receipt_log(op="recall").receipts
    assert (one.first_text, one.question) == (None, None)


def test_the_log_is_filtered_by_operation_outcome_and_session(engine: Cortex, clock: FakeClock) -> None:
    engine.remember(KEY)
    for question in (ASKED, "hello", "What is the capital of Mongolia?"):
        clock.advance(timedelta(seconds=1))
        engine.recall(question)
    assert [one.outcome for one in engine.receipt_log(op="recall").receipts] == ["silent", "skipped", "answered"]
    assert [one.op for one in engine.receipt_log(outcome="ok").receipts] == ["remember"]
    engine.ingest([{"role": "user", "content": "hello"}], session="s1")  # its `skipped` is something else
    (ingested,) = engine.receipt_log(op="ingest").receipts
    assert (ingested.skipped, ingested.numbers["stored"]) == (None, 1)
    (skipped,) = engine.receipt_log(outcome="skipped").receipts
    assert skipped.skipped == "trivial"
    assert engine.receipt_log(session="nobody").receipts == ()


def test_the_log_goes_on_page_by_page(engine: Cortex, clock: FakeClock) -> None:
    engine.context.apply([recorded(engine, clock.now() + n * DAY, n, returned=n % 2) for n in range(1, 10)])
    shown, place = [], None
    while True:
        page = engine.receipt_log(outcome="answered", before=place, limit=2)
        shown += [one.latency_ms for one in page.receipts]
        if (place := page.next) is None:
            break
    assert shown == [9.0, 7.0, 5.0, 3.0, 1.0]
    with pytest.raises(NotFound):
        engine.receipt_log(before="0198c1a2-7b3c-7def-8a01-ffffffffffff")


def test_two_receipts_say_which_hits_and_settings_differ(engine: Cortex) -> None:
    """S6"""
    kept = engine.remember(KEY).memory
    one = engine.recall(ASKED).receipt
    other = engine.recall(ASKED, limit=3).receipt
    assert engine.compare_receipts(one.id, one.id).settings == ()
    found = engine.compare_receipts(one.id, other.id)
    assert (found.same_question, found.same_answer) == (True, True)
    assert [(each.name, each.after) for each in found.settings] == [("request.limit", 3)]
    assert [(hit.id, hit.before_rank, hit.rank) for hit in found.hits] == [(kept.id, 1, 1)]
    engine.forget(kept.id)
    gone = engine.compare_receipts(other.id, engine.recall(ASKED).receipt.id)
    assert not gone.same_answer
    assert [(hit.before_rank, hit.rank) for hit in gone.hits] == [(1, None)]


def test_only_recalls_are_compared(engine: Cortex) -> None:
    receipt = engine.remember(KEY).receipt
    with pytest.raises(InvalidRequest, match="remember"):
        engine.compare_receipts(receipt.id, receipt.id)
    with pytest.raises(NotFound):
        engine.compare_receipts("0198c1a2-7b3c-7def-8a01-ffffffffffff", receipt.id)


# --- jobs -------------------------------------------------------------------------------------------------------------


def queued(engine: Cortex, state: JobState = JobState.WAITING, kind: str = EXTRACT, number: int = 1) -> Job:
    id = f"0198c1a2-7b3c-7def-8a01-{number:012d}"
    due = engine.context.clock.now() + timedelta(hours=1)
    job = Job(id=id, kind=kind, key="s1", due=due, state=state, attempts=6, error="bad_answer")
    engine.context.apply([PutJob(job)])
    return job


def test_a_failed_job_runs_again_with_all_its_attempts(engine: Cortex, clock: FakeClock) -> None:
    """S7"""
    queued(engine, JobState.FAILED)
    (failed,) = engine.jobs()
    assert (failed.state, failed.error) == (JobState.FAILED, "bad_answer")
    again = engine.retry_job(failed.id)
    assert (again.state, again.attempts, again.error, again.due) == (JobState.WAITING, 0, "", clock.now())
    assert engine.run_jobs().facts["done"] == {EXTRACT: 1}
    assert engine.jobs() == []
    assert [job.id for job in engine.jobs(states=[JobState.DONE])] == [failed.id]


def test_a_canceled_job_does_not_run_until_it_is_retried(engine: Cortex, clock: FakeClock) -> None:
    """S7"""
    job = queued(engine)
    assert engine.cancel_job(job.id).state is JobState.CANCELED
    clock.advance(2 * DAY)
    assert engine.next_due() is None
    assert engine.run_jobs().facts["done"] == {}
    engine.retry_job(job.id)
    assert engine.run_jobs().facts["done"] == {EXTRACT: 1}
    assert [each.op for each in engine.receipts(limit=4)][1:] == ["retry_job", "run_jobs", "cancel_job"]


def test_a_job_that_waits_already_runs_in_place_of_a_failed_one(engine: Cortex) -> None:
    queued(engine, JobState.FAILED, number=1)
    waiting = queued(engine, JobState.WAITING, number=2)
    assert engine.retry_job("0198c1a2-7b3c-7def-8a01-000000000001").id == waiting.id
    assert [job.id for job in engine.jobs()] == [waiting.id]


def test_what_cannot_be_repeated_or_is_not_there_is_refused_and_changes_nothing(engine: Cortex) -> None:
    queued(engine, JobState.FAILED, kind="synthesize", number=1)
    queued(engine, JobState.DONE, number=2)
    before = engine.jobs(states=list(JobState))
    for decide in (engine.retry_job, engine.cancel_job):
        with pytest.raises(InvalidRequest, match="done") as refused:
            decide("0198c1a2-7b3c-7def-8a01-000000000002")
        assert refused.value.field == "id"
        with pytest.raises(NotFound):
            decide("0198c1a2-7b3c-7def-8a01-000000000009")
    with pytest.raises(InvalidRequest, match="cannot be repeated"):
        engine.retry_job("0198c1a2-7b3c-7def-8a01-000000000001")
    assert engine.jobs(states=list(JobState)) == before
