"""What a store costs beside SQLite, on the same records in one run: `python -m bench.stores POSTGRESQL-URL`.

The cost is CPU, of the client and of the server's processes together, so the server has to run on this machine. Its
process is found by its own answer. The database must be empty; what is written there stays. It is best measured as a
role that row-level security holds for: one that owns the database, has pg_checkpoint, and may set commit_delay and
commit_siblings. Each store is measured in a process of its own, and each writer is one. The stores take turns, batch by
batch and round by round, so that a load that changes meanwhile hits both; medians of the rounds are printed.
`--size 1000000` takes a few hours.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cortex import Cortex, settings, wiring
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
COMMIT_MICROSECONDS = 3_000
WARM_UP = 10
ROUNDS = 5
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


class Embeddings:
    """Vectors of the corpus, at no cost of a model."""

    space = SPACE

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def embed_query(self, text: str) -> Vector:
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return [self._corpus.vector() for _ in texts]


class Cost:
    """CPU seconds of this process and of a server's processes."""

    def __init__(self, server: int | None) -> None:
        self._server = server
        if not Path("/proc/self/schedstat").exists():
            raise SystemExit("needs Linux with CONFIG_SCHED_INFO, which says how long a process was on a CPU")

    def now(self) -> float:
        return time.process_time() + (self._served() if self._server else 0.0)

    def _served(self) -> float:
        """Of the server, of its children that live, and of those that have ended."""
        assert self._server is not None
        ended = sum(map(int, _stat(self._server)[13:15])) / _TICK
        children = (int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal())
        return ended + sum(map(_seconds, (self._server, *(pid for pid in children if _parent(pid) == self._server))))

    def of(self, calls: Sequence[Callable[[], Any]]) -> float:
        """CPU milliseconds of each call."""
        before = self.now()
        for call in calls:
            call()
        return (self.now() - before) / len(calls) * 1_000


def _seconds(pid: int) -> float:
    """How long a process has been on a CPU: more exact than its ticks, of which there are a hundred in a second."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        return 0.0


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["", "-1", *["0"] * 20]


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _private_mb(pid: int) -> float:
    """The memory that a process shares with nobody."""
    found = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("RssAnon")]
    return int(found[0].split()[1]) / 1_024


def opened(home: Path, url: str) -> Store:
    return wiring.Stores(home, settings.load(home, {"store": {"url": url}})).open("main")


Measurement = tuple[str, float]
"""What was measured, and the milliseconds of CPU or the megabytes it took."""


def measured(home: Path, url: str, server: int | None, size: int, times: int) -> Iterator[Measurement]:
    """One batch or round after the other; between them it is the other store's turn."""
    corpus, store, cost = Corpus(size), opened(home, url), Cost(server)
    for batch in corpus.changes():
        before = cost.now()
        store.apply(OWNER, batch, at=AT)
        yield "write, each of many, CPU ms", (cost.now() - before) * 1_000 * 2 / len(batch)
    yield from _rounds("remember, stored", cost, _remembers(store, corpus, size, times), times)
    with Cortex(home, user=OWNER.user, settings={"store": {"url": url}}, embedder=Embeddings(corpus)) as memory:
        texts = [corpus.text(20) for _ in range(times + WARM_UP)]
        yield from _rounds("remember, whole", cost, [partial(_remember_whole, memory, text) for text in texts], times)
    store.maintain()
    if server is not None:
        _checkpoint(url)
    asked = [(query_terms(corpus.text(8)), corpus.vector()) for _ in range(times + WARM_UP)]
    within = {"everything": Filter(), "largest scope": Filter(scopes=frozenset({"scope0"})),
              "small scope": Filter(scopes=frozenset({f"scope{SCOPES - 1}"}))}  # fmt: skip
    for where, filter in within.items():
        yield from _rounds(f"recall, {where}", cost, [partial(_recall, store, filter, *each) for each in asked], times)
    # Right after a checkpoint, each page that is written goes to the log whole.
    again = _remembers(store, corpus, size + times + WARM_UP, times)
    yield from _rounds("remember after a checkpoint, stored", cost, again, times)
    yield "memory of the client, MB", _private_mb(os.getpid())
    if server is not None:
        yield "memory of its server process, MB", max(map(_private_mb, _sessions(server)))
    store.close()


def _remembers(store: Store, corpus: Corpus, first: int, times: int) -> list[Callable[[], None]]:
    numbers = range(first, first + times + WARM_UP)
    return [partial(_remember, store, corpus.turn(number), corpus.vector()) for number in numbers]


def _rounds(what: str, cost: Cost, calls: Sequence[Callable[[], Any]], times: int) -> Iterator[Measurement]:
    """The calls in rounds, after the first ones: by then statements are prepared."""
    for call in calls[:WARM_UP]:
        call()
    each = max(1, times // ROUNDS)
    for start in range(WARM_UP, len(calls), each):
        yield f"{what}, CPU ms", cost.of(calls[start : start + each])


_measuring: Iterator[Measurement]
"""Of the store that this process measures."""


def _begin(home: Path, url: str, server: int | None, size: int, times: int) -> None:
    global _measuring
    _measuring = measured(home, url, server, size, times)


def _next() -> Measurement | None:
    return next(_measuring, None)


Rounds = dict[str, list[float]]
"""What was measured, round by round."""


def in_turns(stores: Mapping[str, Callable[[], Measurement | None]]) -> dict[str, Rounds]:
    """Ask each store for its next measurement in turn, until none has any."""
    found: dict[str, Rounds] = {name: defaultdict(list) for name in stores}
    left = dict(stores)
    while left:
        for name, ask in list(left.items()):
            if (measurement := ask()) is None:
                del left[name]
            else:
                found[name][measurement[0]].append(measurement[1])
    return found


def _recall(store: Store, filter: Filter, terms: Sequence[QueryTerm], vector: Vector) -> None:
    with store.view(OWNER) as view:
        matches = [*view.keywords(terms, filter, TOP), *view.nearest(vector, SPACE, filter, TOP)]
        view.load([match.id for match in matches])


def _remember(store: Store, turn: Turn, vector: Vector) -> None:
    store.apply(OWNER, [Put(turn, EventKind.SAID), Embed(turn.id, SPACE, (vector,))], at=AT)


def _remember_whole(memory: Cortex, text: str) -> None:
    """What somebody calls who remembers a statement: compared with what is known, with its receipt."""
    memory.remember(text)
    memory.flush()


def _sessions(server: int) -> list[int]:
    children = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()]
    names = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children if _parent(pid) == server}
    return [pid for pid, name in names.items() if b" idle" in name]


def writers(home: Path, url: str, times: int, how: str = "") -> Iterator[Measurement]:
    """Writes in a second by the clock: one writer, and eight of eight users at once. Each is a process."""
    fresh = multiprocessing.get_context("spawn")
    for round in range(ROUNDS):
        rates = []
        for count in (1, WRITERS):
            with fresh.Manager() as manager, ProcessPoolExecutor(count, mp_context=fresh) as pool:
                start = manager.Barrier(count)
                first = 100 * round + 10 * count
                spans = list(pool.map(partial(_write, home, url, times, start), range(first, first + count)))
            rates.append(count * times / (max(end for _, end in spans) - min(begin for begin, _ in spans)))
            yield f"writes a second{how}, writers: {count}", rates[-1]
        yield f"writes a second{how}, eight to one", rates[1] / rates[0]


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


def writers_waiting(home: Path, url: str, times: int) -> Rounds:
    """Writers of a server whose commits take as long as on a disk across a network.

    Where a disk is fast, one writer and the server already keep two cores busy, and more writers cannot be faster.
    """
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        (name,) = connection.execute("SELECT quote_ident(current_database())").fetchone() or ("",)
        for setting, value in (("commit_delay", COMMIT_MICROSECONDS), ("commit_siblings", 0)):
            connection.execute(f"ALTER DATABASE {name} SET {setting} = {value}")
        try:
            how = f", commits of {COMMIT_MICROSECONDS // 1_000} ms"
            return in_turns({"": partial(next, writers(home, url, times, how), None)})[""]
        finally:
            connection.execute(f"ALTER DATABASE {name} RESET ALL")


def conditions(url: str) -> str:
    """What of a server and of a role changes the figures."""
    import psycopg

    with psycopg.connect(url) as connection:
        version, buffers, fsync, is_walled = connection.execute(
            "SELECT current_setting('server_version'), current_setting('shared_buffers'), current_setting('fsync'),"
            " NOT (rolsuper OR rolbypassrls) FROM pg_roles WHERE rolname = current_user"
        ).fetchone() or ("", "", "", False)
    walled = "in force" if is_walled else "passed by"
    return f"PostgreSQL {version}, shared_buffers {buffers}, fsync {fsync}, row-level security {walled}"


def _checkpoint(url: str) -> None:
    """Have the server write to its disk what it was given, so that nothing else pays for it."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.stores", description=__doc__)
    parser.add_argument("url", help="an empty PostgreSQL database on this machine")
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    urls = {"sqlite": ("sqlite:", None), "postgresql": (chosen.url, server_of(chosen.url))}
    fresh = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        home, asks = Path(folder), {}
        with ExitStack() as stack:
            for name, (url, server) in urls.items():
                alone = stack.enter_context(ProcessPoolExecutor(1, mp_context=fresh))
                alone.submit(_begin, home, url, server, chosen.size, chosen.times).result()
                asks[name] = partial(_asked, alone)
            results = in_turns(asks)
        rates = in_turns(
            {name: partial(next, writers(home, url, chosen.times), None) for name, (url, _) in urls.items()}
        )
        rates["postgresql"] |= writers_waiting(home, chosen.url, chosen.times)
    for name, found in rates.items():
        results[name] |= found
    mine, others = results["sqlite"], results["postgresql"]
    if chosen.json:
        print(
            json.dumps(
                {what: {"sqlite": mine.get(what), "postgresql": other} for what, other in others.items()}, indent=2
            )
        )
        return
    print(f"| {chosen.size:,} turns | SQLite | PostgreSQL | ratio |\n| --- | --- | --- | --- |")
    for what, other in others.items():
        print(f"| {what} | {' | '.join(_beside(mine.get(what), other))} |")
    print(f"\n{conditions(chosen.url)}, {os.cpu_count()} cores")


def _asked(alone: ProcessPoolExecutor) -> Measurement | None:
    return alone.submit(_next).result()


def _beside(own: Sequence[float] | None, other: Sequence[float]) -> tuple[str, str, str]:
    """The medians of both, and the median of the ratios of the rounds, with the smallest and the largest."""
    if own is None:
        return "–", f"{statistics.median(other):.2f}", "–"
    ratios = sorted(its / mine for mine, its in zip(own, other, strict=True))
    span = f" ({ratios[0]:.2f} to {ratios[-1]:.2f})" if len(ratios) > 1 else ""
    return f"{statistics.median(own):.2f}", f"{statistics.median(other):.2f}", f"{statistics.median(ratios):.2f}{span}"


if __name__ == "__main__":
    main()
