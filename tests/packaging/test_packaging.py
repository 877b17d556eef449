"""The package as others get it: what is in it, and that it works where nothing else is (X19)."""

from __future__ import annotations

import email
import json
import re
import tarfile
import tomllib
import zipfile
from email.message import Message
from pathlib import Path, PurePosixPath
from typing import Any

import environments
import pytest
from environments import KEYWORDS_ALONE, ROOT, Environment

from cortex._version import DISTRIBUTION, __version__
from cortex.surfaces.openclaw.plugin_files import PluginFolder

PLUGIN = "src/cortex/surfaces/openclaw/plugin/"
AGENTS = "src/cortex/surfaces/hosts/plugin/"
DERIVED = {"__pycache__", ".DS_Store", "results"}
STATEMENT = "The deploy key rotates on Mondays"
QUESTION = "when does the deploy key rotate?"


def files_under(folder: Path) -> set[str]:
    """What belongs to the tree, by its name under the root; not what was derived from it."""
    found = (path.relative_to(ROOT) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if not DERIVED & set(path.parts) and path.suffix != ".pyc"}


# --- what is in it ----------------------------------------------------------------------------------------------------


def test_the_wheel_has_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {f"src/{name}" for name in archive.namelist() if ".dist-info/" not in name}
    plugin = {name for name in names if name.startswith((PLUGIN, AGENTS))}
    assert names - plugin == files_under(ROOT / "src" / "cortex")
    assert "src/cortex/py.typed" in names


def test_the_wheel_has_the_plugin_of_openclaw_as_the_installer_copies_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name.removeprefix(PLUGIN[4:]) for name in archive.namelist() if name.startswith(PLUGIN[4:])}
    assert shipped == set(PluginFolder(ROOT / "plugins" / "openclaw").files())
    assert {"index.js", "openclaw.plugin.json", "package.json"} <= shipped


def test_the_wheel_has_what_coding_agents_get(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name.removeprefix(AGENTS[4:]) for name in archive.namelist() if name.startswith(AGENTS[4:])}
    folder = "plugins/coding-agents/"
    assert shipped == {name.removeprefix(folder) for name in files_under(ROOT / folder)} - {"README.md"}


def test_what_only_maintainers_measure_with_is_not_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert [name for name in names if name.startswith("bench/") or name.endswith(".jsonl")] == []
    assert [name for name in names if re.search("poison|gold(?!en)|judg|fit_|labeled", name)] == []
    assert "cortex/evaluation/runner.py" in names


def test_the_source_archive_has_what_the_project_is_made_of_and_nothing_derived(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {PurePosixPath(*PurePosixPath(each.name).parts[1:]).as_posix() for each in archive if each.isfile()}
    included = _project()["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"src", "tests", "docs", "packaging", "Dockerfile", "LICENSE", "NOTICE", "Makefile"} <= set(included)
    meant = set().union(*(files_under(ROOT / each) if (ROOT / each).is_dir() else {each} for each in included))
    assert names == meant | {"pyproject.toml", ".gitignore", "PKG-INFO"}
    assert sdist.stat().st_size < 8 << 20


def test_the_package_says_what_it_is(wheel: Path) -> None:
    told = metadata(wheel)
    assert (told["Name"], told["Version"]) == (DISTRIBUTION, __version__)
    assert told["Requires-Python"] == ">=3.11"
    assert told["License-Expression"] == "Apache-2.0"
    assert told["Description-Content-Type"] == "text/markdown"
    assert str(told.get_payload()).startswith("# Cortex\n")
    with zipfile.ZipFile(wheel) as archive:
        kept = {PurePosixPath(name).name for name in archive.namelist() if ".dist-info/licenses/" in name}
        (entry_points,) = (name for name in archive.namelist() if name.endswith("/entry_points.txt"))
        assert "\ncortex = cortex.__main__:main\n" in archive.read(entry_points).decode()
    assert kept == set(told.get_all("License-File", ())) == {"LICENSE", "NOTICE"}


def test_every_extra_that_anything_tells_to_install_is_there(wheel: Path) -> None:
    pages = [ROOT / "README.md", ROOT / "Dockerfile", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    named = re.compile(r"(?:memory-cortex|\.whl|'\.)\[([a-z,]+)\]|^ARG EXTRAS=(\S+)", re.MULTILINE)
    told = {
        extra
        for page in pages
        for found in named.findall(page.read_text(encoding="utf-8"))
        for extra in "".join(found).split(",")
    }
    assert {"local", "serve", "mcp"} <= told
    assert told <= set(metadata(wheel).get_all("Provides-Extra", ()))


# --- without any extra ------------------------------------------------------------------------------------------------


def test_a_plain_install_is_whole_and_brings_nothing_heavy(plain: Path, plainly: Environment) -> None:
    assert "No broken requirements found" in environments.pip(plain, "check")
    assert plainly.cortex("--version").stdout == f"cortex {__version__}\n"
    heavy = ("onnxruntime", "fastapi", "uvicorn", "pydantic", "mcp", "httpx")
    asked = f"import cortex, importlib.util as u; print(cortex.__file__, *map(u.find_spec, {heavy!r}))"
    said = plainly.run(str(plainly.python), "-c", asked).stdout.split()
    assert said[1:] == ["None"] * len(heavy)
    assert Path(said[0]).is_relative_to(plain)


def test_a_plain_install_remembers_and_recalls(plainly: Environment) -> None:
    assert plainly.cortex("init", "--yes", "--embedder", "none").returncode == 0
    assert plainly.cortex("remember", STATEMENT).returncode == 0
    said = plainly.cortex("recall", QUESTION)
    assert (said.returncode, STATEMENT in said.stdout, said.stderr) == (0, True, "")
    assert [path.name for path in plainly.home.iterdir()] == [".cortex"]
    wanting = {"CORTEX_EMBEDDING__PROVIDER": "local"}
    said = plainly.cortex("recall", QUESTION, **wanting)  # by keywords, though the model that is wanted is not there
    assert (said.returncode, STATEMENT in said.stdout) == (0, True)
    assert "memory-cortex[local]" in plainly.cortex("status", **wanting).stdout


def test_a_plain_install_has_the_plugin_of_openclaw_and_says_what_its_server_needs(plainly: Environment) -> None:
    host = plainly.home / ".openclaw"
    host.mkdir()
    said = plainly.cortex("hosts", "install", "openclaw", "--yes")
    assert (said.returncode, said.stderr) == (0, "")
    assert PluginFolder(host / "extensions" / "cortex").is_same(PluginFolder(ROOT / "plugins" / "openclaw"))
    assert "memory-cortex[serve]" in plainly.cortex("hosts", "doctor", "openclaw").stdout
    assert plainly.cortex("hosts", "uninstall", "openclaw", "--yes").returncode == 0
    assert list(host.iterdir()) == []


def test_a_plain_install_can_be_used_in_a_coding_agent(plainly: Environment) -> None:
    host = plainly.home / ".claude"
    host.mkdir()
    said = plainly.cortex("hosts", "install", "claude-code", "--yes")
    assert (said.returncode, said.stderr) == (0, "")
    assert "hook event" in (host / "skills" / "cortex" / "hooks" / "hooks.json").read_text()
    assert plainly.cortex("hosts", "uninstall", "claude-code", "--yes").returncode == 0
    assert list(host.iterdir()) == []


@pytest.mark.parametrize("verb", ["serve", "mcp"])
def test_a_verb_whose_extra_is_missing_says_exactly_what_to_install(plainly: Environment, verb: str) -> None:
    said = plainly.cortex(verb, "--json", **KEYWORDS_ALONE)
    assert said.returncode == 21
    assert json.loads(said.stderr)["error"]["hint"] == f"pip install 'memory-cortex[{verb}]'"


# --- with the extras --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_install_with_extras_serves_its_routes_and_its_dashboard(full: Path, fully: Environment) -> None:
    assert "No broken requirements found" in environments.pip(full, "check")
    command = [str(full / "bin" / "cortex"), "--json", "serve", "--port", "0"]
    with fully.serving(command, **KEYWORDS_ALONE) as server:
        assert server.get("/health") == (200, b'{"status":"ok"}')
        assert server.get("/")[1] == (ROOT / "src/cortex/surfaces/dashboard/static/index.html").read_bytes()
        for name in sorted(files_under(ROOT / "src/cortex/surfaces/dashboard/static")):
            status, content = server.get(f"/assets/{name.partition('/static/')[2]}")
            assert (name, status, content) == (name, 200, (ROOT / name).read_bytes())
        assert server.end() == 0


@pytest.mark.slow
def test_an_install_with_extras_answers_an_mcp_host(fully: Environment) -> None:
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked})
    said = fully.run("/bin/sh", "-c", f"echo '{line}' | cortex mcp", **KEYWORDS_ALONE)
    assert json.loads(said.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "cortex"


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
