"""The state of a store's indexes, and from when on they are worth optimizing (E16)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

MOST_DEAD_CODES = 0.10
MOST_SEGMENTS = 16
MOST_LOG_BYTES = 64 << 20
MOST_FREE_PAGES = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """Figures of the indexes of one store; None is a figure that the store cannot tell."""

    dead_codes: float | None = None
    """The share of vector codes that were removed, but are still read."""
    segments: int | None = None
    """Of the keyword index: a search looks into each."""
    log_bytes: int | None = None
    """The size of the write-ahead log."""
    free_pages: float | None = None
    """The share of the file that holds nothing."""

    def exceeded(self) -> tuple[str, ...]:
        """The names of the figures that are above their threshold."""
        return tuple(self._exceeded())

    def _exceeded(self) -> Iterator[str]:
        for name, most in THRESHOLDS.items():
            if (value := getattr(self, name)) is not None and value > most:
                yield name

    def to_json(self) -> dict[str, Any]:
        """Every figure; those that the store cannot tell are named in `unknown`."""
        figures = asdict(self)
        return {**figures, "unknown": [name for name, value in figures.items() if value is None]}


THRESHOLDS: dict[str, float] = {
    "dead_codes": MOST_DEAD_CODES,
    "segments": MOST_SEGMENTS,
    "log_bytes": MOST_LOG_BYTES,
    "free_pages": MOST_FREE_PAGES,
}
