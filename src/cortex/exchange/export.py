"""Export: every memory and turn in order of id, without its text unless requested (E14)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import islice
from typing import Any

from cortex.domain.events import Event
from cortex.domain.identity import TraceId
from cortex.domain.importance import NO_ORIGINS
from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.domain.trace import COUNTERS, Trace, defaults_of, name_of, to_fields
from cortex.ports.store import Filter, Store, View, scan_all

EXPORTED_LANES = frozenset({Lane.MEMORIES, Lane.SESSIONS})
"""Chunks stay out: their file is the truth, and indexing it makes them again."""

_PAGE = 500
"""How many traces are read with their events at a time."""

ATTRIBUTION = ("actor", "cause")
"""Who changed a trace last, and in which operation. An import leaves them out: it makes a change of its own."""

WORDED = frozenset({"topic", "subject", "attribute", "value"})
"""Fields that repeat words of the text; they go where the text goes."""


def exported(
    store: Store, tenant: Tenant, filter: Filter, *, redact: bool, as_of: int | None = None
) -> Iterator[dict[str, Any]]:
    """One plain object for each trace. The same state always gives the same objects in the same order."""
    lanes = EXPORTED_LANES if filter.lanes is None else EXPORTED_LANES & filter.lanes
    narrowed = replace(filter, lanes=lanes)
    # One view for the whole run, so that what is written meanwhile is neither missed by half nor seen twice.
    with store.view(tenant, as_of) as view:
        traces = scan_all(view, narrowed)
        while page := list(islice(traces, _PAGE)):
            last = view.changed_by([trace.id for trace in page])
            yield from (_line(trace, redact, last.get(trace.id)) for trace in page)


def lines_of(view: View, ids: Sequence[TraceId], *, redact: bool) -> Iterator[dict[str, Any]]:
    """One plain object for each of these traces, outcomes among them."""
    for start in range(0, len(ids), _PAGE):
        page = view.load(ids[start : start + _PAGE])
        last = view.changed_by([trace.id for trace in page])
        yield from (_line(trace, redact, last.get(trace.id)) for trace in page)


def _line(trace: Trace, redact: bool, last: Event | None) -> dict[str, Any]:
    """A trace as an object, with who changed it last, and in which operation."""
    line: dict[str, Any] = {"type": name_of(trace)}
    if last is not None:
        line |= {name: value for name in ATTRIBUTION if (value := getattr(last, name))}
    for name, value in _fields(trace):
        if not redact:
            line[name] = value
        elif name == "text":
            line["text"] = None
            line["text_sha256"] = hashlib.sha256(trace.text.encode()).hexdigest()
            line["text_chars"] = len(trace.text)
        elif name not in WORDED:
            line[name] = value
    return line


def _fields(trace: Trace) -> Iterator[tuple[str, Any]]:
    """Every field that says something, defaults included, so that a reader need not know them."""
    changed = to_fields(trace)
    for name, default in defaults_of(type(trace)).items():
        value = changed.get(name, default)
        if name not in COUNTERS and value not in (None, "", (), NO_ORIGINS):
            yield name, value.value if isinstance(value, Enum) else value
