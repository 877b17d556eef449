"""Servers for the tests of HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Served, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server nobody has a token for."""
    with serving(tmp_path / "home") as one:
        yield one


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests of a module that change nothing."""
    with serving(tmp_path_factory.mktemp("unchanged") / "home") as one:
        yield one
        assert one.engine.stats().total == 0
