"""Looking after memory over time: the lifecycle and its undo, and backups."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cortex.context import Context
from cortex.domain.receipt import Receipt
from cortex.domain.retention import in_force
from cortex.errors import EngineError, InvalidRequest, StoreCorrupt
from cortex.lifecycle import backups as backing
from cortex.lifecycle import flow as tending
from cortex.lifecycle import undo
from cortex.ports.store import RestoreMark
from cortex.progress import Progress, silent
from cortex.services.browse import BrowseService
from cortex.services.holds import HoldService, States


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
            outcome = self.run(dry_run=dry_run, progress=progress)
            record.close(outcome.position, **outcome.facts())
        return ConsolidationResult(outcome, record.receipt)

    def run(
        self, *, steps: Collection[str] = tending.STEPS, dry_run: bool = False, progress: Progress = silent
    ) -> tending.ConsolidationOutcome:
        """Some steps of the lifecycle, within the operation that is under way."""
        return tending.consolidate(
            tenant=self._context.tenant,
            store=self._context.store,
            embedder=self._context.dependencies.embedder if self._context.can_embed else None,
            clock=self._context.clock,
            ids=self._context.ids,
            rules=in_force(self._context.settings.retention),
            held=HoldService(self._context).held,
            steps=steps,
            dry_run=dry_run,
            secure=self.backup if self.backs_up else None,
            progress=progress,
        )

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
        self._context.dependencies.require(self._context.tenant.agent, "backup", self._context.store.abilities)
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
        self._context.dependencies.require(agent, "restore")
        path = backing.found(given, self._backups, agent)
        holds: States = {}
        with suppress(EngineError):  # a memory that cannot be read may be what is restored
            holds = HoldService(self._context).states()
        self._context.dependencies.release(agent)
        with self._context.recording("restore_backup") as record:
            now = self._context.clock.now()
            mark = RestoreMark(now, self._context.actor, record.id, path.name)
            try:
                replaced, kept_out = backing.restore(
                    path, self._backups, agent, now, replace=lambda backup, keep: replace(agent, backup, keep, mark)
                )
            except StoreCorrupt as error:
                error.hint = self._context.dependencies.way_out(agent) or error.hint
                raise
            HoldService(self._context).put_back(holds)
            record.close(
                self._context.position(), file=path.name, replaced=replaced.path.name if replaced else None,
                kept_out=kept_out,
            )  # fmt: skip
        return RestoreResult(path, replaced, kept_out)

    @property
    def _backups(self) -> Path:
        return self._context.dependencies.home / backing.FOLDER

    @property
    def backs_up(self) -> bool:
        """Whether this store can be backed up, and is to be."""
        can = self._context.store.abilities.backup
        return can and self._context.settings.lifecycle.backup_every_hours > 0
