"""A real browser on a real server, and everything a page did on the way: what it requested, logged and broke."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from forking import PIPE, Forked

# Read when the tests are collected, before their environment is made plain.
# The shell is Chromium without a window, and takes a fifth less work for the same pages.
CHROMIUM = os.environ.get("CORTEX_CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
IS_REQUIRED = os.environ.get("CORTEX_REQUIRE_BROWSER", "") not in ("", "0")
MISSING = "there is no Chromium to drive: run `make debian`, or name one with CORTEX_CHROMIUM"
try:
    from axe_playwright_python.base import AXE_SCRIPT
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Dialog,
        Locator,
        Page,
        Playwright,
        Request,
        ViewportSize,
        expect,
    )
except ImportError as error:
    if IS_REQUIRED:
        raise
    pytest.skip(f"{error.name} is not installed: run `make debian`", allow_module_level=True)
if not (CHROMIUM or IS_REQUIRED):
    pytest.skip(MISSING, allow_module_level=True)

MODELS = os.environ["CORTEX_MODELS"]

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 20_000
"""A machine that is busy with other tests fails nothing here."""

DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

_SERIOUS = ("serious", "critical")
_CHECKED = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# Told by the browser itself, whatever the console shows of it.
_VIOLATIONS = """
window.__violations = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.__violations.push(`${event.violatedDirective} ${event.blockedURI}`));
"""

expect.set_options(timeout=PATIENCE_MS)


# --- the server -------------------------------------------------------------------------------------------------------


class Server:
    """`cortex serve` as a process of its own; it may be ended and started again at the same address."""

    def __init__(self, home: Path, *, embedder: str = "none") -> None:
        self.home = home
        self._embedder = embedder
        self._port = _free_port()
        self._process: Forked | None = None
        self.url = f"http://127.0.0.1:{self._port}"
        self.client = httpx.Client(base_url=self.url, timeout=30)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
        self.end(signal.SIGKILL)

    def start(self) -> None:
        command = ["-m", "cortex", "--home", str(self.home), "--json", "serve"]
        log = self.home.with_name(f"{self.home.name}.log")
        with log.open("ab") as written:
            self._process = Forked(
                [*command, "--port", str(self._port)],
                stdout=PIPE,
                stderr=written,
                env=environment(
                    CORTEX_EMBEDDING__PROVIDER=self._embedder,
                    # What runs beside a server is tested elsewhere, and each process would load the model.
                    CORTEX_SERVE__RECALL_PROCESSES="0",
                    CORTEX_SERVE__WORKER_PROCESS="false",
                ),
            )
        assert self._process.stdout is not None
        if not (said := self._process.stdout.readline()):
            self.end()
            raise AssertionError(f"the server did not start:\n{log.read_text('utf-8')[-2_000:]}")
        assert json.loads(said)["url"] == self.url

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, where it runs."""
        if self._process is None:
            return
        self._process.send_signal(how)
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """What the API answers."""
        return self._answered(self.client.get(path, params=query))

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        return self._answered(self.client.post(path, json=body))

    def remember(self, text: str, **fields: Any) -> str:
        """Remember a statement over the API; gives its id."""
        return str(self.post("/v1/memories", text=text, **fields)["memory"]["id"])

    def edit(self, id: str, **changes: Any) -> None:
        self._answered(self.client.patch(f"/v1/memories/{id}", json=changes))

    def forget(self, id: str) -> None:
        self._answered(self.client.delete(f"/v1/memories/{id}"))

    @staticmethod
    def _answered(response: httpx.Response) -> dict[str, Any]:
        assert response.is_success, response.text
        answer: dict[str, Any] = response.json()
        return answer


def environment(**variables: str) -> dict[str, str]:
    """The environment of a process that imports what the tests import."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_MODELS": MODELS} | variables


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


# --- the browser ------------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What a page did: where it sent requests, what it said on the console, what it broke."""

    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    pages: int = 0

    def forget(self) -> None:
        """Only the page that is there was seen."""
        for each in (self.requests, self.console, self.errors, self.dialogs):
            each.clear()
        self.pages = 1

    def strangers(self, origin: str) -> list[str]:
        """Requests that left for somewhere else."""
        return [url for url in self.requests if not url.startswith((f"{origin}/", "data:", "about:"))]


class Visit:
    """One page of the dashboard and its user."""

    def __init__(self, page: Page, server: Server, seen: Seen) -> None:
        self.page = page
        self.server = server
        self.seen = seen
        self.statuses: set[int] = set()
        """Answers of the server that this test provokes; the browser tells of each on its console."""
        self.is_alone = False
        """Whether the server goes away in this test."""

    # --- going about ---------------------------------------------------------------------------------

    def go(self, route: str = "#/") -> Visit:
        """Open a view, and wait until it shows what it has."""
        self.page.goto(f"{self.server.url}/{route}")
        return self.settled()

    def settled(self) -> Visit:
        """Once nothing is loading any more."""
        # Another view of the same page is only begun once it has noticed that its address changed.
        self.page.evaluate("() => new Promise((done) => setTimeout(done, 20))")
        expect(self.page.locator("main h1").first).to_be_visible()
        expect(self.page.locator("main [aria-busy=true], main[aria-busy=true]")).to_have_count(0)
        return self

    def link(self, name: str) -> Locator:
        """A link of the navigation."""
        return self.page.get_by_role("navigation", name="Main").get_by_role("link", name=name, exact=True)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def searchbox(self) -> Locator:
        return self.page.get_by_role("searchbox", name="Search memories")

    @property
    def hits(self) -> Locator:
        return self.page.locator("article[data-hit]")

    @property
    def dialog(self) -> Locator:
        return self.page.locator("dialog[open]")

    @property
    def focused(self) -> Locator:
        return self.page.locator("*:focus")

    def search(self, query: str) -> Visit:
        """As a person does it: go there, type, Enter."""
        self.link("Search").click()
        expect(self.searchbox).to_have_value("")  # the box of a search before it is gone
        self.searchbox.fill(query)
        self.searchbox.press("Enter")
        expect(self.page).to_have_url(re.compile(r"[?&]q="))
        return self.settled()

    def is_focused_in(self, container: Locator) -> bool:
        return bool(container.evaluate("(each) => each.contains(document.activeElement)"))

    # --- looking -------------------------------------------------------------------------------------

    def too_wide(self) -> list[str]:
        """What makes the page scroll sideways; nothing where it does not."""
        return list(
            self.page.evaluate(
                """() => {
                  const wide = document.documentElement.clientWidth;
                  if (document.documentElement.scrollWidth <= wide && document.body.scrollWidth <= wide) return [];
                  return [...document.querySelectorAll("body *")]
                    .filter((each) => each.getBoundingClientRect().right > wide + 1)
                    .map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 40)}`);
                }"""
            )
        )

    def findings(self) -> list[str]:
        """What axe finds serious or critical, each with its places."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        # Colours that still change are nobody's colours.
        self.page.wait_for_function(
            "() => !document.getAnimations().some((each) => each.effect.getComputedTiming().endTime !== Infinity)"
        )
        options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": _CHECKED}}
        found = self.page.evaluate("(options) => axe.run(document, options)", options)
        return [
            f"{each['id']} ({each['impact']}): {node['target']} {node['html'][:160]} {node.get('failureSummary', '')}"
            for each in found["violations"]
            if each["impact"] in _SERIOUS
            for node in each["nodes"]
        ]

    def violations(self) -> list[str]:
        """What the content security policy forbade."""
        return list(self.page.evaluate("() => window.__violations ?? []"))

    def complaints(self) -> Iterator[str]:
        """Everything that should never happen on any page, and did."""
        yield from (f"error: {each}" for each in self.seen.errors)
        yield from (f"dialog: {each}" for each in self.seen.dialogs)
        yield from (f"left the origin: {each}" for each in self.seen.strangers(self.server.url))
        yield from (f"forbidden: {each}" for each in self.violations())
        yield from (f"console: {each}" for each in self.seen.console if not self._is_expected(each))
        if self.seen.pages > 1:
            yield "another window was opened"

    def _is_expected(self, said: str) -> bool:
        if self.is_alone and "net::ERR_" in said:
            return True
        return any(f"status of {status} " in said for status in self.statuses)


class Tab:
    """A page that visitors follow each other on, each with an empty profile: a new one costs more than most visits."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        usual = {"viewport": DESKTOP, "locale": "en-GB", "timezone_id": "UTC", "reduced_motion": "reduce"}
        self._context = browser.new_context(**{**usual, **options})
        self._context.set_default_timeout(PATIENCE_MS)
        self._seen = _watched(self._context)
        self._page = self._context.new_page()

    def close(self) -> None:
        self._context.close()

    @contextmanager
    def visit(self, server: Server) -> Iterator[Visit]:
        """A visit, watched; at the end nothing may have happened that never should."""
        visit = Visit(self._page, server, self._seen)
        try:
            yield visit
            # Whatever a page does late is still its doing.
            complaints = list(visit.complaints())
            assert not complaints, "\n".join(complaints)
        finally:
            self._leave()

    def _leave(self) -> None:
        """Nothing stays for who comes next: no page, no storage, no cookie, no look, nothing that was noticed."""
        for other in self._context.pages:
            if other != self._page:
                other.close()
        if self._page.url.startswith("http"):
            self._page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self._context.clear_cookies()
        self._page.goto("about:blank")
        self._page.set_viewport_size(DESKTOP)
        self._page.emulate_media(color_scheme="light")
        self._seen.forget()


@contextmanager
def visiting(browser: Browser, server: Server, **options: Any) -> Iterator[Visit]:
    """A visit on a page of its own, with options of the browser."""
    tab = Tab(browser, **options)
    try:
        with tab.visit(server) as visit:
            yield visit
    finally:
        tab.close()


def _watched(context: BrowserContext) -> Seen:
    seen = Seen()

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            seen.console.append(f"{message.type}: {message.text} {_place(message)}")

    def on_request(request: Request) -> None:
        seen.requests.append(request.url)

    def on_dialog(dialog: Dialog) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    def on_page(page: Page) -> None:
        seen.pages += 1
        page.on("dialog", on_dialog)

    context.on("console", on_console)
    context.on("request", on_request)
    context.on("weberror", lambda error: seen.errors.append(str(error.error)))
    context.on("page", on_page)
    context.add_init_script(_VIOLATIONS)
    return seen


def _place(message: ConsoleMessage) -> str:
    return urlsplit(message.location.get("url", "")).path


@contextmanager
def launched(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    """Chromium, headless."""
    browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
    try:
        yield browser
    finally:
        browser.close()
