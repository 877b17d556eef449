"""The store itself: opens the file, hands out views, applies changes, looks after itself."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cortex.domain.erasure import Erasure, Sought
from cortex.domain.identity import TraceId
from cortex.domain.scope import Tenant
from cortex.domain.terms import TOKENISER
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import StoreCorrupt, StoreError
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
)
from cortex.stores.relational import checksums, residue
from cortex.stores.relational.changes import check
from cortex.stores.relational.code_index import CodeIndex
from cortex.stores.relational.codec import JOB_COLUMNS, pack_time
from cortex.stores.relational.lexicon_cache import LexiconCache
from cortex.stores.relational.records import read_job
from cortex.stores.sqlite import audit, copies, damage, erasure, samples, schema
from cortex.stores.sqlite.connections import Connections
from cortex.stores.sqlite.erasure_log import ErasureLog
from cortex.stores.sqlite.parameters import listed
from cortex.stores.sqlite.view import SqlitePastView, SqliteView
from cortex.stores.sqlite.writer import SqliteWriter


class SqliteStore:
    """The traces of one agent in one SQLite file; safe for many threads and processes at once."""

    recorded = True
    """Whether every change leaves an event, every version stays, and what is erased is kept out for good."""

    def __init__(self, path: Path, *, synchronous: str = "full", busy_timeout_ms: int = 5_000) -> None:
        self.path = path
        self._connections = Connections(path, synchronous=synchronous, busy_timeout_ms=busy_timeout_ms)
        self._codes: dict[int, CodeIndex] = {}
        self._codes_lock = threading.Lock()
        self._lexicon = LexiconCache()
        self._durable = synchronous == "full"
        self._log = ErasureLog(path)
        self._wait = busy_timeout_ms / 1000
        try:
            self._follow_tokeniser()
            if self.recorded:
                copies.sweep(path.parent)  # a restore that was killed leaves a copy that may hold what was erased
                self._keep_out_erased()
        except BaseException:
            self._connections.close()
            raise

    @property
    def abilities(self) -> Abilities:
        return Abilities(as_of=True, transactions=True, durable=self._durable, multi_process=True)

    def apply(self, tenant: Tenant, changes: Sequence[Change], *, at: datetime) -> int:
        check(changes)
        # Receipts and counters are not worth a wait for the disk: they survive a crash, not a power cut.
        durable = not all(isinstance(change, PutReceipt | RecordAccess) for change in changes)
        with self._connections.writing(durable=durable) as connection:
            writer = SqliteWriter(connection, tenant, at, recorded=self.recorded)
            writer.apply(changes)
            return writer.ledger.own_position

    @contextmanager
    def view(self, tenant: Tenant, as_of: int | None = None) -> Iterator[SqliteView]:
        with self._connections.reading() as connection:
            if as_of is None:
                yield SqliteView(connection, tenant.user, self._code_index, self._lexicon)
            else:
                yield SqlitePastView(connection, tenant.user, self._code_index, self._lexicon, as_of)

    def position_at(self, at: datetime) -> int:
        with self._connections.reading() as connection:
            # Files of earlier releases may hold times that go back: what follows a later event comes after it.
            later, last = connection.execute(
                "SELECT (SELECT position FROM events WHERE at > ? ORDER BY position LIMIT 1),"
                " (SELECT max(position) FROM events)",
                (pack_time(at),),
            ).fetchone()
            position: int = last or 0 if later is None else later - 1
            return position

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
            rows = connection.execute(
                "SELECT s.key, count(DISTINCT v.row) FROM spaces s JOIN vectors v ON v.space = s.id"
                " JOIN traces t ON t.row = v.row JOIN facets f ON f.id = t.facet JOIN users u ON u.id = f.user"
                " WHERE v.until IS NULL AND u.name = ? GROUP BY s.key",
                (tenant.user,),
            )
            return dict(rows.fetchall())

    def sample(self, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        with self._connections.reading() as connection:
            return samples.sample(connection, tenant.user, space, limit)

    def users(self) -> list[str]:
        with self._connections.reading() as connection:
            return [
                row[0]
                for row in connection.execute(
                    "SELECT name FROM users WHERE id IN (SELECT user FROM facets WHERE traces > 0) ORDER BY name"
                )
            ]

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        findings = self._looked_through()
        if repair and any(finding.code in audit.REPAIRABLE for finding in findings):
            failed = self._repair(findings)
            # The codes were rebuilt under new numbers.
            self._codes.clear()
            self._lexicon = LexiconCache()
            left = self._looked_through()
            known = {finding.detail for finding in findings}
            for finding in findings:
                still_there = any(finding.code == other.code for other in left if not other.repaired)
                yield Finding(finding.code, finding.detail, repaired=finding.repaired or not still_there)
            yield from (finding for finding in left if finding.detail not in known)
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
        with self._connections.writing() as connection:
            connection.execute("INSERT INTO postings (postings) VALUES ('optimize')")
            connection.execute("PRAGMA optimize")
        with self._connections.exclusive() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self.describe()

    def describe(self) -> Mapping[str, Any]:
        size = sum(os.path.getsize(file) for file in self._files if file.exists())
        with self._connections.reading() as connection:
            spaces = connection.execute("SELECT key, centre IS NOT NULL FROM spaces ORDER BY id").fetchall()
            quarantined = connection.execute("SELECT count(*) FROM quarantine").fetchone()[0]
        return {
            "backend": "sqlite",
            "path": str(self.path),
            "bytes": size,
            "schema": schema.VERSION,
            "tokeniser": TOKENISER,
            "quarantined": quarantined,
            "spaces": {key: "codes" if coded else "exact" for key, coded in spaces},
        }

    def compact(self, *, rewrite: bool = True) -> bool:
        with self._connections.exclusive() as connection:
            copies.sweep(self.path.parent)
            # SQLite has taken back on opening what a journal was needed for; what is left of one is of no use.
            Path(f"{self.path}-journal").unlink(missing_ok=True)
            return erasure.compact(connection, rewrite=rewrite)

    def find_residue(
        self, tenant: Tenant, texts: Sequence[str], also: Sequence[Path] = (), ids: Sequence[TraceId] = ()
    ) -> Residue:
        with self._connections.reading() as connection:
            return erasure.find_residue(connection, tenant.user, texts, self._beside(), also, ids)

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

    def backup(self, to: Path) -> None:
        with self._connections.reading() as connection:
            # The first read fixes the moment that is seen; writers go on meanwhile.
            connection.execute("SELECT count(*) FROM meta").fetchone()
            copies.copy(connection, to)

    def close(self) -> None:
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

    def _code_index(self, space: int, dimension: int) -> CodeIndex:
        with self._codes_lock:
            if space not in self._codes:
                self._codes[space] = CodeIndex(space, dimension)
            return self._codes[space]

    @damage.named
    def _follow_tokeniser(self) -> None:
        """Index everything anew when the words of the index are not the ones we would look for."""
        with self._connections.reading() as connection:
            if audit.tokeniser(connection) == TOKENISER:
                return
        with self._connections.writing() as connection:
            if audit.tokeniser(connection) != TOKENISER:
                audit.rebuild(connection)
