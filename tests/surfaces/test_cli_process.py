"""The command as a process: what it imports, its exit codes, pipes, and the real model."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

import pytest

import forking
from cortex import settings
from cortex._version import __version__
from cortex.memory import Cortex
from cortex.providers.models import EMBEDDER, ModelState, ModelStore
from sweeps import sweep

HEAVY = {"typer", "rich", "pydantic", "numpy", "onnxruntime", "sqlite3", "asyncio"}
RUNTIME = {"onnxruntime", "numpy"}


def cortex(*arguments: str, python: Sequence[str] = (), **variables: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"} | variables
    if not python and "PYTHONHASHSEED" not in variables:
        return forking.run(["-m", "cortex", *arguments], env=env)
    return subprocess.run(
        [sys.executable, *python, "-m", "cortex", *arguments], capture_output=True, text=True, timeout=120, env=env
    )


def opened(home: str) -> Cortex:
    """The memory of a home, in this process: what is there before the command starts."""
    return Cortex(Path(home), settings={"embedding": {"provider": "none"}})


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


def test_a_recall_does_without_pydantic(tmp_path: Path) -> None:
    """Importing it takes longer than all else that we import ourselves."""
    said = cortex("recall", "deploy key", "--home", str(tmp_path / "home"), python=["-X", "importtime"])
    assert said.returncode == 0
    assert "pydantic" not in imported(said)


def test_a_recall_is_replayed_by_another_process_under_the_same_recipe(tmp_path: Path) -> None:
    """E12: each process hashes names with a seed of its own; what is compared may not depend on it."""
    home = str(tmp_path / "home")
    with opened(home) as engine:
        engine.remember("The deploy key rotates on Mondays")
        receipt = engine.recall("deploy key").receipt.id
    said = [cortex("admin", "replay", receipt, "--home", home, "--json", PYTHONHASHSEED=seed) for seed in ("1", "2")]
    items = [json.loads(each.stdout) for each in said]
    assert [(each["same"], each["differences"]) for each in items] == [(True, [])] * 2


def on_a_terminal(columns: int, *arguments: str) -> list[str]:
    """The lines of a command on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    variables = {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none", "TERM": "dumb"}
    process = forking.Forked(["-m", "cortex", *arguments], stdout=theirs, env=os.environ | variables)
    os.close(theirs)
    said = b""
    try:
        while some := os.read(ours, 65_536):
            said += some
    except OSError:  # how a terminal says that nobody is left to write to it
        pass
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return said.decode().splitlines()


@pytest.mark.parametrize("columns", sweep([80, 120], [80]))
@pytest.mark.parametrize(
    "verb",
    sweep(
        [["recall", "deploy key"], ["list"], ["admin", "receipts"], ["recall", "--explain", "deploy key"]],
        [["list"]],
    ),
)
def test_an_id_is_shown_whole_and_no_line_is_wider_than_the_terminal(
    tmp_path: Path, columns: int, verb: list[str]
) -> None:
    home = str(tmp_path / "home")
    with opened(home) as engine:
        stored = engine.remember("The deploy key rotates on Mondays. " * 8)
    kept = stored.receipt.id if verb[-1] == "receipts" else stored.memory.id
    lines = on_a_terminal(columns, *verb, "--home", home)
    assert max(map(len, lines)) <= columns
    assert any("The deploy key rotates" in line for line in lines) or verb[-1] == "receipts"
    assert any(kept in line for line in lines) or "--explain" in verb


def test_errors_are_lines_and_exit_codes(tmp_path: Path) -> None:
    said = cortex("remember", " ", "--home", str(tmp_path / "home"))
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr == "error: text: is empty\nhint: give some text\n"


def test_a_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    with opened(home) as engine:
        for number in range(20):
            # Together more than a pipe takes in before somebody reads it.
            engine.remember(f"note {number} " * 1_000, as_new=True)
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
@pytest.mark.slow
def test_the_real_model_finds_what_shares_no_word_with_the_question(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    for text in ("Mara is allergic to walnuts", "The studio is in Porto", "Invoices go out on the first"):
        assert cortex("remember", text, "--home", home, CORTEX_EMBEDDING__PROVIDER="local").returncode == 0
    said = cortex("search", "which nut makes her ill?", "--home", home, "--json", CORTEX_EMBEDDING__PROVIDER="local")
    payload = json.loads(said.stdout)
    assert payload["degraded"] == []
    assert payload["hits"][0]["trace"]["text"] == "Mara is allergic to walnuts"
    assert payload["hits"][0]["legs"] == ["vector"]


@pytest.mark.skipif(not _model_is_here() and "CI" not in os.environ, reason="the model is not here: make models")
def test_the_vectors_of_an_evaluation_are_kept_where_asked(tmp_path: Path) -> None:
    record = {"id": "r1", "scope": "a", "text": "Mara is allergic to walnuts"}
    query = {"qid": "q1", "scope": "a", "query": "which nut makes her ill?", "relevant": ["r1"], "category": "one"}
    for name, line in (("records", record), ("queries", query)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    kept = tmp_path / "kept"
    kept.mkdir()
    said = cortex(
        "eval", str(tmp_path), "--cache", str(kept), "--home", str(tmp_path / "home"), "--noise",
        str(tmp_path / "records.jsonl"), "--noise-vectors", "--json", CORTEX_EMBEDDING__PROVIDER="local",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert "among 1 foreign records, with vectors" in json.loads(said.stdout)["notes"]
    assert [file.name for file in kept.glob("*.sqlite")] == ["eval-embeddings.sqlite"]
    assert not (tmp_path / "home").exists()
