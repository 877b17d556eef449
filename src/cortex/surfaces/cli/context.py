"""What every command shares: the memory to use, and the output format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from cortex.memory import Cortex

OpenEngine = Callable[[Path | None, str | None, str | None], "Cortex"]
"""Opens the memory of an agent and a user under a home; None leaves the choice to the settings."""

Connect = Callable[[str, str, str, str], "Cortex"]
"""Returns the memory of an agent and a user on a server, by its URL and token."""


def open_cortex(home: Path | None, agent: str | None, user: str | None) -> Cortex:
    """Open the engine that the settings describe."""
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
    connect: Connect | None = None
    """How to use the server of the home; None if commands use none."""

    def engine(self, actor: str = "cli") -> Cortex:
        """Open the memory these options name; close it after use. The ledger names the actor."""
        engine = self.open_engine(self.home, self.agent, self.user)
        engine.context = engine.context.by(actor)
        return engine

    @property
    def root(self) -> Path:
        """The home folder: as given, or the default."""
        from cortex import settings

        return settings.default_home() if self.home is None else self.home.expanduser()


def surface_of(context: typer.Context) -> Surface:
    """The global options of this run."""
    found = context.find_object(Surface)
    return found if isinstance(found, Surface) else Surface()
