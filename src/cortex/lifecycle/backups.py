"""Backups of an agent's memory: their names, how long they are kept, how they are made and brought back (E21)."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cortex.domain.backup_manifest import Figures, Manifest
from cortex.errors import EngineError, InvalidRequest, StoreUnavailable, full_disk
from cortex.ports.store import Replaced, Store

FOLDER = "backups"
SUFFIX = ".backup"
MANIFEST = ".json"
REPLACED = "replaced"
"""Marks what a restore put out of the way."""

REPLACED_LIFE = timedelta(days=30)
_TIME = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(
    r"(?P<agent>[a-z0-9][a-z0-9._-]{0,63})-(?P<time>\d{8}T\d{6}Z)(?:\.(?P<number>\d{1,12}))?"
    r"(?:-(?P<mark>\d{1,4}|replaced))?\.backup"
)


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup, as its file name describes it."""

    path: Path
    agent: str
    at: datetime
    mark: str = ""
    bytes: int = 0
    number: int = 0
    """Backups are counted as they are made, so that a clock that was set back does not make the last one an old one."""

    def to_json(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "agent": self.agent,
            "at": self.at.isoformat(),
            "replaced": self.mark == REPLACED,
            "bytes": self.bytes,
        }


@dataclass(frozen=True, slots=True)
class BackupResult:
    """A new backup, and the old ones that were removed for it."""

    backup: Backup
    removed: tuple[Backup, ...] = ()


def name_of(agent: str, at: datetime, number: int, mark: str = "") -> str:
    """What the backup of this number, made at `at`, is called."""
    return f"{agent}-{at.astimezone(UTC).strftime(_TIME)}.{number:06}{f'-{mark}' if mark else ''}{SUFFIX}"


def read_name(path: Path) -> Backup | None:
    """The backup a file is by its name; None for any other file."""
    found = _NAME.fullmatch(path.name)
    if not found:
        return None
    try:
        at = datetime.strptime(found["time"], _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return Backup(path, found["agent"], at, found["mark"] or "", number=int(found["number"] or 0))


def keep(backups: Iterable[Backup], now: datetime, *, daily: int, weekly: int) -> frozenset[Path]:
    """Which to keep: the last of each of the latest days, of each of the latest weeks before those, and the newest.

    The latest are those made last, whatever the clock said then. What a restore replaced is kept for a month.
    """
    newest_first = _newest_first(backups)
    kept = {each.path for each in newest_first[:1]}
    kept |= {each.path for each in newest_first if each.mark == REPLACED and now - each.at <= REPLACED_LIFE}
    ordinary = [each for each in newest_first if each.mark != REPLACED]
    days = _last_of_each(ordinary, lambda each: each.at.date(), daily)
    dates = {each.at.date() for each in days}
    before = [each for each in ordinary if each.at.date() not in dates] if days else []
    weeks = _last_of_each(before, lambda each: each.at.isocalendar()[:2], weekly)
    return frozenset(kept | {each.path for each in (*days, *weeks)})


def _newest_first(backups: Iterable[Backup]) -> list[Backup]:
    """In the order they were made, the last one first."""
    return sorted(backups, key=lambda each: (each.number, each.at, each.path.name), reverse=True)


def _last_of_each(newest_first: Sequence[Backup], period: Callable[[Backup], Any], number: int) -> list[Backup]:
    latest: dict[Any, Backup] = {}
    for each in newest_first:
        latest.setdefault(period(each), each)
    return list(latest.values())[:number]


def listed(folder: Path, agent: str) -> list[Backup]:
    """The backups of an agent in a folder, newest first; files of other names are not looked at."""
    paths = list(folder.iterdir()) if folder.is_dir() else []
    named = [each for path in paths if (each := read_name(path)) and each.agent == agent and path.is_file()]
    return _newest_first(dataclasses.replace(each, bytes=each.path.stat().st_size) for each in named)


def files(folder: Path, agent: str) -> list[Path]:
    """The backups of an agent and whatever was left beside them: logs of damaged ones, copies never finished."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    bare = {path: path.name.lstrip(".").partition(SUFFIX)[0] for path in paths if SUFFIX in path.name}
    named = {path: read_name(path.with_name(f"{name}{SUFFIX}")) for path, name in bare.items()}
    return [path for path, backup in named.items() if backup and backup.agent == agent and path.is_file()]


def last_at(folder: Path, agent: str) -> datetime | None:
    """When the latest backup was made: the folder itself is the diary, whichever process made it."""
    return next((each.at for each in listed(folder, agent) if each.mark != REPLACED), None)


def newest_good(folder: Path, agent: str, check: Callable[[Path], None]) -> Backup | None:
    """The newest backup that `check` does not refuse; what a restore put out of the way is not one."""
    for each in listed(folder, agent):
        if each.mark != REPLACED:
            with suppress(EngineError):
                check(each.path)
                return each
    return None


def make(store: Store, folder: Path, agent: str, now: datetime, *, daily: int, weekly: int) -> BackupResult:
    """Back up a store into a folder, then remove what need not be kept. The new one is there before any goes."""
    path = make_at(store, folder, agent, now).path
    backups = listed(folder, agent)
    kept = keep(backups, now, daily=daily, weekly=weekly) | {path}
    removed = tuple(each for each in backups if each.path not in kept and remove(each.path))
    return BackupResult(next(each for each in backups if each.path == path), removed)


def make_at(store: Store, folder: Path, agent: str, now: datetime) -> Backup:
    """Back up a store into a folder of the caller's own, where nothing is ever removed."""
    _make_private(folder)
    path = _next(folder, agent, now)
    if (figures := store.backup(path)) is not None:
        write_manifest(path, agent, now, figures)
    return Backup(path, agent, now, bytes=path.stat().st_size)


def manifest_path(backup: Path) -> Path:
    """Where it is written down what a backup holds."""
    return backup.with_name(f"{backup.name}{MANIFEST}")


def write_manifest(backup: Path, agent: str, at: datetime, figures: Mapping[str, Figures]) -> None:
    """Write down what a backup holds, all or nothing; without it a backup is as good, but less is known of it."""
    path = manifest_path(backup)
    written = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(Manifest.of(agent, at, figures).to_bytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, path)
    except OSError as error:
        raise full_disk(error, path) or StoreUnavailable(f"{path}: {error.strerror or error}") from error
    finally:
        written.unlink(missing_ok=True)


def manifest_of(backup: Path) -> Manifest | None:
    """What was written down of a backup; None where nothing was. A ValueError where it cannot be read."""
    try:
        return Manifest.from_bytes(manifest_path(backup).read_bytes())
    except FileNotFoundError:
        return None


def restore(
    backup: Path, folder: Path, agent: str, now: datetime, *, replace: Callable[[Path, Path], Replaced]
) -> tuple[Backup | None, int]:
    """Bring a backup back; gives the backup of what it replaced, if there was anything, and how much was kept out.

    `replace(backup, keep_at)` is the store's own: it checks the backup, keeps the present file at `keep_at`,
    takes out what was erased since, and puts the rest in its place, all or nothing.
    """
    if not backup.is_file():
        hint = "see `cortex backup list`"
        raise InvalidRequest("is not a file", field=str(backup), hint=hint)
    _make_private(folder)
    kept = _next(folder, agent, now, REPLACED)
    done = replace(backup, kept)
    return (Backup(kept, agent, now, REPLACED, kept.stat().st_size) if done.kept else None), done.kept_out


def found(given: str, folder: Path, agent: str) -> Path:
    """The file a person means by a path, by the name of a backup, or by `latest`."""
    if given == "latest":
        latest = next((each for each in listed(folder, agent) if each.mark != REPLACED), None)
        if latest is None:
            raise InvalidRequest("there is no backup", field="file", hint="make one with `cortex backup create`")
        return latest.path
    path = Path(given).expanduser()
    inside = folder / path.name
    return inside if not path.exists() and path.name == given and inside.exists() else path


def _next(folder: Path, agent: str, now: datetime, mark: str = "") -> Path:
    """Where the next backup goes: its number is above that of any other."""
    last = max((each.number for each in listed(folder, agent)), default=0)
    return folder / name_of(agent, now, last + 1, mark)


def remove(path: Path) -> bool:
    """Remove a backup and its manifest; False where that is to be tried again."""
    try:
        path.unlink(missing_ok=True)
        manifest_path(path).unlink(missing_ok=True)
    except OSError:
        return False  # it is tried again with the next backup
    return True


def _make_private(folder: Path) -> None:
    try:
        for each in reversed((folder, *folder.parents)):
            if not each.exists():
                each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise full_disk(error, folder) or StoreUnavailable(
            f"{folder} cannot be made: {error.strerror or error}", hint="choose another folder with --to"
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreUnavailable(f"{folder} cannot be written", hint="choose another folder with --to")
