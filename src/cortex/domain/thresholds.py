"""Learned thresholds: how sure an extractor has to be, moved by what a person approved and rejected of its work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from math import floor
from typing import Any

from cortex.domain.memory import Memory
from cortex.domain.trace import parse_time

THRESHOLDS = "#thresholds"
"""The session in whose state the thresholds of a user are kept, one part an extractor."""

QUARANTINE = "quarantine"
"""The threshold of suspicion from which on untrusted text is quarantined. It only falls: quarantine only tightens."""

LOWEST, HIGHEST = 0.40, 0.80
STEP = 0.05
"""How far a threshold moves in a week at most."""

WEEK = timedelta(days=7)
LEAST_DECISIONS = 20
"""So many decisions since the last move are needed for the next."""

LEAST_NEAR = 10
"""So many of them near the threshold, all of them right, lower it."""

MOST_VERSIONS = 50

_FINE = 1_000
"""Thresholds are in thousandths, as confidences are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdVersion:
    """One move of a threshold."""

    extractor: str
    version: int
    threshold: float
    before: float
    """What held before it, and holds again once it is revoked."""
    at: datetime
    right: int
    wrong: int
    """The decisions it was moved by."""
    revoked_at: datetime | None = None

    def to_state(self) -> dict[str, Any]:
        payload = {name: value for name, value in asdict(self).items() if name != "extractor"}
        return payload | {"at": self.at.isoformat(), "revoked_at": self.revoked_at and self.revoked_at.isoformat()}

    def revoked(self, at: datetime) -> ThresholdVersion:
        return replace(self, revoked_at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExtraction:
    """What a person decided about an extraction, and how sure the extractor was of it."""

    extractor: str
    confidence: float
    right: bool
    at: datetime


def extractor_of(found_by: str) -> str:
    """Who extracted: the rules of a language, such as `en`, or a model by its name."""
    first, slash, _ = found_by.partition("/")
    return first if slash and len(first) == 2 and first.isalpha() else found_by


def is_extraction(memory: Memory) -> bool:
    """Whether capture extracted it from a conversation, as far as it still says by what."""
    return bool(memory.source_turns and memory.source_ref)


def versions_in(state: Mapping[str, Any] | None, extractor: str) -> list[ThresholdVersion]:
    """The versions of a threshold, oldest first. What is not as it should be is as if it were not there."""
    part = (state or {}).get(extractor)
    found = (_version(extractor, each) for each in part) if isinstance(part, list) else ()
    return [each for each in found if each is not None]


def in_force(versions: Sequence[ThresholdVersion]) -> float | None:
    """The threshold that holds; None where none was learned, or all were revoked."""
    return next((each.threshold for each in reversed(versions) if each.revoked_at is None), None)


def learned(state: Mapping[str, Any] | None) -> dict[str, float]:
    """The thresholds that hold, by extractor."""
    found = {name: in_force(versions_in(state, name)) for name in state or {}}
    return {name: value for name, value in found.items() if value is not None}


def moved(
    extractor: str,
    versions: Sequence[ThresholdVersion],
    judged: Iterable[JudgedExtraction],
    *,
    default: float,
    now: datetime,
) -> ThresholdVersion | None:
    """The next version of a threshold, if the decisions since the last one support another value."""
    last = versions[-1] if versions else None
    since = max((at for each in versions for at in (each.at, each.revoked_at) if at), default=None)
    if since is not None and now < since + WEEK:
        return None
    fresh = [each for each in judged if each.extractor == extractor and (since is None or each.at > since)]
    if len(fresh) < LEAST_DECISIONS:
        return None
    holds = in_force(versions)
    before = default if holds is None else holds
    value = _tightened(before, fresh) if extractor == QUARANTINE else _moved_to(before, fresh)
    if value == before:
        return None
    right = sum(each.right for each in fresh)
    return ThresholdVersion(
        extractor=extractor, version=last.version + 1 if last else 1, threshold=value, before=before, at=now,
        right=right, wrong=len(fresh) - right,
    )  # fmt: skip


def _moved_to(before: float, judged: Sequence[JudgedExtraction]) -> float:
    """Up to where most more wrong than right extractions fall away; down where all near the threshold are right."""
    near = sorted(
        (each for each in judged if before <= each.confidence < before + STEP), key=lambda each: each.confidence
    )
    best, gain, value = 0, 0, before
    for at, each in enumerate(near):
        gain += -1 if each.right else 1
        is_last = at + 1 == len(near) or near[at + 1].confidence > each.confidence
        if is_last and gain > best:
            best, value = gain, _above(each.confidence)
    if value > before:
        return min(value, before + STEP, HIGHEST)
    if len(near) >= LEAST_NEAR and all(each.right for each in near):
        return max(round(before - STEP, 3), LOWEST)
    return before


def _tightened(before: float, judged: Sequence[JudgedExtraction]) -> float:
    """Down to the suspicion from which on most more rejected than approved texts would have been quarantined."""
    near = sorted(
        (each for each in judged if before - STEP <= each.confidence < before), key=lambda each: -each.confidence
    )
    best, gain, value = 0, 0, before
    for at, each in enumerate(near):
        gain += -1 if each.right else 1
        is_last = at + 1 == len(near) or near[at + 1].confidence < each.confidence
        if is_last and gain > best:
            best, value = gain, each.confidence
    return max(value, LOWEST)


def _above(confidence: float) -> float:
    return (floor(confidence * _FINE + 1e-6) + 1) / _FINE


def _version(extractor: str, payload: Any) -> ThresholdVersion | None:
    try:
        revoked = payload.get("revoked_at")
        return ThresholdVersion(
            extractor=extractor, version=int(payload["version"]), threshold=float(payload["threshold"]),
            before=float(payload["before"]), at=parse_time(payload["at"]), right=int(payload["right"]),
            wrong=int(payload["wrong"]), revoked_at=parse_time(revoked) if revoked else None,
        )  # fmt: skip
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
