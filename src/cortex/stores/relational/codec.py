"""How domain values are stored in rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, TypeVar

from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace, from_fields
from cortex.ports.store import Job, JobState

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def pack_id(id: str) -> bytes:
    return bytes.fromhex(id.replace("-", ""))


def unpack_id(packed: bytes) -> TraceId:
    digits = packed.hex()
    return TraceId(f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}")


def pack_time(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def unpack_time(packed: int) -> datetime:
    return _EPOCH + timedelta(microseconds=packed)


# The body of a trace begins and ends with its braces: no space around it has to be looked for.
_fields_of = json.JSONDecoder().raw_decode


def unpack_trace(name: str, body: str, used: int | None, uses: int) -> Trace:
    fields, _ = _fields_of(body)
    if name != "memory":
        return from_fields(name, fields)
    trace = from_fields(name, fields, access_count=uses, last_accessed_at=unpack_time(used) if used else None)
    assert isinstance(trace, Memory)  # tells the type checker what `name` says
    return trace


def pack_receipt(receipt: Receipt) -> str:
    return json.dumps(receipt.to_json(), ensure_ascii=False, separators=(",", ":"))


def unpack_receipt(body: str) -> Receipt:
    return Receipt.from_json(json.loads(body))


JOB_COLUMNS = "id, kind, key, due, state, attempts, claimed, error, payload, written"


def unpack_job(row: tuple[Any, ...]) -> Job:
    id, kind, key, due, state, attempts, claimed, error, payload, written = row
    return Job(
        id=id,
        kind=kind,
        key=key,
        due=unpack_time(due),
        state=JobState(state),
        attempts=attempts,
        claimed_until=unpack_time(claimed) if claimed is not None else None,
        error=error,
        payload=json.loads(payload),
        written_at=unpack_time(written),
    )


def batched(values: Iterable[T], size: int = 10_000) -> Iterator[list[T]]:
    """Values in lists short enough to be parameters of one statement."""
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some


def marks(values: Collection[Any]) -> str:
    """A question mark for each value."""
    return ", ".join("?" * len(values))
