"""Other processes of this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PS_SECONDS = 2.0


def is_alive(pid: int) -> bool:
    """Whether a process exists, also if it belongs to another user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def started_at(pid: int) -> str:
    """When a process started, in a form that only compares; empty where it cannot be told.

    The system gives the number of a dead process to a new one: number and start together name a process for good.
    """
    if sys.platform != "linux":
        return _start_by_ps(pid)
    try:
        # The name of the program is in parentheses and may contain anything.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _start_by_ps(pid: int) -> str:
    import subprocess

    command = ["/bin/ps", "-o", "lstart=", "-p", str(pid)]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=_PS_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return " ".join(found.stdout.split())
