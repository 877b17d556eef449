"""The file in a home that says where its server listens, so that hosts and commands on this machine find it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from cortex._version import __version__
from cortex.runtime.processes import is_alive

FILE_NAME = "server.json"

CONTRACT = 1
"""The version of what a host's plugin and this server agree on. It changes when an older plugin would misread us."""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    url: str
    pid: int
    version: str = __version__
    contract: int = CONTRACT


@contextmanager
def announced(home: Path, url: str) -> Iterator[None]:
    """The file names this process while the block runs. The file of another process is left alone."""
    path, ours = home / FILE_NAME, ServerInfo(url, os.getpid())
    if running(home) is None:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f".{FILE_NAME}.{ours.pid}")
        fresh.write_text(json.dumps(asdict(ours)))
        fresh.chmod(0o600)
        fresh.replace(path)
    try:
        yield
    finally:
        if _read(path) == ours:
            path.unlink(missing_ok=True)


def running(home: Path) -> ServerInfo | None:
    """The server of this home, if its process is alive."""
    info = _read(home / FILE_NAME)
    return info if info is not None and is_alive(info.pid) else None


def _read(path: Path) -> ServerInfo | None:
    with suppress(OSError, ValueError, TypeError):
        return ServerInfo(**json.loads(path.read_text("utf-8")))
    return None
