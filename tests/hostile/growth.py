"""How the cost of reading a text grows with its size: by the ratio of two times of one run, never by a time."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import inf
from types import FrameType

from shapes import Shape

KIB = 1_024

_SLACK = 3
"""What is linear takes eight times as long for eight times as much; this many times more is given to the machine."""
_FLOOR = 0.003
"""What takes fewer seconds for the larger text is not compared: its ratio says more about the clock."""
_GUARD = 20
"""Seconds after which a run is broken off: nothing linear comes near, and what is exponential never ends."""

Reader = Callable[[str], object]


@dataclass(frozen=True)
class TooSlow:
    """A text whose cost grows faster than it does."""

    shape: Shape
    small: float
    large: float
    times: int

    def __str__(self) -> str:
        if self.large == inf:
            return f"does not end on {self.shape}"
        return (
            f"{self.large / self.small:.0f} times as long for {self.times} times as much"
            f" ({self.large * 1000:.0f} ms) on {self.shape}"
        )


def too_slow(read: Reader, shapes: Iterable[Shape], *, screen: int, small: int, large: int, most: int) -> list[TooSlow]:
    """The shapes whose cost grows too fast: all are read at one size, and the `most` slowest compared at two others."""
    costs: dict[Shape, float] = {}
    for shape in shapes:
        costs[shape] = cost(partial(read, shape(screen)))
        if costs[shape] == inf:
            return [TooSlow(shape, inf, inf, 1)]
    worst = sorted(costs, key=lambda shape: -costs[shape])[:most]
    return [found for shape in worst if (found := _compared(read, shape, small, large))]


def _compared(read: Reader, shape: Shape, small: int, large: int) -> TooSlow | None:
    times = large // small
    costs = best(partial(read, shape(small)), partial(read, shape(large)), times)
    return TooSlow(shape, *costs, times) if grows_faster(*costs, times) else None


def best(small: Callable[[], object], large: Callable[[], object], times: int) -> tuple[float, float]:
    """The least that both cost in up to four rounds: whatever else the machine does makes it slower, never faster."""
    least = inf, inf
    for _ in range(4):
        least = min(least[0], cost(small)), min(least[1], cost(large))
        if least[1] == inf or not grows_faster(*least, times):
            break
    return least


def grows_faster(small: float, large: float, times: int) -> bool:
    return large > max(_FLOOR, _SLACK * times * small)


def cost(run: Callable[[], object]) -> float:
    """The processor's time for a run; infinite where it has to be broken off.

    Garbage is not collected meanwhile: in a process that ran other tests, one collection costs more than the run.
    """
    collects = gc.isenabled()
    gc.disable()
    before = signal.signal(signal.SIGALRM, _break_off)
    signal.setitimer(signal.ITIMER_REAL, _GUARD)
    began = time.process_time()
    try:
        run()
    except _BrokenOff:
        return inf
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if collects:
            gc.enable()
    return time.process_time() - began


class _BrokenOff(BaseException):
    """Not to be caught by what is run."""


def _break_off(number: int, frame: FrameType | None) -> None:
    raise _BrokenOff
