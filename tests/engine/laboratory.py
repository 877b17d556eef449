"""An engine on a store of choice, with everything it depends on in the test's hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cortex import settings as configuration
from cortex.context import Context
from cortex.domain.hits import RecallResult
from cortex.domain.scope import Tenant
from cortex.domain.turn import Role, TurnDraft
from cortex.domain.vectors import Vector
from cortex.memory import Cortex
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder
from cortex.ports.llm import LLM
from cortex.recall.recipes import RECIPES
from cortex.services.erasure import Certificate
from cortex.testing import CountingIds, FakeClock, FakeEmbedder, FakeReranker
from cortex.wiring import build
from store_list import STORE_URLS

# No cache, so that the embedder is asked each time; no waiting for the disk, which the contracts test; and a machine
# that has much else to do misses no deadline of a turn, which has tests of its own.
QUICK: Mapping[str, Any] = {
    "embedding": {"cache_entries": 0},
    "store": {"sqlite": {"synchronous": "normal"}},
    "hooks": {"deadline_ms": 60_000, "ingest_timeout_ms": 60_000},
}


def opened(
    home: Path,
    backend: str = "sqlite",
    *,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    reranker: FakeReranker | None = None,
    model: LLM | None = None,
    retention: Sequence[Mapping[str, Any]] = (),
    **sections: Mapping[str, Any],
) -> Cortex:
    """An engine for the default tenant; the test closes it."""
    merged: dict[str, Any] = {name: {**QUICK.get(name, {}), **sections.get(name, {})} for name in {**QUICK, **sections}}
    if retention:
        merged["retention"] = list(retention)
    merged["store"].setdefault("url", STORE_URLS[backend](home / "agents"))
    parts = build(
        home,
        configuration.load(home, merged),
        embedder=embedder or FakeEmbedder(256),
        reranker=reranker or FakeReranker(),
        llm=model,
        clock=clock or FakeClock(),
        ids=CountingIds(),
    )
    return Cortex.over(Context(parts, Tenant()))


class Near(FakeEmbedder):
    """Texts that share no word have a similarity of `level`."""

    def __init__(self, level: float) -> None:
        super().__init__(257, answer_dimension=256)
        self._level = np.float32(level)

    def _vector(self, text: str) -> Vector:
        return np.append(np.sqrt(1 - self._level) * super()._vector(text), np.sqrt(self._level)).astype(np.float32)


def user(text: str, **fields: Any) -> TurnDraft:
    return TurnDraft(text=text, **{"role": Role.USER, **fields})


def assistant(text: str, **fields: Any) -> TurnDraft:
    return TurnDraft(text=text, **{"role": Role.ASSISTANT, **fields})


def texts(found: RecallResult) -> list[str]:
    return [hit.trace.text for hit in found.hits]


def by_rows(certificate: Certificate) -> Certificate:
    """A certificate without the note that the files of a server cannot be searched, which every erasure there has."""
    return replace(certificate, remains=tuple(each for each in certificate.remains if "cannot be" not in each.what))


def ids(found: RecallResult) -> list[str]:
    return [hit.trace.id for hit in found.hits]


RECIPE_NAMES = sorted(RECIPES)
