"""Keeping the store sound: missing vectors, verification, optimization."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from cortex.context import Context
from cortex.dependencies import log
from cortex.domain.index_status import IndexStatus
from cortex.domain.lanes import DEFAULT_LANES
from cortex.domain.receipt import Receipt
from cortex.errors import EmbedderUnavailable, EngineError, NearestUnavailable, StoreError
from cortex.ports.index_status import Optimizable
from cortex.ports.nearest import Accelerated, NearestState
from cortex.ports.store import Filter, Finding
from cortex.progress import Progress, silent
from cortex.services.calibrator import calibrator_of
from cortex.services.erasure import ErasureService
from cortex.services.files.files import files_of
from cortex.services.trace_writer import writer_of

LOOK_AGAIN = timedelta(minutes=10)
"""How often background work looks for missing vectors; a new model is noticed at once."""

EMBEDDED_AT_ONCE = 512
"""How many traces are embedded before other background work has its turn."""


class MissingVectors:
    """When somebody last looked whether vectors of the current model are missing."""

    def __init__(self) -> None:
        self._space = ""
        self._at: datetime | None = None

    def is_due(self, space: str, now: datetime) -> bool:
        return space != self._space or self._at is None or not timedelta(0) <= now - self._at < LOOK_AGAIN

    def looked(self, space: str, now: datetime) -> None:
        self._space, self._at = space, now

    def close(self) -> None:
        """There is nothing to close."""


class MaintenanceService:
    """Maintains the store and the index of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def backfill(self, *, everyone: bool = False, progress: Progress = silent) -> Receipt:
        """Embed what has no vector of the current model, of this user or of all users of the agent."""
        return self._backfill_everyone(progress) if everyone else self._backfill(progress)

    def _backfill_everyone(self, progress: Progress) -> Receipt:
        with self._context.recording("backfill") as record:
            users = self._context.store.users() or [self._context.tenant.user]
            facts: dict[str, Any] = {"users": len(users), "embedded": 0, "degraded": []}
            for user in users:
                done = MaintenanceService(self._context.bind(user=user)).backfill(progress=progress)
                facts["embedded"] += done.facts["embedded"]
                facts["degraded"] = sorted({*facts["degraded"], *done.degraded})
            record.close(self._context.position(), **facts)
        return record.receipt

    def embed_missing(self) -> bool:
        """Embed some of what has no vector, as after a change of model (C7); whether there is more to do at once."""
        context = self._context
        if not context.can_embed or context.dependencies.ending:
            return False
        watch = context.dependencies.one("missing_vectors", context.tenant, MissingVectors)
        space, now = context.dependencies.embedder.space.key, context.clock.now()
        if not watch.is_due(space, now):
            return False
        if not self._lacking():
            watch.looked(space, now)
            return False
        try:
            embedded = self._backfill_some(EMBEDDED_AT_ONCE)
        except EngineError as error:
            log.warning("vectors are still missing: %s", error.code)
            embedded = 0
        if not embedded:  # the embedder is not there: it is tried again later
            watch.looked(space, now)
        return embedded > 0

    def _lacking(self) -> int:
        """How many traces have no vector of the current model."""
        with self._context.store_view() as view:
            return view.counts(Filter(lacking=self._context.dependencies.embedder.space, lanes=DEFAULT_LANES)).total

    def _backfill_some(self, most: int) -> int:
        """Embed some of what has no vector, in the background; gives how many were."""
        with self._context.recording("backfill") as record:
            outcome = writer_of(self._context).backfill(most=most)
            record.close(outcome.position, **outcome.facts())
        if outcome.embedded:
            calibrator_of(self._context).refresh(again=True)
        return outcome.embedded

    def _backfill(self, progress: Progress) -> Receipt:
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
        with self._context.recording("verify") as record:
            found = self._verified(repair=repair)
            codes = Counter(each.code for each in found)
            repaired = sum(each.repaired for each in found)
            record.close(self._position(), repair=repair, findings=dict(sorted(codes.items())), repaired=repaired)
        return found

    def _position(self) -> int:
        """Where the ledger stands; 0 where it cannot be read."""
        try:
            return self._context.position()
        except StoreError:
            return 0

    def _verified(self, *, repair: bool) -> Sequence[Finding]:
        index = self._context.index
        found = list(self._context.store.verify(repair=repair))
        # Where the file cannot be read at all, or repairing did not help, only a backup does.
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

    def optimize(self, *, reasons: Sequence[str] = ("requested",)) -> dict[str, Any]:
        with self._context.recording("optimize") as record:
            before, index = self.index_status(), self._context.index
            if index is not None and not isinstance(index, StoreError):
                index.maintain()
            details = dict(self._context.store.maintain())
            store = self._context.dependencies.store(self._context.tenant.agent)
            if isinstance(store, Accelerated) and (nearest := store.nearest_status()) is not None:
                details["nearest"] = self._fed(store, nearest)
            after = self.index_status()
            details["index"] = after.to_json()
            record.close(
                self._context.position(), reasons=list(reasons), before=before.to_json(), after=after.to_json()
            )  # fmt: skip
        return details | {"receipt": record.receipt.id}

    def index_status(self) -> IndexStatus:
        """The figures of the store's indexes; a store that cannot tell them has none."""
        store = self._context.dependencies.store(self._context.tenant.agent)
        return store.index_status() if isinstance(store, Optimizable) else IndexStatus()

    def optimize_due(self) -> None:
        """Optimize where a figure is above its threshold; one that stays above is an error (E16)."""
        if not (reasons := self.index_status().exceeded()):
            return
        self.optimize(reasons=reasons)
        if left := self.index_status().exceeded():
            figures = ", ".join(left)
            raise StoreError(
                f"after optimizing, {figures} is still above the threshold",
                hint="a process that has been reading for long may keep it so: end it, or run `cortex admin optimize`",
            )

    def _fed(self, store: Accelerated, before: Mapping[str, Any]) -> Mapping[str, Any]:
        """How the engine of a large tenant is once it was fed, from the beginning where it was lost."""
        try:
            store.feed_nearest()
        except NearestUnavailable as error:
            return {**before, "state": NearestState.UNAVAILABLE.value, "why": error.message, "fix": error.hint}
        return store.nearest_status() or before
