"""The store itself: opens the file, hands out views, applies changes, looks after itself."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from cortex.domain.backup_manifest import Figures
from cortex.domain.dump import DumpRecord
from cortex.domain.erasure import Erasure, Sought
from cortex.domain.identity import TraceId
from cortex.domain.index_status import IndexStatus
from cortex.domain.scope import Tenant
from cortex.domain.terms import TOKENIZER
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import StoreCorrupt, StoreError
from cortex.ports.nearest import Acceleration
from cortex.ports.store import (
    CLOCK_STEP,
    Abilities,
    Change,
    Finding,
    Job,
    JobState,
    PutReceipt,
    RecordAccess,
    Residue,
    Sampled,
    require_position,
)
from cortex.stores.relational import checksums, ledger, loader, residue
from cortex.stores.relational import dump as dumping
from cortex.stores.relational.accelerator import AcceleratedStore, Accelerator, Queue, vectors_of
from cortex.stores.relational.changes import check
from cortex.stores.relational.code_index import CodeIndex
from cortex.stores.relational.codec import JOB_COLUMNS, pack_time
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.lexicon_cache import LexiconCache
from cortex.stores.relational.loader import RelationalLoader
from cortex.stores.relational.quarantine import after_repair
from cortex.stores.relational.records import read_job
from cortex.stores.relational.samples import vector_sets
from cortex.stores.sqlite import audit, copies, damage, erasure, samples, schema, upkeep
from cortex.stores.sqlite.connections import Connections
from cortex.stores.sqlite.erasure_log import ErasureLog
from cortex.stores.sqlite.parameters import listed
from cortex.stores.sqlite.view import SqlitePastView, SqliteView, code_positions, figures
from cortex.stores.sqlite.writer import SqliteLoader, SqliteWriter

T = TypeVar("T")

ABILITIES = Abilities(
    durable=True,
    as_of=True,
    tags=True,
    backup=True,
    restore=True,
    compaction=True,
    proof_by_bytes=True,
    multi_process=True,
)

_MOST_SPACES = 64
_SPACES_WITH_VECTORS = 2
"""Every user has spaces of their own: what a process keeps of them in memory is bounded, however many users it has."""


class SqliteStore(AcceleratedStore):
    """The traces of one agent in one SQLite file; safe for many threads and processes at once."""

    recorded = True
    """Whether every change leaves an event, every version stays, and what is erased is kept out for good."""

    def __init__(self, path: Path, *, synchronous: str = "full", busy_timeout_ms: int = 5_000) -> None:
        self.path = path
        self._connections = Connections(path, synchronous=synchronous, busy_timeout_ms=busy_timeout_ms)
        self._codes: dict[tuple[int, int], CodeIndex] = {}
        self._codes_lock = threading.Lock()
        self._lexicon = LexiconCache()
        self._durable = synchronous == "full"
        self._log = ErasureLog(path)
        self._wait = busy_timeout_ms / 1000
        try:
            self._follow_tokenizer()
            if self.recorded:
                copies.sweep(path.parent)  # a restore that was killed leaves a copy that may hold what was erased
                self._keep_out_erased()
        except BaseException:
            self._connections.close()
            raise

    @property
    def abilities(self) -> Abilities:
        return replace(ABILITIES, durable=self._durable)

    def accelerate(self, acceleration: Acceleration) -> None:
        self._accelerator = Accelerator(
            acceleration,
            reading=self._connections.reading,
            write=self._write,
            queue=_queue,
        )
        self._codes.clear()

    def _write(self, work: Callable[[SqlConnection], T]) -> T:
        with self._connections.writing() as connection:
            return work(connection)

    def apply(
        self, tenant: Tenant, changes: Sequence[Change], *, at: datetime, actor: str = "", cause: str = ""
    ) -> int:
        check(changes)
        # Receipts and counters are not worth a wait for the disk: they survive a crash, not a power cut.
        durable = not all(isinstance(change, PutReceipt | RecordAccess) for change in changes)
        with self._connections.writing(durable=durable) as connection:
            writer = SqliteWriter(connection, tenant, at, recorded=self.recorded, actor=actor, cause=cause)
            writer.apply(changes)
            return writer.ledger.own_position

    @contextmanager
    def view(self, tenant: Tenant, as_of: int | None = None, at_least: int | None = None) -> Iterator[SqliteView]:
        with self._connections.reading() as connection:
            if as_of is None:
                view = SqliteView(connection, tenant.user, self._codes_seen_by(connection), self._lexicon)
            else:
                view = SqlitePastView(connection, tenant.user, self._codes_seen_by(connection), self._lexicon, as_of)
            require_position(view.last_position, at_least)
            yield view

    def position_at(self, tenant: Tenant, at: datetime) -> int:
        with self._connections.reading() as connection:
            return ledger.position_at(connection, residue.owner_of(connection, tenant.user), at)

    def claim(
        self, tenant: Tenant, kinds: Sequence[str], *, now: datetime, until: datetime, alone: Sequence[str] = ()
    ) -> Job | None:
        with self._connections.writing() as connection:
            query = (
                f"SELECT user, checksum, {JOB_COLUMNS} FROM jobs WHERE user = (SELECT id FROM users WHERE name = :user)"
                " AND kind IN (SELECT value FROM json_each(:kinds))"
                " AND ((state = 'waiting' AND due <= :now) OR (state = 'running' AND claimed <= :now)"
                "  OR (state IN ('waiting', 'running') AND written > :ahead))"
                " AND NOT EXISTS (SELECT 1 FROM jobs other WHERE other.user = jobs.user AND other.id <> jobs.id"
                "  AND other.state = 'running' AND other.claimed > :now AND other.written <= :ahead"
                "  AND (other.kind = jobs.kind AND other.key = jobs.key"
                "   OR other.kind IN (SELECT value FROM json_each(:alone))"
                "    AND jobs.kind IN (SELECT value FROM json_each(:alone))))"
                " ORDER BY due, id LIMIT 1"
            )
            values = {"user": tenant.user, "kinds": listed(kinds), "alone": listed(alone), "now": pack_time(now),
                      "ahead": pack_time(now + CLOCK_STEP)}  # fmt: skip
            while row := connection.execute(query, values).fetchone():
                job = checksums.Skips().reading("jobs", row[2], read_job, row)
                if job is None:
                    # It must not stand in the way of the others; `verify --repair` moves it away.
                    connection.execute(
                        "UPDATE jobs SET state = ?, error = 'row_damaged' WHERE id = ?", (JobState.FAILED.value, row[2])
                    )
                    continue
                job = replace(
                    job, state=JobState.RUNNING, claimed_until=until, attempts=job.attempts + 1, written_at=now
                )
                connection.execute(
                    "UPDATE jobs SET state = ?, claimed = ?, attempts = ?, written = ? WHERE id = ?",
                    (job.state.value, pack_time(until), job.attempts, pack_time(now), job.id),
                )
                return job
            return None

    def vector_sets(self, tenant: Tenant) -> Mapping[str, int]:
        with self._connections.reading() as connection:
            return vector_sets(connection, tenant.user)

    def sample(self, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        with self._connections.reading() as connection:
            return samples.sample(connection, tenant.user, space, limit)

    def users(self) -> list[str]:
        with self._connections.reading() as connection:
            return dumping.users(connection)

    def dump(self, tenant: Tenant) -> Iterator[DumpRecord]:
        erasures = self._log.all(tenant.user)
        with self._connections.reading() as connection:
            yield from dumping.dump(connection, tenant.user, erasures)

    def load(self, tenant: Tenant, records: Iterable[DumpRecord], *, source: str) -> None:
        def transact(work: Callable[[RelationalLoader], int]) -> int:
            with self._connections.writing() as connection:
                return work(SqliteLoader(connection, tenant, self._log.note))

        loader.load(transact, tenant.user, records, source=source)

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        findings = self._looked_through()
        if repair and any(finding.code in audit.REPAIRABLE for finding in findings):
            failed = self._repair(findings)
            # The codes were rebuilt under new numbers.
            self._codes.clear()
            self._lexicon = LexiconCache()
            left = self._looked_through()
            yield from after_repair(findings, left)
            yield from failed
        else:
            yield from findings

    def _looked_through(self) -> list[Finding]:
        """Everything that is wrong, as far as it can be read."""
        try:
            with self._connections.reading() as connection:
                return list(self._findings(connection))
        except StoreCorrupt as error:
            return [Finding("file", error.message)]

    def _repair(self, findings: Sequence[Finding]) -> list[Finding]:
        """Repair what can be repaired; returns what prevented the rest."""
        if any(finding.code == "file" for finding in findings):
            # SQLite rebuilds an index of its own from its table, if it is no more than that.
            with suppress(StoreError), self._connections.exclusive() as connection:
                connection.execute("REINDEX")
        try:
            with self._connections.writing() as connection:
                self._set_aside(connection)
                audit.rebuild(connection)
        except StoreCorrupt as error:
            return [Finding("file", f"could not be repaired: {error.message}")]
        return []

    def _set_aside(self, connection: sqlite3.Connection) -> None:
        """Move damaged rows to the quarantine table."""
        audit.set_aside(connection, recorded=self.recorded)

    def damaged(self, tenant: Tenant) -> Mapping[str, int]:
        with self._connections.reading() as connection:
            return damage.counted(connection, tenant.user)

    def _findings(self, connection: sqlite3.Connection) -> Iterator[Finding]:
        return audit.findings(connection)

    def maintain(self) -> Mapping[str, Any]:
        # An engine for vectors is fed from what was removed.
        upkeep.optimize(self._connections, forget_dead=self._accelerator is None)
        return self.describe()

    def index_status(self) -> IndexStatus:
        with self._connections.reading() as connection:
            found = upkeep.status(connection, self.path)
        return found if self._accelerator is None else replace(found, dead_codes=None)

    def describe(self) -> Mapping[str, Any]:
        size = sum(os.path.getsize(file) for file in self._files if file.exists())
        with self._connections.reading() as connection:
            spaces = connection.execute(
                "SELECT key, max(centre IS NOT NULL) FROM spaces GROUP BY key ORDER BY min(id)"
            ).fetchall()
            quarantined = connection.execute("SELECT count(*) FROM quarantine").fetchone()[0]
            codes, dead = connection.execute(
                "SELECT (SELECT count(*) FROM codes), (SELECT count(*) FROM tombs)"
            ).fetchone()
        return {
            "path": str(self.path),
            "bytes": size,
            "schema": schema.VERSION,
            "tokenizer": TOKENIZER,
            "quarantined": quarantined,
            "dead_index_share": round(dead / (codes + dead), 4) if dead else 0.0,
            "spaces": {key: "codes" if coded else "exact" for key, coded in spaces},
        }

    def compact(self, *, rewrite: bool = True) -> bool:
        with self._connections.exclusive() as connection:
            copies.sweep(self.path.parent)
            # SQLite has taken back on opening what a journal was needed for; what is left of one is of no use.
            Path(f"{self.path}-journal").unlink(missing_ok=True)
            compacted = erasure.compact(connection, rewrite=rewrite)
        self._purge_nearest()
        return compacted

    def find_residue(
        self, tenant: Tenant, texts: Sequence[str], also: Sequence[Path] = (), ids: Sequence[TraceId] = ()
    ) -> Residue:
        with self._connections.reading() as connection:
            beside = self._beside()
            found = erasure.find_residue(connection, tenant.user, texts, beside, also, ids)
        unused = set(beside) - set(self._files)
        return replace(found, leftovers=tuple(path for path in found.files if path in unused))

    def find_mentions(self, tenant: Tenant, ids: Sequence[TraceId], texts: Sequence[str]) -> list[str]:
        with self._connections.reading() as connection:
            return residue.find_mentions(connection, tenant.user, ids, Sought(texts))

    def erasures(self, user: str | None = None, *, pending: bool = False) -> list[Erasure]:
        return self._log.all(user, pending=pending)

    def record_erasure(self, erasure: Erasure) -> None:
        self._log.note(erasure)

    def withdraw_erasure(self, id: str) -> None:
        self._log.withdraw(id)

    def erasure_lock(self, seconds: float) -> AbstractContextManager[bool]:
        return self._log.held(seconds)

    def backup(self, to: Path) -> Mapping[str, Figures]:
        with self._connections.reading() as connection:
            # The first read fixes the moment that is seen; writers go on meanwhile.
            found = figures(connection)
            copies.copy(connection, to)
        return found

    def close(self) -> None:
        self._close_nearest()
        self._connections.close()

    @property
    def _files(self) -> list[Path]:
        return [self.path, *(Path(f"{self.path}{suffix}") for suffix in ("-wal", "-shm"))]

    def _beside(self) -> list[Path]:
        """The file and whatever was made of it beside it: its log, journals, copies that were not finished."""
        own, folder = self.path.name, self.path.parent
        named = [(name, name.lstrip(".")) for name in sorted(os.listdir(folder))]
        # What has the ending of a database in the rest of its name belongs to another.
        mine = [name for name, bare in named if bare.startswith(own) and ".sqlite" not in bare[len(own) :]]
        return [folder / name for name in mine if (folder / name).is_file()]

    def _keep_out_erased(self) -> None:
        """Erase what was erased of this memory but is in the file: it is older than that, or somebody was killed."""
        if not (known := self._log.names()):
            return
        with self._connections.reading() as connection:
            missing = known.keys() - erasure.applied(connection)
        if not missing:
            return
        # One that is pending and not ours to erase is under way: the process that plans it must find what was planned.
        with self._log.held(0 if all(known[id] for id in missing) else self._wait) as ours:
            found = [each for id in sorted(missing) if (each := self._log.read(id)) and (ours or each.finished)]
            if ours:
                found = [self._pending_again(each) for each in found]
            if found:
                with self._connections.writing() as connection:
                    erasure.carry_out(connection, found)

    def _pending_again(self, known: Erasure) -> Erasure:
        """A finished erasure as one that is to be carried out in this file too, if it holds anything of it."""
        if not known.finished:
            return known
        with self._connections.reading() as connection:
            texts = residue.texts_of(connection, known.user, known.ids)
        if not texts:
            return known
        again = replace(known, texts=tuple(texts), rewritten=False, finished=False)
        self._log.note(again)
        return again

    def _codes_seen_by(self, connection: sqlite3.Connection) -> Callable[[int, int], CodeIndex]:
        """The codes of a space as one snapshot sees them, by the number of the space and the dimension."""
        return lambda space, dimension: self._code_index(space, dimension, upkeep.epoch(connection))

    def _code_index(self, space: int, dimension: int, epoch: int) -> CodeIndex:
        key = (space, epoch)
        with self._codes_lock:
            # In the order of their last use: of the others' vectors none is kept, and of very many the codes neither.
            found = self._codes.pop(key) if key in self._codes else CodeIndex(space, dimension, self._accelerator)
            # What still reads an earlier epoch reads its codes again, for itself.
            for other in [each for each in self._codes if each[0] == space and each[1] < epoch]:
                del self._codes[other]
            self._codes[key] = found
            earlier = list(self._codes)[:-_SPACES_WITH_VECTORS]
            for other in earlier:
                self._codes[other].release_vectors()
            for other in earlier[:-_MOST_SPACES]:
                del self._codes[other]
            return found

    @damage.named
    def _follow_tokenizer(self) -> None:
        """Index everything anew when the words of the index are not the ones we would look for."""
        with self._connections.reading() as connection:
            if audit.tokenizer(connection) == TOKENIZER:
                return
        with self._connections.writing() as connection:
            if audit.tokenizer(connection) != TOKENIZER:
                audit.rebuild(connection)


def _queue(connection: SqlConnection, space: int) -> Queue:
    return Queue(*code_positions(connection), vectors=vectors_of(connection, space))
