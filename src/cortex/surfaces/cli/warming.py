"""Loading the embedding model while the command line is still being read.

A short recall is mostly start-up. onnxruntime makes its session without holding up Python, so on two cores that
part is had for nothing when it begins early. Imports stand where they are used: this module is the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from cortex.surfaces.cli.arguments import value_of

VERBS = frozenset({"recall", "search", "explain", "replay", "remember", "hook"})
"""The verbs that need the model at once."""

_HELP = frozenset({"-h", "--help"})
_loading: list[Any] = []
"""Keeps the model in use until the engine shares it."""


def begin(own: Sequence[str], rest: Sequence[str]) -> None:
    """Start loading the model that these arguments will need, if they will need one."""
    if not rest or rest[0] not in VERBS or not _HELP.isdisjoint(rest):
        return
    # Whatever goes wrong here, the command itself will meet it again, and has the words for it.
    with suppress(Exception):
        from pathlib import Path

        from cortex import registry, settings

        if rest[0] == "hook" and settings.is_inside():
            return
        home = value_of("--home", own)
        root = settings.default_home() if home is None else Path(home).expanduser()
        options = settings.load(root).embedding
        embedder = registry.find("cortex.embedders", options.provider)(options.options, settings.models_home(root))
        if hasattr(embedder, "begin_loading"):
            _loading.append(embedder)
            embedder.begin_loading()
