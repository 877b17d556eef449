"""Two ways to recall, compared on the questions of a golden set (E20): numbers in, a verdict out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cortex.domain.hits import Hit
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.query import Query
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.trace import with_sources
from cortex.domain.turn import Turn

PLACES = 5
MOST_LOST = 0.05
"""How much of hit@5 may be lost."""
SLOWER = 1.25
"""How many times as long p95 may be."""

_RESAMPLES = 2_000
_SEED = 20_261_118
_TAIL = 2.5

REQUIRED = ("policyTier", "ftsTop", "vecTop", "fusedTop", "tiers")
"""What every receipt of a recall must have, so that its answer can be explained."""
_TIER_COUNTS = ("tier", "candidates", "selected")


@dataclass(frozen=True, slots=True)
class ArmAnswer:
    """What one side answered to one question."""

    hit: bool
    """Whether an expected memory is among the first five; for a question that has no answer, whether nothing is."""
    strays: int
    milliseconds: float
    lacking: tuple[str, ...] = ()
    """The required fields that its receipt lacks."""


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """Both sides in figures, and what speaks against the candidate."""

    questions: int
    control_hit: float
    candidate_hit: float
    interval: tuple[float, float]
    """Where the difference of hit@5 lies, with 95 % confidence: the candidate's less the control's."""
    control_strays: int
    candidate_strays: int
    control_p95: float
    candidate_p95: float
    lacking: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def refused(self) -> bool:
        return bool(self.reasons)

    def to_json(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "control": _side(self.control_hit, self.control_strays, self.control_p95),
            "candidate": _side(self.candidate_hit, self.candidate_strays, self.candidate_p95),
            "difference": round(self.candidate_hit - self.control_hit, 4),
            "interval": [round(each, 4) for each in self.interval],
            "lacking": list(self.lacking),
            "reasons": list(self.reasons),
        }


def _side(hit: float, strays: int, p95: float) -> dict[str, Any]:
    return {"hit_at_5": round(hit, 4), "wrong_scope": strays, "p95_ms": round(p95, 3)}


def compare(control: Sequence[ArmAnswer], candidate: Sequence[ArmAnswer]) -> ArmComparison:
    """The verdict on the candidate; both sides answered the same questions in the same order."""
    before, after = _hits(control), _hits(candidate)
    interval = paired_interval(after - before)
    strays = [sum(each.strays for each in side) for side in (control, candidate)]
    p95 = [percentile([each.milliseconds for each in side], 95) for side in (control, candidate)]
    lacking = tuple(sorted({name for each in candidate for name in each.lacking}))
    lost = float(before.mean() - after.mean())
    # The tolerance is for what adding floats leaves behind.
    checks = (
        (lost > MOST_LOST + 1e-9, f"hit@5 falls by {lost:.3f}; at most {MOST_LOST:g} is allowed"),
        (interval[1] < 0, f"hit@5 falls: its difference is {interval[0]:.3f} to {interval[1]:.3f} (95 %)"),
        (strays[1] > strays[0], f"{strays[1]} hits are of a wrong scope, {strays[0]} with the settings in force"),
        (p95[1] > SLOWER * p95[0], f"p95 is {p95[1]:.1f} ms, over {SLOWER:g} × {p95[0]:.1f} ms"),
        (bool(lacking), f"receipts lack {', '.join(lacking)}"),
    )
    return ArmComparison(
        len(control), float(before.mean()), float(after.mean()), interval, strays[0], strays[1], p95[0], p95[1],
        lacking, tuple(text for holds, text in checks if holds),
    )  # fmt: skip


def paired_interval(differences: Sequence[float] | Any) -> tuple[float, float]:
    """A bootstrap interval of the mean of paired differences; the same on every run."""
    values = np.asarray(differences, dtype=np.float64)
    random = np.random.default_rng(_SEED)
    picked = random.integers(0, len(values), size=(_RESAMPLES, len(values)))
    low, high = np.percentile(values[picked].mean(axis=1), [_TAIL, 100 - _TAIL])
    return float(low), float(high)


def percentile(values: Sequence[float], share: float) -> float:
    return float(np.percentile(np.asarray(values, dtype=np.float64), share))


def _hits(side: Sequence[ArmAnswer]) -> Any:
    return np.array([each.hit for each in side], dtype=np.float64)


def is_hit(hits: Sequence[Hit], expected: Mapping[TraceId, frozenset[TraceId]]) -> bool:
    """Whether one of the first five is expected; with nothing expected, whether there is none at all.

    Each expected memory comes with what stands for it: the turns that it was extracted from.
    """
    if not expected:
        return not hits
    wanted = set(expected).union(*expected.values())
    return any(with_sources(hit.trace) & wanted for hit in hits[:PLACES])


def strays(query: Query, hits: Sequence[Hit]) -> int:
    """How many hits are of another scope than the query allows; files have scopes of their own."""
    if query.scope is None:
        return 0
    allowed = {query.scope, DEFAULT_SCOPE} if query.share_personal else {query.scope}
    found = (hit.trace for hit in hits if isinstance(hit.trace, Memory | Turn))
    return sum(trace.scope not in allowed for trace in found)


def lacking(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The required fields that the facts of a receipt lack."""
    missing = [name for name in REQUIRED if name not in facts]
    if facts.get("returned") and facts.get("policyTier") is None:
        missing.append("policyTier")
    tiers = facts.get("tiers") or ()
    if any(name not in tier for tier in tiers for name in _TIER_COUNTS):
        missing.append("tiers")
    return tuple(dict.fromkeys(missing))
