"""Kinds of stores, by the scheme of their URL: what each can do and what can be set for it, asked from the registry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from cortex import registry
from cortex.errors import NotSupported
from cortex.options import described, read_section
from cortex.ports.store import Abilities
from cortex.ports.store_driver import StoreDriver
from cortex.ports.store_url import StoreUrl
from cortex.settings import FILE_NAME, Settings

GROUP = "cortex.stores"


def driver(scheme: str) -> StoreDriver:
    """The kind of store of this name."""
    return cast(StoreDriver, registry.module_of(GROUP, scheme))


def drivers() -> Iterator[tuple[str, StoreDriver]]:
    """Every kind of store that can be imported, by name."""
    for name in registry.names(GROUP):
        with suppress(ImportError):
            yield name, driver(name)


def options_of(settings: Settings, scheme: str, home: Path) -> Any:
    """What is set for a kind of store, checked by what it declares."""
    given = settings.store.sections.get(scheme, {})
    return read_section(driver(scheme).OPTIONS, given, ("store", scheme), home / FILE_NAME)


def describe() -> Iterator[tuple[str, str, Any, str]]:
    """Every option of every store: dotted name, environment variable, default, meaning."""
    for name, each in drivers():
        yield from described(each.OPTIONS(), ("store", name))


def require(ability: str, abilities: Abilities, url: StoreUrl) -> None:
    """Refuse a call where the store lacks the ability that it needs."""
    if not abilities.has(ability):
        able = [name for name, each in drivers() if each.ABILITIES.has(ability)]
        hint = f"supported by: {', '.join(able)}; see store.url" if able else "no installed store supports it"
        raise NotSupported(f"the store {url} does not support {ability}", hint=hint)
