"""Tests that share something expensive share a worker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scheduling import FIRST, TOGETHER, group_of

ROOT = Path(__file__).parent.parent


def test_every_place_of_a_group_exists() -> None:
    assert [place for place in TOGETHER if not (ROOT / place).is_dir()] == []
    assert [place for place in FIRST if not (ROOT / place).exists() or group_of(f"{place}::test_one") != place] == []


def test_tests_of_one_place_are_one_group() -> None:
    assert group_of("tests/browser/test_a.py::test_one[x]") == group_of("tests/browser/test_b.py::test_two")
    assert group_of("tests/recall/test_a.py::test_one") == group_of("tests/recall/test_a.py::TestIt::test_two[::]")
    assert group_of("tests/recall/test_a.py::test_one") != group_of("tests/recall/test_b.py::test_one")


A_TEST = """
import os, pathlib, pytest

@pytest.mark.parametrize("number", range(5))
def test_it(number):
    pathlib.Path(os.environ["PYTEST_XDIST_WORKER"]).touch()
"""


def test_a_group_is_run_by_one_worker(tmp_path: Path) -> None:
    """With the pytest and the pytest-xdist that are installed."""
    place = tmp_path / "tests" / "browser"
    place.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    for name in ("test_a.py", "test_b.py"):
        (place / name).write_text(A_TEST, encoding="utf-8")
    others = [tmp_path / "tests" / "other" / f"test_{letter}.py" for letter in "cdefg"]
    for other in (*others, tmp_path / "tests" / "soak" / "test_soak.py"):
        other.parent.mkdir(exist_ok=True)
        other.write_text("def test_one(): pass\ndef test_two(): pass\n", encoding="utf-8")
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ours["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-q", "-p", "xdist"],
        cwd=tmp_path, env=ours | {"PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), *sys.path])},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "22 passed" in done.stdout
    assert len(list(tmp_path.glob("gw*"))) == 1
