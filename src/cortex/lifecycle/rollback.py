"""Going back to an earlier position of the ledger by appending the inverse of what changed since (E18).

The ledger only grows: what was created later is withdrawn, what was edited or forgotten gets the version it had then.
What was erased is in no version any more, and stays erased.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, is_id
from cortex.domain.lanes import SEARCHABLE, State
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.scope import Tenant
from cortex.domain.trace import COUNTERS, defaults_of
from cortex.domain.turn import Turn
from cortex.lifecycle.plan import HeldIn, batched, nothing_held, same_but_use
from cortex.ports.clock import Clock
from cortex.ports.store import Put, Store, Version, View, retry_on_conflict, with_expectations

BATCH = 2_000
"""How many changes are one transaction."""

MOST_IDS = 100
"""How many ids of each sort a receipt names."""

_PAGE = 2_000
_OF_USE = frozenset({EventKind.EMBEDDED, EventKind.RECALLED})
_FOR_GOOD = frozenset({EventKind.ERASED, EventKind.REMOVED})

Kept = Memory | Turn | Outcome


class ChangeKind(StrEnum):
    """What became of a memory or turn between two positions."""

    ADDED = "added"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    """It can no longer be found: it was forgotten, or has expired."""
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Difference:
    """A memory or turn that is not the same at two positions; None where it did not exist."""

    id: TraceId
    before: Kept | None
    after: Kept | None

    @property
    def change(self) -> ChangeKind:
        was, is_now = _is_found(self.before), _is_found(self.after)
        if was == is_now:
            return ChangeKind.CHANGED if self.before else ChangeKind.ADDED
        if was:
            return ChangeKind.WITHDRAWN
        return ChangeKind.RESTORED if self.before else ChangeKind.ADDED

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that differ, where it existed at both."""
        if self.before is None or self.after is None:
            return ()
        names = [name for name in defaults_of(type(self.after)) if name not in COUNTERS]
        return tuple(name for name in names if getattr(self.before, name) != getattr(self.after, name))


@dataclass(frozen=True, slots=True)
class Selection:
    """Which of the changes count: those of memories, with `turns` of turns and outcomes too, of one scope if given."""

    scope: str | None = None
    turns: bool = False

    def has(self, *versions: Kept | None) -> bool:
        there = [each for each in versions if each is not None]
        if not self.turns and not all(isinstance(each, Memory) for each in there):
            return False
        return self.scope is None or any(each.scope == self.scope for each in there)


@dataclass(frozen=True, slots=True)
class Changes:
    """All that differs between two positions, in order of id, and how many were removed for good in between."""

    differences: tuple[Difference, ...]
    erased: int


def changes(view: View, first: int, last: int, which: Selection) -> Changes:
    """What a later position of the ledger has that an earlier one has not, and the other way round."""
    ids, gone = _subjects(view, first, last)
    found = (_difference(view.history(id), id, first, last) for id in sorted(ids - gone))
    differing = [each for each in found if each is not None and which.has(each.before, each.after)]
    return Changes(tuple(differing), len(gone))


@dataclass(slots=True)
class Rollback:
    """What a rollback did, or would do. The ids of each sort are in order."""

    to: int
    position: int
    withdrawn: list[TraceId] = field(default_factory=list)
    """Created later; they can no longer be found."""
    restored: list[TraceId] = field(default_factory=list)
    """Forgotten, expired or superseded later; they have their state of then."""
    reverted: list[TraceId] = field(default_factory=list)
    """Edited later, or no longer to be found then; they have the version of then."""
    kept_out: list[TraceId] = field(default_factory=list)
    """On hold, or their version of then is damaged or came from a turn that was erased since; they stay as they are."""

    @property
    def changed(self) -> int:
        return len(self.withdrawn) + len(self.restored) + len(self.reverted)

    def facts(self) -> dict[str, Any]:
        sorts = ("withdrawn", "restored", "reverted", "kept_out")
        counts: dict[str, Any] = {sort: len(getattr(self, sort)) for sort in sorts}
        ids = {f"{sort}_ids": list(found[:MOST_IDS]) for sort in sorts if (found := getattr(self, sort))}
        return {"to": self.to, **counts, **ids}

    def add(self, steps: Iterable[_Step]) -> None:
        for step in steps:
            if step.put is None:
                self.kept_out.append(step.id)
            elif step.put.because is EventKind.WITHDRAWN:
                self.withdrawn.append(step.id)
            elif step.put.because is EventKind.RESTORED:
                self.restored.append(step.id)
            else:
                self.reverted.append(step.id)


@dataclass(frozen=True, slots=True)
class _Step:
    """What becomes of one memory or turn; None where its version of then is kept out."""

    id: TraceId
    put: Put | None


def planned(to: int, view: View, which: Selection, held: HeldIn = nothing_held) -> Rollback:
    """What going back to a position would do now."""
    ids, erased = _subjects(view, to, view.position)
    plan = Rollback(to, view.position)
    plan.add(_steps(sorted(ids - erased), to, view, which, erased, held))
    return plan


def roll_back(
    plan: Rollback, which: Selection, *, tenant: Tenant, store: Store, clock: Clock, held: HeldIn = nothing_held
) -> Rollback:
    """Carry out what was planned: in one transaction, or in several where it is more than `BATCH`.

    What others change meanwhile is read again. A rollback that was interrupted goes on when it is done again.
    """
    done = Rollback(plan.to, plan.position, kept_out=plan.kept_out)
    ids = sorted((*plan.withdrawn, *plan.restored, *plan.reverted))
    for batch in batched(ids, lambda _: 1, BATCH):
        steps, position = retry_on_conflict(
            partial(_roll_back_batch, batch, plan.to, which, tenant, store, clock, held)
        )
        done.add(steps)
        done.position = position
    return done


def _roll_back_batch(
    ids: Sequence[TraceId], to: int, which: Selection, tenant: Tenant, store: Store, clock: Clock, held: HeldIn
) -> tuple[list[_Step], int]:
    with store.view(tenant) as view:
        erased = _subjects(view, to, view.position)[1]
        # What somebody stored after the plan, to replace or contradict one of these, goes with it.
        linked = sorted({id for trace in view.load(ids) if isinstance(trace, Memory) for id in _links(trace)} - {*ids})
        steps = [step for step in _steps([*ids, *linked], to, view, which, erased, held) if step.put is not None]
        guarded = with_expectations([step.put for step in steps if step.put is not None], view)
        position = view.position
    return steps, store.apply(tenant, guarded, at=clock.now()) if steps else position


def _steps(
    ids: Sequence[TraceId], to: int, view: View, which: Selection, erased: frozenset[TraceId], held: HeldIn
) -> Iterator[_Step]:
    kept = held(view, view.load(ids))
    for id in ids:
        found = _difference(view.history(id), id, to, view.position)
        if found is None or not which.has(found.before, found.after) or found.after is None:
            continue
        if id in kept or any(each.key.startswith(id) for each in view.skipped):
            yield _Step(id, None)
        elif found.before is None:
            if _is_found(found.after):
                yield _Step(id, Put(found.after.revised(state=State.FORGOTTEN), EventKind.WITHDRAWN))
        elif isinstance(found.before, Memory) and not erased.isdisjoint(found.before.source_turns):
            yield _Step(id, None)
        else:
            yield _Step(id, Put(found.before, _inverse(found.before, found.after)))


def _inverse(then: Kept, now_is: Kept) -> EventKind:
    if then.state is now_is.state:
        return EventKind.REVISED
    return EventKind.RESTORED if then.state in SEARCHABLE else EventKind.FORGOTTEN


def _links(memory: Memory) -> Iterator[TraceId]:
    if memory.superseded_by is not None:
        yield memory.superseded_by
    yield from memory.contradicts


def _is_found(trace: Kept | None) -> bool:
    return trace is not None and trace.state in SEARCHABLE


def _subjects(view: View, after: int, upto: int) -> tuple[frozenset[TraceId], frozenset[TraceId]]:
    """What was changed after one position and up to another, and of that what was removed for good."""
    changed: set[TraceId] = set()
    gone: set[TraceId] = set()
    while page := [event for event in view.events(after, _PAGE) if event.position <= upto]:
        # Some events are about something else, such as the clock or a backup.
        changed |= {TraceId(event.subject) for event in page if event.kind not in _OF_USE and is_id(event.subject)}
        gone |= {TraceId(event.subject) for event in page if event.kind in _FOR_GOOD}
        after = page[-1].position
    return frozenset(changed), frozenset(gone)


def _difference(history: Sequence[Version], id: TraceId, first: int, last: int) -> Difference | None:
    before, after = _version_at(history, first), _version_at(history, last)
    if (before is None and after is None) or (before is not None and same_but_use(after, before)):
        return None
    return Difference(id, before, after)


def _version_at(history: Sequence[Version], position: int) -> Kept | None:
    for version in history:
        if version.since <= position and (version.until is None or version.until > position):
            return version.trace if isinstance(version.trace, Memory | Turn | Outcome) else None
    return None
