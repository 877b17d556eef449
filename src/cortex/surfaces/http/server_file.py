"""The file in a home that says where its server listens, so that hosts and commands on this machine find it.

Its writer holds a lock while it runs, which the kernel releases however it ends: a file without a locked lock is stale,
whatever process has its pid now. `cortex hook` reads this in every turn, so it imports nothing that is slow to load.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

from cortex._version import __version__
from cortex.surfaces.quick_json import loads

TYPE_CHECKING = False  # as `typing` has it, which is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FILE_NAME = "server.json"
LOCK_NAME = "server.lock"
SETTINGS_NAME = "cortex.toml"

CONTRACT = 1
"""The version of what a host's plugin and this server agree on. It changes when an older plugin would misread us."""

_SCHEME = "http://"
_ANYWHERE = {"http://0.0.0.0:": "http://127.0.0.1:", "http://[::]:": "http://[::1]:"}
_NUMBERS = frozenset({"pid", "deadline_ms", "ingest_timeout_ms", "contract"})
_MOST_BYTES = 1 << 16
_LOCK_ATTEMPTS, _LOCK_PAUSE = 20, 0.05

LOOK_SECONDS = 2.0
"""How often a second server looks whether it is the only one left, and can be found instead."""


class Untrusted(Exception):
    """The file may have been written by somebody else, or read by others."""


class ServerInfo:
    """What a server says of itself: where it is, and what a hook has to know before it asks."""

    __slots__ = ("agent", "contract", "deadline_ms", "ingest_timeout_ms", "pid", "settings", "token", "url", "user",
                 "version")  # fmt: skip

    def __init__(
        self,
        *,
        url: str,
        pid: int,
        token: str,
        agent: str,
        user: str,
        deadline_ms: int,
        ingest_timeout_ms: int,
        settings: str,
        version: str = __version__,
        contract: int = CONTRACT,
    ) -> None:
        self.url = url
        self.pid = pid
        self.token = token
        """A secret of this run of the server, for programs that can read this file."""
        self.agent, self.user = agent, user
        """The defaults in the settings file."""
        self.deadline_ms, self.ingest_timeout_ms = deadline_ms, ingest_timeout_ms
        self.settings = settings
        """Identifies the settings file that the server has read."""
        self.version = version
        self.contract = contract

    @classmethod
    def of(cls, payload: dict[str, Any]) -> ServerInfo:
        """Read what `to_json` wrote; `TypeError` if it is something else."""
        info = cls(**payload)
        if any(isinstance(getattr(info, name), str) == (name in _NUMBERS) for name in cls.__slots__):
            raise TypeError
        return info

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def address(self) -> tuple[str, int] | None:
        """Host and port; None unless the host is an address of this machine alone."""
        host, _, port = self.url.removeprefix(_SCHEME).rpartition(":")
        is_ours = host == "[::1]" or (host.startswith("127.") and host.replace(".", "").isdigit())
        return (host.strip("[]"), int(port)) if is_ours and port.isascii() and port.isdigit() else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ServerInfo) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.url, self.pid, self.token))


# --- reading ----------------------------------------------------------------------------------------------------------


def running(home: str) -> ServerInfo | None:
    """The server of this home, if it runs and can be used from here; `Untrusted` if its file is not private."""
    info = _read(os.path.join(home, FILE_NAME))
    if info is None or info.contract != CONTRACT or info.address is None:
        return None
    return info if info.settings == settings_stamp(home) and is_locked(home) else None


def announced(home: str) -> ServerInfo | None:
    """`running`, also for a server that read other settings or has another version."""
    try:
        info = _read(os.path.join(home, FILE_NAME))
    except Untrusted:
        return None
    return info if info is not None and is_locked(home) else None


def settings_stamp(home: str) -> str:
    """Identifies the settings file of a home as it is now."""
    try:
        found = os.stat(os.path.join(home, SETTINGS_NAME))
    except OSError:
        return ""
    return f"{found.st_mtime_ns}:{found.st_size}:{found.st_ino}"


def is_locked(home: str) -> bool:
    """Whether a server of this home runs or is starting."""
    try:
        lock = os.open(os.path.join(home, LOCK_NAME), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(lock)
    return False


def _read(path: str) -> ServerInfo | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:  # a symbolic link, or not readable
        raise Untrusted(f"{path} is not a private file") from None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise Untrusted(f"{path} is not a private file")
        content = os.read(file, _MOST_BYTES)
    finally:
        os.close(file)
    try:
        return ServerInfo.of(loads(content.decode("utf-8")))
    except (ValueError, TypeError, RecursionError):  # of another version
        return None


# --- writing ----------------------------------------------------------------------------------------------------------


def acquire(home: str, *, patience: bool = True) -> int | None:
    """Take the lock of the home's server; returns its file, or None if another server has it.

    Commands that look for a server hold the lock for a moment, so this tries again.
    """
    os.makedirs(home, mode=0o700, exist_ok=True)
    lock = os.open(os.path.join(home, LOCK_NAME), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    for attempt in range(_LOCK_ATTEMPTS if patience else 1):
        if attempt:
            time.sleep(_LOCK_PAUSE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        os.utime(lock)
        _remove(os.path.join(home, FILE_NAME))  # of a server that was killed
        return lock
    os.close(lock)
    return None


class Announcement:
    """The file names this process from `publish` to the end of the block.

    While another server of the home has the lock, it is left alone; once that has ended, the file names this one.
    """

    def __init__(self, home: str, info: ServerInfo, lock: int | None, look_seconds: float = LOOK_SECONDS) -> None:
        from threading import Event

        self._home = home
        self._path = os.path.join(home, FILE_NAME)
        self._info = info
        self._lock = lock
        self._look_seconds = look_seconds
        self._ended = Event()
        self._join: Callable[[], None] | None = None

    def __enter__(self) -> Announcement:
        return self

    def publish(self) -> None:
        """Say where the server is, now that it listens."""
        if self._lock is None:
            from cortex.runtime.pool import begin

            self._join = begin(self._wait_for_lock, "cortex-announce").join
        else:
            self._write()

    def _wait_for_lock(self) -> None:
        while self._lock is None and not self._ended.wait(self._look_seconds):
            try:
                self._lock = acquire(self._home, patience=False)
                if self._lock is not None:
                    self._write()
            except OSError:  # a full disk, or a home that was removed: look again later
                continue

    def _write(self) -> None:
        import json

        fresh = os.path.join(os.path.dirname(self._path), f".{FILE_NAME}.{os.getpid()}")
        file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with open(file, "w", encoding="utf-8") as opened:
            json.dump(self._info.to_json(), opened)
        os.replace(fresh, self._path)

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._join is not None:
            self._join()
        if self._lock is None:
            return
        _remove(self._path)
        os.close(self._lock)


def _remove(path: str) -> None:
    from contextlib import suppress

    with suppress(FileNotFoundError):
        os.unlink(path)


def reachable(url: str) -> str:
    """The address of a server from this machine, if it listens on every address."""
    for anywhere, here in _ANYWHERE.items():
        if url.startswith(anywhere):
            return here + url.removeprefix(anywhere)
    return url
