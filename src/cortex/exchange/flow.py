"""Carrying out imports and edits: planned on what is there, and planned anew where somebody else was first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cortex.domain.identity import IdSource
from cortex.domain.scope import Tenant
from cortex.exchange.editing import MarkdownPlan, markdown_plan
from cortex.exchange.importing import ImportPlan, import_plan
from cortex.ports.clock import Clock
from cortex.ports.store import Store, retry_on_conflict


def import_edits(
    pages: Mapping[str, str],
    *,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    max_text_bytes: int,
    **options: bool,
) -> MarkdownPlan:
    """Carry out the edits in `pages` (text by name), all or none. `options` are those of `markdown_plan`."""

    def attempt() -> MarkdownPlan:
        now = clock.now()
        with store.view(tenant) as view:
            plan = markdown_plan(pages, view, tenant=tenant, ids=ids, now=now, max_text_bytes=max_text_bytes, **options)
        if plan.changes and not plan.dry_run:
            plan.position = store.apply(tenant, plan.changes, at=now)
        return plan

    return retry_on_conflict(attempt)


def import_lines(
    lines: Iterable[str],
    *,
    tenant: Tenant,
    store: Store,
    clock: Clock,
    ids: IdSource,
    max_text_bytes: int,
    **options: Any,
) -> ImportPlan:
    """Store what `lines` describe, all or nothing. `options` are those of `import_plan`."""
    given = list(lines)

    def attempt() -> ImportPlan:
        with store.view(tenant) as view:
            plan = import_plan(given, view, ids=ids, max_text_bytes=max_text_bytes, **options)
        if plan.traces and not plan.dry_run:
            plan.position = store.apply(tenant, plan.changes, at=clock.now())
        return plan

    return retry_on_conflict(attempt)
