"""One memory, reached over every surface at once: this process, a server, and the processes of MCP hosts."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
sys.path += [str(_TESTS / "surfaces"), str(_TESTS / "surfaces" / "http")]

from behaving import EMBEDDED, SURFACES, Surface  # noqa: E402
from worlds import World, world_in  # noqa: E402


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_in(tmp_path_factory.mktemp("behaviour")) as made:
        yield made


@pytest.fixture
def scope() -> str:
    """A namespace nothing else is in: every test has one of its own in the one memory there is."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture(params=SURFACES)
def memory(request: pytest.FixtureRequest, world: World, scope: str) -> Surface:
    """The memory over each surface."""
    return world.surface(request.param, scope)


@pytest.fixture
def beside(world: World, scope: str) -> Surface:
    """The same memory, in this process: to look at what a surface did."""
    return world.surface(EMBEDDED, scope)
