"""Whether what was found can answer at all: the topic is known, but the answer was never said.

"What was the rationale behind choosing Formspree?" finds many turns about Formspree. Where none of the best even
mentions a rationale, showing them would invite the model to make one up. No score tells this by itself: such questions
match better than most. So it is a weighed sum of named signs over the best candidates: how much of the question they
mention together, whether its first words stand near the rest, how fast similarity falls behind the first.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence

from cortex.domain.memory import Memory
from cortex.domain.terms import index_terms
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.languages.lists import alternatives, listed, patterns
from cortex.recall import questions
from cortex.recall.mentions import mentioned, mentions
from cortex.recall.plan import Plan, essence
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Answerability

_FIRST = 5
"""Among how many of the best the requested noun is looked for."""
_READ_CHARS = 2_000
_REACH = 150
"""How many characters around a word count as near it."""
_MOST_PLACES = 60
_TOPIC = 0.25
"""The topic is known where one candidate holds this share of the question's evidence."""

_REQUESTS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns("asked for"))
# Nouns that name a kind of answer. The answer is rarely said with them: "what activity" is answered by "hiking".
_KINDS_OF_ANSWER = frozenset(index_terms(" ".join(listed("kinds of answer"))))
# Words that narrow a question without naming its noun.
_NARROWING = frozenset(index_terms(" ".join(listed("narrowing"))))
_QUESTION_WORD = re.compile(rf"\b(?:{alternatives('question words')})\b", re.IGNORECASE)


def is_missing(ranked: Sequence[Scored], plan: Plan, focus: Answerability) -> bool:
    """Whether the topic of a question was found, and what it asks for was not.

    Only talk with an assistant is judged, and only a single question. Documents, what was remembered outright, and
    people among themselves say what a question asks for in words of their own. Of two questions one may have been
    answered, and a request can use what is known. The little there is to choose from in a small store is shown as well.
    """
    best = ranked[: focus.best]
    if len(best) < focus.best or not all(_is_talk(each.trace) for each in best[:_FIRST]) or not is_judged(best, plan):
        return False
    if any("newer" in each.parts for each in best):
        return False  # what has a newer value was said
    before = signs_of_question(best, plan)
    weights = focus.weights
    if weights["bias"] + _weighed(before, weights) + _most(weights) <= 0:
        return False  # whatever the texts say
    return weights["bias"] + _weighed(before | signs_of_texts(best, plan), weights) > 0


def is_judged(best: Sequence[Scored], plan: Plan) -> bool:
    """Whether a query is one question, of words that were used for anything."""
    text = plan.text
    is_question = questions.QUESTION_MARK.search(text) or _QUESTION_WORD.match(text.lstrip())
    if not is_question or plan.asks_both or questions.asks_for_two_things(text):
        return False
    return max(each.evidence for each in best) >= _TOPIC


def _is_talk(trace: Trace) -> bool:
    if isinstance(trace, Turn):
        return not trace.speaker
    return isinstance(trace, Memory) and bool(trace.source_turns)


def signs_of_question(best: Sequence[Scored], plan: Plan) -> dict[str, float]:
    """The signs that need no text of a candidate."""
    similar = [each.similarity for each in best]
    names_noun = bool(_requested_noun(plan.text) - _names(best))
    return {
        "asks for a noun": float(names_noun),
        "asks for a value": float(not names_noun and bool(questions.requested_kinds(plan.text))),
        "terms": math.log(1 + len(_terms(best, plan))),
        "fall": max(similar) - similar[-1],
    }


def signs_of_texts(best: Sequence[Scored], plan: Plan) -> dict[str, float]:
    """What the best candidates mention of the question."""
    terms = _terms(best, plan)
    texts = [each.trace.text[:_READ_CHARS] for each in best]
    places = [list(mentions(text, terms)) for text in texts]
    seen = Counter(term for found in places for term in {term for _, term in found})
    rarity = {term: math.log(1 + len(best) / (0.5 + seen[term])) for term in terms}
    whole = sum(rarity.values()) or 1.0
    noun = _requested_noun(plan.text) - _names(best)
    named = frozenset(term for text in texts[:_FIRST] for term in mentioned(text, noun))
    leading = frozenset(_leading(plan.text, terms))
    return {
        "known": sum(rarity[term] for term in seen) / whole,
        "noun missing": len(noun - named) / len(noun) if noun else 0.0,
        "near": max(_around(found, leading, rarity) for found in places) / whole,
    }


def _around(places: Sequence[tuple[int, str]], leading: frozenset[str], rarity: Mapping[str, float]) -> float:
    """The most of a question that stands near one of its first words in one text."""
    starts = [place for place, _ in places]
    most = 0.0
    for place, term in places[:_MOST_PLACES]:
        if term in leading:
            near = places[bisect_left(starts, place - _REACH) : bisect_left(starts, place + _REACH)]
            most = max(most, sum(rarity[each] for each in {each for _, each in near}))
    return most


def _most(weights: Mapping[str, float]) -> float:
    """The most that the texts may add."""
    return sum(max(0.0, weights[sign]) for sign in ("known", "noun missing", "near"))


def _weighed(signs: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return sum(weights[name] * value for name, value in signs.items())


def _terms(best: Sequence[Scored], plan: Plan) -> frozenset[str]:
    """The terms of the question, without names and words that only narrow."""
    terms = frozenset(term.text for term in plan.terms) - _names(best)
    return terms - _NARROWING or terms


def _leading(text: str, terms: frozenset[str]) -> list[str]:
    """The first two terms after the question word: mostly the requested noun."""
    word = _QUESTION_WORD.search(text)
    rest = essence(text[word.end() :] if word else text)
    return [term for term in dict.fromkeys(index_terms(rest)) if term in terms][:2]


def _requested_noun(text: str) -> frozenset[str]:
    """The terms of the noun a question asks for; none if it names none."""
    plain = text.replace("’", "'")
    for pattern in _REQUESTS:
        if found := pattern.search(plain):
            named = frozenset(index_terms(essence(found.group(1)))) - _KINDS_OF_ANSWER
            if named and essence(found.group(1)).strip():
                return named
    return frozenset()


def _names(ranked: Sequence[Scored]) -> frozenset[str]:
    """The terms of the speakers' names: a name says who, not what."""
    speakers = {each.trace.speaker for each in ranked if isinstance(each.trace, Turn) and each.trace.speaker}
    return frozenset(term for name in speakers for term in index_terms(name))
