"""Every store there is, opened by its URL. A new store is one more line, and the contracts hold it to every claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import postgres_server
from cortex import settings, wiring
from cortex.ports.store import Store

STORE_URLS: Mapping[str, Callable[[Path], str]] = {
    "ephemeral": lambda _: "ephemeral:",
    "sqlite": lambda folder: f"sqlite://{folder}",
    "postgresql": postgres_server.emptied_url,
}

QUICK: Mapping[str, Any] = {"sqlite": {"synchronous": "normal"}}
"""No waiting for the disk."""


def open_store(name: str, folder: Path, sections: Mapping[str, Any] = QUICK) -> Store:
    """The store of an agent in `folder`; the test closes it."""
    return open_url(STORE_URLS[name](folder), folder, sections)


def open_url(url: str, folder: Path, sections: Mapping[str, Any] = QUICK) -> Store:
    """The store of an agent at a URL, in which other tests or processes may have written."""
    loaded = settings.load(folder, {"store": {"url": url, **sections}})
    return wiring.Stores(folder, loaded).open("main")
