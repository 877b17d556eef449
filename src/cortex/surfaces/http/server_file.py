"""The file in a home that says where its server listens, so that hosts and commands on this machine find it."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cortex._version import __version__
from cortex.runtime.processes import is_alive, started_at

FILE_NAME = "server.json"

CONTRACT = 1
"""The version of what a host's plugin and this server agree on. It changes when an older plugin would misread us."""

LOOK_SECONDS = 2.0
"""How often a second server looks whether it is the only one left, and can be found instead."""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    url: str
    pid: int
    started: str = ""
    """When the process started: another one may have its number by now. On Linux, field 22 of `/proc/PID/stat`."""
    version: str = __version__
    contract: int = CONTRACT
    token: str = field(default="", repr=False)
    """It has the right `host`, for the other hosts of this home. Whoever can read it can read the memory itself."""


@contextmanager
def announced(home: Path, url: str, token: str = "") -> Iterator[None]:
    """The file names this process while the block runs, or as soon as the server that it names has ended."""
    ours = ServerInfo(url, os.getpid(), started_at(os.getpid()), token=token)
    ended = threading.Event()
    _announce(home, ours)
    watcher = threading.Thread(target=_keep_announced, args=(home, ours, ended), name="cortex-announce", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        path = home / FILE_NAME
        if _read(path) == ours:
            path.unlink(missing_ok=True)


def running(home: Path) -> ServerInfo | None:
    """The server of this home, if its process is alive."""
    info = _read(home / FILE_NAME)
    if info is None or not is_alive(info.pid):
        return None
    return info if not info.started or started_at(info.pid) in {info.started, ""} else None


def _keep_announced(home: Path, ours: ServerInfo, ended: threading.Event) -> None:
    while not ended.wait(LOOK_SECONDS):
        with suppress(OSError):  # a full disk, or a home that was removed: look again later
            _announce(home, ours)


def _announce(home: Path, ours: ServerInfo) -> None:
    """Write the file, unless it names a server that runs: that one is left alone."""
    if running(home) is not None:
        return
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = home / f".{FILE_NAME}.{ours.pid}"
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps(asdict(ours)))
    fresh.replace(home / FILE_NAME)


def _read(path: Path) -> ServerInfo | None:
    with suppress(OSError, ValueError, TypeError):
        return ServerInfo(**json.loads(path.read_text("utf-8")))
    return None
