"""A server and a client of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "surfaces" / "http"))

from served import Served, serving

from cortex import Cortex
from cortex.client import RemoteCortex


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path / "home") as one:
        yield one


@pytest.fixture
def remote(served: Served) -> Iterator[RemoteCortex]:
    with Cortex.connect(served.url) as one:
        yield one
