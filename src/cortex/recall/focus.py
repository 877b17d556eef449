"""Whether what was found can answer at all: the thing is known, but what is asked of it was never said.

"What was the rationale behind choosing Formspree?" finds many turns about Formspree. Where none of the best even
mentions a rationale, showing them would invite the model to make one up. Scores cannot tell this: such questions
match better than most. So the noun that is asked for is looked for by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cortex.domain.chunk import Chunk
from cortex.domain.terms import index_terms
from cortex.domain.turn import Turn
from cortex.recall.mentions import mentioned
from cortex.recall.plan import Plan, essence
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Focus

_BEST = 10
"""Among how many of the best the topic is looked for."""

_READ_CHARS = 20_000

_LEADING = (
    r"(?:(?:specific|particular|exact|precise|main|key|other|any|some|all|kinds?|types?|sorts?|of|the|my|your|our|"
    r"his|her|their|its|a|an)\s+)*"
)
_NOUNS = r"((?:[\w'-]+\s+){1,4}?)"
_END = r"(?:of|to|from|behind|for|in|on|about|with|that|which|who|where|when|between|during|at|by|i|we|you)\b"
_ASKED_FOR = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Facts, not advice: "what steps would you suggest" asks for nothing remembered.
        rf"\b(?:what|which)\s+{_LEADING}{_NOUNS}(?:did|do|does|is|are|was|were|have|has|had)\b",
        rf"\b(?:what|which)\s+(?:is|are|was|were)\s+{_LEADING}{_NOUNS}{_END}",
        rf"\b(?:share|tell me(?: about)?|give me|describe|explain|recall|remind me of)\s+{_LEADING}{_NOUNS}{_END}",
    )
)
# Nouns that name a kind of answer. The answer is rarely said with them: "what activity" is answered by "hiking".
_KINDS_OF_ANSWER = frozenset(
    index_terms(
        "activity type kind way one something thing anything individual people person item event emotion feeling genre"
        " medium place subject animal color colour name job summary overview plan hobby food movie book song game gift"
        " city country state"
    )
)


def is_missing(ranked: Sequence[Scored], plan: Plan, focus: Focus) -> bool:
    """Whether the topic of a question was found, and what it asks for was not.

    Documents are no talk: they say what a question asks for in words of their own, and are asked to be shown.
    """
    if plan.asks_both or any(isinstance(each.trace, Chunk) for each in ranked[: focus.top]):
        return False
    asked_for = _asked_for(plan.text) - _names(ranked)
    topic = {term.text for term in plan.terms} - asked_for
    if not asked_for or not topic:
        return False
    best = [each.trace.text[:_READ_CHARS] for each in ranked[:_BEST]]
    if any(mentioned(text, asked_for) for text in best[: focus.top]):
        return False
    matched = max((len(mentioned(text, topic)) for text in best), default=0)
    evidence = max((each.evidence for each in ranked[:_BEST]), default=0.0) * len(plan.terms)
    return matched >= max(focus.least_terms, focus.topic_share * len(topic)) and evidence >= focus.evidence


def _asked_for(text: str) -> frozenset[str]:
    """The terms of the noun that is asked for; none where a question names none."""
    plain = text.replace("’", "'")
    for pattern in _ASKED_FOR:
        if found := pattern.search(plain):
            named = frozenset(index_terms(essence(found.group(1)))) - _KINDS_OF_ANSWER
            if named and essence(found.group(1)).strip():
                return named
    return frozenset()


def _names(ranked: Sequence[Scored]) -> frozenset[str]:
    """The terms of the speakers' names: a name is who is asked about, not what."""
    speakers = {each.trace.speaker for each in ranked if isinstance(each.trace, Turn) and each.trace.speaker}
    return frozenset(term for name in speakers for term in index_terms(name))
