"""Upkeep: what is done by the clock for every user, and the threads that do it (S7)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from cortex.context import Context
from cortex.errors import StoreBusy
from cortex.lifecycle import backups as backing
from cortex.lifecycle import schedule, upkeep
from cortex.lifecycle.schedule import Done, ScheduledTask
from cortex.lifecycle.upkeep import Anomaly, Diary, TaskRun
from cortex.ports.nearest import Accelerated
from cortex.ports.signals import Topic
from cortex.runtime.deadline import Deadline
from cortex.runtime.file_lock import FileLock
from cortex.runtime.scheduler import ACTOR, Scheduler
from cortex.services.alerts import AlertService
from cortex.services.canary import CanaryService
from cortex.services.drift import DriftService
from cortex.services.drill import DrillService
from cortex.services.erasure import ErasureService
from cortex.services.files.files import files_of
from cortex.services.grading import grade_due
from cortex.services.jobs import JobService
from cortex.services.lifecycle import LifecycleService
from cortex.services.maintenance import MaintenanceService
from cortex.services.retention import RetentionService
from cortex.services.writeback import WritebackService

ERASE_AGAIN = timedelta(minutes=1)
"""How long after an erasure could not be finished that is tried again."""

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SUNDAY_NIGHT = timedelta(days=3, hours=4)
"""1970-01-01 was a Thursday: with this offset, a weekly task has its time on Sundays at 04:00 UTC."""

BACKUP, DRILL, CONSOLIDATE, OPTIMIZE = "backup", "drill", "consolidate", "optimize"
CENSUS, GRADE, WRITEBACK, CANARY, RETENTION = "census", "grade", "writeback", "canary", "retention"
GRADE_EVERY, WRITEBACK_LATER = 4 * HOUR, timedelta(minutes=20)
GRADE_SECONDS = 600.0
"""How long a user's memories may take to be graded; the rest has its turn the next time."""
NEVER_AT_ONCE = frozenset({CENSUS, GRADE, WRITEBACK, CANARY, RETENTION})
"""Of these, one that was never done is due at its first time since the memory began: new memories are left alone."""
OF_AGENT = frozenset({BACKUP, DRILL, OPTIMIZE})
"""Tasks that are about all users of an agent at once: so are their alerts."""


def schedule_of(context: Context) -> list[ScheduledTask]:
    """The schedule of one user, in the order in which tasks are done that are due at once. One line is one task."""
    settings, lifecycle = context.settings.lifecycle, LifecycleService(context)
    backups, drills = lifecycle.backs_up, settings.drill_every_days if context.store.abilities.restore else 0
    lines = (
        # name, every, offset of fixed times (None: so long after the last time), what is called
        (BACKUP, settings.backup_every_hours * HOUR if backups else None, None, lambda: _back_up(context)),
        (DRILL, drills * DAY if backups and drills else None, SUNDAY_NIGHT, lambda: _drill(context)),
        (CONSOLIDATE, settings.every_hours * HOUR, None, lifecycle.consolidate),
        (OPTIMIZE, HOUR, None, MaintenanceService(context).optimize_due),
        (CENSUS, DAY, timedelta(0), DriftService(context).run),
        (GRADE, GRADE_EVERY, timedelta(0), lambda: grade_due(context, Deadline.after(context.clock, GRADE_SECONDS))),
        (WRITEBACK, GRADE_EVERY, WRITEBACK_LATER, WritebackService(context).write_back),
        (CANARY, DAY, 3 * HOUR, CanaryService(context).nightly),
        (RETENTION, DAY, HOUR, RetentionService(context).scheduled),
    )
    return [ScheduledTask(name, every, call, offset) for name, every, offset, call in lines if every is not None]


class UpkeepService:
    """Runs what is due for one user; backups and indexes are of the whole agent."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def run_due(self) -> datetime:
        began = self._context.clock.now()
        due = JobService(self._context).next_due()
        if due is not None and due <= began:  # a look that finds nothing leaves no receipt
            JobService(self._context).run()
        if self._context.dependencies.ending:
            return began
        ErasureService(self._context).finish_pending()
        store = self._context.dependencies.store(self._context.tenant.agent)
        if isinstance(store, Accelerated):
            store.begin_feeding()
        tasks = schedule_of(self._context)
        runs = _Runs(self._context)
        at = schedule.run_due(
            tasks, runs, clock=self._context.clock, ending=lambda: self._context.dependencies.ending
        )  # fmt: skip
        due = JobService(self._context).next_due()
        # What was due at the beginning was done; if it is still there, it belongs to a process that died, and waits for
        # its lease. What became due meanwhile is next: a backup may have taken a while.
        at = min(at, due) if due and due > began else at
        if MaintenanceService(self._context).embed_missing():
            at = min(at, self._context.clock.now())
        # An erasure that could not be finished is tried again later.
        pending = self._context.store.erasures(pending=True)
        return min(at, self._context.clock.now() + ERASE_AGAIN) if pending else at

    @contextmanager
    def running(self) -> Iterator[Scheduler]:
        """Run what is due in the background, in a thread of its own."""
        dependencies = self._context.dependencies
        background = UpkeepService(self._context.by(ACTOR))
        scheduler = Scheduler(background.run_due, now=dependencies.clock.now).start()
        dependencies.schedulers.append(scheduler)
        try:
            with dependencies.signals.waiting(Topic.JOBS, scheduler.wake), files_of(self._context).watching():
                yield scheduler
        finally:
            dependencies.schedulers.remove(scheduler)
            dependencies.ending = True  # what is begun is finished, and no further job is
            scheduler.stop()
            dependencies.ending = False


def _back_up(context: Context) -> None:
    """Back up, unless another process of this host is at it."""
    folder = context.dependencies.home / backing.FOLDER
    if folder.exists() and not folder.is_dir():
        LifecycleService(context).backup()  # says what is in the way
        return
    with FileLock(folder / f".{context.tenant.agent}.lock").held(0) as ours:
        if not ours:
            raise StoreBusy("another backup is under way", hint="wait for it")
        LifecycleService(context).backup()


def _drill(context: Context) -> None:
    """Try the newest backup; where there is none yet, backing up has failed and says so itself."""
    if backing.last_at(context.dependencies.home / backing.FOLDER, context.tenant.agent) is not None:
        DrillService(context).drill()


class _Runs:
    """What is known of the tasks: in the user's diary, and of backups and drills in their folder."""

    def __init__(self, context: Context) -> None:
        self._context = context
        with context.store_view() as view:
            first = view.events(limit=1)
        self._began = first[0].at if first else context.clock.now()

    def last(self) -> schedule.Last:
        with self._context.store_view() as view:
            diary = upkeep.read(view)
        return {name: self._done(name, diary) for name in {*diary.tasks, BACKUP, DRILL, CONSOLIDATE, *NEVER_AT_ONCE}}

    def claim(self, task: ScheduledTask) -> bool:
        now = self._context.clock.now()
        return upkeep.claim(
            self._context.tenant, self._context.store, task.name, now,
            lambda diary: task.next_at(self._done(task.name, diary), now) <= now,
        )  # fmt: skip

    def release(self, task: ScheduledTask) -> None:
        now = self._context.clock.now()
        upkeep.write(
            self._context.tenant, self._context.store, now, lambda diary: upkeep.released(task.name, diary)
        )  # fmt: skip

    def note(self, task: ScheduledTask, trouble: Anomaly | None) -> None:
        now = self._context.clock.now()
        upkeep.write(
            self._context.tenant, self._context.store, now, lambda diary: upkeep.noted(task.name, trouble, diary, now)
        )
        whose = self._context.bind(user=self._context.settings.user) if task.name in OF_AGENT else self._context
        cause = f"upkeep:{task.name}"
        if trouble is None:
            AlertService(whose).clear(cause)
        else:
            AlertService(whose).raise_alert(cause, f"{task.name} failed: {trouble.detail}", trouble.fix)

    def _done(self, name: str, diary: Diary) -> Done:
        at = diary.tasks.get(name, TaskRun()).at
        if name == CONSOLIDATE:
            at = diary.consolidated_at
        elif name == BACKUP:  # the folder knows, whichever process made it
            at = backing.last_at(self._folder, self._context.tenant.agent)
        elif name == DRILL:
            last = DrillService(self._context).last()
            at = last.at if last else None
        if at is None and name in NEVER_AT_ONCE:
            at = self._began
        return Done(at, diary.failed_at(name))

    @property
    def _folder(self) -> Path:
        return self._context.dependencies.home / backing.FOLDER
