"""The file in a home that says where its server listens, so that hosts and commands on this machine find it.

Only the owner of the home can read it, as with the memory itself. It has a token with the right `host`, so that
several hosts share one server. The token ends with the server.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from cortex._version import __version__
from cortex.runtime.processes import is_alive

FILE_NAME = "server.json"

CONTRACT = 1
"""The version of what a host's plugin and this server agree on. It changes when an older plugin would misread us."""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    url: str
    pid: int
    token: str = field(repr=False)
    version: str = __version__
    contract: int = CONTRACT


@contextmanager
def announced(home: Path, url: str, token: str) -> Iterator[None]:
    """The file names this process while the block runs. The file of another process is left alone."""
    path, ours = home / FILE_NAME, ServerInfo(url, os.getpid(), token)
    if running(home) is None:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f".{FILE_NAME}.{ours.pid}")
        with open(fresh, "w", encoding="utf-8", opener=_privately) as file:
            json.dump(asdict(ours), file)
        fresh.replace(path)
    try:
        yield
    finally:
        if _read(path) == ours:
            path.unlink(missing_ok=True)


def running(home: Path) -> ServerInfo | None:
    """The server of this home, if it is alive."""
    info = _read(home / FILE_NAME)
    return info if info is not None and is_alive(info.pid) and _listens(info.url) else None


def _listens(url: str) -> bool:
    """Whether somebody listens there: after a crash, another process may have the pid."""
    address = urlsplit(url)
    try:
        socket.create_connection((address.hostname, address.port), timeout=1).close()
    except (OSError, ValueError):
        return False
    return True


def _read(path: Path) -> ServerInfo | None:
    with suppress(OSError, ValueError, TypeError):
        return ServerInfo(**json.loads(path.read_text("utf-8")))
    return None


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)
