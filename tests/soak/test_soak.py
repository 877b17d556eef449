"""The soak itself: a short run finds nothing, and one over code that loses things says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 600.0

ACKNOWLEDGES_TOO_EARLY = """
import threading
from cortex.stores.sqlite.store import SqliteStore
applied = SqliteStore.apply

def apply(self, tenant, changes, *, at, **by):
    threading.Timer(0.05, applied, (self, tenant, changes), {"at": at, **by}).start()
    return 1

SqliteStore.apply = apply
"""
DRAWS_TWICE = """
from dataclasses import replace
from cortex.capture.flow import Capture
from cortex.domain.memory import Memory
from cortex.ports.store import Put
step = Capture._step

def twice(self, *given, **options):
    captured, changes = step(self, *given, **options)
    again = [
        replace(change, trace=change.trace.revised(id=self.ids(self.clock.now())))
        for change in changes if isinstance(change, Put) and isinstance(change.trace, Memory)
    ]
    return captured, [*changes, *again]

Capture._step = twice
"""
LEAVES_WHAT_IT_ERASES = """
from cortex.stores.sqlite.store import SqliteStore
SqliteStore.compact = lambda self, **_: True
"""


def soaked(folder: Path, *arguments: str, spoilt_by: str = "") -> tuple[int, dict[str, Any]]:
    """The exit code and the figures of a run, over code that was spoilt on purpose where that is given."""
    main = f"{spoilt_by}\nimport sys\nfrom bench.soak.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", main, "--json", "--dir", str(folder), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    assert done.stdout.startswith("{"), done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [10, 25])
def test_a_short_run_over_all_verbs_and_serve_finds_nothing(tmp_path: Path, kills: int) -> None:
    """Nothing acknowledged is lost, no job is done twice, nothing erased is left, and `verify` is clean each time"""
    code, report = soaked(tmp_path, "--kills", str(kills))
    assert report["violations"] == []
    assert code == 0
    assert report["kills"] == kills
    assert report["served"] >= kills // 10
    assert report["checks"] >= kills
    assert report["facts_compared"] > 0


@pytest.mark.parametrize(
    ("spoilt_by", "kills", "found"),
    [
        (ACKNOWLEDGES_TOO_EARLY, 8, "acknowledged writes lost"),
        pytest.param(DRAWS_TWICE, 30, "jobs done twice", marks=pytest.mark.slow),
        pytest.param(LEAVES_WHAT_IT_ERASES, 60, "erased texts left", marks=pytest.mark.slow),
    ],
    ids=["a write that is acknowledged before it is there", "work that is done twice", "an erase that leaves the text"],
)
def test_what_is_spoilt_is_found_and_told_with_its_story(
    tmp_path: Path, spoilt_by: str, kills: int, found: str
) -> None:
    code, report = soaked(tmp_path, "--kills", str(kills), "--served", "0", spoilt_by=spoilt_by)
    assert code == 1
    assert report["found"][found] > 0
    violations = [each for each in report["violations"] if each["found"]["sort"] == found]
    assert all(each["kill"] <= report["kills"] for each in violations)
    # What is shared was written by others: their part of the story is not this process's.
    assert any("acknowledged" in line for each in violations for line in each["story"]), violations
