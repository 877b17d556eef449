"""The command as a process: what it imports, its exit codes, pipes, and the real model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cortex import settings
from cortex._version import __version__
from cortex.providers.models import EMBEDDER, ModelState, ModelStore

HEAVY = {"typer", "rich", "pydantic", "numpy", "onnxruntime", "sqlite3", "asyncio"}
RUNTIME = {"onnxruntime", "numpy"}


def cortex(
    *arguments: str, python: Sequence[str] = (), stdin: bytes | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *python, "-m", "cortex", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        input=None if stdin is None else stdin.decode("utf-8", "surrogateescape"),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"} | variables,
    )


def imported(said: subprocess.CompletedProcess[str]) -> set[str]:
    """The packages a process imported, told by `-X importtime`."""
    names = (line.rpartition("|")[2].strip() for line in said.stderr.splitlines() if line.startswith("import time:"))
    return {name.partition(".")[0] for name in names}


def test_the_version_is_printed_without_importing_anything_heavy() -> None:
    said = cortex("--version", python=["-X", "importtime"])
    assert said.stdout == f"cortex {__version__}\n"
    assert imported(said) & HEAVY == set()


def test_help_needs_no_engine(tmp_path: Path) -> None:
    said = cortex("recall", "--help", "--home", str(tmp_path / "home"), python=["-X", "importtime"])
    assert "--min-score" in said.stdout
    assert imported(said) & RUNTIME == set()
    assert not (tmp_path / "home").exists()


def test_a_process_remembers_what_another_recalls(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    assert cortex("remember", "The deploy key rotates on Mondays", "--home", home).returncode == 0
    said = cortex("recall", "deploy key", "--home", home)
    assert "The deploy key rotates on Mondays" in said.stdout
    assert "\x1b" not in said.stdout
    assert said.stderr == ""


def test_errors_are_lines_and_exit_codes(tmp_path: Path) -> None:
    said = cortex("remember", " ", "--home", str(tmp_path / "home"))
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == "error: text: is empty\nhint: give some text\n"


def test_a_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    cortex("remember", "The deploy key rotates on Mondays", "--home", home)
    lines = "\n".join(
        json.dumps({"type": "memory", "id": f"01a1e124-5208-7180-9d7e-{number:012x}", "text": f"note {number} " * 20,
                    "created_at": "2026-01-01"})
        for number in range(2_000)
    )  # fmt: skip
    assert cortex("import", "-", "--home", home, stdin=lines.encode()).returncode == 0
    command = (
        f"{sys.executable} -m cortex export --with-text --home {home} | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    )
    said = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"},
    )
    assert (said.stdout.strip(), said.stderr) == ("141", "")


def _model_is_here() -> bool:
    models = ModelStore(settings.models_home(settings.default_home()))
    return {each.model.name: each.state for each in models.status()}[EMBEDDER.name] is ModelState.READY


@pytest.mark.skipif(not _model_is_here() and "CI" not in os.environ, reason="the model is not here: make models")
def test_the_real_model_finds_what_shares_no_word_with_the_question(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    for text in ("Mara is allergic to walnuts", "The studio is in Porto", "Invoices go out on the first"):
        assert cortex("remember", text, "--home", home, CORTEX_EMBEDDING__PROVIDER="local").returncode == 0
    said = cortex("search", "which nut makes her ill?", "--home", home, "--json", CORTEX_EMBEDDING__PROVIDER="local")
    told = json.loads(said.stdout)
    assert told["degraded"] == []
    assert told["hits"][0]["trace"]["text"] == "Mara is allergic to walnuts"
    assert told["hits"][0]["legs"] == ["vector"]
