"""One memory, reached over every surface at once: this process, a server, and the processes of MCP hosts."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
sys.path += [str(_TESTS / "surfaces"), str(_TESTS / "surfaces" / "http")]

from behaving import EMBEDDED, STREAMED, SURFACES, Surface  # noqa: E402
from worlds import World, world_in  # noqa: E402


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every case of a test in this process, one over each other surface: the rest is slow.

    Bad input comes over HTTP and stdio with one case for each field.
    """
    seen: set[tuple[str, str]] = set()
    for item in items:
        surface = getattr(item, "callspec", None) and item.callspec.params.get("memory")  # type: ignore[attr-defined]
        if surface not in SURFACES or surface == EMBEDDED or item.get_closest_marker("slow"):
            continue
        case = (item.nodeid.partition("[")[0], surface)
        if case in seen and (surface == STREAMED or "bad_input" not in item.nodeid):
            item.add_marker("slow")
        seen.add(case)


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
