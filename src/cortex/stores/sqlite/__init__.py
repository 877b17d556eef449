"""The default store: one SQLite file per agent, the standard library's `sqlite3` and numpy, nothing else.

`sqlite:` keeps the files in `agents` under the home, `sqlite:///FOLDER` in a folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cortex.domain.backup_manifest import Figures
from cortex.domain.health import Check
from cortex.domain.scope import is_agent_name
from cortex.options import SettingsSection, number, text
from cortex.ports.clock import Clock
from cortex.ports.store import Replaced, RestoreMark
from cortex.ports.store_url import StoreUrl
from cortex.stores.sqlite import copies, environment
from cortex.stores.sqlite.copies import check as check_backup
from cortex.stores.sqlite.store import ABILITIES, SqliteStore

__all__ = [
    "ABILITIES",
    "OPTIONS",
    "SqliteStore",
    "agents",
    "check_backup",
    "check_url",
    "checks",
    "create",
    "open_copy",
    "path_of",
    "restore",
    "rewrite_backup",
]

FOLDER = "agents"
SUFFIX = ".sqlite"
_SUCH_AS = "give the absolute path of a folder, such as sqlite:///srv/cortex"


@dataclass(frozen=True)
class SqliteOptions(SettingsSection):
    """The section `[store.sqlite]`."""

    synchronous: str = text(
        "full", "`full` survives power loss; `normal` survives a crash.", one_of=("full", "normal")
    )  # fmt: skip
    busy_timeout_ms: int = number(5_000, "How long a writer waits for another writer.", least=1, most=600_000)


OPTIONS = SqliteOptions


def check_url(url: StoreUrl, *, home: Path) -> None:
    """Refuse what is not the absolute path of a folder."""
    _folder(url, home)


def create(url: StoreUrl, *, agent: str, home: Path, options: SqliteOptions) -> SqliteStore:
    """What the registry calls: the store of one agent in a file."""
    return SqliteStore(
        path_of(url, agent, home), synchronous=options.synchronous, busy_timeout_ms=options.busy_timeout_ms
    )


def agents(url: StoreUrl, *, home: Path, options: SqliteOptions) -> list[str]:  # noqa: ARG001 - files need none
    """The agents that have a file there."""
    found = [path.stem for path in _folder(url, home).glob(f"*{SUFFIX}") if path.is_file()]
    return sorted(name for name in found if is_agent_name(name))


def checks(url: StoreUrl, *, home: Path, clock: Clock) -> Sequence[Check]:  # noqa: ARG001 - there is one clock
    """Whether this Python's SQLite has what the store needs, and its log works on the disk."""
    return environment.checks(_folder(url, home), home)


def restore(
    url: StoreUrl, *, agent: str, home: Path, options: SqliteOptions, backup: Path, keep_at: Path, mark: RestoreMark
) -> Replaced:
    """Put a backup in the place of an agent's file."""
    return copies.replace(path_of(url, agent, home), backup, keep_at, mark, busy_timeout_ms=options.busy_timeout_ms)


def rewrite_backup(
    url: StoreUrl,
    *,
    agent: str,
    home: Path,
    options: SqliteOptions,  # noqa: ARG001
    backup: Path,
) -> Mapping[str, Figures]:
    """Take out of a backup what was erased since it was made."""
    return copies.rewrite(path_of(url, agent, home), backup)


def open_copy(*, agent: str, home: Path, options: SqliteOptions, backup: Path) -> SqliteStore:
    """A copy of a backup, opened as the store of an agent under another home."""
    url = StoreUrl("sqlite:")
    copies.place(backup, path_of(url, agent, home))
    return create(url, agent=agent, home=home, options=options)


def path_of(url: StoreUrl, agent: str, home: Path) -> Path:
    """The file of an agent."""
    return _folder(url, home) / f"{agent}{SUFFIX}"


def _folder(url: StoreUrl, home: Path) -> Path:
    from urllib.parse import unquote

    found = url.parts()
    if "@" in found.netloc:
        raise url.refusal("has a user or password, which a file does not need", hint=_SUCH_AS)
    if found.netloc:
        raise url.refusal("names a host, and files are on this one", hint=_SUCH_AS)
    url.refuse_query()
    if not found.path:
        return home / FOLDER
    folder = Path(unquote(found.path))
    if not folder.is_absolute() or folder.parts[1:2] == ("~",):
        raise url.refusal(f"{str(folder)[:80]!r} is a relative path", hint=_SUCH_AS)
    if folder.is_file() or folder.suffix in (SUFFIX, ".db"):
        raise url.refusal(f"{str(folder)[:80]!r} is a file", hint="give its folder: each agent has a file there")
    return folder
