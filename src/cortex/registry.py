"""Providers register by entry points; built-ins enter the same door as third parties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from cortex.errors import ProviderMissing

Factory = Callable[..., Any]

DEFAULT_STORE = "sqlite:"
"""The URL of the store that is used where none is set."""

# Built-ins are listed here too, because reading entry points costs more than the whole start of the CLI,
# and because a source tree that was never installed has none.
_BUILTIN = {
    "cortex.stores": {
        "sqlite": "cortex.stores.sqlite:create",
        "ephemeral": "cortex.stores.ephemeral:create",
        "postgresql": "cortex.stores.postgres:create",
    },
    "cortex.indexes": {
        "local": "cortex.stores.sqlite.generations:create",
    },
    "cortex.nearest": {
        "codes": "cortex.stores.nearest.codes:create",
        "qdrant": "cortex.stores.nearest.qdrant:create",
        "lancedb": "cortex.stores.nearest.lance:create",
        "s3": "cortex.stores.nearest.lance:create",
    },
    "cortex.embedders": {
        "local": "cortex.providers.embedders.local:create",
        "none": "cortex.providers.embedders.none:create",
        "openai": "cortex.providers.embedders.openai:create",
        "gemini": "cortex.providers.embedders.gemini:create",
        "voyage": "cortex.providers.embedders.voyage:create",
        "ollama": "cortex.providers.embedders.ollama:create",
        "auto": "cortex.providers.embedders.auto:create",
    },
    "cortex.media_embedders": {
        "gemini": "cortex.providers.embedders.gemini:create_media",
        "voyage": "cortex.providers.embedders.voyage:create_media",
    },
    "cortex.rerankers": {
        "local": "cortex.providers.rerankers.local:create",
        "llm": "cortex.providers.rerankers.llm:create",
    },
    "cortex.llms": {
        "anthropic": "cortex.providers.llms.anthropic:create",
        "openai": "cortex.providers.llms.openai:create",
        "command": "cortex.providers.llms.command:create",
        "none": "cortex.providers.llms.none:create",
    },
    "cortex.graders": {
        "heuristic-v1": "cortex.domain.grading:heuristic_v1",
    },
    "cortex.clients": {
        "http": "cortex.client:RemoteCortex",
    },
}


def find(group: str, name: str, **offered: Any) -> Factory:
    """The factory registered under `name`, imported on use.

    It is given what it asks for by name: of what is `offered`, `variable`, the way to look variables up, and
    `environment`, that of a program it starts.
    """
    if path := _BUILTIN.get(group, {}).get(name):
        return _given(_imported(path), offered)
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        if entry.name == name:
            return _given(entry.load(), offered)
    from difflib import get_close_matches

    known = names(group)
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    raise ProviderMissing(f"{name!r} is not one of the {group.removeprefix('cortex.')}", hint=hint)


def has(group: str, name: str) -> bool:
    """Whether something is registered under `name`."""
    return name in _BUILTIN.get(group, {}) or name in names(group)


def module_of(group: str, name: str) -> ModuleType:
    """The module of the factory registered under `name`: it may declare more than the factory."""
    from importlib import import_module

    if path := _BUILTIN.get(group, {}).get(name):
        return import_module(path.partition(":")[0])
    from importlib.metadata import entry_points

    return import_module(next(entry.module for entry in entry_points(group=group) if entry.name == name))


def names(group: str) -> list[str]:
    """Everything registered in `group`."""
    from importlib.metadata import entry_points

    return sorted({*_BUILTIN.get(group, {}), *(entry.name for entry in entry_points(group=group))})


def _imported(path: str) -> Factory:
    from importlib import import_module

    module, _, attribute = path.partition(":")
    factory: Factory = getattr(import_module(module), attribute)
    return factory


def _given(factory: Factory, offered: Mapping[str, Any]) -> Factory:
    """`factory` with what it asks for filled in: only the settings read the environment."""
    # Imported by `dataclasses` already, so it costs nothing here.
    from inspect import signature

    try:
        asks = signature(factory).parameters
    except (TypeError, ValueError):  # a callable that does not tell
        return factory
    filled = {name: value for name, value in offered.items() if name in asks}
    if asks.keys() & {"variable", "environment"}:
        from cortex import variables

        reads = {"variable": variables.value, "environment": variables.environment_inside}
        filled |= {name: read for name, read in reads.items() if name in asks}
    if not filled:
        return factory
    from functools import partial

    return partial(factory, **filled)
