"""Everything that is kept of a tenant, as records that any store can write and read.

Kinds come one after the other, and the records of each in the order in which they were made. So the same truth gives
the same records from every store, and the same digests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from cortex.errors import StoreCorrupt


class RecordKind(StrEnum):
    """What a record is of, in the order of a dump."""

    LEDGER = "ledger"
    """Where the chain of events begins, and how far the clock was behind it; there is one."""
    EVENT = "event"
    TRACE = "trace"
    """A trace as it is now; what it said before is a `VERSION`."""
    VERSION = "version"
    ACCESS = "access"
    SPACE = "space"
    CALIBRATION = "calibration"
    VECTOR = "vector"
    RECEIPT = "receipt"
    SESSION = "session"
    JOB = "job"
    ERASURE = "erasure"
    """A finished erasure: ids and marks, never text."""
    QUARANTINED = "quarantined"
    """A damaged row that was moved away."""


class DumpRecord(NamedTuple):
    """One row of a tenant's, in values that JSON has. Bytes are in hexadecimal, times in UTC as ISO 8601."""

    kind: RecordKind
    fields: Mapping[str, Any]

    def line(self) -> str:
        """The record as the one line of text that it always is."""
        return json.dumps([self.kind.value, self.fields], ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_line(cls, line: str) -> DumpRecord:
        try:
            kind, fields = json.loads(line)
            return cls(RecordKind(kind), dict(fields))
        except (ValueError, TypeError) as error:
            raise StoreCorrupt(f"a record cannot be read: {error}", hint="take another archive") from error


class RecordDigest(NamedTuple):
    """How many records there are of a kind, and the SHA-256 of their lines."""

    records: int
    sha256: str


class RecordDigests:
    """The digests of the records that were counted."""

    def __init__(self) -> None:
        self._hashes = {kind: hashlib.sha256() for kind in RecordKind}
        self._counts = dict.fromkeys(RecordKind, 0)

    def add(self, record: DumpRecord) -> None:
        self._counts[record.kind] += 1
        self._hashes[record.kind].update(record.line().encode("utf-8", "surrogatepass") + b"\n")

    def counted(self, records: Iterable[DumpRecord]) -> Iterator[DumpRecord]:
        """The same records, each counted as it passes."""
        for record in records:
            self.add(record)
            yield record

    @property
    def records(self) -> int:
        return sum(self._counts.values())

    def all(self) -> dict[RecordKind, RecordDigest]:
        """By kind, those of which there is any."""
        return {
            kind: RecordDigest(count, self._hashes[kind].hexdigest()) for kind, count in self._counts.items() if count
        }


def differing(some: Mapping[RecordKind, RecordDigest], others: Mapping[RecordKind, RecordDigest]) -> list[str]:
    """The kinds of which two digests tell a difference, with both counts."""
    none = RecordDigest(0, "")
    kinds = [kind for kind in RecordKind if some.get(kind) != others.get(kind)]
    return [f"{kind} ({some.get(kind, none).records:,} and {others.get(kind, none).records:,})" for kind in kinds]
