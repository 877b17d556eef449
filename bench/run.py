"""`make bench`: everything the design promises about speed, beside plain baselines, in one run.

python -m bench.run                  1k, 10k and 100k memories, a few minutes
python -m bench.run --quick          1k and 10k, about a minute
python -m bench.run --million        1M as well
python -m bench.run --against main   also the cost of a recall, and the answers a second, beside another commit
python -m bench.run --profile recall where the milliseconds of a recall at the largest size go
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import platform
import pstats
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.console import Console

from bench import against, datasets, files, processes, recall_speed, serving, turns, write_speed
from bench.corpus import Corpus, Question, load
from bench.recall_speed import GrowingStore
from bench.results import NotMeasured, Row, print_results
from cortex import settings as configuration
from cortex.clock import SystemClock
from cortex.domain.memory import Draft
from cortex.memory import Cortex
from cortex.ports.embedder import Embedder

RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    given = _arguments(arguments)
    # A table this wide does not fit the eighty columns that a pipe is given.
    console = Console(width=None if sys.stdout.isatty() else 150)
    corpus = load(given.data)
    sizes = [size for size in (1_000, 10_000, 100_000) if size <= (10_000 if given.quick else 100_000)]
    if given.million:
        sizes.append(1_000_000)
    with tempfile.TemporaryDirectory(prefix="cortex-bench-", dir=given.dir) as name:
        folder = Path(name)
        if given.profile:
            _profile(given.profile, folder, corpus, max(sizes), console)
            return 0
        started = time.perf_counter()
        rows = list(_measure(folder, corpus, sizes, given, console))
        taken = time.perf_counter() - started
    print_results(rows, console)
    console.print(f"{corpus.name}; {_vectors(given.real_vectors)}; {taken:.0f} s", style="dim")
    path = _save(rows, corpus, given, taken)
    console.print(f"written to {path}", style="dim")
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--million", action="store_true", help="also measure recall at 1,000,000 memories")
    parser.add_argument("--real-vectors", action="store_true", help="embed with the local model, and keep the vectors")
    parser.add_argument("--against", metavar="REVISION", help="a commit, or a source tree, to be measured beside ours")
    parser.add_argument("--profile", choices=("recall", "remember"), help="print where the time goes instead")
    parser.add_argument("--sets", dest="data", type=Path, default=datasets.folder(), help=datasets.HELP)
    parser.add_argument("--dir", type=Path, help="where the stores are made; the disk that is measured")
    parser.add_argument("--models", type=Path, default=configuration.models_home(configuration.default_home()))
    return parser.parse_args(arguments)


def _measure(
    folder: Path, corpus: Corpus, sizes: Sequence[int], given: argparse.Namespace, console: Console
) -> Iterator[Row]:
    few = given.quick
    steps: list[tuple[str, Callable[[], Iterator[Row]]]] = [
        ("remembering", lambda: write_speed.without_vectors(folder, corpus, 8 if few else 24)),
        ("taking in turns", lambda: turns.ingesting(folder, corpus, 3 if few else 9)),
        ("the model", lambda: write_speed.with_model(folder, given.models, corpus, 3 if few else 7)),
        ("following files", lambda: files.following(folder, given.models, corpus, quick=few)),
        ("starting", lambda: processes.starting(folder, given.models, 5 if few else 11)),
        ("recalling", lambda: _recalling(folder, corpus, sizes, given, console)),
    ]
    for label, step in steps:
        console.print(f"[dim]{label} …")
        yield from step()
    if few:
        yield NotMeasured("recall, 100,000", "left out by --quick")


def _recalling(
    folder: Path, corpus: Corpus, sizes: Sequence[int], given: argparse.Namespace, console: Console
) -> Iterator[Row]:
    store = GrowingStore(folder, corpus, _real_embedder(given.models) if given.real_vectors else None)
    measured: list[recall_speed.Measured] = []
    rounds = 60 if given.quick else 120
    for size in sizes:
        started = time.perf_counter()
        store.grow(size, lambda *_: None)
        console.print(f"[dim]  {size:,} remembered twice in {time.perf_counter() - started:.0f} s, querying")
        measured.append(store.measure(corpus.questions, rounds, in_scope=True))
        measured.append(store.measure(corpus.broad_questions(), rounds, in_scope=False))
    store.close()
    yield from recall_speed.results(measured)
    if not given.real_vectors:
        yield from turns.before(store.home, given.models, corpus.questions, sizes[-1], rounds)
    broad = corpus.broad_questions()
    pairs = [(question.text, question.scope) for question in broad[:20]]
    if not given.real_vectors:
        yield from processes.at_scale(store.home, given.models, pairs, sizes[-1], folder / "plain.sqlite")
    yield from processes.answering(store.home, corpus.questions[0].text, sizes[-1], 5)
    if not given.real_vectors:
        load = serving.Load(16, 5.0, sizes[-1]) if given.quick else serving.Load(64, 60.0, sizes[-1])
        console.print(f"[dim]serving {load.clients} clients for {load.seconds:g} s")
        yield from serving.under_load(folder, store.home, given.models, corpus.questions, load)
        if given.against:
            console.print(f"[dim]beside {given.against}")
            bounds = against.QUICK if given.quick else against.Bounds()
            apart = folder / "against"
            apart.mkdir()
            yield from against.compared(apart, None, given.models, given.data, given.against, bounds, sizes[-1])


def _real_embedder(models: Path) -> Embedder:
    """The local model with a cache of its own, since embedding 100,000 texts takes half an hour."""
    from cortex.providers.embedders.local import create
    from cortex.providers.embedders.vector_cache import CachingEmbedder

    return CachingEmbedder(create({}, models), RESULTS / "vectors.sqlite", 2_000_000, SystemClock())


def _profile(what: str, folder: Path, corpus: Corpus, size: int, console: Console) -> None:
    profiler = cProfile.Profile()
    if what == "remember":
        texts = list(corpus.texts(10_240))
        with Cortex(folder / "profiled", settings={"embedding": {"provider": "none"}}) as engine:
            engine.remember_all([Draft(text=text.text, scope=text.scope) for text in texts[:2_048]])
            profiler.runcall(engine.remember_all, [Draft(text=text.text, scope=text.scope) for text in texts[2_048:]])
    else:
        store = GrowingStore(folder, corpus)
        store.grow(size, lambda *_: None)
        for in_scope, questions in ((True, list(corpus.questions)), (False, corpus.broad_questions())):
            _profile_recall(store, questions[:100], in_scope, console)
        store.close()
        return
    _print_profile(profiler)


def _profile_recall(store: GrowingStore, questions: Sequence[Question], in_scope: bool, console: Console) -> None:
    profiler = cProfile.Profile()
    for question in questions:
        store.embedder.embed_query(question.text)
        profiler.enable()
        store.engine.recall(question.text, scope=question.scope if in_scope else None, limit=recall_speed.LIMIT)
        profiler.disable()
        store.engine.flush()
    console.print(f"[bold]{len(questions)} recalls {'within a scope' if in_scope else 'over everything'}")
    _print_profile(profiler)


def _print_profile(profiler: cProfile.Profile) -> None:
    pstats.Stats(profiler).strip_dirs().sort_stats("cumulative").print_stats(45)
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(25)


def _vectors(real: bool) -> str:
    return "real vectors" if real else "synthetic clustered vectors of 384 dimensions, which cost the same to search"


def _save(rows: Sequence[Row], corpus: Corpus, given: argparse.Namespace, taken: float) -> Path:
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    path = RESULTS / f"{now:%Y%m%d-%H%M%S}{'-quick' if given.quick else ''}.json"
    payload = {
        "at": now.isoformat(),
        "seconds": round(taken, 1),
        "data": corpus.name,
        "vectors": _vectors(given.real_vectors),
        "machine": {
            "cores": len(os.sched_getaffinity(0)),
            "load": os.getloadavg(),
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "numpy": np.__version__,
        },
        "results": [row.to_json() for row in rows],
    }
    path.write_text(json.dumps(payload, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
