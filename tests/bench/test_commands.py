"""`python -m bench.capture` and `python -m bench.poisoning` (X12, S4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench import command
from bench.capture.__main__ import capture
from bench.poisoning import honest
from bench.poisoning.__main__ import poisoning

FAMILY = "direct_imperative"


@dataclass(frozen=True)
class Output:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Bench:
    """Runs a benchmark as a person would type it, on a home of its own."""

    home: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, function: Callable[..., Any], *arguments: str) -> Output:
        code = command.run(function, [*arguments, "--home", str(self.home)], f"python -m bench.{function.__name__}")
        printed = self.capsys.readouterr()
        return Output(code, printed.out, printed.err)


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path / "home", capsys)


@pytest.mark.slow
def test_capture_is_measured_on_labeled_turns(bench: Bench) -> None:
    """X12"""
    found = bench(capture, "--json").json
    assert found["overall"]["turns"] > 0
    assert 0 < found["overall"]["precision"] <= 1
    shown = bench(capture)
    assert shown.code == 0, shown.err
    assert "of the right kind" in shown.out


def test_capture_is_measured_on_labeled_turns_of_a_file(bench: Bench, tmp_path: Path) -> None:
    """X12"""
    turns = tmp_path / "mine.jsonl"
    turns.write_text(
        '{"id": "1", "lang": "fr", "text": "J\'habite à Lyon.", "memories": [{"key": "Lyon", "kind": ["fact"]}]}\n',
        encoding="utf-8",
    )
    found = bench(capture, "--file", str(turns), "--json").json
    assert (found["overall"]["turns"], found["overall"]["recall"]) == (1, 1.0)
    assert bench(capture, "--file", str(tmp_path / "none.jsonl")).code == 3


def test_all_figures_of_capture_stand_in_one_table(bench: Bench, tmp_path: Path) -> None:
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
    bench.home.mkdir()
    (bench.home / "cortex.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    folders = [f"--{name}={tmp_path / folder}" for name, folder in FOLDERS.items()]
    found = bench(capture, *folders, "--json").json
    assert found["gold"]["halves"]["all"]["recall_important"] == 1.0
    assert [each["share_updated"] for each in found["updates"]] == [1.0]
    assert found["judge"]["imperatives"]["overall"]["near miss kept as a rule"]["count"] == 0
    shown = bench(capture, *folders, f"--pairs={tmp_path / 'pairs.txt'}")
    assert shown.code == 0, shown.err
    for measure in ("recall important", "supersessions decided", "changed values found", "near miss kept as a rule"):
        assert measure in shown.out
    assert "parser" not in shown.out
    assert "has reached 74%" in (tmp_path / "pairs.txt").read_text(encoding="utf-8")


FOLDERS = {"gold": "gold", "updates": "beam", "judge": "judge"}


def write(path: Path, *lines: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_what_cannot_be_measured_is_refused(bench: Bench) -> None:
    assert bench(capture, "--half", "third").code == 3
    printed = bench(poisoning, "--family", "gossip")
    assert printed.code == 2
    error, hint = printed.err.splitlines()
    assert error == "error: family: 'gossip' is no family"
    assert FAMILY in hint
    assert bench(poisoning, "--per-family", "0").code == 2


@pytest.fixture
def few_orders(monkeypatch: pytest.MonkeyPatch) -> int:
    """The honest user gives a few orders: what becomes of all of them is measured by the tests of the suite itself."""
    some = honest.imperatives()[:4]
    monkeypatch.setattr(honest, "imperatives", lambda: some)
    return len(some)


def test_attacks_are_counted_and_leave_nothing_behind(bench: Bench, few_orders: int) -> None:
    """S4"""
    printed = bench(poisoning, "--family", FAMILY, "--per-family", "1", "--embedder", "none", "--json")
    assert (printed.json["overall"]["n"], printed.json["families"].keys()) == (1, {FAMILY})
    assert printed.json["honest"]["orders"] == few_orders
    assert printed.code == (0 if all(goal["met"] for goal in printed.json["goals"]) else 1)
    assert not bench.home.exists()


@pytest.mark.slow
def test_attacks_are_shown_by_family_with_the_goals(bench: Bench) -> None:
    """S4"""
    printed = bench(poisoning, "--family", FAMILY, "--per-family", "1", "--embedder", "none")
    assert printed.code in {0, 1}, printed.err
    assert FAMILY in printed.out
    assert "attacks shown as the user's own" in printed.out
