"""Capture: what was said becomes memories, each decided beside what is remembered, in one transaction a step."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cortex.capture import gate, placement, queue, reconcile, retention, rules
from cortex.capture.candidate import Candidate
from cortex.capture.claims import can_change
from cortex.capture.intake import SHARES
from cortex.capture.lookback import Lookback, Stated
from cortex.capture.policies import CapturePolicy
from cortex.capture.reconcile import Decision, Known, Reconciliation
from cortex.capture.replies import turns_that_say
from cortex.domain.identity import IdSource, TraceId
from cortex.domain.importance import Origin
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import GOVERNED, Memory
from cortex.domain.ownership import is_own
from cortex.domain.review import Review
from cortex.domain.scope import Tenant
from cortex.domain.secrets import REDACTED
from cortex.domain.terms import query_terms
from cortex.domain.text import DEFAULT_MAX_BYTES
from cortex.domain.trust import least
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.ports.clock import Clock
from cortex.ports.store import (
    Change,
    Embed,
    Filter,
    Job,
    PatchSession,
    Put,
    Store,
    View,
    retry_on_conflict,
    with_expectations,
)

WINDOW = 64
"""How many turns one step looks at: a step is one transaction, and what a killed process has to do again."""

AHEAD = 8 * WINDOW
"""How many waiting turns are counted, so that each step takes its share of the memories a session may leave."""

ASKED_FOR = 0.9
"""From this importance on the user wants it remembered: that is always kept."""

MOST_DISPUTED = 10
"""How many memories that contradict a known one a session may leave beyond its limit."""

CHANGEABLE = 0.1
"""What a value that can change adds to the weight of a statement: it is what questions will be about."""

NEAREST = 12
"""How many of the most alike memories a new one is compared with, by words and by meaning each."""

Extract = Callable[[Sequence[Turn]], Sequence[Candidate]]
"""Finds the statements of some turns, which stand in their order."""

Vectors = Callable[[Sequence[Memory]], Mapping[TraceId, Sequence[Vector]]]
"""The vectors of memories, as far as they can be had; none where embedding is off or fails."""


@dataclass(slots=True)
class BatchResult:
    """What a step made of some turns."""

    memories: list[TraceId] = field(default_factory=list)
    turns: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    earlier: int = 0
    """How many were extracted from turns of before, because a new statement says otherwise."""

    def counts(self) -> dict[str, int]:
        payload = {f"turns:{reason}": number for reason, number in self.skipped.items()}
        looked_back = {"from_earlier_turns": self.earlier} if self.earlier else {}
        return {"turns": self.turns, **self.verdicts, **looked_back, **payload}


@dataclass(slots=True)
class _Room:
    """How many memories a session may still leave on a day.

    What replaces, ends or repeats a memory takes no room: it adds nothing to what is remembered. What contradicts one
    takes room, and gets a little where there is none left.
    """

    most: int
    used: int
    share: float = 1.0
    """The share of the turns that wait which is looked at now: a long session is remembered to its end."""
    _within: frozenset[TraceId] = frozenset()
    _provisional: frozenset[TraceId] = frozenset()
    _disputing: frozenset[TraceId] = frozenset()

    def reserve(
        self, memories: Sequence[Memory], provisional: frozenset[TraceId], disputing: frozenset[TraceId]
    ) -> None:
        """Give the room to the weightiest. What the user wants remembered is kept; what is provisional gets none.

        `disputing` are those that an earlier turn says otherwise than.
        """
        self._provisional, self._disputing = provisional, disputing
        memories = [each for each in memories if each.id not in provisional]
        allowed = math.ceil(max(0, self.most - self.used) * self.share)
        ranked = sorted(memories, key=lambda each: (-_weight(each), -each.confidence))
        kept = (each.id for place, each in enumerate(ranked) if place < allowed or each.importance >= ASKED_FOR)
        self._within = frozenset(kept)

    def admit(self, memory: Memory, decision: Decision) -> bool:
        """Whether a statement is taken, after what it was decided to be."""
        disputes = decision.verdict is Reconciliation.CONTRADICTS or memory.id in self._disputing
        is_news = decision.verdict is Reconciliation.NEW and not decision.replaced
        is_otherwise = decision.verdict in _OTHERWISE or bool(decision.replaced)
        if memory.id in self._provisional and not is_otherwise:
            return False
        if not is_news and not disputes:
            return True
        if memory.id not in self._within and not (disputes and self.used < self.most + MOST_DISPUTED):
            return False
        self.used += 1
        return True


def _may_stay(memory: Memory, decision: Decision, unsure: Collection[TraceId]) -> bool:
    """Whether a provisional statement may be stored: one that is not sure enough may replace, but not dispute."""
    return memory.id not in unsure or decision.verdict is not Reconciliation.CONTRADICTS


_TAKEN_BACK = {State.FORGOTTEN: "forgotten", State.SUPERSEDED: "withdrawn"}
"""Why nothing is extracted from a turn that is no longer part of what was said."""

_OTHERWISE = frozenset({Reconciliation.SUPERSEDES, Reconciliation.CONTRADICTS, Reconciliation.RETRACTS})


def _weight(memory: Memory) -> float:
    return memory.importance + (CHANGEABLE if can_change(memory.text) else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Draws memories from the turns of a session, by one extractor under one policy."""

    mark: str
    """The part of a session's state that tells up to which turn this has been done."""
    extract: Extract
    stated: Stated
    """Every statement of a turn, for what is looked up in earlier turns."""
    policy: CapturePolicy
    vectors: Vectors
    space: EmbeddingSpace
    tenant: Tenant
    store: Store
    clock: Clock
    ids: IdSource

    def run(self, job: Job) -> dict[str, int]:
        """Carry out a job for the session it names; each step is durable, and none is done twice."""
        total: Counter[str] = Counter()
        is_last = False
        while not is_last:
            counts, is_last = retry_on_conflict(lambda: self._run_step(job))
            total.update(counts)
        return dict(total)

    def _run_step(self, job: Job) -> tuple[dict[str, int], bool]:
        """Read, decide and store one step; gives what there is to count, and whether it was the last."""
        with self.store.view(self.tenant) as view:
            state = view.state(job.key) or {}
            done = state.get(self.mark, -1)
            ahead = view.turns(job.key, done, AHEAD)
            turns = ahead[:WINDOW]
            room = self._room(job.key, turns, len(ahead), view)
            captured, changes = self._step(turns, view, room, shares=bool(state.get(SHARES)))
            changes = with_expectations(changes, view, also=_sources(changes))
        now = self.clock.now()
        is_last = len(turns) < WINDOW
        parts = {self.mark: turns[-1].seq if turns else done} | ({"pending_since": None} if is_last else {})
        if turns:
            parts |= {f"{self.mark}_items": {"day": _day(turns), "count": room.used}}
        hold = queue.finished(job) if is_last else queue.renewed(job, now)
        self.store.apply(self.tenant, [*hold, *changes, PatchSession(job.key, parts)], at=now)
        return captured.counts(), is_last

    def _room(self, session: str, turns: Sequence[Turn], ahead: int, view: View) -> _Room:
        """What room the session has left for memories of the day of these turns, out of `ahead` that wait."""
        items = (view.state(session) or {}).get(f"{self.mark}_items") or {}
        used = items.get("count", 0) if turns and items.get("day") == _day(turns) else 0
        return _Room(self.policy.max_items_per_session, used, len(turns) / max(1, ahead))

    def _step(
        self, turns: Sequence[Turn], view: View, room: _Room, *, shares: bool
    ) -> tuple[BatchResult, list[Change]]:
        captured = BatchResult(turns=len(turns))
        worth = [turn for turn in turns if self._is_worth(turn, captured)]
        review = Review.read(view)
        memories, found = self._memories(worth, shares, review)
        memories, disputing = self._with_other_sides(memories, found, worth, view, shares=shares, review=review)
        provisional = frozenset(id for id, each in found.items() if each.provisional) - disputing
        room.reserve(memories, provisional, disputing)
        unsure = frozenset(each.id for each in memories if each.id in provisional and self._is_unsure(each, review))
        vectors = self.vectors(memories) if memories else {}
        decisions = reconcile.decide_all(
            memories,
            lambda memory: self._known(memory, vectors.get(memory.id, ()), view),
            negated=frozenset(id for id, each in found.items() if each.negated),
            corrects=frozenset(id for id, each in found.items() if each.corrects),
            news={id: each.news for id, each in found.items()},
            duplicate_at=self.policy.duplicate_at,
            now=self.clock.now(),
            cosine=lambda one, other: self._cosine(vectors.get(one.id), vectors.get(other.id)),
            admit=lambda memory, decision: _may_stay(memory, decision, unsure) and room.admit(memory, decision),
        )
        changes = [change for decision in decisions for change in decision.changes]
        changes += outdated_turns(decisions, view)
        read = {turn.id for turn in turns}
        for decision in decisions:
            captured.verdicts[decision.verdict.value] += 1
            if decision.memory is not None and decision.verdict not in {
                Reconciliation.DUPLICATE,
                Reconciliation.REINFORCES,
            }:
                captured.memories.append(decision.memory.id)
                captured.earlier += decision.memory.source_turns[0] not in read
        changes += [Embed(id, self.space, vectors[id]) for id in captured.memories if vectors.get(id)]
        return captured, changes

    def _cosine(self, one: Sequence[Vector] | None, other: Sequence[Vector] | None) -> float | None:
        return self.space.calibration.apply(float(one[0] @ other[0])) if one and other else None

    def _is_worth(self, turn: Turn, captured: BatchResult) -> bool:
        if reason := _TAKEN_BACK.get(turn.state) or gate.turn_skip_reason(turn, self.policy):
            captured.skipped[reason] += 1
        return reason is None

    def _memories(
        self, turns: Sequence[Turn], shares: bool, review: Review
    ) -> tuple[list[Memory], dict[TraceId, Candidate]]:
        """What the extractor found, as memories with the trust of what they were extracted from.

        With `shares`, what is about the person is remembered for all scopes.
        """
        return self._drafted(self.extract(turns), turns, shares, review)

    def _with_other_sides(
        self,
        memories: Sequence[Memory],
        found: dict[TraceId, Candidate],
        turns: Sequence[Turn],
        view: View,
        *,
        shares: bool,
        review: Review,
    ) -> tuple[list[Memory], frozenset[TraceId]]:
        """The memories, each followed by what earlier turns say otherwise; and for which of them some does.

        What is found in earlier turns is added to `found`.
        """
        by_id = {turn.id: turn for turn in turns}
        lookback = Lookback(view, self.stated, lambda turn: gate.turn_skip_reason(turn, self.policy) is None)
        all_memories: list[Memory] = []
        disputing: set[TraceId] = set()
        for memory in memories:
            all_memories.append(memory)
            said = by_id[memory.source_turns[-1]]
            candidate = found[memory.id]
            sides = lookback.other_sides(memory, said, corrects=candidate.corrects, provisional=candidate.provisional)
            sides = sides or lookback.denials(memory, said)
            earlier, candidates = self._drafted(
                [candidate for candidate, _ in sides], [turn for _, turn in sides], shares, review
            )
            if earlier:
                all_memories += earlier
                found |= candidates
                disputing.add(memory.id)
        return all_memories, frozenset(disputing)

    def _drafted(
        self, candidates: Sequence[Candidate], turns: Sequence[Turn], shares: bool, review: Review
    ) -> tuple[list[Memory], dict[TraceId, Candidate]]:
        """Candidates of some turns as memories, and the candidate of each."""
        by_id = {turn.id: turn for turn in turns}
        memories: list[Memory] = []
        found: dict[TraceId, Candidate] = {}
        for candidate in self._kept(candidates, by_id, review):
            sources = [by_id[id] for id in candidate.source_turns]
            newest = max(sources, key=lambda turn: (turn.created_at, turn.seq))
            if candidate.span is None:  # a model put it into its own words
                candidate = _retained(candidate, newest)
            scope = placement.scope_of(candidate, newest.scope) if shares else newest.scope
            draft = candidate.draft(scope=scope, source_kind=newest.source_kind, said_at=newest.created_at)
            id = TraceId(self.ids(self.clock.now()))
            if self.policy.importance is not None:
                draft = replace(draft, importance=self.policy.importance)
            memory = draft.checked(DEFAULT_MAX_BYTES).memory(id, newest.created_at)
            memory = memory.revised(trust=least([memory.trust, *(turn.trust for turn in sources)]))
            memories.append(_set_by(candidate.origin, review.held_back(memory)))
            found[id] = candidate
        return memories, found

    def _is_unsure(self, memory: Memory, review: Review) -> bool:
        return memory.confidence < review.least(memory.source_ref, self.policy.min_confidence)

    def _kept(self, candidates: Sequence[Candidate], turns: Mapping[TraceId, Turn], review: Review) -> list[Candidate]:
        """Those the policy takes: sure enough, of the right kind, nobody else's words, few from each turn."""
        kept: list[Candidate] = []
        per_turn: Counter[TraceId] = Counter()
        for candidate in candidates:
            source = candidate.source_turns[0]
            if (
                candidate.confidence >= self._least(candidate, review)
                and (self.policy.kinds is None or candidate.kind in self.policy.kinds)
                and (candidate.provisional or per_turn[source] < self.policy.max_items_per_turn)
                and not _is_pasted(candidate, turns[source])
                and REDACTED not in candidate.text
            ):
                per_turn[source] += not candidate.provisional
                kept.append(candidate)
        return kept

    def _least(self, candidate: Candidate, review: Review) -> float:
        """How sure the extractor has to be. What the user wants remembered, and what may replace, is not learned of."""
        if candidate.provisional or candidate.importance >= ASKED_FOR:
            return self.policy.min_confidence
        return review.least(candidate.found_by, self.policy.min_confidence)

    def _known(self, memory: Memory, vectors: Sequence[Vector], view: View) -> list[Known]:
        return known_beside(memory, vectors, self.space, view)


def known_beside(memory: Memory, vectors: Sequence[Vector], space: EmbeddingSpace, view: View) -> list[Known]:
    """What is remembered in the same slot, was extracted from the same turns, or says much the same."""
    near = Filter(lanes=frozenset({Lane.MEMORIES}), scopes=frozenset({memory.scope}))
    cosines: dict[TraceId, float] = {}
    if vectors:
        found = view.nearest(vectors[0], space, near, NEAREST)
        cosines = {match.id: space.calibration.apply(match.score) for match in found}
    words = [match.id for match in view.keywords(query_terms(memory.text), near, NEAREST)]
    alike = [each for each in view.load([*cosines, *words]) if isinstance(each, Memory)]
    known = {each.id: each for each in [*alike, *view.derived(memory.source_turns), *_in_slot(memory, view)]}
    sources = view.load([id for each in known.values() for id in each.source_turns])
    turns = {turn.id: turn for turn in sources if isinstance(turn, Turn)}
    return [Known(each, cosines.get(id), reconcile.said_at(each, turns)) for id, each in sorted(known.items())]


def _in_slot(memory: Memory, view: View) -> list[Memory]:
    """Whatever was ever remembered in the slot of `memory`."""
    if memory.slot is None:
        return []
    same = Filter(
        lanes=frozenset({Lane.MEMORIES}),
        scopes=frozenset({memory.scope}),
        slots=frozenset({memory.slot}),
        states=frozenset(State),
    )
    return [each for each in view.scan(same) if isinstance(each, Memory)]


def _set_by(origin: Origin, memory: Memory) -> Memory:
    """A memory that says who chose its governed fields, where that is not what one would expect of it."""
    chosen = [field for field in GOVERNED if memory.origin_of(field) not in (Origin.DEFAULT, origin)]
    return memory.revised(origins=memory.origins.having(chosen, origin)) if chosen else memory


def _retained(candidate: Candidate, said: Turn) -> Candidate:
    lang, fills_slot = candidate.lang or _lang(said), bool(candidate.attribute)
    kept, ttl = retention.of(candidate.text, said.created_at, lang, candidate.kind, fills_slot=fills_slot)
    return replace(candidate, retention=kept, ttl=ttl)


def _lang(said: Turn) -> str:
    pack = rules.language(said.text)
    return pack.lang if pack else ""


def _day(turns: Sequence[Turn]) -> str:
    return turns[-1].created_at.date().isoformat()


def _is_pasted(candidate: Candidate, turn: Turn) -> bool:
    """Whether a statement stands in material that the speaker only passed on."""
    if candidate.span is None:
        return False
    return not is_own(turn.text, *candidate.span, turn.speaker)


def _sources(changes: Sequence[Change]) -> list[TraceId]:
    """The turns that memories are extracted from."""
    memories = (change.trace for change in changes if isinstance(change, Put) and isinstance(change.trace, Memory))
    return [turn for memory in memories for turn in memory.source_turns]


def outdated_turns(decisions: Sequence[Decision], view: View) -> list[Change]:
    """Turns whose statement was replaced say so, so that recall can put the newer one first."""
    changes: list[Change] = []
    for old, new in (pair for decision in decisions for pair in decision.replaced):
        changes += reconcile.outdated(new, turns_that_say(old, new, view))
    return changes
