"""Recall: the relevant lines for a message, with a receipt by which it can be replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cortex.composite_view import FILE_LANES
from cortex.context import Context
from cortex.dependencies import log
from cortex.domain.hits import RecallResult
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, NotFound, RowDamaged, StoreError
from cortex.ports.store import RecordAccess, View
from cortex.recall import flow as recalling
from cortex.recall import receipts, recipes, replay, synthesis
from cortex.recall.flow import Answer
from cortex.recall.replay import Replay
from cortex.recall.reranking import Reader, TimedReranker
from cortex.recall.synthesis import Synthesis
from cortex.runtime.deadline import SHARES, Deadline
from cortex.services.files.freshness import STALE, FileFreshness
from cortex.services.query_vectors import QueryVectors


@dataclass(frozen=True, slots=True)
class SynthesisResult:
    """A synthesis of what is remembered on a topic, the recall it used, and the receipt."""

    synthesis: Synthesis
    recall: RecallResult
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class RecallTrace:
    """A recall with everything that was considered on the way."""

    result: RecallResult
    answer: Answer


class RecallService:
    """Answers questions from the memory of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def recall(self, text: str | Query, **options: Any) -> RecallResult:
        return self.explain(text, **options).result

    def search(self, text: str, **options: Any) -> RecallResult:
        return self.recall(text, mode=Mode.SEARCH, **options)

    def explain(
        self, text: str | Query, *, deadline: Deadline | None = None, cite: bool | None = None, **options: Any
    ) -> RecallTrace:
        query = text if isinstance(text, Query) else Query.of(text, **options)
        deadline = deadline or self._deadline(query)
        stale = self._files_are_stale(query, deadline)
        return self.answer_now(query, deadline=deadline, stale=stale, cite=cite)

    def _deadline(self, query: Query) -> Deadline:
        milliseconds = query.deadline_ms or self._context.settings.recall.deadline_ms
        return Deadline.after(self._context.clock, milliseconds / 1000)

    def _files_are_stale(self, query: Query, deadline: Deadline) -> bool:
        """Whether files changed that are not followed yet, though they were looked at for a share of the time (B12)."""
        concerns_files = query.as_of is None and (query.lanes is None or bool(query.lanes & FILE_LANES))
        if not concerns_files or not (self._settings_name_files or self._context.index is not None):
            return False
        fresh = self._context.dependencies.one("freshness", self._context.tenant, lambda: FileFreshness(self._context))
        return fresh.is_stale(deadline.left(SHARES.files))

    @property
    def _settings_name_files(self) -> bool:
        named = self._context.settings.files
        is_own = self._context.tenant == Tenant(self._context.settings.agent, self._context.settings.user)
        return is_own and bool(named.workspace or named.extra_paths or named.docs)

    def answer_now(
        self,
        query: Query,
        *,
        deadline: Deadline | None = None,
        stale: bool = False,
        without: frozenset[str] = frozenset(),
        cite: bool | None = None,
    ) -> RecallTrace:
        name = query.recipe or self._context.settings.recall.recipe
        recipe = recipes.named(name)
        with self._context.recording("recall", query.text) as record:
            index = self._context.index
            with self._context.view_with(index, query.as_of) as view:
                # The past is judged by its own time: what had not expired then is there.
                then = view.at if isinstance(query.as_of, int) else query.as_of
                space = self._context.space(view)
                vectors = QueryVectors(self._context.dependencies, index, space)
                request = replace(query, recipe=name, asked_at=query.asked_at or then)
                answer = self.answer(request, recipe, view, vectors, deadline=deadline, without=without, cite=cite)
                answer.degraded += vectors.degraded()
                if isinstance(index, StoreError):
                    answer.degraded.append(f"files:{index.code}")
                elif stale:
                    answer.degraded.append(STALE)
                if view.skipped:
                    answer.degraded.append(f"store:{RowDamaged.code}")
                settings = self._context.settings.receipts
                payload = receipts.facts(
                    answer, query, recipe, space, max_items=settings.max_items, verbose=settings.verbosity == "high"
                )
                position = view.position
                used = recalling.used(answer, view) if query.as_of is None else []
            record.close(position, **payload)
        if answer.degraded:
            log.warning("recall degraded: %s", ", ".join(answer.degraded))
        self._touch(used)
        packed = answer.packed
        return RecallTrace(RecallResult(answer.hits, packed.block, packed.tokens, record.receipt), answer)

    def replay(self, id: str, *, query: str | None = None) -> Replay:
        self._context.flush()
        with self._context.store_view() as view:
            found = view.receipt(ReceiptId(id.strip().lower()))
        if found is None or found[0].op != "recall":
            raise NotFound(f"no recall receipt {id}", hint="see `cortex admin receipts`")
        receipt, kept = found
        text = kept if query is None else query
        if text is None:
            raise InvalidRequest("was not kept with the receipt", field="query", hint="give it with --query")
        request = replay.query_of(receipt, text)
        recipe = recipes.named(receipt.facts["recipe"])
        with self._context.view(receipt.position) as view:
            space = replay.space_of(receipt, self._context.space(view))
            vectors = QueryVectors(self._context.dependencies, self._context.index, space)
            answer = self.answer(
                request, recipe, view, vectors,
                reader=replay.reader_of(receipt), without=replay.left_out(receipt),
            )  # fmt: skip
        return replay.compared(receipt, answer, recipe.fingerprint, space)

    def answer(
        self,
        query: Query,
        recipe: recipes.Recipe,
        view: View,
        vectors: QueryVectors,
        *,
        reader: Reader | None = None,
        without: frozenset[str] = frozenset(),
        deadline: Deadline | None = None,
        cite: bool | None = None,
    ) -> Answer:
        dependencies, clock = self._context.dependencies, self._context.clock
        deadline = deadline or self._deadline(query)
        return recalling.recall(
            query,
            view=view,
            ask=vectors.ask,
            recipe=recipe,
            reader=reader or TimedReranker(dependencies.reranker, dependencies.readers.start, deadline),
            clock=clock,
            deadline=deadline,
            without=without,
            passage_tokens=self._context.passage_tokens,
            cite=self._context.cites() if cite is None else cite,
        )

    def synthesize(self, text: str, **options: Any) -> SynthesisResult:
        found = self.recall(text, **options)
        with self._context.recording("synthesize", text) as record:
            made = synthesis.synthesize(text, found.hits, self._context.dependencies.llm, self._context.clock.now())
            record.close(
                found.receipt.position,
                method=made.method.value,
                ids=list(made.ids),
                sources=made.sources,
                trust=made.trust.value,
                because=made.because,
                recall=found.receipt.id,
            )
        return SynthesisResult(made, found, record.receipt)

    def _touch(self, used: Sequence[TraceId]) -> None:
        """Count the use of memories, after the answer was given (X8)."""
        if used:
            self._context.write_behind([RecordAccess(tuple(used), self._context.clock.now())])
