"""Cortex: long-term memory for AI agents.

>>> from cortex import Cortex
>>> memory = Cortex("~/.cortex")
>>> memory.remember("The deploy key rotates on Mondays", scope="infra")
>>> memory.recall("when does the deploy key rotate?", scope="infra").block
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cortex._version import __version__

if TYPE_CHECKING:
    from cortex.wiring import Cortex

__all__ = ["Cortex", "__version__"]


def __getattr__(name: str) -> Any:
    # Importing the package must stay cheap: `cortex --version` loads nothing else.
    if name == "Cortex":
        from cortex.wiring import Cortex

        return Cortex
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
