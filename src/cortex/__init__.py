"""Cortex: long-term memory for AI agents.

>>> from cortex import Cortex
>>> memory = Cortex("~/.cortex")
>>> memory.remember("The deploy key rotates on Mondays", scope="infra")
>>> memory.recall("when does the deploy key rotate?", scope="infra").block
"""

from __future__ import annotations

from cortex._version import __version__

TYPE_CHECKING = False  # as `typing` has it, whose import would take as long as the start of Python
if TYPE_CHECKING:
    from typing import Any

    from cortex.memory import Cortex
    from cortex.services.turn_hooks import TurnHooks

__all__ = ["Cortex", "TurnHooks", "__version__"]


def __getattr__(name: str) -> Any:
    # Importing the package must stay cheap: `cortex --version` loads nothing else.
    if name == "Cortex":
        from cortex.memory import Cortex

        return Cortex
    if name == "TurnHooks":
        from cortex.services.turn_hooks import TurnHooks

        return TurnHooks
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
