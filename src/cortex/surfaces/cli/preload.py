"""Loads the embedding model while the command line is still being parsed.

A short recall is mostly start-up. onnxruntime creates its session without holding the GIL, so on two cores that time
is free when it starts early. This module is imported first, so its own imports are local.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from cortex.surfaces.cli.global_options import value_of

COMMANDS = frozenset({"recall", "search", "remember", "hook"})
"""The commands that need the model at once."""

_WITHOUT_MODEL = frozenset({"-h", "--help", "flush-plan"})
_loading: list[Any] = []
"""Keeps the model alive until the engine uses it."""


def begin(own: Sequence[str], rest: Sequence[str]) -> None:
    """Start loading the model that this command needs, if any."""
    if not rest or rest[0] not in COMMANDS or not _WITHOUT_MODEL.isdisjoint(rest[1:]):
        return
    # The command itself meets any error again, and reports it.
    with suppress(Exception):
        from pathlib import Path

        from cortex import registry, settings
        from cortex.ports.provider import begin_loading

        if rest[0] == "hook" and settings.is_inside():
            return
        home = value_of("--home", own)
        root = settings.default_home() if home is None else Path(home).expanduser()
        options = settings.load(root).embedding
        embedder = registry.find("cortex.embedders", options.provider)(options.options, settings.models_home(root))
        _loading.append(embedder)
        begin_loading(embedder)
