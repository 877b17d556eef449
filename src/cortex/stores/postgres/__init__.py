"""Many hosts on one memory: a PostgreSQL database with pgvector, and a schema in it for each agent.

`postgresql://USER@HOST/DATABASE`, as libpq takes it. The driver is imported when a store is opened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cortex.domain.health import Check, Group
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, ProviderMissing, install_command
from cortex.options import SettingsSection, number, switch
from cortex.ports.clock import Clock
from cortex.ports.documents import Documents
from cortex.ports.index import Indexes
from cortex.ports.store import Abilities, Replaced, RestoreMark
from cortex.ports.store_url import StoreUrl

if TYPE_CHECKING:
    from cortex.stores.postgres.store import PostgresStore

ABILITIES = Abilities(
    durable=True,
    as_of=True,
    tags=True,
    backup=True,
    restore=True,
    compaction=True,
    multi_process=True,
    multi_host=True,
    standby_reads=True,
)

_NO_AGENT = "~shared"
"""Whose schema has what is of no agent. No agent has such a name."""

_DIGEST = 16
"""How many characters of a digest stand for the name of a user, which may be anything."""

_SUCH_AS = "give a URL such as postgresql://cortex@db.example.com/cortex"


@dataclass(frozen=True)
class PostgresOptions(SettingsSection):
    """The section `[store.postgresql]`."""

    connections: int = number(16, "How many connections a process opens at most.", least=1, most=1_000)
    connect_timeout_ms: int = number(10_000, "How long to wait for a connection.", least=1_000, most=600_000)
    busy_timeout_ms: int = number(5_000, "How long a writer waits for another writer.", least=1, most=600_000)
    hnsw: bool = switch(
        False, "Choose vectors by HNSW indexes instead of one-bit codes: faster over everything, but approximate."
    )
    standby_reads: bool = switch(False, "Let a standby among the hosts of the URL answer recalls.")
    standby_lag_ms: int = number(
        10_000, "A standby that is further behind the primary does not answer.", least=1, most=86_400_000
    )


OPTIONS = PostgresOptions


def check_url(url: StoreUrl, *, home: Path) -> None:  # noqa: ARG001 - a server is somewhere else
    """Refuse what names no database."""
    if not url.parts().path.strip("/"):
        raise url.refusal("names no database", hint=_SUCH_AS)


def create(
    url: StoreUrl,
    *,
    agent: str,
    home: Path,
    options: PostgresOptions,
) -> PostgresStore:
    """What the registry calls: the store of one agent in its schema."""
    with _named_missing_driver():
        from cortex.stores.postgres.store import PostgresStore
    return PostgresStore(url, agent, home, options)


def agents(url: StoreUrl, *, home: Path, options: PostgresOptions) -> list[str]:  # noqa: ARG001 - it has no files
    """The agents that have a schema in the database."""
    with _named_missing_driver():
        from cortex.stores.postgres import connections, failures, schema
    with failures.named_errors(str(url)), connections.connect(url, options) as connection:
        return schema.agents(connection)


def documents(url: StoreUrl, *, home: Path, options: PostgresOptions, clock: Clock) -> Documents:  # noqa: ARG001
    """The documents that all hosts of the database share, whichever agents they have there."""
    with _named_missing_driver():
        from cortex.stores.postgres.connections import Connections
    from cortex.stores.relational.documents import SqlDocuments

    return SqlDocuments(lambda: Connections(url, _NO_AGENT, options), str(url), clock, lock="FOR UPDATE")


def indexes(url: StoreUrl, *, agent: str, home: Path, options: PostgresOptions, host: str) -> Callable[[str], Indexes]:
    """The indexes of an agent's files, by user: what this host indexes, all hosts find."""
    with _named_missing_driver():
        from cortex.stores.postgres.index import Opening, PgIndexes
    opening = Opening(url, agent, home, options)

    def of(user: str) -> Indexes:
        owner = hashlib.sha256(user.encode()).hexdigest()[:_DIGEST]
        return PgIndexes(opening, host, user, home / "agents" / f"{agent}@{owner}.files.lock")

    return of


def restore(
    url: StoreUrl,
    *,
    agent: str,
    home: Path,
    options: PostgresOptions,
    backup: Path,
    keep_at: Path,  # noqa: ARG001
    mark: RestoreMark,
) -> Replaced:
    """Load a backup into a database in which the agent has nothing: what others may be using is not replaced."""
    from cortex.stores import archive

    archive.check(backup)
    store = create(url, agent=agent, home=home, options=options)
    try:
        if store.users():
            raise InvalidRequest(
                f"{url} has memories of {agent} already", field="store.url", hint="restore into an empty database"
            )
        archive.load(backup, store, agent)
        for user in store.users():
            tenant = Tenant(agent, user)
            with store.view(tenant) as view:
                change = mark.change(view.position, None)
            store.apply(tenant, [change], at=mark.at, actor=mark.actor, cause=mark.cause)
        kept_out = store.keep_out_erased_before()
    finally:
        store.close()
    return Replaced(kept=False, kept_out=kept_out)


def check_backup(backup: Path) -> None:
    """Refuse an archive that is not whole."""
    from cortex.stores import archive

    archive.check(backup)


@contextmanager
def _named_missing_driver() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "psycopg":
            raise
        hint = f"run: {install_command('postgres')}"
        raise ProviderMissing("the driver of PostgreSQL is not installed", hint=hint) from error


def checks(url: StoreUrl, *, home: Path, clock: Clock) -> Sequence[Check]:  # noqa: ARG001 - a server is elsewhere
    """Whether the server is fit: version, pgvector, rights, latency, clock, connections, replication."""
    try:
        from cortex.stores.postgres import environment
    except ImportError:
        fix = f"run: {install_command('postgres')}"
        return (Check("database driver", False, "psycopg is not installed", fix, Group.MEMORY),)
    return environment.checks(url, clock)
