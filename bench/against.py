"""This tree beside another one: what a recall costs, and how many turns a second are answered in full.

python -m bench.against REVISION               100,000 memories, a few minutes; the store is made first
python -m bench.against REVISION --home HOME   over a store that was made before, which is left as it is
python -m bench.against REVISION --cost        only what a recall costs, for a machine that is too busy to serve
python -m bench.against REVISION --deadline-ms 5000    turns wait so long, for a machine too busy to answer sooner

REVISION is a commit of this repository, or a folder that holds a source tree. Both answer the same questions over
copies of the same store, in turns, in one run: whatever else the machine does touches both alike. The other tree makes
the store, because the older of two opens no file that the newer one wrote.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bench import datasets, serving
from bench.corpus import Corpus, Question, load
from bench.results import Result, Row, print_results
from cortex import settings as configuration

SIZE = 100_000
_HERE = Path(__file__).parents[1]
_MOST_COST = 0.5
_LEAST_ANSWERS = 2.0
_WARM_UP = 120
"""Recalls before any is measured: a process that serves is warm."""

_SERVED_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much each tree has to answer."""

    recalls: int = 180
    seconds: float = 10.0
    """How long each is served each time; not at all where this is nothing."""
    clients: int = 64
    deadline_ms: int = serving.DEADLINE_MS


QUICK = Bounds(60, 4.0)


@dataclass(frozen=True, slots=True)
class _Tree:
    """A source tree, and the copy of the store it works on."""

    sources: Path
    home: Path


@dataclass(slots=True)
class _Costs:
    """Processor milliseconds of each recall until its receipt was written, by where it looked."""

    milliseconds: dict[str, list[float]] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)

    def add(self, where: str, payload: Mapping[str, Any]) -> None:
        self.milliseconds.setdefault(where, []).append(payload["settled"])
        self.answers.append(payload["answer"])

    @property
    def all(self) -> list[float]:
        return [each for some in self.milliseconds.values() for each in some]


@dataclass(slots=True)
class _Served:
    milliseconds: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    processor_seconds: float = 0.0

    @property
    def in_full(self) -> float:
        """A second."""
        return self.outcomes["in full"] / self.seconds

    @property
    def cost(self) -> float:
        """Processor milliseconds of the server and all it started, for each answer in full."""
        return 1e3 * self.processor_seconds / max(1, self.outcomes["in full"])

    @property
    def p99(self) -> float:
        return float(np.percentile(self.milliseconds, 99))


def compared(
    folder: Path, home: Path | None, models: Path, data: Path, revision: str, bounds: Bounds, size: int
) -> Iterator[Row]:
    """Ours beside those of `revision`, over copies of the store at `home`, or of one that is made for it."""
    corpus = load(data)
    with tree_of(revision, folder) as sources:
        home = home or _made(folder, sources, data, size)
        trees = [
            _Tree(each, _copied(home, folder / f"against-{name}"))
            for name, each in (("ours", _HERE), ("theirs", sources))
        ]
        yield _cost(*_recalled(trees, models, _questions(corpus, _WARM_UP + bounds.recalls)), revision, size)
        if bounds.seconds:
            yield from _answers(*_served(trees, models, corpus.questions, bounds), revision, size, bounds)


@contextmanager
def tree_of(revision: str, folder: Path) -> Iterator[Path]:
    """The sources of a commit, unpacked for as long as they are needed; or the folder that was named."""
    if Path(revision).is_dir():
        yield Path(revision).resolve()
        return
    packed = subprocess.run(
        ["git", "-C", str(_HERE), "archive", "--format=tar", revision], check=True, stdout=subprocess.PIPE
    ).stdout
    with tempfile.TemporaryDirectory(prefix="sources-", dir=folder) as name:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(name, filter="data")
        yield Path(name)


def _copied(home: Path, to: Path) -> Path:
    shutil.copytree(home, to)
    return to


# --- what a recall costs ----------------------------------------------------------------------------------------------


def _questions(corpus: Corpus, count: int) -> list[tuple[str, str, str | None]]:
    """Where to look, what to ask, and the scope: within a scope, over everything, and of what fills the store."""
    own, broad = corpus.questions, corpus.broad_questions()
    queries: list[tuple[str, str, str | None]] = []
    for number in range(-(-count // 3)):
        scoped, wide = own[number * 37 % len(own)], own[(number * 53 + 11) % len(own)]
        queries.append(("within a scope", scoped.text, scoped.scope))
        queries.append(("over everything", wide.text, None))
        queries.append(("over everything", broad[(number * 74 + 1) % len(broad)].text, None))
    return queries[:count]


def _recalled(
    trees: Sequence[_Tree], models: Path, queries: Sequence[tuple[str, str, str | None]]
) -> tuple[_Costs, _Costs]:
    costs = _Costs(), _Costs()
    with ExitStack() as running:
        processes = [running.enter_context(_process(tree, models)) for tree in trees]
        for number, (where, text, scope) in enumerate(queries):
            turns = list(zip(processes, costs, strict=True))
            for process, cost in turns if number % 2 else reversed(turns):
                answer = _recall(process, text, scope)
                if number >= _WARM_UP:
                    cost.add(where, answer)
    return costs


@contextmanager
def _process(tree: _Tree, models: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.against_process", str(tree.home), str(models)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=serving.environment(tree.sources, bench=_HERE),
        text=True,
    )
    try:
        _line(process)
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


def _recall(process: subprocess.Popen[str], text: str, scope: str | None) -> dict[str, Any]:
    assert process.stdin is not None
    process.stdin.write(json.dumps([text, scope]) + "\n")
    process.stdin.flush()
    return _line(process)


def _line(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    payload: dict[str, Any] = json.loads(process.stdout.readline())
    return payload


def _cost(ours: _Costs, theirs: _Costs, revision: str, size: int) -> Result:
    same = sum(one == other for one, other in zip(ours.answers, theirs.answers, strict=True))
    parts = {
        f"{where}, ratio": round(float(np.median(some) / np.median(theirs.milliseconds[where])), 3)
        for where, some in ours.milliseconds.items()
    }
    return Result(
        f"processor time of a recall beside {revision}, {size:,}",
        float(np.median(ours.all) / np.median(theirs.all)),
        limit=_MOST_COST,
        detail={
            "ours ms": round(float(np.median(ours.all)), 2),
            "theirs ms": round(float(np.median(theirs.all)), 2),
            **parts,
            "recalls": len(ours.all),
            "same answers": f"{100 * same / len(ours.answers):.0f} %",
        },
    )


# --- how many turns are answered --------------------------------------------------------------------------------------


def _served(
    trees: Sequence[_Tree], models: Path, questions: Sequence[Question], bounds: Bounds
) -> tuple[_Served, _Served]:
    found = _Served(), _Served()
    for number in range(_SERVED_ROUNDS):
        turns = list(zip(trees, found, strict=True))
        for tree, served in turns if number % 2 else reversed(turns):
            crowd = serving.crowd(
                tree.sources, tree.home, models, questions, bounds.clients, bounds.seconds, bounds.deadline_ms
            )
            served.milliseconds += crowd["milliseconds"]
            served.outcomes.update(crowd["outcomes"])
            served.seconds += bounds.seconds
            served.processor_seconds += crowd["processor seconds"]
    return found


def _answers(ours: _Served, theirs: _Served, revision: str, size: int, bounds: Bounds) -> Iterator[Result]:
    what = f"{bounds.clients} clients, {size:,}"
    yield Result(
        f"answers in full a second beside {revision}, {what}",
        ours.in_full / max(theirs.in_full, 1 / theirs.seconds),
        limit=_LEAST_ANSWERS,
        at_least=True,
        detail={
            "ours /s": round(ours.in_full, 1),
            "theirs /s": round(theirs.in_full, 1),
            # What others do on the machine decides how much of it the server gets, and so the figures above.
            "ours, processor ms each": round(ours.cost, 1),
            "theirs, processor ms each": round(theirs.cost, 1),
        },
    )
    yield Result(
        f"before a turn while both are compared, {what}, p99",
        ours.p99,
        unit="ms",
        limit=float(bounds.deadline_ms),
        detail={"theirs": round(theirs.p99, 1)},
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.against", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("revision", help="a commit, or a folder with a source tree")
    parser.add_argument("--quick", action="store_true", help="fewer recalls and seconds")
    parser.add_argument("--cost", action="store_true", help="only what a recall costs: nothing is served")
    parser.add_argument("--clients", type=int, default=Bounds().clients, help="how many ask at once")
    parser.add_argument("--deadline-ms", type=int, default=serving.DEADLINE_MS, help="how long a turn may wait")
    parser.add_argument("--home", type=Path, help="a store that is there already, made by the older of both trees")
    parser.add_argument("--size", type=int, default=SIZE, help="how many memories the store has")
    parser.add_argument("--sets", type=Path, default=datasets.folder(), help=datasets.HELP)
    parser.add_argument("--dir", type=Path, help="where the stores are made")
    parser.add_argument("--models", type=Path, default=configuration.models_home(configuration.default_home()))
    given = parser.parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 150)
    with tempfile.TemporaryDirectory(prefix="cortex-against-", dir=given.dir) as name:
        folder = Path(name)
        bounds = replace(QUICK if given.quick else Bounds(), clients=given.clients, deadline_ms=given.deadline_ms)
        bounds = replace(bounds, seconds=0.0) if given.cost else bounds
        rows = compared(folder, given.home, given.models, given.sets, given.revision, bounds, given.size)
        print_results(list(rows), console)
    return 0


def _made(folder: Path, sources: Path, data: Path, size: int) -> Path:
    """A store of so many memories, made by a source tree."""
    subprocess.run(
        [sys.executable, "-m", "bench.against_store", str(folder), str(data), str(size)],
        env=serving.environment(sources, bench=_HERE),
        check=True,
    )
    return folder / "home"


if __name__ == "__main__":
    sys.exit(main())
