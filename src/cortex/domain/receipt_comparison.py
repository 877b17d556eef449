"""Two receipts of recalls side by side: which hits differ, and what may be the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.receipt import Receipt

_SETTINGS = (
    "recipe", "recipe_fingerprint", "scope", "scope_inferred", "lanes", "arm", "rung", "mode", "policyTier", "skipped",
    "calibration",
)  # fmt: skip
"""The facts of a recall, besides its request, that may explain another answer."""


@dataclass(frozen=True, slots=True)
class HitDifference:
    """One hit, by its place and score in each receipt; None where it is not among the hits on record."""

    id: TraceId
    before_rank: int | None
    rank: int | None
    before_score: float | None
    score: float | None

    @property
    def is_same(self) -> bool:
        return (self.before_rank, self.before_score) == (self.rank, self.score)


@dataclass(frozen=True, slots=True)
class FactDifference:
    """A setting or a number that differs."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class ReceiptComparison:
    """What differs from one receipt to another."""

    before: ReceiptId
    after: ReceiptId
    same_question: bool
    same_answer: bool
    hits: tuple[HitDifference, ...]
    """Every hit on record of either, in the order of the second, then those that are only in the first."""
    settings: tuple[FactDifference, ...]
    numbers: tuple[FactDifference, ...]
    degraded_before: tuple[str, ...]
    degraded_after: tuple[str, ...]


def compare(one: Receipt, other: Receipt) -> ReceiptComparison:
    """What differs from `one` recall to the `other`."""
    before, after = one.facts, other.facts
    return ReceiptComparison(
        one.id,
        other.id,
        same_question=before.get("query_hash") is not None and before.get("query_hash") == after.get("query_hash"),
        same_answer=before.get("answer") is not None and before.get("answer") == after.get("answer"),
        hits=tuple(_hits(before, after)),
        settings=tuple(_differences(_settings(before), _settings(after))),
        numbers=tuple(_differences(_numbers(one), _numbers(other))),
        degraded_before=one.degraded,
        degraded_after=other.degraded,
    )


def _hits(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[HitDifference]:
    earlier, later = _ranked(before), _ranked(after)
    for id in [*later, *(id for id in earlier if id not in later)]:
        (before_rank, before_score), (rank, score) = earlier.get(id, (None, None)), later.get(id, (None, None))
        yield HitDifference(id, before_rank, rank, before_score, score)


def _ranked(facts: Mapping[str, Any]) -> dict[TraceId, tuple[int, float]]:
    return {each["id"]: (at, each["score"]) for at, each in enumerate(facts.get("returned") or (), start=1)}


def _settings(facts: Mapping[str, Any]) -> dict[str, Any]:
    request = {f"request.{name}": value for name, value in (facts.get("request") or {}).items()}
    return {name: facts.get(name) for name in _SETTINGS} | request


def _numbers(receipt: Receipt) -> dict[str, Any]:
    counts = receipt.facts.get("counts") or {}
    return {
        "candidates": counts.get("candidates"),
        "returned": counts.get("returned"),
        "tokens": receipt.facts.get("tokens"),
        "position": receipt.position,
        "latency_ms": round(receipt.latency_ms, 3),
    }


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[FactDifference]:
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            yield FactDifference(name, before.get(name), after.get(name))
