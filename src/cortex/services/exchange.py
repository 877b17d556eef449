"""Export and import: JSON lines, and Markdown that a person edits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from cortex import exchange
from cortex.context import Context
from cortex.domain.identity import TraceId
from cortex.domain.lanes import ANY_STATE
from cortex.domain.receipt import Receipt
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.remember import flow as remembering
from cortex.services.calibrator import calibrator_of
from cortex.services.trace_writer import writer_of

Plan = TypeVar("Plan", exchange.ImportPlan, exchange.MarkdownPlan)


class ExchangeService:
    """Exports and imports memories."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def export(self, filter: Filter | None = None, *, redact: bool = True) -> Iterator[dict[str, Any]]:
        wanted = filter or Filter(states=ANY_STATE)
        return exchange.exported(self._context.store, self._context.tenant, wanted, redact=redact)

    def import_(self, lines: Iterable[str], *, embed: bool, progress: Progress, **options: Any) -> exchange.Imported:
        run = partial(exchange.import_lines, lines, **options)
        return exchange.Imported(*self._store("import", run, embed, progress))

    def export_markdown(self, filter: Filter | None = None, *, by_scope: bool = False) -> Sequence[exchange.Page]:
        with self._context.store_view() as view:
            at = self._context.clock.now()
            return exchange.markdown_pages(view, self._context.tenant, filter or Filter(), at=at, by_scope=by_scope)

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
