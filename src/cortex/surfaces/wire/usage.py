"""Usage and activity by day, the log of receipts, two receipts compared, and background jobs."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from cortex.domain.events import EventCount
from cortex.domain.identity import ReceiptId
from cortex.domain.receipt_comparison import FactDifference, HitDifference, ReceiptComparison
from cortex.domain.usage import Usage, UsageDay, UsageFigures
from cortex.ports.store import Job, JobState
from cortex.services.job_list import MOST_JOBS
from cortex.services.receipt_log import MOST_LISTED, ReceiptLog, ReceiptSummary
from cortex.services.usage import MOST_DAYS
from cortex.surfaces.wire.fields import AT, ID, EventName, Moment, Next
from cortex.surfaces.wire.model import Request, Response, SequenceResponse, example


class DaysRequest(Request):
    """How many days."""

    days: int = Field(30, ge=1, le=MOST_DAYS, description="The number of days, including today.")


# --- usage ------------------------------------------------------------------------------------------------------------


class UsageFiguresFields(Response):
    """How recall went in some time."""

    result: ClassVar[type[Any] | None] = UsageFigures
    recalls: int = Field(description="Turns and recalls, those that were skipped too.")
    answered: int = Field(description="Recalls that found something.")
    silent: int = Field(description="Recalls that found nothing to say.")
    skipped: int = Field(description="Recalls that did not search, such as for a greeting.")
    searches: int = Field(description="Searches by people and tools; they count in none of the numbers above.")
    degraded: int = Field(description="Recalls and searches of which something did not work as usual.")
    tokens: int = Field(description="The tokens that recalls gave to agents.")
    p50_ms: float | None = Field(description="Half of the recalls and searches took no longer.")
    p95_ms: float | None = Field(description="95 % of the recalls and searches took no longer.")
    llm_calls: int | None = Field(
        description="Calls of the language model by everyone who shares its budget; null where that is not known."
    )
    llm_tokens: int | None = Field(description="Tokens of those calls.")
    hit_rate: float | None = Field(description="The share of recalls that found something, of those that searched.")
    silent_rate: float | None = Field(description="The share of recalls that gave the agent nothing.")


class UsageDayFields(UsageFiguresFields):
    """How recall went on one day (UTC)."""

    result = UsageDay
    day: date


_FIGURES = {
    "recalls": 40, "answered": 31, "silent": 6, "skipped": 3, "searches": 2, "degraded": 0, "tokens": 8200,
    "p50_ms": 14.2, "p95_ms": 48.0, "llm_calls": 12, "llm_tokens": 30100, "hit_rate": 0.84, "silent_rate": 0.22,
}  # fmt: skip


class UsageResponse(Response):
    """Usage by day, oldest first; empty days are included."""

    days: tuple[UsageDayFields, ...]
    total: UsageFiguresFields
    counted_since: date = Field(description="Receipts of earlier days were not counted: there are too many.")
    cents_per_million_tokens: int | None = Field(
        description="The price of the language model, by `llm.cents_per_million_tokens`; null where it is not set."
    )

    model_config = example({
        "days": [{"day": "2026-01-05", **_FIGURES}], "total": _FIGURES, "counted_since": "2025-12-07",
        "cents_per_million_tokens": None,
    })  # fmt: skip

    def value(self) -> Usage:
        days = tuple(each.value() for each in self.days)
        return Usage(days, self.total.value(), self.counted_since, self.cents_per_million_tokens)


class EventCountFields(Response):
    """How many events of one kind there were on one day (UTC)."""

    result = EventCount
    day: date
    kind: EventName
    number: int


class ActivityResponse(SequenceResponse):
    """The events of the ledger by day and kind, oldest day first; days and kinds without events are left out."""

    items = "counts"
    counts: tuple[EventCountFields, ...]

    model_config = example({"counts": [{"day": "2026-01-05", "kind": "remembered", "number": 12}]})


# --- receipts ---------------------------------------------------------------------------------------------------------


class ReceiptLogRequest(Request):
    """Which receipts."""

    op: str | None = Field(None, max_length=64, description="Only of this operation, such as `recall`.")
    outcome: Literal["answered", "silent", "skipped", "degraded", "ok"] | None = Field(
        None, description="Only those that ended so; operations other than recalls end `ok`."
    )
    session: str | None = Field(None, min_length=1, max_length=256, description="Only recalls for this session.")
    before: str | None = Field(None, description="Continue before this receipt, the `next` of the previous page.")
    limit: int = Field(50, ge=1, le=MOST_LISTED, description="How many at most.")


class ReceiptSummaryFields(Response):
    """One receipt in a line."""

    result = ReceiptSummary
    id: str
    op: str
    at: Moment
    outcome: str = Field(description="answered, silent, skipped or degraded for recalls; else ok.")
    latency_ms: float
    mode: str | None
    hits: int | None
    candidates: int | None
    tokens: int | None
    question: str | None = Field(description="The beginning of the question, if queries are kept.")
    first_hit: str | None = Field(description="The id of the first hit.")
    first_text: str | None = Field(description="The beginning of its text now; null if it is gone.")
    session_hash: str | None
    arm: str | None
    rung: str | None
    skipped: str | None
    degraded: tuple[str, ...]
    numbers: dict[str, int | float] = Field(description="The first few numbers of other operations.")


class ReceiptLogResponse(Response):
    """Receipts, newest first, one line each. A page may have fewer than `limit`, or none, and still a `next`."""

    result = ReceiptLog
    receipts: tuple[ReceiptSummaryFields, ...]
    next: Next

    model_config = example({
        "receipts": [{
            "id": ID, "op": "recall", "at": AT, "outcome": "answered", "latency_ms": 14.2, "mode": "auto", "hits": 3,
            "candidates": 12, "tokens": 210, "question": "When does the deploy key rotate?", "first_hit": ID,
            "first_text": "The deploy key rotates on Mondays", "session_hash": None, "arm": None, "rung": "full",
            "skipped": None, "degraded": [], "numbers": {},
        }], "next": None,
    })  # fmt: skip

    def value(self) -> ReceiptLog:
        return ReceiptLog(tuple(each.value() for each in self.receipts), self.next)


class CompareReceiptsRequest(Request):
    """Two receipts of recalls."""

    id: str = Field(min_length=1, description="The id of the earlier receipt.", examples=[ID])
    other: str = Field(min_length=1, description="The id of the receipt to compare it with.", examples=[ID])


class HitDifferenceFields(Response):
    """One hit by its rank and score in each receipt; null where it is not among the hits on record."""

    result = HitDifference
    id: str
    before_rank: int | None
    rank: int | None
    before_score: float | None
    score: float | None


class FactDifferenceFields(Response):
    """A setting or a number that differs."""

    result = FactDifference
    name: str
    before: Any
    after: Any


class CompareReceiptsResponse(Response):
    """What differs from one recall to another."""

    result = ReceiptComparison
    before: str
    after: str
    same_question: bool
    same_answer: bool
    hits: tuple[HitDifferenceFields, ...] = Field(description="Every hit on record of either.")
    settings: tuple[FactDifferenceFields, ...] = Field(description="Recipe, scope, request and others that differ.")
    numbers: tuple[FactDifferenceFields, ...] = Field(description="Counts, tokens and times that differ.")
    degraded_before: tuple[str, ...]
    degraded_after: tuple[str, ...]

    model_config = example({
        "before": ID, "after": ID, "same_question": True, "same_answer": False,
        "hits": [{"id": ID, "before_rank": 1, "rank": 2, "before_score": 0.81, "score": 0.74}],
        "settings": [{"name": "recipe", "before": "balanced.v1", "after": "precise.v1"}], "numbers": [],
        "degraded_before": [], "degraded_after": [],
    })  # fmt: skip

    def value(self) -> ReceiptComparison:
        return ReceiptComparison(
            ReceiptId(self.before), ReceiptId(self.after), self.same_question, self.same_answer,
            tuple(each.value() for each in self.hits), tuple(each.value() for each in self.settings),
            tuple(each.value() for each in self.numbers), self.degraded_before, self.degraded_after,
        )  # fmt: skip


# --- jobs -------------------------------------------------------------------------------------------------------------

StateOfJob = Annotated[JobState, Strict(False)]


class JobsRequest(Request):
    """Which jobs."""

    states: list[StateOfJob] | None = Field(
        None, description="Only jobs in these states; by default all but those that are done."
    )
    limit: int = Field(100, ge=1, le=MOST_JOBS, description="How many at most.")


class JobRequest(Request):
    """One job."""

    id: str = Field(min_length=1, max_length=256, description="The id of a job.", examples=[ID])

    model_config = example({})


class JobResponse(Response):
    """One background job. What it works on is not shown."""

    result = Job
    id: str
    kind: str = Field(description="embed, extract, enrich, synthesize or consolidate.")
    key: str = Field(description="What makes it unique, such as a session.")
    state: StateOfJob
    due: Moment
    attempts: int
    claimed_until: Moment | None = Field(description="Until when a process has it.")
    error: str = Field(description="Why it failed last; empty if it did not.")
    written_at: Moment | None = Field(description="When it was last changed.")

    model_config = example({
        "id": ID, "kind": "extract", "key": "agent:main:main", "state": "failed", "due": AT, "attempts": 6,
        "claimed_until": None, "error": "disk_full", "written_at": AT,
    })  # fmt: skip

    def value(self) -> Job:
        return Job(**{name: getattr(self, name) for name in type(self).model_fields})


class JobsResponse(SequenceResponse):
    """Jobs: running, waiting, failed, then canceled."""

    items = "jobs"
    jobs: tuple[JobResponse, ...]

    model_config = example({"jobs": []})
