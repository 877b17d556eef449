"""LifecycleService the store sound: missing vectors, verification, compaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cortex.context import Context
from cortex.domain.receipt import Receipt
from cortex.errors import EmbedderUnavailable, StoreError
from cortex.ports.store import Finding
from cortex.progress import Progress, silent
from cortex.services.calibrator import calibrator_of
from cortex.services.erasure import ErasureService
from cortex.services.files.files import files_of
from cortex.services.trace_writer import writer_of


class MaintenanceService:
    """Maintains the store and the index of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def backfill(self, *, progress: Progress = silent) -> Receipt:
        with self._context.recording("backfill") as record:
            if not self._context.can_embed:
                raise EmbedderUnavailable("embedding is turned off", hint="set embedding.provider to use one")
            outcome = writer_of(self._context, progress).backfill()
            record.close(outcome.position, **outcome.facts())
        if self._context.index is not None:
            files_of(self._context).sync_all(reason="backfill", progress=progress)
        calibrator_of(self._context).refresh(again=True)
        return record.receipt

    def verify(self, *, repair: bool = False) -> Sequence[Finding]:
        self._context.flush()
        index = self._context.index
        found = list(self._context.store.verify(repair=repair))
        # Where SQLite itself cannot read the file, or repairing did not help, only a backup does.
        if any(not each.repaired and (repair or each.code == "file") for each in found):
            way_out = self._context.dependencies.way_out(self._context.tenant.agent)
            found.append(Finding("restore", way_out or "restore a backup"))
        found += self._unfinished(repair=repair)
        if isinstance(index, StoreError):
            found.append(Finding("files", f"{index.message}; {index.hint}"))
        elif index is not None:
            found += index.verify(repair=repair)
        return [*found, *self._context.dependencies.embedder.verify_cache(repair=repair)]

    def _unfinished(self, *, repair: bool) -> Sequence[Finding]:
        """The erasures of the agent that are not finished, and with `repair` what became of them."""
        pending = [each for each in self._context.store.erasures() if not each.finished]
        if repair:
            ErasureService(self._context).finish_pending()
        left = {each.id for each in self._context.store.erasures() if not each.finished} if pending else set()
        return [
            Finding(
                "erasure",
                f"an erasure of {each.at:%Y-%m-%d %H:%M} UTC is not finished: {each.reason or 'it was interrupted'}",
                repaired=each.id not in left,
            )
            for each in pending
        ]

    def optimize(self) -> dict[str, Any]:
        index = self._context.index
        if index is not None and not isinstance(index, StoreError):
            index.maintain()
        return dict(self._context.store.maintain())
