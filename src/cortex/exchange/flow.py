"""Carrying out imports and edits: planned on what is there, and planned anew where somebody else was first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cortex.domain.events import EventKind
from cortex.domain.identity import IdSource
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.errors import Conflict
from cortex.exchange.editable_fields import revision_of
from cortex.exchange.edits import MarkdownPlan, edited, markdown_plan
from cortex.exchange.imports import ImportPlan, import_plan
from cortex.ports.clock import Clock
from cortex.ports.store import Change, ExpectSame, Put, Store, retry_on_conflict

Secure = Callable[[int], object]
"""Called with the number of memories that are about to change, so that there is a way back."""


def _unsecured(_memories: int) -> None:
    pass


def import_edits(
    pages: Mapping[str, str],
    *,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    max_text_bytes: int,
    secure: Secure = _unsecured,
    **options: bool,
) -> MarkdownPlan:
    """Carry out the edits in `pages` (text by name), all or none. `options` are those of `markdown_plan`."""

    def attempt() -> MarkdownPlan:
        now = clock.now()
        with store.view(tenant) as view:
            plan = markdown_plan(pages, view, tenant=tenant, ids=ids, now=now, max_text_bytes=max_text_bytes, **options)
        if plan.changes and not plan.dry_run:
            secure(len(plan.created) + len(plan.edited) + len(plan.forgotten))
            plan.position = store.apply(tenant, plan.changes, at=now)
        return plan

    return retry_on_conflict(attempt)


@dataclass(frozen=True, slots=True)
class Edit:
    """A memory after an edit, and where that left the ledger; `changed` says whether it was another before."""

    memory: Memory
    position: int
    changed: bool


def edit(
    read: Callable[[], tuple[Memory, int]],
    changes: Mapping[str, Any],
    *,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    max_text_bytes: int,
    if_revision: str | None = None,
) -> Edit:
    """Store a new version of the memory that `read` returns with the position it was read at.

    With `if_revision`, an edit of any other version is a `Conflict`.
    """

    def attempt() -> Edit:
        memory, position = read()
        after = edited(memory, changes, max_text_bytes)
        if after is memory:
            return Edit(memory, position, changed=False)
        if memory.state is not State.ACTIVE or (if_revision is not None and if_revision != revision_of(memory)):
            raise EditRefused
        put: list[Change] = [ExpectSame(memory), Put(after, EventKind.REVISED)]
        return Edit(after, store.apply(tenant, put, at=clock.now()), changed=True)

    return retry_on_conflict(attempt)


class EditRefused(Conflict):
    """The memory is not the one that was read; trying again does not help."""

    def __init__(self) -> None:
        super().__init__(
            "the memory was changed since it was read, or is no longer active", hint="read it again and repeat the edit"
        )


def import_lines(
    lines: Iterable[str],
    *,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    max_text_bytes: int,
    secure: Secure = _unsecured,
    **options: Any,
) -> ImportPlan:
    """Store what `lines` describe, all or nothing. `options` are those of `import_plan`."""
    given = list(lines)

    def attempt() -> ImportPlan:
        with store.view(tenant) as view:
            plan = import_plan(given, view, ids=ids, max_text_bytes=max_text_bytes, **options)
        if plan.traces and not plan.dry_run:
            secure(sum(isinstance(trace, Memory) for trace in plan.traces))
            plan.position = store.apply(tenant, plan.changes, at=clock.now())
        return plan

    return retry_on_conflict(attempt)
