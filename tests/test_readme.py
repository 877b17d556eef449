"""The code of the README and of the guides runs as it stands."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from cortex.surfaces.cli.app import run

ROOT = Path(__file__).parent.parent
_EXTENDING = sorted((ROOT / "docs" / "extending").glob("*.md"))
PAGES = [ROOT / "README.md", *(page for page in _EXTENDING if page.name != "surfaces.md")]
"""What is not here is shown by patches, which tests/test_extending.py applies."""
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks
    monkeypatch.chdir(tmp_path)
    # By keywords alone: a reader has fetched the model, a test need not.
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    names: dict[str, object] = {"__name__": page.stem}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks:
            exec(compile(block, str(page), "exec"), names)


def test_the_example_of_the_readme_recalls_what_replaced_the_old_fact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = _BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "README.md", "exec"), {})
    assert "Rotterdam" in printed.getvalue()
    assert "Oslo" not in printed.getvalue()


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    assert text.count("\n- **") == 6, "six figures; the rest is in the docs"


def test_the_commands_of_the_readme_run_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = re.findall(r"^cortex (.*?)(?:\s+#.*)?$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) >= 3
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORTEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()  # the reader has some
    (tmp_path / "notes" / "plan.md").write_text("# Plan\n" + "A line of the plan.\n" * 20, encoding="utf-8")
    for command in commands:
        assert run(shlex.split(command)) == 0, (command, capsys.readouterr())
