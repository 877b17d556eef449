"""The bytes of database files, read beside SQLite.

POSIX takes away every lock a process has on a file as soon as the process closes any descriptor of it. SQLite's own
would go too: the next process to close the database would believe to be the last, and remove the log that this one
still writes to. So a descriptor of a database is kept open, and opened once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PIECE = 1 << 20

_lock = threading.Lock()
_kept: dict[Path, int] = {}


class Content:
    """The bytes of a file, of which only what is looked at is in memory."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._size = os.fstat(file).st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        return os.pread(self._file, max(0, stop - start), start)

    def find(self, needle: bytes, start: int = 0) -> int:
        """Where `needle` stands first, from `start` on; -1 where it does not."""
        for place in range(start, self._size, _PIECE):
            at = self[place : place + _PIECE + len(needle) - 1].find(needle)
            if at >= 0:
                return place + at
        return -1


@contextmanager
def opened(path: Path) -> Iterator[Content]:
    """The bytes of a file that this process does not have open as a database."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield Content(file)
    finally:
        os.close(file)


def live(path: Path) -> Content:
    """The bytes of a file that SQLite may have open."""
    path = path.absolute()
    found = os.stat(path)
    with _lock:
        kept = _kept.get(path)
        if kept is None or not os.path.samestat(os.fstat(kept), found):
            if kept is not None:
                os.close(kept)  # of a file that is no longer there: nobody has that one open
            kept = _kept[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return Content(kept)
