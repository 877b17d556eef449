"""How much slower recalls are while the store is optimized: `python -m bench.optimize_load` (E16).

A memory of many statements, of which a share was forgotten, is asked the same questions by two threads: first alone,
then while a process of its own, as the one in which `cortex serve` runs jobs, stores more and optimizes, again and
again. It prints the 95th percentile of the recalls alone, of those during which the store was optimized, and of those
during which more was stored. It exits with 1 if the ratio of the second to the first is above `--most`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from cortex import Cortex
from cortex.domain.memory import Draft
from cortex.services.maintenance import MaintenanceService
from cortex.testing import FakeEmbedder

QUESTIONS = 64
MOST_SECONDS = 300.0
SETTINGS: dict[str, Any] = {"store": {"sqlite": {"synchronous": "normal"}}, "embedding": {"cache_entries": 0}}

Span = tuple[float, float]
"""When something began and ended, by the clock that all processes of a machine share."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--recalls", type=int, default=400, help="of each thread alone")
    parser.add_argument("--rounds", type=int, default=40, help="how often the store is optimized")
    parser.add_argument("--dead", type=float, default=0.12, help="the share that was forgotten before the first round")
    parser.add_argument("--most", type=float, default=1.5, help="the highest ratio that is allowed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, _opened(home) as memory:
        for id in _filled(memory, given.memories)[: int(given.dead * given.memories)]:
            memory.forget(id)
        _recalls(memory, QUESTIONS)  # read into memory what a running process has there
        alone = _measured(memory, lambda left: left > 0, given.recalls)
        optimized, asked = _while_optimizing(memory, home, given.rounds, given.memories // 20)
    beside = [each for each in asked if any(_overlap(each, span) for span in optimized)]
    storing = [each for each in asked if not any(_overlap(each, span) for span in optimized)]
    ratio = _p95(beside) / _p95(alone)
    print(json.dumps({
        "memories": given.memories, "optimized": len(optimized),
        "optimize_ms_median": round(sorted(end - start for start, end in optimized)[len(optimized) // 2] * 1_000, 1),
        "recalls_alone": len(alone), "recalls_beside_optimizing": len(beside), "recalls_beside_storing": len(storing),
        "p95_alone_ms": round(_p95(alone), 2), "p95_beside_optimizing_ms": round(_p95(beside), 2),
        "p95_beside_storing_ms": round(_p95(storing), 2), "ratio": round(ratio, 3), "most": given.most,
    }, indent=1))  # fmt: skip
    return 0 if ratio <= given.most else 1


def _opened(home: str) -> Cortex:
    return Cortex(Path(home), settings=SETTINGS, embedder=FakeEmbedder(256))


def _statement(number: int) -> list[str]:
    """The words of a statement, always the same of the same number."""
    chance = random.Random(number)
    return [f"{chance.choice(_SYLLABLES)}{chance.choice(_SYLLABLES)}{chance.randrange(40)}" for _ in range(9)]


_SYLLABLES = "ba be bi bo bu da de di do du fa fe fi fo fu ka ke ki ko ku la le li lo".split()


def _filled(memory: Cortex, number: int, first: int = 0) -> list[str]:
    drafts = (Draft(text=" ".join(_statement(each)).capitalize()) for each in range(first, first + number))
    return list(memory.remember_all(drafts).ids)


def _while_optimizing(memory: Cortex, home: str, rounds: int, more: int) -> tuple[list[Span], list[Span]]:
    """When another process optimized, and the recalls meanwhile."""
    fresh = multiprocessing.get_context("spawn")
    told = fresh.SimpleQueue()
    process = fresh.Process(target=_optimize, args=(home, rounds, more, told), daemon=True)
    process.start()
    assert told.get() is None  # it has everything imported and the store open
    asked = _measured(memory, lambda _: process.is_alive(), 0)
    process.join(MOST_SECONDS)
    return told.get(), asked


def _optimize(home: str, rounds: int, more: int, told: SimpleQueue[list[Span] | None]) -> None:
    """Optimize again and again, each time after more was stored: the first time, codes are dead too."""
    with _opened(home) as memory:
        service, spans = MaintenanceService(memory.context), list[Span]()
        told.put(None)
        for each in range(rounds):
            began = time.monotonic()
            service.optimize(reasons=("bench",))
            spans.append((began, time.monotonic()))
            _filled(memory, more, (each + 1) * 1_000_000)
    told.put(spans)


def _measured(memory: Cortex, goes_on: Callable[[int], bool], recalls: int) -> list[Span]:
    found: list[Span] = []
    until = time.monotonic() + MOST_SECONDS

    def ask() -> None:
        left = recalls
        while goes_on(left) and time.monotonic() < until:
            left -= 1
            found.extend(_recalls(memory, 1, left))

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(MOST_SECONDS)
    return found


def _recalls(memory: Cortex, number: int, first: int = 0) -> list[Span]:
    spans = []
    for each in range(first, first + number):
        began = time.monotonic()
        memory.recall(f"What about {' '.join(_statement(each * 31 % 997)[:3])}?")
        spans.append((began, time.monotonic()))
    return spans


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _p95(spans: Sequence[Span]) -> float:
    """In milliseconds."""
    return sorted((end - began) * 1_000 for began, end in spans)[int(0.95 * (len(spans) - 1))]


if __name__ == "__main__":
    sys.exit(main())
