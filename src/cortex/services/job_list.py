"""The background jobs of one user: list them, run one again, cancel one (S7)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from cortex.capture import intake
from cortex.context import Context
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import ExpectClaim, Job, JobState, PutJob, View

MOST_JOBS = 10_000

LISTED = (JobState.RUNNING, JobState.WAITING, JobState.FAILED, JobState.CANCELED)
"""What is listed unless states are named: of what is done there is nothing to decide."""

_REPEATABLE = frozenset({intake.EMBED, intake.EXTRACT, intake.ENRICH})
"""Jobs that are about a session as it is now. Others belong to a moment that has passed."""


class JobListService:
    """Jobs as a person sees them."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def jobs(self, *, states: Collection[JobState] | None = None, limit: int = 100) -> Sequence[Job]:
        if not 1 <= limit <= MOST_JOBS:
            raise InvalidRequest(f"{limit} is outside 1 to {MOST_JOBS}", field="limit", hint="give another")
        with self._context.store_view() as view:
            found = [job for state in states or LISTED for job in view.jobs(state, limit)]
        return found[:limit]

    def retry_job(self, id: str) -> Job:
        with self._context.store_view() as view:
            job = _found(view, id)
        if job.state in (JobState.RUNNING, JobState.DONE):
            raise InvalidRequest(f"is {job.state}", field="id", hint="only waiting, failed and canceled jobs can run")
        if job.kind not in _REPEATABLE and job.state is not JobState.WAITING:
            raise InvalidRequest(
                f"{job.kind} cannot be repeated", field="id", hint="what it was about has passed; cancel it"
            )  # fmt: skip
        again = replace(job, state=JobState.WAITING, due=self._context.clock.now(), attempts=0, error="")
        with self._context.recording("retry_job") as record:
            record.close(self._context.apply([ExpectClaim(job), PutJob(again)]), kind=job.kind, job=job.id)
        with self._context.store_view() as view:
            # Where another waits for the same, that one runs in its place.
            waiting = view.jobs(JobState.WAITING, MOST_JOBS)
        return next((each for each in waiting if (each.kind, each.key) == (job.kind, job.key)), again)

    def cancel_job(self, id: str) -> Job:
        with self._context.store_view() as view:
            job = _found(view, id)
        if job.state in (JobState.DONE, JobState.CANCELED):
            raise InvalidRequest(f"is {job.state}", field="id", hint="there is nothing to cancel")
        ended = replace(job, state=JobState.CANCELED, claimed_until=None, error="", payload={})
        with self._context.recording("cancel_job") as record:
            record.close(self._context.apply([ExpectClaim(job), PutJob(ended)]), kind=job.kind, job=job.id)
        return ended


def _found(view: View, id: str) -> Job:
    wanted = id.strip().lower()
    job = next((each for each in view.jobs(limit=MOST_JOBS) if each.id == wanted), None)
    if job is None:
        raise NotFound(f"no job {id}", hint="see `cortex admin jobs list`")
    return job
