"""Rules that stand for a turn: which apply, and how many are shown.

A rule of manner ("answer in German") applies to every turn of its scope. One with a condition ("when I ask about
recipes, …") applies where the turn meets the condition, and one of a subject ("only book aisle seats") where the turn
bears on it: by a telling word they share, or because the turn is nearer to the topic than to the common subjects, both
on the whole and to each of them. How the rule itself is worded says nothing about when it applies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from cortex.domain.identity import TraceId
from cortex.domain.instructions import Instruction, instructions, only_asks_for_a_fact, split
from cortex.domain.memory import Kind, Memory
from cortex.domain.ownership import own_words
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import index_terms
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.errors import DeadlineExceeded, EmbedderUnavailable
from cortex.languages import WORDS
from cortex.languages.lists import listed
from cortex.languages.words import either
from cortex.recall import questions
from cortex.recall.plan import Plan
from cortex.recall.ranking import Scored
from cortex.recall.retrieve import Question
from cortex.runtime.deadline import Deadline

POOL = 48
"""How many rules are looked at: one of manner may be nowhere near the query."""

MOST_COMPARED = 16
"""How many topics are compared by meaning in one turn; each is one short text to embed, and is cached."""

_SUBJECTS = (
    "food", "travel", "health", "money", "work", "family", "home", "sports", "music", "books", "computers", "nature",
    "weather", "cars", "animals", "language",
)  # fmt: skip
"""What people speak of, to compare a topic with: how near a turn is to these says how near it is to anything at all. A
turn that is nearer to one of them than to a topic is about that: a restaurant is nearer to food than to recipes."""
_PER_WORD = 0.03
_MOST_WORDS = 2
"""How much nearer a topic must be for each word after the first, of so many: two words are nearer to everything."""
_WITH_A_WORD = 0.2
"""How near a turn must be to a condition of which it says only a part: "set the table" has a word of "table tennis"."""
_BESIDE_THE_NEAREST = 0.8
"""A topic counts where it is nearly as near as the nearest: a turn is rarely about several."""
_FULL_EVIDENCE = 0.3
"""A rule that holds this share of the query is the answer, and no rule beside it."""
_SAYS_LITTLE_ELSE = 160
_NUMBERED = re.compile(r"\d")
"""A name with digits says nothing to a model of language: "error E4031" is near to all that goes wrong."""
_ROOT = 5
_ENDING = 2

Near = Callable[[Sequence[str]], Mapping[str, float]]
"""How much nearer a turn is to each topic than to the common subjects; without those that cannot be compared."""

_ASKS_FOR_RULES = re.compile(either(each.questions.rules for each in WORDS), re.IGNORECASE)
_ASKS_FOR_ADVICE = re.compile(either(each.questions.recommendation for each in WORDS), re.IGNORECASE)
_COMMON = frozenset(index_terms(" ".join(listed("common"))))


class Ground(IntEnum):
    """Why a rule applies, the most specific first."""

    CONDITION = 0
    SUBJECT = 1
    MANNER = 2


_REASONS = {
    Ground.CONDITION: "its condition applies",
    Ground.SUBJECT: "its subject is mentioned",
    Ground.MANNER: "says how to answer",
}


@dataclass(frozen=True, slots=True)
class _Stated:
    """One instruction of a trace that might apply."""

    trace: Trace
    given: Instruction


@lru_cache(maxsize=64)
def asks_for_rules(text: str) -> bool:
    """Whether the query asks for the rules themselves."""
    return bool(_ASKS_FOR_RULES.search(text))


def scopes(planned: Plan) -> frozenset[str]:
    """Where rules for this turn stand: in its own scope, or that of the project at hand, and in the general one."""
    return _own(planned) | {DEFAULT_SCOPE}


def _own(planned: Plan) -> frozenset[str]:
    if planned.scope:
        return planned.filter.scopes or frozenset({planned.scope})
    return frozenset({planned.project or DEFAULT_SCOPE, DEFAULT_SCOPE})


def applying(
    rules: Sequence[Trace], weights: Mapping[TraceId, float], planned: Plan, near: Near, least: float
) -> list[Scored]:
    """The rules that apply to the turn: those that fit it most closely first, and of equals the newest.

    How similar a rule of manner is to the turn says nothing: "answer in German" is as near to every question.
    `least` is how much nearer the turn must be to a topic than to the common subjects.
    """
    stated = [each for trace in rules if _is_in_scope(trace, planned) for each in _stated(trace)]
    wants_rules = asks_for_rules(planned.text)
    said = telling_terms(planned.text)
    shared = {each.given.topic: _shared(said, telling_terms(each.given.topic)) for each in stated}
    partly = {each.given.topic for each in stated if each.given.condition and _is_part(each.given.topic, shared)}
    asks_a_fact = only_asks_for_a_fact(planned.text)
    far = [
        each
        for each in stated
        if not (wants_rules or each.given.of_manner)
        and (each.given.topic in partly if shared[each.given.topic] else _is_comparable(each.given, asks_a_fact))
    ]
    far.sort(key=lambda each: (-weights.get(each.trace.id, 0.0), each.trace.id))
    nearness = near(list(dict.fromkeys(each.given.topic for each in far))[:MOST_COMPARED]) if far else {}
    in_part = {topic for topic in partly if nearness.get(topic, _WITH_A_WORD) < _WITH_A_WORD}
    near_enough = _near_enough({topic: each for topic, each in nearness.items() if topic not in partly}, near, least)
    best: dict[TraceId, tuple[tuple[float, ...], Scored]] = {}
    for each in stated:
        topic = each.given.topic
        by_meaning = nearness.get(topic, 0.0)
        said_of = shared[topic] and topic not in in_part
        if not (wants_rules or each.given.of_manner or said_of or topic in near_enough):
            continue
        ground = _ground(each.given)
        weight = weights.get(each.trace.id, 0.0)
        place = (float(ground), -float(shared[topic]), -by_meaning, -each.trace.created_at.timestamp())
        scored = Scored(
            each.trace, ("standing",), {"standing": weight}, ["standing rule", _REASONS[ground]], pinned=True
        )
        if each.trace.id not in best or place < best[each.trace.id][0]:
            best[each.trace.id] = (place, scored)
    return [scored for _, scored in sorted(best.values(), key=lambda each: (each[0], each[1].trace.id))]


def _is_part(topic: str, shared: Mapping[str, int]) -> bool:
    return 0 < shared[topic] < len(telling_terms(topic))


def _is_comparable(given: Instruction, asks_a_fact: bool) -> bool:
    """Whether a turn that says nothing of a topic may still be about it."""
    return not _NUMBERED.search(given.topic) and not (given.of_writing and asks_a_fact)


def _near_enough(nearness: Mapping[str, float], near: Near, least: float) -> frozenset[str]:
    """The topics that a turn is about, by meaning alone."""
    beyond = {topic: each - _PER_WORD * min(len(topic.split()) - 1, _MOST_WORDS) for topic, each in nearness.items()}
    least = max([least, *(_BESIDE_THE_NEAREST * each for each in beyond.values())])
    return _without_rivals({topic: nearness[topic] for topic, each in beyond.items() if each >= least}, near)


def _without_rivals(topics: Mapping[str, float], near: Near) -> frozenset[str]:
    """Those of the topics to which the turn is at least as near as to every common subject."""
    subjects = near(_SUBJECTS) if topics else {}
    terms = {subject: telling_terms(subject) for subject in subjects}

    def nearest_other(topic: str) -> float:
        own = telling_terms(topic)
        return max((near for subject, near in subjects.items() if not _shared(terms[subject], own)), default=0.0)

    return frozenset(topic for topic, near in topics.items() if near >= nearest_other(topic))


def _ground(given: Instruction) -> Ground:
    if given.condition:
        return Ground.CONDITION
    return Ground.MANNER if given.of_manner else Ground.SUBJECT


def _is_in_scope(trace: Trace, planned: Plan) -> bool:
    """A rule that was remembered for all applies everywhere; one merely said holds where it was said."""
    return trace.scope in _own(planned) or (isinstance(trace, Memory) and trace.scope == DEFAULT_SCOPE)


def _stated(trace: Trace) -> list[_Stated]:
    """What a trace tells to do: a memory as a whole, a turn by its sentences."""
    found = _told_by(trace.text, trace.speaker) if isinstance(trace, Turn) else (_taken_apart(trace.text),)
    return [_Stated(trace, given) for given in found]


# The same rules are looked at in every turn, and taking one apart costs more than all else that is done with it.
@lru_cache(maxsize=2_048)
def _told_by(text: str, speaker: str) -> tuple[Instruction, ...]:
    said = own_words(text, speaker)
    return tuple(instructions(said)) or ((split(said),) if len(said) <= _SAYS_LITTLE_ELSE else ())


_taken_apart = lru_cache(maxsize=2_048)(split)


@lru_cache(maxsize=4_096)
def telling_terms(text: str) -> frozenset[str]:
    """The terms of a text that tell what it is about."""
    return frozenset(term for term in index_terms(text) if len(term) > 1 and term not in STOP_WORDS) - _COMMON


def _shared(said: Set[str], topic: Set[str]) -> int:
    """How many terms of a topic are said, in any ending: stems are English, and "Rezepten" is a "Rezept" too."""
    return sum(term in said or any(_same_word(term, other) for other in said) for term in topic)


def _same_word(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _ROOT and len(long) - len(short) <= _ENDING and long.startswith(short)


def nearness(question: Question | None, ask: Callable[[str], Question | None], deadline: Deadline) -> Near:
    """How a question is compared with topics; with nothing, where there are no vectors or no time."""

    found: dict[str, float] = {}

    def near(topics: Sequence[str]) -> Mapping[str, float]:
        if question is None or not question.readable:
            return {}
        every = [topic for topic in dict.fromkeys((*_SUBJECTS, *topics)) if topic not in found]
        pending = {topic: each for topic in every if (each := ask(topic)) is not None and each.readable}
        try:
            vector = question.vector(deadline)
            for topic, each in pending.items():
                found[topic] = question.space.calibration.apply(float(each.vector(deadline) @ vector))
        except (DeadlineExceeded, EmbedderUnavailable):
            pass  # what was compared in time counts
        common = [found[subject] for subject in _SUBJECTS if subject in found]
        if len(common) < len(_SUBJECTS):
            return {}
        anything = sum(common) / len(common)
        return {topic: found[topic] - anything for topic in topics if topic in found}

    return near


def seated(rules: Sequence[Scored], beside: Iterable[Scored]) -> list[Scored]:
    """The rules that still need a place; one that is among the hits already, or whose words are, is pinned there."""
    shown = {each.trace.id: each for each in beside}
    by_turn = {id: each for each in shown.values() if isinstance(each.trace, Memory) for id in each.trace.source_turns}
    fresh = []
    for rule in rules:
        there = shown.get(rule.trace.id) or by_turn.get(rule.trace.id)
        if there is None and isinstance(rule.trace, Memory):
            there = next((shown[id] for id in rule.trace.source_turns if id in shown), None)
            if there is not None and len(there.trace.text) > len(rule.trace.text) + _SAYS_LITTLE_ELSE:
                there = None  # the rule would be lost among the rest of what was said
        if there is None:
            fresh.append(rule)
        else:
            there.pinned = True
            there.reasons += rule.reasons
    return fresh


def beside_the_point(hits: Sequence[Scored], planned: Plan) -> list[Scored]:
    """Rules among the hits that do not apply to the turn, and do not answer it either."""
    if asks_for_rules(planned.text):
        return []
    return [
        each for each in hits if each.trace.kind is Kind.RULE and not each.pinned and each.evidence < _FULL_EVIDENCE
    ]


def wants_preferences(planned: Plan) -> bool:
    """Whether a turn asks for advice or help, on which preferences bear."""
    text = planned.text
    return planned.overview is None and (questions.asks_for_advice(text) or _ASKS_FOR_ADVICE.search(text) is not None)
