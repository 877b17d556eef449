"""The pictures of the dashboard in the docs: `make screenshots` takes them anew, of the sample in examples/sample.

Content and time are always the same. Letters are drawn with the fonts of the machine; fonts-inter, fonts-noto-cjk and
fonts-noto-color-emoji have all that are needed.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlencode

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from cortex import Cortex
from cortex.access.tokens import Tokens
from cortex.domain.canary import CanaryState
from cortex.domain.lanes import Lane
from cortex.domain.trace import Trace
from cortex.ports.store import Filter
from cortex.settings import FILE_NAME
from cortex.stores.file_documents import FileDocuments
from cortex.surfaces.http.app import create_app
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.server import HttpServer, address_of, listen

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "examples"))

import sample  # noqa: E402

HOME = Path(".cortex")
NOW = datetime(2026, 11, 16, 17, 0, tzinfo=UTC)
WIDE: ViewportSize = {"width": 1280, "height": 860}
PHONE: ViewportSize = {"width": 390, "height": 844}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
MOST_BYTES = 250_000
COLORS = 256
ASKED = "how do we deploy?"
PERSON = "Tomasz"
ATTEMPTS = 8
ANSWERED, SILENT = 64, 16
"""How many questions the golden set of the canary has."""
# No scheduled run follows these rules, as nobody has applied them.
RULES = """
[[retention]]
scope = "support"
keep = "14d"
then = "erase"

[[retention]]
lane = "sessions"
keep = "45d"
then = "erase"
"""


class Since:
    """A clock that stood at a time when it was made, and goes on from there."""

    def __init__(self, now: datetime) -> None:
        self._began, self._now = time.monotonic(), now

    def now(self) -> datetime:
        return self._now + timedelta(seconds=time.monotonic() - self._began)

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(frozen=True)
class View:
    """One page to take a picture of."""

    name: str
    route: str
    click: str = ""
    """A button to be pressed before."""
    fill: Mapping[str, str] = field(default_factory=dict)
    """What is written into fields before that, by their labels."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, default=ROOT / "docs" / "screenshots", help="where to put them")
    parser.add_argument("--embedder", choices=("local", "none"), default="local", help="`none` needs no model")
    parser.add_argument("--only", metavar="NAME", help="the pictures of this view alone")
    given = parser.parse_args()
    into: Path = given.into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    with _elsewhere(), _served(given.embedder) as (engine, url), _browser() as browser:
        for view in _views(engine):
            if given.only not in (None, view.name):
                continue
            now = engine.context.clock.now()
            if given.only is None and view.name == "overview":
                _write(into / "phone.png", _taken(browser, url, view, "light", PHONE, now=now, scale=2))
            for scheme in SCHEMES:
                _write(into / f"{view.name}-{scheme}.png", _taken(browser, url, view, scheme, WIDE, now=now))


@contextmanager
def _elsewhere() -> Iterator[None]:
    """In an empty folder, so that no path of this machine is in a picture."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@contextmanager
def _served(embedder: str) -> Iterator[tuple[Cortex, str]]:
    """A server over the sample, at the end of its sixty days."""
    sample.fill(HOME, until=NOW, embedder=embedder, is_well=True)
    with (HOME / FILE_NAME).open("a", encoding="utf-8") as settings:
        settings.write(RULES)
    options = ServeOptions(port=0)
    clock = Since(NOW)
    with Cortex(HOME, clock=clock) as engine:
        bound = listen(options)
        started = threading.Event()
        server = HttpServer(create_app(engine, Tokens(FileDocuments(HOME), clock), options), options, started.set)
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        try:
            if not started.wait(30):
                raise SystemExit("the server did not start")
            yield engine, address_of(bound)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _browser() -> Iterator[Browser]:
    chromium = os.environ.get("CORTEX_CHROMIUM") or shutil.which("chromium")
    if not chromium:
        raise SystemExit("there is no Chromium: run `make debian`, or name one with CORTEX_CHROMIUM")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        try:
            yield browser
        finally:
            browser.close()


def _views(engine: Cortex) -> Iterator[View]:
    """The pages in an order in which what one needs is not seen in those before it."""
    told = engine.list(Filter(scopes=frozenset({"spoke"}), lanes=frozenset({Lane.MEMORIES})), limit=1_000)
    edited = next(memory for memory in told if "agreed to be canaries, for 30 minutes" in memory.text)
    asked = engine.recall(ASKED, scope="spoke")
    narrower = engine.recall(ASKED, scope="spoke", limit=2)
    engine.tag("before-the-review", reason="before the review of November")
    engine.remember("The review of November moved the audit to the first week of December", scope="spoke")
    engine.backup()
    engine.drill()
    yield View("overview", "#/")
    yield View("search", f"#/search?{urlencode({'q': ASKED})}", click="Why this?")
    yield View("inbox", "#/inbox")
    yield View("memories", "#/memories")
    longest = max(engine.conversations(limit=100), key=lambda each: (each.memories, each.turns))
    yield View("conversation", f"#/conversations/{quote(longest.session, safe='')}")
    yield View("files", "#/files")
    yield View("timeline", "#/timeline")
    yield View("memory", f"#/memory/{edited.id}")
    yield View("receipts", "#/receipts")
    yield View("receipt", f"#/receipts/{asked.receipt.id}")
    yield View("comparison", f"#/receipts/{asked.receipt.id}/compare/{narrower.receipt.id}")
    yield View("usage", "#/usage?days=90")
    yield View("drift", "#/drift")
    yield View("tag", "#/tags/before-the-review")
    yield View("backups", "#/backups")
    sample.spoil(HOME)
    engine.index()
    yield View("health", "#/health")
    _try_canary(engine, told)
    yield View("canary", "#/canary")
    engine.hold(scope="support", reason="until the audit of December is over", everyone=True)
    engine.hold(ids=[told[0].id], reason="case 7")
    yield View("retention", "#/retention")
    yield View("person", "#/person", fill={"Full name": PERSON}, click="Find")


def _try_canary(engine: Cortex, told: Sequence[Trace]) -> None:
    """Approve what recalls of the sample found, and let some sessions try another recipe."""
    for memory in told[:ANSWERED]:
        words = " ".join(memory.text.split()[:8])
        engine.mark_golden(engine.recall(f"{words}?", scope="spoke").receipt.id, expected=[memory.id])
    for number in range(SILENT):
        found = engine.recall(f"which aunt of the lighthouse keeper sails on day {number}?", scope="spoke")
        engine.mark_golden(found.receipt.id, silent=True)
    engine.build_golden()
    for _ in range(ATTEMPTS):
        found = engine.start_canary({"recall.recipe": "typed.v1"}).canary
        if found is not None and found.state is CanaryState.RUNNING:
            return
    raise SystemExit("the canary was refused, as it was slower than what is in force: the machine is busy, try again")


def _taken(
    browser: Browser, url: str, view: View, scheme: Scheme, size: ViewportSize, *, now: datetime, scale: int = 1
) -> bytes:
    context = browser.new_context(
        viewport=size,
        color_scheme=scheme,
        device_scale_factor=scale,
        locale="en-GB",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.clock.set_fixed_time(now)
    page.goto(f"{url}/{view.route}")
    _settled(page)
    for label, text in view.fill.items():
        page.get_by_label(label).fill(text)
    if view.click:
        page.get_by_role("button", name=view.click).first.click()
        _settled(page)
    picture = page.screenshot(animations="disabled")
    context.close()
    return picture


def _settled(page: Page) -> None:
    expect(page.locator("main h1").first).to_be_visible(timeout=30_000)
    expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=30_000)
    page.evaluate("() => document.fonts.ready")
    page.wait_for_timeout(400)


def _write(path: Path, picture: bytes) -> None:
    """As a small file: a picture of a page has few colors."""
    image: Any = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.quantize(COLORS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
    if (size := path.stat().st_size) > MOST_BYTES:
        raise SystemExit(f"{path.name} has {size:,} bytes, more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main()
