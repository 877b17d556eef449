"""From legs to an order: every part of a score is computed here, named, and kept for the explanation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.terms import index_terms
from cortex.domain.trace import Trace, kind_of
from cortex.domain.turn import Role, Turn
from cortex.recall import fusion, scoring
from cortex.recall.plan import Plan
from cortex.recall.recipes import Convex, KeywordScale, Recipe, VectorScale
from cortex.recall.retrieve import Leg

Places = Mapping[TraceId, Mapping[int, TraceId]]


@dataclass(slots=True)
class Scored:
    """A candidate with the parts of its score."""

    trace: Trace
    legs: tuple[str, ...]
    parts: dict[str, float] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    placed: float | None = None
    """The score a reranker gave it, instead of the sum of its parts."""

    @property
    def score(self) -> float:
        return round(sum(self.parts.values()), 6) if self.placed is None else self.placed

    def reread(self, mark: float) -> None:
        """Take the place a reranker gave it: the upper half of the scale is for what was read again."""
        self.parts["rerank"] = mark
        self.placed = round(0.5 + 0.5 / (1.0 + math.exp(-mark)), 6)

    def outranked(self) -> None:
        """Stay behind everything that was read again."""
        self.placed = round(0.5 * min(1.0, max(0.0, self.score)), 6)


def rank(
    traces: Sequence[Trace], keyword: Leg, vector: Leg, around: Places, recipe: Recipe, plan: Plan
) -> list[Scored]:
    """Candidates best first, ties by id."""
    by_id = {trace.id: trace for trace in traces}
    words = _in_context(_keyword_scores(keyword, recipe), by_id, around, recipe)
    meaning = _vector_scores(vector, recipe)
    base = _fused(words, meaning, keyword, vector, recipe, by_id)
    scored = {
        id: Scored(by_id[id], _legs(id, keyword, vector), parts)
        for id, parts in base.items()
    }
    named = _named_speaker(traces, plan)
    for each in scored.values():
        each.parts.update(_conversation_parts(each.trace, named, recipe, plan))
        each.parts.update(_factor_parts(each.trace, recipe, plan))
    _share_sessions(scored.values(), recipe)
    _decay(scored.values(), recipe, plan.now)
    return sorted(scored.values(), key=lambda each: (-each.score, each.trace.id))


def _keyword_scores(leg: Leg, recipe: Recipe) -> dict[TraceId, float]:
    if recipe.keyword_scale is KeywordScale.BEST or not recipe.uses_keywords:
        return fusion.against_best(leg.scores)
    if recipe.keyword_scale is KeywordScale.PLACE:
        return {id: scoring.by_place(place) for place, id in enumerate(leg.scores)}
    return dict(leg.scores)


def _vector_scores(leg: Leg, recipe: Recipe) -> dict[TraceId, float]:
    if recipe.vector_scale is VectorScale.DISTANCE:
        return {id: scoring.by_distance(cosine) for id, cosine in leg.scores.items()}
    return dict(leg.scores)


def _in_context(
    words: Mapping[TraceId, float], by_id: Mapping[TraceId, Trace], around: Places, recipe: Recipe
) -> dict[TraceId, float]:
    """Keyword scores with what the turns before and after lend: an answer rarely repeats its question."""
    shares = recipe.context
    if shares is None:
        return dict(words)
    scores: dict[TraceId, float] = {}
    for id in by_id:
        near = around.get(id, {})
        before, after = near.get(-1), near.get(1)
        lent = shares.after * words.get(after, 0.0) if after else 0.0
        if before and before in words:
            asked = before in by_id and "?" in by_id[before].text
            lent += (shares.before + shares.before_question * asked) * words[before]
        if score := words.get(id, 0.0) + lent:
            scores[id] = score
    return scores


def _fused(
    words: Mapping[TraceId, float],
    meaning: Mapping[TraceId, float],
    keyword: Leg,
    vector: Leg,
    recipe: Recipe,
    by_id: Mapping[TraceId, Trace],
) -> dict[TraceId, dict[str, float]]:
    if isinstance(recipe.fusion, Convex):
        weights = recipe.fusion.weights
        if vector.absent is not None:
            # Keywords stand in for what could not be compared by meaning (C6).
            weights = {"keyword": sum(weights.values())}
        return {
            id: {
                name: weights[name] * scores[id]
                for name, scores in (("keyword", words), ("vector", meaning))
                if name in weights and id in scores
            }
            for id in by_id
        }
    present = [leg.ids for leg in (keyword, vector) if leg.absent is None]
    fused = fusion.reciprocal(present, recipe.fusion.k)
    return {id: {"fusion": fused.get(id, 0.0)} for id in by_id}


def _legs(id: TraceId, keyword: Leg, vector: Leg) -> tuple[str, ...]:
    return tuple(leg.name for leg in (keyword, vector) if id in leg.scores)


def _named_speaker(traces: Iterable[Trace], plan: Plan) -> str | None:
    """The one speaker whose name stands in the query; None where it names none, or several."""
    asked = {term.text for term in plan.terms}
    speakers = {trace.speaker for trace in traces if isinstance(trace, Turn) and trace.speaker}
    named = [name for name in sorted(speakers) if (terms := set(index_terms(name))) and terms <= asked]
    return named[0] if len(named) == 1 else None


def _conversation_parts(trace: Trace, named: str | None, recipe: Recipe, plan: Plan) -> dict[str, float]:
    parts: dict[str, float] = {}
    if not isinstance(trace, Turn):
        return parts
    weights = recipe.conversation
    if named is not None and trace.speaker == named and weights.speaker:
        parts["speaker"] = weights.speaker
    if trace.role is not Role.USER and not plan.asks_assistant and weights.user:
        parts["not_the_user"] = -weights.user
    # Among people a question is rarely evidence; to an assistant, users state facts while they ask.
    if trace.speaker and trace.text.rstrip().endswith("?") and weights.question:
        parts["only_asks"] = -weights.question
    return parts


def _factor_parts(trace: Trace, recipe: Recipe, plan: Plan) -> dict[str, float]:
    weights = recipe.factors
    parts: dict[str, float] = {}
    if weights.recency:
        used = trace.used_at if isinstance(trace, Memory) else trace.created_at
        parts["recency"] = weights.recency * scoring.recency(plan.now - used, weights.half_life)
    if weights.frequency:
        uses = trace.access_count if isinstance(trace, Memory) else 0
        parts["frequency"] = weights.frequency * scoring.frequency(uses)
    if weights.kind:
        parts["kind"] = weights.kind * scoring.KIND_BOOST[kind_of(trace)]
    if weights.scope and isinstance(trace, Memory):
        parts["scope"] = weights.scope * scoring.scope_boost(
            trace.retention, scope_matches=plan.scope == trace.scope
        )
    if weights.importance and isinstance(trace, Memory):
        parts["importance"] = weights.importance * trace.importance
    return parts


def _share_sessions(scored: Iterable[Scored], recipe: Recipe) -> None:
    share = recipe.conversation.session
    if not share:
        return
    turns = [(each, each.trace.session) for each in scored if isinstance(each.trace, Turn)]
    best: dict[str, float] = {}
    for each, session in turns:
        best[session] = max(best.get(session, 0.0), each.score)
    for each, session in turns:
        each.parts["session"] = share * best[session]


def _decay(scored: Iterable[Scored], recipe: Recipe, now: datetime) -> None:
    if recipe.decay is None:
        return
    for each in scored:
        dated = each.trace.dated if isinstance(each.trace, Chunk) else None
        before = each.score
        each.parts["decay"] = scoring.decayed(before, dated, now, recipe.decay) - before
