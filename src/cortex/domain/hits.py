"""What recall answers: hits that explain themselves, packed into a block, with a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn


class SearchMode(StrEnum):
    """What an answer was really found by."""

    HYBRID = "hybrid"
    FTS_ONLY = "fts-only"
    VECTOR_ONLY = "vector-only"
    NONE = "none"
    """Neither words nor meaning could be compared."""

    @classmethod
    def of(cls, *, words: bool, meaning: bool) -> SearchMode:
        if words:
            return cls.HYBRID if meaning else cls.FTS_ONLY
        return cls.VECTOR_ONLY if meaning else cls.NONE


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """How a score came about: named parts as they entered the sum, and why the hit was admitted."""

    parts: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.parts.get(name, 0.0)


@dataclass(frozen=True, slots=True)
class Around:
    """What a reader needs beside a hit to read it rightly."""

    speaker: str = ""
    """Who said what a memory was made from."""
    before: Turn | None = None
    """The question it answers."""
    after: Turn | None = None
    """The turn that answers or corrects it."""
    follows: tuple[Turn, ...] = ()
    """What the user went on to say, shown where there is room for it."""
    only_asks: bool = False
    """Whether it is a mere question: shown beside its answer, never for itself."""
    replaced_at: datetime | None = None
    contradicted_at: datetime | None = None
    dates: tuple[tuple[str, str], ...] = ()
    """For a turn: what was said of a time relative to it, each with the date that was worked out."""


ALONE = Around()


@dataclass(frozen=True, slots=True)
class Hit:
    """One trace that answers the query, with its score in 0..1 and the legs that found it."""

    trace: Trace
    score: float
    parts: ScoreParts
    legs: tuple[str, ...]
    excerpt: str = ""
    around: Around = ALONE
    best: tuple[int, int] | None = None
    """The stretch of a long text that is nearest to the query by meaning."""
    pinned: bool = False
    """Whether it is a rule that applies here: shown first, whatever it scores."""

    @property
    def source(self) -> str:
        """The legs in the seed's words: `fts5`, `vector`, `fts5+vector`."""
        return "+".join({"keyword": "fts5"}.get(leg, leg) for leg in self.legs)


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The answer to one query: hits best first, the block to inject, and the receipt that explains both."""

    hits: tuple[Hit, ...]
    block: str
    tokens: int
    receipt: Receipt

    def __bool__(self) -> bool:
        return bool(self.hits)

    @property
    def mode(self) -> SearchMode | None:
        """What it was really found by; None where nothing was looked for."""
        used = self.receipt.facts.get("mode")
        return SearchMode(used) if used else None
