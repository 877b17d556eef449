"""What the engine needs of a hardware monitor: whether the card has room for background work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HardwareVerdict:
    """Whether background work may go on, by the load (percent) and temperature (°C) of the busiest, hottest card."""

    ok: bool
    load: float | None = None
    temperature: float | None = None
    why: str = ""
    """What keeps it waiting; or, where all is well, what the monitor could not read."""


class Hardware(Protocol):
    """Looks at the machine a language model runs on. Never raises: what cannot be seen holds nothing up."""

    def verdict(self) -> HardwareVerdict: ...
