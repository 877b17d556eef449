"""New databases of tests are copies of one that Cortex created: to create its tables takes longer than most tests.

A copy is there at once and whole, whoever else opens the same path. Where it cannot be linked, such as on another file
system, Cortex creates the database itself.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

from cortex.stores.sqlite import connections
from cortex.stores.sqlite.connections import Connections

CREATED = (
    "tests/contracts/",
    "tests/engine/test_erase_interrupted.py",
    "tests/engine/test_full_disk.py",
    "tests/surfaces/test_cli_doctor.py",
    "tests/surfaces/test_cli_init.py",
    "tests/surfaces/test_home_is_private.py",
)
"""Where Cortex creates every database: tests of the store, of its files and of who may read them."""


class Copies:
    """Puts a copy where a database is to be created."""

    def __init__(self, folder: Path, create: Callable[[Path], None]) -> None:
        self._folder = folder
        self._create = create
        self._numbers = count()
        self._original = folder / "original.sqlite"
        Connections(self._original, synchronous="normal", busy_timeout_ms=60_000).close()

    def __call__(self, path: Path) -> None:
        if path.exists():
            return
        connections.make_folder(path.parent)
        copy = self._folder / f"{next(self._numbers)}.sqlite"
        shutil.copy(self._original, copy)
        try:
            os.link(copy, path)
        except OSError:
            self._create(path)
        finally:
            copy.unlink()
