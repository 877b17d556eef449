"""For what changes: where a question asks how something is now, the later of two statements about it goes first.

Only the order changes. Whether a later statement replaces an earlier one is a weighed sum of named signs: how much of
the question each mentions and how close to a value, whether the two give different values of one kind in the same
words, whether the later tells a change. Nothing here knows a topic or a phrase of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.trust import SourceKind
from cortex.domain.turn import Turn
from cortex.recall import questions, statements
from cortex.recall.plan import Plan
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Freshness
from cortex.recall.statements import Statement, Text

_SAID_BY_USERS = frozenset({SourceKind.USER, SourceKind.OPERATOR})
"""Whose statements count: what an assistant repeats is no update."""

_MOST_BESIDE = 1.5
_MOST_OF_PAIR = {"same unit": 1.0, "same kind": 1.0, "overlap": 1.0, "same place": 1.0, "score beside": _MOST_BESIDE}


def newest_first(ranked: Sequence[Scored], plan: Plan, recipe: Freshness) -> list[Scored]:
    """`ranked` with later statements moved above the earlier ones they replace."""
    top = list(ranked[: recipe.depth])
    if not plan.asks_both and questions.asks_how_it_is(plan.text):
        top = _passed(top, plan, recipe)
    if not questions.asks_how_it_was(plan.text):
        top = _after_what_outdates_them(top)
    return [*top, *ranked[recipe.depth :]]


# --- what is weighed --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Said:
    """A candidate, what it says about the question, and the signs that need no other candidate."""

    scored: Scored
    statement: Statement
    time: tuple[datetime, str]
    signs: dict[str, float]


def said(top: Sequence[Scored], plan: Plan) -> list[Said]:
    """What users said about the question among the candidates, in their order."""
    own = [each for each in top if each.trace.source_kind in _SAID_BY_USERS]
    weights = statements.weights_of([each.trace.text for each in own], {term.text for term in plan.terms})
    about = [statements.mentioned(each.trace.text, weights) for each in own]
    least = _ABOUT_IT * max(about, default=0.0)
    own = [each for each, share in zip(own, about, strict=True) if share >= least]
    kinds = questions.kinds_asked_for(plan.text)
    told = [statements.statement(Text.of(each.trace.text), weights, kinds) for each in own]
    nearest = max((each.covers for each in told), default=0.0) or 1.0
    most = max((each.mentions for each in told), default=0.0) or 1.0
    best = max((each.score for each in own), default=0.0) or 1.0
    closest = max((each.similarity for each in own), default=0.0) or 1.0
    return [
        Said(
            each,
            statement,
            _time(each),
            {
                "near": statement.covers / nearest,
                "mentions": statement.mentions / most,
                "changed": float(statement.changed),
                "score": each.score / best,
                "similarity": each.similarity / closest,
                "kind asked for": float(bool(kinds)),
            },
        )
        for each, statement in zip(own, told, strict=True)
    ]


_ABOUT_IT = 0.25
"""What mentions less than this share of the question than another candidate does is not about it, and is not read."""


def pair_signs(older: Said, newer: Said) -> dict[str, float]:
    """The signs that two statements are about one thing, and give different values of it."""
    same_unit = same_kind = same_place = 0.0
    for old in older.statement.values:
        for new in newer.statement.values:
            if old.kind == new.kind and old.said != new.said:
                same_kind = 1.0
                same_unit = max(same_unit, float(old.kind != "name" and bool(old.unit & new.unit)))
                beside = older.statement.text.context(old), newer.statement.text.context(new)
                same_place = max(same_place, _shared(*beside))
    behind = older.scored.score
    return {
        "same unit": same_unit,
        "same kind": same_kind,
        "overlap": _shared(older.statement.terms, newer.statement.terms),
        "same place": same_place,
        "score beside": min(_MOST_BESIDE, newer.scored.score / behind) if behind > 0 else 1.0,
    }


def is_later(newer: Said, older: Said) -> bool:
    """Whether one was said after the other, in its scope and by its speaker, and not merely remembered of it."""
    if newer.scored.trace.scope != older.scored.trace.scope:
        return False  # what holds for one project replaces nothing of another
    first, second = _speaker(older.scored), _speaker(newer.scored)
    return newer.time > older.time and newer.time[1] != older.time[1] and (first == second or not first or not second)


def _speaker(each: Scored) -> str:
    return each.trace.speaker if isinstance(each.trace, Turn) else ""


def _shared(some: frozenset[str], others: frozenset[str]) -> float:
    both = len(some) + len(others)
    return 2 * len(some & others) / both if both else 0.0


def _time(each: Scored) -> tuple[datetime, str]:
    """When something was said; of one time, in the order of the turns."""
    trace = each.trace
    last: TraceId | str = trace.source_turns[-1] if isinstance(trace, Memory) and trace.source_turns else trace.id
    return trace.created_at, last


# --- what follows -----------------------------------------------------------------------------------------------------


def _passed(top: list[Scored], plan: Plan, recipe: Freshness) -> list[Scored]:
    """`top` after each of the best supported later statements went above the first one it replaces."""
    spoken = said(top, plan)
    replaced = _replaced(spoken, recipe.weights)
    kept_back = _kept_back(spoken, replaced, recipe.most)
    for newer in sorted(spoken, key=lambda each: each.time):
        earlier = replaced.get(newer.scored.trace.id, {})
        if not earlier or newer.scored.trace.id in kept_back:
            continue
        above = top[: top.index(newer.scored)]
        if first := next((each for each in above if each.trace.id in earlier), None):
            top = _moved(top, newer.scored, first)
    return top


_Replaced = Mapping[TraceId, Mapping[TraceId, float]]
"""For each statement the earlier ones it replaces, and how surely."""


def _replaced(spoken: Sequence[Said], weights: Mapping[str, float]) -> _Replaced:
    found: dict[TraceId, dict[TraceId, float]] = {}
    best_pair = sum(max(0.0, weights[sign]) * most for sign, most in _MOST_OF_PAIR.items())
    for newer in spoken:
        alone = weights["bias"] + weighed(newer.signs, weights)
        if alone + best_pair <= 0:
            continue  # whatever it stood beside
        found[newer.scored.trace.id] = {
            older.scored.trace.id: surely
            for older in spoken
            if is_later(newer, older) and (surely := alone + weighed(pair_signs(older, newer), weights)) > 0
        }
    return found


def _kept_back(spoken: Sequence[Said], replaced: _Replaced, most: int) -> frozenset[TraceId]:
    """All but the `most` surest of those that would pass something: one thing has few newer values."""
    support: dict[TraceId, float] = {}
    for at, newer in enumerate(spoken):
        above = {each.scored.trace.id for each in spoken[:at]}
        passes = [surely for id, surely in replaced.get(newer.scored.trace.id, {}).items() if id in above]
        if passes:
            support[newer.scored.trace.id] = max(passes)
    return frozenset(sorted(support, key=lambda id: (-support[id], id))[most:])


def weighed(signs: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The sum of the signs, each times its weight."""
    return sum(weights[name] * value for name, value in signs.items())


def _after_what_outdates_them(top: list[Scored]) -> list[Scored]:
    """A turn whose statement a later turn replaced stands below that turn, where both are candidates."""
    places = {each.trace.id: each for each in top}
    for each in list(top):
        by = each.trace.outdated_by if isinstance(each.trace, Turn) else None
        if by is not None and by in places and top.index(places[by]) > top.index(each):
            top = _moved(top, places[by], each)
    return top


def _moved(top: list[Scored], newer: Scored, older: Scored) -> list[Scored]:
    """`newer` right above `older`, with the part of its score that says so."""
    newer.parts["newer"] = newer.parts.get("newer", 0.0) + older.score - newer.score + 0.000001
    newer.reasons.append(f"says newer than {older.trace.id}")
    rest = [each for each in top if each is not newer]
    rest.insert(rest.index(older), newer)
    return rest
