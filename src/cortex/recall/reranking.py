"""The second look: a reranker reads the query and the best candidates together, within the time that is left (X10).

What it said is kept in the receipt, by ids and numbers, so that a replay ranks by the same marks and asks nobody.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from typing import Any, Protocol

from cortex.domain.identity import TraceId
from cortex.errors import DeadlineExceeded, LlmUnavailable, ProviderError
from cortex.ports.reranker import Reranker, ScoreScale
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Rerank
from cortex.runtime.deadline import SHARES, Deadline

_DECIMALS = 6
"""Marks are rounded before they are used, so that a receipt keeps exactly what was used."""

Marks = Sequence[float | None]
Start = Callable[[Callable[[], Marks], str], Future[Marks] | None]
"""Carries out work beside the caller; None where too much is under way already."""


@dataclass(frozen=True, slots=True)
class RerankResult:
    """What a reranker said of some candidates; or why it said nothing."""

    by: str
    scale: ScoreScale = ScoreScale.SCORE
    marks: Mapping[TraceId, float] = field(default_factory=dict)
    absent: str | None = None

    def to_json(self) -> dict[str, Any]:
        marks = [{"id": id, "mark": mark} for id, mark in self.marks.items()]
        return {"by": self.by, "scale": self.scale.value, "marks": marks, "absent": self.absent}

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> RerankResult:
        marks = {TraceId(each["id"]): float(each["mark"]) for each in payload["marks"]}
        return cls(payload["by"], ScoreScale(payload["scale"]), marks, payload["absent"])


LEG = "rerank"
"""The leg that a recall can leave out."""


class Reader(Protocol):
    """Scores texts a second time: a reranker, or the recorded result of one."""

    def read(self, query: str, texts: Mapping[TraceId, str]) -> RerankResult: ...


@dataclass(frozen=True, slots=True)
class TimedReranker:
    """Calls the reranker, for no longer than the deadline allows; an answer that comes later is dropped."""

    reranker: Reranker
    start: Start
    deadline: Deadline

    def read(self, query: str, texts: Mapping[TraceId, str]) -> RerankResult:
        seconds = self.deadline.left(SHARES.rerank)
        if seconds <= 0.0 or seconds < self.reranker.least_seconds:
            return self._absent(DeadlineExceeded.code)
        pending = self.start(lambda: self.reranker.scores(query, list(texts.values())), "cortex-rerank")
        if pending is None:
            return self._absent("busy")
        try:
            marks = pending.result(timeout=seconds)
        except FutureTimeout:
            return self._absent(DeadlineExceeded.code)
        except LlmUnavailable as error:
            return self._absent(error.reason)
        except ProviderError as error:
            return self._absent(error.code)
        if len(marks) != len(texts) or not all(mark is None or math.isfinite(mark) for mark in marks):
            return self._absent("bad_answer")
        kept = {id: round(mark, _DECIMALS) for id, mark in zip(texts, marks, strict=True) if mark is not None}
        return RerankResult(self.reranker.name, self.reranker.scale, kept)

    def _absent(self, why: str) -> RerankResult:
        return RerankResult(self.reranker.name, self.reranker.scale, absent=why)


class Recorded:
    """Gives again what was said in a recorded recall, in the same order; it asks nobody."""

    def __init__(self, readings: Iterable[RerankResult]) -> None:
        self._left: Iterator[RerankResult] = iter(readings)

    def read(self, query: str, texts: Mapping[TraceId, str]) -> RerankResult:  # noqa: ARG002 - what was said then counts
        return next(self._left, RerankResult("", absent="not_recorded"))


def reranked(admitted: Sequence[Scored], reading: RerankResult, rerank: Rerank) -> list[Scored]:
    """`admitted` as `reading` has them; what it says nothing of stays below what it marked, in the first order."""
    if reading.absent is not None:
        return list(admitted)
    first, rest = admitted[: rerank.depth], admitted[rerank.depth :]
    marked = [each for each in first if each.trace.id in reading.marks]
    unmarked = [each for each in first if each.trace.id not in reading.marks]
    if reading.scale is ScoreScale.ORDER:
        marked.sort(key=lambda each: -reading.marks[each.trace.id])
        return [*_in_this_order([*marked, *unmarked], reading), *rest]
    for each in marked:
        each.set_part("rerank", rerank.weight * reading.marks[each.trace.id])
    return [*sorted(marked, key=lambda each: (-each.score, each.trace.id)), *unmarked, *rest]


def _in_this_order(ordered: list[Scored], reading: RerankResult) -> list[Scored]:
    """`ordered` with their scores dealt out anew, the best to the first: what the scores of a recipe mean stays."""
    scores = sorted((each.score for each in ordered), reverse=True)
    for place, (each, score) in enumerate(zip(ordered, scores, strict=True), start=1):
        each.set_part("rerank", round(score - each.score, _DECIMALS))
        if each.trace.id in reading.marks:
            each.reasons.append(f"place {place} by {reading.by}")
    return ordered
