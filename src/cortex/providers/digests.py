"""The digests of model files. A file is read to the end once, and again whenever it is no longer the same file.

    <models>/.digests.json      by path: device, inode, size, times of change, and the digest that was found

Only a digest that is the wanted one is taken from there. Whatever else it says, also where it is damaged, the file is
read: so it can cost time, and never decides that a file is another one.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

NAME = ".digests.json"

_SETTLED_NS = 2_000_000_000
"""How long ago a file must have changed for its stamp to be relied on: file systems tell times by coarse ticks, and a
second change within one of them would look like none."""


class Stamp(NamedTuple):
    """Tells one state of a file from every other, without reading it."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        found = os.stat(path)
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def is_settled(self, now: Stamp) -> bool:
        """Whether the file has been so for a while when that of `now` was written."""
        return all(abs(now.modified_ns - then) > _SETTLED_NS for then in (self.modified_ns, self.changed_ns))


class Digests:
    """The digests of the files under one directory, as found before and by now."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file = directory / NAME
        self._known: dict[str, Any] | None = None

    def match(self, path: Path, sha256: str) -> bool:
        """Whether the file at `path` has this digest; one that is not there has none."""
        try:
            stamp = Stamp.of(path)
            if self._found(path) == [*stamp, sha256]:
                return True
            digest = sha256_of(path)
            if Stamp.of(path) != stamp:  # it was written while it was read
                return False
        except OSError:
            return False
        if digest == sha256:
            self._keep(path, stamp, digest)
        return digest == sha256

    def _found(self, path: Path) -> Any:
        if self._known is None:
            self._known = self._read()
        return self._known.get(self._name(path))

    def _name(self, path: Path) -> str:
        return os.path.relpath(path, self._directory)

    def _read(self) -> dict[str, Any]:
        try:
            payload = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return payload if isinstance(payload, dict) else {}

    def _keep(self, path: Path, stamp: Stamp, digest: str) -> None:
        """Write it down beside what other processes found; where that cannot be done, the file is read again."""
        known = {name: each for name, each in self._read().items() if (self._directory / name).exists()}
        known[self._name(path)] = [*stamp, digest]
        fresh = self._file.with_name(f"{NAME}.{os.getpid()}")
        with suppress(OSError):
            try:
                fresh.write_text(json.dumps(known, indent=1), encoding="utf-8")
                # The new file tells the time as the file system does, whose clock is not always this machine's.
                if stamp.is_settled(Stamp.of(fresh)):
                    os.replace(fresh, self._file)
                    self._known = known
            finally:
                fresh.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """The digest of a file, read to the end."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
