"""The versions of programs: what they print, and which is newer."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from pathlib import Path

_SECONDS = 60
_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")


def version_of(program: str | Path) -> str:
    """The version that a program prints for `--version`; empty if it prints none."""
    with suppress(OSError, subprocess.SubprocessError):
        ran = subprocess.run([str(program), "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False)
        if found := _VERSION.search(ran.stdout):
            return found[0]
    return ""


def numbers(version: str) -> tuple[int, ...]:
    """A version as numbers to compare; what follows a dash is left out."""
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("-")[0]))


def is_within(version: str, wanted: str) -> bool:
    """Whether a version is in a range such as `>=24.16.0 <25 || >=26.1.0`; nothing is wanted by an empty one."""
    return not wanted or any(
        all(_holds(numbers(version), bound) for bound in re.findall(r"[<>=]*\s*[\d.]+", part))
        for part in wanted.split("||")
    )


def _holds(version: tuple[int, ...], bound: str) -> bool:
    least = numbers(bound)
    if bound.startswith(">="):
        return version >= least
    return version < least if bound.startswith("<") else version[: len(least)] == least
