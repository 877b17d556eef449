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
from cortex.domain.events import EventKind
from cortex.domain.identity import ReceiptId, TraceId, format_uuid7
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector, unit
from cortex.ports.store import Change, Embed, Filter, Job, Match, Put, Store, View
from cortex.stores.relational import checksums

AT = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
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
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for table in checksums.SUMMED:
            file.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        file.execute("ALTER TABLE jobs DROP COLUMN written")
        for index in ("events_by_user", "traces_contradicted"):
            file.execute(f"DROP INDEX {index}")
        for table in ("quarantine", "erasures", "calibrations"):
            file.execute(f"DROP TABLE {table}")
        file.execute("PRAGMA user_version = 1")
