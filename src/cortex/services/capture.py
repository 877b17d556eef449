"""Capture: what is new in a conversation is stored, and memories are extracted from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from cortex.context import Context
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_SCOPE, checked_label
from cortex.ports.store import JobState, PutJob
from cortex.services.jobs import JobService

_MOST_JOBS = 10_000


@dataclass(frozen=True, slots=True)
class Ingested:
    """For each message the turn stored for it now (None: seen before, or skipped), and the receipt."""

    ids: tuple[TraceId | None, ...]
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """The new turns of a conversation, the memories extracted from them, and the receipt."""

    turns: tuple[TraceId, ...]
    memories: tuple[Memory, ...]
    receipt: Receipt


class CaptureService:
    """Stores the conversations of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def ingest(
        self,
        messages: Sequence[object],
        *,
        session: str,
        scope: str = DEFAULT_SCOPE,
        channel: str = "",
        trigger: str = "",
        debounce: bool = True,
        follows: int | None = None,
        import_run: str = "",
        share_personal: bool = False,
        keys: tuple[str, ...] | None = None,
    ) -> Ingested:
        from cortex.capture import intake

        # What a turn was given has to be on record before the reply that may repeat it is read.
        self._context.flush()
        settings = self._context.settings
        incoming = intake.History(
            messages=messages, session=checked_label(session, "session"), scope=checked_label(scope, "scope"),
            channel=channel, trigger=trigger, follows=follows, import_run=import_run, share_personal=share_personal,
            keys=keys,
        )  # fmt: skip
        limits = intake.IntakeLimits(
            max_messages=settings.limits.max_messages,
            max_message_bytes=settings.limits.max_message_bytes,
            max_text_bytes=self._context.max_text_bytes,
            keep_tool_output=settings.capture.keep_tool_output,
            skip_heartbeat=settings.hooks.skip_heartbeat,
        )
        follow_ups = intake.FollowUpJobs(
            kinds=(
                *((intake.EMBED,) if self._context.can_embed else ()),
                intake.EXTRACT,
                *((intake.ENRICH,) if self._context.dependencies.llm is not None else ()),
            ),
            quiet=timedelta(seconds=settings.capture.debounce_seconds if debounce else 0),
            longest=timedelta(seconds=settings.capture.max_wait_seconds if debounce else 0),
        )
        with self._context.recording("ingest") as record:
            taken = intake.ingest(
                incoming,
                tenant=self._context.tenant,
                store=self._context.store,
                clock=self._context.clock,
                ids=self._context.ids,
                limits=limits,
                follow_ups=follow_ups,
            )
            record.close(taken.position, session=session, **taken.facts())
        if not debounce and not import_run and not taken.reason and taken.due is None:
            self._bring_forward(incoming.session, follow_ups.kinds)
        self._context.dependencies.nudge(self._context.tenant.agent)
        return Ingested(tuple(taken.ids), record.receipt)

    def _bring_forward(self, session: str, kinds: Collection[str]) -> None:
        """What waits until the session is quiet is due now; it may be of earlier turns, with nothing new to store."""
        now = self._context.clock.now()
        with self._context.store_view() as view:
            waiting = view.jobs(JobState.WAITING, limit=_MOST_JOBS)
        early = [job for job in waiting if job.key == session and job.kind in kinds and job.due > now]
        if early:
            self._context.apply([PutJob(replace(job, id=self._context.ids(now), due=now)) for job in early])

    def capture(self, messages: Sequence[object], *, session: str, **options: Any) -> CaptureResult:
        taken = self.ingest(messages, session=session, debounce=False, **options)
        jobs = JobService(self._context)
        jobs.run()
        jobs.finish(session)  # a scheduler may have been quicker, and is at it now
        turns = tuple(id for id in taken.ids if id is not None)
        with self._context.store_view() as view:
            memories = [memory for memory in view.derived(turns) if memory.state is State.ACTIVE]
        return CaptureResult(turns, tuple(memories), taken.receipt)
