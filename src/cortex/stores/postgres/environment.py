"""Whether a PostgreSQL server is fit for the store, as `cortex doctor` asks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from operator import itemgetter
from typing import cast

import psycopg

from cortex.domain.health import Check, Group
from cortex.ports.clock import Clock
from cortex.ports.store_url import StoreUrl
from cortex.stores.postgres import PostgresOptions, standby
from cortex.stores.postgres.connections import connect, has_several_hosts
from cortex.stores.postgres.failures import named
from cortex.stores.postgres.schema import OLDEST_PGVECTOR, OLDEST_SERVER

SLOW_MS = 20
"""A way to the server and back that takes longer is noticed in every turn."""
LAG_SECONDS = 60
_OPTIONS = PostgresOptions()
CLOCK_SECONDS = 5
"""A larger difference between clocks is visible in the ledger, whose times come from the hosts."""
MOST_CONNECTIONS = 0.8
"""When more of the connections are in use, a burst of turns may find none."""
_TRIES = 5

_QUERY = """
SELECT current_setting('server_version'),
  (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
  (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'),
  has_database_privilege(current_database(), 'CREATE'),
  (SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'cortex\\_%' AND has_schema_privilege(oid, 'CREATE')),
  (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),
  current_setting('fsync'), current_setting('synchronous_commit'),
  pg_is_in_recovery(), extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
  current_setting('max_connections')::integer,
  (SELECT count(*) FROM pg_stat_replication),
  (SELECT extract(epoch FROM max(replay_lag))::float FROM pg_stat_replication)
"""


def checks(url: StoreUrl, clock: Clock) -> list[Check]:
    """The checks of a server, which is only asked."""
    try:
        with connect(url, _OPTIONS) as connection:
            version = connection.info.server_version
            found = connection.execute(_QUERY).fetchone() or ()
            milliseconds = min(_round_trip(connection) for _ in range(_TRIES))
            ahead, uncertain = min((_ahead(connection, clock) for _ in range(_TRIES)), key=itemgetter(1))
    except psycopg.Error as error:
        failed = named(error, str(url))
        return [Check("database server", False, failed.message, failed.hint, Group.MEMORY)]
    (name, pgvector, available, may_create, schemas, sees_through, fsync, synchronous, is_standby, lag, used, most,
     standbys, late) = found  # fmt: skip
    return [
        _server(version, str(name), fsync=fsync == "on", synchronous=synchronous != "off"),
        _pgvector(pgvector, available),
        _rights(may_create=bool(may_create), schemas=int(schemas)),
        _row_security(sees_through=bool(sees_through)),
        _latency(milliseconds),
        _clock(ahead, uncertain),
        _connections(int(used), int(most)),
        _part(is_standby=bool(is_standby), lag=lag, standbys=int(standbys), late=late),
        *(_standbys(url) if has_several_hosts(url) else ()),
    ]


def _standbys(url: StoreUrl) -> Iterator[Check]:
    """Whether a standby among the hosts answers, and how far it is behind."""
    try:
        with connect(url, _OPTIONS, "standby") as connection:
            _, lag = connection.execute(standby.QUERY).fetchone() or (False, None)
    except psycopg.Error as error:
        yield _check("database standby", None, f"none answers: {named(error, str(url)).message}",
                     "check the standbys and the hosts in the URL")  # fmt: skip
        return
    if lag is None or lag > LAG_SECONDS:
        behind = "has replayed nothing yet" if lag is None else f"is {lag:.0f} s behind"
        yield _check("database standby", None, behind, "check replication")
    else:
        yield _check("database standby", True, f"answers, {lag:.1f} s behind")


def _ahead(connection: psycopg.Connection[tuple[object, ...]], clock: Clock) -> tuple[float, float]:
    """By how many seconds the clock of this host is ahead of the server's, and how uncertain that is."""
    before = clock.now()
    (there,) = connection.execute("SELECT clock_timestamp()").fetchone() or (before,)
    after = clock.now()
    half = (after - before) / 2
    return (before + half - cast(datetime, there)).total_seconds(), half.total_seconds()


def _round_trip(connection: psycopg.Connection[tuple[object, ...]]) -> float:
    begin = time.monotonic()
    connection.execute("SELECT 1").fetchone()
    return (time.monotonic() - begin) * 1_000


def _check(name: str, ok: bool | None, detail: str, fix: str = "") -> Check:
    return Check(name, ok, detail, "" if ok else fix, Group.MEMORY)


def _server(version: int, name: str, *, fsync: bool, synchronous: bool) -> Check:
    if version < OLDEST_SERVER:
        return _check("database server", False, f"PostgreSQL {name} is too old",
                      f"use {OLDEST_SERVER // 10_000} or newer")  # fmt: skip
    if not (fsync and synchronous):
        return _check("database server", None, f"PostgreSQL {name} does not wait for its disk",
                      "turn on fsync and synchronous_commit, or a power cut can lose memory")  # fmt: skip
    return _check("database server", True, f"PostgreSQL {name}")


def _pgvector(installed: object, available: object) -> Check:
    oldest = ".".join(map(str, OLDEST_PGVECTOR))
    if installed is None:
        fix = "run `CREATE EXTENSION vector` in this database" if available else "install pgvector on the server"
        return _check("pgvector", None if available else False, "is not in this database", fix)
    number = tuple(int(part) for part in str(installed).split(".")[:2] if part.isdecimal())
    is_new = number >= OLDEST_PGVECTOR
    return _check("pgvector", is_new, str(installed) if is_new else f"{installed} is older than {oldest}",
                  "upgrade pgvector on the server, then run `ALTER EXTENSION vector UPDATE`")  # fmt: skip


def _rights(*, may_create: bool, schemas: int) -> Check:
    if may_create:
        return _check("database rights", True, "may create the schema of an agent")
    if schemas:
        return _check("database rights", True, f"may write in {schemas:,} schemas, and create none")
    return _check("database rights", False, "may not create the schema of an agent",
                  "grant CREATE on the database, or create the schema for this role")  # fmt: skip


def _row_security(*, sees_through: bool) -> Check:
    detail = "does not bind this role, which is a superuser or has BYPASSRLS" if sees_through else "binds this role"
    return _check("row-level security", None if sees_through else True, detail,
                  "in store.url, name a role that owns the schemas, without SUPERUSER and BYPASSRLS")  # fmt: skip


def _latency(milliseconds: float) -> Check:
    is_near = milliseconds <= SLOW_MS
    return _check("database latency", is_near or None, f"{milliseconds:.1f} ms to the server and back",
                  "run Cortex nearer to the server: a recall asks it about ten times")  # fmt: skip


def _clock(ahead: float, uncertain: float) -> Check:
    is_right = abs(ahead) - uncertain <= CLOCK_SECONDS
    side = "ahead of" if ahead > 0 else "behind"
    detail = f"{abs(ahead):.1f} s {side} the server's, give or take {uncertain:.3f} s"
    return _check("database clock", is_right or None, f"this host's clock is {detail}",
                  "set both clocks by NTP: the times of memories come from the hosts")  # fmt: skip


def _connections(used: int, most: int) -> Check:
    has_room = used <= MOST_CONNECTIONS * most
    return _check("database connections", has_room or None, f"{used:,} of {most:,} are in use",
                  "raise max_connections, lower store.postgresql.connections, or use PgBouncer")  # fmt: skip


def _part(*, is_standby: bool, lag: float | None, standbys: int, late: float | None) -> Check:
    if not is_standby:
        is_late = late is not None and late > LAG_SECONDS
        following = f", standbys that follow it: {standbys:,}, at most {late or 0:.1f} s behind" if standbys else ""
        return _check("database role", None if is_late else True, f"a primary{following}", "check replication")
    behind = f", {lag:.0f} s behind" if lag is not None else ""
    is_late = lag is not None and lag > LAG_SECONDS
    return _check("database role", None, f"a standby{behind}: it answers, and cannot be written",
                  "check replication" if is_late else "name the primary in store.url")  # fmt: skip
