"""For what changes: where a question asks how something is now, the later of two statements about it goes first.

Only the order changes. Whether a later statement replaces an earlier one is a weighed sum of named signs: how much of
the question each mentions and how close to a value, whether the two give different values of one kind in the same
words, whether the later tells a change. Nothing here knows a topic or a phrase of one.

Who writes in few words names the thing only once: "Feeney has gone up to 32" answers what the piano lesson costs, and
shares nothing with the question. Such brief statements have weights of their own. What ties them to an earlier one that
ranks high is a rare word that both have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from operator import mul

from cortex.domain.changes import tells_change
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import index_terms
from cortex.domain.trace import Trace, with_sources
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Turn
from cortex.languages import WORDS
from cortex.recall import questions, statements
from cortex.recall.plan import Plan
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Freshness
from cortex.recall.statements import RelevantStatement, Text

_SAID_BY_USERS = frozenset({SourceKind.USER, SourceKind.OPERATOR})

_MOST_BESIDE = 1.5
SpeakersOf = Callable[[Sequence[Memory]], Mapping[TraceId, str]]
"""Who said what memories were extracted from, by the memory; without those of whom that is not known."""


def _nobody(_: Sequence[Memory]) -> Mapping[TraceId, str]:
    return {}


def newest_first(
    ranked: Sequence[Scored], plan: Plan, recipe: Freshness, speakers_of: SpeakersOf = _nobody
) -> list[Scored]:
    """`ranked` with later statements moved above the earlier ones they replace."""
    top = list(ranked[: recipe.depth])
    if not plan.asks_both and questions.may_ask_how_it_is(plan.text):
        top = _after_what_disputes_them(_passed(top, plan, recipe, speakers_of))
    if not questions.asks_how_it_was(plan.text):
        top = _after_what_outdates_them(top)
    return [*top, *ranked[recipe.depth :]]


# --- what is weighed --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class DatedStatement:
    """A candidate, what it says about the question, and the signs that need no other candidate."""

    scored: Scored
    statement: RelevantStatement
    time: tuple[datetime, str]
    speaker: str
    """Empty where nobody is named."""
    near: float
    """How much of the question stands near its value, beside what stands there in the best."""
    mentions: float
    telling: frozenset[str]
    """Its terms without those that stand in statements about anything."""
    rarity: Callable[[str], float]
    """How rare a term is among what users said."""
    signs: dict[str, float]

    @property
    def is_brief(self) -> bool:
        """Whether somebody who talks to an assistant said it in few words."""
        return not self.speaker and len(self.statement.text.words) <= _FEW_WORDS

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its values."""
        return frozenset(value.kind for value in self.statement.values)


def said(top: Sequence[Scored], plan: Plan, speakers_of: SpeakersOf = _nobody) -> list[DatedStatement]:
    """What users said about the question among the candidates, in their order."""
    own = [each for each in top if _counts(each.trace)]
    weights = statements.weights_of([each.trace.text for each in own], {term.text for term in plan.terms})
    kinds = questions.requested_kinds(plan.text)
    items = [(each, statements.statement(Text.of(each.trace.text), weights, kinds)) for each in _about(own, weights)]
    extracted = [each.trace for each, _ in items if isinstance(each.trace, Memory) and each.trace.source_turns]
    speakers = speakers_of(extracted) if extracted else {}
    nearest = max((each.covers for _, each in items), default=0.0) or 1.0
    most = max((each.mentions for _, each in items), default=0.0) or 1.0
    best = max((each.score for each, _ in items), default=0.0) or 1.0
    closest = max((each.similarity for each, _ in items), default=0.0) or 1.0
    rarity = _rarity([each.trace.text for each in own])
    return [
        DatedStatement(
            each,
            statement,
            _time(each),
            each.trace.speaker if isinstance(each.trace, Turn) else speakers.get(each.trace.id, ""),
            statement.covers / nearest,
            statement.mentions / most,
            statement.terms - _COMMON,
            rarity,
            {
                "changed": float(statement.changed),
                "score": each.score / best,
                "similarity": each.similarity / closest,
                "kind requested": float(bool(kinds)),
            },
        )
        for each, statement in items
    ]


def _counts(trace: Trace) -> bool:
    """Whether it may be an update: what an assistant repeats is none, what it remembered on purpose may be."""
    if trace.source_kind is SourceKind.ASSISTANT:
        return isinstance(trace, Memory) and not trace.source_turns and trace.trust is TrustTier.TRUSTED
    return trace.source_kind in _SAID_BY_USERS


def _rarity(texts: Sequence[str]) -> Callable[[str], float]:
    """How rare a term is among texts: 1 where one of them has it, 0 where all do."""
    lowered = [text[: statements.READ_CHARS].lower() for text in texts]
    most = math.log(1 + len(lowered))

    @cache
    def rarity(term: str) -> float:
        return 1 - math.log(max(1, sum(statements.root(term) in text for text in lowered))) / most

    return rarity


def _about(own: Sequence[Scored], weights: Mapping[str, float]) -> list[Scored]:
    """What is about the question; and of short texts the first, and those that tell a change.

    They may name the thing by another word.
    """
    about = [statements.mentioned(each.trace.text, weights) for each in own]
    least = _ABOUT_IT * max(about, default=0.0)
    return [
        each
        for at, (each, share) in enumerate(zip(own, about, strict=True))
        if share >= least or (len(each.trace.text) <= _SHORT and (at < _FIRST or tells_change(each.trace.text)))
    ]


_FEW_WORDS, _SHORT = 24, 200
"""A statement of so few words, or characters, may leave unsaid what it speaks of; a longer one would have said it."""
_FIRST = 5
_COMMON = STOP_WORDS | {term for each in WORDS for word in each.relations.generic.split() for term in index_terms(word)}
"""Words that stand in statements about anything."""
_ABOUT_IT = 0.25
"""What mentions less than this share of the question than another candidate does is not about it, and is not read."""


def pair_signs(older: DatedStatement, newer: DatedStatement) -> dict[str, float]:
    """The signs that two statements are about one thing, and give different values of it."""
    return _subject_signs(older, newer) | _value_signs(older, newer)


def _subject_signs(older: DatedStatement, newer: DatedStatement) -> dict[str, float]:
    near, mentions = newer.near, newer.mentions
    if _may_leave_unsaid(newer.statement) and _changes(newer.statement, older.statement):
        # Who tells that something changed leaves unsaid what it is: "we moved staging", "I sold the Skoda".
        near, mentions = max(near, older.near), max(mentions, older.mentions)
    return {
        "near": near,
        "mentions": mentions,
        "left unsaid": mentions - newer.mentions,
        "overlap": _shared(older.statement.terms, newer.statement.terms),
        "score beside": _beside(older, newer),
    }


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a question brief statements are held against."""

    fact: bool
    past: bool
    kinds: frozenset[str]
    """The kinds of values that answer it; empty for any."""

    @classmethod
    def by(cls, text: str) -> Asked:
        return cls(questions.asks_for_a_fact(text), questions.is_past(text), questions.requested_kinds(text))


def brief_signs(older: DatedStatement, newer: DatedStatement, asked: Asked) -> dict[str, float]:
    """The signs that a brief statement replaces one that ranks high."""
    shared = older.telling & newer.telling
    tie = max(map(newer.rarity, shared), default=0.0)
    changed = frozenset[str]().union(*newer.statement.changed_things)
    return {
        "fact": float(asked.fact),
        "past": float(asked.past),
        "changed": newer.signs["changed"],
        "score": newer.signs["score"],
        "similarity": newer.signs["similarity"],
        "older": older.signs["score"],
        "score beside": _beside(older, newer),
        "tie": tie,
        "tie of change": tie * newer.signs["changed"],
        "tie by thing": max(map(newer.rarity, shared & changed), default=0.0),
        "no value": float(bool(older.kinds) and not newer.kinds),
        "not requested": float(bool(asked.kinds) and not asked.kinds & newer.kinds),
    }


def _beside(older: DatedStatement, newer: DatedStatement) -> float:
    behind = older.scored.score
    return min(_MOST_BESIDE, newer.scored.score / behind) if behind > 0 else 1.0


def _value_signs(older: DatedStatement, newer: DatedStatement) -> dict[str, float]:
    same_unit = same_kind = same_place = 0.0
    for old in older.statement.values:
        for new in newer.statement.values:
            if old.kind == new.kind and old.said != new.said:
                same_kind = 1.0
                same_unit = max(same_unit, float(old.kind != "name" and bool(old.unit & new.unit)))
                beside = older.statement.text.context(old), newer.statement.text.context(new)
                same_place = max(same_place, _shared(*beside))
    return {"same unit": same_unit, "same kind": same_kind, "same place": same_place}


def _may_leave_unsaid(statement: RelevantStatement) -> bool:
    """Whether it tells a change in so few words that it may leave unsaid of what."""
    return bool(statement.changed_things) and len(statement.text.words) <= _FEW_WORDS


def _changes(newer: RelevantStatement, older: RelevantStatement) -> bool:
    """Whether one says that the subject of the other, or its value, changed, and nothing else did."""
    fresh = newer.named - older.terms
    known = older.terms & (older.question_terms | older.named)
    return any((thing := each - fresh) <= older.terms and thing & known for each in newer.changed_things)


def is_later(newer: DatedStatement, older: DatedStatement) -> bool:
    """Whether one was said after the other, in its scope and by its speaker, and not merely remembered of it."""
    if newer.scored.trace.scope != older.scored.trace.scope:
        return False  # what holds for one project replaces nothing of another
    if older.speaker and newer.speaker and older.speaker != newer.speaker:
        return False  # nor does one person say anything new of another's mother
    return newer.time > older.time and newer.time[1] != older.time[1]


def _shared(some: frozenset[str], others: frozenset[str]) -> float:
    both = len(some) + len(others)
    return 2 * len(some & others) / both if both else 0.0


def _time(each: Scored) -> tuple[datetime, str]:
    """When something was said; of one time, in the order of the turns."""
    trace = each.trace
    last: TraceId | str = trace.source_turns[-1] if isinstance(trace, Memory) and trace.source_turns else trace.id
    return trace.created_at, last


# --- what follows -----------------------------------------------------------------------------------------------------


def _passed(top: list[Scored], plan: Plan, recipe: Freshness, speakers_of: SpeakersOf) -> list[Scored]:
    """`top` after each of the best supported later statements went above the first one it replaces."""
    spoken = said(top, plan, speakers_of)
    replaced = _replaced(spoken, plan, recipe)
    kept_back = _kept_back(spoken, replaced, recipe.most)
    shown = {each.trace.id: each for each in top}
    for newer in sorted(spoken, key=lambda each: each.time):
        earlier = replaced.get(newer.scored.trace.id, {})
        if not earlier or newer.scored.trace.id in kept_back:
            continue
        # A memory and the turn it came from are one candidate: what is shown of it moves.
        mover = shown.get(newer.scored.stood_for or newer.scored.trace.id, newer.scored)
        above = top[: top.index(mover)]
        if first := next((each for each in above if each.trace.id in earlier), None):
            top = _moved(top, mover, first)
    return top


_Replaced = Mapping[TraceId, Mapping[TraceId, float]]
"""For each statement the earlier ones it replaces, and how surely."""


def _replaced(spoken: Sequence[DatedStatement], plan: Plan, recipe: Freshness) -> _Replaced:
    now, asked = questions.asks_how_it_is(plan.text), Asked.by(plan.text)
    found = {}
    for at, newer in enumerate(spoken):
        leading = spoken[: min(at, LEADING)] if newer.is_brief else ()
        in_brief = _replaced_in_brief(newer, leading, asked, recipe.brief)
        found[newer.scored.trace.id] = in_brief | (_replaced_by(newer, spoken, recipe.weights) if now else {})
    return found


def _replaced_in_brief(
    newer: DatedStatement, leading: Sequence[DatedStatement], asked: Asked, weights: Mapping[str, float]
) -> dict[TraceId, float]:
    earlier = {}
    for older in leading:
        if older.signs["score"] >= _ABOUT_AS_GOOD and older.telling & newer.telling and is_later(newer, older):
            signs = brief_signs(older, newer, asked)
            surely = weights["bias"] + weighed(signs, weights)
            if surely > 0:
                earlier[older.scored.trace.id] = surely
            elif surely > _MAY_REPLACE and signs["changed"] and signs["tie by thing"]:
                newer.scored.may_replace = newer.scored.may_replace or older.scored.trace.id
    return earlier


def _replaced_by(
    newer: DatedStatement, spoken: Sequence[DatedStatement], weights: Mapping[str, float]
) -> dict[TraceId, float]:
    earlier: dict[TraceId, float] = {}
    alone = weights["bias"] + weighed(newer.signs, weights)
    most_of_values = _most(_VALUE_SIGNS, weights) if newer.statement.values else 0.0
    if alone + _most_of_subject(newer, weights) + most_of_values <= 0:
        return earlier  # whatever it stood beside
    for older in spoken:
        if not is_later(newer, older):
            continue
        surely = alone + weighed(_subject_signs(older, newer), weights)
        # Values are compared where they can decide: that takes longest.
        if surely + most_of_values > 0 and (surely := surely + weighed(_value_signs(older, newer), weights)) > 0:
            earlier[older.scored.trace.id] = surely
    return earlier


LEADING = 8
"""Of so many of the best a brief statement may replace one: what it is about has to be the question's."""
_ABOUT_AS_GOOD = 0.5
"""What one of them scores at least, beside the best."""
_MAY_REPLACE = -2.0
"""From here on it may replace what it says has changed, and is shown with it, though not above it."""
_VALUE_SIGNS = ("same unit", "same kind", "same place")


def _most_of_subject(newer: DatedStatement, weights: Mapping[str, float]) -> float:
    """The most that `_subject_signs` can add, whatever the older statement."""
    most = _most(("overlap",), weights) + max(0.0, weights["score beside"]) * _MOST_BESIDE
    if _may_leave_unsaid(newer.statement):
        return most + _most(("near", "mentions", "left unsaid"), weights)
    return most + weights["near"] * newer.near + weights["mentions"] * newer.mentions


def _most(signs: Iterable[str], weights: Mapping[str, float]) -> float:
    """The most that signs of at most one can add."""
    return sum(max(0.0, weights[sign]) for sign in signs)


def _kept_back(spoken: Sequence[DatedStatement], replaced: _Replaced, most: int) -> frozenset[TraceId]:
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
    # A recall weighs hundreds of pairs.
    total: float = sum(map(mul, map(weights.__getitem__, signs), signs.values()))
    return total


def _after_what_outdates_them(top: list[Scored]) -> list[Scored]:
    """A turn whose statement a later turn replaced stands below that turn, where both are candidates."""
    places = {each.trace.id: each for each in top}
    for each in list(top):
        by = each.trace.outdated_by if isinstance(each.trace, Turn) else None
        if by is not None and by in places and top.index(places[by]) > top.index(each):
            top = _moved(top, places[by], each)
    return top


def _after_what_disputes_them(top: list[Scored]) -> list[Scored]:
    """What a later statement contradicts stands below it: most such pairs are a change that nobody was sure of."""
    others = _other_sides(top)
    places = {each.trace.id: each for each in top}
    for older in list(top):
        for id in sorted(others.get(older.trace.id, frozenset()) & places.keys()):
            newer = places[id]
            if _time(newer) > _time(older) and top.index(newer) > top.index(older):
                top = _moved(top, newer, older)
    return top


def kept_ahead(ranked: list[Scored]) -> list[Scored]:
    """`ranked`, put in another order since, with what was moved above something older above it again.

    What scores far less than that by now was moved for nothing.
    """
    for newer in [each for each in ranked if each.ahead_of is not None]:
        above = ranked[: ranked.index(newer)]
        older = next((each for each in above if each.trace.id == newer.ahead_of), None)
        if older is not None and newer.score >= _ABOUT_AS_GOOD * older.score:
            ranked = _moved(ranked, newer, older)
    return ranked


def _moved(top: list[Scored], newer: Scored, older: Scored) -> list[Scored]:
    """`newer` right above `older`, with the part of its score that says so."""
    newer.set_part("newer", newer.parts.get("newer", 0.0) + older.score - newer.score + 0.000001)
    newer.reasons.append(f"newer than {older.trace.id}")
    newer.ahead_of = older.stood_for or older.trace.id
    rest = [each for each in top if each is not newer]
    rest.insert(rest.index(older), newer)
    return rest


# --- what says otherwise ----------------------------------------------------------------------------------------------

_MOST_OTHER_SIDES = 2
_DISPUTED = 5
"""Of how many of the best the other side of a contradiction is shown, and how many in all."""


def with_other_sides(shown: Sequence[Scored], behind: Sequence[Scored], ranked: Sequence[Scored]) -> list[Scored]:
    """`shown`, with what contradicts, replaces or may replace one of the best right below it, however far `behind`.

    `ranked` are all candidates: which turns contradict each other is known from the memories of them.
    """
    others = _other_sides(ranked)
    for each in behind:
        if each.may_replace is not None:
            others[each.may_replace] = others.get(each.may_replace, frozenset()) | {each.trace.id}
            others.setdefault(each.trace.id, frozenset({each.may_replace}))
    rest = {each.trace.id: each for each in behind if others.get(each.trace.id)}
    beside: list[Scored] = []
    for at, each in enumerate(shown):
        beside.append(each)
        if at >= _DISPUTED or len(beside) - at > _MOST_OTHER_SIDES:
            continue
        for id in sorted(others.get(each.trace.id, frozenset()) & rest.keys())[:1]:
            other = rest.pop(id)
            other.set_part("other side", each.score - other.score - 0.000001)
            stands = "may replace" if other.may_replace == each.trace.id else "contradicts"
            other.reasons.append(f"{stands} {each.trace.id}")
            beside.append(other)
    return beside


def _other_sides(ranked: Sequence[Scored]) -> dict[TraceId, frozenset[TraceId]]:
    """For each candidate those that contradict it, or that it was replaced by; a turn stands for what it left."""
    others: dict[TraceId, frozenset[TraceId]] = {}
    if not any(map(_is_opposed, ranked)):
        return others
    sources = {each.trace.id: with_sources(each.trace) for each in ranked if isinstance(each.trace, Memory)}
    speakers = {each.trace.id: each.trace.speaker for each in ranked if isinstance(each.trace, Turn)}

    def oppose(some: frozenset[TraceId], against: frozenset[TraceId]) -> None:
        if len({name for id in some | against if (name := speakers.get(id))}) > 1:
            return  # of two people, each of whom speaks of their own
        for id in some:
            others[id] = others.get(id, frozenset()) | (against - some)

    for each in ranked:
        trace = each.trace
        if isinstance(trace, Memory):
            for other in trace.contradicts:
                oppose(sources[trace.id], sources.get(other, frozenset({other})))
        elif isinstance(trace, Turn) and trace.outdated_by is not None:
            oppose(frozenset({trace.id}), frozenset({trace.outdated_by}))
            oppose(frozenset({trace.outdated_by}), frozenset({trace.id}))
    return others


def _is_opposed(each: Scored) -> bool:
    """Whether something is known to contradict or to replace a candidate."""
    trace = each.trace
    if isinstance(trace, Memory):
        return bool(trace.contradicts)
    return isinstance(trace, Turn) and trace.outdated_by is not None
