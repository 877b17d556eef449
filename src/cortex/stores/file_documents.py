"""Documents as files in one folder, for the processes of one machine.

A file is replaced whole: readers see the old or the new content, also after a crash. A file that others may write is
refused.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from cortex.errors import StoreBusy, StoreCorrupt, StoreUnavailable, full_disk
from cortex.ports.documents import Bodies, Document

T = TypeVar("T")

PATIENCE_SECONDS = 10.0
"""How long a change waits for one by another process."""

_MOST_BYTES = 64 * 1024 * 1024
_PAUSE_SECONDS = 0.02


class FileDocuments:
    """The documents in `folder`; each has a lock file beside it."""

    is_shared = False

    def __init__(self, folder: Path, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._folder = folder
        self._patience_seconds = patience_seconds

    def where(self, name: str) -> str:
        return str(self._folder / name)

    def version(self, name: str) -> _Stamp | None:
        path = self._folder / name
        with _named_errors(path):
            try:
                return _Stamp.of(os.stat(path))
            except FileNotFoundError:
                return None

    def read(self, name: str) -> Document | None:
        with _named_errors(self._folder / name):
            found = _read(self._folder / name)
        return None if found is None else Document(*found)

    def change(self, names: Sequence[str], edit: Callable[[Bodies], T], *, wait: bool = True) -> T:
        paths = {name: self._folder / name for name in names}
        with _named_errors(paths[names[0]]), self._locked(paths[names[0]], wait):
            before = {name: _read(path) for name, path in paths.items()}
            bodies: Bodies = {name: found and found[1] for name, found in before.items()}
            result = edit(bodies)
            for name in reversed(names):
                found, body = before[name], bodies[name]
                if body is not None and (found is None or body != found[1]):
                    _write(paths[name], body, found and found[0])
            for name in names:
                if bodies[name] is None and before[name] is not None:
                    paths[name].unlink(missing_ok=True)
                    _sync_folder(self._folder)
            return result

    def close(self) -> None:
        """There is nothing to close."""

    @contextmanager
    def _locked(self, path: Path, wait: bool) -> Iterator[None]:
        _make_private(path.parent)
        # A separate lock file, because every change replaces the document. Closing it releases the lock.
        with open(path.with_name(f"{path.name}.lock"), "ab", opener=_privately) as lock:
            _wait_for(lock.fileno(), path, self._patience_seconds if wait else 0.0)
            yield


class _Stamp(NamedTuple):
    """Identifies one state of a file: each change writes a new file with a later time."""

    inode: int
    modified_ns: int
    changed_ns: int
    size: int

    @classmethod
    def of(cls, found: os.stat_result) -> _Stamp:
        return cls(found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size)


def _wait_for(lock: int, path: Path, seconds: float) -> None:
    for _ in range(max(1, round(seconds / _PAUSE_SECONDS))):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_SECONDS)
        else:
            return
    raise StoreBusy(f"{path} is being changed by another process", hint="try again in a moment")


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise full_disk(error, path) or StoreUnavailable(
            f"{path} cannot be used: {error.strerror or error}", hint="check the owner and the permissions"
        ) from error


def _read(path: Path) -> tuple[_Stamp, bytes] | None:
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            _refuse_unsafe(found, path)
            return _Stamp.of(found), file.read()
    except FileNotFoundError:
        return None


def _refuse_unsafe(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
        raise StoreCorrupt(f"{path} is damaged, so it is not used", hint="restore it from a copy, or move it away")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StoreUnavailable(
            f"{path} can be written by others, so it is not used",
            hint=f"run `chmod 600 {path}`, then check its content; `cortex admin tokens list` shows all tokens",
        )


def _write(path: Path, content: bytes, before: _Stamp | None) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # left by a crash
    try:
        with open(fresh, "xb", opener=_privately) as file:
            file.write(content)
            file.flush()
            _make_later(file.fileno(), before)
            os.fsync(file.fileno())
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _make_later(file: int, before: _Stamp | None) -> None:
    """Give each change a later time, even within one tick of the clock or after it steps back."""
    found = os.fstat(file)
    if before is not None and found.st_mtime_ns <= before.modified_ns:
        os.utime(file, ns=(found.st_atime_ns, before.modified_ns + 1))


def _sync_folder(folder: Path) -> None:
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def _make_private(folder: Path) -> None:
    for each in reversed((folder, *folder.parents)):
        if not each.exists():  # `parents=True` would create the folders in between readable by everyone
            each.mkdir(mode=0o700, exist_ok=True)


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _without_waiting(path: str, flags: int) -> int:
    # Opening a named pipe would otherwise block.
    return os.open(path, flags | os.O_NONBLOCK)
