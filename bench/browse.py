"""How soon the table of memories shows its first rows: `python -m bench.browse`.

It fills a memory (100,000 statements), serves it, and opens the table in Chromium: from a dashboard that is open, in
every order and with words to filter by; and as the first page of a browser, with an empty cache and again. A row is
shown once the browser has laid it out and painted a frame. Beside it is what the route alone takes. The goal is a
median below 300 ms for the order that the table opens with, from an open dashboard and from a cold page.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import httpx
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from cortex import Cortex
from cortex.access.tokens import Tokens
from cortex.clock import SystemClock
from cortex.domain.memory import Draft, Kind
from cortex.domain.sorting import SortKey
from cortex.stores.file_documents import FileDocuments
from cortex.surfaces.http.app import create_app
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.server import HttpServer, address_of, listen

GOAL_MS = 300
QUIET_MS = 1_500
"""Before the next one is opened: the counts of the table before may still be on their way."""
SCREEN: ViewportSize = {"width": 1920, "height": 1080}
SEED = 7
BATCH = 5_000
WORDS = (
    "deploy key rotates staging server moved importer order workshop canary customer invoice plan release Monday "
    "ledger vector memory recall agent budget token index archive harbour signal window garden market letter station"
).split()
RARE = "zebra"
SCOPES = ("infra", "personal", "support", "ops", "research")
FROM = datetime(2023, 1, 1, tzinfo=UTC)

_SHOWN = """(hash) => new Promise((done) => {
  const began = performance.now();
  location.hash = hash;
  const look = () => {
    if (document.querySelector("tr[data-row]")) requestAnimationFrame(() => done(performance.now() - began));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


_FIRST_ROWS = """addEventListener("DOMContentLoaded", () => {
  const done = () => { window.firstRows = performance.now(); };
  const look = () => requestAnimationFrame(document.querySelector("tr[data-row]") ? done : look);
  look();
})"""

Figures = dict[str, float]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=100_000, help="memories in the store")
    parser.add_argument("--repeat", type=int, default=5, help="how often each table is opened")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with Cortex(home, settings={"embedding": {"provider": "none"}}) as engine:
            began = time.perf_counter()
            _fill(engine, given.size)
            print(f"stored {given.size:,} memories in {time.perf_counter() - began:.0f} s", file=sys.stderr)
            with _served(engine, home) as url:
                tables, pages = _measured(url, given.repeat)
    first = {"open_dashboard": tables["sort by stored"]["first_rows_ms"]} | pages
    print(json.dumps({"memories": given.size, "tables": tables, "first_rows_ms": first, "goal_ms": GOAL_MS}, indent=1))
    return 0 if max(first.values()) < GOAL_MS else 1


def _fill(engine: Cortex, size: int) -> None:
    rng = random.Random(SEED)
    kinds = list(Kind)
    for start in range(0, size, BATCH):
        engine.remember_all(
            (
                Draft(
                    text=f"Note {number}: {' '.join(rng.choices(WORDS, k=25))}{'' if number % 9_973 else f' {RARE}'}",
                    kind=rng.choice(kinds), scope=rng.choice(SCOPES), importance=round(rng.random(), 2),
                    confidence=round(rng.random(), 2), tags=(rng.choice(WORDS),), topic=rng.choice(WORDS),
                    created_at=FROM + timedelta(minutes=rng.randrange(1_500_000)),
                )
                for number in range(start, min(start + BATCH, size))
            ),
            embed=False,
        )  # fmt: skip


@contextmanager
def _served(engine: Cortex, home: Path) -> Iterator[str]:
    options = ServeOptions(port=0)
    bound, started = listen(options), threading.Event()
    server = HttpServer(create_app(engine, Tokens(FileDocuments(home), SystemClock()), options), options, started.set)
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        if not started.wait(60):
            raise SystemExit("the server did not start")
        yield address_of(bound)
    finally:
        server.should_exit = True
        thread.join()


def _measured(url: str, repeat: int) -> tuple[dict[str, Figures], Figures]:
    """What each table takes in an open dashboard, and the table as the first page of a browser."""
    tables = {f"sort by {key}": {"sort": f"-{key}"} for key in SortKey}
    tables |= {"a common word": {"contains": "deploy"}, "a rare word": {"contains": RARE}, "one tag": {"tag": WORDS[3]}}
    chromium = os.environ.get("CORTEX_CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if not chromium:
        raise SystemExit("there is no Chromium: run `make debian`, or name one with CORTEX_CHROMIUM")
    found: dict[str, Figures] = {}
    with sync_playwright() as playwright, httpx.Client(base_url=url, timeout=60) as client:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        pages = _first_pages(browser, url, repeat)
        print(pages, file=sys.stderr)
        page = browser.new_page(viewport=SCREEN)
        page.goto(f"{url}/")
        page.wait_for_selector("main h1")
        for name, query in tables.items():
            found[name] = {
                "first_rows_ms": _median(repeat, partial(_opened, page, query)),
                "route_ms": _median(repeat, partial(_fetched, client, query)),
            }
            print(f"{name}: {found[name]}", file=sys.stderr)
        browser.close()
    return found, pages


def _first_pages(browser: Browser, url: str, repeat: int) -> Figures:
    """From the address to the first rows: with an empty cache, and with what the first visit left in it."""
    times: dict[str, list[float]] = {"cold_page": [], "cached_page": []}
    for _ in range(repeat):
        context = browser.new_context(viewport=SCREEN)
        context.add_init_script(_FIRST_ROWS)
        for name, into in times.items():
            page = context.new_page()
            page.goto(f"{url}/#/memories")
            page.wait_for_function("() => window.firstRows")
            into.append(float(page.evaluate("() => window.firstRows")))
            page.wait_for_timeout(QUIET_MS)
            page.close()
            print(f"{name}: {into[-1]:.0f} ms", file=sys.stderr)
        context.close()
    return {name: round(statistics.median(each), 1) for name, each in times.items()}


def _median(repeat: int, measure: Callable[[], float]) -> float:
    return round(statistics.median(measure() for _ in range(repeat)), 1)


def _opened(page: Page, query: dict[str, str]) -> float:
    """How long it takes from the address to the first rows, in milliseconds."""
    page.evaluate("() => { location.hash = '#/receipts'; }")
    page.wait_for_function("() => document.querySelector('main h1')?.textContent === 'Receipts'")
    page.wait_for_timeout(QUIET_MS)
    return float(page.evaluate(_SHOWN, f"#/memories?{urlencode(query)}"))


def _fetched(client: httpx.Client, query: dict[str, str]) -> float:
    began = time.perf_counter()
    client.get("/v1/memories", params={"limit": 100, "sort": "-stored", **query}).raise_for_status()
    return 1000 * (time.perf_counter() - began)


if __name__ == "__main__":
    sys.exit(main())
