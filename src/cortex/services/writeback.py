"""Writeback: carries grades into the fields that recall reads, in this store or in memory-lancedb's own table (S5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cortex.context import Context
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.receipt import MAX_ITEMS_CAP, Receipt
from cortex.domain.tags import WRITEBACK
from cortex.domain.writeback import FIELDS, WrittenBack, checked_fields, current_grade, suggested, write_back
from cortex.errors import InvalidRequest
from cortex.exchange.lancedb_table import LancedbTable, RowChange
from cortex.ports.store import Put, retry_on_conflict, scan_all, with_expectations
from cortex.progress import Progress, silent
from cortex.services.grading import MEMORIES
from cortex.services.imports import ImportService
from cortex.services.tags import TagService

BATCH = 200
MOST_BATCH = 10_000
_LANCEDB = "memory-lancedb"


@dataclass(slots=True)
class WritebackRun:
    """What a writeback changed, or would change."""

    force: bool
    forced: tuple[str, ...]
    dry_run: bool
    graded: int = 0
    ungraded: int = 0
    updated: int = 0
    skipped: int = 0
    overwritten: int = 0
    overwritten_fields: Counter[str] = field(default_factory=Counter)
    filled_fields: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def count(self, id: str, filled: Collection[str], overwritten: Collection[str]) -> None:
        """Count what was changed of one memory; nothing is a memory that was skipped."""
        if not filled and not overwritten:
            self.skipped += 1
            return
        self.updated += 1
        self.overwritten += bool(overwritten)
        self.filled_fields.update(filled)
        self.overwritten_fields.update(overwritten)
        if len(self.ids) < MAX_ITEMS_CAP:
            self.ids.append(id)

    def facts(self) -> dict[str, Any]:
        """For the receipt, with the names that the original sidecar gives: counts and ids, never text."""
        return {
            "forceOverwrite": self.force,
            "forceFields": list(self.forced),
            "updated": self.updated,
            "skipped": self.skipped,
            "overwritten": self.overwritten,
            "overwrittenFields": dict(sorted(self.overwritten_fields.items())),
            "missingIds": self.missing[:MAX_ITEMS_CAP],
            "missing": len(self.missing),
            "filled_fields": dict(sorted(self.filled_fields.items())),
            "graded": self.graded,
            "ungraded": self.ungraded,
            "ids": list(self.ids),
            "dry_run": self.dry_run,
        }


class WritebackService:
    """Writes the grades of one tenant back."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def write_back(
        self,
        *,
        limit: int | None = None,
        batch: int = BATCH,
        dry_run: bool = False,
        force: bool = False,
        force_fields: Collection[str] | None = None,
        lancedb: str | Path | None = None,
        table: str | None = None,
        progress: Progress = silent,
    ) -> Receipt:
        _check_number(limit, "limit", 1 << 53)
        _check_number(batch, "batch", MOST_BATCH)
        if table is not None and lancedb is None:
            raise InvalidRequest("is given without lancedb", field="table", hint="name the folder of the table too")
        run = WritebackRun(force, checked_fields(force_fields, force=force), dry_run)
        there = LancedbTable.open(Path(lancedb).expanduser(), table) if lancedb is not None else None
        with self._context.recording("writeback") as record:
            memories = self._memories(run)
            if there is None:
                position = self._into_store(run, memories, limit, batch, progress)
                record.close(position, **run.facts())
            else:
                self._into_table(run, memories, there, limit, batch, progress)
                also = {"table": there.name, "absent_fields": sorted(FIELDS.keys() - there.columns)}
                record.close(self._context.position(), **run.facts(), **also)
        return record.receipt

    def _memories(self, run: WritebackRun) -> list[Memory]:
        """What has a grade."""
        with self._context.store_view() as view:
            found = [each for each in scan_all(view, MEMORIES) if isinstance(each, Memory)]
        graded = [each for each in found if each.grade is not None]
        run.graded, run.ungraded = len(graded), len(found) - len(graded)
        return graded

    # --- into this store -------------------------------------------------------------------------

    def _into_store(
        self, run: WritebackRun, memories: Sequence[Memory], limit: int | None, size: int, progress: Progress
    ) -> int:
        now, position = self._context.clock.now(), self._context.position()
        planned = [write_back(each, run.forced, now) for each in memories]
        changed = [each for each in planned if each.fields]
        run.skipped = len(planned) - len(changed)
        wanted = changed[:limit]
        if run.force and wanted and not run.dry_run:
            TagService(self._context).automatic(WRITEBACK)
        for start in range(0, len(wanted), size):
            some = wanted[start : start + size]
            if run.dry_run:
                done = {each.memory.id: each for each in some}
            else:
                ids = [each.memory.id for each in some]
                done, applied = retry_on_conflict(lambda ids=ids: self._apply(ids, run.forced))  # type: ignore[misc]
                position = applied or position
            for each in some:
                here = done.get(each.memory.id)
                if here is None:
                    run.missing.append(each.memory.id)
                else:
                    run.count(each.memory.id, here.filled, here.overwritten)
            progress(start + len(some), len(wanted), "written back")
        return position

    def _apply(self, ids: Sequence[TraceId], forced: Collection[str]) -> tuple[dict[TraceId, WrittenBack], int]:
        """Decide again on what is there now, and store it; gives what became of each, and the position afterwards."""
        now = self._context.clock.now()
        with self._context.store_view() as view:
            current = [each for each in view.load(ids) if isinstance(each, Memory)]
            decided = {each.id: write_back(each, forced, now) for each in current}
            puts = [Put(each.memory, EventKind.REVISED) for each in decided.values() if each.fields]
            changes = with_expectations(puts, view)
        return decided, self._context.apply(changes) if changes else 0

    # --- into the table of memory-lancedb --------------------------------------------------------

    def _into_table(
        self,
        run: WritebackRun,
        memories: Sequence[Memory],
        table: LancedbTable,
        limit: int | None,
        size: int,
        progress: Progress,
    ) -> None:
        rows, now = table.rows(), self._context.clock.now()
        changes: list[RowChange] = []
        for id, memory in self._row_ids(memories, rows).items():
            if id not in rows:
                run.missing.append(id)
                continue
            grade = current_grade(memory, now)
            change = table.change(id, rows[id], suggested(grade) if grade else {}, run.forced)
            if change.values:
                changes.append(change)
            else:
                run.skipped += 1
        changes = changes[:limit]
        for start in range(0, len(changes), size):
            some = changes[start : start + size]
            if not run.dry_run:
                table.apply(some)
            for each in some:
                run.count(each.id, each.filled, each.overwritten)
            progress(start + len(some), len(changes), "written back")

    def _row_ids(self, memories: Sequence[Memory], rows: Mapping[str, Any]) -> dict[str, Memory]:
        """The rows that memories stand for: those they were imported from, or that have their id."""
        runs = {f"import:{run.id}/" for run in ImportService(self._context).runs() if run.format == _LANCEDB}
        found: dict[str, Memory] = {}
        for memory in memories:
            refs = [ref.partition("/")[2] for ref in memory.source_refs if f"{ref.partition('/')[0]}/" in runs]
            found |= dict.fromkeys([*filter(None, refs), *([memory.id] if memory.id in rows else [])], memory)
        return found


def _check_number(value: int | None, field: str, most: int) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most):
        raise InvalidRequest(f"is not a number from 1 to {most:,}", field=field, hint="give how many at most")
