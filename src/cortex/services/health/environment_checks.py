"""Checks of the machine: Python, the disk, the clock, and a home with owner-only permissions."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cortex import settings as configuration
from cortex.domain.health import Check, Group
from cortex.errors import EngineError, full_disk

OLDEST_PYTHON = (3, 11)

LOW_SPACE = 200 << 20
NO_SPACE = 20 << 20
EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""A clock before this time is wrong."""

CLOCK_LEEWAY = timedelta(hours=1)
OTHERS = stat.S_IRWXG | stat.S_IRWXO
NOT_PRIVATE = frozenset({"models", "qmd-models"})
"""Folders under home without personal data."""

_MOST_FILES = 5_000


def checks(home: Path) -> list[Check]:
    """The checks that need no engine: Python, free space, home, permissions, settings."""
    found = [python(), space(home), place(home)]
    if home.is_dir():
        found.append(permissions(home))
    return [*found, settings(home)]


def python() -> Check:
    found, ok = ".".join(map(str, sys.version_info[:3])), sys.version_info >= OLDEST_PYTHON
    return Check("python", ok, f"{found} at {sys.executable}", "" if ok else "install Python 3.11 or newer")


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
    """Folders and files under `home` that others may read or write by their own mode."""
    return [path for path, found in _inside(home) if found.st_mode & OTHERS]


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
