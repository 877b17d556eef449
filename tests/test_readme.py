"""The examples of the README and of the docs run as they stand: Python, commands and settings."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from cortex import Cortex, settings
from cortex.surfaces.cli.app import belongs_to_admin, command_line, run

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
_EXTENDING = sorted((ROOT / "docs" / "extending").glob("*.md"))
_BY_PATCHES = {"surfaces.md", "import-format.md"}
PAGES = [ROOT / "README.md", *(page for page in _EXTENDING if page.name not in _BY_PATCHES)]
"""What is not here is shown by patches, which tests/test_extending.py applies."""
OVER_A_SERVER = {"client.md", "quickstart.md"}
"""Their Python is run by tests/test_docs_site.py."""
WITH_A_FRAMEWORK = {"frameworks.md"}
"""Its Python is that of the examples, which tests/integrations runs where the framework is installed."""


def host(**_: object) -> str:
    """What a reader has: a model to ask, and a screen to show its answer on."""
    return "NO_REPLY"


WITH_A_MEMORY: dict[str, dict[str, Callable[..., object]]] = {
    "editing.md": {},
    "flush.md": {"agent_turn": host, "show": host},
    "hooks.md": {"model": host},
    "http.md": {},
    "imports.md": {},
    "media.md": {},
}
"""Pages whose Python goes on from a memory of the reader's, or asks a model of the reader's."""
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SHELL = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages_with(block: re.Pattern[str]) -> list[Path]:
    """The pages that have such an example."""
    pages = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    return [page for page in pages if block.search(page.read_text(encoding="utf-8"))]


def test_every_page_with_python_is_run() -> None:
    names = {page.name for page in PAGES} | OVER_A_SERVER | WITH_A_FRAMEWORK | WITH_A_MEMORY.keys()
    assert [page.name for page in pages_with(_BLOCK) if page.name not in names] == []


@pytest.mark.parametrize("page", WITH_A_MEMORY)
def test_the_python_of_a_page_runs_on_a_memory(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("CORTEX_HOME", str(tmp_path / "home"))
    blocks = _BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    assert blocks
    with Cortex() as memory:
        memory.remember("The deploy key rotates on Mondays")
        names: dict[str, Any] = {"__name__": page, "memory": memory, **WITH_A_MEMORY[page]}
        for block in blocks:
            exec(compile(block, page, "exec"), names)
        names["memory"].close()


@pytest.mark.parametrize("page", pages_with(_SHELL), ids=lambda page: page.name)
def test_the_commands_of_a_page_are_taken_as_they_are_written(page: Path) -> None:
    """Those of the quick start and of the README are run as well."""
    for script in _SHELL.findall(page.read_text(encoding="utf-8")):
        for typed in re.findall(r"^(?:.* \| |.*/bin/)?cortex (.+)$", script.replace("\\\n", " "), re.MULTILINE):
            command = whole_command()
            rest = without(command.params, shlex.split(typed, comments=True))
            if rest and belongs_to_admin(rest[0]):
                rest.insert(0, "admin")
            while rest and rest[0] in getattr(command, "commands", {}):
                command = command.commands[rest.pop(0)]
            assert getattr(command, "invoke_without_command", True), typed
            command.make_context("cortex", rest)  # raises what the command line would say


@cache
def whole_command() -> Any:
    """The command with all its commands, which takes longer to build than to ask."""
    return typer.main.get_command(command_line())


def without(options: list[Any], words: list[str]) -> list[str]:
    """The words without the options that may stand anywhere, and without their values."""
    values = {name: 0 if option.is_flag else 1 for option in options for name in option.opts}
    rest, given = [], iter(words)
    for word in given:
        if word not in values:
            rest.append(word)
        elif values[word]:
            next(given)
    return rest


@pytest.mark.parametrize(
    "page", [page for page in pages_with(_TOML) if page.parent == DOCS], ids=lambda page: page.name
)
def test_the_settings_of_a_page_are_settings(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the guides to extending are of a package of one's own."""
    for variable in re.findall(r"\$\{(\w+)\}", page.read_text(encoding="utf-8")):
        monkeypatch.setenv(variable, "ephemeral:" if variable.endswith("_URL") else "x")
    for block in _TOML.findall(page.read_text(encoding="utf-8")):
        if block.startswith("[project."):
            continue  # of a package of the reader's
        (tmp_path / settings.FILE_NAME).write_text(block, encoding="utf-8")
        assert settings.load(tmp_path)


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
            exec(compile(block, str(page), "exec", dont_inherit=True), names)


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
