"""The name of this host among those that share a store: readable, made once, and kept under the home."""

from __future__ import annotations

import os
import re
import socket
from datetime import datetime
from pathlib import Path

from cortex.domain.identity import IdSource
from cortex.errors import StoreForeign, StoreUnavailable

FILE_NAME = "host"
_KNOWN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,79}")
_MOST_OF_NAME = 40
_ID_CHARS = 6


def host_id(home: Path, ids: IdSource, now: datetime) -> str:
    """The name in the file `host` of a home, which is made on first use. A copy of a home needs another."""
    path = home / FILE_NAME
    try:
        if not path.exists():
            _make(path, ids(now)[-_ID_CHARS:])
        known = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as error:
        raise StoreUnavailable(
            f"{path} cannot be used: {error.strerror}", hint="check the rights of the home"
        ) from error
    if not _KNOWN.fullmatch(known):
        raise StoreForeign(f"{path} has no name of a host", hint="put one there, such as `office-laptop`, or remove it")
    return known


def _make(path: Path, id: str) -> None:
    """Written beside it first: a reader of the file finds all of it, and of two writers one is first."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname()).strip(".-")[:_MOST_OF_NAME] or "host"
    fresh = path.with_name(f"{FILE_NAME}.{os.getpid()}.new")
    fresh.write_text(f"{name}-{id}\n", encoding="utf-8")
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
