"""The store itself: opens the schema, hands out views, applies changes, looks after itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cortex.domain.backup_manifest import Figures
from cortex.domain.dump import DumpRecord
from cortex.domain.erasure import Erasure, Sought
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.scope import Tenant
from cortex.domain.terms import TOKENIZER
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import StoreUnavailable
from cortex.ports.nearest import Acceleration
from cortex.ports.signals import Topic
from cortex.ports.store import (
    CLOCK_STEP,
    Abilities,
    Change,
    Finding,
    Job,
    JobState,
    PutReceipt,
    Residue,
    Sampled,
    require_position,
)
from cortex.ports.store_url import StoreUrl
from cortex.stores import archive
from cortex.stores.postgres import (
    ABILITIES,
    PostgresOptions,
    audit,
    damage,
    erasure,
    row_security,
    schema,
)
from cortex.stores.postgres.codes import CodeIndexes
from cortex.stores.postgres.connection import Connection, PgConnection
from cortex.stores.postgres.connections import Connections, has_several_hosts
from cortex.stores.postgres.erasure_marks import ErasureGuard, ErasureMarks
from cortex.stores.postgres.hnsw import HnswIndexes
from cortex.stores.postgres.row_security import EVERYONE, Enter
from cortex.stores.postgres.standby import Standby
from cortex.stores.postgres.view import PgPastView, PgView
from cortex.stores.postgres.writer import Names, PgLoader, PgWriter
from cortex.stores.relational import checksums, ledger, loader, residue
from cortex.stores.relational import dump as dumping
from cortex.stores.relational.accelerator import AcceleratedStore, Accelerator, Queue, vectors_of
from cortex.stores.relational.changes import check
from cortex.stores.relational.codec import JOB_COLUMNS, pack_time
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.lexicon_cache import LexiconCache
from cortex.stores.relational.loader import RelationalLoader
from cortex.stores.relational.quarantine import after_repair
from cortex.stores.relational.records import read_job
from cortex.stores.relational.samples import OVERSAMPLED, SAMPLE_COLUMNS, read_samples, vector_sets

_PAUSE = 0.02


class PostgresStore(AcceleratedStore):
    """The traces of one agent in a schema of a PostgreSQL database; safe for many processes on many hosts at once."""

    _enter: Enter = staticmethod(row_security.begin)
    """What a transaction of a user begins with."""

    def __init__(self, url: StoreUrl, agent: str, home: Path, options: PostgresOptions | None = None) -> None:
        self._agent = agent
        options = options or PostgresOptions()
        if options.standby_reads and not has_several_hosts(url):
            hint = "name the standbys too, as in postgresql://cortex@db1,db2/cortex, or turn off standby_reads"
            raise url.refusal("names one host, and so no standby", hint=hint)
        self._connections = Connections(url, agent, options, enter=self._enter)
        self._standby: Standby | None = None
        if options.standby_reads:
            self._standby = Standby(
                lambda: Connections(url, agent, options, standby_of=self._connections), options.standby_lag_ms / 1000
            )
        self._wait = options.busy_timeout_ms / 1000
        self._names = Names()
        self._codes = CodeIndexes()
        self._lexicon = LexiconCache()
        self._marks = ErasureMarks(home, agent, self._connections.identity)
        self._erased = ErasureGuard(self._connections, self._marks, _erasure_lock(agent))
        self._connections.on_connect = self._connected
        self._indexes = HnswIndexes(self._connections, agent)
        self._hnsw = self._indexes if options.hnsw else None
        try:
            if self._hnsw is not None:
                self._hnsw.require()
            self._follow_tokenizer()
            with self._connections.alone() as connection:
                self._erased.keep_out(connection)
        except BaseException:
            self.close()
            raise

    @property
    def abilities(self) -> Abilities:
        return ABILITIES if self._standby is not None else replace(ABILITIES, standby_reads=False)

    def standby_status(self) -> Mapping[str, Any] | None:
        return None if self._standby is None else self._standby.status()

    def accelerate(self, acceleration: Acceleration) -> None:
        self._accelerator = Accelerator(
            acceleration,
            reading=lambda: self._connections.reading(EVERYONE),
            write=lambda work: self._connections.write(work, EVERYONE),
            queue=_queue,
        )
        self._codes = CodeIndexes(accelerator=self._accelerator)

    def apply(
        self, tenant: Tenant, changes: Sequence[Change], *, at: datetime, actor: str = "", cause: str = ""
    ) -> int:
        check(changes)

        def work(connection: PgConnection) -> int:
            writer = PgWriter(connection, self._names, tenant, at, actor=actor, cause=cause, first=changes)
            writer.apply(changes)
            return writer.ledger.own_position

        # Receipts are not worth a wait for the disk. Uses are: they take a position, and a standby that never gets it
        # could not answer alone those who were shown it.
        durable = not all(isinstance(change, PutReceipt) for change in changes)
        with self._names.learning():
            return self._connections.write(work, tenant.user, enters=True, durable=durable)

    @contextmanager
    def view(self, tenant: Tenant, as_of: int | None = None, at_least: int | None = None) -> Iterator[PgView]:
        def make(connection: PgConnection) -> PgView:
            if as_of is None:
                return PgView(connection, tenant.user, self._codes.of, self._lexicon, self._hnsw)
            return PgPastView(connection, tenant.user, self._codes.of, self._lexicon, as_of)

        with ExitStack() as opened:
            if self._standby is None or at_least is None:
                yield self._own_view(opened, tenant.user, make, at_least)
            else:
                wanted = max(at_least, as_of or 0)
                yield self._some_view(opened, tenant.user, make, at_least, self._standby, wanted)

    def _some_view(
        self,
        opened: ExitStack,
        user: str,
        make: Callable[[PgConnection], PgView],
        at_least: int,
        standby: Standby,
        wanted: int,
    ) -> PgView:
        """What a standby shows, where it has what is `wanted`; else what the primary does, if it is there."""
        if (found := standby.view(opened, user, make, wanted)) is not None:
            return found
        try:
            view = self._own_view(opened, user, make, at_least)
        except StoreUnavailable:
            standby.lose_primary()
            if (found := standby.view(opened, user, make, wanted, alone=True)) is None:
                raise
            return found
        standby.stood_in_for(view)
        return view

    def _own_view(
        self, opened: ExitStack, user: str, make: Callable[[PgConnection], PgView], at_least: int | None
    ) -> PgView:
        until = time.monotonic() + self._wait
        while True:
            with ExitStack() as attempt:
                view = make(attempt.enter_context(self._connections.reading(user, enters=True)))
                if view.last_position >= (at_least or 0) or time.monotonic() >= until:
                    require_position(view.last_position, at_least)
                    opened.push(attempt.pop_all())
                    return view
            time.sleep(_PAUSE)  # where the URL names a standby: it is behind, for a moment or for good

    def position_at(self, tenant: Tenant, at: datetime) -> int:
        with self._connections.reading(tenant.user) as connection:
            return ledger.position_at(connection, residue.owner_of(connection, tenant.user), at)

    def claim(
        self, tenant: Tenant, kinds: Sequence[str], *, now: datetime, until: datetime, alone: Sequence[str] = ()
    ) -> Job | None:
        def work(connection: PgConnection) -> Job | None:
            return _claimed(connection, tenant, kinds, now=now, until=until, alone=alone)

        return self._connections.write(work, tenant.user)

    def vector_sets(self, tenant: Tenant) -> Mapping[str, int]:
        with self._connections.reading(tenant.user) as connection:
            return vector_sets(connection, tenant.user)

    def sample(self, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        with self._connections.reading(tenant.user) as connection:
            return sampled(connection, tenant.user, space, limit)

    def users(self) -> list[str]:
        with self._connections.reading(EVERYONE) as connection:
            return dumping.users(connection)

    def dump(self, tenant: Tenant) -> Iterator[DumpRecord]:
        with self._connections.reading(tenant.user) as connection:
            yield from dumping.dump(connection, tenant.user, erasure.all_of(connection, tenant.user))

    def load(self, tenant: Tenant, records: Iterable[DumpRecord], *, source: str) -> None:
        def transact(work: Callable[[RelationalLoader], int]) -> int:
            return self._connections.write(lambda connection: work(PgLoader(connection, Names(), tenant)), EVERYONE)

        loader.load(transact, tenant.user, records, source=source)

    def signal(self, topic: Topic) -> None:
        self._connections.signal(topic)

    def subscribe(self, topic: Topic, wake: Callable[[], None]) -> Callable[[], None]:
        return self._connections.subscribe(topic, wake)

    # --- looking after it ------------------------------------------------------------------------

    def damaged(self, tenant: Tenant) -> Mapping[str, int]:
        with self._connections.reading(tenant.user) as connection:
            return damage.counted(connection, tenant.user)

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        findings = self._findings()
        if not (repair and any(finding.code in audit.REPAIRABLE for finding in findings)):
            yield from findings
            return
        self._connections.write(self._repair, EVERYONE, together=False)
        self._codes.clear()
        self._lexicon = LexiconCache()
        left = self._findings()
        yield from after_repair(findings, left)

    def _findings(self) -> list[Finding]:
        with self._connections.reading(EVERYONE) as connection:
            return list(audit.findings(connection))

    def _repair(self, connection: PgConnection) -> None:
        _lock_everybody(connection)
        self._set_aside(connection)
        audit.rebuild(connection)

    def _set_aside(self, connection: PgConnection) -> None:
        audit.set_aside(connection)

    def maintain(self) -> Mapping[str, Any]:
        self._vacuum("VACUUM (ANALYZE)")
        if self._hnsw is not None:
            self._hnsw.build()
        else:
            self._indexes.drop()
        return self.describe()

    def compact(self, *, rewrite: bool = True) -> bool:
        if rewrite:
            self._vacuum("VACUUM")
        self._purge_nearest()
        return True

    def _vacuum(self, how: str) -> None:
        unused = "DELETE FROM frequencies WHERE traces <= 0"
        self._connections.write(lambda connection: connection.execute(unused), EVERYONE)
        tables = ", ".join(f'"{schema.schema_name(self._agent)}".{table}' for table in schema.TABLES)
        with self._connections.alone() as connection:
            connection.execute(f"{how} {tables}".encode())

    def describe(self) -> Mapping[str, Any]:
        with self._connections.reading(EVERYONE) as connection:
            spaces = connection.execute(
                "SELECT key, bool_or(centre IS NOT NULL) FROM spaces GROUP BY key ORDER BY min(id)"
            ).fetchall()
            quarantined, version, pgvector, size = connection.execute(
                "SELECT (SELECT count(*) FROM quarantine), current_setting('server_version'),"
                " (SELECT extversion FROM pg_extension WHERE extname = 'vector'),"
                " (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
                "  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r')"
            ).fetchone()
        return {
            "namespace": schema.schema_name(self._agent),
            "server": version,
            "pgvector": pgvector,
            "bytes": size,
            "schema": schema.VERSION,
            "tokenizer": TOKENIZER,
            "quarantined": quarantined,
            "spaces": {key: "codes" if coded else "exact" for key, coded in spaces},
        }

    # --- erasing ---------------------------------------------------------------------------------

    def find_residue(
        self, tenant: Tenant, texts: Sequence[str], also: Sequence[Path] = (), ids: Sequence[TraceId] = ()
    ) -> Residue:
        with self._connections.reading(tenant.user) as connection:
            return erasure.find_residue(connection, tenant.user, texts, also, ids)

    def find_mentions(self, tenant: Tenant, ids: Sequence[TraceId], texts: Sequence[str]) -> list[str]:
        with self._connections.reading(tenant.user) as connection:
            return residue.find_mentions(connection, tenant.user, ids, Sought(texts))

    def erasures(self, user: str | None = None, *, pending: bool = False) -> list[Erasure]:
        if user is None:
            self._erased.follow()
        with self._connections.reading(EVERYONE if user is None else user) as connection:
            found = erasure.all_of(connection, user, pending=pending)
        return [*found, *(each for each in self._erased.brought_back() if user in (None, each.user))]

    def record_erasure(self, erasure_: Erasure) -> None:
        self._connections.write(lambda connection: erasure.record(connection, erasure_), erasure_.user)
        self._marks.keep([erasure_])

    def withdraw_erasure(self, id: str) -> None:
        self._marks.withdraw(id)
        self._connections.write(lambda connection: erasure.withdraw(connection, id), EVERYONE)

    @contextmanager
    def erasure_lock(self, seconds: float) -> Iterator[bool]:
        # The lock is the transaction's, not the session's: PgBouncer may give the session to somebody else.
        with self._connections.reading() as connection:
            connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            until = time.monotonic() + seconds
            while not (ours := _is_ours(connection, self._agent)) and time.monotonic() < until:
                time.sleep(_PAUSE)
            with self._erased.erasing() if ours else nullcontext():
                yield ours

    def keep_out_erased_before(self) -> int:
        """Erase what this host knows to be erased in other memories of this agent; gives how many traces went."""
        return self._erased.keep_out_of_others()

    def _connected(self, connection: Connection, has_lost: bool) -> None:
        if has_lost:  # in an earlier state, the same numbers may stand for something else
            self._names.clear()
            self._codes.clear()
            self._lexicon = LexiconCache()
        self._erased.keep_out(connection)

    def backup(self, to: Path) -> Mapping[str, Figures]:
        archive.write(self, self._agent, to)
        return archive.figures(to)

    def close(self) -> None:
        self._close_nearest()
        if self._standby is not None:
            self._standby.close()
        self._connections.close()

    def _follow_tokenizer(self) -> None:
        """Index everything anew when the words of the index are not the ones we would look for."""
        with self._connections.reading() as connection:
            if audit.tokenizer(connection) == TOKENIZER:
                return

        def work(connection: PgConnection) -> None:
            _lock_everybody(connection)
            if audit.tokenizer(connection) != TOKENIZER:
                audit.rebuild(connection)

        self._connections.write(work, EVERYONE, together=False)


def _lock_everybody(connection: PgConnection) -> None:
    """Keep everybody else from writing until the transaction ends."""
    connection.execute("LOCK TABLE users IN EXCLUSIVE MODE")


def _is_ours(connection: PgConnection, agent: str) -> bool:
    """Whether the right to erase is ours until the transaction ends."""
    found: bool = connection.execute(
        "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))", (_erasure_lock(agent),)
    ).fetchone()[0]
    return found


def _erasure_lock(agent: str) -> str:
    return f"cortex erasure {schema.schema_name(agent)}"


def _claimed(
    connection: PgConnection,
    tenant: Tenant,
    kinds: Sequence[str],
    *,
    now: datetime,
    until: datetime,
    alone: Sequence[str],
) -> Job | None:
    user = residue.owner_of(connection, tenant.user)
    # Claims of one user take turns, so that none overlooks what another is about to take; writers they do not wait for.
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, ?))", ("cortex claim", user))
    moment, ahead = pack_time(now), pack_time(now + CLOCK_STEP)
    while True:
        row = connection.execute(
            f"SELECT user, checksum, {JOB_COLUMNS} FROM jobs WHERE user = ? AND kind = ANY (?::text[])"
            " AND ((state = 'waiting' AND due <= ?) OR (state = 'running' AND claimed <= ?)"
            "  OR (state IN ('waiting', 'running') AND written > ?))"
            " AND NOT EXISTS (SELECT 1 FROM jobs other WHERE other.user = jobs.user AND other.id <> jobs.id"
            "  AND other.state = 'running' AND other.claimed > ? AND other.written <= ?"
            "  AND (other.kind = jobs.kind AND other.key = jobs.key"
            "   OR other.kind = ANY (?::text[]) AND jobs.kind = ANY (?::text[])))"
            " ORDER BY due, id LIMIT 1 FOR UPDATE SKIP LOCKED",
            (user, list(kinds), moment, moment, ahead, moment, ahead, list(alone), list(alone)),
        ).fetchone()
        if row is None:
            return None
        job = checksums.Skips().reading("jobs", row[2], read_job, row)
        if job is not None:
            break
        # It must not stand in the way of the others; `verify --repair` moves it away.
        connection.execute(
            "UPDATE jobs SET state = ?, error = 'row_damaged' WHERE id = ?", (JobState.FAILED.value, row[2])
        )
    job = replace(job, state=JobState.RUNNING, claimed_until=until, attempts=job.attempts + 1, written_at=now)
    connection.execute(
        "UPDATE jobs SET state = ?, claimed = ?, attempts = ?, written = ? WHERE id = ?",
        (job.state.value, pack_time(until), job.attempts, moment, job.id),
    )
    return job


def sampled(connection: PgConnection, user: str, space: EmbeddingSpace, limit: int) -> list[Sampled]:
    """Some searchable traces of a user with the vectors of their first passages, damaged ones left out."""
    order = "substr(t.id, 13), t.id"  # by the last bytes, which are random
    # OFFSET 0 has the vectors looked up for each trace: right after a large load, the planner believes that there are
    # few, and would compare every vector with every trace.
    rows = connection.execute(
        f"SELECT {SAMPLE_COLUMNS}"
        " FROM (SELECT t.row FROM facets f JOIN traces t ON t.facet = f.id"
        "  WHERE f.user = (SELECT id FROM users WHERE name = ?) AND f.state = ANY (?::text[])"
        f"  ORDER BY {order} LIMIT ?) chosen"
        " CROSS JOIN LATERAL (SELECT * FROM vectors v WHERE v.row = chosen.row OFFSET 0) v"
        " JOIN traces t ON t.row = v.row JOIN spaces s ON s.id = v.space"
        f" WHERE s.key = ? AND v.until IS NULL AND v.passage = 0 ORDER BY {order} LIMIT ?",
        (user, sorted(map(str, SEARCHABLE)), OVERSAMPLED * limit, space.key, limit),
    ).fetchall()
    return read_samples(rows, space)


def _queue(connection: SqlConnection, space: int) -> Queue:
    # A code that is gone left a tomb.
    code, buried, tomb = connection.execute(
        "SELECT (SELECT max(seq) FROM codes WHERE space = ?), (SELECT max(code) FROM tombs WHERE space = ?),"
        " (SELECT max(seq) FROM tombs WHERE space = ?)",
        (space, space, space),
    ).fetchone()
    return Queue(max(code or 0, buried or 0), tomb or 0, vectors=vectors_of(connection, space))
