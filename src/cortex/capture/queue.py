"""Background work that survives a restart: claimed, carried out, written back by the worker that has the claim."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from cortex.domain.scope import Tenant
from cortex.errors import Conflict, DiskFull, EngineError
from cortex.ports.clock import Clock
from cortex.ports.store import ExpectClaim, Job, JobState, PutJob, Store

log = logging.getLogger("cortex")

CLAIM = timedelta(seconds=30)
"""How long a claim holds. Long work renews it with every step, so that what a killed process held is soon free."""

MOST_TRIES = 6
_LOOKED_AT = 1_000
FIRST_WAIT = timedelta(seconds=15)

MOST_USELESS_TRIES = 3
USELESS_WAIT = timedelta(minutes=5)
"""How often and when a model that misbehaves is called once more: each try costs as much as the first."""

FULL_WAIT = timedelta(minutes=1)
"""How long work waits for space on the disk."""


class Postponed(Exception):
    """Raised by work that can only be done later; it does not count as a failure."""

    def __init__(self, until: datetime, why: str) -> None:
        super().__init__(why)
        self.until = until
        self.why = why


class Useless(Exception):
    """Raised by work whose answers could not be used: it has failed, and is tried again a few times, not at once."""


Handler = Callable[[Job], Mapping[str, int]]
"""Carries out one job and writes back that it is done; gives what there is to count."""


@dataclass(slots=True)
class Worked:
    """What a run of the queue did."""

    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    postponed: Counter[str] = field(default_factory=Counter)
    counted: Counter[str] = field(default_factory=Counter)

    def facts(self) -> dict[str, dict[str, int]]:
        """For the receipt."""
        return {
            "done": dict(self.done),
            "failed": dict(self.failed),
            "postponed": dict(self.postponed),
            "counts": dict(self.counted),
        }


def run_due(
    tenant: Tenant,
    store: Store,
    handlers: Mapping[str, Handler],
    clock: Clock,
    *,
    alone: Collection[str] = (),
    most: int | None = None,
    may_begin: Callable[[], bool] = lambda: True,
) -> Worked:
    """Carry out every job that is due, oldest first; what fails is tried again later, and at last given up and kept.

    Of the kinds in `alone` one job runs at a time, in whatever process. `may_begin` is checked before each.
    """
    worked = Worked()
    while may_begin() and (most is None or sum(worked.done.values()) < most):
        now = clock.now()
        job = store.claim(tenant, sorted(handlers), now=now, until=now + CLAIM, alone=sorted(alone))
        if job is None:
            break
        try:
            worked.counted.update(handlers[job.kind](job))
            worked.done[job.kind] += 1
        except Conflict:
            log.info("job %s (%s) went to somebody else", job.id, job.kind)
        except Postponed as later:
            worked.postponed[job.kind] += 1
            _write_back(store, tenant, job, clock, due=later.until, attempts=job.attempts - 1, error=later.why)
        except DiskFull as error:
            # It is nobody's fault that work can do nothing about: it is never given up for it.
            worked.postponed[job.kind] += 1
            due = clock.now() + FULL_WAIT
            _write_back(store, tenant, job, clock, due=due, attempts=job.attempts - 1, error=error.code)
        except Useless as error:
            worked.failed[job.kind] += 1
            log.warning("job %s (%s) failed: %s", job.id, job.kind, error)
            _try_again(store, tenant, job, clock, str(error), most=MOST_USELESS_TRIES, first=USELESS_WAIT)
        except EngineError as error:
            worked.failed[job.kind] += 1
            log.warning("job %s (%s) failed: %s", job.id, job.kind, error.code)
            _try_again(store, tenant, job, clock, error.code)
        except Exception:
            worked.failed[job.kind] += 1
            log.exception("job %s (%s) failed", job.id, job.kind)
            _try_again(store, tenant, job, clock, "unexpected")
    return worked


def finished(job: Job) -> list[ExpectClaim | PutJob]:
    """The changes that say a job is done, if it is still ours. What it was to be done with is no longer kept."""
    return [ExpectClaim(job), PutJob(replace(job, state=JobState.DONE, claimed_until=None, error="", payload={}))]


def renewed(job: Job, now: datetime) -> list[ExpectClaim | PutJob]:
    """The changes that keep a job for another while, if it is still ours."""
    return [ExpectClaim(job), PutJob(replace(job, claimed_until=now + CLAIM))]


def next_due(tenant: Tenant, store: Store, kinds: Set[str], now: datetime) -> datetime | None:
    """When there will be something of these kinds to do; a claim that lapses is to be done again."""
    with store.view(tenant) as view:
        jobs = [*view.jobs(JobState.WAITING, _LOOKED_AT), *view.jobs(JobState.RUNNING, _LOOKED_AT)]
    return min((job.ready_at(now) for job in jobs if job.kind in kinds), default=None)


def _try_again(
    store: Store,
    tenant: Tenant,
    job: Job,
    clock: Clock,
    why: str,
    *,
    most: int = MOST_TRIES,
    first: timedelta = FIRST_WAIT,
) -> None:
    if job.attempts >= most:
        given_up = replace(job, state=JobState.FAILED, claimed_until=None, error=why, payload={})
        _apply(store, tenant, job, given_up, clock)
    else:
        wait = first * 2 ** (job.attempts - 1)
        _write_back(store, tenant, job, clock, due=clock.now() + wait, attempts=job.attempts, error=why)


def _write_back(
    store: Store, tenant: Tenant, job: Job, clock: Clock, *, due: datetime, attempts: int, error: str
) -> None:
    waiting = replace(job, state=JobState.WAITING, due=due, attempts=attempts, claimed_until=None, error=error)
    _apply(store, tenant, job, waiting, clock)


def _apply(store: Store, tenant: Tenant, job: Job, became: Job, clock: Clock) -> None:
    try:
        store.apply(tenant, [ExpectClaim(job), PutJob(became)], at=clock.now())
    except Conflict:
        log.info("job %s (%s) went to somebody else", job.id, job.kind)
