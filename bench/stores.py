"""What a store costs beside SQLite, on the same records in one run: `python -m bench.stores POSTGRESQL-URL`.

The cost is CPU, of the client and of the server's processes together, so the server has to run on this machine. Its
process is found by its own answer. The database must be empty; what is written there stays. Each store is measured in a
process of its own, and each writer is one. `--size 1000000` takes a few hours.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cortex import settings, wiring
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.scope import Tenant
from cortex.domain.terms import QueryTerm, query_terms
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.ports.store import Change, Embed, Filter, Put, Store

AT = datetime(2026, 7, 1, tzinfo=UTC)
OWNER = Tenant(user="owner")
SPACE = EmbeddingSpace("fake", "clusters", 384)
WORDS = 60_000
SCOPES = 67
WRITERS = 8
WARM_UP = 10
TOP = 50
_BATCH = 1_000
_TICK = os.sysconf("SC_CLK_TCK")


class Corpus:
    """Turns of words used as unevenly as those of a language, in scopes of uneven size, with vectors in clusters."""

    def __init__(self, size: int, seed: int = 7) -> None:
        self.size = size
        self._chance = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        ranks = np.arange(1, WORDS + 1)
        self._words = np.cumsum(1 / ranks) / np.sum(1 / ranks)
        scopes = 1 / np.arange(1, SCOPES + 1)
        self._scopes = np.cumsum(scopes) / scopes.sum()
        self._centres = self._numbers.normal(size=(200, SPACE.dimension))

    def text(self, length: int) -> str:
        return " ".join(f"word{rank}" for rank in np.searchsorted(self._words, self._numbers.random(length)))

    def turn(self, number: int) -> Turn:
        scope = int(np.searchsorted(self._scopes, self._chance.random()))
        return Turn(
            id=TraceId(format_uuid7(1_700_000_000_000 + number, number)), text=self.text(self._chance.randint(10, 30)),
            session=f"session {number // 40}", seq=number % 40, created_at=AT, scope=f"scope{scope}",
        )  # fmt: skip

    def vector(self) -> Vector:
        centre = self._centres[self._chance.randrange(len(self._centres))]
        near = centre + 0.6 * self._numbers.normal(size=SPACE.dimension)
        found: Vector = (near / np.linalg.norm(near)).astype(np.float32)
        return found

    def changes(self) -> Iterator[Sequence[Change]]:
        for start in range(0, self.size, _BATCH):
            turns = [self.turn(number) for number in range(start, min(self.size, start + _BATCH))]
            embeds = [Embed(turn.id, SPACE, (self.vector(),)) for turn in turns]
            yield [*(Put(turn, EventKind.SAID) for turn in turns), *embeds]


class Cost:
    """CPU seconds of this process and of a server's processes."""

    def __init__(self, server: int | None) -> None:
        self._server = server

    def now(self) -> float:
        return time.process_time() + (self._served() if self._server else 0.0)

    def _served(self) -> float:
        """Of the server, of its children that live, and of those that have ended."""
        assert self._server is not None
        total = sum(_ticks(self._server))
        for each in Path("/proc").iterdir():
            if each.name.isdecimal() and _parent(int(each.name)) == self._server:
                total += sum(_ticks(int(each.name))[:2])
        return total / _TICK

    def of(self, calls: Sequence[Callable[[], Any]]) -> float:
        """CPU milliseconds of each call after the first ones: by then statements are prepared."""
        for call in calls[:WARM_UP]:
            call()
        before = self.now()
        for call in calls[WARM_UP:]:
            call()
        return (self.now() - before) / len(calls[WARM_UP:]) * 1_000


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["", "-1", *["0"] * 20]


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _ticks(pid: int) -> tuple[int, int, int, int]:
    user, system, ended_user, ended_system = map(int, _stat(pid)[11:15])
    return user, system, ended_user, ended_system


def _private_mb(pid: int) -> float:
    """The memory that a process shares with nobody."""
    found = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("RssAnon")]
    return int(found[0].split()[1]) / 1_024


def opened(home: Path, url: str) -> Store:
    return wiring.Stores(home, settings.load(home, {"store": {"url": url}})).open("main")


def measured(home: Path, url: str, server: int | None, size: int, times: int) -> dict[str, float]:
    """Milliseconds of CPU by what was done, and megabytes at the end."""
    corpus, store, cost = Corpus(size), opened(home, url), Cost(server)
    found: dict[str, float] = {}
    spent = 0.0
    for batch in corpus.changes():
        before = cost.now()
        store.apply(OWNER, batch, at=AT)
        spent += cost.now() - before
    found["write, each of many, CPU ms"] = spent / size * 1_000
    new = [(corpus.turn(number), corpus.vector()) for number in range(size, size + times + WARM_UP)]
    found["remember, CPU ms"] = cost.of([partial(_remember, store, *each) for each in new])
    store.maintain()
    if server is not None:
        _checkpoint(url)
    asked = [(query_terms(corpus.text(8)), corpus.vector()) for _ in range(times + WARM_UP)]
    within = {"everything": Filter(), "largest scope": Filter(scopes=frozenset({"scope0"})),
              "small scope": Filter(scopes=frozenset({f"scope{SCOPES - 1}"}))}  # fmt: skip
    for where, filter in within.items():
        found[f"recall, {where}, CPU ms"] = cost.of([partial(_recall, store, filter, *each) for each in asked])
    # Right after a checkpoint, each page that is written goes to the log whole.
    new = [(corpus.turn(number), corpus.vector()) for number in range(size + len(new), size + 2 * len(new))]
    found["remember after a checkpoint, CPU ms"] = cost.of([partial(_remember, store, *each) for each in new])
    found["memory of the client, MB"] = _private_mb(os.getpid())
    if server is not None:
        found["memory of its server process, MB"] = max(map(_private_mb, _sessions(server)))
    store.close()
    return found


def _recall(store: Store, filter: Filter, terms: Sequence[QueryTerm], vector: Vector) -> None:
    with store.view(OWNER) as view:
        matches = [*view.keywords(terms, filter, TOP), *view.nearest(vector, SPACE, filter, TOP)]
        view.load([match.id for match in matches])


def _remember(store: Store, turn: Turn, vector: Vector) -> None:
    store.apply(OWNER, [Put(turn, EventKind.SAID), Embed(turn.id, SPACE, (vector,))], at=AT)


def _sessions(server: int) -> list[int]:
    children = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()]
    names = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children if _parent(pid) == server}
    return [pid for pid, name in names.items() if b" idle" in name]


def writers(home: Path, url: str, times: int) -> dict[str, float]:
    """Writes in a second by the clock: one writer, and eight of eight users at once. Each is a process."""
    rates = {}
    fresh = multiprocessing.get_context("spawn")
    for count in (1, WRITERS):
        with fresh.Manager() as manager, ProcessPoolExecutor(count, mp_context=fresh) as pool:
            start = manager.Barrier(count)
            numbers = range(10 * count, 11 * count)
            spans = list(pool.map(partial(_write, home, url, times, start), numbers))
        seconds = max(end for _, end in spans) - min(begin for begin, _ in spans)
        rates[f"writes a second, writers: {count}"] = count * times / seconds
    rates["writes a second, eight to one"] = (
        rates[f"writes a second, writers: {WRITERS}"] / rates["writes a second, writers: 1"]
    )
    return rates


def _write(home: Path, url: str, times: int, start: Any, number: int) -> tuple[float, float]:
    """When one writer began and ended, after all of them were ready."""
    tenant, corpus, store = Tenant(user=f"writer {number}"), Corpus(0), opened(home, url)
    turns = [corpus.turn(10_000_000 * (number + 1) + at) for at in range(times + WARM_UP)]
    for turn in turns[:WARM_UP]:
        store.apply(tenant, [Put(turn, EventKind.SAID)], at=AT)
    start.wait()
    begin = time.monotonic()
    for turn in turns[WARM_UP:]:
        store.apply(tenant, [Put(turn, EventKind.SAID)], at=AT)
    end = time.monotonic()
    store.close()
    return begin, end


def server_of(url: str) -> int:
    """The process of a server on this machine."""
    import psycopg

    with psycopg.connect(url) as connection:
        (backend,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        return _parent(int(backend))


def _checkpoint(url: str) -> None:
    """Have the server write to its disk what it was given, so that nothing else pays for it."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.stores", description=__doc__)
    parser.add_argument("url", help="an empty PostgreSQL database on this machine, as a role that may run CHECKPOINT")
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    results: dict[str, dict[str, float]] = {}
    fresh = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, url, server in (("sqlite", "sqlite:", None), ("postgresql", chosen.url, server_of(chosen.url))):
            with ProcessPoolExecutor(1, mp_context=fresh) as alone:
                results[name] = alone.submit(measured, home, url, server, chosen.size, chosen.times).result()
            results[name] |= writers(home, url, chosen.times)
    mine, others = results["sqlite"], results["postgresql"]
    table = {what: {"sqlite": mine.get(what), "postgresql": other} for what, other in others.items()}
    if chosen.json:
        print(json.dumps(table, indent=2))
        return
    print(f"| {chosen.size:,} turns | SQLite | PostgreSQL | ratio |\n| --- | --- | --- | --- |")
    for what, other in others.items():
        own = mine.get(what)
        beside = f"– | {other:.2f} | –" if own is None else f"{own:.2f} | {other:.2f} | {other / own:.2f}"
        print(f"| {what} | {beside} |")


if __name__ == "__main__":
    main()
