"""Storing traces: cut into passages, embed as far as possible, apply in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
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
from cortex.ports.store import Change, Embed, Filter, Put, Store, View
from cortex.progress import Progress, silent

BATCH = 256
"""How many traces are embedded and stored together."""

PLAIN_BATCH = 2_048
"""How many are stored together where nothing is embedded: each transaction waits for the disk once."""


@dataclass(slots=True)
class Outcome:
    """What became of a run: the last position, how many were stored, embedded and left without a vector."""

    position: int = 0
    stored: int = 0
    embedded: int = 0
    skipped: dict[str, int] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
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


def keep(
    traces: Sequence[Trace],
    because: EventKind,
    *,
    tenant: Tenant,
    store: Store,
    embedder: Embedder | None,
    passage_tokens: int,
    clock: Clock,
    progress: Progress,
    also: Sequence[Change] = (),
    at_once: bool = False,
) -> Outcome:
    """Store `traces`, and with the first of them carry out `also`. Without an embedder nothing is embedded.

    With `at_once` all are stored or none, and their vectors follow.
    """
    outcome = Outcome()
    before = _previous(traces, tenant, store)
    if at_once:
        puts = [Put(trace, because) for trace in traces]
        outcome.position = store.apply(tenant, [*puts, *also], at=clock.now())
        outcome.stored = len(traces)
    done = 0
    for batch in _batches(traces, PLAIN_BATCH if embedder is None else BATCH):
        changes: list[Change] = [] if at_once else [Put(trace, because) for trace in batch]
        if embedder is not None:
            changes += _embeds(batch, [before, *batch[:-1]], embedder, passage_tokens, outcome)
        if not outcome.stored:
            changes += also
        if changes:
            outcome.position = store.apply(tenant, changes, at=clock.now())
        done += len(batch)
        outcome.stored = max(outcome.stored, done)
        before = batch[-1]
        progress(done, len(traces), "stored")
    return outcome


def backfill(
    *,
    tenant: Tenant,
    store: Store,
    embedder: Embedder,
    passage_tokens: int,
    clock: Clock,
    progress: Progress,
    among: Filter | None = None,
) -> Outcome:
    """Embed every trace, or those `among` some, without a vector in the embedder's space.

    Stops cleanly, and goes on where it stopped (C7).
    """
    outcome = Outcome()
    lacking = replace(among or Filter(), lacking=embedder.space)
    with store.view(tenant) as view:
        total, after = view.counts(lacking).total, None
    while True:
        with store.view(tenant) as view:
            outcome.position = view.position
            batch = view.scan(lacking, after, BATCH)
            before = [_before(trace, view) for trace in batch]
        if not batch:
            return outcome
        changes = _embeds(batch, before, embedder, passage_tokens, outcome)
        if outcome.skipped:
            return outcome
        outcome.position = store.apply(tenant, changes, at=clock.now())
        after = batch[-1].id
        progress(outcome.embedded, max(total, outcome.embedded), "embedded")


def backfill_these(
    ids: Sequence[TraceId],
    *,
    tenant: Tenant,
    store: Store,
    embedder: Embedder,
    passage_tokens: int,
    clock: Clock,
    progress: Progress,
) -> Outcome:
    """Embed those of the traces `ids` that have no vector in the embedder's space."""
    outcome = Outcome()
    for start in range(0, len(ids), BATCH):
        some = ids[start : start + BATCH]
        outcome.add(
            backfill(
                tenant=tenant,
                store=store,
                embedder=embedder,
                passage_tokens=passage_tokens,
                clock=clock,
                progress=silent,
                among=Filter(ids=frozenset(some)),
            )
        )
        progress(start + len(some), len(ids), "embedded")
    return outcome


def as_trusted_as_its_sources(memory: Memory, view: View) -> Memory:
    """`memory` with no more trust than the turns it was made of (S4)."""
    if not memory.source_turns:
        return memory
    sources = view.load(memory.source_turns)
    if len(sources) < len(set(memory.source_turns)):
        raise NotFound("a source turn is not known here", hint="store the turns first")
    return memory.revised(trust=least([memory.trust, *(source.trust for source in sources)]))


def superseding(memories: Sequence[Memory], view: View, now: datetime) -> list[Change]:
    """What has to become of the memories that these replace."""
    changes: list[Change] = []
    for memory in memories:
        if memory.supersedes is None:
            continue
        old = next(iter(view.load([memory.supersedes])), None)
        if not isinstance(old, Memory):
            raise NotFound(f"no memory {memory.supersedes} to supersede", hint="see `cortex list`")
        if memory.trust is not old.trust and least((memory.trust, old.trust)) is memory.trust:
            raise InvalidRequest(
                f"names a {old.trust.value} memory, which what is {memory.trust.value} cannot replace",
                field="supersedes",
                hint="leave it out: both are kept, each with its trust",
            )
        replaced = old.revised(state=State.SUPERSEDED, superseded_by=memory.id, valid_to=old.valid_to or now)
        changes.append(Put(replaced, EventKind.SUPERSEDED))
    return changes


def vectors_of(traces: Sequence[Trace], embedder: Embedder, passage_tokens: int) -> dict[TraceId, Sequence[Vector]]:
    """The vectors of what is about to be stored; none where the embedder fails: they follow later."""
    changes = _embeds(traces, [None] * len(traces), embedder, passage_tokens, Outcome())
    return {change.id: change.vectors for change in changes if isinstance(change, Embed)}


def _embeds(
    traces: Sequence[Trace], before: Sequence[Trace | None], embedder: Embedder, passage_tokens: int, outcome: Outcome
) -> list[Change]:
    """The vectors of `traces` as changes; none, and a note in `outcome`, where the embedder fails."""
    cut = [passages_of(trace, passage_tokens, prior) for trace, prior in zip(traces, before, strict=True)]
    try:
        vectors = iter(embedder.embed_documents([text for texts in cut for text in texts]))
        changes: list[Change] = [
            Embed(trace.id, embedder.space, [next(vectors) for _ in texts])
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
