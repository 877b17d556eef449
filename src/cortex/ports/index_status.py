"""A store that tells the state of its indexes (E16)."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from cortex.domain.index_status import IndexStatus


@runtime_checkable
class Optimizable(Protocol):
    """A store that knows when it is worth optimizing."""

    def index_status(self) -> IndexStatus:
        """The figures of its indexes, at little cost."""
