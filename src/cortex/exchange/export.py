"""Export: every memory and turn in order of id, without its text unless requested (E14)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields, replace
from enum import Enum
from typing import Any

from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.domain.trace import COUNTERS, Trace, name_of, to_fields
from cortex.ports.store import Filter, Store, scan_all

EXPORTED_LANES = frozenset({Lane.MEMORIES, Lane.SESSIONS})
"""Chunks stay out: their file is the truth, and indexing it makes them again."""

WORDED = frozenset({"topic", "subject", "attribute", "value"})
"""Fields that repeat words of the text; they go where the text goes."""


def exported(store: Store, tenant: Tenant, filter: Filter, *, redact: bool) -> Iterator[dict[str, Any]]:
    """One plain object for each trace. The same state always gives the same objects in the same order."""
    lanes = EXPORTED_LANES if filter.lanes is None else EXPORTED_LANES & filter.lanes
    narrowed = replace(filter, lanes=lanes)
    # One view for the whole run, so that what is written meanwhile is neither missed by half nor seen twice.
    with store.view(tenant) as view:
        yield from (_line(trace, redact) for trace in scan_all(view, narrowed))


def _line(trace: Trace, redact: bool) -> dict[str, Any]:
    line: dict[str, Any] = {"type": name_of(trace)}
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
    for field in fields(trace):
        value = changed.get(field.name, field.default)
        if field.name not in COUNTERS and value not in (None, "", ()):
            yield field.name, value.value if isinstance(value, Enum) else value
