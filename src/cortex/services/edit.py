"""Remember and forget: everything a caller changes on purpose."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from cortex import exchange
from cortex.context import Context
from cortex.domain.choices import aware
from cortex.domain.chunk import Chunk
from cortex.domain.events import EventKind
from cortex.domain.hits import Hit
from cortex.domain.identity import TraceId, checked_id
from cortex.domain.injection_detection import tier_for
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Contradiction, Draft, Memory
from cortex.domain.query import Mode
from cortex.domain.receipt import Receipt
from cortex.domain.review import Review
from cortex.domain.scope import checked_label
from cortex.domain.small_talk import passing_reason
from cortex.domain.terms import QueryTerm, index_terms, query_terms
from cortex.domain.text import checked_text
from cortex.domain.text_similarity import alike
from cortex.domain.trace import Trace
from cortex.domain.turn import SOURCE_OF_ROLE, Turn, TurnDraft
from cortex.errors import InvalidRequest
from cortex.ports.store import Change, Put, Version, View, retry_on_conflict, with_expectations
from cortex.progress import Progress, silent
from cortex.recall.ranking import Scored
from cortex.remember import flow as remembering
from cortex.services import reconciliation
from cortex.services.browse import found_trace
from cortex.services.calibrator import calibrator_of
from cortex.services.exchange import embed_stored
from cortex.services.recall import RecallService
from cortex.services.reconciliation import DraftStatement, puts
from cortex.services.trace_writer import writer_of

MATCHED = 0.5
"""A query to forget matches a memory that is at least this similar, or holds this share of the query's words."""

CLEARLY = 0.75
"""A match is clear when no other has this share of its score, or of the words of the query that it holds."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory that holds the statement now, and the receipt."""

    memory: Memory
    receipt: Receipt

    @property
    def verdict(self) -> str:
        """What became of it beside what was known: new, reinforces, duplicate, supersedes, contradicts."""
        return str(self.receipt.facts.get("verdict", "new"))

    @property
    def others(self) -> tuple[TraceId, ...]:
        """The memories it was decided beside."""
        return tuple(self.receipt.facts.get("others", ()))


@dataclass(frozen=True, slots=True)
class Edited:
    """The memory as it is after an edit, and the receipt."""

    memory: Memory
    receipt: Receipt

    @property
    def revision(self) -> str:
        """What a later edit names as the version it read."""
        return exchange.revision_of(self.memory)


@dataclass(frozen=True, slots=True)
class StoreResult:
    """The ids of what was stored, in the order it was given, and the receipt."""

    ids: tuple[TraceId, ...]
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten; nothing if a query matched several, which are then the candidates (L5)."""

    ids: tuple[TraceId, ...]
    candidates: tuple[Trace, ...]
    receipt: Receipt


class EditService:
    """The changes one tenant makes to its memories."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def remember(self, text: str, *, embed: bool = True, as_new: bool = False, **fields: Any) -> Remembered:
        try:
            draft = Draft(text=text, **fields)
        except TypeError as error:
            raise InvalidRequest(str(error).partition(") ")[2], field="fields", hint="see `Draft`") from error
        if as_new:
            return self._remember_as_given(draft, embed)
        statement = reconciliation.read(draft.checked(self._context.max_text_bytes))
        if draft.supersedes is not None:
            return self._remember_as_given(statement.draft, embed)
        return self._reconcile(statement, embed)

    def _remember_as_given(self, draft: Draft, embed: bool) -> Remembered:
        (memory,), receipt = self._remember([draft], EventKind.REMEMBERED, embed, silent)
        return Remembered(memory, receipt)

    def _reconcile(self, statement: DraftStatement, embed: bool) -> Remembered:
        now = self._context.clock.now()
        memory = statement.draft.memory(TraceId(self._context.ids(now)), now)
        with self._context.recording("remember") as record:
            done = reconciliation.remember(self._context, memory, statement, embed=embed)
            record.close(done.position, **done.facts())
        if done.outcome.embedded:
            calibrator_of(self._context).refresh()
        return Remembered(done.memory, record.receipt)

    def remember_all(
        self, drafts: Iterable[Draft], *, because: EventKind, embed: bool, progress: Progress
    ) -> StoreResult:
        memories, receipt = self._remember(drafts, because, embed, progress)
        return StoreResult(tuple(memory.id for memory in memories), receipt)

    def store_turns(
        self, session: str, turns: Iterable[TurnDraft], *, scope: str, channel: str, embed: bool, progress: Progress
    ) -> StoreResult:
        from cortex.capture.audience import kind_of, to_assistant

        checked_label(session, "session")
        checked_label(scope, "scope")
        now = self._context.clock.now()
        turns = list(turns)
        addressed = to_assistant(turns)
        stored = [
            Turn(
                id=TraceId(self._context.ids(now)),
                text=checked_text(said.text, field=f"turns[{number}].text", max_bytes=self._context.max_text_bytes),
                session=session,
                seq=number,
                created_at=now if said.at is None else aware(said.at, f"turns[{number}].at"),
                role=said.effective_role,
                speaker=said.speaker,
                channel=channel,
                kind=kind_of(said.text, said.speaker, is_addressed=addressed[number]),
                scope=scope,
                trust=tier_for(SOURCE_OF_ROLE[said.effective_role], said.text),
            )
            for number, said in enumerate(turns)
        ]
        with self._context.recording("store_turns") as record:
            outcome = self._keep(stored, EventKind.SAID, remembering.fit_turns, embed, progress)
            with self._context.store_view() as view:
                position, turns_there = outcome.position or view.position, view.last_seq(session) + 1
            record.close(position, session_turns=turns_there, **outcome.facts())
        return StoreResult(tuple(turn.id for turn in stored), record.receipt)

    def _remember(
        self, drafts: Iterable[Draft], because: EventKind, embed: bool, progress: Progress
    ) -> tuple[Sequence[Memory], Receipt]:
        checked = [draft.checked(self._context.max_text_bytes) for draft in drafts]
        now = self._context.clock.now()
        with self._context.store_view() as view:
            review = Review.read(view)
        memories = [review.held_back(draft.memory(TraceId(self._context.ids(now)), now)) for draft in checked]
        fit = None
        if any(memory.supersedes or memory.source_turns for memory in memories):
            fit = partial(remembering.fit_memories, now=now)
            with self._context.store_view() as view:
                fit(memories, view)  # all are checked before the first is stored
        with self._context.recording("remember") as record:
            outcome = self._keep(memories, because, fit, embed, progress)
            kept = [memory for memory in outcome.traces if isinstance(memory, Memory)]
            superseded = sum(memory.supersedes is not None for memory in kept)
            record.close(outcome.position or self._context.position(), superseded=superseded, **outcome.facts())
        return kept, record.receipt

    def _keep(
        self, traces: Sequence[Trace], because: EventKind, fit: remembering.Fit | None, embed: bool, progress: Progress
    ) -> remembering.StoreOutcome:
        may_embed = embed and self._context.can_embed
        outcome = writer_of(self._context, progress).keep(traces, because, fit, embed=may_embed)
        if outcome.embedded:
            calibrator_of(self._context).refresh()
        return outcome

    def edit(self, id: str, *, if_revision: str | None = None, **changes: Any) -> Edited:
        wanted = checked_id(id)

        def read() -> tuple[Memory, int]:
            with self._context.view() as view:
                memory = found_trace(view, wanted)
                if not isinstance(memory, Memory):
                    raise InvalidRequest("is a turn or a chunk", field="id", hint="only memories can be edited")
                return memory, view.position

        with self._context.recording("edit") as record:
            done = exchange.edit(
                read,
                changes,
                tenant=self._context.tenant,
                store=self._context.store,
                clock=self._context.clock,
                max_text_bytes=self._context.max_text_bytes,
                if_revision=if_revision,
            )
            stored = embed_stored(self._context, done.position, [done.memory.id] if done.changed else [])
            about = {"ids": [done.memory.id], "fields": sorted(changes), "edited": int(done.changed)}
            record.close(stored.position, **about, **stored.facts())
        return Edited(done.memory, record.receipt)

    def forget(self, id: str) -> Forgotten:
        return self._change_state(id, self._forgetting, "forget")

    def restore(self, id: str) -> Forgotten:
        return self._change_state(id, self._restoring, "restore", also=self._forgotten_twins)

    def contradictions(self, *, limit: int = 50) -> Sequence[Contradiction]:
        if not isinstance(limit, int) or limit < 1:
            raise InvalidRequest("is not a number from 1 on", field="limit", hint="give how many at most")
        with self._context.view() as view:
            return list(islice(reconciliation.contradictions(view), limit))

    def resolve(self, id: str, *, over: str | None = None, both: bool = False) -> Forgotten:
        other = None if over is None else checked_id(over, field="over")
        return self._change_state(id, partial(self._resolving, over=other, both=both), "resolve")

    def forget_matching(self, text: str, *, scope: str | None = None) -> Forgotten:
        # What stands in a file is not forgotten here.
        lanes = frozenset({Lane.MEMORIES, Lane.SESSIONS})
        answer = RecallService(self._context).explain(text, scope=scope, lanes=lanes, limit=5, mode=Mode.SEARCH).answer
        matched = {each.trace.id: each for each in answer.ranked if _is_match(each, query_terms(text))}
        found = _apart([hit for hit in answer.hits if hit.trace.id in matched])
        if found and not any(_rivals(matched[found[0].trace.id], matched[hit.trace.id]) for hit in found[1:]):
            winner = self._memory_of(found[0].trace, matched)
            return self._change_state(winner.id, partial(self._forgetting, with_turns=True), "forget")
        with self._context.recording("forget") as record:
            record.close(self._context.position(), forgotten=0, candidates=len(found))
        return Forgotten((), tuple(hit.trace for hit in found), record.receipt)

    def _forgotten_twins(self, id: TraceId) -> dict[str, Any]:
        """The memories that were forgotten with one, as they make the same statement, and still are."""
        with self._context.store_view() as view:
            found = view.load([id])
            twins = reconciliation.forgotten_twins(found[0], view) if isinstance(found[0], Memory) else []
        return {"twins": [each.id for each in twins]} if twins else {}

    def _change_state(
        self,
        id: str,
        choose: Callable[[Trace, View], Sequence[Change]],
        op: str,
        also: Callable[[TraceId], dict[str, Any]] = lambda _: {},
    ) -> Forgotten:
        """Carry out the changes that `choose` finds for a memory or turn; the ids are of what changed its state.

        `also` has more to say of it afterwards, for the receipt.
        """
        wanted = checked_id(id)
        with self._context.recording(op) as record:
            position, ids, turns = retry_on_conflict(lambda: self._try_change(wanted, choose))
            facts: dict[str, Any] = {"ids": list(ids)} if ids else {}
            if turns and op == "forget":
                facts["turns"] = list(turns)
            record.close(position, changed=len(ids), **facts, **also(wanted))
        return Forgotten(ids, (), record.receipt)

    def _try_change(
        self, id: TraceId, choose: Callable[[Trace, View], Sequence[Change]]
    ) -> tuple[int, tuple[TraceId, ...], tuple[TraceId, ...]]:
        """The position afterwards, what changed its state, and the turns that still say it."""
        with self._context.view() as view:
            trace = found_trace(view, id)
            if isinstance(trace, Chunk):
                raise InvalidRequest(
                    f"names lines of a file ({trace.citation})", field="id", hint="edit the file: its lines follow it"
                )
            changes = choose(trace, view)
            position = view.position
            before = {each.id: each.state for each in view.load([put.trace.id for put in puts(changes)])}
            guards = with_expectations(changes, view)
            sources = trace.source_turns if isinstance(trace, Memory) else ()
            gone = {put.trace.id for put in puts(changes)}
            turns = tuple(each.id for each in view.load(sources) if each.state is State.ACTIVE and each.id not in gone)
        if not changes:
            return position, (), turns
        ids = tuple(put.trace.id for put in puts(changes) if put.trace.state is not before.get(put.trace.id))
        return self._context.apply(guards), ids, turns

    def _memory_of(self, trace: Trace, matched: Collection[TraceId]) -> Trace:
        """The memory that a query means where it found the turn it was extracted from: recall shows one of the two."""
        if not isinstance(trace, Turn):
            return trace
        with self._context.store_view() as view:
            derived = [each for each in view.derived([trace.id]) if each.state is State.ACTIVE and each.id in matched]
        return derived[0] if derived else trace

    def _forgetting(self, trace: Trace, view: View, *, with_turns: bool = False) -> Sequence[Change]:
        if trace.state is State.FORGOTTEN:
            return ()
        gone: list[Trace] = [trace]
        if isinstance(trace, Memory):
            gone += reconciliation.twins(trace, view)
            gone += reconciliation.turns_that_say_little_else(trace, view) if with_turns else []
        return [Put(each.revised(state=State.FORGOTTEN), EventKind.FORGOTTEN) for each in gone]

    def _resolving(self, trace: Trace, view: View, *, over: TraceId | None, both: bool) -> Sequence[Change]:
        if not isinstance(trace, Memory):
            raise InvalidRequest("is a turn", field="id", hint="only memories contradict each other")
        return reconciliation.resolved(trace, view, self._context.clock.now(), over=over, both=both)

    def _restoring(self, trace: Trace, view: View) -> Sequence[Change]:
        if isinstance(trace, Memory) and trace.state is State.SUPERSEDED and trace.superseded_by is not None:
            return reconciliation.unreplaced(trace, view)
        if isinstance(trace, Turn) and trace.state is State.EXPIRED:
            # It has no retention that could be changed: who brings it back wants it to stay.
            return [Put(trace.revised(state=State.ACTIVE, expires_at=None), EventKind.RESTORED)]
        state = state_to_restore(view.history(trace.id))
        return () if trace.state is state else [Put(trace.revised(state=state), EventKind.RESTORED)]


def _is_match(found: Scored, terms: Sequence[QueryTerm]) -> bool:
    """Whether a query to forget matches this: an "ok" beside a turn with its words is found, but does not match."""
    if found.similarity < MATCHED and found.evidence < MATCHED:
        return False
    if not isinstance(found.trace, Turn):
        return True
    said = frozenset(index_terms(found.trace.text))
    speaks_of_it = found.similarity >= MATCHED or any(term.text in said for term in terms)
    return speaks_of_it and passing_reason(found.trace.text) is None


def _rivals(best: Scored, other: Scored) -> bool:
    """Whether a query may mean the other as well: one that says the opposite holds the same words."""
    return other.score >= CLEARLY * best.score or other.evidence >= CLEARLY * best.evidence > 0


def _apart(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that are not one match with a better one: the same statement, or a memory and a turn it came from."""
    kept: list[Hit] = []
    for hit in hits:
        if not any(_is_one_match(hit.trace, other.trace) for other in kept):
            kept.append(hit)
    # Of a turn and the memory extracted from it, the memory counts.
    memories = {source: hit for hit in hits if isinstance(hit.trace, Memory) for source in hit.trace.source_turns}
    return [memories.get(hit.trace.id, hit) for hit in kept]


def _is_one_match(one: Trace, other: Trace) -> bool:
    for memory, source in ((one, other), (other, one)):
        if isinstance(memory, Memory) and source.id in memory.source_turns:
            return True
    # Only what is of one scope is forgotten together.
    both = isinstance(one, Memory) and isinstance(other, Memory) and one.scope == other.scope
    return both and alike(one.text, other.text).is_restatement


def state_to_restore(versions: Sequence[Version]) -> State:
    """The state a trace had before it was forgotten; what was superseded meanwhile is not active again."""
    if not versions or versions[-1].trace.state is not State.FORGOTTEN:
        return versions[-1].trace.state if versions else State.ACTIVE
    before = [version.trace.state for version in versions if version.trace.state is not State.FORGOTTEN]
    state, last = before[-1] if before else State.ACTIVE, versions[-1].trace
    is_replaced = isinstance(last, Memory) and last.superseded_by is not None
    return State.SUPERSEDED if state is State.ACTIVE and is_replaced else state
