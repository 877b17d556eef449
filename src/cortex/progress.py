"""How long work tells how far it is. Surfaces draw it; the engine only counts."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    def __call__(self, done: int, total: int, label: str) -> None: ...


def silent(done: int, total: int, label: str) -> None:
    """Nobody is watching."""
