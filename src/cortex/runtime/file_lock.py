"""A lock between the processes of one host: it ends with the process that has it, however that ends."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_WAIT = 0.02


class FileLock:
    """A lock on a file, which is made where it is first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self, seconds: float) -> Iterator[bool]:
        """Whether it is ours now, after at most so many seconds."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            until = time.monotonic() + seconds
            while not (ours := _lock_at_once(file)) and time.monotonic() < until:
                time.sleep(_WAIT)
            yield ours
        finally:
            os.close(file)

    @property
    def is_taken(self) -> bool:
        """Whether somebody has it right now."""
        if not self._path.exists():
            return False
        with self.held(0) as ours:
            return not ours


def _lock_at_once(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
