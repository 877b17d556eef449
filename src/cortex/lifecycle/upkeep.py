"""What the lifecycle knows of itself from run to run, and what it finds out of the ordinary (S7).

It is kept in the state of a session of a reserved name, so that all processes share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.scope import Tenant
from cortex.domain.trace import parse_time
from cortex.domain.trust import TrustTier
from cortex.ports.store import ExpectState, Filter, JobState, PatchSession, Store, View, retry_on_conflict
from cortex.runtime.scheduler import Scheduler

DIARY = "#lifecycle"
"""The session in whose state all this is kept."""

MOST_APART = 1_000
"""How many pairs that were taken apart are remembered, the latest."""

MOST_ANOMALIES = 20

SUDDEN = 100
"""So many at once are worth a look where they are also ..."""

SUDDEN_SHARE = 0.2
"""... this share of what there is."""

VERIFIED_AT_ONCE = 20_000
"""Up to this many traces everything is verified with each run; beyond, that is left to `cortex admin verify`."""

LEASE = timedelta(hours=1)
"""How long a task belongs to the process that began it; after that, it is taken for dead."""

_FAILED = "_failed"

Apart = frozenset[frozenset[TraceId]]


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Something a person should look at: what it is, in numbers and never in words of a memory, and what to do."""

    code: str
    detail: str
    fix: str = ""
    at: str = ""

    def to_json(self) -> dict[str, str]:
        return asdict(self)


def failing(schedulers: Iterable[Scheduler]) -> list[Anomaly]:
    """An anomaly for each scheduler that failed several times in a row."""
    return [
        Anomaly(
            "scheduler_failing",
            f"background work failed {each.failures:,} times in a row: {each.last_error}",
            "run `cortex doctor`",
        )
        for each in schedulers
        if each.failures >= 2
    ]


@dataclass(frozen=True, slots=True)
class Census:
    """What there was at the end of a run."""

    traces: int = 0
    active: int = 0
    expired: int = 0
    quarantined: int = 0
    failed_jobs: int = 0


@dataclass(frozen=True, slots=True)
class TaskRun:
    """When a scheduled task was last done, and until when a process has it now."""

    at: datetime | None = None
    claimed_until: datetime | None = None

    def is_claimed(self, now: datetime) -> bool:
        # A claim that ends later than any begun now is of a clock that was wrong.
        return self.claimed_until is not None and now < self.claimed_until <= now + LEASE

    def to_json(self) -> dict[str, str]:
        return {name: value.isoformat() for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Diary:
    """What earlier runs left."""

    consolidated_at: datetime | None = None
    last_run: str = ""
    census: Census | None = None
    anomalies: tuple[Anomaly, ...] = ()
    apart: Apart = frozenset()
    tasks: Mapping[str, TaskRun] = field(default_factory=dict)

    def failed_at(self, task: str) -> datetime | None:
        """When a task failed that has not succeeded since."""
        return next((_time(each.at) for each in self.anomalies if each.code == failure_of(task)), None)


def read(view: View) -> Diary:
    """The diary of a tenant. What is not as it should be in there is as if it were not there."""
    state = view.state(DIARY) or {}
    return Diary(
        consolidated_at=_time(state.get("tended_at")),
        last_run=str(state.get("last_run") or ""),
        census=_census(state.get("census")),
        anomalies=tuple(_anomalies(state.get("anomalies"))),
        apart=frozenset(frozenset(map(TraceId, pair)) for pair in state.get("apart") or () if isinstance(pair, list)),
        tasks=_tasks(state.get("tasks")),
    )


def write(tenant: Tenant, store: Store, now: datetime, decide: Callable[[Diary], PatchSession | None]) -> None:
    """Write what `decide` makes of the diary as it is; decided anew where another process wrote it meanwhile."""

    def attempt() -> None:
        with store.view(tenant) as view:
            change, guard = decide(read(view)), unchanged(view)
        if change is not None:
            store.apply(tenant, [guard, change], at=now)

    retry_on_conflict(attempt)


def unchanged(view: View) -> ExpectState:
    """That nobody else has written what a new entry of the diary is made of."""
    state = view.state(DIARY) or {}
    return ExpectState(DIARY, {part: state.get(part) for part in ("anomalies", "apart", "tasks")})


def failure_of(task: str) -> str:
    """The anomaly code of a failed task."""
    return f"{task}{_FAILED}"


def entry(now: datetime, census: Census, found: Iterable[Anomaly], run: str | None, before: Diary) -> PatchSession:
    """What a finished run writes into the diary: its own anomalies, and that other tasks still fail."""
    own = failure_of("consolidate")
    failures = [each for each in before.anomalies if each.code.endswith(_FAILED) and each.code != own]
    parts: dict[str, Any] = {
        "tended_at": now.isoformat(),
        "census": asdict(census),
        "anomalies": _listed((*failures, *found), now),
    }
    return PatchSession(DIARY, {**parts, "last_run": run} if run else parts)


def claim(tenant: Tenant, store: Store, task: str, now: datetime, is_due: Callable[[Diary], bool]) -> bool:
    """Take a task for this process while it `is_due`; False where another process was first."""
    ours = False

    def decide(before: Diary) -> PatchSession | None:
        nonlocal ours
        known = before.tasks.get(task, TaskRun())
        ours = not known.is_claimed(now) and is_due(before)
        return _with_task(task, TaskRun(known.at, now + LEASE), before) if ours else None

    write(tenant, store, now, decide)
    return ours


def noted(task: str, trouble: Anomaly | None, before: Diary, now: datetime) -> PatchSession:
    """What is written after a task by how it ended."""
    others = [each for each in before.anomalies if each.code != failure_of(task)]
    known = before.tasks.get(task, TaskRun())
    state = dict(_with_task(task, TaskRun(known.at if trouble else now), before).state or {})
    if trouble is not None or len(others) < len(before.anomalies):
        state["anomalies"] = _listed((*others, trouble) if trouble else others, now)
    return PatchSession(DIARY, state)


def released(task: str, before: Diary) -> PatchSession | None:
    """What is written where a task was not done after all: it is anybody's again."""
    known = before.tasks.get(task)
    return _with_task(task, TaskRun(known.at), before) if known and known.claimed_until else None


def _with_task(task: str, run: TaskRun, before: Diary) -> PatchSession:
    return PatchSession(DIARY, {"tasks": {name: each.to_json() for name, each in {**before.tasks, task: run}.items()}})


def _listed(found: Iterable[Anomaly], now: datetime) -> list[dict[str, str]]:
    items = [{**anomaly.to_json(), "at": anomaly.at or now.isoformat()} for anomaly in found]
    return items[-MOST_ANOMALIES:]


def kept_apart(pairs: Iterable[frozenset[TraceId]], before: Apart) -> PatchSession:
    """Remember that these are not duplicates, whatever they look like."""
    known = sorted(sorted(pair) for pair in before)
    known += [sorted(pair) for pair in pairs if pair not in before]
    return PatchSession(DIARY, {"apart": known[-MOST_APART:]})


def census(view: View) -> Census:
    """What there is now."""
    any_state = frozenset(State)
    counts = view.counts(Filter(lanes=frozenset({Lane.MEMORIES}), states=any_state))
    held = view.counts(Filter(trusts=frozenset({TrustTier.QUARANTINED})))
    return Census(
        traces=view.counts(Filter(states=any_state)).total,
        active=counts.by_state.get(State.ACTIVE.value, 0),
        expired=counts.by_state.get(State.EXPIRED.value, 0),
        quarantined=held.total,
        failed_jobs=len(view.jobs(JobState.FAILED, limit=1_000)),
    )


def anomalies(before: Census | None, after: Census, *, expiring: int) -> Iterator[Anomaly]:
    """What is out of the ordinary in the numbers. `expiring` is how many this run expired."""
    if _is_sudden(expiring, after.active + expiring):
        detail = f"{expiring:,} of {after.active + expiring:,} memories expired in one run"
        yield Anomaly("sudden_expiry", detail, "look at `cortex list --state expired`, undo with `consolidate --undo`")
    grown = after.quarantined - (before.quarantined if before else 0)
    if before and _is_sudden(grown, after.quarantined):
        detail = f"{grown:,} more traces are in quarantine than at the last run"
        yield Anomaly("sudden_quarantine", detail, "look at what is fed in from tools, the web or imports")
    failed = after.failed_jobs - (before.failed_jobs if before else 0)
    if failed > 0:
        detail = f"{failed:,} background jobs failed for good since the last run"
        yield Anomaly("failed_jobs", detail, "see `cortex status`")


def inspected(store: Store, traces: int) -> Iterator[Anomaly]:
    """What verifying the store finds, where it is small enough to be verified with every run."""
    if traces > VERIFIED_AT_ONCE:
        return
    if findings := [finding for finding in store.verify() if not finding.repaired]:
        codes = ", ".join(sorted({finding.code for finding in findings}))
        yield Anomaly("verify_findings", f"{len(findings):,} findings: {codes}", "run `cortex admin verify --repair`")


def _is_sudden(number: int, whole: int) -> bool:
    return number >= SUDDEN and number >= SUDDEN_SHARE * whole


def _time(value: Any) -> datetime | None:
    try:
        return parse_time(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _census(value: Any) -> Census | None:
    if not isinstance(value, Mapping):
        return None
    counted = {each.name: value.get(each.name, 0) for each in fields(Census)}
    return Census(**counted) if all(isinstance(number, int) for number in counted.values()) else None


def _tasks(value: Any) -> dict[str, TaskRun]:
    if not isinstance(value, Mapping):
        return {}
    known = {str(name): each for name, each in value.items() if isinstance(each, Mapping)}
    return {name: TaskRun(_time(each.get("at")), _time(each.get("claimed_until"))) for name, each in known.items()}


def _anomalies(value: Any) -> Iterator[Anomaly]:
    for each in value or ():
        if isinstance(each, Mapping) and "code" in each:
            yield Anomaly(*(str(each.get(name, "")) for name in ("code", "detail", "fix", "at")))
