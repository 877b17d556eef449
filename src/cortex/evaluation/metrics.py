"""What a set of answers is worth: numbers in, numbers out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.evaluation.blocks import BlockMeasurement
from cortex.evaluation.sets import Probe

PLACES = 10
"""MRR and nDCG look at this many places, however many are requested."""

RESAMPLES = 1_000
SEED = 20_240_315
CONFIDENCE = 0.95

Ranking = Sequence[Set[str]]
"""Best first: for each hit the ids of the records it stands for. A memory stands for the turns it came from, lines of a
file for what in them answers."""

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What one probe was answered."""

    probe: Probe
    found: tuple[frozenset[str], ...]
    tokens: int
    milliseconds: float
    shown: BlockMeasurement | None = None
    """What reached the model, where that was measured."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The measures of a group of outcomes; None where a measure does not apply to any of them."""

    values: Mapping[str, float | int | None]
    intervals: Mapping[str, Interval | None]

    def __getitem__(self, name: str) -> float | int | None:
        return self.values[name]


def any_found(found: Ranking, relevant: Set[str], k: int) -> float:
    """1 when at least one relevant record is among the first `k`."""
    return float(bool(_among(found, k) & relevant))


def all_found(found: Ranking, relevant: Set[str], k: int) -> float:
    """1 when every relevant record is among the first `k`."""
    return float(relevant <= _among(found, k))


def recall(found: Ranking, relevant: Set[str], k: int) -> float:
    """The share of the relevant records among the first `k`."""
    return len(_among(found, k) & relevant) / len(relevant)


def reciprocal_rank(found: Ranking, relevant: Set[str], k: int = PLACES) -> float:
    """1 for a relevant first place, 1/2 for a second, … 0 for none among the first `k`."""
    place = place_of(found[:k], relevant)
    return 0.0 if place is None else 1.0 / place


def ndcg(found: Ranking, relevant: Set[str], k: int = PLACES) -> float:
    """Discounted gain against the best possible order; a record counts once, at its first place."""
    left = set(relevant)
    gained = 0.0
    for place, ids in enumerate(found[:k], start=1):
        if ids & left:
            gained += _discount(place)
            left -= ids
    return gained / sum(_discount(place) for place in range(1, min(len(relevant), k) + 1))


def discounted_coverage(found: Ranking, relevant: Set[str], k: int = PLACES) -> float:
    """nDCG of characters, of which one hit may hold any number: 1 when the first holds all, each at its first place."""
    left = set(relevant)
    gained = 0.0
    for place, ids in enumerate(found[:k], start=1):
        gained += _discount(place) * len(left & ids)
        left -= ids
    return gained / len(relevant)


def updated_above_original(found: Ranking, parts: Mapping[str, Set[str]]) -> float | None:
    """1 when an updated statement stands above every original one; None where the probe is not about that."""
    updated, original = parts.get("updated_info"), parts.get("original_info")
    if not updated or not original:
        return None
    newer, older = place_of(found, updated), place_of(found, original)
    return float(newer is not None and (older is None or newer < older))


def place_of(found: Ranking, wanted: Set[str]) -> int | None:
    """The first place, counted from 1, that holds one of `wanted`."""
    return next((place for place, ids in enumerate(found, start=1) if ids & wanted), None)


def keys(k: int) -> tuple[str, ...]:
    """The names of the measures, in the order they are shown."""
    return ("n", *(name for name, _, _ in _measures(k)))


def summarize(outcomes: Sequence[ProbeResult], k: int, *, resamples: int = RESAMPLES) -> Summary:
    """Every measure over `outcomes`, each with a bootstrap interval."""
    values: dict[str, float | int | None] = {"n": len(outcomes)}
    intervals: dict[str, Interval | None] = {}
    for name, measure, reduce in _measures(k):
        sample = [value for outcome in outcomes if (value := measure(outcome)) is not None]
        values[name] = float(reduce(np.array(sample), axis=0)) if sample else None
        intervals[name] = bootstrap(sample, reduce, resamples) if sample else None
    return Summary(values, intervals)


def absent(k: int, n: int) -> Summary:
    """The summary of what was not measured."""
    return Summary({"n": n, **dict.fromkeys(keys(k)[1:])}, dict.fromkeys(keys(k)[1:]))


def by_category(outcomes: Iterable[ProbeResult]) -> dict[str, list[ProbeResult]]:
    """The outcomes of each category, by name."""
    groups: dict[str, list[ProbeResult]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.probe.category, []).append(outcome)
    return dict(sorted(groups.items()))


def bootstrap(
    sample: Sequence[float], reduce: Reduce, resamples: int = RESAMPLES, confidence: float = CONFIDENCE
) -> Interval:
    """Where the measure would lie with other probes of the same kind; the same on every run."""
    values = np.asarray(sample, dtype=np.float64)
    random = np.random.default_rng(SEED)
    found: list[NDArray[np.float64]] = []
    # In blocks, so that a large set does not take a large matrix.
    block = max(1, 1_000_000 // len(values))
    for start in range(0, resamples, block):
        picked = random.integers(0, len(values), size=(min(block, resamples - start), len(values)))
        found.append(np.asarray(reduce(values[picked], axis=1)))
    tail = 100.0 * (1.0 - confidence) / 2.0
    low, high = np.percentile(np.concatenate(found), [tail, 100.0 - tail])
    return float(low), float(high)


Reduce = Callable[..., Any]
"""From an array to one number along an axis: `np.mean`, `median`, …"""

Measure = Callable[[ProbeResult], float | None]


def percentile(share: float) -> Reduce:
    def reduce(values: NDArray[np.float64], axis: int) -> Any:
        return np.percentile(values, share, axis=axis)

    return reduce


def _measures(k: int) -> tuple[tuple[str, Measure, Reduce], ...]:
    def answerable(measure: Callable[[Ranking, Set[str]], float]) -> Measure:
        return lambda outcome: measure(outcome.found, outcome.probe.relevant) if outcome.probe.answerable else None

    def discounted(outcome: ProbeResult) -> float | None:
        return answerable(discounted_coverage if outcome.probe.in_characters else ndcg)(outcome)

    def empty(*, answerable: bool) -> Measure:
        return lambda outcome: float(not outcome.found) if outcome.probe.answerable is answerable else None

    return (
        *((("any@1", answerable(lambda found, relevant: any_found(found, relevant, 1)), np.mean),) if k > 1 else ()),
        (f"any@{k}", answerable(lambda found, relevant: any_found(found, relevant, k)), np.mean),
        (f"all@{k}", answerable(lambda found, relevant: all_found(found, relevant, k)), np.mean),
        (f"recall@{k}", answerable(lambda found, relevant: recall(found, relevant, k)), np.mean),
        (f"mrr@{PLACES}", answerable(reciprocal_rank), np.mean),
        (f"ndcg@{PLACES}", discounted, np.mean),
        ("empty_on_unanswerable", empty(answerable=False), np.mean),
        ("empty_on_answerable", empty(answerable=True), np.mean),
        (
            "updated_above_original",
            lambda outcome: updated_above_original(outcome.found[:k], outcome.probe.parts),
            np.mean,
        ),
        *((name, _of_block(measure), np.mean) for name, measure in _BLOCK_MEASURES),
        ("tokens_mean", lambda outcome: float(outcome.tokens), np.mean),
        ("latency_ms_p50", lambda outcome: outcome.milliseconds, percentile(50)),
        ("latency_ms_p95", lambda outcome: outcome.milliseconds, percentile(95)),
    )


_BLOCK_MEASURES: tuple[tuple[str, Callable[[BlockMeasurement], float | None]], ...] = (
    ("answer_in_block", lambda shown: shown.answer_in_block),
    ("answer_words_in_block", lambda shown: shown.answer_words_in_block),
    ("answer_in_hits", lambda shown: shown.answer_in_hits),
    ("answer_words_in_hits", lambda shown: shown.answer_words_in_hits),
    ("evidence_in_block", lambda shown: shown.evidence_in_block),
    ("bearing", lambda shown: shown.bearing()),
    ("bearing@5", lambda shown: shown.bearing(5)),
    ("block_lines", lambda shown: float(len(shown.lines))),
    ("block_tokens", lambda shown: float(shown.tokens)),
    ("rule_lines", lambda shown: float(shown.rules)),
)


def _of_block(measure: Callable[[BlockMeasurement], float | None]) -> Measure:
    return lambda outcome: measure(outcome.shown) if outcome.shown is not None else None


def _among(found: Ranking, k: int) -> set[str]:
    return set().union(*found[:k])


def _discount(place: int) -> float:
    return 1.0 / math.log2(place + 1)
