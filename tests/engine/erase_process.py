"""A process that is killed while it erases, restores or opens: `python erase_process.py VERB HOME ID POINT…`.

Each point is the number of a step with an effect: a statement, a write, a rename, a removal. For each, a child goes to
work in a copy of the home, HOME-POINT, and is killed just before that step. `count` prints how many steps there are,
and `vacuum` is the middle of rewriting the file.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from laboratory import opened

EFFECTS = {
    "execute", "executemany", "executescript", "fsync", "replace", "rename", "unlink", "remove", "mkdir",
    "pwrite", "write", "open",
}  # fmt: skip
CACHED = {"cache_entries": 1_000}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def steps(call: Callable[[], Any], last: int | None) -> int:
    """How many steps `call` has; it is killed before the one with the number `last`."""
    seen = 0

    def noticed(frame: Any, event: str, what: Any) -> None:
        nonlocal seen
        if event == "c_call" and what.__name__ in EFFECTS and "cortex" in frame.f_code.co_filename:
            seen += 1
            if seen == last:
                die()

    sys.setprofile(noticed)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def in_the_middle_of_rewriting() -> None:
    """Die once SQLite has worked on a VACUUM for a while."""

    class Deadly(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            if sql == "VACUUM":
                self.set_progress_handler(die, 3_000)
            return super().execute(sql, *arguments)

    connect = sqlite3.connect
    sqlite3.connect = lambda *given, **options: connect(*given, **{"factory": Deadly, **options})  # type: ignore


def work(verb: str, home: Path, id: str, point: str) -> None:
    if point == "vacuum":
        in_the_middle_of_rewriting()
    engine = opened(home, embedding=CACHED)
    if verb == "erase":
        engine.status()  # opens everything
    verbs = {
        "erase": lambda: engine.erase(id),
        "restore": lambda: engine.restore_backup("latest"),
        "open": lambda: engine.stats(),
    }
    seen = steps(verbs[verb], int(point) if point.isdigit() else None)
    engine.close()
    if point == "count":
        sys.stdout.write(f"{seen}\n")


def main(verb: str, home: str, id: str, *points: str) -> None:
    for point in points:
        copied = Path(f"{home}-{point}")
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(home, copied)
        sys.stdout.flush()
        if (child := os.fork()) == 0:
            try:
                work(verb, copied, id, point)
            finally:
                sys.stdout.flush()
                os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
