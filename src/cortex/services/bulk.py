"""Changes of many memories at once: all in one transaction, each id answered, and one undo for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from cortex.context import Context
from cortex.domain.choices import chosen
from cortex.domain.chunk import Chunk
from cortex.domain.events import Event, EventKind
from cortex.domain.identity import TraceId, checked_id
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.receipt import Receipt
from cortex.domain.tags import BULK
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.errors import Conflict, InvalidRequest
from cortex.exchange.edits import edited
from cortex.lifecycle.plan import same_but_use
from cortex.lifecycle.undo import Run
from cortex.ports.store import Put, Version, View, retry_on_conflict, with_expectations
from cortex.services.edit import state_to_restore
from cortex.services.tags import TagService

MOST = 1_000
"""How many ids one call may name."""

_OURS = frozenset({EventKind.FORGOTTEN, EventKind.RESTORED, EventKind.REVISED})


class BulkAction(StrEnum):
    """What is done to each."""

    FORGET = "forget"
    RESTORE = "restore"
    EDIT = "edit"


class BulkStatus(StrEnum):
    """What became of one id."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    """It is so already."""
    MISSING = "missing"
    """There is nothing with this id."""
    CONFLICT = "conflict"
    """Somebody changed it after the position that the caller has seen."""
    REFUSED = "refused"
    """It is not something that can be changed so, such as lines of a file, or an edit of what is not active."""


@dataclass(frozen=True, slots=True)
class BulkResult:
    """What became of each id. `run` names the change for `undo_bulk`; empty where nothing changed."""

    statuses: Mapping[TraceId, BulkStatus]
    run: str
    receipt: Receipt

    def having(self, status: BulkStatus) -> tuple[TraceId, ...]:
        """The ids of which this became."""
        return tuple(id for id, found in self.statuses.items() if found is status)


class _Refused(Exception):
    """It cannot be changed in this way."""


Next = Callable[[Trace, View], Put | None]
"""The next version of a trace; None where it is so already."""


class BulkService:
    """Changes many memories of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def change(
        self, action: BulkAction | str, ids: Sequence[str], *, seen_at: int | None = None, **changes: Any
    ) -> BulkResult:
        step = self._step(chosen(BulkAction, action, "action"), changes)
        wanted = _wanted(ids)
        TagService(self._context).automatic_before(BULK, len(wanted))
        with self._context.recording("bulk") as record:
            facts: dict[str, Any] = {"action": str(action), "fields": sorted(changes)}
            statuses, run, position = self._carry_out(wanted, step, seen_at)
            record.close(position, **facts, **_counted(statuses), run=run)
        return BulkResult(statuses, run, record.receipt)

    def undo(self, run: str) -> BulkResult:
        named = Run.named(run)
        with self._context.recording("undo_bulk") as record:
            with self._context.store_view() as view:
                events = _events(view, named)
            subjects = [TraceId(event.subject) for event in events]
            steps = {TraceId(event.subject): event.position for event in events}
            statuses, again, position = self._carry_out(subjects, partial(_undone, steps), None)
            if not again:
                raise Conflict(
                    f"{named} cannot be undone: all of it was changed since", hint="see `cortex get ID` for each"
                )
            record.close(position, undone=str(named), **_counted(statuses), run=again)
        return BulkResult(statuses, again, record.receipt)

    def _carry_out(
        self, ids: Sequence[TraceId], step: Next, seen_at: int | None
    ) -> tuple[dict[TraceId, BulkStatus], str, int]:
        """What became of each, the name of the change, and the position afterwards."""

        def attempt() -> tuple[dict[TraceId, BulkStatus], str, int]:
            with self._context.view() as view:
                statuses, puts = _planned(view, ids, step, seen_at)
                guarded = with_expectations(puts, view)
                before = view.position
            if not puts:
                return statuses, "", before
            after = self._context.apply(guarded)
            # In one transaction under a lock: nothing of anybody else's is among them.
            return statuses, str(Run(after - len(puts), after)), after

        return retry_on_conflict(attempt)

    def _step(self, action: BulkAction, changes: Mapping[str, Any]) -> Next:
        if action is BulkAction.EDIT:
            _check(changes)
            return partial(_edited, changes, self._context.max_text_bytes)
        if changes:
            raise InvalidRequest(f"does not belong to {action}", field=next(iter(changes)), hint="use edit to set it")
        return _forgotten if action is BulkAction.FORGET else _restored


_FIELDS = ("scope", "kind", "label", "importance", "tags", "add_tags", "remove_tags", "retention")


def _check(changes: Mapping[str, Any]) -> None:
    for name in changes:
        if name not in _FIELDS:
            raise InvalidRequest("cannot be changed for many at once", field=name, hint=f"use {', '.join(_FIELDS)}")
    if all(value is None for value in changes.values()):
        raise InvalidRequest("changes nothing", field="action", hint=f"set one of {', '.join(_FIELDS)}")
    if changes.get("tags") is not None and (changes.get("add_tags") or changes.get("remove_tags")):
        raise InvalidRequest("is given beside tags", field="add_tags", hint="use one of them")


def _wanted(ids: Sequence[str]) -> list[TraceId]:
    if isinstance(ids, str) or not 1 <= len(ids) <= MOST:
        raise InvalidRequest(f"has {len(ids):,} entries", field="ids", hint=f"give 1 to {MOST:,} ids")
    return list(dict.fromkeys(checked_id(id, field="ids") for id in ids))


def _planned(
    view: View, ids: Sequence[TraceId], step: Next, seen_at: int | None
) -> tuple[dict[TraceId, BulkStatus], list[Put]]:
    there = {trace.id: trace for trace in view.load(ids)}
    last = {} if seen_at is None else view.changed_by(ids)
    statuses, puts = dict[TraceId, BulkStatus](), list[Put]()
    for id in ids:
        if id not in there:
            statuses[id] = BulkStatus.MISSING
        elif seen_at is not None and id in last and last[id].position > seen_at:
            statuses[id] = BulkStatus.CONFLICT
        else:
            try:
                put = step(there[id], view)
            except _Refused:
                statuses[id] = BulkStatus.REFUSED
                continue
            statuses[id] = BulkStatus.CHANGED if put else BulkStatus.UNCHANGED
            puts += [put] if put else []
    return statuses, puts


# --- one of them ------------------------------------------------------------------------------------------------------


def _forgotten(trace: Trace, view: View) -> Put | None:  # noqa: ARG001 - one of `Next`
    if isinstance(trace, Chunk):
        raise _Refused
    return None if trace.state is State.FORGOTTEN else Put(trace.revised(state=State.FORGOTTEN), EventKind.FORGOTTEN)


def _restored(trace: Trace, view: View) -> Put | None:
    if isinstance(trace, Chunk):
        raise _Refused
    state = state_to_restore(view.history(trace.id))
    return None if trace.state is state else Put(trace.revised(state=state), EventKind.RESTORED)


def _edited(changes: Mapping[str, Any], max_text_bytes: int, trace: Trace, view: View) -> Put | None:  # noqa: ARG001
    if not isinstance(trace, Memory) or trace.state is not State.ACTIVE:
        raise _Refused
    fields = {name: value for name, value in changes.items() if value is not None}
    added, removed = fields.pop("add_tags", None) or (), fields.pop("remove_tags", None) or ()
    if added or removed:
        fields["tags"] = tuple(tag for tag in dict.fromkeys((*trace.tags, *added)) if tag not in removed)
    after = edited(trace, fields, max_text_bytes)
    return None if after == trace else Put(after, EventKind.REVISED)


# --- taking it back ---------------------------------------------------------------------------------------------------


def _events(view: View, run: Run) -> list[Event]:
    """The events of one change of many."""
    if run.upto > view.position:
        raise InvalidRequest(f"{run} lies in the future", field="run", hint=f"the ledger ends at {view.position:,}")
    found = [event for event in view.events(run.after, MOST + 1) if event.position <= run.upto]
    is_whole = 1 <= len(found) == run.upto - run.after <= MOST
    if not is_whole or len({(event.actor, event.cause, event.at) for event in found}) > 1:
        raise InvalidRequest(f"{run} is not one change of many", field="run", hint="give it as `bulk` returned it")
    if any(event.kind not in _OURS for event in found):
        raise InvalidRequest(f"{run} is not a change of `bulk`", field="run", hint="give it as `bulk` returned it")
    return found


def _undone(positions: Mapping[TraceId, int], trace: Trace, view: View) -> Put | None:
    """What a trace said before it was changed at its position, unless it was changed again since."""
    history = view.history(trace.id)
    after, before = _version(history, positions[trace.id]), _before(history, positions[trace.id])
    if not isinstance(before, Memory | Turn | Outcome) or after is None or not same_but_use(trace, after):
        raise _Refused
    if isinstance(before, Memory) and isinstance(trace, Memory) and trace.grade is not None:
        before = before.revised(grade=trace.grade)
    if before.state is trace.state:
        return Put(before, EventKind.REVISED)
    return Put(before, EventKind.FORGOTTEN if before.state is State.FORGOTTEN else EventKind.RESTORED)


def _version(history: Sequence[Version], since: int) -> Trace | None:
    return next((each.trace for each in history if each.since == since), None)


def _before(history: Sequence[Version], until: int) -> Trace | None:
    return next((each.trace for each in history if each.until == until), None)


def _counted(statuses: Mapping[TraceId, BulkStatus]) -> dict[str, int]:
    counts = Counter(statuses.values())
    return {str(status): counts[status] for status in BulkStatus if counts[status]}
