"""Checks of the machine: Python, SQLite, the clock, and a home with owner-only permissions."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cortex import settings as configuration
from cortex.errors import EngineError, full_disk
from cortex.services.health.health_checks import Check, Group

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 35)
"""The first version that has every statement the store uses."""

LOW_SPACE = 200 << 20
NO_SPACE = 20 << 20
EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""A clock before this time is wrong."""

MOUNTS = Path("/proc/self/mounts")
"""Where Linux lists mounted disks."""

CLOCK_LEEWAY = timedelta(hours=1)
OTHERS = stat.S_IRWXG | stat.S_IRWXO
NOT_PRIVATE = frozenset({"models", "qmd-models"})
"""Folders under home without personal data."""

_PRIVATE_NAMES = re.compile(r"\.(?:sqlite|toml|json)")
_MOST_FILES = 5_000
_FEATURES = {
    "FTS5": "CREATE VIRTUAL TABLE probe USING fts5 (terms, content='', columnsize=0)",
    "JSON": "SELECT value FROM json_each('[1]')",
    "UPSERT": "INSERT INTO meta VALUES (1, 2) ON CONFLICT DO UPDATE SET b = b + 1",
}
# Where several machines share a disk, they cannot share the memory that SQLite's write-ahead log needs.
_NETWORK_DISKS = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs"})


def checks(home: Path) -> list[Check]:
    """The checks that need no engine: Python, SQLite, free space, home, permissions, settings."""
    found = [python(), sqlite(), space(home), place(home)]
    if home.is_dir():
        found += [journal(home), permissions(home)]
    return [*found, settings(home)]


def python() -> Check:
    found, ok = ".".join(map(str, sys.version_info[:3])), sys.version_info >= OLDEST_PYTHON
    return Check("python", ok, f"{found} at {sys.executable}", "" if ok else "install Python 3.11 or newer")


def sqlite() -> Check:
    """Whether the SQLite of this Python has the features the store needs."""
    version = sqlite3.sqlite_version
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        return Check("sqlite", False, f"{version} is too old", "use a Python with SQLite 3.35 or newer")
    lacking = [name for name, statement in _FEATURES.items() if not _can(statement)]
    if lacking:
        names = " and ".join(lacking)
        return Check("sqlite", False, f"{version} without {names}", f"use a Python whose SQLite has {names}")
    return Check("sqlite", True, f"{version} with {', '.join(_FEATURES)}")


def space(home: Path) -> Check:
    folder = _nearest(home)
    free = shutil.disk_usage(folder).free
    ok = free >= NO_SPACE and (True if free >= LOW_SPACE else None)
    return Check("disk", ok, f"{free / (1 << 30):.1f} GiB free", "" if ok else f"free some space under {folder}")


def clock(now: datetime, last_change: datetime | None, set_back: datetime | None = None) -> Check:
    """Whether the clock is plausible, given the last change and when it was last set back."""
    shown, fix = f"{now:%Y-%m-%d %H:%M} UTC", "set the clock, for example with `sudo timedatectl set-ntp true`"
    if now < EARLIEST:
        return Check("clock", None, f"it shows {shown}, which cannot be right", fix)
    if last_change is not None and last_change > now + CLOCK_LEEWAY:
        why = f"it shows {shown}, but the last change is of {last_change:%Y-%m-%d %H:%M} UTC"
        return Check("clock", None, why, fix)
    noted = "" if set_back is None else f"; it was last set back at {set_back:%Y-%m-%d %H:%M} UTC"
    return Check("clock", True, shown + noted)


def place(home: Path) -> Check:
    if not home.exists():
        return Check("home", None, f"{home} does not exist yet", "run `cortex init`", Group.HOME)
    try:
        with tempfile.NamedTemporaryFile(dir=home, prefix=".probe-"):
            pass
        mode = home.stat().st_mode & 0o777
    except OSError as error:
        full = full_disk(error, home)
        why = full.message if full else f"{home} cannot be written: {error.strerror or error}"
        fix = full.hint if full else "choose another --home, or fix its permissions"
        return Check("home", False, why, fix, Group.HOME)
    if mode & OTHERS:
        why = f"{home} is readable by others (mode {mode:o})"
        return Check("home", None, why, f"run `chmod 700 {_quoted(home)}`", Group.HOME)
    return Check("home", True, f"{home}, permissions set to owner-only", group=Group.HOME)


def journal(home: Path, mounts: Path = MOUNTS) -> Check:
    """Whether SQLite's write-ahead log works on the disk of `home`, tried with a file there."""
    fix = "choose a --home on a local disk"
    try:
        with tempfile.TemporaryDirectory(dir=home, prefix=".probe-") as folder:
            trouble = _wal_trouble(Path(folder) / "probe.sqlite")
    except (OSError, sqlite3.Error) as error:
        full = full_disk(error, home)
        trouble, fix = (full.message, full.hint) if full else (getattr(error, "strerror", None) or str(error), fix)
    if trouble:
        return Check("write-ahead log", False, f"does not work here: {trouble}", fix, Group.HOME)
    if (disk := _disk_of(home, mounts)) in _NETWORK_DISKS:
        why = f"{home} is on a network disk ({disk}), where two machines would damage it"
        return Check("write-ahead log", None, why, fix, Group.HOME)
    return Check("write-ahead log", True, "works on this disk", group=Group.HOME)


def permissions(home: Path) -> Check:
    """Whether everything under `home` is owner-only."""
    strange, open_ = foreign(home), exposed(home)
    if strange:
        why = f"{_several(len(strange))} owned by another user, such as {strange[0]}"
        return Check("permissions", None, why, f'run `sudo chown -R "$(id -un)" {_quoted(home)}`', Group.HOME)
    if open_:
        why = f"{_several(len(open_))} open to others, such as {open_[0]}"
        return Check("permissions", None, why, f"run `chmod -R go-rwx {_quoted(home)}`", Group.HOME)
    return Check("permissions", True, "settings, tokens and databases are owner-only", group=Group.HOME)


def exposed(home: Path) -> list[Path]:
    """Folders, settings, tokens and databases under `home` that others may read or write by their own mode."""
    return [
        path
        for path, found in _inside(home)
        if found.st_mode & OTHERS and (stat.S_ISDIR(found.st_mode) or _PRIVATE_NAMES.search(path.name))
    ]


def foreign(home: Path) -> list[Path]:
    """What under `home` another user owns; a command run by `sudo` leaves such files."""
    return [path for path, found in _inside(home) if found.st_uid != os.geteuid()]


def make_private(home: Path) -> list[Path]:
    """Make everything under `home` owner-only; returns what was changed."""
    changed = exposed(home)
    for path in changed:
        path.chmod(path.stat().st_mode & 0o7777 & ~OTHERS)
    return changed


def settings(home: Path) -> Check:
    try:
        configuration.load(home)
    except EngineError as error:
        return Check("settings", False, error.message, error.hint, Group.HOME)
    path = home / configuration.FILE_NAME
    return Check("settings", True, str(path) if path.exists() else "defaults", group=Group.HOME)


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


def _disk_of(home: Path, mounts: Path) -> str:
    """The type of file system `home` is on, as Linux names it; empty if unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
        at = home.resolve()
    except OSError:
        return ""
    disks = [(Path(parts[1]), parts[2]) for line in lines if len(parts := line.split()) > 2]
    around = [(len(point.parts), kind) for point, kind in disks if at.is_relative_to(point)]
    return max(around)[1] if around else ""


def _inside(home: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Files and folders below `home` with their `stat`; links are left out."""
    seen = 0
    for folder, folders, files in os.walk(home):
        folders[:] = [name for name in folders if name not in NOT_PRIVATE or Path(folder) != home]
        for name in sorted((*folders, *files)):
            path = Path(folder) / name
            try:
                found = path.lstat()
            except OSError:  # gone meanwhile
                continue
            if not stat.S_ISLNK(found.st_mode):
                yield path, found
            seen += 1
            if seen == _MOST_FILES:
                return


def _nearest(path: Path) -> Path:
    """The folder at `path`, or its nearest existing parent."""
    return next(folder for folder in (path, *path.absolute().parents) if folder.is_dir())


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _several(number: int) -> str:
    return "1 file is" if number == 1 else f"{number:,} files are"
