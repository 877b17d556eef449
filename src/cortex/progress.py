"""Progress of long operations: the engine counts, surfaces display it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    def __call__(self, done: int, total: int, label: str) -> None: ...


def silent(done: int, total: int, label: str) -> None:
    """Report nothing."""
