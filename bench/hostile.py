"""`cortex serve` while some of its clients send hostile texts, beside the same clients without them, in one run.

python -m bench.hostile                  32 clients over 20,000 memories, four phases of 15 seconds
python -m bench.hostile --quick          the same over 2,000 memories, four phases of 5 seconds
python -m bench.hostile --home HOME      over a store that `bench.recall_speed` created, which is left as it is
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bench import datasets
from bench.corpus import Question, SyntheticEmbedder, load
from bench.mixed_clients import HOSTILE, PATIENCE
from bench.recall_speed import GrowingStore
from bench.results import Result, Row, print_results
from bench.serving import environment, started
from cortex import Cortex
from cortex import settings as configuration

_WARM_SECONDS = 3.0
_SETTLE_SECONDS = 1.0
_MOST_SLOWER = 3.0


@dataclass(frozen=True, slots=True)
class Load:
    """The load: in turn without and with hostile texts, each phase for so long."""

    clients: int
    phase_seconds: float
    size: int

    @property
    def phases(self) -> list[tuple[bool, float]]:
        return [(hostile, self.phase_seconds) for hostile in (False, True, False, True)]


FULL = Load(32, 15.0, 20_000)
QUICK = Load(32, 5.0, 2_000)


def beside_hostile_texts(
    folder: Path, home: Path, models: Path, questions: Sequence[Question], load: Load
) -> Iterator[Row]:
    """A copy of the store at `home`, served in a process of its own and called by another."""
    served = folder / "attacked"
    shutil.copytree(home, served)
    with Cortex(served, embedder=SyntheticEmbedder()) as engine:
        engine.run_due()  # the lifecycle of the day has run: it is not what is measured
    pairs = [(question.text, question.scope) for question in questions]
    with started(str(served), str(models)) as one:
        _ask(one.url, pairs, load.clients, [(False, _WARM_SECONDS)])
        answers = _ask(one.url, pairs, load.clients, load.phases)
    yield from _results(load, answers)


def _results(load: Load, payload: Mapping[str, Any]) -> Iterator[Row]:
    what = f"{load.clients} clients, {load.size:,}"
    quiet, hostile = payload["quiet"], payload["hostile"]
    p99 = {name: float(np.percentile(payload[name]["health"], 99)) for name in payload}
    yield Result(
        f"/health while {HOSTILE} send hostile texts beside without, {what}, p99", p99["hostile"] / p99["quiet"],
        limit=_MOST_SLOWER,
        detail={
            f"{name} {share}": round(float(np.percentile(payload[name]["health"], number)), 1)
            for name in payload
            for share, number in (("p50", 50), ("p99", 99), ("max", 100))
        },
    )  # fmt: skip
    wrong = {f"{name}: {what}": n for name in payload for what, n in payload[name]["wrong"].items()}
    yield Result(
        f"answers of 500 and more but busy, {what}", float(sum(wrong.values())), unit="", limit=0.0, detail=wrong
    )
    for name, tally in (("quiet", quiet), ("hostile", hostile)):
        yield Result(
            f"answers, {name}, {what}", sum(tally["statuses"].values()) / (load.phase_seconds * 2), unit="/s",
            detail={
                **dict(sorted(tally["statuses"].items())),
                "hostile": tally["attacks"],
                "slowest": _slowest(tally["slowest"]),
            },
        )  # fmt: skip


def _slowest(routes: Mapping[str, int]) -> str:
    route, took = max(routes.items(), key=lambda each: each[1])
    return f"{route} {took} ms"


def _ask(
    url: str, questions: Sequence[tuple[str, str]], clients: int, phases: Sequence[tuple[bool, float]]
) -> dict[str, Any]:
    payload = {"url": url, "questions": questions, "clients": clients, "phases": phases, "settle": _SETTLE_SECONDS}
    done = subprocess.run(
        [sys.executable, "-m", "bench.mixed_clients"],
        input=json.dumps(payload),
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=sum(seconds + PATIENCE for _, seconds in phases),
    )
    answered: dict[str, Any] = json.loads(done.stdout)
    return answered


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="a small store, a few seconds")
    parser.add_argument("--home", type=Path, help="a store that is there already, made by bench.recall_speed")
    parser.add_argument("--sets", dest="data", type=Path, default=datasets.folder(), help=datasets.HELP)
    parser.add_argument("--dir", type=Path, help="where the store is made")
    parser.add_argument("--models", type=Path, default=configuration.models_home(configuration.default_home()))
    given = parser.parse_args(arguments)
    chosen = QUICK if given.quick else FULL
    corpus = load(given.data)
    console = Console(width=None if sys.stdout.isatty() else 180)
    with tempfile.TemporaryDirectory(prefix="cortex-hostile-", dir=given.dir) as name:
        folder = Path(name)
        home = given.home
        if home is None:
            began = time.perf_counter()
            store = GrowingStore(folder, corpus)
            store.grow(chosen.size, lambda *_: None)
            store.close()
            home = store.home
            console.print(f"[dim]{chosen.size:,} remembered in {time.perf_counter() - began:.0f} s, querying")
        rows = list(beside_hostile_texts(folder, home, given.models, corpus.questions, chosen))
        print_results(rows, console)
    return 0 if all(row.reached is not False for row in rows if isinstance(row, Result)) else 1


if __name__ == "__main__":
    sys.exit(main())
