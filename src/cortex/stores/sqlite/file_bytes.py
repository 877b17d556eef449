"""The bytes of database files, read beside SQLite.

POSIX takes away every lock a process has on a file as soon as the process closes any descriptor of it. SQLite's own
would go too: the next process to close the database would believe to be the last, and remove the log that this one
still writes to. So a descriptor of a database is kept open, and opened once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_PIECE = 1 << 20
_KEY_BYTES = 8
_READ_AT_ONCE = 1 << 22

_lock = threading.Lock()
_kept: dict[Path, int] = {}


class FileBytes:
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
def opened(path: Path) -> Iterator[FileBytes]:
    """The bytes of a file that this process does not have open as a database."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield FileBytes(file)
    finally:
        os.close(file)


def live(path: Path) -> FileBytes:
    """The bytes of a file that SQLite may have open."""
    path = path.absolute()
    found = os.stat(path)
    with _lock:
        kept = _kept.get(path)
        if kept is None or not os.path.samestat(os.fstat(kept), found):
            if kept is not None:
                os.close(kept)  # of a file that is no longer there: nobody has that one open
            kept = _kept[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return FileBytes(kept)


def find(content: FileBytes, needles: Mapping[bytes, str]) -> set[str]:
    """What stands in some bytes, each needle by its name. They are read once, however many needles there are."""
    found: set[str] = set()
    by_key: dict[int, list[bytes]] = {}
    for needle in needles:
        by_key.setdefault(int.from_bytes(needle[:_KEY_BYTES], "little"), []).append(needle)
    if by_key:
        for key, at in _places(content, np.array(sorted(by_key), dtype="<u8")):
            # From the first place on, once for each needle: also where its beginning stands everywhere.
            found |= {needles[needle] for needle in by_key.pop(key) if content.find(needle, at) >= 0}
    return found


def _places(content: FileBytes, keys: np.ndarray) -> Iterator[tuple[int, int]]:
    """Where each of the keys, the first eight bytes of something, stands first."""
    begins = np.zeros(1 << 16, dtype=bool)
    begins[(keys & np.uint64(0xFFFF)).astype(np.intp)] = True
    seen: set[int] = set()
    for start in range(0, len(content), _READ_AT_ONCE):
        chunk = content[start : start + _READ_AT_ONCE + _KEY_BYTES - 1]
        first: dict[int, int] = {}
        for shift in range(min(_KEY_BYTES, len(chunk) - _KEY_BYTES + 1)):
            words = np.frombuffer(chunk, dtype="<u8", count=(len(chunk) - shift) // _KEY_BYTES, offset=shift)
            likely = np.flatnonzero(begins[(words & np.uint64(0xFFFF)).astype(np.intp)])
            at = np.minimum(np.searchsorted(keys, words[likely]), len(keys) - 1)
            for number in likely[keys[at] == words[likely]]:
                key, place = int(words[number]), start + shift + _KEY_BYTES * int(number)
                first[key] = min(place, first.get(key, place))
        yield from ((key, place) for key, place in first.items() if key not in seen)
        seen |= first.keys()
