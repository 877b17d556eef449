"""`remember` beside what is known: one statement is one memory, and a changed value replaces the old (X13, X14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cortex.capture import reconcile
from cortex.capture.flow import known_beside, outdated_turns
from cortex.capture.likely_changes import news_of
from cortex.capture.reconcile import Decision
from cortex.capture.replies import turns_that_say
from cortex.capture.slots import slot_in
from cortex.context import Context
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Contradiction, Draft, Memory
from cortex.domain.review import Review
from cortex.domain.terms import query_terms
from cortex.domain.text_similarity import alike
from cortex.domain.trace import Trace
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Turn
from cortex.domain.vectors import Vector
from cortex.errors import InvalidRequest
from cortex.ports.store import Change, Embed, Filter, Put, View, retry_on_conflict, scan_all, with_expectations
from cortex.remember import flow as remembering
from cortex.services.jobs import sentence_vectors

MOST_TWINS = 24
"""How many of the most alike memories are looked at for one that says the same."""

MOST_OF = 0.6
"""A statement with this share of the characters of its turn is what the turn says."""

_OF_THE_USER = frozenset({SourceKind.OPERATOR, SourceKind.USER, SourceKind.ASSISTANT})
"""Who speaks of the user or for them. The "I" of a page or a tool is somebody else."""


@dataclass(frozen=True, slots=True)
class DraftStatement:
    """What is to be remembered, with the slot its text fills, and how it stands to what was said before."""

    draft: Draft
    negated: bool = False
    """It says that something is no longer so."""
    corrects: bool = False
    """It is said as a correction."""


def read(draft: Draft) -> DraftStatement:
    """A draft with the slot that its text fills; what the caller gave is left as it is."""
    if draft.subject or draft.attribute or draft.value or draft.source_kind not in _OF_THE_USER:
        return DraftStatement(draft)
    if (found := slot_in(draft.text)) is None:
        return DraftStatement(draft)
    filled = replace(draft, subject=found.subject, attribute=found.attribute, value=found.value)
    return DraftStatement(filled, found.negated, found.corrects)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What became of a statement: the memory that holds it now, and what it was decided beside."""

    memory: Memory
    decision: Decision
    position: int
    outcome: remembering.StoreOutcome = field(default_factory=remembering.StoreOutcome)

    def facts(self) -> dict[str, Any]:
        """For the receipt: ids and counts."""
        payload = {"verdict": self.decision.verdict.value, "others": list(self.decision.others)}
        superseded = sum(change.because is EventKind.SUPERSEDED for change in puts(self.decision.changes))
        return {"superseded": superseded, **payload, **self.outcome.facts()}


def remember(context: Context, memory: Memory, statement: DraftStatement, *, embed: bool) -> Reconciled:
    """Store a statement, as a memory, beside what is known; what is known already is counted once more instead."""
    outcome = remembering.StoreOutcome()
    vectors: Sequence[Vector] = ()
    if embed and context.can_embed:
        tokens = context.passage_tokens
        vectors = remembering.vectors_of([memory], context.dependencies.embedder, tokens, outcome).get(memory.id, ())
    news = _news(context, memory, vectors)
    decision, held, position = retry_on_conflict(lambda: _attempt(context, memory, statement, vectors, news))
    outcome.position, outcome.stored = position, int(decision.memory is not None)
    outcome.embedded = int(bool(vectors) and decision.memory is not None)
    return Reconciled(held, decision, position, outcome)


def _news(context: Context, memory: Memory, vectors: Sequence[Vector]) -> float | None:
    """How likely a statement changes anything; None where it is compared by words alone, or nobody can judge that."""
    given = context.dependencies
    if not vectors or given.sentence_embedder is None:
        return None
    if given.sentence_embedder.space.key == given.embedder.space.key:
        return news_of(memory.text, vectors[0])
    found = sentence_vectors(given)
    embedded = found([memory.text]) if found else None
    return news_of(memory.text, embedded[0]) if embedded else None


def _attempt(
    context: Context, memory: Memory, statement: DraftStatement, vectors: Sequence[Vector], news: float | None
) -> tuple[Decision, Memory, int]:
    now = context.clock.now()
    with context.store_view() as view:
        space = context.space(view)
        fitted = remembering.fit_memories([memory], view, now)
        review = Review.read(view)
        (trusted,) = (review.held_back(each) for each in fitted.traces if isinstance(each, Memory))
        known = known_beside(trusted, vectors, space, view)
        decision = reconcile.decide(
            trusted, known, negated=statement.negated, corrects=statement.corrects, news=news, now=now
        )  # fmt: skip
        if decision.memory is None:
            decision = _with_source(decision, memory.source_ref, view)
        changes = [*decision.changes, *outdated_turns([decision], view)]
        changes = [*fitted.expected, *with_expectations(changes, view)]
        held = decision.memory or _held(decision, view)
        position = view.position
    if decision.memory is not None and vectors:
        changes.append(Embed(decision.memory.id, space, vectors, decision.memory.text))
    return decision, held, context.store.apply(context.tenant, changes, at=now) if decision.changes else position


def _with_source(decision: Decision, ref: str, view: View) -> Decision:
    """A decision that a statement is known, with the reference of its source kept on the memory that holds it (X13)."""
    held = _held(decision, view)
    if (noted := held.from_also(ref)) == held:
        return decision
    rest = [change for change in decision.changes if not (isinstance(change, Put) and change.trace == held)]
    because = next((put.because for put in puts(decision.changes) if put.trace == held), EventKind.REVISED)
    return replace(decision, changes=(Put(noted, because), *rest))


def _held(decision: Decision, view: View) -> Memory:
    """The memory that a statement is one with, as it is from now on."""
    for put in puts(decision.changes):
        if put.trace.id == decision.others[0] and isinstance(put.trace, Memory):
            return put.trace
    (held,) = view.load(decision.others[:1])
    assert isinstance(held, Memory)
    return held


def puts(changes: Sequence[Change]) -> list[Put]:
    """The traces among some changes."""
    return [change for change in changes if isinstance(change, Put)]


# --- contradictions ---------------------------------------------------------------------------------------------------

_PAGE = 500


def contradictions(view: View) -> Iterator[Contradiction]:
    """The contradictions nobody has settled, oldest first."""
    which = Filter(lanes=frozenset({Lane.MEMORIES}), states=frozenset({State.ACTIVE}), contradicted=True)
    for memory in (each for each in scan_all(view, which, _PAGE) if isinstance(each, Memory)):
        for other in _opposed(memory, view):
            # Each once: by the side that comes later, or the only one that points at the other.
            if other.id < memory.id or memory.id not in other.contradicts:
                yield Contradiction(*sorted((memory, other), key=lambda each: (each.created_at, each.id)))


def _opposed(memory: Memory, view: View) -> list[Memory]:
    """The memories that say otherwise and still hold. Quarantined ones are left out."""
    found = [each for each in view.load(memory.contradicts) if isinstance(each, Memory)]
    visible = [each for each in found if TrustTier.QUARANTINED not in (each.trust, memory.trust)]
    return [each for each in visible if each.state is State.ACTIVE]


def contradict(one: Memory, two: Memory) -> bool:
    """Whether two memories contradict each other and nobody has settled it."""
    flagged = one.id in two.contradicts or two.id in one.contradicts
    hidden = TrustTier.QUARANTINED in (one.trust, two.trust)
    return flagged and not hidden and one.state is State.ACTIVE and two.state is State.ACTIVE


def resolved(memory: Memory, view: View, now: datetime, *, over: TraceId | None, both: bool) -> Sequence[Change]:
    """What settles the contradictions of `memory`, or the one with `over`: it is true, or `both` sides are."""
    others = [each for each in _opposed(memory, view) if over in (None, each.id)]
    if not others or memory.state is not State.ACTIVE:
        with_other = f" by {over}" if over else ""
        raise InvalidRequest(f"is not contradicted{with_other}", field="id", hint="see `cortex admin resolve`")
    if both:
        return reconcile.dismiss(memory, others)
    changes = reconcile.settle(memory, others, now)
    said = {turn.id: turn for each in others for turn in turns_that_say(each, memory, view)}
    return changes + reconcile.outdated(memory, said.values())


# --- taking it back ---------------------------------------------------------------------------------------------------


def twins(memory: Memory, view: View) -> list[Memory]:
    """The other active memories of its scope that make the same statement."""
    near = Filter(lanes=frozenset({Lane.MEMORIES}), scopes=frozenset({memory.scope}))
    found = view.load([match.id for match in view.keywords(query_terms(memory.text), near, MOST_TWINS)])
    return [each for each in _restating(memory, found) if each.state is State.ACTIVE]


def forgotten_twins(memory: Memory, view: View) -> list[Memory]:
    """The memories of its scope that make the same statement and are forgotten: no search finds these."""
    gone = Filter(
        lanes=frozenset({Lane.MEMORIES}), scopes=frozenset({memory.scope}), states=frozenset({State.FORGOTTEN})
    )
    return _restating(memory, view.latest(gone, None, _PAGE))


def _restating(memory: Memory, others: Sequence[Trace]) -> list[Memory]:
    found = [each for each in others if isinstance(each, Memory) and each.id != memory.id]
    return [each for each in found if alike(memory.text, each.text).is_restatement]


def turns_that_say_little_else(memory: Memory, view: View) -> list[Turn]:
    """The turns a memory came from that it is most of: to hide it is to hide them."""
    turns = [turn for turn in view.load(memory.source_turns) if isinstance(turn, Turn)]
    return [turn for turn in turns if turn.state is State.ACTIVE and len(memory.text) >= MOST_OF * len(turn.text)]


def unreplaced(memory: Memory, view: View) -> list[Change]:
    """What takes back that `memory` was replaced: it holds again, beside its successor, and so do its turns.

    If the two contradicted each other before a person decided, they do again.
    """
    before = [
        version.trace
        for version in view.history(memory.id)
        if isinstance(version.trace, Memory) and version.trace.superseded_by is None
    ]
    valid_to = before[-1].valid_to if before else None
    back = memory.revised(state=State.ACTIVE, superseded_by=None, valid_to=valid_to)
    successor = _loaded(memory.superseded_by, view)
    if successor is None:
        return [Put(back, EventKind.RESTORED)]
    beside = successor.revised(supersedes=None) if successor.supersedes == memory.id else successor
    if before and successor.id in before[-1].contradicts and successor.state is State.ACTIVE:
        back = back.revised(contradicts=reconcile.linked(back.contradicts, successor.id))
        beside = beside.revised(contradicts=reconcile.linked(beside.contradicts, memory.id))
    changes: list[Change] = [Put(back, EventKind.RESTORED)]
    if beside != successor:
        changes.append(Put(beside, EventKind.RESTORED))
    turns = turns_that_say(memory, successor, view)
    outdated = [turn for turn in turns if turn.outdated_by in successor.source_turns]
    return [*changes, *(Put(turn.revised(outdated_by=None), EventKind.RESTORED) for turn in outdated)]


def _loaded(id: TraceId | None, view: View) -> Memory | None:
    found: Sequence[Trace] = view.load([id]) if id else ()
    return next((each for each in found if isinstance(each, Memory)), None)
