"""Storing traces: cut into passages, embed as far as possible, apply in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import DEFAULT_LANES, State
from cortex.domain.memory import Memory
from cortex.domain.passages import passages_of
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace
from cortex.domain.trust import least
from cortex.domain.turn import Turn
from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable, InvalidRequest, NotFound
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder
from cortex.ports.store import Change, Embed, ExpectLast, ExpectSame, Filter, Put, Store, View, retry_on_conflict
from cortex.progress import Progress, silent

BATCH = 256
"""How many traces are embedded and stored together."""

PLAIN_BATCH = 2_048
"""How many are stored together where nothing is embedded: each transaction waits for the disk once."""


class Fitted(NamedTuple):
    """Traces as they are to be stored, what has to be so for that, and what changes with them."""

    traces: Sequence[Trace]
    expected: Sequence[Change] = ()
    also: Sequence[Change] = ()


Fit = Callable[[Sequence[Trace], View], Fitted]
"""Fits new traces to what is there; called again where somebody else was first."""


@dataclass(slots=True)
class StoreOutcome:
    """What became of a run: the last position, how many were stored, embedded and left without a vector."""

    position: int = 0
    stored: int = 0
    embedded: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    traces: list[Trace] = field(default_factory=list)
    """What `keep` stored, as it was stored."""

    def add(self, other: StoreOutcome) -> None:
        """Count in what became of a run that followed."""
        self.position = max(self.position, other.position)
        self.stored += other.stored
        self.embedded += other.embedded
        for reason, missed in other.skipped.items():
            self.skipped[reason] = self.skipped.get(reason, 0) + missed

    def facts(self) -> dict[str, Any]:
        """For the receipt, in the words of E13."""
        missed = sum(self.skipped.values())
        facts: dict[str, Any] = {"stored": self.stored, "embedded": self.embedded, "embeddingSkipped": missed}
        if missed:
            facts["embeddingSkipReason"] = max(self.skipped, key=lambda reason: self.skipped[reason])
            facts["degraded"] = sorted(self.skipped)
        return facts


@dataclass(frozen=True, slots=True)
class TraceWriter:
    """Stores and embeds the traces of one tenant."""

    tenant: Tenant
    store: Store
    clock: Clock
    embedder: Embedder
    passage_tokens: int
    progress: Progress = silent

    def keep(
        self, traces: Sequence[Trace], because: EventKind, fit: Fit | None = None, *, embed: bool = True
    ) -> StoreOutcome:
        """Store `traces` in batches, each as `fit` says where it is given."""
        outcome = StoreOutcome()
        before = _previous(traces, self.tenant, self.store)
        for batch in _batches(traces, BATCH if embed else PLAIN_BATCH):
            previous = [before, *batch[:-1]]
            embeds = _embeds(batch, previous, self.embedder, self.passage_tokens, outcome) if embed else []
            fitted, outcome.position = retry_on_conflict(partial(self._store, batch, because, embeds, fit))
            outcome.traces += fitted
            outcome.stored += len(fitted)
            before = batch[-1]
            self.progress(outcome.stored, len(traces), "stored")
        return outcome

    def _store(
        self, batch: Sequence[Trace], because: EventKind, embeds: Sequence[Change], fit: Fit | None
    ) -> tuple[Sequence[Trace], int]:
        fitted = Fitted(batch)
        if fit is not None:
            with self.store.view(self.tenant) as view:
                fitted = fit(batch, view)
        changes = [*fitted.expected, *(Put(trace, because) for trace in fitted.traces), *fitted.also, *embeds]
        return fitted.traces, self.store.apply(self.tenant, changes, at=self.clock.now())

    def backfill(self, among: Filter | None = None, *, most: int | None = None) -> StoreOutcome:
        """Embed every trace, or those `among` some, without a vector in the embedder's space; about `most` at once.

        Stops cleanly, and goes on where it stopped (C7).
        """
        outcome = StoreOutcome()
        lacking = replace(among or Filter(lanes=DEFAULT_LANES), lacking=self.embedder.space)
        with self.store.view(self.tenant) as view:
            total, after = view.counts(lacking).total, None
        while True:
            with self.store.view(self.tenant) as view:
                outcome.position = view.position
                batch = view.scan(lacking, after, BATCH)
                before = [_before(trace, view) for trace in batch]
            if not batch or (most is not None and outcome.embedded >= most):
                return outcome
            changes = _embeds(batch, before, self.embedder, self.passage_tokens, outcome)
            if outcome.skipped:
                return outcome
            outcome.position = self.store.apply(self.tenant, changes, at=self.clock.now())
            after = batch[-1].id
            self.progress(outcome.embedded, max(total, outcome.embedded), "embedded")

    def backfill_these(self, ids: Sequence[TraceId]) -> StoreOutcome:
        """Embed those of the traces `ids` that have no vector in the embedder's space."""
        outcome = StoreOutcome()
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            outcome.add(replace(self, progress=silent).backfill(Filter(ids=frozenset(some))))
            self.progress(start + len(some), len(ids), "embedded")
        return outcome


def _sources(memory: Memory, view: View) -> list[Trace]:
    sources = view.load(memory.source_turns) if memory.source_turns else []
    if len(sources) < len(set(memory.source_turns)):
        raise NotFound("a source turn is not known here", hint="store the turns first")
    return sources


def fit_memories(memories: Sequence[Trace], view: View, now: datetime) -> Fitted:
    """New memories with the trust of their sources, each superseding what still stands of the one it names.

    A memory has one successor. Who names one that was superseded already supersedes the last of its successors.
    """
    fitted: dict[TraceId, Memory] = {}
    replaced: dict[TraceId, Memory] = {}
    expected: dict[TraceId, Change] = {}
    for memory in memories:
        assert isinstance(memory, Memory)
        sources = _sources(memory, view)
        expected |= {source.id: ExpectSame(source) for source in sources}
        memory = memory.revised(trust=least([memory.trust, *(source.trust for source in sources)]))  # S4
        if memory.supersedes is not None:
            old = _last_successor(memory.supersedes, view, fitted | replaced)
            _refuse_less_trusted(memory, old)
            memory = memory.revised(supersedes=old.id)
            if old.id not in fitted:
                expected.setdefault(old.id, ExpectSame(old))
            replaced[old.id] = old.revised(
                state=State.SUPERSEDED if old.state is State.ACTIVE else old.state,
                superseded_by=memory.id,
                valid_to=old.valid_to or now,
            )
        fitted[memory.id] = memory
    also = [Put(memory, EventKind.SUPERSEDED) for memory in replaced.values()]
    return Fitted(list(fitted.values()), list(expected.values()), also)


def _last_successor(id: TraceId, view: View, changed: Mapping[TraceId, Memory]) -> Memory:
    """The memory `id`, or the last of those that superseded it; `changed` are those that this batch changes."""
    found = _memory(id, view, changed)
    if found is None:
        raise NotFound(f"no memory {id} to supersede", hint="see `cortex list`")
    seen = {found.id}
    while (next_id := found.superseded_by) and next_id not in seen:
        successor = _memory(next_id, view, changed)
        if successor is None:  # erased since
            break
        seen.add(next_id)
        found = successor
    return found


def _memory(id: TraceId, view: View, changed: Mapping[TraceId, Memory]) -> Memory | None:
    found = changed.get(id) or next(iter(view.load([id])), None)
    return found if isinstance(found, Memory) else None


def _refuse_less_trusted(memory: Memory, old: Memory) -> None:
    if memory.trust is not old.trust and least((memory.trust, old.trust)) is memory.trust:
        raise InvalidRequest(
            f"names a {old.trust.value} memory, which what is {memory.trust.value} cannot replace",
            field="supersedes",
            hint="leave it out: both are kept, each with its trust",
        )


def fit_turns(turns: Sequence[Trace], view: View) -> Fitted:
    """Turns of one session, in their order, at the end of what it has."""
    session = next(turn.session for turn in turns if isinstance(turn, Turn))
    last = view.last_seq(session)
    placed = [turn.revised(seq=last + number) for number, turn in enumerate(turns, start=1) if isinstance(turn, Turn)]
    return Fitted(placed, [ExpectLast(session, last)])


def vectors_of(
    traces: Sequence[Trace], embedder: Embedder, passage_tokens: int, outcome: StoreOutcome | None = None
) -> dict[TraceId, Sequence[Vector]]:
    """The vectors of what is about to be stored; none, and a note in `outcome`, where the embedder fails."""
    changes = _embeds(traces, [None] * len(traces), embedder, passage_tokens, outcome or StoreOutcome())
    return {change.id: change.vectors for change in changes if isinstance(change, Embed)}


def _embeds(
    traces: Sequence[Trace],
    before: Sequence[Trace | None],
    embedder: Embedder,
    passage_tokens: int,
    outcome: StoreOutcome,
) -> list[Change]:
    """The vectors of `traces` as changes; none, and a note in `outcome`, where the embedder fails."""
    cut = [passages_of(trace, passage_tokens, prior) for trace, prior in zip(traces, before, strict=True)]
    try:
        vectors = iter(embedder.embed_documents([text for texts in cut for text in texts]))
        changes: list[Change] = [
            Embed(trace.id, embedder.space, [next(vectors) for _ in texts], trace.text)
            for trace, texts in zip(traces, cut, strict=True)
        ]
    except EmbedderUnavailable as error:
        outcome.skipped[error.code] = outcome.skipped.get(error.code, 0) + len(traces)
        return []
    outcome.embedded += len(traces)
    return changes


def _previous(traces: Sequence[Trace], tenant: Tenant, store: Store) -> Trace | None:
    """The turn before the first of `traces`, which may have been stored long ago."""
    first = traces[0] if traces else None
    if not isinstance(first, Turn) or first.seq == 0:
        return None
    with store.view(tenant) as view:
        return view.turn_at(first.session, first.seq - 1)


def _before(trace: Trace, view: View) -> Trace | None:
    return view.turn_at(trace.session, trace.seq - 1) if isinstance(trace, Turn) else None


def _batches(traces: Sequence[Trace], size: int) -> Iterator[Sequence[Trace]]:
    for start in range(0, len(traces), size):
        yield traces[start : start + size]
