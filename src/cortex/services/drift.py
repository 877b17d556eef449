"""Drift: the daily census of a memory, what it shows, and the alerts that follow (S3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from cortex.capture.reconcile import Reconciliation
from cortex.context import Context
from cortex.domain.census import (
    BASE,
    CENSUS,
    DISTRIBUTIONS,
    SILENCE,
    VERDICTS,
    Censuses,
    DayCensus,
    by_day,
    censuses_in,
)
from cortex.domain.census import counted as counted_on
from cortex.domain.drift import BASE_DAYS, RECENT_DAYS, DriftVerdict, judged
from cortex.domain.growth import days_of
from cortex.domain.lanes import ANY_STATE, Lane
from cortex.domain.memory import ImportanceLabel
from cortex.domain.query import Mode
from cortex.domain.receipt import Receipt
from cortex.domain.tags import REBASING, TAGS, tags_in
from cortex.ports.store import ExpectState, Filter, PatchSession, View, retry_on_conflict
from cortex.services.alerts import AlertService

DAY = timedelta(days=1)
WINDOW = RECENT_DAYS + BASE_DAYS
"""How far back the first census looks, and one after a pause."""

_PAGE = 1_000
_MOST_PAGES = 200
_MEMORIES = frozenset({Lane.MEMORIES})
_VERDICTS = frozenset(each.value for each in Reconciliation)


@dataclass(frozen=True, slots=True)
class DriftReport:
    """How the distributions stand on the last day that was counted."""

    day: date | None
    """None before the first census."""
    days: int
    """How many days were counted."""
    base: date | None
    """What was counted before this day is not compared."""
    base_reason: str
    memories: int
    unknown: int
    """How many memories there were at the end of the day, and how many of them nobody had rated."""
    verdicts: tuple[DriftVerdict, ...]


class DriftService:
    """The censuses of one user."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def is_due(self) -> bool:
        """Whether a day has ended that was not counted."""
        with self._context.store_view() as view:
            known = censuses_in(view.state(CENSUS))
        return known.last is None or known.last < self._yesterday()

    def run(self) -> DriftReport:
        """Count the days that have ended, and open and close alerts."""
        self._context.flush()
        with self._context.recording("census") as record:
            taken = retry_on_conflict(self._take)
            report = self.report()
            self._alert(report)
            open_ones = [each.name for each in report.verdicts if each.is_open]
            record.close(self._context.position(), days=taken, counted=report.days, open=open_ones)
        return report

    def report(self) -> DriftReport:
        with self._context.store_view() as view:
            known = censuses_in(view.state(CENSUS))
        if known.last is None:
            return DriftReport(None, 0, known.base, known.reason, 0, 0, ())
        last = known.days[-1]
        verdicts = tuple(judged(name, known.series(name), last.day, known.base) for name in DISTRIBUTIONS)
        return DriftReport(
            last.day, len(known.days), known.base, known.reason, last.memories, last.unknown, verdicts
        )  # fmt: skip

    def start_base(self, reason: str) -> None:
        """Compare nothing with what was counted up to today, as after a regrade; alerts end with it."""
        self._context.apply([PatchSession(CENSUS, {BASE: _base(self._today() + DAY, reason)})])

    # --- counting --------------------------------------------------------------------------------

    def _take(self) -> int:
        """Count the days that have ended and are missing; returns how many."""
        last = self._yesterday()
        with self._context.store_view() as view:
            state = view.state(CENSUS)
            known, tags = censuses_in(state), tags_in(view.state(TAGS), self._context.tenant.user)
            first = last - timedelta(days=WINDOW - 1) if known.last is None else known.last + DAY
            first = max(first, last - timedelta(days=WINDOW - 1))
            if first > last:
                return 0
            received = self._received(view, first)
            position = view.position
        then = self._context.store.position_at(self._context.tenant, _start(last + DAY) - timedelta(microseconds=1))
        with self._context.store.view(self._context.tenant, None if then >= position else then) as view:
            days = list(self._counted(view, first, last, received))
        parts: dict[str, object] = {each.day.isoformat(): each.to_state() for each in days}
        guard: dict[str, object] = {day: (state or {}).get(day) for day in parts}
        rebased = [tag for tag in tags if tag.automatic and tag.reason in REBASING]
        if rebased:
            latest = max(rebased, key=lambda tag: tag.at)
            begins = latest.at.astimezone(UTC).date() + DAY
            if known.base is None or begins > known.base:
                parts[BASE] = _base(begins, latest.reason)
        too_old = Censuses([*known.days, *days]).too_old
        self._context.apply([ExpectState(CENSUS, guard), PatchSession(CENSUS, {**dict.fromkeys(too_old), **parts})])
        return len(days)

    def _counted(
        self, view: View, first: date, last: date, received: Mapping[str, Mapping[date, Mapping[str, int]]]
    ) -> Iterator[DayCensus]:
        found = view.counts(Filter(lanes=_MEMORIES))
        unknown = found.by_label.get(ImportanceLabel.UNKNOWN.value, 0)
        counts = view.days(Filter(lanes=_MEMORIES, states=ANY_STATE), first)
        for day in days_of(counts, first, last):
            of_receipts = {name: dict(days.get(day.day, {})) for name, days in received.items()}
            yield DayCensus(
                day.day, {**counted_on(day), **of_receipts}, found.total, unknown, late=day.day < last
            )  # fmt: skip

    def _received(self, view: View, first: date) -> dict[str, Mapping[date, Mapping[str, int]]]:
        """What receipts say since a day: the verdicts of capture, and recalls with and without an answer."""
        return {
            VERDICTS: by_day(
                (_date(receipt.at), verdict, number)
                for receipt in _receipts(view, "run_jobs", first)
                for verdict, number in receipt.facts.get("counts", {}).items()
                if verdict in _VERDICTS
            ),
            SILENCE: by_day(
                (_date(receipt.at), "answered" if receipt.facts["counts"]["returned"] else "silent", 1)
                for receipt in _receipts(view, "recall", first)
                if receipt.facts.get("request", {}).get("mode", Mode.AUTO) == Mode.AUTO and "counts" in receipt.facts
            ),
        }

    # --- alerts ----------------------------------------------------------------------------------

    def _alert(self, report: DriftReport) -> None:
        alerts = AlertService(self._context)
        for verdict in report.verdicts:
            cause = f"drift:{verdict.name}"
            if verdict.is_open:
                alerts.raise_alert(cause, message_of(verdict), "see `cortex admin drift`")
            else:
                alerts.clear(cause)

    def _today(self) -> date:
        return _date(self._context.clock.now())

    def _yesterday(self) -> date:
        return self._today() - DAY


def message_of(verdict: DriftVerdict) -> str:
    """A verdict in numbers: what moved, from where to where."""
    share = verdict.comparison.shares[0]
    return (
        f"{verdict.name}: {share.category} is {share.recent:.0%} of the last {RECENT_DAYS} days,"
        f" {share.before:.0%} of the {BASE_DAYS} before"
    )


def _receipts(view: View, op: str, first: date) -> Iterator[Receipt]:
    """The receipts of an operation since a day, the newest first."""
    before = None
    for _ in range(_MOST_PAGES):
        page = view.receipts(_PAGE, op, before)
        for receipt in page:
            if _date(receipt.at) < first:
                return
            yield receipt
        if len(page) < _PAGE:
            return
        before = page[-1].id


def _base(day: date, reason: str) -> dict[str, str]:
    return {"day": day.isoformat(), "reason": reason}


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _date(at: datetime) -> date:
    return at.astimezone(UTC).date()
