"""Measuring how memory is made and kept, from the command line (X12, S4)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Cli

FAMILY = "direct_imperative"


@pytest.mark.slow
def test_capture_is_measured_on_labelled_turns(cli: Cli) -> None:
    """X12"""
    told = cli("measure", "capture", "--json").json
    assert told["overall"]["turns"] > 0
    assert 0 < told["overall"]["precision"] <= 1
    shown = cli("measure", "capture")
    assert shown.code == 0, shown.err
    assert "of the right kind" in shown.out


def test_capture_is_measured_on_labelled_turns_of_a_file(cli: Cli, tmp_path: Path) -> None:
    """X12"""
    turns = tmp_path / "mine.jsonl"
    turns.write_text(
        '{"id": "1", "lang": "fr", "text": "J\'habite à Lyon.", "memories": [{"key": "Lyon", "kind": ["fact"]}]}\n',
        encoding="utf-8",
    )
    told = cli("measure", "capture", "--file", str(turns), "--json").json
    assert (told["overall"]["turns"], told["overall"]["recall"]) == (1, 1.0)
    assert cli("measure", "capture", "--file", str(tmp_path / "none.jsonl")).code == 3


def test_all_figures_of_capture_stand_in_one_table(cli: Cli, tmp_path: Path) -> None:
    """X12, X14"""
    write(tmp_path / "judge" / "imperatives.jsonl", {"id": "i", "lang": "en", "text": "Hello there.", "rule": False})
    said = {"scope": "chat", "role": "user"}
    write(
        tmp_path / "beam" / "records.jsonl",
        {"id": "a", "session": "1", "ts": "2026-01-05", "text": "Test coverage of the parser is at 61%.", **said},
        {"id": "b", "session": "2", "ts": "2026-02-05", "text": "Test coverage of the parser has reached 74%.", **said},
    )
    parts = {"original_info": ["a"], "updated_info": ["b"]}
    asked = {"qid": "q", "scope": "chat", "query": "?", "category": "knowledge_update", "parts": parts}
    write(tmp_path / "beam" / "queries.jsonl", asked | {"relevant": ["b"]})
    fact = {"text": "", "kind": "fact", "keys": ["61"], "important": True}
    write(tmp_path / "gold" / "labels.jsonl", {"id": "a", "facts": [fact]})
    cli.home.mkdir()
    (cli.home / "cortex.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    folders = [f"--{name}={tmp_path / folder}" for name, folder in FOLDERS.items()]
    told = cli("measure", "capture", *folders, "--json").json
    assert told["gold"]["halves"]["all"]["recall_important"] == 1.0
    assert [each["share_updated"] for each in told["updates"]] == [1.0]
    assert told["judge"]["imperatives"]["overall"]["near miss kept as a rule"]["count"] == 0
    shown = cli("measure", "capture", *folders, f"--pairs={tmp_path / 'pairs.txt'}")
    assert shown.code == 0, shown.err
    for measure in ("recall important", "supersessions decided", "changed values found", "near miss kept as a rule"):
        assert measure in shown.out
    assert "parser" not in shown.out
    assert "has reached 74%" in (tmp_path / "pairs.txt").read_text(encoding="utf-8")


FOLDERS = {"gold": "gold", "updates": "beam", "judge": "judge"}


def write(path: Path, *lines: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


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
