"""`cortex serve` under load: many hosts at once over a large store, beside a bare FastAPI route in the same run.

python -m bench.serving                  64 clients for 60 seconds, 100,000 memories
python -m bench.serving --quick          16 clients for 5 seconds, 5,000 memories
python -m bench.serving --home HOME      over a store that `bench.recall_speed` created, which is left as it is
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from rich.console import Console

from bench import datasets
from bench.corpus import Question, SyntheticEmbedder, load
from bench.recall_speed import GrowingStore
from bench.results import Result, Row, print_results
from cortex import Cortex
from cortex import settings as configuration
from cortex.settings import HookSettings

_SOURCES = Path(__file__).parents[1]
DEADLINE_MS = HookSettings().deadline_ms
_AFTER_EVERY = 8
"""One in so many requests stores a turn, the others recall before one."""

_WARM_SECONDS = 3.0
_ALONE_SECONDS = 5.0
_BARE_SECONDS = 5.0
_SETTLED_SECONDS = 10.0
_MOST_GROWTH = 1.1
_MARGIN_SECONDS = 60.0
_IDLE_SHARE = 0.03
"""A server is idle that takes less of a core than this."""
_MOST_WAITS = 30


@dataclass(frozen=True, slots=True)
class Load:
    """The load."""

    clients: int
    seconds: float
    size: int


FULL = Load(64, 60.0, 100_000)
QUICK = Load(16, 5.0, 5_000)


def under_load(folder: Path, home: Path, models: Path, questions: Sequence[Question], load: Load) -> Iterator[Row]:
    """A copy of the store at `home`, served in a process of its own and called by another."""
    served = folder / "served"
    shutil.copytree(home, served)
    with Cortex(served, embedder=SyntheticEmbedder()) as engine:
        engine.run_due()  # the lifecycle of the day has run: it is not what is measured
    before, pairs = _before(questions), [(question.text, question.scope) for question in questions]
    with started(str(served), str(models)) as server:
        # The first answers wait for the model and the store to be loaded.
        _ask(server, before, 1, _WARM_SECONDS)
        alone = _ask(server, before, 1, _ALONE_SECONDS)
        memory = _Memory(server.pid)
        with memory.watched():
            crowd = _ask(server, before, load.clients, load.seconds)
    with started("--bare", str(max(1, crowd["bytes"]))) as plain:
        bare = _ask(plain, {"path": "/bare", "questions": pairs, "after_every": 0}, load.clients, _BARE_SECONDS)
    yield from _results(load, alone, crowd, bare, memory, model=server.model)


def crowd(
    sources: Path, home: Path, models: Path, questions: Sequence[Question], clients: int, seconds: float,
    deadline_ms: int = DEADLINE_MS,
) -> dict[str, Any]:  # fmt: skip
    """What so many clients are answered by the server of a source tree, over the store at `home`; and what it took.

    No question's vector is kept: clients ask each more than once.
    """
    settings = {"CORTEX_EMBEDDING__CACHE_ENTRIES": "0", "CORTEX_HOOKS__DEADLINE_MS": str(deadline_ms)}
    with started(str(home), str(models), sources=sources, settings=settings) as server:
        _ask(server, _before(questions), 1, _WARM_SECONDS)
        _wait_until_idle(server.pid)
        began = _processor_seconds(server.pid)
        answers = _ask(server, _before(questions), clients, seconds)
        return {**answers, "processor seconds": _processor_seconds(server.pid) - began}


def _before(questions: Sequence[Question]) -> dict[str, Any]:
    pairs = [(question.text, question.scope) for question in questions]
    return {"path": "/v1/turns/before", "questions": pairs, "after_every": _AFTER_EVERY}


def _results(
    load: Load, alone: Mapping[str, Any], crowd: Mapping[str, Any], bare: Mapping[str, Any], memory: _Memory, *,
    model: bool,
) -> Iterator[Row]:  # fmt: skip
    what = f"{load.clients} clients, {load.size:,}"
    taken, outcomes = np.array(crowd["milliseconds"]), crowd["outcomes"]
    answers = len(taken) + sum(crowd["after"].values())
    rate, bare_rate = answers / load.seconds, len(bare["milliseconds"]) / _BARE_SECONDS
    yield Result(
        f"before a turn, {what}, p99", float(np.percentile(taken, 99)), unit="ms", limit=float(DEADLINE_MS),
        detail={
            "p50": round(float(np.percentile(taken, 50)), 1),
            "p95": round(float(np.percentile(taken, 95)), 1),
            "alone p50": round(float(np.percentile(alone["milliseconds"], 50)), 1),
            "alone p95": round(float(np.percentile(alone["milliseconds"], 95)), 1),
        },
    )  # fmt: skip
    yield Result(
        f"answered in full, {what}", 100 * outcomes.get("in full", 0) / max(1, len(taken)), unit="%",
        detail={
            "in full /s": round(outcomes.get("in full", 0) / load.seconds, 1),
            **{reason: number for reason, number in sorted(outcomes.items()) if reason != "in full"},
        },
    )  # fmt: skip
    yield Result(
        f"requests a second beside a bare route, {what}", rate / bare_rate,
        detail={"ours /s": round(rate, 1), "bare /s": round(bare_rate, 1), "with model": model},
    )  # fmt: skip
    errors = {
        **crowd["errors"],
        **{f"after: {reason}": n for reason, n in crowd["after"].items() if reason != "in full"},
    }
    yield Result(f"errors, {what}", float(sum(crowd["errors"].values())), unit="", limit=0.0, detail=errors)
    yield Result(
        f"memory at the end beside that after {_SETTLED_SECONDS:g} s, {what}", memory.end / memory.settled,
        limit=_MOST_GROWTH,
        detail={"start MB": memory.start, "settled MB": memory.settled, "end MB": memory.end},
    )  # fmt: skip


# --- processes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Server:
    url: str
    pid: int
    model: bool


@contextmanager
def started(
    *arguments: str, sources: Path = _SOURCES, settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[_Server]:
    """A server of a source tree that runs until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "bench.serving_server", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**environment(sources), **settings},
        text=True,
    )
    try:
        assert process.stdout is not None
        payload = json.loads(process.stdout.readline())
        yield _Server(payload["url"], payload["pid"], payload.get("model", False))
    finally:
        process.terminate()
        process.wait(_MARGIN_SECONDS)


def _ask(server: _Server, what: Mapping[str, Any], clients: int, seconds: float) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.serving_clients"],
        input=json.dumps({**what, "url": server.url, "clients": clients, "seconds": seconds}),
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=seconds + _MARGIN_SECONDS,
    )
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def environment(sources: Path = _SOURCES, bench: Path | None = None) -> dict[str, str]:
    """For a process that runs the sources of a tree, with its own benches or those of another."""
    paths = [str(bench or sources), str(sources / "src"), *sys.path]
    return dict(os.environ) | {"PYTHONPATH": os.pathsep.join(paths)}


def _family(pid: int) -> list[int]:
    """A process and its children."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")  # each thread has those it started
    return [pid, *(int(child) for task in tasks for child in task.read_text("ascii").split())]


def _processor_seconds(pid: int) -> float:
    """How long a process and its children have run, on whichever core."""
    # What stands before the last parenthesis is the name of the program, which may hold anything.
    items = [Path(f"/proc/{each}/stat").read_text("ascii").rpartition(")")[2].split() for each in _family(pid)]
    return sum(int(fields[11]) + int(fields[12]) for fields in items) / os.sysconf("SC_CLK_TCK")


def _wait_until_idle(pid: int) -> None:
    """Until its workers are warm and what the first turns left to the background is done, but not forever."""
    for _ in range(_MOST_WAITS):
        began = _processor_seconds(pid)
        time.sleep(1.0)
        if _processor_seconds(pid) - began < _IDLE_SHARE:
            return


class _Memory:
    """How much memory a process and its children have, in MB: at first, after a while, and at the end."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.start = self.settled = self.end = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        self.start = self.settled = self._now()
        timer = threading.Timer(_SETTLED_SECONDS, self._settle)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self.end = self._now()

    def _settle(self) -> None:
        self.settled = self._now()

    def _now(self) -> float:
        items = [Path(f"/proc/{pid}/status").read_text("ascii") for pid in _family(self._pid)]
        return round(sum(int(status.partition("VmRSS:")[2].split()[0]) for status in items) / 1_024, 1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.serving", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="few clients, a small store, a few seconds")
    parser.add_argument("--home", type=Path, help="a store that is there already, made by bench.recall_speed")
    parser.add_argument("--sets", type=Path, default=datasets.folder(), help=datasets.HELP)
    parser.add_argument("--dir", type=Path, help="where the store is made")
    parser.add_argument("--models", type=Path, default=configuration.models_home(configuration.default_home()))
    given = parser.parse_args(arguments)
    chosen = QUICK if given.quick else FULL
    corpus = load(given.sets)
    console = Console(width=None if sys.stdout.isatty() else 150)
    with tempfile.TemporaryDirectory(prefix="cortex-serving-", dir=given.dir) as name:
        folder = Path(name)
        home = given.home
        if home is None:
            started = time.perf_counter()
            store = GrowingStore(folder, corpus)
            store.grow(chosen.size, lambda *_: None)
            store.close()
            home = store.home
            console.print(f"[dim]{chosen.size:,} remembered in {time.perf_counter() - started:.0f} s, querying")
        print_results(list(under_load(folder, home, given.models, corpus.questions, chosen)), console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
