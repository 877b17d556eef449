"""Recall: the relevant lines for a message, with a receipt by which it can be replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cortex.composite_view import FILE_LANES
from cortex.context import Context
from cortex.dependencies import log
from cortex.domain.canary import Arm
from cortex.domain.hits import RecallResult
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.vectors import Calibration
from cortex.errors import InvalidRequest, NotFound, RowDamaged, StoreError
from cortex.ports.index import FileIndex
from cortex.ports.store import RecordAccess, View
from cortex.recall import flow as recalling
from cortex.recall import receipts, recipes, replay, synthesis
from cortex.recall.flow import Answer
from cortex.recall.receipts import digest_of
from cortex.recall.replay import Replay
from cortex.recall.reranking import Reader, TimedReranker
from cortex.recall.synthesis import Synthesis
from cortex.runtime.deadline import SHARES, Deadline
from cortex.runtime.ladder import Rung
from cortex.services.files.freshness import STALE, FileFreshness
from cortex.services.query_vectors import QueryVectors
from cortex.workspace import media_index

REPLAY_SECONDS = 60.0
"""No turn waits for a replay, and the past of a large memory takes longer to search than the present."""


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


SILENT = "silent_rung"
"""Why a turn was skipped while recall was on the lowest rung of the ladder."""


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What the receipt of a recall says of the turn that it was for; ids and names alone."""

    session: str | None = None
    arm: Arm | None = None
    rung: Rung = Rung.FULL

    def facts(self) -> dict[str, Any]:
        return {
            "session_hash": None if self.session is None else digest_of(self.session),
            "arm": None if self.arm is None else self.arm.value,
            "rung": self.rung.value,
        }

    def degraded(self) -> list[str]:
        return [] if self.rung is Rung.FULL else [f"{LADDER}:{self.rung.value}"]


LADDER = "ladder"


class RecallService:
    """Answers questions from the memory of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def recall(self, text: str | Query, **options: Any) -> RecallResult:
        return self.explain(text, **options).result

    def search(self, text: str, **options: Any) -> RecallResult:
        return self.recall(text, mode=Mode.SEARCH, **options)

    def explain(
        self,
        text: str | Query,
        *,
        deadline: Deadline | None = None,
        cite: bool | None = None,
        turn: TurnFacts | None = None,
        **options: Any,
    ) -> RecallTrace:
        self._context.dependencies.arms.look()
        query = text if isinstance(text, Query) else Query.of(text, **options)
        deadline = deadline or self._deadline(query)
        stale = self._files_are_stale(query, deadline)
        return self.answer_now(query, deadline=deadline, stale=stale, cite=cite, turn=turn)

    def left_silent(self, query: Query, turn: TurnFacts) -> Receipt:
        """The receipt of a turn that got no recall, because recall kept failing."""
        recipe = recipes.named(query.recipe or self._context.settings.recall.recipe)
        space, known = self._context.dependencies.embedder.space, self._context.dependencies.positions
        with self._context.recording("recall", query.text) as record:
            answer = Answer(skipped=SILENT, degraded=turn.degraded())
            payload = receipts.facts(answer, query, recipe, space, max_items=1, verbose=False)
            record.close(known.of(self._context.tenant) or 0, **payload, **turn.facts())
        return record.receipt

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
        turn: TurnFacts | None = None,
    ) -> RecallTrace:
        turn = turn or TurnFacts()
        if turn.rung is not Rung.FULL:
            without |= replay.BY_KEYWORDS
        how: dict[str, Any] = {"deadline": deadline, "stale": stale, "without": without, "cite": cite, "turn": turn}
        shown = self._context.shown(query.at_least)
        return self._context.from_any(lambda at_least: self._answered(query, at_least, **how), shown)

    def _answered(
        self,
        query: Query,
        at_least: int | None,
        *,
        deadline: Deadline | None,
        stale: bool,
        without: frozenset[str],
        cite: bool | None,
        turn: TurnFacts,
    ) -> RecallTrace:
        name = query.recipe or self._context.settings.recall.recipe
        recipe = recipes.named(name)
        with self._context.recording("recall", query.text) as record:
            indexes = self._context.indexes
            with self._context.view_with(indexes, query.as_of, at_least) as view:
                # The past is judged by its own time: what had not expired then is there.
                then = view.at if isinstance(query.as_of, int | str) else query.as_of
                space = self._context.space(view)
                vectors = QueryVectors(self._context.dependencies, indexes, space, self._media_scales(query, indexes))
                request = replace(query, recipe=name, asked_at=query.asked_at or then)
                answer = self.answer(request, recipe, view, vectors, deadline=deadline, without=without, cite=cite)
                answer.degraded += [*vectors.degraded(), *turn.degraded()]
                if isinstance(indexes, StoreError):
                    answer.degraded.append(f"files:{indexes.code}")
                elif stale:
                    answer.degraded.append(STALE)
                answer.degraded += view.degraded
                if view.skipped:
                    answer.degraded.append(f"store:{RowDamaged.code}")
                settings = self._context.settings.receipts
                payload = receipts.facts(
                    answer, query, recipe, space, max_items=settings.max_items, verbose=settings.verbosity == "high",
                    media=vectors.media_spaces(),
                )  # fmt: skip
                position = view.position
                used = recalling.used(answer, view) if query.as_of is None else []
            record.close(position, **payload, **turn.facts())
        # Another rung is logged once, when turns go there.
        if codes := [code for code in answer.degraded if not code.startswith(f"{LADDER}:")]:
            log.warning("recall degraded: %s", ", ".join(codes))
        self._touch(used)
        packed = answer.packed
        return RecallTrace(RecallResult(answer.hits, packed.block, packed.tokens, record.receipt), answer)

    def _media_scales(self, query: Query, indexes: Sequence[FileIndex] | StoreError) -> dict[str, Calibration]:
        """The scales of the media that a query can be compared with: those of files, which have no past."""
        if not self._context.dependencies.media_embedders or isinstance(indexes, StoreError) or query.as_of is not None:
            return {}
        found: dict[str, Calibration] = {}
        for index in reversed(indexes):  # this host's own scale counts
            with index.view(self._context.tenant) as view:
                found |= media_index.scales(view)
        return found

    def replay(self, id: str, *, query: str | None = None) -> Replay:
        self._context.flush()
        with self._context.store_view() as view:
            found = view.receipt(ReceiptId(id.strip().lower()))
        if found is None or found[0].op != "recall":
            raise NotFound(f"no recall receipt {id}", hint="see `cortex admin receipts`")
        receipt, kept = found
        if receipt.facts.get("skipped") == SILENT:
            raise InvalidRequest(
                "was given no recall: there is nothing to repeat", field="receipt", hint="see its rung"
            )
        text = kept if query is None else query
        if text is None:
            raise InvalidRequest("was not kept with the receipt", field="query", hint="give it with --query")
        with self._context.view(receipt.position) as view:
            return self.repeat(receipt, text, view)

    def repeat(self, receipt: Receipt, text: str, view: View) -> Replay:
        """A recorded recall once more on what `view` shows."""
        recipe = recipes.named(receipt.facts["recipe"])
        space = replay.space_of(receipt, self._context.space(view))
        media = replay.media_scales_of(receipt)
        vectors = QueryVectors(self._context.dependencies, self._context.indexes, space, media)
        answer = self.answer(
            replay.query_of(receipt, text), recipe, view, vectors,
            reader=replay.reader_of(receipt), without=replay.left_out(receipt),
            deadline=Deadline.after(self._context.clock, REPLAY_SECONDS),
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
            ask_media=vectors.ask_media,
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
