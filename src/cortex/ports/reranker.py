"""What recall needs of a reranker: a second look at its best candidates."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol


class ScoreScale(StrEnum):
    """What the scores of a reranker are good for."""

    SCORE = "score"
    """How much better one text is than another: they are added to the first score, with the recipe's weight."""
    ORDER = "order"
    """Which text is better, and no more: their order takes the place of the first one."""


class Reranker(Protocol):
    """Reads the query and each text together and says how well the text answers it, higher is better.

    Raises a `ProviderError` when it cannot; recall keeps its first order and says so.
    """

    @property
    def name(self) -> str: ...

    @property
    def scale(self) -> ScoreScale: ...

    @property
    def least_seconds(self) -> float:
        """How long it takes at the least: with less time than this, it is not called."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        """One score for each text, in order; None for a text it says nothing of, which stays below the others."""
