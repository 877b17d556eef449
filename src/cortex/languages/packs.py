"""The languages in which extraction without a model works."""

from __future__ import annotations

from importlib import import_module

from cortex.languages import EXTRACTED
from cortex.languages.pack import Pack


def _pack(code: str) -> Pack:
    found: Pack = import_module(f"cortex.languages.{code}.extraction").PACK
    return found


DEFAULT_PACKS: tuple[Pack, ...] = tuple(map(_pack, EXTRACTED))
"""In the order in which their letters are tried."""
