"""Importing and compiling everything once, so that what is forked need not."""

from __future__ import annotations

import gc
import importlib
import random
import threading
import time
from contextlib import suppress
from pathlib import Path

from bench.soak.model import Home
from bench.soak.verbs import VERBS, Log, Worker
from cortex import Cortex
from cortex.errors import EngineError
from cortex.testing import FakeEmbedder, FakeReranker

_MODULES = (
    "cortex.surfaces.cli.app", "cortex.surfaces.cli.serve_command", "cortex.surfaces.http.app",
    "cortex.surfaces.http.server", "cortex.client", "cortex.providers.embedders.local", "uvloop",
    "multiprocessing.spawn",
)  # fmt: skip
_SEED = 7
_PATIENCE = 10.0


def warm(folder: Path) -> None:
    """Do everything once in a home of its own, and leave neither a thread nor a file open."""
    for name in _MODULES:
        with suppress(ModuleNotFoundError):
            importlib.import_module(name)
    folder.mkdir(parents=True)
    with Cortex(folder / "home", embedder=FakeEmbedder(), reranker=FakeReranker()) as engine:
        handle, home = engine.bind(user="warm"), Home(folder / "home")
        worker = Worker(handle, home, "warm", 0, random.Random(_SEED), Log(folder / "log"), alone=True)
        for _ in range(2):
            for verb in VERBS:
                worker.do(verb)
    until = time.monotonic() + _PATIENCE
    while threading.active_count() > 1 and time.monotonic() < until:
        time.sleep(0.01)
    gc.freeze()  # what is here now is shared by all that are forked


def has_model() -> bool:
    """Whether the local model can be used here."""
    from cortex import settings
    from cortex.wiring import model_store

    with suppress(EngineError):
        found = model_store(settings.default_home()).status()
        return all(each.state.value == "ready" for each in found)
    return False
