"""Taking a lifecycle run back: the inverse of what it changed, except what has changed since (X16)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.errors import Conflict, InvalidRequest
from cortex.lifecycle import upkeep
from cortex.ports.clock import Clock
from cortex.ports.store import Change, Put, Store, Version, View

BATCH = 200
MOST_IDS = 10

_OURS = frozenset({EventKind.EXPIRED, EventKind.CONSOLIDATED})
_PAGE = 2_000
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
        restored, refused, pairs = _taken_back(_events(view, run), view)
        apart = upkeep.read(view).apart
    if not restored:
        why = f"all {len(refused):,} memories have changed since" if refused else "it changed nothing"
        raise Conflict(f"run {run} cannot be undone: {why}", hint="see `cortex show ID` for what became of a memory")
    position = 0
    for start in range(0, len(restored), BATCH):
        changes: list[Change] = [Put(trace, EventKind.RESTORED) for trace in restored[start : start + BATCH]]
        if start == 0 and pairs:
            # Else the next run would find the same duplicates again.
            changes.append(upkeep.kept_apart(pairs, apart))
        position = store.apply(tenant, changes, at=clock.now())
    return Undone(run, tuple(trace.id for trace in restored), tuple(refused), position)


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
    """One memory before the change a run made to it, and after; and whether it is still like that."""

    before: Memory
    after: Memory
    is_current: bool

    @property
    def merged_into(self) -> TraceId | None:
        """What it became a duplicate of by this change."""
        by_this = self.after.state is State.SUPERSEDED and self.before.state is not State.SUPERSEDED
        return self.after.superseded_by if by_this else None


def _taken_back(
    changed: Mapping[TraceId, int], view: View
) -> tuple[list[Memory], list[TraceId], list[frozenset[TraceId]]]:  # fmt: skip
    """What to restore, what has changed since, and which pairs are no duplicates. A merge goes whole or not at all."""
    known = {id: change for id, position in changed.items() if (change := _change(view.history(id), position))}
    restored: list[Memory] = []
    refused: list[TraceId] = []
    pairs: list[frozenset[TraceId]] = []
    for group in _merges(known):
        if all(id in known and known[id].is_current for id in group):
            restored += [known[id].before for id in group]
            pairs += [frozenset({group[0], other}) for other in group[1:]]
        else:
            refused += group
    return restored, refused, pairs


def _change(history: Sequence[Version], position: int) -> _Changed | None:
    """What happened to a memory at `position`; None where it is no longer known."""
    before = next((each.trace for each in history if each.until == position), None)
    after = next((each for each in history if each.since == position), None)
    if after is None or not isinstance(before, Memory) or not isinstance(after.trace, Memory):
        return None
    return _Changed(before, after.trace, after.until is None)


def _merges(changes: Mapping[TraceId, _Changed]) -> Iterable[list[TraceId]]:
    """The changed memories by what they were merged into, which comes first; each expired one by itself."""
    groups: dict[TraceId, list[TraceId]] = {}
    for id, change in changes.items():
        into = change.merged_into
        groups.setdefault(into or id, [into or id])
        if into:
            groups[into].append(id)
    return groups.values()
