"""`python -m bench.soak`: see `bench.soak`."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

# Before anything imports numpy: its threads would not be there in a forked process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.soak import report
from bench.soak.rounds import Count, Soak
from bench.soak.warm_up import has_model, warm


def main(arguments: Sequence[str] | None = None) -> int:
    given = _arguments(arguments)
    console = Console(stderr=given.json, width=None if sys.stdout.isatty() else 150)
    seed = secrets.randbelow(1 << 32) if given.seed is None else given.seed
    folder = Path(tempfile.mkdtemp(prefix="cortex-soak-", dir=given.dir))
    warm(folder / "warm")
    if threading.active_count() > 1:
        raise RuntimeError("something that was imported has started a thread")
    began = time.monotonic()
    with _progress(console, given.kills) as tell:
        soak = Soak(
            folder, kills=given.kills, seconds=given.seconds, seed=seed, served=given.served, has_model=has_model(),
            progress=tell,
        )  # fmt: skip
        count = soak.run()
    seconds = time.monotonic() - began
    if given.json:
        print(json.dumps(report.to_json(count, seed=seed, seconds=seconds), ensure_ascii=False))
    else:
        report.show(count, console, seed=seed, seconds=seconds)
    if count.violations:
        console.print(f"homes and logs are kept in {folder}", highlight=False)
    else:
        shutil.rmtree(folder)
    if count.kills < given.kills:
        console.print(f"only {count.kills:,} of {given.kills:,} kills within {given.seconds:.0f} s", highlight=False)
    return int(bool(count.violations) or count.kills < given.kills)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description="Kill processes and count what is lost.")
    parser.add_argument("--kills", type=int, default=1_000, help="how many processes to kill (1000)")
    parser.add_argument("--seconds", type=float, default=3_600.0, help="stop after so long (3600)")
    parser.add_argument("--seed", type=int, help="repeat the verbs and the moments of an earlier run")
    parser.add_argument("--served", type=float, default=0.12, help="the share of `cortex serve` among them (0.12)")
    parser.add_argument("--dir", type=Path, help="where the homes are made")
    parser.add_argument("--json", action="store_true", help="print what was counted as JSON")
    return parser.parse_args(arguments)


class _progress:
    """A bar on a terminal, a line now and then elsewhere. It redraws on request, as it may have no own thread."""

    def __init__(self, console: Console, kills: int) -> None:
        self._console, self._kills, self._printed = console, kills, 0
        columns = (
            TextColumn("killing"), BarColumn(), MofNCompleteColumn(), TextColumn("found {task.fields[found]}"),
            TimeElapsedColumn(),
        )  # fmt: skip
        self._bar = Progress(*columns, console=console, auto_refresh=False, transient=True)
        self._task = self._bar.add_task("killing", total=kills, found=0)

    def __enter__(self) -> _progress:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, count: Count) -> None:
        if self._console.is_terminal:
            self._bar.update(self._task, completed=count.kills, found=len(count.violations), refresh=True)
        elif count.kills >= self._printed + 100:
            self._printed = count.kills - count.kills % 100
            self._console.print(f"{count.kills:,} of {self._kills:,} killed, {len(count.violations)} found")


if __name__ == "__main__":
    sys.exit(main())
