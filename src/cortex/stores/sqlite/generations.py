"""Generations of an index: each is a file of its own, and a small file names the one in use.

A new generation is made beside the one in use and takes its place by one rename. Whatever happens on the way, the name
leads to a whole index: the old one until then, the new one from then on.

    main.files           which generation is in use
    main.files@N.sqlite  a generation
    main.files@N.new     one that is being made
    main.files.lock      who may change them, and the last number that was given

No agent's name has an `@` in it, so no store of another agent can be taken for a generation.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cortex.domain.scope import Tenant
from cortex.errors import StoreBusy, StoreCorrupt
from cortex.stores.sqlite.connections import lock_at_once, make_folder, named_errors, to_disk
from cortex.stores.sqlite.index import SqliteIndex, SqliteIndexView

_COMPANIONS = ("-wal", "-shm", "-queue")
_LINGER_SECONDS = 60
"""How long a generation that was replaced stays: other processes may be about to look at it."""

_WAIT = 0.02
_DIGITS = 18
_MOST_OF_NAME = 512


def create(folder: Path, name: str) -> SqliteIndexes:
    """What the registry calls: the index of one tenant's files, which begin with `name` in `folder`."""
    return SqliteIndexes(folder, name)


class SqliteIndexes:
    """The generations of one agent's index, in the folder of its store."""

    host = ""

    def __init__(self, folder: Path, agent: str, *, busy_timeout_ms: int = 5_000) -> None:
        self._folder = folder
        self._name = f"{agent}.files"
        self._busy_timeout_ms = busy_timeout_ms
        self._lock = threading.Lock()
        self._seen: tuple[Path, int] | None = None
        self._open: SqliteIndex | None = None
        self._retired: SqliteIndex | None = None

    def current(self) -> SqliteIndex | None:
        """The index in use; another process may have put another in its place since the last call."""
        with self._lock:
            seen = self._in_use()
            if seen != self._seen:
                opened = SqliteIndex(seen[0], busy_timeout_ms=self._busy_timeout_ms) if seen else None
                # The one before stays open for those who have just been handed it; the one before that is done with.
                if self._retired is not None:
                    self._retired.close()
                self._retired, self._open, self._seen = self._open, opened, seen
            return self._open

    def others(self) -> Sequence[SqliteIndex]:
        return ()

    def refresh(self) -> None:
        """Nothing to do: the file that names the index in use is read every time."""

    @contextmanager
    def views(self, tenant: Tenant, indexes: Sequence[SqliteIndex]) -> Iterator[Sequence[SqliteIndexView]]:
        with ExitStack() as stack:
            yield [stack.enter_context(index.view(tenant)) for index in indexes]

    def drop(self, host: str) -> bool:  # noqa: ARG002 - no other host has one here
        return False

    @contextmanager
    def write_lock(self, seconds: float) -> Iterator[None]:
        lock = self._lock_file()
        try:
            until = time.monotonic() + seconds
            while not lock_at_once(lock):
                if time.monotonic() >= until:
                    raise StoreBusy("the files are being indexed already", hint="wait for it, or try again later")
                time.sleep(_WAIT)
            with named_errors(self._folder):
                self._sweep()
            yield
        finally:
            os.close(lock)

    @contextmanager
    def build(self, made_with: str) -> Iterator[_IndexBuild]:
        path = self._folder / f"{self._name}@{self._next_number():06}.new"
        building = None
        try:
            building = _IndexBuild(self, SqliteIndex(path, busy_timeout_ms=self._busy_timeout_ms, made_with=made_with))
            yield building
        finally:
            if building is not None:
                building.index.close()
            _remove(path)  # gone already where it was published

    @property
    def is_building(self) -> bool:
        if not any(each.kind == "new" for each in self._generations()):
            return False
        lock = self._lock_file()
        try:
            return not lock_at_once(lock)
        finally:
            os.close(lock)

    def unused_files(self) -> list[Path]:
        named = self._generation(self._pointed() or "")
        return [each.path for each in self._generations() if named is None or each.number != named.number]

    def close(self) -> None:
        with self._lock:
            for index in (self._open, self._retired):
                if index is not None:
                    index.close()
            self._open = self._retired = self._seen = None

    def publish(self, path: Path) -> None:
        """Name the finished index at `path` as the one in use."""
        with named_errors(path):
            final = path.with_suffix(".sqlite")
            for suffix in _COMPANIONS:
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            to_disk(path)
            try:
                # First, as there may be no room for it: a generation that nobody names is of no use.
                with open(self._next_pointer, "w", encoding="utf-8", opener=_privately) as pointer:
                    pointer.write(final.name)
                to_disk(self._next_pointer)
                os.rename(path, final)
                os.replace(self._next_pointer, self._pointer)
            finally:
                self._next_pointer.unlink(missing_ok=True)
            to_disk(self._folder)

    @property
    def _pointer(self) -> Path:
        return self._folder / self._name

    @property
    def _next_pointer(self) -> Path:
        return self._folder / f"{self._name}.next"

    def _lock_file(self) -> int:
        with named_errors(self._folder):
            make_folder(self._folder)
            return os.open(self._folder / f"{self._name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _in_use(self) -> tuple[Path, int] | None:
        """The generation in use, by its path and inode; None before the first."""
        if (name := self._pointed()) is None:
            return None
        if (named := self._generation(name)) is None or not named.is_whole:
            raise StoreCorrupt(f"{self._pointer} names no index", hint=_REINDEX)
        try:
            return named.path, os.stat(named.path).st_ino
        except FileNotFoundError:
            raise StoreCorrupt(f"{named.path} is gone", hint=_REINDEX) from None

    def _pointed(self) -> str | None:
        """What the pointer says, whatever it is."""
        try:
            with open(self._pointer, "rb", buffering=0) as pointer:
                return (pointer.read(_MOST_OF_NAME) or b"").decode("utf-8", "replace").strip()
        except FileNotFoundError:
            return None

    def _generations(self) -> list[_Generation]:
        """Every file of every generation, those left behind by crashes included."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        return [found for name in names if (found := self._generation(name))]

    def _generation(self, name: str) -> _Generation | None:
        found = re.fullmatch(rf"{re.escape(self._name)}@([0-9]{{6,{_DIGITS}}})\.(sqlite|new)(-\w+)?", name)
        return _Generation(int(found[1]), found[2], found[3] or "", self._folder / name) if found else None

    def _next_number(self) -> int:
        """A number that was never used: a process that still has a removed generation open must not meet another.

        Closing a database, SQLite removes its companions by their names.
        """
        lock = self._lock_file()
        try:
            given = os.pread(lock, _DIGITS, 0)
            number = 1 + max([int(given) if given.isdigit() else 0, *(each.number for each in self._generations())])
            with named_errors(self._folder / f"{self._name}.lock"):
                os.pwrite(lock, f"{number:0{_DIGITS}}".encode(), 0)
        finally:
            os.close(lock)
        return number

    def _sweep(self) -> None:
        """Take away what a crash left behind, and generations that were replaced, the last one after a while."""
        named, found = self._generation(self._pointed() or ""), self._generations()
        kept = {named.number, *self._lingering(named.number, found)} if named else set[int]()
        for each in found:
            if each.kind == "new" or each.number not in kept:
                each.path.unlink(missing_ok=True)
        self._next_pointer.unlink(missing_ok=True)

    def _lingering(self, number: int, found: list[_Generation]) -> list[int]:
        """The generation before `number`, where it was replaced just now."""
        earlier = [each.number for each in found if each.is_whole and each.number < number]
        is_old = self._now() - self._pointer.stat().st_mtime >= _LINGER_SECONDS
        return [] if is_old or not earlier else [max(earlier)]

    def _now(self) -> float:
        """The time by the clock that stamps the files."""
        lock = self._folder / f"{self._name}.lock"
        os.utime(lock)
        return lock.stat().st_mtime


_REINDEX = "run `cortex index`: it is rebuilt from the files"


class _Generation(NamedTuple):
    """A file of a generation."""

    number: int
    kind: str
    """`sqlite`, or `new` while it is being made."""
    companion: str
    """What SQLite keeps beside it: `-wal` and such; empty for the database itself."""
    path: Path

    @property
    def is_whole(self) -> bool:
        """Whether it is the database of a finished generation."""
        return self.kind == "sqlite" and not self.companion


@dataclass(frozen=True, slots=True)
class _IndexBuild:
    home: SqliteIndexes
    index: SqliteIndex

    def publish(self) -> None:
        self.index.seal()
        self.home.publish(self.index.path)


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _remove(path: Path) -> None:
    for suffix in ("", *_COMPANIONS):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
