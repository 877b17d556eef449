"""The difference between two states of a memory, and the way back to a tag (E18)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from cortex.context import AsOf, Context
from cortex.domain.lanes import ANY_STATE
from cortex.domain.receipt import Receipt
from cortex.domain.scope import checked_label
from cortex.domain.tags import ROLLBACK, Tag, checked_name
from cortex.errors import InvalidRequest, NotFound
from cortex.lifecycle import rollback
from cortex.lifecycle.rollback import Difference, Rollback, Selection
from cortex.ports.store import Filter, View
from cortex.services.exchange import embed_stored
from cortex.services.holds import HoldService
from cortex.services.tags import TagService

_SCOPES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class DiffResult:
    """What differs between two positions of the ledger, in order of id."""

    first: int
    last: int
    differences: tuple[Difference, ...]
    erased: int
    """How many memories and turns were removed for good in between."""
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class UserRollback:
    """What a rollback did to the memory of one user, or would do. `undo` is the tag that undoes it."""

    user: str
    rollback: Rollback
    undo: str
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class RollbackResult:
    """What a rollback did, or with `dry_run` would do, for each user."""

    tag: str
    dry_run: bool
    users: tuple[UserRollback, ...]


class RollbackService:
    """Compares earlier states of one user's memory, and goes back to one; with `everyone`, of all users."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def diff(self, a: AsOf, b: AsOf | None = None, *, scope: str | None = None, turns: bool = False) -> DiffResult:
        which = _selection(scope, turns)
        positions = [self._context.position_of(each) for each in (a, b)]
        with self._context.recording("diff") as record:
            with self._context.store_view() as view:
                first, last = (_within(each, view) for each in positions)
                if last < first:
                    raise InvalidRequest(
                        f"position {last:,} is before position {first:,}",
                        field="b",
                        hint="give the earlier state first",
                    )
                if which.scope is not None:
                    _refuse_unknown(which.scope, ((self._context, at) for at in (last, first)))
                found = rollback.changes(view, first, last, which)
                position = view.position
            record.touch(each.id for each in found.differences)
            record.close(position, first=first, last=last, changed=len(found.differences), erased=found.erased)
        return DiffResult(first, last, found.differences, found.erased, record.receipt)

    def roll_back(
        self, tag: str, *, scope: str | None = None, turns: bool = False, dry_run: bool = False, everyone: bool = False
    ) -> RollbackResult:
        which = _selection(scope, turns)
        name, own = checked_name(tag), TagService(self._context)
        own.require()
        users = [handle.user for handle in own.handles(everyone) if handle.has(name)]
        if not users:
            raise NotFound(f"no tag {name!r}", hint="see `cortex admin tags`")
        contexts = [self._context.bind(user=user) for user in users]
        tags = [context.tagged(name) for context in contexts]  # all of them, before anything is changed
        if which.scope is not None:
            states = [(context, at) for context, tag in zip(contexts, tags, strict=True) for at in (None, tag.position)]
            _refuse_unknown(which.scope, states)
        done = [_roll_back(context, tag, which, dry_run) for context, tag in zip(contexts, tags, strict=True)]
        return RollbackResult(name, dry_run, tuple(done))


def _roll_back(context: Context, tag: Tag, which: Selection, dry_run: bool) -> UserRollback:
    undo, held = "", HoldService(context).held
    with context.recording("rollback") as record:
        with context.store_view() as view:
            done = rollback.planned(tag.position, view, which, held)
        facts = {"tag": tag.name, "scope": which.scope, "turns": which.turns, "dry_run": dry_run}
        if done.changed and not dry_run:
            before = TagService(context).put(ROLLBACK)
            undo = before.name
            done = rollback.roll_back(
                done, which, tenant=context.tenant, store=context.store, clock=context.clock, held=held
            )
            stored = embed_stored(context, done.position, [*done.reverted, *done.restored])
            facts |= {"undo": undo, **stored.facts()}
            done.position = stored.position
        record.close(done.position, **facts, **done.facts())
    return UserRollback(context.tenant.user, done, undo, record.receipt)


def _refuse_unknown(scope: str, states: Iterable[tuple[Context, int | None]]) -> None:
    """A misspelled scope would silently have no effect. It is known if anything is in it at one of these positions."""
    known: set[str] = set()
    for context, position in states:
        with context.store.view(context.tenant, position) as view:
            known |= view.scopes(Filter(states=ANY_STATE))
        if scope in known:
            return
    near = get_close_matches(scope, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(known)[:_SCOPES_SHOWN]) or 'none'}"
    raise NotFound(f"no scope {scope!r}", hint=hint)


def _within(position: int | None, view: View) -> int:
    if position is not None and position < 0:
        raise InvalidRequest(f"{position} is not a position of the ledger", field="a", hint="give 0 or more")
    return view.position if position is None else min(position, view.position)


def _selection(scope: str | None, turns: bool) -> Selection:
    return Selection(None if scope is None else checked_label(scope, "scope"), turns)
