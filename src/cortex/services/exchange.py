"""Export and import: JSON lines, and Markdown that a person edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from cortex import exchange
from cortex.context import AsOf, Context
from cortex.domain.identity import TraceId
from cortex.domain.lanes import ANY_STATE
from cortex.domain.receipt import Receipt
from cortex.domain.tags import IMPORT
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.remember import flow as remembering
from cortex.services.browse import filter_facts
from cortex.services.calibrator import calibrator_of
from cortex.services.tags import TagService
from cortex.services.trace_writer import writer_of

Plan = TypeVar("Plan", exchange.ImportPlan, exchange.MarkdownPlan)


class ExchangeService:
    """Exports and imports memories."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def export(
        self, filter: Filter | None = None, *, redact: bool = True, as_of: AsOf | None = None
    ) -> Iterator[dict[str, Any]]:
        wanted, position = filter or Filter(states=ANY_STATE), self._context.position_of(as_of)
        return self._exported(wanted, redact=redact, as_of=position)

    def _exported(self, wanted: Filter, *, redact: bool, as_of: int | None) -> Iterator[dict[str, Any]]:
        began = self._context.clock.monotonic()
        touched, is_complete = self._context.touching(), False
        # The receipt is written at the end, and not around it: between two lines, the caller does something else.
        try:
            tenant = self._context.tenant
            for line in exchange.exported(self._context.store, tenant, wanted, redact=redact, as_of=as_of):
                touched.add([line["id"]])
                yield line
            is_complete = True
        finally:
            facts = {"filters": filter_facts(wanted), "redacted": redact, "complete": is_complete}
            self._context.record("export", began, touched, **facts)

    def import_(self, lines: Iterable[str], *, embed: bool, progress: Progress, **options: Any) -> exchange.Imported:
        run = partial(exchange.import_lines, lines, **options)
        return exchange.Imported(*self._store("import", run, embed, progress))

    def export_markdown(
        self, filter: Filter | None = None, *, by_scope: bool = False, as_of: AsOf | None = None
    ) -> Sequence[exchange.Page]:
        context, wanted = self._context, filter or Filter()
        position = context.position_of(as_of)
        with context.recording("export_markdown") as record, context.store.view(context.tenant, position) as view:
            pages = exchange.markdown_pages(view, context.tenant, wanted, at=context.clock.now(), by_scope=by_scope)
            record.close(view.position, filters=filter_facts(wanted), pages=len(pages))
            return pages

    def import_markdown(
        self, pages: str | Mapping[str, str], *, embed: bool, progress: Progress, **options: Any
    ) -> exchange.MarkdownImported:
        run = partial(exchange.import_edits, {"": pages} if isinstance(pages, str) else pages, **options)
        return exchange.MarkdownImported(*self._store("import_markdown", run, embed, progress))

    def _store(self, op: str, run: Callable[..., Plan], embed: bool, progress: Progress) -> tuple[Plan, Receipt]:
        """Carry out an import, embed what it stored, and write the receipt."""
        context = self._context
        with context.recording(op) as record:
            plan = run(
                tenant=context.tenant,
                store=context.store,
                clock=context.clock,
                ids=context.ids,
                max_text_bytes=context.max_text_bytes,
                secure=partial(TagService(context).automatic_before, IMPORT),
            )
            outcome = embed_stored(context, plan.position, plan.stored, embed=embed, progress=progress)
            record.close(outcome.position, **plan.facts(), **outcome.facts())
        return plan, record.receipt


def embed_stored(
    context: Context, position: int, ids: Sequence[TraceId], *, embed: bool = True, progress: Progress = silent
) -> remembering.StoreOutcome:
    """Give vectors to what was stored all at once."""
    outcome = remembering.StoreOutcome(position=position, stored=len(ids))
    if embed and context.can_embed:
        outcome.add(writer_of(context, progress).backfill_these(ids))
        calibrator_of(context).refresh()
    elif ids:
        progress(len(ids), len(ids), "stored")
    return outcome
