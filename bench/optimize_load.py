"""How much slower recalls are while the store is optimized: `python -m bench.optimize_load` (E16).

A memory of many statements, of which a share was forgotten, is asked the same questions by two threads: first alone,
then while the store is optimized again and again, with new statements in between. It prints the 95th percentile of both
and their ratio, and exits with 1 above `--most`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from cortex import Cortex
from cortex.domain.memory import Draft
from cortex.services.maintenance import MaintenanceService
from cortex.testing import FakeEmbedder

QUESTIONS = 64
MOST_SECONDS = 300.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--recalls", type=int, default=400, help="of each thread, alone and beside optimizing")
    parser.add_argument("--rounds", type=int, default=10, help="how often the store is optimized")
    parser.add_argument("--dead", type=float, default=0.12, help="the share that was forgotten before the first round")
    parser.add_argument("--most", type=float, default=1.5, help="the highest ratio that is allowed")
    given = parser.parse_args()
    settings = {"store": {"sqlite": {"synchronous": "normal"}}, "embedding": {"cache_entries": 0}}
    embedder = FakeEmbedder(256)
    with tempfile.TemporaryDirectory() as home, Cortex(Path(home), settings=settings, embedder=embedder) as memory:
        for id in _filled(memory, given.memories)[: int(given.dead * given.memories)]:
            memory.forget(id)
        _recalls(memory, QUESTIONS)  # read into memory what a running process has there
        alone = _measured(memory, lambda left: left > 0, given.recalls)
        optimizing = _Optimizing(memory, given.rounds, given.memories // 20)
        optimizing.start()
        beside = _measured(memory, lambda _: optimizing.is_alive(), given.recalls)
        optimizing.join(MOST_SECONDS)
    ratio = _p95(beside) / _p95(alone)
    print(json.dumps({
        "memories": given.memories, "optimized": optimizing.done, "optimize_seconds": optimizing.seconds,
        "before": optimizing.before[0], "recalls_alone": len(alone), "recalls_beside": len(beside),
        "p95_alone_ms": round(_p95(alone), 2), "p95_beside_ms": round(_p95(beside), 2), "ratio": round(ratio, 3),
        "most": given.most,
    }, indent=1))  # fmt: skip
    return 0 if ratio <= given.most and optimizing.done >= given.rounds else 1


def _statement(number: int) -> list[str]:
    """The words of a statement, always the same of the same number."""
    chance = random.Random(number)
    return [f"{chance.choice(_SYLLABLES)}{chance.choice(_SYLLABLES)}{chance.randrange(40)}" for _ in range(9)]


_SYLLABLES = "ba be bi bo bu da de di do du fa fe fi fo fu ka ke ki ko ku la le li lo".split()


def _filled(memory: Cortex, number: int, first: int = 0) -> list[str]:
    drafts = (Draft(text=" ".join(_statement(each)).capitalize()) for each in range(first, first + number))
    return list(memory.remember_all(drafts).ids)


class _Optimizing(threading.Thread):
    """Optimizes again and again, each time after more was stored: the first time, codes are dead too."""

    def __init__(self, memory: Cortex, rounds: int, more: int) -> None:
        super().__init__(daemon=True)
        self._memory, self._rounds, self._more = memory, rounds, more
        self.done = 0
        self.seconds: list[float] = []
        self.before: list[dict[str, object]] = []

    def run(self) -> None:
        service = MaintenanceService(self._memory.context)
        for each in range(self._rounds):
            self.before.append(service.index_status().to_json())
            began = time.monotonic()
            service.optimize(reasons=("bench",))
            self.seconds.append(round(time.monotonic() - began, 3))
            self.done += 1
            _filled(self._memory, self._more, (each + 1) * 1_000_000)


def _measured(memory: Cortex, goes_on: Callable[[int], bool], recalls: int) -> list[float]:
    found: list[float] = []
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


def _recalls(memory: Cortex, number: int, first: int = 0) -> list[float]:
    took = []
    for each in range(first, first + number):
        began = time.perf_counter()
        memory.recall(f"What about {' '.join(_statement(each * 31 % 997)[:3])}?")
        took.append((time.perf_counter() - began) * 1000)
    return took


def _p95(figures: list[float]) -> float:
    return sorted(figures)[int(0.95 * (len(figures) - 1))]


if __name__ == "__main__":
    sys.exit(main())
