"""Installs Node and the coding agents into a folder, from the package registries, for the end-to-end tests.

`setup_agents.py FOLDER`. `RELEASES` are those that are tested, and replace others that are there; each agent needs its
own program alone.
OpenCode installs `OPENCODE_PLUGIN` beside its configuration when it first finds a plugin there, and answers no prompt
before that is done: for many minutes, if the registry stalls. So it is downloaded here, and the tests need no network.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "plugins" / "openclaw"))
from setup_host import install_node, installed

RELEASES = ("@anthropic-ai/claude-code@2.1.326", "@openai/codex@0.169.0", "@google/gemini-cli@0.61.0",
            "opencode-ai@1.18.33")  # fmt: skip
PROGRAMS = ("claude", "codex", "gemini", "opencode")
OPENCODE_PLUGIN = "@opencode-ai/plugin@1.18.33"
OPENCODE_FILES = "opencode"
"""The folder whose content belongs into OpenCode's configuration."""


def install(root: Path) -> None:
    app, plugin = root / "app", root / OPENCODE_FILES
    has_programs = all(
        release == f"{(package := release.rpartition('@')[0])}@{installed(root, package, program)}"
        for release, program in zip(RELEASES, PROGRAMS, strict=True)
    )
    has_plugin = _depends_on(plugin / "package.json", *OPENCODE_PLUGIN.rsplit("@", 1))
    if has_programs and has_plugin:
        return
    node, npm = install_node(root)
    if not has_programs:
        _npm_install(node, npm, app, *RELEASES)
    if not has_plugin:
        _npm_install(node, npm, plugin, "--save-exact", OPENCODE_PLUGIN)


def _depends_on(file: Path, package: str, version: str) -> bool:
    """Whether npm wrote this version into the file, which it does once everything is there."""
    return file.exists() and json.loads(file.read_text("utf-8")).get("dependencies", {}).get(package) == version


def _npm_install(node: Path, npm: Path, folder: Path, *packages: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "package.json").write_text('{"private": true}')
    subprocess.run(
        [node, npm, "install", "--no-audit", "--no-fund", *packages],
        cwd=folder, env={**os.environ, "PATH": f"{node.parent}:{os.environ['PATH']}"}, check=True,
    )  # fmt: skip


if __name__ == "__main__":
    install(Path(sys.argv[1]).resolve())
