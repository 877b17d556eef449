"""Checks the plugin against the types of an OpenClaw release: tells when a release changes what the plugin uses.

`check_release.py [VERSION]` installs a release (the newest by default) into a temporary folder;
`check_release.py --host FOLDER` uses one that `setup_host.py` installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import setup_host

HERE = Path(__file__).parent


def check(host: Path) -> subprocess.CompletedProcess[str]:
    """Run the type checker beside the host's packages, where imports of the host are found."""
    app = host / "app"
    with tempfile.TemporaryDirectory(dir=app) as name:
        for path in HERE.iterdir():
            if path.suffix in {".js", ".json"}:
                shutil.copy(path, name)
        return subprocess.run(
            [host / "bin" / "node", app / "node_modules" / "typescript" / "bin" / "tsc", "-p", name],
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip


def report(host: Path) -> int:
    done = check(host)
    verdict = "has the types the plugin uses" if done.returncode == 0 else "changes types the plugin uses:"
    print(f"OpenClaw {setup_host.installed(host)} {verdict}")
    print(done.stdout, end="")
    return done.returncode


def main() -> int:
    if sys.argv[1:2] == ["--host"]:
        return report(Path(sys.argv[2]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        setup_host.install(Path(folder), sys.argv[1] if len(sys.argv) > 1 else "latest")
        return report(Path(folder))


if __name__ == "__main__":
    raise SystemExit(main())
