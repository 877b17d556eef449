"""From legs to an order: every part of a score is computed here, named, and kept for the explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cortex.domain.calibration import UNRELATED
from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Memory, Retention
from cortex.domain.preferences import states_preference
from cortex.domain.terms import index_terms
from cortex.domain.trace import Trace, used_at
from cortex.domain.turn import Role, Turn
from cortex.recall import fusion, questions, scoring
from cortex.recall.dates import WORKED_OUT
from cortex.recall.plan import Plan
from cortex.recall.recipes import KeywordScale, Recipe, Reciprocal, VectorScale
from cortex.recall.retrieve import Leg


@dataclass(slots=True, eq=False)
class Scored:
    """A candidate with the parts of its score."""

    trace: Trace
    legs: tuple[str, ...]
    parts: Mapping[str, float] = field(default_factory=dict)
    """By name; changed by `set_part` alone."""
    reasons: list[str] = field(default_factory=list)
    similarity: float = 0.0
    evidence: float = 0.0
    """What the legs said of it, before any recipe weighs it."""
    stood_for: TraceId | None = None
    """What is shown in its place: the turn a memory was made from, or the memory made from a turn."""
    measured: bool = True
    """Whether its score is on the scale of the recipe's floor: one by its place among the words alone is not (B7)."""
    pinned: bool = False
    """Whether it is a rule that applies here."""
    ahead_of: TraceId | None = None
    """What it was moved above, since it is newer."""
    may_replace: TraceId | None = None
    """What it perhaps gives a newer value of, and is shown with."""
    _total: float | None = field(default=None, init=False, repr=False)
    """The sum of the parts, kept until one changes: it is read far more often."""

    @property
    def score(self) -> float:
        total = self._total
        if total is None:
            total = self._total = round(sum(self.parts.values()), 6)
        return total

    def set_part(self, name: str, value: float) -> None:
        self.parts = {**self.parts, name: value}
        self._total = None


_LEGS = {
    (False, False): (), (True, False): ("keyword",), (False, True): ("vector",), (True, True): ("keyword", "vector"),
}  # fmt: skip
"""The names of the legs, by whether keywords and whether vectors found a candidate."""

_PartsOf = Mapping[TraceId, Mapping[str, float]]


def shortlist(keyword: Leg, vector: Leg, recipe: Recipe, most: int) -> _PartsOf:
    """The candidates worth loading, with what their legs and their conversation give them."""
    found = list(dict.fromkeys([*keyword.scores, *vector.scores]))
    parts = _fused(_keyword_scores(keyword, recipe), _vector_scores(vector, recipe), keyword, vector, recipe, found)
    best = sorted((-sum(some.values()), id) for id, some in parts.items())
    return {id: parts[id] for _, id in best[:most]}


def rank(
    traces: Sequence[Trace], parts: _PartsOf, keyword: Leg, vector: Leg, recipe: Recipe, plan: Plan
) -> list[Scored]:
    """Candidates best first, ties by id."""
    named = _named_speaker(traces, plan)
    unit = _unit(keyword, vector, recipe)
    words, meaning, shown = keyword.scores, vector.scores, vector.shown
    by_taste = recipe.conversation.preference and plan.overview is None and questions.asks_for_advice(plan.text)
    by_place = recipe.scores_by_place
    weighs_all = recipe.factors.weighs_all
    scored = []
    for trace in traces:
        id = trace.id
        given = dict(parts[id])
        if isinstance(trace, Turn):
            for name, value in _conversation_parts(trace, named, recipe, plan):
                given[name] = unit * value
            if by_taste and _states_taste(trace):
                given["preferred"] = unit * recipe.conversation.preference
        if weighs_all or isinstance(trace, Memory):
            for name, value in _factor_parts(trace, recipe, plan):
                given[name] = unit * value
        if recipe.decay is not None:
            given["decay"] = _decay(trace, sum(given.values()), recipe.decay, plan.now)
        scored.append(
            Scored(
                trace,
                (*_LEGS[id in words, id in meaning], *(("media",) if id in shown else ())),
                given,
                similarity=meaning.get(id, 0.0),
                evidence=words.get(id, 0.0),
                measured=not by_place or (keyword.absent is None and id in meaning),
            )
        )
    if recipe.conversation.sources:
        _merge_sources(scored, plan)
    _share_neighbors(scored, recipe)
    _share_sessions(scored, recipe)
    return sorted(scored, key=lambda each: (-each.score, each.trace.id))


def _unit(keyword: Leg, vector: Leg, recipe: Recipe) -> float:
    """What a weight of 1 adds: 1, or what first place in every leg gives where legs are fused by their ranks."""
    if not isinstance(recipe.fusion, Reciprocal):
        return 1.0
    return fusion.most_reciprocal(sum(leg.absent is None for leg in (keyword, vector)), recipe.fusion.k)


def floor_of(each: Scored, plan: Plan) -> float:
    """The least score a candidate must have: the caller's own, or the recipe's where both legs compared it (B7)."""
    return plan.floor if plan.floor_is_given or each.measured else 0.0


_BEARING = ("keyword", "answers", "reply", "newer", "preferred")
"""The parts of a score that tell of a candidate itself, or of the question it answers, that it bears on the query."""


def bearing(each: Scored) -> float:
    """How much a candidate bears on the query beyond an unrelated text: 0 for what is only as similar as any."""
    parts, bears = each.parts, 0.0
    for name in _BEARING:
        if name in parts and parts[name] > 0.0:
            bears += parts[name]
    return max(0.0, each.similarity - UNRELATED) + bears


def _keyword_scores(leg: Leg, recipe: Recipe) -> dict[TraceId, float]:
    if recipe.keyword_scale is KeywordScale.BEST or not recipe.uses_keywords:
        return fusion.against_best(leg.scores)
    if recipe.scores_by_place:
        return {id: scoring.by_place(place) for place, id in enumerate(leg.scores)}
    return dict(leg.scores)


def _vector_scores(leg: Leg, recipe: Recipe) -> dict[TraceId, float]:
    if recipe.vector_scale is VectorScale.DISTANCE:
        return {id: scoring.by_distance(cosine) for id, cosine in leg.scores.items()}
    return dict(leg.scores)


def _fused(
    words: Mapping[TraceId, float],
    meaning: Mapping[TraceId, float],
    keyword: Leg,
    vector: Leg,
    recipe: Recipe,
    found: Sequence[TraceId],
) -> dict[TraceId, Mapping[str, float]]:
    if isinstance(recipe.fusion, Reciprocal):
        present = [leg.ids for leg in (keyword, vector) if leg.absent is None]
        fused = fusion.reciprocal(present, recipe.fusion.k)
        return {id: {"fusion": fused[id]} for id in found}
    weights = recipe.fusion.weights
    if vector.absent is not None:
        # Keywords stand in for what could not be compared by meaning (C6).
        weights = {"keyword": sum(weights.values())}
    parts = fusion.weighted({"keyword": words, "vector": meaning}, weights)
    return {id: parts.get(id, {}) for id in found}


def _named_speaker(traces: Iterable[Trace], plan: Plan) -> str | None:
    """The one speaker whose name stands in the query; None where it names none, or several."""
    query_terms = {term.text for term in plan.terms}
    speakers = {trace.speaker for trace in traces if isinstance(trace, Turn) and trace.speaker}
    named = [name for name in sorted(speakers) if (terms := set(index_terms(name))) and terms <= query_terms]
    return named[0] if len(named) == 1 else None


def _conversation_parts(trace: Turn, named: str | None, recipe: Recipe, plan: Plan) -> list[tuple[str, float]]:
    weights = recipe.conversation
    parts = []
    if named is not None and trace.speaker == named and weights.speaker:
        parts.append(("speaker", weights.speaker))
    if trace.role is not Role.USER and not plan.asks_both and weights.other_roles:
        parts.append(("not_the_user", -weights.other_roles))
    # Among people a question is rarely evidence; to an assistant, users state facts while they ask.
    if trace.speaker and weights.question and trace.text.rstrip().endswith("?"):
        parts.append(("only_asks", -weights.question))
    return parts


def _states_taste(turn: Turn) -> bool:
    """Whether a user who may now ask for advice said what they prefer."""
    return turn.role is Role.USER and not turn.speaker and states_preference(turn.text)


def _factor_parts(trace: Trace, recipe: Recipe, plan: Plan) -> Iterator[tuple[str, float]]:
    weights = recipe.factors
    if weights.recency:
        yield "recency", weights.recency * scoring.recency(plan.now - used_at(trace), weights.half_life)
    if weights.frequency:
        uses = trace.access_count if isinstance(trace, Memory) else 0
        yield "frequency", weights.frequency * scoring.frequency(uses)
    if weights.kind:
        yield "kind", weights.kind * scoring.KIND_BOOST[trace.kind]
    if not isinstance(trace, Memory):
        return
    matches = plan.project == trace.scope
    if weights.scope:
        yield "scope", weights.scope * scoring.scope_boost(trace.retention, scope_matches=matches)
    if weights.project and matches and trace.retention is Retention.PROJECT:
        yield "project", weights.project
    if weights.importance:
        yield "importance", weights.importance * trace.importance


def _merge_sources(scored: Sequence[Scored], plan: Plan) -> None:
    """A memory and the one turn it came from are one candidate, as near as the nearer of the two."""
    turns = {each.trace.id: each for each in scored if isinstance(each.trace, Turn) and each.trace.outdated_by is None}
    terms = frozenset(term.text for term in plan.terms)
    for memory in scored:
        sources = memory.trace.source_turns if isinstance(memory.trace, Memory) else ()
        turn = turns.get(sources[0]) if len(sources) == 1 else None
        if turn is None or memory.trace.state is not State.ACTIVE or turn.trace.state is not State.ACTIVE:
            continue
        shown, hidden = (turn, memory) if _says_as_much(turn.trace, memory.trace, terms) else (memory, turn)
        shown.set_part("vector", max(each.parts.get("vector", 0.0) for each in (shown, hidden)))
        shown.similarity = max(shown.similarity, hidden.similarity)
        shown.evidence = max(shown.evidence, hidden.evidence)
        shown.legs = tuple(dict.fromkeys([*shown.legs, *hidden.legs]))
        hidden.stood_for = shown.trace.id


def _says_as_much(turn: Trace, memory: Trace, terms: frozenset[str]) -> bool:
    """Whether a turn says all a memory of it says, or else more of the query; its line carries the dates."""
    said, kept = frozenset(index_terms(turn.text)), frozenset(index_terms(WORKED_OUT.sub("", memory.text)))
    return kept <= said or len(terms & said) > len(terms & kept)


def _share_neighbors(scored: Iterable[Scored], recipe: Recipe) -> None:
    """What was said next counts for a turn, and so does the question it follows: an answer is more than its words."""
    weights = recipe.conversation
    if not weights.reply and not weights.answers:
        return
    turns = {(each.trace.session, each.trace.seq): each for each in scored if isinstance(each.trace, Turn)}
    scores = {place: max(0.0, each.score) for place, each in turns.items()}
    for (session, seq), each in turns.items():
        if reply := scores.get((session, seq + 1)):
            each.set_part("reply", weights.reply * reply)
        question = turns.get((session, seq - 1))
        if question is not None and "?" in question.trace.text:
            each.set_part("answers", weights.answers * scores[session, seq - 1])


def _share_sessions(scored: Iterable[Scored], recipe: Recipe) -> None:
    """The best score of a session counts for all its turns."""
    share = recipe.conversation.session
    turns = [(each, each.trace.session) for each in scored if isinstance(each.trace, Turn)] if share else []
    best: dict[str, float] = {}
    for each, session in turns:
        best[session] = max(best.get(session, 0.0), each.score)
    for each, session in turns:
        each.set_part("session", share * best[session])


def _decay(trace: Trace, total: float, half_life: timedelta, now: datetime) -> float:
    dated = trace.dated if isinstance(trace, Chunk) else None
    return scoring.decayed(total, dated, now, half_life) - total
