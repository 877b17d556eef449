"""The lifecycle run: plan each step, show it, or apply it in batches (X16)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np

from cortex.domain.identity import IdSource
from cortex.domain.lanes import SEARCHABLE, Lane
from cortex.domain.memory import Memory, Retention
from cortex.domain.retention import RetentionRule
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration
from cortex.errors import EmbedderUnavailable, EngineError, StoreBusy
from cortex.lifecycle import consolidation, expiry, retention, upkeep
from cortex.lifecycle.consolidation import Nearness, Pair
from cortex.lifecycle.plan import HeldIn, Planned, batched, nothing_held, same_but_use
from cortex.lifecycle.undo import Run
from cortex.lifecycle.upkeep import Anomaly
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder
from cortex.ports.store import (
    ClaimLost,
    ExpectClaim,
    Filter,
    Job,
    JobState,
    PutJob,
    Store,
    View,
    retry_on_conflict,
    scan_all,
    with_expectations,
)
from cortex.progress import Progress, silent

log = logging.getLogger("cortex.lifecycle")

EXPIRY, DECAY, CONSOLIDATION = "expiry", "decay", "consolidation"
STEPS = (EXPIRY, DECAY, retention.RETENTION, CONSOLIDATION)
"""Time to live, sessions nobody came back to, retention rules, near-duplicates; in this order."""

BATCH = 200
"""About how many changes are one transaction."""

LARGE = 100
"""More changes than this are only made after a backup."""

MOST_IDS = 10
"""How many ids of each step a receipt names."""

JOB = "lifecycle"
LEASE = timedelta(minutes=15)
"""How long a run that died keeps others from starting."""

_PAGE = 2_000
_EMBEDDED_AT_ONCE = 256


@dataclass(slots=True)
class Step:
    """One step of a run: what was planned, and what became of it."""

    plans: Sequence[Planned]
    applied: int = 0
    passed_over: int = 0
    """Plans that no longer held when their turn came."""

    @property
    def changes(self) -> int:
        return sum(len(plan.changes) for plan in self.plans)

    @property
    def reasons(self) -> Mapping[str, int]:
        return Counter(plan.reason for plan in self.plans)


@dataclass(slots=True)
class ConsolidationOutcome:
    """What a run would do, or did."""

    steps: dict[str, Step]
    dry_run: bool
    position: int = 0
    run: Run | None = None
    anomalies: list[Anomaly] = field(default_factory=list)
    degraded: tuple[str, ...] = ()

    @property
    def planned(self) -> int:
        return sum(step.changes for step in self.steps.values())

    @property
    def applied(self) -> int:
        return sum(step.applied for step in self.steps.values())

    def facts(self) -> dict[str, Any]:
        """For the receipt: ids, counts and reasons."""
        payload: dict[str, Any] = {
            "dry_run": self.dry_run,
            "planned": self.planned,
            "applied": self.applied,
            "run": str(self.run) if self.run else None,
            "steps": {name: _step_json(step) for name, step in self.steps.items()},
            "anomalies": [anomaly.code for anomaly in self.anomalies],
        }
        return {**payload, "degraded": list(self.degraded)} if self.degraded else payload


def _step_json(step: Step) -> dict[str, Any]:
    ids = [id for plan in step.plans for id in plan.ids]
    return {
        "planned": step.changes,
        "applied": step.applied,
        "passed_over": step.passed_over,
        "reasons": dict(step.reasons),
        "ids": ids[:MOST_IDS],
    }


def consolidate(
    *,
    tenant: Tenant,
    store: Store,
    embedder: Embedder | None,
    clock: Clock,
    ids: IdSource,
    rules: Sequence[RetentionRule] = (),
    held: HeldIn = nothing_held,
    steps: Collection[str] = STEPS,
    dry_run: bool = False,
    secure: Callable[[], object] | None = None,
    progress: Progress = silent,
) -> ConsolidationOutcome:
    """One run for one tenant. A second run right after it changes nothing.

    `rules` are the retention rules in force, and what is `held` stays as it is. `secure` makes a backup; it is called
    before the first change where there are many, and where it fails nothing is changed. With some of the `steps`
    alone it is no run of the whole lifecycle, and the diary does not say so.
    """
    if dry_run:
        return _planned(tenant, store, embedder, clock, rules, held, steps)
    with _alone(tenant, store, clock, ids) as job:
        outcome = _planned(tenant, store, embedder, clock, rules, held, steps)
        outcome.dry_run = False
        if outcome.planned > LARGE and secure is not None:
            secure()
        _apply(outcome, tenant, store, clock, job, held, progress)
        if set(steps) == set(STEPS):
            _close(outcome, tenant, store, clock)
    return outcome


# --- planning ------------------------------------------------------------------------------------


def _planned(
    tenant: Tenant,
    store: Store,
    embedder: Embedder | None,
    clock: Clock,
    rules: Sequence[RetentionRule],
    held: HeldIn,
    wanted: Collection[str],
) -> ConsolidationOutcome:
    now = clock.now()
    with store.view(tenant) as view:
        over = retention.plan(retention.due(view, rules, now, partial(store.position_at, tenant)))
        if set(wanted) == {retention.RETENTION}:
            steps = {retention.RETENTION: Step(_free(over, view, held))}
            return ConsolidationOutcome(steps, dry_run=True, position=view.position)
        memories = [each for each in _all(Lane.MEMORIES, view) if isinstance(each, Memory)]
        apart, position = upkeep.read(view).apart, view.position
        measured = view.calibration(embedder.space) if embedder is not None and embedder.space.is_measured else None
        said = [each for each in _all(Lane.SESSIONS, view) if isinstance(each, Turn) and not each.is_alive(now)]
        sources = view.load([id for memory in expiry.ended(memories, now) for id in memory.source_turns])
        turns = {turn.id: turn for turn in sources if isinstance(turn, Turn)}
        ttl = expiry.plan(memories, now, turns=turns)
        idle = expiry.plan(memories, now, retention=Retention.SESSION, turns=turns)
        ending = {id for planned in (*ttl, *idle) for id in planned.ids}
        ttl += expiry.plan_turns((turn for turn in said if turn.id not in ending), now)
        ending |= {id for planned in ttl for id in planned.ids}
        ended = [
            _free(plans, view, held) for plans in (ttl, idle, [each for each in over if each.ids[0] not in ending])
        ]
        kept = {*held(view, memories), *(id for planned in over for id in planned.ids)}
    meaning = _Meaning(embedder, measured)
    mergeable = [memory for memory in memories if memory.id not in kept]
    merges = consolidation.plan(mergeable, now, nearness=meaning.nearness, apart=apart)
    steps = {name: Step(plans) for name, plans in zip(STEPS, (*ended, merges), strict=True)}
    return ConsolidationOutcome(steps, dry_run=True, position=position, degraded=meaning.degraded)


def _free(plans: Sequence[Planned], view: View, held: HeldIn) -> list[Planned]:
    """The plans that change nothing that is held."""
    kept = held(view, [change.trace for plan in plans for change in plan.changes])
    return [plan for plan in plans if not any(id in kept for id in plan.ids)]


def _all(lane: Lane, view: View) -> Iterator[Trace]:
    return scan_all(view, Filter(lanes=frozenset({lane}), states=SEARCHABLE), _PAGE)


class _Meaning:
    """How near memories are in meaning, as far as the embedder can tell."""

    def __init__(self, embedder: Embedder | None, measured: Calibration | None = None) -> None:
        self._measured = measured
        self._embedder = embedder if embedder is not None and embedder.space.dimension else None
        self.degraded: tuple[str, ...] = ()

    @property
    def nearness(self) -> Nearness:
        return consolidation.by_words if self._embedder is None else self._calibrated

    def _calibrated(self, pairs: Sequence[Pair]) -> Sequence[float | None]:
        embedder = self._embedder
        assert embedder is not None
        space = embedder.space.on(self._measured)
        texts = dict.fromkeys(memory.text for pair in pairs for memory in pair if space.reads(memory.text))
        try:
            vectors = dict(zip(texts, _embedded(list(texts), embedder), strict=True))
        except EmbedderUnavailable as error:
            self.degraded = (error.code,)
            return consolidation.by_words(pairs)
        return [
            space.calibration.apply(float(np.dot(vectors[one.text], vectors[other.text])))
            if one.text in vectors and other.text in vectors
            else None
            for one, other in pairs
        ]


def _embedded(texts: Sequence[str], embedder: Embedder) -> Iterator[Any]:
    for start in range(0, len(texts), _EMBEDDED_AT_ONCE):
        yield from embedder.embed_documents(texts[start : start + _EMBEDDED_AT_ONCE])


# --- applying ------------------------------------------------------------------------------------


def _apply(
    outcome: ConsolidationOutcome,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    job: Job,
    held: HeldIn,
    progress: Progress,
) -> None:
    began, done, total = outcome.position, 0, outcome.planned
    for step in outcome.steps.values():
        for batch in batched(step.plans, lambda plan: len(plan.changes), BATCH):
            done_now, position = retry_on_conflict(partial(_apply_batch, batch, tenant, store, clock, job, held))
            step.passed_over += len(batch) - len(done_now)
            step.applied += sum(len(plan.changes) for plan in done_now)
            outcome.position = position or outcome.position
            done += sum(len(plan.changes) for plan in batch)
            progress(done, total, "tended")
    if outcome.applied:
        outcome.run = Run(began, outcome.position)


def _apply_batch(
    batch: Sequence[Planned], tenant: Tenant, store: Store, clock: Clock, job: Job, held: HeldIn
) -> tuple[Sequence[Planned], int]:
    """Carry out the plans that still hold; gives those, and the position afterwards (0: there were none)."""
    with store.view(tenant) as view:
        valid = _free(list(_still_holding(batch, view, clock.now())), view, held)
        changes = with_expectations([change for plan in valid for change in plan.changes], view)
    if not changes:
        return valid, 0
    return valid, store.apply(tenant, [ExpectClaim(job), *changes], at=clock.now())


def _still_holding(plans: Sequence[Planned], view: View, now: datetime) -> Iterator[Planned]:
    """The plans whose memories are as they were, and were not used in time meanwhile."""
    found = {trace.id: trace for trace in view.load([each.id for plan in plans for each in plan.decided_on])}
    for plan in plans:
        current = [found.get(each.id) for each in plan.decided_on]
        unchanged = all(same_but_use(now_is, was) for now_is, was in zip(current, plan.decided_on, strict=True))
        if unchanged and not (plan.reason == expiry.SESSION_IDLE and _is_alive(current[0], now)):
            yield plan


def _is_alive(trace: Trace | None, now: datetime) -> bool:
    return isinstance(trace, Memory) and trace.is_alive(now)


def _close(outcome: ConsolidationOutcome, tenant: Tenant, store: Store, clock: Clock) -> None:
    """Compare the numbers with those of the last run, tell what is out of the ordinary, and write the diary."""
    with store.view(tenant) as view:
        before, after = upkeep.read(view), upkeep.census(view)
    expiring = outcome.steps[EXPIRY].applied + outcome.steps[DECAY].applied
    outcome.anomalies += upkeep.anomalies(before.census, after, expiring=expiring)
    outcome.anomalies += upkeep.inspected(store, after.traces)
    for anomaly in outcome.anomalies:
        log.warning("lifecycle: %s: %s", anomaly.code, anomaly.detail)
    run, now = str(outcome.run) if outcome.run else None, clock.now()
    upkeep.write(tenant, store, now, lambda diary: upkeep.entry(now, after, outcome.anomalies, run, diary))


@contextmanager
def _alone(tenant: Tenant, store: Store, clock: Clock, ids: IdSource) -> Iterator[Job]:
    """The right to run: one process at a time has it, and one that died loses it when its lease is over."""
    now = clock.now()
    store.apply(tenant, [PutJob(Job(id=ids(now), kind=JOB, key="consolidate", due=now))], at=now)
    job = store.claim(tenant, [JOB], now=now, until=now + LEASE)
    if job is None:
        _withdraw(tenant, store, now)
        raise StoreBusy(
            "another lifecycle run is under way", hint="let it end; one that died is given up in 15 minutes"
        )
    try:
        yield job
    except BaseException as error:
        code = error.code if isinstance(error, EngineError) else type(error).__name__
        _end(job, JobState.FAILED, code, tenant, store, clock)
        raise
    _end(job, JobState.DONE, "", tenant, store, clock)


def _end(job: Job, state: JobState, error: str, tenant: Tenant, store: Store, clock: Clock) -> None:
    try:
        ended = PutJob(replace(job, state=state, claimed_until=None, error=error))
        store.apply(tenant, [ExpectClaim(job), ended], at=clock.now())
        _withdraw(tenant, store, clock.now())
    except EngineError:
        if state is JobState.DONE:
            raise  # while the error that ended a run is the one to tell, not that it could not be noted


def _withdraw(tenant: Tenant, store: Store, now: datetime) -> None:
    """No job of ours may stay due: `next_due` would report it again and again."""
    with store.view(tenant) as view:
        waiting = [job for job in view.jobs(JobState.WAITING, limit=10_000) if job.kind == JOB]
    for job in waiting:
        with suppress(ClaimLost):  # another run has begun with it
            store.apply(tenant, [ExpectClaim(job), PutJob(replace(job, state=JobState.DONE))], at=now)
