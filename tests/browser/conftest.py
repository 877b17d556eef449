"""The browser, the servers and the sample that the tests of the dashboard share.

What needs a browser is imported where it is used: without one the tests are skipped, and this file is read anyway.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from browsing import Server, Tab, Visit
    from playwright.sync_api import Browser

    Opens = Callable[..., AbstractContextManager[Visit]]

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "sample.py"


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is. Where it is required and not there, this is what fails."""
    import browsing

    assert browsing.CHROMIUM, browsing.MISSING
    return browsing.CHROMIUM


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for a module. Not for the session: while it is there, nothing else may run an event loop."""
    import browsing
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, browsing.launched(playwright, chromium) as launched:
        yield launched


@pytest.fixture(scope="session")
def sample_home(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty days of an invented team, made once for all workers; each has a copy of its own."""
    import browsing

    mine = tmp_path_factory.mktemp("sample") / "home"
    shared = tmp_path_factory.getbasetemp()
    if shared.name.startswith("popen-"):
        shared = shared.parent
    with (shared / "sample.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made, done = shared / "sample-home", shared / "sample-done"
        if not done.exists():
            command = [sys.executable, str(SAMPLE), "--home", str(made), "--embedder", "none"]
            subprocess.run(command, check=True, env=browsing.environment())
            done.touch()
    shutil.copytree(made, mine)
    return mine


@pytest.fixture(scope="session")
def sample(sample_home: Path) -> Iterator[Server]:
    """A server over the sample, for every test that only adds to it."""
    import browsing

    with browsing.Server(sample_home) as server:
        yield server


@pytest.fixture
def fresh(chromium: str, tmp_path: Path) -> Iterator[Server]:
    """A server over a home with nothing in it."""
    import browsing

    with browsing.Server(tmp_path / "home") as server:
        yield server


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Tab]:
    """One page on a desktop, for a module; who leaves it leaves nothing."""
    import browsing

    one = browsing.Tab(browser)
    yield one
    one.close()


@pytest.fixture
def visit(tab: Tab, sample: Server) -> Iterator[Visit]:
    """A person before the sample, on a desktop."""
    with tab.visit(sample) as one:
        yield one


@pytest.fixture
def opened(browser: Browser) -> Opens:
    """Someone before a server, with options of the browser such as `viewport` and `color_scheme`."""
    import browsing

    def open_(server: Server, **options: Any) -> AbstractContextManager[Visit]:
        return browsing.visiting(browser, server, **options)

    return open_
