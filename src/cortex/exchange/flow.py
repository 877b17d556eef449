"""Carrying out the edits of a person: planned on what is there, and planned anew where somebody else was first."""

from __future__ import annotations

from collections.abc import Mapping

from cortex.domain.identity import IdSource
from cortex.domain.scope import Tenant
from cortex.errors import Conflict
from cortex.exchange.editing import MarkdownPlan, markdown_plan
from cortex.ports.clock import Clock
from cortex.ports.store import Store

TRIES = 8


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
    for tried in range(TRIES):
        now = clock.now()
        with store.view(tenant) as view:
            plan = markdown_plan(pages, view, tenant=tenant, ids=ids, now=now, max_text_bytes=max_text_bytes, **options)
        if plan.dry_run or not plan.changes:
            return plan
        try:
            plan.position = store.apply(tenant, plan.changes, at=now)
        except Conflict:
            # Another writer was first: what it changed may be in conflict with the edits now.
            if tried == TRIES - 1:
                raise
        else:
            return plan
    raise AssertionError  # the loop returns or raises
