"""The engine under test, on SQLite; `make soak` has it on every store that needs nothing installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from backends import BACKENDS
from laboratory import opened

from cortex.memory import Cortex
from cortex.testing import FakeClock, FakeEmbedder, FakeReranker


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(256)


@pytest.fixture
def reranker() -> FakeReranker:
    return FakeReranker()


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engine(
    backend: str, tmp_path: Path, clock: FakeClock, embedder: FakeEmbedder, reranker: FakeReranker
) -> Iterator[Cortex]:
    """An engine. Whatever a test did to it, its store must verify clean afterwards."""
    engine = opened(tmp_path, backend, clock=clock, embedder=embedder, reranker=reranker)
    yield engine
    findings = engine.verify()
    engine.close()
    assert findings == []


@pytest.fixture
def open_engine(tmp_path: Path, clock: FakeClock) -> Iterator[Callable[..., Cortex]]:
    """Opens engines on SQLite under one home, with the settings a test asks for, and closes them."""
    engines: list[Cortex] = []

    def open_one(backend: str = "sqlite", **options: Any) -> Cortex:
        engines.append(opened(tmp_path, backend, **{"clock": clock, **options}))
        return engines[-1]

    yield open_one
    for engine in engines:
        engine.close()
