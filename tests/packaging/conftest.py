"""What the tests of the package share: it is built once, and installed once plainly and once with its extras.

The install with extras brings hundreds of megabytes, so that its tests are slow.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import environments
import pytest
from environments import Environment

from sweeps import sweep

EXTRAS = "all"


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all workers of this run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "packaging"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def built(workshop: Path) -> Iterator[Path]:
    """A folder with the source archive and the wheel."""
    with environments.shared(workshop / "built", environments.build) as folder:
        yield folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def sdist(built: Path) -> Path:
    (found,) = built.glob("*.tar.gz")
    return found


@pytest.fixture(scope="session", params=sweep(["linked", "installed"], ["linked"]))
def plain(request: pytest.FixtureRequest, workshop: Path, wheel: Path) -> Iterator[Path]:
    """An environment with the package as it is without any extra."""

    def make(folder: Path) -> None:
        if request.param == "linked":
            environments.link(folder, wheel)
        else:
            environments.make(folder, str(wheel))

    with environments.shared(workshop / f"plain-{request.param}", make) as folder:
        yield folder


@pytest.fixture(scope="session")
def full(workshop: Path, wheel: Path) -> Iterator[Path]:
    """An environment with the package and its extras."""
    requirement = f"{wheel}[{EXTRAS}]"
    with environments.shared(workshop / "full", lambda folder: environments.make(folder, requirement)) as folder:
        yield folder


@pytest.fixture
def plainly(plain: Path, tmp_path: Path) -> Environment:
    return Environment(plain, tmp_path)


@pytest.fixture
def fully(full: Path, tmp_path: Path) -> Environment:
    return Environment(full, tmp_path)
