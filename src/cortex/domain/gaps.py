"""Gaps of a memory: questions that found nothing, grouped by what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.terms import query_terms
from cortex.domain.vectors import EmbeddingSpace, Vector

ALIKE_BY_MEANING = 0.67
"""From this similarity on two questions are one gap, on the calibrated scale: it lies between paraphrases of a question
and questions that share their frame but not their subject ("when does the … expire?"), by the built-in model."""

ALIKE_BY_WORDS = 0.4
"""The same for the share of telling words that both have."""


@dataclass(frozen=True, slots=True)
class VainQuestion:
    """A wording of a question that found nothing: how often, when, and the receipt of the last time."""

    text: str
    times: int
    first: datetime
    last: datetime
    receipt_id: ReceiptId


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions about one thing that found nothing."""

    question: str
    """The wording that was asked most, and of those the latest."""
    times: int
    wordings: int
    first: datetime
    last: datetime
    receipt_id: ReceiptId
    """The receipt of the last time that the question was asked in this wording."""
    answered_by: tuple[TraceId, ...] = ()
    """What would answer the question today."""


def by_frequency(questions: Sequence[VainQuestion]) -> list[VainQuestion]:
    """The questions asked most first, and of those the latest."""
    return sorted(questions, key=lambda each: (-each.times, -each.last.timestamp(), each.text))


def grouped(
    questions: Sequence[VainQuestion], vectors: Sequence[Vector | None], space: EmbeddingSpace | None
) -> list[list[VainQuestion]]:
    """The questions in groups, each led by the question that came first; those asked most should come first.

    Two questions with vectors are compared by meaning, all others by their words.
    """
    groups: list[list[VainQuestion]] = []
    leaders: list[tuple[Vector | None, dict[str, float]]] = []
    for question, vector in zip(questions, vectors, strict=True):
        words = {term.text: term.weight for term in query_terms(question.text)}
        found = next(
            (at for at, leader in enumerate(leaders) if _is_alike(leader, (vector, words), space)), None
        )  # fmt: skip
        if found is None:
            groups.append([question])
            leaders.append((vector, words))
        else:
            groups[found].append(question)
    return groups


def gap_of(group: Sequence[VainQuestion]) -> Gap:
    """What a group says together."""
    leader = group[0]
    return Gap(
        leader.text, sum(each.times for each in group), len(group), min(each.first for each in group),
        max(each.last for each in group), leader.receipt_id,
    )  # fmt: skip


def _is_alike(
    one: tuple[Vector | None, dict[str, float]],
    other: tuple[Vector | None, dict[str, float]],
    space: EmbeddingSpace | None,
) -> bool:
    if space is not None and one[0] is not None and other[0] is not None:
        return space.calibration.apply(float(one[0] @ other[0])) >= ALIKE_BY_MEANING
    return _shared(one[1], other[1]) >= ALIKE_BY_WORDS


def _shared(one: dict[str, float], other: dict[str, float]) -> float:
    """The weight of the words that both have, as a share of all."""
    every = sum(max(one.get(word, 0.0), other.get(word, 0.0)) for word in one.keys() | other.keys())
    both = sum(max(one[word], other[word]) for word in one.keys() & other.keys())
    return both / every if every else 0.0
