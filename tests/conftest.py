"""What every test may rely on: no setting of the machine reaches it, and a slow machine or disk fails nothing."""

from __future__ import annotations

import functools
import gc
import os
import shutil
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from cortex.providers import models
from cortex.settings import user_models
from cortex.stores.sqlite import connections
from new_databases import CREATED, Copies

# Every test finds the models in one place, whatever home it runs in, so they are fetched once.
os.environ.setdefault("CORTEX_MODELS", str(user_models()))
# Compiled files are kept, whatever the environment says: the tests start hundreds of processes.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

if TYPE_CHECKING:
    from scheduling import Together

for name, examples in {"cortex": 10, "soak": 1_000}.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
settings.load_profile("cortex")

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""What all tests together may need at once: environments with the package and its extras are the largest."""


def pytest_configure() -> None:
    """Folders of tests lie in memory where there is room: half the time of a small database is spent on its disk."""
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """The garbage collector leaves the tests alone: to look at all of them again takes it half a second each time."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together | None:
    """Tests that share something expensive share a worker."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from scheduling import Together

    return Together(config, log)


@pytest.fixture(scope="session", autouse=True)
def plain_environment() -> Iterator[None]:
    """The operator's own `CORTEX_…` variables do not reach the tests; only the models are shared."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("CORTEX_") and name != "CORTEX_MODELS":
                patch.delenv(name)
        # No hook leaves a server behind, apart from the test of that.
        patch.setenv("CORTEX_HOOKS__START_SERVER", "false")
        yield


@pytest.fixture
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting comes from the environment."""
    monkeypatch.delenv("CORTEX_HOOKS__START_SERVER")


@pytest.fixture(scope="session", autouse=True)
def shared_certificates() -> Iterator[None]:
    """The certificates of this machine are read once, not for every HTTP client: that takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_digests() -> Iterator[None]:
    """The shared model files, which no test changes, are read to the end once; any other file as often as asked."""
    shared, read = Path(os.environ["CORTEX_MODELS"]), models.sha256_of
    once = functools.cache(read)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "sha256_of", lambda path: (once if path.is_relative_to(shared) else read)(path))
        yield


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    return Copies(tmp_path_factory.mktemp("databases"), connections._make_private)


@pytest.fixture(scope="module", autouse=True)
def new_databases(request: pytest.FixtureRequest, copies: Copies) -> Iterator[None]:
    """A new database is a copy of one that Cortex created, apart from tests of that."""
    with pytest.MonkeyPatch.context() as patch:
        if not request.node.nodeid.startswith(CREATED):
            patch.setattr(connections, "_make_private", copies)
        yield
