"""Installs Node and the coding agents into a folder, from the package registries, for the end-to-end tests.

`setup_agents.py FOLDER`. `RELEASES` are those that are tested; each agent needs its own program alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "plugins" / "openclaw"))
from setup_host import install_node

RELEASES = ("@anthropic-ai/claude-code@2.1.326", "@openai/codex@0.169.0", "@google/gemini-cli@0.61.0",
            "opencode-ai@1.18.33")  # fmt: skip


def install(root: Path) -> None:
    app = root / "app"
    programs = app / "node_modules" / ".bin"
    if all((programs / name).exists() for name in ("claude", "codex", "gemini", "opencode")):
        return
    node, npm = install_node(root)
    app.mkdir(exist_ok=True)
    (app / "package.json").write_text('{"private": true}')
    subprocess.run(
        [node, npm, "install", "--no-audit", "--no-fund", *RELEASES],
        cwd=app, env={**os.environ, "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}, check=True,
    )  # fmt: skip


if __name__ == "__main__":
    install(Path(sys.argv[1]).resolve())
