"""Measuring how memory is made and kept, from the command line (X12, S4)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Cli

FAMILY = "direct_imperative"


def test_capture_is_measured_on_labelled_turns(cli: Cli) -> None:
    """X12"""
    told = cli("measure", "capture", "--json").json
    assert told["overall"]["turns"] > 0
    assert 0 < told["overall"]["precision"] <= 1
    shown = cli("measure", "capture")
    assert shown.code == 0, shown.err
    assert "of the right kind" in shown.out


def test_what_cannot_be_measured_is_refused(cli: Cli) -> None:
    assert cli("measure", "capture", "--half", "third").code == 3
    said = cli("measure", "poisoning", "--family", "gossip")
    assert (said.code, said.error) == (2, "family: 'gossip' is no family")
    assert FAMILY in said.hint


def test_attacks_are_counted_and_leave_nothing_behind(cli: Cli) -> None:
    """S4"""
    said = cli("measure", "poisoning", "--family", FAMILY, "--per-family", "1", "--embedder", "none", "--json")
    assert (said.json["overall"]["n"], said.json["families"].keys()) == (1, {FAMILY})
    assert said.code == (0 if all(goal["met"] for goal in said.json["goals"]) else 1)
    assert not cli.home.exists()


def test_attacks_are_shown_by_family_with_the_goals(cli: Cli) -> None:
    """S4"""
    said = cli("measure", "poisoning", "--family", FAMILY, "--per-family", "1", "--embedder", "none")
    assert said.code in {0, 1}, said.err
    assert FAMILY in said.out
    assert "attacks shown as the user's own" in said.out


@pytest.mark.parametrize("arguments", [["recall", "trams"], ["measure", "--help"], ["hook", "--help"]])
def test_nothing_that_measures_is_imported_by_what_does_not(tmp_path: Path, arguments: list[str]) -> None:
    code = (
        "import sys\nfrom cortex.surfaces.cli.app import run\n"
        f"run({arguments!r} + ['--home', {str(tmp_path)!r}])\n"
        "print(sorted(name for name in sys.modules if name.startswith(('cortex.evaluation', 'cortex.capture'))),"
        " file=sys.stderr)"
    )
    variables = {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"}
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=os.environ | variables
    )
    assert (said.returncode, said.stderr) == (0, "[]\n")
