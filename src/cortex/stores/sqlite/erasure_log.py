"""The log of erasures: beside the database and not in it, so that it outlives whatever is put in its place.

    main.erasures/ID.pending  one that is not finished, with all that is needed to finish it
    main.erasures/ID.json     one that is finished: ids, marks of lines, the certificate; never text
    main.erasures/lock        who may erase

A file is written whole under another name and brought to the disk before it gets its own. Where both are there, the
pending one counts: whatever is done again is done for nothing.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from cortex.domain.erasure import Erasure
from cortex.errors import StoreCorrupt
from cortex.stores.sqlite.connections import lock_at_once, named_errors, to_disk

PENDING, FINISHED = ".pending", ".json"
_WRITING = ".writing"
_WAIT = 0.02


class ErasureLog:
    """The erasures of one database."""

    def __init__(self, database: Path) -> None:
        self.folder = database.with_suffix(".erasures")

    def names(self) -> dict[str, bool]:
        """The ids of all, and whether each is pending."""
        try:
            found = [Path(name) for name in sorted(os.listdir(self.folder))]
        except FileNotFoundError:
            return {}
        finished = {each.stem: False for each in found if each.suffix == FINISHED}
        return finished | {each.stem: True for each in found if each.suffix == PENDING}

    def read(self, id: str) -> Erasure | None:
        """One of them; None where another process has withdrawn it."""
        for suffix in (PENDING, FINISHED):
            path = self.folder / f"{id}{suffix}"
            with named_errors(path):
                try:
                    return Erasure.from_json(json.loads(path.read_text(encoding="utf-8")))
                except FileNotFoundError:
                    continue
                except (ValueError, KeyError, TypeError) as error:
                    hint = "move it away; what it names is then no longer kept out of a restored backup"
                    raise StoreCorrupt(f"{path} cannot be read: {error}", hint=hint) from error
        return None

    def all(self, user: str | None = None, *, pending: bool = False) -> list[Erasure]:
        """Those of this user or of everybody, oldest first."""
        found = [self._readable(id) for id, is_pending in self.names().items() if is_pending or not pending]
        mine = [each for each in found if each is not None and user in (None, each.user)]
        return sorted(mine, key=lambda each: (each.at, each.id))

    def _readable(self, id: str) -> Erasure | None:
        """One of them; one that cannot be read is nobody's, names nothing, and says why."""
        try:
            return self.read(id)
        except StoreCorrupt as error:
            return Erasure(id=id, user="", at=datetime.fromtimestamp(0, UTC), ids=(), reason=error.message)

    def note(self, erasure: Erasure) -> None:
        """Keep an erasure in the place of what was known of it."""
        with named_errors(self.folder):
            self._make()
            pending = self.folder / f"{erasure.id}{PENDING}"
            self._write(self.folder / f"{erasure.id}{FINISHED}" if erasure.finished else pending, erasure)
            if erasure.finished:
                pending.unlink(missing_ok=True)
                to_disk(self.folder)

    def withdraw(self, id: str) -> None:
        """Drop one that is pending."""
        with named_errors(self.folder):
            (self.folder / f"{id}{PENDING}").unlink(missing_ok=True)
            to_disk(self.folder)

    @contextmanager
    def held(self, seconds: float) -> Iterator[bool]:
        """The right to erase, for one process at a time; False where another has it for so long."""
        with named_errors(self.folder):
            self._make()
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            until = time.monotonic() + seconds
            while not (ours := lock_at_once(lock)) and time.monotonic() < until:
                time.sleep(_WAIT)
            if ours:
                self._sweep()
            yield ours
        finally:
            os.close(lock)

    def _make(self) -> None:
        if not self.folder.is_dir():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            to_disk(self.folder.parent)

    def _write(self, to: Path, erasure: Erasure) -> None:
        written = to.with_name(f"{to.name}.{os.getpid()}.{threading.get_ident()}{_WRITING}")
        try:
            file = os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(file, "w", encoding="utf-8") as stream:
                json.dump(erasure.to_json(), stream)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(written, to)
            to_disk(self.folder)
        except BaseException:
            with suppress(OSError):
                written.unlink(missing_ok=True)
            raise

    def _sweep(self) -> None:
        """Remove what a crash left half written; only the process with the right to erase writes."""
        for path in self.folder.glob(f"*{_WRITING}"):
            with suppress(OSError):
                path.unlink()
