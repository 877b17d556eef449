"""Standbys: copies of a store that follow it, and may answer reads."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


class StandbyState(StrEnum):
    """The states that `status` and receipts report."""

    READY = "ready"
    GONE = "gone"
    """None can be reached: the primary answers."""
    LAGGING = "lagging"
    """It is too far behind: the primary answers."""
    PROMOTED = "promoted"
    """It is a primary now: the primary answers, until another standby is found."""
    ALONE = "alone"
    """The primary cannot be reached: the standby answers, and may lack the last changes of others."""


@runtime_checkable
class StandbyReader(Protocol):
    """A store with the ability `standby_reads`."""

    def standby_status(self) -> Mapping[str, Any] | None:
        """Its state, why, what to do, and how many reads it answered; None where none is used."""
