"""Whether SQLite works here: its version and features, and its write-ahead log on the disk of the memory."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from cortex.domain.health import Check, Group
from cortex.errors import full_disk

OLDEST = (3, 35)
"""The first version that has every statement the store uses."""

MOUNTS = Path("/proc/self/mounts")
"""Where Linux lists mounted disks."""

_FEATURES = {
    "FTS5": "CREATE VIRTUAL TABLE probe USING fts5 (terms, content='', columnsize=0)",
    "JSON": "SELECT value FROM json_each('[1]')",
    "UPSERT": "INSERT INTO meta VALUES (1, 2) ON CONFLICT DO UPDATE SET b = b + 1",
}
# Where several machines share a disk, they cannot share the memory that SQLite's write-ahead log needs.
_NETWORK_DISKS = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs"})


def checks(folder: Path, home: Path) -> list[Check]:
    """The checks of SQLite itself, and of the disk where there is a folder already."""
    place = next((each for each in (folder, home) if each.is_dir()), None)
    return [version(), *([journal(place)] if place is not None else [])]


def version() -> Check:
    """Whether the SQLite of this Python has the features the store needs."""
    found = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < OLDEST:
        return Check("sqlite", False, f"{found} is too old", "use a Python with SQLite 3.35 or newer")
    lacking = [name for name, statement in _FEATURES.items() if not _can(statement)]
    if lacking:
        names = " and ".join(lacking)
        return Check("sqlite", False, f"{found} without {names}", f"use a Python whose SQLite has {names}")
    return Check("sqlite", True, f"{found} with {', '.join(_FEATURES)}")


def journal(folder: Path, mounts: Path = MOUNTS) -> Check:
    """Whether SQLite's write-ahead log works on the disk of `folder`, tried with a file there."""
    fix = "choose a folder on a local disk (--home, or store.url)"
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".probe-") as probed:
            trouble = _wal_trouble(Path(probed) / "probe.sqlite")
    except (OSError, sqlite3.Error) as error:
        full = full_disk(error, folder)
        trouble, fix = (full.message, full.hint) if full else (getattr(error, "strerror", None) or str(error), fix)
    if trouble:
        return Check("write-ahead log", False, f"does not work here: {trouble}", fix, Group.HOME)
    if (disk := _disk_of(folder, mounts)) in _NETWORK_DISKS:
        why = f"{folder} is on a network disk ({disk}), where two machines would damage it"
        return Check("write-ahead log", None, why, fix, Group.HOME)
    return Check("write-ahead log", True, "works on this disk", group=Group.HOME)


def _can(statement: str) -> bool:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE meta (a PRIMARY KEY, b)")
        try:
            database.execute(statement)
        except sqlite3.Error:
            return False
    return True


def _wal_trouble(path: Path) -> str:
    """What goes wrong when one connection writes and another reads; empty if nothing does."""
    with closing(sqlite3.connect(path)) as writer, closing(sqlite3.connect(path)) as reader:
        mode = writer.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            return f"the file is in mode {mode}"
        with writer:
            writer.execute("CREATE TABLE probe (a)")
        reader.execute("SELECT a FROM probe").fetchall()
    return ""


def _disk_of(folder: Path, mounts: Path) -> str:
    """The type of file system `folder` is on, as Linux names it; empty if unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
        at = folder.resolve()
    except OSError:
        return ""
    disks = [(Path(parts[1]), parts[2]) for line in lines if len(parts := line.split()) > 2]
    around = [(len(point.parts), kind) for point, kind in disks if at.is_relative_to(point)]
    return max(around)[1] if around else ""
