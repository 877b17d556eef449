"""A small disk of a test's own, that can be filled to the last byte and emptied again."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_BALLAST, _SPARED = "ballast", "spared"


class Disk:
    """A file system of a few megabytes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def fill(self, *, but: int = 0) -> None:
        """Take up all the space there is, `but` so many bytes of it."""
        with open(self.root / _SPARED, "wb") as spared:
            spared.write(bytes(but))
        with open(self.root / _BALLAST, "ab", buffering=0) as ballast:
            for size in (65_536, 4_096, 1):
                try:
                    while True:
                        ballast.write(bytes(size))
                except OSError as error:
                    assert error.errno == errno.ENOSPC  # noqa: PT017 - the loop ends with it
        (self.root / _SPARED).unlink()

    def free(self) -> None:
        (self.root / _BALLAST).unlink()

    def files(self) -> set[str]:
        """Every file that has something in it, without what SQLite and locks keep beside those in use."""
        there = (path for path in self.root.rglob("*") if path.is_file() and path.stat().st_size)
        found = (str(path.relative_to(self.root)) for path in there)
        return {name for name in found if not name.endswith(("-wal", "-shm", "-queue", "lock", _BALLAST))}


@contextmanager
def mounted(root: Path, megabytes: int) -> Iterator[Disk]:
    """A disk in memory at `root`; a test is skipped where none may be mounted."""
    root.mkdir()
    options = f"size={megabytes}m,mode=700"
    try:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(root)], capture_output=True, text=True, check=False
        )
        why = made.stderr.strip() if made.returncode else ""
    except FileNotFoundError:
        why = "there is no `mount`"
    if why:
        pytest.skip(f"a small disk cannot be mounted here ({why}); run as root to test a full disk")
    try:
        yield Disk(root)
    finally:
        subprocess.run(["umount", "-l", str(root)], check=True)
        os.rmdir(root)
