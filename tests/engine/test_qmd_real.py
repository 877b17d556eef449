"""The real `qmd` behind an engine with the settings it has by default (Q1, Q2): `make e2e-qmd`.

What the other tests try on a stand-in is tried here on the program itself, over enough and long enough notes for every
limit to matter. Where it is not installed these tests are skipped; they fail if `CORTEX_QMD` names one that is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from noted import note

from cortex.clock import SystemClock
from cortex.memory import Cortex
from cortex.settings import QmdSettings

pytestmark = pytest.mark.slow

NAMED = os.environ.get("CORTEX_QMD", "")
INSTALLED = NAMED or shutil.which("qmd", path=str(Path(__file__).parents[2] / ".qmd/node_modules/.bin"))
NOTES = 12
QUESTION = "kettle whistles"


@pytest.fixture(scope="module")
def program() -> str:
    if not INSTALLED:
        pytest.skip("no qmd: run `make e2e-qmd`")
    path = os.pathsep.join([os.path.dirname(INSTALLED), os.environ.get("PATH", os.defpath)])
    version = subprocess.run([INSTALLED, "--version"], capture_output=True, text=True, env={**os.environ, "PATH": path})
    assert version.returncode == 0, f"{INSTALLED} does not run"
    return INSTALLED


@pytest.fixture
def open_qmd(open_engine: Callable[..., Cortex], program: str, tmp_path: Path) -> Callable[..., Cortex]:
    line = "The kettle whistles whenever the water of the room boils, and nobody hears it before noon. "
    for number in range(NOTES):
        note(tmp_path / "notes" / f"room-{number}.md", f"# Room {number}\n\n{line * 20}\n")

    def opened(**qmd: object) -> Cortex:
        engine = open_engine(files={"backend": "qmd", "qmd": {"command": program, **qmd}}, clock=SystemClock())
        engine.index(tmp_path / "notes")
        return engine

    return opened


def test_the_program_answers_within_every_limit_of_the_defaults(open_qmd):
    """Q1: six results, 700 characters a snippet, 4,000 of all of them, in four seconds"""
    limits, clock = QmdSettings(), SystemClock()
    assert (limits.max_results, limits.max_snippet_chars, limits.max_injected_chars, limits.timeout_ms) == (
        6, 700, 4_000, 4_000,
    )  # fmt: skip
    engine = open_qmd()
    began = clock.monotonic()
    answer = engine.memory_search(QUESTION, max_results=NOTES)
    seconds = clock.monotonic() - began
    assert (answer["backend"], answer["fallback"]["active"]) == ("qmd", False)
    lengths = [len(result["snippet"]) for result in answer["results"]]
    print(f"qmd: {len(lengths)} results, snippets of {lengths} characters, {sum(lengths):,} in all, {seconds:.2f} s")
    assert len(lengths) == limits.max_results
    assert max(lengths) <= limits.max_snippet_chars
    assert sum(lengths) <= limits.max_injected_chars
    assert seconds <= limits.timeout_ms / 1000


def test_more_than_may_be_injected_is_cut(open_qmd):
    """Q1: what the program gives is more than fits, so the limit of the total is met and not only undercut"""
    answer = open_qmd(max_snippet_chars=200, max_injected_chars=1_000).memory_search(QUESTION, max_results=NOTES)
    lengths = [len(result["snippet"]) for result in answer["results"]]
    assert (answer["backend"], sum(lengths), max(lengths)) == ("qmd", 1_000, 200)


def test_what_it_finds_is_read_as_it_is_cited(open_qmd):
    """Q1, B10"""
    engine = open_qmd()
    for result in engine.memory_search(QUESTION)["results"]:
        lines = result["endLine"] - result["startLine"] + 1
        read = engine.memory_get(result["path"], start=result["startLine"], lines=lines)["text"]
        assert read.startswith(result["snippet"].removesuffix("..."))  # qmd marks what it cut


def test_a_program_that_is_too_slow_is_ended_and_the_index_answers(open_qmd):
    """Q1, Q2"""
    answer = open_qmd(timeout_ms=1).memory_search(QUESTION)
    assert answer["backend"] == "builtin"
    assert answer["fallback"]["active"]
    assert answer["results"]
