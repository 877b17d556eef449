"""Looking after memory over time: the lifecycle and its undo, backups, and the rhythm of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cortex.context import Context
from cortex.domain.receipt import Receipt
from cortex.errors import InvalidRequest, StoreCorrupt
from cortex.lifecycle import backups as backing
from cortex.lifecycle import flow as tending
from cortex.lifecycle import schedule, undo, upkeep
from cortex.lifecycle.schedule import Done, ScheduledTask
from cortex.lifecycle.upkeep import Anomaly, Diary
from cortex.progress import Progress, silent
from cortex.runtime.scheduler import Scheduler
from cortex.services.browse import BrowseService
from cortex.services.erasure import ErasureService
from cortex.services.files.files import files_of
from cortex.services.jobs import JobService
from cortex.services.maintenance import MaintenanceService

ERASE_AGAIN = timedelta(minutes=1)
"""How long after an erasure could not be finished that is tried again."""


@dataclass(frozen=True, slots=True)
class ConsolidationResult:
    """What a lifecycle run would do, or did, and the receipt."""

    outcome: tending.ConsolidationOutcome
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What of a lifecycle run was undone, and the receipt."""

    undone: undo.Undone
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class RestoreResult:
    """The backup that was restored, and the backup of what it replaced."""

    path: Path
    replaced: backing.Backup | None
    kept_out: int = 0
    """How many memories and turns of the backup had been erased since, and were not brought back."""


class LifecycleService:
    """Maintains one tenant's memory over time; backups are of the whole agent."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def consolidate(self, *, dry_run: bool = False, progress: Progress = silent) -> ConsolidationResult:
        self._context.flush()  # what was used a moment ago is still in use
        with self._context.recording("consolidate") as record:
            outcome = tending.consolidate(
                tenant=self._context.tenant,
                store=self._context.store,
                embedder=self._context.dependencies.embedder if self._context.can_embed else None,
                clock=self._context.clock,
                ids=self._context.ids,
                dry_run=dry_run,
                secure=self.backup if self._backs_up else None,
                progress=progress,
            )
            record.close(outcome.position, **outcome.facts())
        return ConsolidationResult(outcome, record.receipt)

    def undo(self, run: str) -> UndoResult:
        with self._context.recording("undo_consolidation") as record:
            undone = undo.undo(
                undo.Run.named(self._run_of(run)),
                tenant=self._context.tenant,
                store=self._context.store,
                clock=self._context.clock,
            )
            record.close(undone.position, **undone.facts())
        return UndoResult(undone, record.receipt)

    def _run_of(self, given: str) -> str:
        """The run a receipt is about, where it is a receipt that is named."""
        if given.count("-") != 4:
            return given
        receipt = BrowseService(self._context).receipt(given)
        if receipt.op != "consolidate" or not receipt.facts.get("run"):
            raise InvalidRequest(
                "is not the receipt of a consolidation",
                field="run",
                hint="see `cortex admin receipts --op consolidate`",
            )
        return str(receipt.facts["run"])

    def backup(self, to: Path | None = None) -> backing.BackupResult:
        settings, now = self._context.settings.lifecycle, self._context.clock.now()
        self._context.flush()
        with self._context.recording("backup") as record:
            if to is not None:
                made = backing.BackupResult(
                    backing.make_at(self._context.store, to.expanduser(), self._context.tenant.agent, now)
                )
            else:
                made = backing.make(
                    self._context.store, self._backups, self._context.tenant.agent, now,
                    daily=settings.backup_keep_daily, weekly=settings.backup_keep_weekly,
                )  # fmt: skip
            record.close(
                self._context.position(), file=made.backup.path.name, bytes=made.backup.bytes, removed=len(made.removed)
            )
        return made

    def backups(self) -> Sequence[backing.Backup]:
        return backing.listed(self._backups, self._context.tenant.agent)

    def restore_backup(self, given: str) -> RestoreResult:
        agent, replace = self._context.tenant.agent, self._context.dependencies.replace_store
        if replace is None:
            raise InvalidRequest(
                "has no files to put back", field="store.backend", hint="restore with the tools of the store"
            )
        path = backing.found(given, self._backups, agent)
        self._context.dependencies.release(agent)
        try:
            replaced, kept_out = backing.restore(
                path,
                self._backups,
                agent,
                self._context.clock.now(),
                replace=lambda backup, keep: replace(agent, backup, keep),
            )
        except StoreCorrupt as error:
            error.hint = self._context.dependencies.way_out(agent) or error.hint
            raise
        return RestoreResult(path, replaced, kept_out)

    def run_due(self) -> datetime:
        began = self._context.clock.now()
        due = JobService(self._context).next_due()
        if due is not None and due <= began:  # a look that finds nothing leaves no receipt
            JobService(self._context).run()
        if self._context.dependencies.ending:
            return began
        ErasureService(self._context).finish_pending()
        settings = self._context.settings.lifecycle
        rhythm = schedule.Schedule.of_hours(settings.every_hours, settings.backup_every_hours if self._backs_up else 0)
        tasks: dict[ScheduledTask, Callable[[], object]] = {
            ScheduledTask.CONSOLIDATE: self._consolidate_and_optimize,
            ScheduledTask.BACKUP: self.backup,
        }
        at = schedule.run_due(rhythm, tasks, last=self._last_done, clock=self._context.clock, note=self._note_task)
        due = JobService(self._context).next_due()
        # What was due at the beginning was done; if it is still there, it belongs to a process that died, and waits for
        # its lease. What became due meanwhile is next: a backup may have taken a while.
        at = min(at, due) if due and due > began else at
        # An erasure that could not be finished is tried again later.
        pending = self._context.store.erasures(pending=True)
        return min(at, self._context.clock.now() + ERASE_AGAIN) if pending else at

    @contextmanager
    def kept(self) -> Iterator[Scheduler]:
        dependencies = self._context.dependencies
        scheduler = Scheduler(self.run_due, now=dependencies.clock.now).start()
        dependencies.wake = scheduler.wake
        dependencies.schedulers.append(scheduler)
        try:
            with files_of(self._context).watching():
                yield scheduler
        finally:
            dependencies.wake = None
            dependencies.schedulers.remove(scheduler)
            dependencies.ending = True  # what is begun is finished, and no further job is
            scheduler.stop()
            dependencies.ending = False

    def _consolidate_and_optimize(self) -> None:
        if self.consolidate().outcome.applied:
            MaintenanceService(self._context).optimize()

    def _last_done(self) -> schedule.Last:
        diary = self._diary()
        return {
            ScheduledTask.CONSOLIDATE: Done(diary.consolidated_at, diary.failed_at(ScheduledTask.CONSOLIDATE)),
            ScheduledTask.BACKUP: Done(
                backing.last_at(self._backups, self._context.tenant.agent), diary.failed_at(ScheduledTask.BACKUP)
            ),
        }

    def _note_task(self, task: ScheduledTask, trouble: Anomaly | None) -> None:
        now = self._context.clock.now()
        upkeep.write(
            self._context.tenant, self._context.store, now, lambda diary: upkeep.noted(task, trouble, diary, now)
        )

    def _diary(self) -> Diary:
        with self._context.store_view() as view:
            return upkeep.read(view)

    @property
    def _backups(self) -> Path:
        return self._context.dependencies.home / backing.FOLDER

    @property
    def _backs_up(self) -> bool:
        """Whether this store can be backed up, and is to be."""
        can = self._context.dependencies.replace_store is not None
        return can and self._context.settings.lifecycle.backup_every_hours > 0
