"""Traces to keep, and a desk to keep them from."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from cortex.domain.chunk import Chunk
from cortex.domain.events import GENESIS, EventKind, common_seal
from cortex.domain.identity import ReceiptId, TraceId, format_uuid7
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector, sign_codes, unit
from cortex.ports.store import Change, Embed, Filter, Job, Match, Put, RestoreMark, Store, View
from cortex.stores.relational import checksums
from cortex.stores.relational.vector_writer import mean_of
from cortex.stores.sqlite import schema

AT = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
RESTORED = RestoreMark(AT, "cli", "", "main.backup")
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)

ANNA = Tenant(user="anna")
BORIS = Tenant(user="boris")

SPACE = EmbeddingSpace("fake", "compass", 4)
OTHER_SPACE = EmbeddingSpace("fake", "sextant", 3)


def id_(number: int) -> TraceId:
    """An id; greater numbers give greater ids."""
    return TraceId(format_uuid7(1_700_000_000_000 + number, number))


def memory(number: int, text: str = "The harbour opens at dawn", **fields: Any) -> Memory:
    return Memory(id=id_(number), text=text, **{"created_at": AT, **fields})


def turn(number: int, text: str = "The harbour opens at dawn", **fields: Any) -> Turn:
    return Turn(id=id_(number), text=text, **{"created_at": AT, "session": "s1", "seq": number, **fields})


def chunk(number: int, text: str = "The harbour opens at dawn", **fields: Any) -> Chunk:
    place = {"created_at": AT, "path": "memory/harbour.md", "start_line": 1, "end_line": 2}
    return Chunk(id=id_(number), text=text, **{**place, **fields})


def followed(path: str, *chunks: Chunk, **fields: Any) -> IndexedFile:
    known = {"source": "notes", "size": 1, "modified_ns": 2, "inode": 3, "hash": "aa", **fields}
    return IndexedFile(path, chunks=tuple(each.id for each in chunks), **known)


def receipt(number: int, **fields: Any) -> Receipt:
    envelope = {"op": "recall", "at": AT, "agent": "main", "user": "anna", "position": 1, "latency_ms": 12.5}
    return Receipt(id=ReceiptId(id_(number)), **{**envelope, **fields})


def job(number: int, key: str = "s1", **fields: Any) -> Job:
    return Job(id=id_(number), key=key, **{"kind": "extract", "due": AT, **fields})


def vector(*numbers: float) -> Vector:
    return np.array(numbers, dtype=np.float32)


EAST = vector(1, 0, 0, 0)
NORTH = vector(0, 1, 0, 0)
NORTH_EAST = unit(vector(1, 1, 0, 0))


def ids(found: Sequence[Trace | Match]) -> list[TraceId]:
    return [each.id for each in found]


@dataclass(frozen=True)
class Desk:
    """One tenant's work with one store."""

    store: Store
    tenant: Tenant

    def apply(self, *changes: Change, at: datetime = AT) -> int:
        return self.store.apply(self.tenant, changes, at=at)

    def put(self, *traces: Trace, because: EventKind = EventKind.REMEMBERED, at: datetime = AT) -> int:
        return self.apply(*(Put(trace, because) for trace in traces), at=at)

    def embed(self, trace: Trace, *vectors: Vector, space: EmbeddingSpace = SPACE) -> int:
        return self.apply(Embed(trace.id, space, vectors))

    def view(self, as_of: int | None = None) -> AbstractContextManager[View]:
        return self.store.view(self.tenant, as_of)

    def load(self, *wanted: TraceId, as_of: int | None = None) -> list[Trace]:
        with self.view(as_of) as view:
            return view.load(wanted)

    def find(self, query: str, filter: Filter | None = None, limit: int = 50, as_of: int | None = None) -> list[Match]:
        with self.view(as_of) as view:
            return view.keywords(query_terms(query), filter or Filter(), limit)

    def near(
        self, wanted: Vector, filter: Filter | None = None, limit: int = 50, as_of: int | None = None
    ) -> list[Match]:
        with self.view(as_of) as view:
            return view.nearest(wanted, SPACE, filter or Filter(), limit)

    def scan(self, filter: Filter | None = None, as_of: int | None = None) -> list[Trace]:
        with self.view(as_of) as view:
            return view.scan(filter or Filter())

    def total(self, filter: Filter | None = None, as_of: int | None = None) -> int:
        with self.view(as_of) as view:
            return view.counts(filter or Filter()).total

    @property
    def position(self) -> int:
        with self.view() as view:
            return view.position


def as_first_version(path: Path) -> None:
    """Make a file what the first release would have made of it."""
    as_shared_ledger(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for table in checksums.SUMMED:
            file.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        file.execute("ALTER TABLE jobs DROP COLUMN written")
        for index in ("events_by_user", "traces_contradicted"):
            file.execute(f"DROP INDEX {index}")
        for table in ("quarantine", "erasures", "calibrations"):
            file.execute(f"DROP TABLE {table}")
        file.execute("PRAGMA user_version = 1")


def as_shared_ledger(path: Path) -> dict[tuple[str, int], int]:
    """Make a file what schema 4 would have made of it: one chain and the same spaces for all users.

    Gives the position that each event of a user has then.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("BEGIN")
        events = file.execute(
            "SELECT user, position, at, kind, subject, commitment FROM events ORDER BY at, user, position"
        ).fetchall()
        shared = {(user, position): number for number, (user, position, *_) in enumerate(events, 1)}
        shared |= {(user, 0): 0 for user, *_ in events}
        owners = dict(file.execute("SELECT t.row, f.user FROM traces t JOIN facets f ON f.id = t.facet"))
        file.create_function("owner", 1, owners.get)
        file.create_function("shared", 2, lambda user, position: shared.get((user, position)))
        file.create_function("summed", -1, checksums.checksum)
        for table, column in (
            ("traces", "since"), ("versions", "since"), ("versions", "until"), ("vectors", "since"),
            ("vectors", "until"), ("accesses", "position"),
        ):  # fmt: skip
            file.execute(f"UPDATE {table} SET {column} = shared(owner(row), {column})")
        _share_spaces(file)
        _share_events(file, events)
        for table in ("chains", "loads"):
            file.execute(f"DROP TABLE {table}")
        file.execute("DELETE FROM meta WHERE key = 'shared_chain'")
        file.execute("PRAGMA user_version = 4")
        names = dict(file.execute("SELECT id, name FROM users"))
        file.execute("COMMIT")
    return {(names[user], position): number for (user, position), number in shared.items()}


def _share_events(file: sqlite3.Connection, events: Sequence[tuple[Any, ...]]) -> None:
    file.execute("DROP TABLE events")
    file.execute(_created(schema.MIGRATIONS[0], "TABLE events"))
    file.execute("CREATE INDEX events_by_user ON events (user)")
    previous = GENESIS
    for position, (user, _, at, kind, subject, commitment) in enumerate(events, 1):
        previous = common_seal(previous, position, str(at), kind, subject, commitment.hex())
        file.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
            (position, user, at, kind, subject, commitment, bytes.fromhex(previous)),
        )


def _share_spaces(file: sqlite3.Connection) -> None:
    known = file.execute("SELECT id, user, key, dimension, centre, centred FROM spaces ORDER BY id").fetchall()
    scales = file.execute(
        "SELECT s.key, shared(s.user, c.since), c.body FROM calibrations c JOIN spaces s ON s.id = c.space"
    ).fetchall()
    file.execute("DELETE FROM calibrations")
    file.execute("DROP TABLE spaces")
    file.execute(_created(schema.MIGRATIONS[0], "TABLE spaces"))
    file.execute("ALTER TABLE spaces ADD COLUMN checksum INTEGER")
    ids: dict[str, int] = {}
    for id, user, key, dimension, centre, centred in known:
        if key not in ids:
            ids[key] = id
            file.execute(
                "INSERT INTO spaces VALUES (?, ?, ?, ?, shared(?, ?), summed(?, ?, ?))",
                (id, key, dimension, centre, user, centred, centre, key, dimension),
            )
        for table in ("vectors", "codes"):
            file.execute(f"UPDATE {table} SET space = ? WHERE space = ?", (ids[key], id))
    file.execute("UPDATE vectors SET checksum = summed(vector, space, row, passage)")
    _share_centres(file)
    for key, since, body in scales:
        file.execute(
            "INSERT OR REPLACE INTO calibrations VALUES (?, ?, ?, summed(?, ?, ?))",
            (ids[key], since, body, body, ids[key], since),
        )


def _share_centres(file: sqlite3.Connection) -> None:
    """Where a user's space had a centre, all vectors together have one now."""
    for space, key, dimension in file.execute(
        "SELECT id, key, dimension FROM spaces WHERE centre IS NOT NULL"
    ).fetchall():
        rows = file.execute(
            "SELECT v.key, v.row, t.facet, v.vector, f.state FROM vectors v JOIN traces t ON t.row = v.row"
            " JOIN facets f ON f.id = t.facet WHERE v.space = ? AND v.until IS NULL",
            (space,),
        ).fetchall()
        centre = mean_of([row[3] for row in rows])
        file.execute(
            "UPDATE spaces SET centre = ?, checksum = summed(?, ?, ?) WHERE id = ?",
            (centre, centre, key, dimension, space),
        )
        file.execute("DELETE FROM codes WHERE space = ?", (space,))
        for number, row, facet, packed, state in rows:
            code = sign_codes(np.frombuffer(packed, "<f4"), np.frombuffer(centre, "<f4")).tobytes()
            if state in SEARCHABLE:
                file.execute(
                    "INSERT INTO codes (space, key, row, facet, code) VALUES (?, ?, ?, ?, ?)",
                    (space, number, row, facet, code),
                )


def _created(script: str, what: str) -> str:
    """The statement of a migration that creates something."""
    return f"CREATE {what}" + script.partition(f"CREATE {what}")[2].partition(";")[0]
