"""The quick start with the model that its reader has: what it asks is found."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cortex.surfaces.cli.app import run

PAGE = Path(__file__).parents[2] / "docs" / "quickstart.md"
_SECTION = re.compile(r"^## Remember and recall\n.*?^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_recalls_of_the_quick_start_find_the_memory(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CORTEX_HOME", str(tmp_path))
    monkeypatch.setenv("CORTEX_MODELS", str(models))
    script = _SECTION.search(PAGE.read_text(encoding="utf-8"))
    assert script is not None
    answers = {}
    for command in re.findall(r"^cortex (.*)$", script[1], re.MULTILINE):
        assert run(shlex.split(command)) == 0
        answers[command] = capsys.readouterr().out
    asked = [said for command, said in answers.items() if command.startswith("recall") and "thanks" not in command]
    assert len(asked) == 2
    for said in asked:
        assert "The deploy key rotates on Mondays" in said
        assert "no_evidence" not in said
