"""The browser, the servers and the sample that the tests of the dashboard share.

What needs a browser is imported where it is used: without one the tests are skipped, and this file is read anyway.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack
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


class _Open:
    """One browser and one page for all tests of this folder.

    Not for the session: while a browser is there, nothing else may run an event loop.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._browser: Browser | None = None
        self._tab: Tab | None = None

    def browser(self, chromium: str) -> Browser:
        import browsing
        from playwright.sync_api import sync_playwright

        if self._browser is None:
            playwright = self._open.enter_context(sync_playwright())
            self._browser = self._open.enter_context(browsing.launched(playwright, chromium))
        return self._browser

    def tab(self, browser: Browser) -> Tab:
        import browsing

        if self._tab is None:
            self._tab = browsing.Tab(browser)
            self._open.callback(self._tab.close)
        return self._tab

    def close(self) -> None:
        self._browser = self._tab = None
        self._open.close()


_OPEN = _Open()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """The browser is closed after the last test of this folder."""
    try:
        return (yield)
    finally:
        if nextitem is None or nextitem.path.parent != Path(__file__).parent:
            _OPEN.close()


@pytest.fixture(scope="session")
def closed_at_the_end() -> Iterator[None]:
    """The browser is closed though the tests are stopped before their last."""
    yield
    _OPEN.close()


@pytest.fixture
def browser(chromium: str, closed_at_the_end: None) -> Browser:
    """The browser of all these tests."""
    return _OPEN.browser(chromium)


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


@pytest.fixture
def tab(browser: Browser) -> Tab:
    """One page on a desktop, for all; who leaves it leaves nothing."""
    return _OPEN.tab(browser)


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
