from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Reads the query and each text together and says how well the text answers it, higher is better.

    Raises `RerankerUnavailable` when it cannot; recall keeps its first order and says so.
    """

    @property
    def name(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]: ...
