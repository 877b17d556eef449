"""What every command shares: whose memory is meant, and how the answer is to be shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from cortex.memory import Cortex

OpenEngine = Callable[[Path | None, str | None, str | None], "Cortex"]
"""Opens the memory under a home, of an agent and a user; None means: as the settings say."""


def open_cortex(home: Path | None, agent: str | None, user: str | None) -> Cortex:
    """The engine people get: the one their settings describe."""
    from cortex.memory import Cortex

    return Cortex(home, agent=agent, user=user)


@dataclass(frozen=True, slots=True)
class Surface:
    """The global options of one run."""

    open_engine: OpenEngine = open_cortex
    home: Path | None = None
    agent: str | None = None
    user: str | None = None
    json: bool = False

    def engine(self) -> Cortex:
        """The memory that was asked for; close it after use."""
        return self.open_engine(self.home, self.agent, self.user)

    @property
    def root(self) -> Path:
        """Home, whether given or not."""
        from cortex import settings

        return settings.default_home() if self.home is None else self.home.expanduser()


def surface_of(context: typer.Context) -> Surface:
    """The global options, as the callback of the app left them."""
    found = context.find_object(Surface)
    return found if isinstance(found, Surface) else Surface()
