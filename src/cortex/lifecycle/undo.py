"""Taking a lifecycle run back: the inverse of what it changed, except what has changed since (X16)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.errors import Conflict, InvalidRequest
from cortex.lifecycle import upkeep
from cortex.lifecycle.plan import batched, same_but_use
from cortex.ports.clock import Clock
from cortex.ports.store import Put, Store, Version, View, retry_on_conflict, with_expectations

BATCH = 200
MOST_IDS = 10

_OURS = frozenset({EventKind.EXPIRED, EventKind.CONSOLIDATED})
_PAGE = 2_000
Merge = list[TraceId]
"""The memories that one change of a run was about, the one that is kept first."""

_RUN = re.compile(r"(\d{1,18})-(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Run:
    """An applied run, named by the positions of the ledger it lies between."""

    after: int
    upto: int

    def __str__(self) -> str:
        return f"{self.after}-{self.upto}"

    @classmethod
    def named(cls, name: str) -> Run:
        """The run a name such as `120-164` stands for."""
        found = _RUN.fullmatch(name.strip())
        run = cls(int(found[1]), int(found[2])) if found else None
        if run is None or run.upto < run.after:
            raise InvalidRequest(
                "is not a run", field="run", hint="give it as `cortex consolidate` printed it: 120-164"
            )
        return run


@dataclass(frozen=True, slots=True)
class Undone:
    """What was put back, and what was left because it has changed since."""

    run: Run
    restored: tuple[TraceId, ...]
    refused: tuple[TraceId, ...]
    position: int

    def facts(self) -> dict[str, Any]:
        return {
            "run": str(self.run),
            "restored": len(self.restored),
            "refused": len(self.refused),
            "ids": list(self.restored[:MOST_IDS]),
        }


def undo(run: Run, *, tenant: Tenant, store: Store, clock: Clock) -> Undone:
    """Put back what a run changed. What has changed since is left as it is; where that is all, `Conflict`."""
    with store.view(tenant) as view:
        if run.upto > view.position:
            raise InvalidRequest(f"{run} lies in the future", field="run", hint=f"the ledger ends at {view.position}")
        changed = _changes(_events(view, run), view)
    restored: list[TraceId] = []
    refused: list[TraceId] = []
    position = 0
    for batch in batched(_merges(changed), len, BATCH):  # a merge goes whole or not at all
        put_back, left, at = retry_on_conflict(partial(_undo_batch, batch, changed, tenant, store, clock))
        restored += put_back
        refused += left
        position = at or position
    if not restored:
        why = f"all {len(refused):,} memories have changed since" if refused else "it changed nothing"
        raise Conflict(f"run {run} cannot be undone: {why}", hint="see `cortex get ID` for what became of a memory")
    return Undone(run, tuple(restored), tuple(refused), position)


def _undo_batch(
    batch: Sequence[Merge], changed: Mapping[TraceId, _Changed], tenant: Tenant, store: Store, clock: Clock
) -> tuple[list[TraceId], list[TraceId], int]:
    """Put back what is still as the run left it: the ids of that, those of the rest, and the position afterwards."""
    with store.view(tenant) as view:
        current = {trace.id: trace for trace in view.load([id for merge in batch for id in merge])}
        as_left = [merge for merge in batch if all(_is_as_left(current.get(id), changed.get(id)) for id in merge)]
        restored = [id for merge in as_left for id in merge]
        put_back = [Put(_graded(changed[id].before, current[id]), EventKind.RESTORED) for id in restored]
        changes = with_expectations(put_back, view)
        if pairs := [frozenset({merge[0], other}) for merge in as_left for other in merge[1:]]:
            # Else the next run would find the same duplicates again.
            changes += [upkeep.unchanged(view), upkeep.kept_apart(pairs, upkeep.read(view).apart)]
    refused = [id for merge in batch if merge not in as_left for id in merge]
    return restored, refused, store.apply(tenant, changes, at=clock.now()) if changes else 0


def _graded(before: Memory | Turn | Outcome, now_is: Trace) -> Trace:
    """What is put back, with the grade it was given meanwhile."""
    if isinstance(before, Memory) and isinstance(now_is, Memory) and now_is.grade is not None:
        return before.revised(grade=now_is.grade)
    return before


def _is_as_left(now_is: Trace | None, change: _Changed | None) -> bool:
    if change is None or now_is is None:
        return False
    if isinstance(now_is, Memory) and isinstance(change.after, Memory):
        return same_but_use(now_is, change.after)
    return now_is == change.after


def _events(view: View, run: Run) -> dict[TraceId, int]:
    """Where in the run each memory was last changed by it."""
    found: dict[TraceId, int] = {}
    after = run.after
    while page := [event for event in view.events(after, _PAGE) if event.position <= run.upto]:
        found |= {TraceId(event.subject): event.position for event in page if event.kind in _OURS}
        after = page[-1].position
    return found


@dataclass(frozen=True, slots=True)
class _Changed:
    """One memory before the change a run made to it, and after; or a turn or outcome that expired."""

    before: Memory | Turn | Outcome
    after: Memory | Turn | Outcome

    @property
    def merged_into(self) -> TraceId | None:
        """What it became a duplicate of by this change."""
        if not isinstance(self.after, Memory):
            return None
        by_this = self.after.state is State.SUPERSEDED and self.before.state is not State.SUPERSEDED
        return self.after.superseded_by if by_this else None


def _changes(positions: Mapping[TraceId, int], view: View) -> dict[TraceId, _Changed]:
    return {id: change for id, position in positions.items() if (change := _change(view.history(id), position))}


def _change(history: Sequence[Version], position: int) -> _Changed | None:
    """What happened to a memory at `position`; None where it is no longer known."""
    before = next((each.trace for each in history if each.until == position), None)
    after = next((each.trace for each in history if each.since == position), None)
    if isinstance(before, Memory | Turn | Outcome) and isinstance(after, Memory | Turn | Outcome):
        return _Changed(before, after)
    return None


def _merges(changes: Mapping[TraceId, _Changed]) -> Iterable[Merge]:
    """The changed memories by what they were merged into, which comes first; each expired one by itself."""
    groups: dict[TraceId, Merge] = {}
    for id, change in changes.items():
        into = change.merged_into
        groups.setdefault(into or id, [into or id])
        if into:
            groups[into].append(id)
    return groups.values()
