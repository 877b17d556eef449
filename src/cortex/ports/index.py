"""What the workspace needs of the index of an agent's files.

An index is a store of chunks that can be rebuilt from the files at any time: it records no events and keeps no
earlier versions. Beside each file's chunks it keeps how the file was when it was read, changed in the same transaction.

Files belong to the host that has them, and so does their index: no other host changes it. Where hosts share a store,
each reads the indexes of all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from cortex.domain.identity import TraceId
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.scope import Tenant
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.ports.store import Change, Finding, Residue, Sampled, View


@dataclass(frozen=True, slots=True)
class Follow:
    """Keep how a file was when it was read, in the place of what was known of it."""

    file: IndexedFile


@dataclass(frozen=True, slots=True)
class Unfollow:
    """Forget a file, with all its chunks and whatever was derived from them.

    Chunks that a `Follow` of the same transaction names stay: the file was moved.
    """

    path: str


class IndexVectors(NamedTuple):
    """Which vectors an index has: the key of their space, and which model computed them."""

    space: str
    provider: str
    model: str
    dimension: int


def vectors_in(made_with: str) -> IndexVectors | None:
    """Which vectors an index has that was built with this; None where it has none, or that is unknown."""
    try:
        payload = json.loads(made_with)["vectors"]
        return IndexVectors(*(payload[name] for name in IndexVectors._fields)) if payload else None
    except (ValueError, KeyError, TypeError):
        return None


class IndexView(View, Protocol):
    """A consistent look at one tenant's files and their chunks."""

    def files(self) -> Mapping[str, IndexedFile]:
        """Every file by its path, without the ids of its chunks."""

    def file(self, path: str) -> IndexedFile | None:
        """One file, with the ids of its chunks in the order of its lines."""

    def vectors(self, ids: Sequence[TraceId], space: EmbeddingSpace) -> Mapping[TraceId, Sequence[Vector]]:
        """The vectors of chunks by passage, as far as there are any."""


class FileIndex(Protocol):
    """The chunks of one agent's files on one host."""

    @property
    def host(self) -> str:
        """The host that has the files; empty where no other can see the index."""

    @property
    def is_own(self) -> bool:
        """Whether that is this host."""

    def apply(self, tenant: Tenant, changes: Sequence[Change | Follow | Unfollow], *, at: datetime) -> int:
        """Carry out all changes or none."""

    def view(self, tenant: Tenant) -> AbstractContextManager[IndexView]: ...

    @property
    def made_with(self) -> str:
        """What it was built with: the model, the chunking. An index built with something else has to be rebuilt."""

    def sample(self, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        """As a store's: some of the chunks that have vectors in this space."""

    def verify(self, *, repair: bool = False) -> Iterator[Finding]: ...

    def maintain(self) -> Mapping[str, Any]: ...

    def compact(self, *, rewrite: bool = True) -> bool:
        """Rewrite it without what was removed; whether all of it was."""

    def find_residue(self, tenant: Tenant, texts: Sequence[str], also: Sequence[Path] = ()) -> Residue:
        """The chunks that say `texts` or nearly do, and the files that hold them though no chunk does."""

    def close(self) -> None: ...


class IndexBuild(Protocol):
    """An index that is being built beside the one in use."""

    @property
    def index(self) -> FileIndex: ...

    def publish(self) -> None:
        """Put it in the place of the one in use, at once and for all processes; that one stays whole until then."""


class Indexes(Protocol):
    """The index of one agent's files, and whatever takes its place: readers always find a whole one."""

    @property
    def host(self) -> str:
        """This host, by the name that others know it by; empty where no other can see the index."""

    def current(self) -> FileIndex | None:
        """The index in use; None before the first was published, and a `StoreError` where it cannot be used."""

    def others(self) -> Sequence[FileIndex]:
        """The indexes of other hosts, to be read. They cite a file with its host, as `host:path`."""

    def refresh(self) -> None:
        """Look again which indexes are in use: another process of this host has changed that just now."""

    def views(self, tenant: Tenant, indexes: Sequence[Any]) -> AbstractContextManager[Sequence[IndexView]]:
        """A consistent look at several of its indexes, in their order."""

    def drop(self, host: str) -> bool:
        """Remove the index of a host that is gone; whether it had one."""

    def write_lock(self, seconds: float) -> AbstractContextManager[None]:
        """The right to change the index or to build another, for one process at a time; `StoreBusy` after `seconds`."""

    def build(self, made_with: str) -> AbstractContextManager[IndexBuild]:
        """A new, empty index, for the process that has the write lock. What is not published is thrown away."""

    @property
    def is_building(self) -> bool:
        """Whether another index is being built right now, by any process."""

    def unused_files(self) -> list[Path]:
        """The files of every index but the one in use: replaced ones, and what a crash left behind."""

    def close(self) -> None: ...
