"""Rows read back: each is checked against its checksum first, and a damaged one is an error of `UNREADABLE`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from cortex.domain.events import Event, EventKind
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace
from cortex.ports.store import Counts, Job
from cortex.stores.relational.checksums import check
from cortex.stores.relational.codec import unpack_job, unpack_receipt, unpack_time, unpack_trace

TRACE_COLUMNS = "t.id, t.name, t.body, t.used, t.uses, t.facet, t.checksum"
"""What `read_trace` takes, in a query of `traces t`."""
EVENT_COLUMNS = "position, at, kind, subject, commitment, seal, actor, cause"
RECEIPT_COLUMNS = "id, body, query, user, checksum"

_SHORT = 2_048
"""Traces of up to this many characters are worth keeping in memory."""


def read_trace(row: Sequence[Any]) -> Trace:
    """The trace of a row of `TRACE_COLUMNS`; one that was read recently and is still the same is not decoded again."""
    read = _decoded if len(row[2]) <= _SHORT else _decoded.__wrapped__
    return read(*row[1:])


# By all that it is built from, its checksum included: whatever was changed is another row. No trace changes in place.
@lru_cache(maxsize=8_192, typed=True)
def _decoded(name: str, body: str, used: int | None, uses: int, facet: int, checksum: int | None) -> Trace:
    check(checksum, body, facet)
    return unpack_trace(name, body, used, uses)


def read_event(row: Sequence[Any]) -> Event:
    """The event of a row of `EVENT_COLUMNS`."""
    position, at, kind, subject, commitment, seal, actor, cause = row
    return Event(position, unpack_time(at), EventKind(kind), subject, commitment.hex(), seal.hex(), actor, cause)


def read_receipt(row: Sequence[Any]) -> Receipt:
    """The receipt of a row of `RECEIPT_COLUMNS`."""
    _, body, query, user, checksum = row
    check(checksum, body, user, query)
    return unpack_receipt(body)


def read_session(state: str, user: int, session: str, checksum: int | None) -> Mapping[str, Any]:
    """The state of a session, from its row."""
    check(checksum, state, user, session)
    found: Mapping[str, Any] = json.loads(state)
    return dict(found)


def read_job(row: Sequence[Any]) -> Job:
    """A job from its user, its checksum and `JOB_COLUMNS`."""
    user, checksum, *columns = row
    _, kind, key, *_, payload, _ = columns
    check(checksum, payload, user, kind, key)
    return unpack_job(tuple(columns))


def tally(rows: Iterable[tuple[str, str, str, str, str, str, int, int, int, int]]) -> Counts:
    """Counts from rows of lane, scope, kind, label, trust, state, number, oldest, newest and bytes."""
    by: tuple[dict[str, int], ...] = ({}, {}, {}, {}, {}, {})
    total = size = 0
    oldest: int | None = None
    newest: int | None = None
    for *names, number, first, last, length in rows:
        for counted, name in zip(by, names, strict=True):
            counted[name] = counted.get(name, 0) + number
        total += number
        size += length or 0
        oldest = first if oldest is None else min(oldest, first)
        newest = last if newest is None else max(newest, last)
    lane, scope, kind, label, trust, state = by
    return Counts(
        total, lane, scope, kind, label, trust, state,
        None if oldest is None else unpack_time(oldest), None if newest is None else unpack_time(newest), size,
    )  # fmt: skip
