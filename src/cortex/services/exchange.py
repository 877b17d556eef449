"""Export and import: JSON lines, and Markdown that a person edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cortex import exchange
from cortex.context import Context
from cortex.domain.identity import TraceId
from cortex.domain.lanes import ANY_STATE
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.remember import flow as remembering
from cortex.services.calibrator import calibrator_of


class ExchangeService:
    """Carries memories in and out."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def export(self, filter: Filter | None = None, *, redact: bool = True) -> Iterator[dict[str, Any]]:
        """Traces in order of id, as plain values; without their text unless asked for (E14)."""
        wanted = filter or Filter(states=ANY_STATE)
        return exchange.exported(self._context.store, self._context.tenant, wanted, redact=redact)

    def import_(
        self,
        lines: Iterable[str],
        *,
        dedupe: str = "id_text",
        dry_run: bool = False,
        skip_bad: bool = False,
        trusted: bool = False,
        embed: bool = True,
        progress: Progress = silent,
    ) -> exchange.Imported:
        """Memories and turns from lines that `export` wrote: all are checked, then all are stored, or none (E14)."""
        with self._context.recording("import") as record:
            plan = exchange.import_lines(
                lines,
                tenant=self._context.tenant,
                store=self._context.store,
                clock=self._context.clock,
                ids=self._context.ids,
                max_text_bytes=self._context.max_text_bytes,
                dedupe=dedupe,
                dry_run=dry_run,
                skip_bad=skip_bad,
                trusted=trusted,
            )
            outcome = embed_stored(self._context, plan.position, plan.stored, embed=embed, progress=progress)
            record.close(outcome.position, **plan.facts(), **outcome.facts())
        return exchange.Imported(plan, record.receipt)

    def export_markdown(self, filter: Filter | None = None, *, by_scope: bool = False) -> Sequence[exchange.Page]:
        """Active memories as Markdown for a person to edit, text included: one page, or one for each scope."""
        with self._context.store_view() as view:
            at = self._context.clock.now()
            return exchange.markdown_pages(view, self._context.tenant, filter or Filter(), at=at, by_scope=by_scope)

    def import_markdown(
        self,
        pages: str | Mapping[str, str],
        *,
        dry_run: bool = False,
        trusted: bool = True,
        skip_conflicts: bool = False,
        forget_missing: bool = False,
        embed: bool = True,
        progress: Progress = silent,
    ) -> exchange.MarkdownImported:
        """What a person changed in pages that `export_markdown` wrote, given as one text or as texts by name.

        All of it is stored, or nothing. What was changed here as well is an `EditConflict`; with `skip_conflicts` the
        rest is stored. What is missing from the pages is forgotten with `forget_missing` alone.
        """
        with self._context.recording("import_markdown") as record:
            plan = exchange.import_edits(
                {"": pages} if isinstance(pages, str) else pages,
                tenant=self._context.tenant,
                store=self._context.store,
                clock=self._context.clock,
                ids=self._context.ids,
                max_text_bytes=self._context.max_text_bytes,
                dry_run=dry_run,
                trusted=trusted,
                skip_conflicts=skip_conflicts,
                forget_missing=forget_missing,
            )
            outcome = embed_stored(self._context, plan.position, plan.stored, embed=embed, progress=progress)
            record.close(outcome.position, **plan.facts(), **outcome.facts())
        return exchange.MarkdownImported(plan, record.receipt)


def embed_stored(
    context: Context, position: int, ids: Sequence[TraceId], *, embed: bool = True, progress: Progress = silent
) -> remembering.Outcome:
    """Give vectors to what was stored all at once."""
    outcome = remembering.Outcome(position=position, stored=len(ids))
    if embed and context.can_embed:
        vectors = remembering.backfill_these(
            ids,
            tenant=context.tenant,
            store=context.store,
            embedder=context.dependencies.embedder,
            passage_tokens=context.passage_tokens,
            clock=context.clock,
            progress=progress,
        )
        outcome.add(vectors)
        calibrator_of(context).refresh()
    elif ids:
        progress(len(ids), len(ids), "stored")
    return outcome
