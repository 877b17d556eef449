"""Starts a server for the hooks of a home: the next turn is answered by it, and it runs the background jobs."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from cortex.clock import SystemClock
from cortex.surfaces.cli.context import Surface, open_cortex
from cortex.surfaces.http.server_file import LOCK_NAME, acquire

if TYPE_CHECKING:
    from cortex.settings import Settings

LOG_NAME = "server.log"
IDLE_MINUTES = 30
"""How long it stays without a request."""

_RETRY_SECONDS = 60.0
"""A server that failed to start is not started again at once."""

_MOST_LOG_BYTES = 1 << 20
_NEEDED = ("fastapi", "uvicorn", "prometheus_client")


def ensure(surface: Surface, settings: Settings) -> bool:
    """Start a server unless one runs, is starting, or is not wanted; says whether one was started.

    It shares nothing with this process: an agent that waits for its hook's output must not wait for the server.
    """
    if surface.open_engine is not open_cortex or not settings.hooks.start_server or not all(map(find_spec, _NEEDED)):
        return False
    home = str(surface.root.absolute())
    with suppress(OSError):
        if _tried_recently(home) or (lock := acquire(home, patience=False)) is None:
            return False
        try:
            _spawn(home, lock)
        finally:
            os.close(lock)
        return True
    return False


def _tried_recently(home: str) -> bool:
    with suppress(FileNotFoundError):
        since = SystemClock().now().timestamp() - os.stat(os.path.join(home, LOCK_NAME)).st_mtime
        return 0 <= since < _RETRY_SECONDS
    return False


def _spawn(home: str, lock: int) -> None:
    """The lock becomes the server's stdin, so that it is never free between this process and that."""
    idle = str(IDLE_MINUTES)
    command = [sys.executable, "-m", "cortex", "--home", home, "serve", "--port", "0", "--idle-minutes", idle]
    log = _log(os.path.join(home, LOG_NAME))
    try:
        subprocess.Popen(command, stdin=lock, stdout=log, stderr=log, cwd=home, start_new_session=True)
    finally:
        os.close(log)


def _log(path: str) -> int:
    with suppress(FileNotFoundError):
        if os.stat(path).st_size > _MOST_LOG_BYTES:
            os.replace(path, f"{path}.1")
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
