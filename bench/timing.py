"""Measuring two things side by side, so that what else the machine does touches both alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

Work = Callable[[int], object]
"""One round of work; it gets the number of the round."""


def nothing(_: int) -> None:
    """No work."""


@dataclass(slots=True)
class Timing:
    """Seconds of wall clock and of processor time, one of each for every round."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self, work: Work, number: int) -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        work(number)
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)

    def percentile(self, share: float) -> float:
        return float(np.percentile(self.wall, share))

    @property
    def median(self) -> float:
        return self.percentile(50)

    @property
    def cpu_median(self) -> float:
        return float(np.median(self.cpu))

    def milliseconds(self) -> dict[str, float]:
        return {
            "p50": round(self.percentile(50) * 1e3, 3),
            "p95": round(self.percentile(95) * 1e3, 3),
            "p99": round(self.percentile(99) * 1e3, 3),
            "cpu_p50": round(self.cpu_median * 1e3, 3),
            "rounds": len(self.wall),
        }


def side_by_side(
    ours: Work, plain: Work, rounds: int, *, warm_up: int = 2, after: Work = nothing
) -> tuple[Timing, Timing]:
    """Both pieces of work, taking turns and turns at going first. `after` each of ours is not measured."""
    timings = Timing(), Timing()
    for number in range(warm_up):
        ours(number)
        after(number)
        plain(number)
    for number in range(rounds):
        pairs = [(timings[0], ours, after), (timings[1], plain, nothing)]
        for timing, work, settle in pairs if number % 2 else reversed(pairs):
            timing.run(work, number)
            settle(number)
    return timings


def ratio(ours: Sequence[float], plain: Sequence[float], share: float = 50) -> float:
    return float(np.percentile(ours, share) / np.percentile(plain, share))
