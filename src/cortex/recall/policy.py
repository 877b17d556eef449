"""Which candidates may be shown: state, validity, supersession. Trust and importance are tiers of the search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime

from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE, State
from cortex.domain.memory import ImportanceLabel, Memory
from cortex.domain.trace import Trace
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Turn

Labels = frozenset[ImportanceLabel]

_MUST_NICE = frozenset({ImportanceLabel.MUST_REMEMBER, ImportanceLabel.NICE_TO_HAVE})
_GRADED = _MUST_NICE | {ImportanceLabel.UNKNOWN}

STRICT_TIERS: tuple[tuple[str, Labels], ...] = (
    ("must+nice", _MUST_NICE),
    ("must+nice+unknown", _GRADED),
    ("must+nice+unknown+ignore", frozenset(ImportanceLabel)),
)
"""E6: ask for what was graded important first, and for the rest only while there is no answer."""

OPEN_TIERS = STRICT_TIERS[1:]
"""The same without the first step: what nobody graded counts as worth showing."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """What makes a candidate an answer of its tier: being important or trusted alone does not (E6, E7)."""

    similarity: float
    """The least calibrated similarity,"""
    evidence: float
    """or the least share of the query's evidence: the only one that counts where nothing can be compared."""
    share: float
    """And how relevant the best of a tier must be beside the best of the same trust in all tiers."""
    sure: float
    """The similarity from which on a tier ends the search though nothing in it holds enough of the query's evidence."""

    def admits(self, similarity: float, evidence: float) -> bool:
        return similarity >= self.similarity or evidence >= self.evidence

    def settles(self, similarity: float, evidence: float) -> bool:
        """Whether this is surely an answer: what is barely similar may be shown, and hides no better one."""
        return similarity >= self.sure or evidence >= self.evidence

    def is_outdone(self, shown: Set[TraceId], *legs: Mapping[TraceId, float]) -> bool:
        """Whether the best that the legs found is far more relevant than the best that is shown."""
        relevance: dict[TraceId, float] = defaultdict(float)
        for leg in legs:
            for id, score in leg.items():
                relevance[id] += score
        best = max(relevance.values(), default=0.0)
        return max((relevance[id] for id in shown), default=0.0) < self.share * best


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at an answer: which labels and trust tiers it looks at, and how relevant an answer must be."""

    tier: str
    labels: Labels
    trusts: frozenset[TrustTier]
    relevance: Relevance | None = None


def attempts(
    tiers: tuple[tuple[str, Labels], ...], *, untrusted: bool, quarantined: bool, relevance: Relevance | None = None
) -> list[Attempt]:
    """The tries in order. Trusted alone first; untrusted joins only after nothing was found, or on request (E7).

    A search, where untrusted joins at once, shows in its last try what there is, relevant or not.
    """
    included = frozenset({TrustTier.QUARANTINED} if quarantined else ())
    trusted = frozenset({TrustTier.TRUSTED}) | included
    everyone = trusted | {TrustTier.UNTRUSTED}
    steps = [everyone] if untrusted else [trusted, everyone]
    tries = [Attempt(tier, labels, trusts, relevance) for trusts in steps for tier, labels in tiers]
    return [*tries[:-1], replace(tries[-1], relevance=None)] if untrusted else tries


def refusal(trace: Trace, now: datetime) -> str | None:
    """Why this trace may not be shown now, or None."""
    if trace.state is not State.ACTIVE and trace.state not in SEARCHABLE:
        return trace.state.value
    # What was superseded stopped being valid then; where it is shown at all, it is shown as that.
    if isinstance(trace, Memory):
        shown = trace.is_alive(now) if trace.state is State.SUPERSEDED else trace.is_due(now)
        return None if shown else "expired"
    return "expired" if isinstance(trace, Turn) and not trace.is_alive(now) else None


def is_current(trace: Trace, now: datetime) -> bool:
    """Whether a trace holds now: nothing replaced it, and it may be shown."""
    return trace.state is State.ACTIVE and refusal(trace, now) is None


def successor(trace: Trace, known: Mapping[TraceId, Trace]) -> TraceId | None:
    """The id of what replaced `trace` in the end, as far as `known` tells; None if nothing did."""
    seen = {trace.id}
    last: TraceId | None = None
    while isinstance(trace, Memory) and trace.state is State.SUPERSEDED and trace.superseded_by:
        last = trace.superseded_by
        if last in seen or last not in known:
            break
        seen.add(last)
        trace = known[last]
    return last
