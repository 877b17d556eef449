"""Recall: plan → legs → rank → admit → rerank → diversify → pack, under one deadline."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import accumulate, takewhile

from cortex.domain.hits import Hit, ScoreParts
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Memory
from cortex.domain.passages import heading, passage_at
from cortex.domain.query import Query
from cortex.domain.text import PASSAGE_TOKENS, estimate_tokens
from cortex.domain.trace import Trace, label_of, used_at, with_sources
from cortex.domain.turn import Turn
from cortex.ports.clock import Clock
from cortex.ports.store import Filter, View
from cortex.recall import (
    answerability,
    dialogue,
    diversity,
    freshness,
    gate,
    overlaps,
    overview,
    policy,
    questions,
    ranking,
    reranking,
    retrieve,
    standing_rules,
)
from cortex.recall.excerpts import excerpt
from cortex.recall.packing import MOST_TOKENS, Packed, pack
from cortex.recall.periods import Period
from cortex.recall.plan import Plan, first_person, plan
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Recipe
from cortex.recall.reranking import Reader, RerankResult
from cortex.recall.retrieve import Leg, Question
from cortex.runtime.deadline import Deadline

_READ_TOKENS = 160
_SCRIPT_CHARS = 400
"""So much of a text tells its script."""

_MOST_QUESTIONS = 3
"""How many turns that only ask may take the place of what says something."""

_ROOM_TO_GO_ON = 100
"""With so many tokens left, a block shows what followed the best hits as well."""

_KNOWN_BY = 20
"""Among how many of the best a name of the query is looked for."""

_PREFERENCES = 12
"""How many preferences are looked at,"""
_FIRST_HITS = 5
"""which are not among so many of the first hits,"""
_BEFORE_PREFERENCES = 3
"""and how many hits stand above them."""

OUTSIDE_WINDOW = "outside_window"
"""Why a candidate was dropped that is older than the recipe's window."""

BY_TIME = "by_time"
"""Why no leg was asked: the query names a time and no topic."""

Ask = Callable[[str], Question | None]
"""Starts embedding a query; None where embedding is off."""

AskMedia = Callable[[str], Sequence[Question | None]]
"""Starts embedding a query in each space of media; None in the place of one that is busy."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was not shown, and why."""

    id: TraceId
    score: float
    reason: str


@dataclass(slots=True)
class Tried:
    """One attempt at an answer, for the receipt."""

    tier: str
    trusts: list[str]
    candidates: int
    selected: int
    outdone: bool = False
    """Whether it was passed over for something far more relevant in a later tier."""


@dataclass(slots=True)
class Answer:
    """What recall found, and how."""

    plan: Plan | None = None
    packed: Packed = field(default_factory=lambda: Packed("", 0, ()))
    skipped: str | None = None
    legs: dict[str, Leg] = field(default_factory=dict)
    tried: list[Tried] = field(default_factory=list)
    ranked: list[Scored] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    silent: bool = False
    """Whether nothing is shown on purpose: the topic of the question is known, but the answer was never said."""
    broadened: bool = False
    readings: list[RerankResult] = field(default_factory=list)
    """What the reranker returned, for each call."""
    degraded: list[str] = field(default_factory=list)

    @property
    def hits(self) -> tuple[Hit, ...]:
        return self.packed.hits

    @property
    def digest(self) -> str:
        """Stands for the answer: the same ids and scores in the same order give the same digest."""
        text = ",".join(f"{hit.trace.id}={hit.score:.6f}" for hit in self.hits)
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def recall(
    query: Query,
    *,
    view: View,
    ask: Ask,
    recipe: Recipe,
    reader: Reader,
    clock: Clock,
    deadline: Deadline,
    without: frozenset[str] = frozenset(),
    passage_tokens: int = PASSAGE_TOKENS,
    cite: bool = True,
    ask_media: AskMedia | None = None,
) -> Answer:
    """Answer `query` from `view`. Legs named in `without` are left out, as a replay and a lower rung need them to be.

    `passage_tokens` is the size of the passages that were embedded. With `cite`, the block cites files.
    """
    planned = plan(query, recipe, clock.now(), lambda: view.scopes(Filter()))
    if planned.automatic and (reason := gate.skip_reason(query.text)):
        return Answer(plan=planned, skipped=reason)
    question = ask(_spoken(planned, view, recipe)) if recipe.uses_vectors and "vector" not in without else None
    compares_media = ask_media is not None and question is not None and "media" not in without
    media = ask_media(planned.text) if ask_media is not None and compares_media else ()
    search = _Search(view, question, ask, recipe, reader, clock, deadline, without, passage_tokens, cite, media)
    answer = search.answer(planned)
    broadened = not answer.hits and not answer.silent and planned.scope_inferred
    if broadened:
        planned = replace(planned, filter=replace(planned.filter, scopes=None))
        answer = search.answer(planned)
    if not answer.hits and planned.cold:
        cold = search.answer(_of_documents(planned, recipe))
        answer = cold if cold.hits else answer
    answer.broadened = broadened
    answer.readings = search.readings
    return answer


def used(answer: Answer, view: View) -> list[TraceId]:
    """The memories an answer made use of: those it shows, and those extracted from the turns it shows (X8)."""
    is_turn = answer.plan is not None and answer.plan.automatic
    lines = answer.packed.lines if is_turn else answer.hits
    shown = [line.trace.id for line in lines if isinstance(line.trace, Memory)]
    turns = [line.trace.id for line in lines if isinstance(line.trace, Turn)]
    if not turns or answer.plan is None:
        return shown
    # What has run out is not brought back by it.
    now = answer.plan.now
    derived = (each.id for each in view.derived(turns) if each.state is State.ACTIVE and each.is_due(now))
    return list(dict.fromkeys((*shown, *derived)))


def _of_documents(planned: Plan, recipe: Recipe) -> Plan:
    """The same question to the cold lane: few documents, and little of each (E15)."""
    return replace(
        planned,
        filter=replace(planned.filter, lanes=frozenset({Lane.DOCS})),
        limit=min(planned.limit, recipe.cold.limit),
        floor=max(planned.floor, recipe.cold.floor),
        budget=min(planned.budget, recipe.cold_budget),
    )


def _spoken(planned: Plan, view: View, recipe: Recipe) -> str:
    """The query as the vector leg compares it."""
    if not recipe.conversation.first_person:
        return planned.text
    return first_person(planned.text, view.speakers(planned.filter))


@dataclass(frozen=True, slots=True)
class _Search:
    view: View
    question: Question | None
    ask: Ask
    recipe: Recipe
    reader: Reader
    clock: Clock
    deadline: Deadline
    without: frozenset[str]
    passage_tokens: int
    cite: bool
    media: Sequence[Question | None] = ()
    """The query in the spaces of media."""
    readings: list[RerankResult] = field(default_factory=list)

    def answer(self, planned: Plan) -> Answer:
        """Try the tiers in order until one has something to show, or better than what was barely relevant before."""
        if planned.period is not None and self.view.latest(Filter(lanes=frozenset({Lane.SESSIONS})), limit=1):
            return self._of_period(planned, planned.period)
        answer = Answer(plan=planned)
        barely: Answer | None = None
        for attempt in policy.attempts(
            self.recipe.tiers,
            untrusted=not planned.automatic,
            quarantined=planned.quarantined,
            relevance=self.recipe.relevance,
        ):
            allowed = replace(planned.filter, labels=attempt.labels, trusts=attempt.trusts)
            self._attempt_in_window(answer, replace(planned, relevance=attempt.relevance), allowed, attempt.tier)
            tried = Tried(
                attempt.tier, sorted(tier.value for tier in attempt.trusts), len(answer.ranked), len(answer.hits)
            )
            answer.tried.append(tried)
            if answer.silent:
                break
            if not answer.hits or self._is_outdone(answer, planned, attempt):
                continue
            if _settles(answer, attempt):
                _pass_over(answer.tried[:-1])
                return answer
            if barely is None:
                barely = replace(answer)
            else:
                tried.selected = 0
        return barely or answer

    def _of_period(self, planned: Plan, period: Period) -> Answer:
        """What the user said at a time, in its order: if that is too much, what left a memory, and the latest."""
        first = policy.attempts(self.recipe.tiers, untrusted=False, quarantined=False)[0]
        allowed = replace(
            planned.filter, lanes=frozenset({Lane.SESSIONS}), since=period.since, until=period.until,
            trusts=first.trusts,
        )  # fmt: skip
        found = dialogue.said_in(self.view, allowed, last=period.since is None)
        said = [turn for turn in found if policy.is_current(turn, planned.now)]
        kept = {id for memory in self.view.derived([turn.id for turn in said]) for id in memory.source_turns}
        chosen = sorted(said, key=lambda turn: (turn.id not in kept, -turn.created_at.timestamp(), turn.id))
        chosen = sorted(chosen[: planned.limit], key=lambda turn: (turn.created_at, turn.session, turn.seq))
        scored = [Scored(turn, ("period",), {"period": 1.0}, ["said at that time"]) for turn in chosen]
        absent = Leg("vector", absent=BY_TIME)
        answer = Answer(plan=planned, ranked=scored)
        answer.legs = {"keyword": Leg("keyword", absent=BY_TIME), "vector": absent}
        answer.packed = self._packed([self._hit(each, first.tier, absent) for each in scored], planned)
        shown = len(answer.packed.hits)
        answer.tried = [Tried(first.tier, sorted(tier.value for tier in first.trusts), len(said), shown)]
        answer.dropped = [Dropped(hit.trace.id, hit.score, "over_budget") for hit in answer.packed.left_out]
        answer.silent = not shown
        return answer

    def _is_outdone(self, answer: Answer, planned: Plan, attempt: policy.Attempt) -> bool:
        """Whether a later tier of the same trust has something far more relevant: then this one has no answer (E6)."""
        least, labels = self.recipe.relevance, self.recipe.tiers[-1][1]
        if least is None or attempt.labels == labels:
            return False
        wide = replace(planned.filter, labels=labels, trusts=attempt.trusts, used_since=planned.used_since)
        keyword, vector, *_ = self._legs(planned, wide)
        if not least.is_outdone({hit.trace.id for hit in answer.hits}, keyword.scores, vector.scores):
            return False
        answer.tried[-1] = replace(answer.tried[-1], selected=0, outdone=True)
        return True

    def _attempt_in_window(self, answer: Answer, planned: Plan, allowed: Filter, tier: str) -> None:
        """An attempt; once more within the window alone where what is too old took the places of what is not (E8)."""
        self._attempt(answer, planned, allowed, tier)
        too_old = [each for each in answer.dropped if each.reason == OUTSIDE_WINDOW]
        pools = {"keyword": planned.keyword_pool, "vector": planned.vector_pool}
        crowded = len(answer.ranked) >= planned.shortlist or any(
            len(answer.legs[name].scores) >= pool for name, pool in pools.items()
        )
        if too_old and crowded:
            answer.silent = False
            self._attempt(answer, planned, replace(allowed, used_since=planned.used_since), tier)
            answer.dropped += too_old

    def _attempt(self, answer: Answer, planned: Plan, allowed: Filter, tier: str) -> None:
        keyword, vector, standing, *media = self._legs(planned, allowed)
        answer.legs = {leg.name: leg for leg in (keyword, vector, standing, *media)}
        answer.degraded = sorted({f"{leg.name}:{leg.absent}" for leg in (keyword, vector, *media) if _is_trouble(leg)})
        vector = self._compared(keyword, vector, allowed)
        parts = ranking.shortlist(keyword, vector, self.recipe, planned.shortlist)
        loaded = self.view.load(list(parts))
        if unread := self._unread(loaded) - vector.shown:
            vector = vector.without(unread)
            parts = ranking.shortlist(keyword, vector, self.recipe, planned.shortlist)
            loaded = [each for each in loaded if each.id in parts]
        answer.ranked = ranking.rank(loaded, parts, keyword, vector, self.recipe, planned)
        if self.recipe.freshness is not None:
            speakers = partial(dialogue.speakers_of, view=self.view)
            answer.ranked = freshness.newest_first(answer.ranked, planned, self.recipe.freshness, speakers)
        answer.dropped = []
        # Before they are read again: a memory and the turn it came from would take two of the places there.
        admitted, echoes = _without_echoes(self._admit(answer, planned, allowed))
        admitted, copies = overlaps.without_copies(admitted, {term.text for term in planned.terms})
        answer.dropped += [Dropped(each.trace.id, each.score, "duplicate") for each in (*echoes, *copies)]
        admitted = self._rerank(answer, planned, admitted)
        admitted = self._in_context(answer, planned, admitted, allowed)
        chosen = self._choose(answer, planned, admitted, standing, allowed)
        found = [self._hit(each, tier, vector) for each in chosen]
        allows = partial(_allows_beside, allowed, planned.now)
        hits = dialogue.with_surroundings(found, self.view, allows)
        answer.packed = self._packed(hits, planned)
        if planned.automatic and planned.budget - answer.packed.tokens >= _ROOM_TO_GO_ON:
            followed = dialogue.with_what_followed(hits, self.view, allows)
            answer.packed = self._packed(followed, planned)
        answer.dropped += [Dropped(hit.trace.id, hit.score, "over_budget") for hit in answer.packed.left_out]

    def _packed(self, hits: Sequence[Hit], planned: Plan) -> Packed:
        terms = {term.text for term in planned.terms}
        if questions.asks_what_was_asked(planned.text):
            # Then a question is an answer.
            hits = [replace(hit, around=replace(hit.around, only_asks=False)) for hit in hits]
        return pack(hits, terms=terms, budget=planned.budget, frame=self.recipe.frame, cite=self.cite)

    def _legs(self, planned: Plan, allowed: Filter) -> tuple[Leg, ...]:
        """Keywords, vectors, standing rules, and media where there are any to compare."""
        recipe, view, deadline, clock = self.recipe, self.view, self.deadline, self.clock
        vector, standing = Leg("vector", absent="not_in_recipe"), Leg("standing", absent="not_in_recipe")
        keyword = (
            self._keyword_leg(planned, allowed) if recipe.uses_keywords else Leg("keyword", absent="not_in_recipe")
        )
        if recipe.uses_vectors:
            vector = retrieve.vector_leg(view, self.question, allowed, planned.vector_pool, deadline, clock)
        if vector.absent is not None and not recipe.uses_keywords:
            # Where nothing can be compared by meaning, keywords answer rather than nobody.
            keyword = self._keyword_leg(planned, allowed)
        if recipe.pinned_rules.memories or recipe.pinned_rules.turns:
            where = replace(allowed, scopes=standing_rules.scopes(planned), used_since=planned.used_since)
            standing = retrieve.standing_leg(view, self.question, where, standing_rules.POOL, deadline, clock)
        if not self.media:
            return keyword, vector, standing
        media = retrieve.media_leg(view, self.media, allowed, planned.vector_pool, deadline, clock)
        return keyword, retrieve.with_media(vector, media), standing, media

    def _keyword_leg(self, planned: Plan, allowed: Filter) -> Leg:
        if "keyword" in self.without:
            return Leg("keyword", absent="left_out")
        return retrieve.keyword_leg(self.view, planned.terms, allowed, planned.keyword_pool, self.deadline, self.clock)

    def _compared(self, keyword: Leg, vector: Leg, allowed: Filter) -> Leg:
        """The vector leg with the similarity of what only the keyword leg found: a sum needs all its parts."""
        missing = frozenset(keyword.scores) - frozenset(vector.scores)
        if not missing or vector.absent is not None:
            return vector
        only = replace(allowed, ids=missing)
        more = retrieve.vector_leg(self.view, self.question, only, len(missing), self.deadline, self.clock)
        return replace(vector, scores={**vector.scores, **more.scores}, passages={**vector.passages, **more.passages})

    def _unread(self, traces: Sequence[Trace]) -> frozenset[TraceId]:
        """Those in a script the model cannot read: how near it puts them says nothing."""
        if self.question is None:
            return frozenset()
        reads = self.question.space.reads
        return frozenset(each.id for each in traces if not each.text.isascii() and not reads(each.text[:_SCRIPT_CHARS]))

    def _admit(self, answer: Answer, planned: Plan, allowed: Filter) -> list[Scored]:
        """What may be shown; what was superseded gives its place to what replaced it."""
        admitted: dict[TraceId, Scored] = {}
        past = [each.trace for each in answer.ranked if each.trace.state is State.SUPERSEDED]
        successors = self._successors(past) if past else {}
        for each in answer.ranked:
            is_past = each.trace.state is State.SUPERSEDED
            for shown in _current(each, successors, planned, allowed) if is_past else (each,):
                if reason := _refusal(shown, planned):
                    answer.dropped.append(Dropped(shown.trace.id, shown.score, reason))
                else:
                    admitted.setdefault(shown.trace.id, shown)
        return list(admitted.values())

    def _successors(self, past: Sequence[Trace]) -> dict[TraceId, Trace]:
        """What replaced these, and what replaced that in turn, as far as it is there."""
        known: dict[TraceId, Trace] = {}
        missing: set[TraceId] = set()
        while wanted := {id for each in past if (id := policy.successor(each, known))} - known.keys() - missing:
            known |= {trace.id: trace for trace in self.view.load(sorted(wanted))}
            missing |= wanted - known.keys()
        return known

    def _rerank(self, answer: Answer, planned: Plan, admitted: list[Scored]) -> list[Scored]:
        """The best, read once more by a reader that sees query and text together."""
        rerank = None if reranking.LEG in self.without else self.recipe.rerank
        # Nothing is reranked that will not be shown, or only with a doubt.
        if rerank is None or not admitted or (planned.automatic and not self._is_something(admitted, planned)):
            return admitted
        terms = {term.text for term in planned.terms}
        texts = {each.trace.id: self._readable(each.trace, terms) for each in admitted[: rerank.depth]}
        reading = self.reader.read(planned.text, texts)
        self.readings.append(reading)
        if reading.absent is not None:
            answer.degraded = sorted({*answer.degraded, f"rerank:{reading.absent}"})
        # Who reads each text alone does not know which of two is the newer.
        return freshness.kept_ahead(reranking.reranked(admitted, reading, rerank))

    def _readable(self, trace: Trace, terms: Set[str]) -> str:
        """What a reranker is given of a trace: the question it answers, and the part that bears on the query.

        A memory is read as it was said: a statement out of its turn is short, and marked too well for that.
        """
        if isinstance(trace, Memory) and trace.source_turns:
            trace = next(iter(self.view.load(trace.source_turns[-1:])), trace)
        before = self.view.turn_at(trace.session, trace.seq - 1) if isinstance(trace, Turn) else None
        return f"{heading(trace, before)} {excerpt(trace.text, terms, _READ_TOKENS)}".strip()

    def _in_context(self, answer: Answer, planned: Plan, admitted: list[Scored], allowed: Filter) -> list[Scored]:
        """Turns as parts of a conversation: replies above their questions, without mere acknowledgements."""
        if not planned.automatic or not self.recipe.conversation.replies_first:
            return admitted
        allows = partial(_allows_beside, allowed, planned.now)
        if planned.overview is not None:
            reply = partial(dialogue.reply_to, view=self.view, allows=allows)
            admitted = overview.arranged(admitted, planned.overview, reply, self.recipe.conversation)
        else:
            admitted = dialogue.replies_first(admitted, self.view, allows)
        kept: list[Scored] = []
        asking = 0
        for each in admitted:
            # What will not be shown is not judged.
            reason = self._says_nothing(each.trace, planned, asking) if len(kept) < planned.limit else None
            if reason is None:
                kept.append(each)
                asking += dialogue.is_question(each.trace)
            else:
                answer.dropped.append(Dropped(each.trace.id, each.score, reason))
        # The places are for what differs; a repeated question has lifted its reply by now.
        kept, repeated = overlaps.without_repetitions(kept, partial(dialogue.said_before, view=self.view))
        answer.dropped += [Dropped(each.trace.id, each.score, "duplicate") for each in repeated]
        return kept

    def _says_nothing(self, trace: Trace, planned: Plan, asking: int) -> str | None:
        """Why a trace has nothing to say to the query: it is the same question, one of many, or an acknowledgement."""
        if dialogue.is_question(trace):
            of_asked = questions.asks_what_was_asked(planned.text)
            asks_same = dialogue.has_terms(trace, planned.terms) and not of_asked
            asks_back = isinstance(trace, Turn) and dialogue.asks_back(trace)
            if asking >= _MOST_QUESTIONS or asks_same or (asks_back and not of_asked and planned.overview is None):
                return "question"
        return "acknowledgement" if dialogue.says_nothing(trace, self.view) else None

    def _choose(
        self, answer: Answer, planned: Plan, admitted: list[Scored], standing: Leg, allowed: Filter
    ) -> list[Scored]:
        """The hits: enough evidence, not all the same, at most `limit`, with places kept for rules and preferences."""
        if (
            planned.automatic
            and self.recipe.answerability is not None
            and not standing_rules.asks_for_rules(planned.text)
            and answerability.is_missing(admitted, planned, self.recipe.answerability)
        ):
            answer.dropped += [Dropped(each.trace.id, each.score, "answer_missing") for each in admitted]
            answer.silent = True
            return []
        if planned.automatic:
            evident = self._evident(answer, planned, admitted)
            answer.dropped += [Dropped(each.trace.id, each.score, "no_evidence") for each in admitted[len(evident) :]]
            admitted = self._near_the_best(answer, planned, evident)
        if self.recipe.diversity is not None:
            admitted = _diversified(admitted, self.recipe.diversity)
        rules = self._standing(standing, planned, alone=not admitted)
        rules = standing_rules.seated(rules, beside=admitted[: planned.limit])
        if planned.automatic and self.recipe.pinned_rules.most:
            idle = standing_rules.beside_the_point(admitted, planned)
            answer.dropped += [Dropped(each.trace.id, each.score, "does_not_apply") for each in idle]
            admitted = [each for each in admitted if each not in idle]
        chosen, over = admitted[: planned.limit], admitted[planned.limit :]
        # Rules take at most half of the places from other hits, unless the query asks for rules.
        most = planned.limit // 2 if chosen and not standing_rules.asks_for_rules(planned.text) else planned.limit
        liked = self._preferences(planned, allowed, beside=chosen)
        chosen = _without_sources(chosen, liked)
        chosen, given_up = _seated(chosen, rules + liked, planned.limit, most)
        answer.dropped = [each for each in answer.dropped if each.id not in {like.trace.id for like in liked}]
        answer.dropped += [Dropped(each.trace.id, each.score, "over_limit") for each in given_up + over]
        return _raised(chosen, liked)

    def _preferences(self, planned: Plan, allowed: Filter, beside: Sequence[Scored]) -> list[Scored]:
        """The preferences that bear most on a request, however much else is about its subject."""
        seats = self.recipe.pinned_rules
        if not (seats.preferences and beside and planned.automatic and standing_rules.wants_preferences(planned)):
            return []
        leg = retrieve.preference_leg(self.view, self.question, allowed, _PREFERENCES, self.deadline, self.clock)
        shown = {id for each in beside[:_FIRST_HITS] for id in with_sources(each.trace)}
        near = [id for id, similarity in leg.scores.items() if similarity >= seats.preference]
        current = (each for each in self.view.load(near) if policy.is_current(each, planned.now))
        fresh = [each for each in current if not shown & with_sources(each)]
        fresh.sort(key=lambda trace: (-leg.scores[trace.id], trace.id))
        return [
            Scored(trace, ("vector",), {"preferred": leg.scores[trace.id]}, ["preference"], leg.scores[trace.id])
            for trace in fresh[: seats.preferences]
        ]

    def _near_the_best(self, answer: Answer, planned: Plan, admitted: list[Scored]) -> list[Scored]:
        """Without what trails far behind, or hardly bears on the query beside what does. Words alone cannot tell that.

        An order or a summary goes over much that is hardly near the question.
        """
        if not admitted or answer.legs["vector"].absent is not None:
            return admitted
        nothing = self.recipe.abstention
        least = nothing.trailing * admitted[0].score
        bearings = [ranking.bearing(each) for each in admitted]
        bears = nothing.bearing * max(bearings) if planned.overview is None else 0.0
        spared = self._first_lines(admitted, nothing.spared * planned.budget)
        near = [
            each
            for at, (each, bearing) in enumerate(zip(admitted, bearings, strict=True))
            if (at < spared and bearing > 0) or (each.score >= least and bearing >= bears)
        ]
        kept = {each.trace.id for each in near}
        behind = [each for each in admitted if each.trace.id not in kept]
        near = freshness.with_other_sides(near, behind, answer.ranked)
        kept = {each.trace.id for each in near}
        answer.dropped += [
            Dropped(each.trace.id, each.score, "trailing") for each in behind if each.trace.id not in kept
        ]
        return near

    def _first_lines(self, admitted: Sequence[Scored], tokens: float) -> int:
        """How many of the best fit into so many tokens."""
        sizes = accumulate(min(MOST_TOKENS, estimate_tokens(each.trace.text)) for each in admitted)
        return sum(1 for _ in takewhile(lambda size: size <= tokens, sizes))

    def _evident(self, answer: Answer, planned: Plan, admitted: list[Scored]) -> list[Scored]:
        """Of what ranks best, all, or the first few, or nothing: of few texts, the best is less like any by chance."""
        if self._is_something(admitted, planned):
            return admitted
        nothing, vector = self.recipe.abstention, answer.legs["vector"]
        is_small = vector.absent is None and len(vector.scores) < planned.vector_pool
        return admitted[: nothing.doubtful] if is_small and self._is_something(admitted, planned, nothing.small) else []

    def _is_something(self, admitted: Sequence[Scored], planned: Plan, share: float = 1.0) -> bool:
        """Whether the best is similar enough, or holds enough of the query; both, if that may be about anything.

        `share` is how much of the bounds counts.
        """
        least = self.recipe.abstention
        # A question is like many questions: only its words tell that it is about the same.
        near = [0.0 if dialogue.is_question(each.trace) else each.similarity for each in admitted]
        evidence = [each.evidence for each in admitted]
        if max(near, default=0.0) < share * least.similarity and max(evidence, default=0.0) < share * least.evidence:
            return False
        if not any(each.similarity for each in admitted) or not self._may_be_about_anything(planned, admitted):
            return True
        together = max(similarity + least.share * found for similarity, found in zip(near, evidence, strict=True))
        return together >= share * least.together or max(evidence) >= share * least.alone

    def _may_be_about_anything(self, planned: Plan, admitted: Sequence[Scored]) -> bool:
        """Whether a query says nothing of the asker, and names nobody and nothing that the best hits know by name."""
        if not self.recipe.abstention.together or not questions.is_impersonal(planned.text):
            return False
        names = questions.names_in(planned.text)
        if names and any(name in each.trace.text for each in admitted[:_KNOWN_BY] for name in names):
            return False
        return not any(name in planned.text for name in self.view.speakers(planned.filter))

    def _standing(self, leg: Leg, planned: Plan, *, alone: bool) -> list[Scored]:
        """Rules that apply to the turn. A remembered rule also applies alone; one merely said does not."""
        seats = self.recipe.pinned_rules
        loaded = [trace for trace in self.view.load(leg.ids) if policy.is_current(trace, planned.now)]
        near = standing_rules.nearness(self.question, self.ask, self.deadline)
        rules = standing_rules.applying(loaded, leg.scores, planned, near, seats.nearness)
        memories = [rule for rule in rules if isinstance(rule.trace, Memory)]
        turns, _ = _without_echoes(
            [rule for rule in rules if isinstance(rule.trace, Turn) and not alone], beside=memories
        )
        if standing_rules.asks_for_rules(planned.text):
            return memories + turns
        return (memories[: seats.memories] + turns[: seats.turns])[: seats.most]

    def _hit(self, each: Scored, tier: str, vector: Leg) -> Hit:
        trace = each.trace
        passed = (f"tier {tier}", f"trust {trace.trust}", f"scope {trace.scope}", f"state {trace.state}")
        parts = ScoreParts({name: round(value, 6) for name, value in each.parts.items()}, (*each.reasons, *passed))
        best = (
            passage_at(trace.text, vector.passages[trace.id], self.passage_tokens)
            if trace.id in vector.passages
            else None
        )
        return Hit(trace, min(1.0, max(0.0, each.score)), parts, each.legs, best=best, pinned=each.pinned)


_BY_DESIGN = frozenset({BY_TIME, "not_in_recipe", "no_terms", "left_out", "embedding_off", "script_unknown_to_model"})
"""Reasons for a leg to be absent that are no fault."""


def _settles(answer: Answer, attempt: policy.Attempt) -> bool:
    """Whether one of the hits is surely an answer; without a required relevance, any hit is."""
    shown = {hit.trace.id for hit in answer.hits}
    found = [each for each in answer.ranked if each.trace.id in shown]
    return attempt.relevance is None or any(attempt.relevance.settles(each.similarity, each.evidence) for each in found)


def _pass_over(tried: Sequence[Tried]) -> None:
    """Note that what was barely relevant there gave way."""
    for each in tried:
        each.outdone |= bool(each.selected)
        each.selected = 0


def _is_trouble(leg: Leg) -> bool:
    return leg.absent is not None and leg.absent not in _BY_DESIGN


def _without_echoes(ranked: Sequence[Scored], beside: Sequence[Scored] = ()) -> tuple[list[Scored], list[Scored]]:
    """Without memories whose turn stands above them, and without turns whose memory does; and what was left out."""
    turns = {each.trace.id for each in beside if isinstance(each.trace, Turn)}
    sources = {id for each in beside if isinstance(each.trace, Memory) for id in each.trace.source_turns}
    kept: list[Scored] = []
    echoes: list[Scored] = []
    for each in ranked:
        if each.stood_for is not None:
            is_echo = True
        elif isinstance(each.trace, Memory):
            is_echo = bool(each.trace.source_turns) and turns.issuperset(each.trace.source_turns)
            sources.update(() if is_echo else each.trace.source_turns)
        else:
            is_echo = each.trace.id in sources
            turns.update({each.trace.id} if not is_echo and isinstance(each.trace, Turn) else ())
        (echoes if is_echo else kept).append(each)
    return kept, echoes


def _current(each: Scored, successors: Mapping[TraceId, Trace], planned: Plan, allowed: Filter) -> list[Scored]:
    """What stands for a superseded candidate: its successor. A search by hand shows both."""
    last = policy.successor(each.trace, successors)
    newest = successors.get(last) if last is not None else None
    shown = [] if planned.automatic else [each]
    if newest is None or newest.state is not State.ACTIVE or not _allows(allowed, newest):
        return shown
    successor = replace(each, trace=newest, reasons=[f"supersedes {each.trace.id}"])
    return [successor, *shown]


def _refusal(each: Scored, planned: Plan) -> str | None:
    if reason := policy.refusal(each.trace, planned.now):
        return reason
    if planned.used_since is not None and used_at(each.trace) < planned.used_since:
        return OUTSIDE_WINDOW
    if planned.relevance is not None and not planned.relevance.admits(each.similarity, each.evidence):
        return "not_relevant"
    return "below_floor" if each.score < ranking.floor_of(each, planned) or not each.parts else None


def _allows_beside(filter: Filter, now: datetime, trace: Trace) -> bool:
    """Whether a reply or a neighbor of a hit may be shown: it must pass the whole filter, and not have expired."""
    return _allows(filter, trace) and policy.refusal(trace, now) is None


def _allows(filter: Filter, trace: Trace) -> bool:
    """Whether a trace passes the whole filter."""
    limits: tuple[tuple[Set[str] | None, str], ...] = (
        (filter.scopes, trace.scope),
        (filter.lanes, trace.lane),
        (filter.kinds, trace.kind),
        (filter.trusts, trace.trust),
        (filter.labels, label_of(trace)),
    )
    in_time = (filter.since is None or trace.created_at >= filter.since) and (
        filter.until is None or trace.created_at < filter.until
    )
    return in_time and all(names is None or name in names for names, name in limits)


def _seated(chosen: list[Scored], rules: list[Scored], limit: int, most: int) -> tuple[list[Scored], list[Scored]]:
    """`chosen` with at most `most` rules beside them, within `limit`; and what gave up its place for them."""
    shown = {each.trace.id for each in chosen}
    fresh = [rule for rule in rules if rule.trace.id not in shown][:most]
    keeps = {rule.trace.id for rule in rules}
    surplus = len(chosen) + len(fresh) - limit
    given_up: list[Scored] = []
    for each in reversed(chosen):
        if surplus > len(given_up) and each.trace.id not in keeps:
            given_up.insert(0, each)
    gone = {each.trace.id for each in given_up}
    return ([each for each in chosen if each.trace.id not in gone] + fresh)[:limit], given_up


def _without_sources(chosen: Sequence[Scored], liked: Sequence[Scored]) -> list[Scored]:
    """`chosen` without the turns that preferences were extracted from, which have their own places."""
    sources = {id for each in liked for id in with_sources(each.trace)}
    return [each for each in chosen if each.trace.id not in sources]


def _raised(chosen: Sequence[Scored], liked: Sequence[Scored]) -> list[Scored]:
    """`chosen` with the preferences right after the first hits: what stands last may not fit into the block."""
    first = [each for each in chosen if each not in liked]
    kept = [each for each in chosen if each in liked]
    return first[:_BEFORE_PREFERENCES] + kept + first[_BEFORE_PREFERENCES:]


def _diversified(admitted: list[Scored], balance: float) -> list[Scored]:
    by_id = {each.trace.id: each for each in admitted}
    scores = {id: each.score for id, each in by_id.items()}
    texts = {id: each.trace.text for id, each in by_id.items()}
    return [by_id[id] for id in diversity.diversified(list(by_id), scores, texts, balance)]
