"""How turns fare on the degradation ladder while an embedder stalls, or fails now and then (E20).

`python -m bench.ladder`. Every turn is a real one, through the hooks, the guard of the embedder and a store on disk.
Only the pauses between turns are skipped: the clock is set forward to the next turn. Turns may take two seconds, so
that a busy machine makes none late, and wait 50 ms for the vector of their query. A thousand runs of the ladder alone
follow, without a memory.
"""

from __future__ import annotations

import logging
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from bench.command import AsJson, run
from bench.results import Result, print_results
from cortex.clock import SystemClock
from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.memory import Cortex
from cortex.runtime.ladder import Ladder, Rung
from cortex.services.turn_hooks import TurnHooks
from cortex.testing import FakeClock, FakeEmbedder

TURN_SECONDS = 0.5
SETTINGS: dict[str, Any] = {
    "hooks": {"deadline_ms": 2_000, "synthesis": False},
    "embedding": {"query_timeout_ms": 50, "cache_entries": 0},
}
DOWN_MINUTES, UP_MINUTES, STEPS = 4.0, 3.0, 4.0
FAILING_SHARE, FAILING_MINUTES = 0.3, 30.0


class SkippingClock(SystemClock):
    """The machine's clock, set forward where nothing happens."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._skipped)

    def monotonic(self) -> float:
        return super().monotonic() + self._skipped

    def skip_to(self, moment: float) -> None:
        self._skipped += max(0.0, moment - self.monotonic())


class UnsteadyEmbedder(FakeEmbedder):
    """Waits while it is stalled, and fails a share of its calls."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(64)
        self.fails = 0.0
        self._random = random.Random(seed)

    def embed_query(self, text: str) -> Vector:
        if self._random.random() < self.fails:
            raise EmbedderUnavailable("the embedder was set to fail now and then")
        return super().embed_query(text)


@dataclass(slots=True)
class TurnLog:
    """What became of the turns of one run."""

    turns: int = 0
    failed: int = 0
    """Turns that raised, came too late or got no memories."""
    changes: list[tuple[float, str]] = field(default_factory=list)
    """When turns went to which rung, in seconds of the run."""

    def minutes_until(self, rung: Rung, start: float) -> float:
        at = next((moment for moment, name in self.changes if name == rung and moment >= start), float("inf"))
        return (at - start) / 60


class Run:
    """Two turns a second over one memory."""

    def __init__(self, home: Path, seed: int = 0) -> None:
        self.clock, self.embedder, self.log = SkippingClock(), UnsteadyEmbedder(seed), TurnLog()
        self._engine = Cortex(home, settings=SETTINGS, clock=self.clock, embedder=self.embedder)
        self._engine.remember("The deploy key rotates on Mondays")
        self._hooks = TurnHooks(self._engine)
        self._began = self.clock.monotonic()

    @property
    def seconds(self) -> float:
        return self.clock.monotonic() - self._began

    def turns(self, minutes: float) -> None:
        ladder = self._engine.context.dependencies.ladder
        for _ in range(round(minutes * 60 / TURN_SECONDS)):
            begins, rung = self.clock.monotonic(), ladder.rung
            self.log.turns += 1
            try:
                injection = self._hooks.before(f"when does my deploy key {self.log.turns} rotate?", session="bench")
                is_failed = "deadline" in injection.degraded or "deploy key" not in injection.block
            except Exception:
                is_failed = True
            self.log.failed += is_failed
            if ladder.rung is not rung:
                self.log.changes.append((self.seconds, ladder.rung.value))
            self.clock.skip_to(begins + TURN_SECONDS)

    def close(self) -> None:
        self._hooks.flush()
        self._engine.close()


def stalled(home: Path, minutes: float) -> tuple[TurnLog, float, float]:
    """An embedder that stalls for so long: its turns, and the minutes until they went down, and up again."""
    found = Run(home)
    found.turns(2)
    found.embedder.stall, begins = threading.Event(), found.seconds
    found.turns(minutes)
    found.embedder.stall.set()
    found.embedder.stall, ends = None, found.seconds
    found.turns(4)
    found.close()
    return found.log, found.log.minutes_until(Rung.KEYWORDS, begins), found.log.minutes_until(Rung.FULL, ends)


def failing(home: Path, seed: int) -> TurnLog:
    """An embedder that fails 30 % of its calls for 30 minutes."""
    found = Run(home, seed)
    found.turns(2)
    found.embedder.fails = FAILING_SHARE
    found.turns(FAILING_MINUTES)
    found.close()
    return found.log


def steps_alone(seed: int, fails: Callable[[random.Random], bool]) -> int:
    """How often the rung of a ladder without a memory changes in half an hour."""
    clock, dice, steps = FakeClock(), random.Random(seed), 0
    ladder = Ladder(clock)
    for _ in range(round(FAILING_MINUTES * 60 / TURN_SECONDS)):
        clock.advance(TURN_SECONDS)
        step = ladder.begin()
        report = ladder.end(step, failed=step.rung is Rung.FULL and fails(dice), late=False)
        steps += report is not None and report.is_change
    return steps


def ladder(
    stall_minutes: Annotated[float, typer.Option(min=4, max=120, help="How long the embedder stalls.")] = 8.0,
    seeds: Annotated[int, typer.Option(min=1, help="How many runs of the ladder alone.")] = 1_000,
    seed: Annotated[int, typer.Option(help="Which calls of the embedder fail.")] = 1,
    as_json: AsJson = False,
) -> int:
    """Measure the degradation ladder."""
    logging.getLogger("cortex").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="cortex-ladder-") as folder:
        log, down, up = stalled(Path(folder) / "stalled", stall_minutes)
        flaky = failing(Path(folder) / "failing", seed)
    counts = Counter(steps_alone(each, lambda dice: dice.random() < FAILING_SHARE) for each in range(seeds))
    within = sum(number for steps, number in counts.items() if steps <= STEPS) / seeds
    rows = [
        Result("stalled embedder: down", down, unit="min", limit=DOWN_MINUTES, detail={"turns": log.turns}),
        Result("stalled embedder: up after its recovery", up, unit="min", limit=UP_MINUTES),
        Result("stalled embedder: failed turns", float(log.failed), unit="turns", limit=0.0),
        Result(
            "30 % failing for 30 minutes: steps", float(len(flaky.changes)), unit="steps", limit=STEPS,
            detail={"turns": flaky.turns, "failed turns": flaky.failed},
        ),
        Result(
            f"the same, {seeds:,} ladders alone: share with at most 4 steps", within, unit="",
            detail={f"{steps} steps": number for steps, number in sorted(counts.items())},
        ),
    ]  # fmt: skip
    show(rows, as_json)
    return 1 if any(row.reached is False for row in rows) else 0


def show(rows: list[Result], as_json: bool) -> None:
    """Print the figures for people, or as one JSON object."""
    from rich.console import Console

    from cortex.surfaces.cli.output import show_json

    if as_json:
        show_json({"results": [row.to_json() for row in rows]})
    else:
        print_results(rows, Console(width=160), title="", value="measured")


if __name__ == "__main__":
    sys.exit(run(ladder, sys.argv[1:], "python -m bench.ladder"))
