"""A kind of store: the module that the registry has for the scheme of a URL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from cortex.domain.backup_manifest import Figures
from cortex.domain.health import Check
from cortex.ports.clock import Clock
from cortex.ports.documents import Documents
from cortex.ports.index import Indexes
from cortex.ports.store import Abilities, Replaced, RestoreMark, Store
from cortex.ports.store_url import StoreUrl


class StoreDriver(Protocol):
    """What such a module has. Reading its constants opens nothing."""

    @property
    def ABILITIES(self) -> Abilities: ...

    @property
    def OPTIONS(self) -> type[Any]:
        """What can be set for it, as a section of the settings: `[store.SCHEME]`."""

    def check_url(self, url: StoreUrl, *, home: Path) -> None:
        """Refuse a URL that it cannot use with `url.refusal`, before anything is opened or made."""

    def create(self, url: StoreUrl, *, agent: str, home: Path, options: Any) -> Store:
        """The store of one agent, opened."""

    def agents(self, url: StoreUrl, *, home: Path, options: Any) -> list[str]:
        """The agents that have a store there, in order; none where there is nothing yet."""

    def checks(self, url: StoreUrl, *, home: Path, clock: Clock) -> Sequence[Check]:
        """What `cortex doctor` checks before it opens the store: versions, the disk, the server."""


class RestoringDriver(StoreDriver, Protocol):
    """What the module of a store with the ability `restore` has too."""

    def restore(
        self, url: StoreUrl, *, agent: str, home: Path, options: Any, backup: Path, keep_at: Path, mark: RestoreMark
    ) -> Replaced:
        """Put a backup in the place of an agent's store, all or nothing, keeping what was there at `keep_at`.

        The store is closed meanwhile. What was erased since the backup was made stays erased. The ledger of each user
        notes it first, by `mark`, and uses no position that was used before.
        """

    def check_backup(self, backup: Path) -> None:
        """Refuse a backup that is not whole."""


@runtime_checkable
class RewritingDriver(Protocol):
    """What the module of a store has whose backups can be opened and changed by themselves."""

    def rewrite_backup(
        self, url: StoreUrl, *, agent: str, home: Path, options: Any, backup: Path
    ) -> Mapping[str, Figures]:
        """Take out of a backup what was erased since it was made, all or nothing; returns what is left in it."""

    def open_copy(self, *, agent: str, home: Path, options: Any, backup: Path) -> Store:
        """A copy of a backup, opened as the store of an agent under another home; the backup is not touched."""


class SharedDriver(StoreDriver, Protocol):
    """What the module of a store with the ability `multi_host` has too."""

    def documents(self, url: StoreUrl, *, home: Path, options: Any, clock: Clock) -> Documents:
        """The documents that all hosts of the store share; opened on first use."""

    def indexes(self, url: StoreUrl, *, agent: str, home: Path, options: Any, host: str) -> Callable[[str], Indexes]:
        """The indexes of an agent's files, by user; opened on first use. `host` is the name of this one."""
