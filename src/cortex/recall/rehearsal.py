"""Recorded recalls under other settings: how each answer would change. Ids and numbers in, a verdict out."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from cortex.domain.identity import ReceiptId, TraceId
from cortex.recall.flow import Answer

MOST_SHOWN = 20
"""So many of the most changed answers are kept."""


class AnswerChange(StrEnum):
    """What becomes of an answer."""

    SAME = "same"
    TOKENS = "tokens"
    """The same hits, in a block of another size."""
    ORDER = "order"
    HITS = "hits"
    """Other hits."""
    SILENCED = "silenced"
    """Nothing is found any more."""
    ANSWERED = "answered"
    """Something is found where nothing was."""


@dataclass(frozen=True, slots=True)
class AnswerSide:
    """An answer under one of the two settings."""

    ids: tuple[TraceId, ...]
    tokens: int

    @classmethod
    def of(cls, answer: Answer) -> AnswerSide:
        return cls(tuple(hit.trace.id for hit in answer.hits), answer.packed.tokens)


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A recorded recall whose answer would be another."""

    receipt_id: ReceiptId
    at: datetime
    position: int
    """The state that both sides searched."""
    query: str
    change: AnswerChange
    before: AnswerSide
    after: AnswerSide

    @property
    def lost(self) -> tuple[TraceId, ...]:
        return tuple(id for id in self.before.ids if id not in self.after.ids)

    @property
    def gained(self) -> tuple[TraceId, ...]:
        return tuple(id for id in self.after.ids if id not in self.before.ids)

    @property
    def weight(self) -> tuple[float, int, int]:
        """How much of it changed: the share of the hits, the places that differ, the tokens."""
        every = set(self.before.ids) | set(self.after.ids)
        moved = sum(one != other for one, other in zip(self.before.ids, self.after.ids, strict=False))
        share = (len(self.lost) + len(self.gained)) / len(every) if every else 0.0
        return share, moved, abs(self.after.tokens - self.before.tokens)


def change_between(before: AnswerSide, after: AnswerSide) -> AnswerChange:
    """How an answer changes; the greatest change counts."""
    if before.ids == after.ids:
        return AnswerChange.SAME if before.tokens == after.tokens else AnswerChange.TOKENS
    if not after.ids:
        return AnswerChange.SILENCED
    if not before.ids:
        return AnswerChange.ANSWERED
    return AnswerChange.ORDER if sorted(before.ids) == sorted(after.ids) else AnswerChange.HITS


@dataclass(slots=True)
class Tally:
    """What was compared so far; it holds no more than the most changed answers."""

    compared: int = 0
    changes: Counter[AnswerChange] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    """What could not be compared, by reason."""
    tokens_before: int = 0
    tokens_after: int = 0
    _most: list[tuple[tuple[float, int, int], str, ChangedAnswer]] = field(default_factory=list)

    def add(self, answer: ChangedAnswer) -> None:
        self.compared += 1
        self.changes[answer.change] += 1
        self.tokens_before += answer.before.tokens
        self.tokens_after += answer.after.tokens
        if answer.change is not AnswerChange.SAME:
            heapq.heappush(self._most, (answer.weight, answer.receipt_id, answer))
            if len(self._most) > MOST_SHOWN:
                heapq.heappop(self._most)

    @property
    def most_changed(self) -> tuple[ChangedAnswer, ...]:
        return tuple(answer for _, _, answer in sorted(self._most, reverse=True))

    def by_change(self) -> Mapping[str, int]:
        return {change.value: self.changes[change] for change in AnswerChange}


def differing(changes: Mapping[str, int]) -> int:
    """How many answers change at all."""
    return sum(number for change, number in changes.items() if change != AnswerChange.SAME)


def named_reasons(reasons: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Reasons, the most frequent first."""
    return dict(sorted(reasons, key=lambda each: (-each[1], each[0])))
