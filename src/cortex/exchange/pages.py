"""How memories look as Markdown that a person may edit in any editor.

A memory is a list item under the headings of its scope and kind. A comment at the end of an item names the memory and
the digest of what was exported, so that three versions can be compared: what was exported (base), what the file says
(yours), and what the store says now (theirs).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from urllib.parse import quote

from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Kind, Memory, Retention
from cortex.domain.scope import Tenant
from cortex.domain.trust import TrustTier
from cortex.exchange.editable_fields import DEFAULT_IMPORTANCE, EditableFields
from cortex.exchange.escapes import as_block, as_line, as_tag
from cortex.ports.store import Filter, View, scan_all

SCHEMA = "cortex.memories.v1"

_PLAIN_IN_REFERENCES = "/:#@"
_ABOUT = (
    "<!-- Edit texts and the (field: value) lines under them, move items between headings, add items with `- `. "
    "Keep the comments. Then run `cortex import --markdown` on this file. -->"
)


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file; `name` is the one it has in a directory."""

    name: str
    text: str
    memories: int


def markdown_pages(view: View, tenant: Tenant, filter: Filter, *, at: datetime, by_scope: bool = False) -> list[Page]:
    """The active memories `filter` means, with their text: on one page, or on one for each scope.

    The same state gives the same pages, but for the time `at`.
    """
    memories = sorted(active_memories(view, filter), key=_order)
    groups = [list(some) for _, some in groupby(memories, key=_scope)] if by_scope else [memories]
    return [
        Page(
            _file_name(some[0].scope) if by_scope else "",
            markdown_of(some, tenant, position=view.position, at=at),
            len(some),
        )
        for some in groups
    ]


def markdown_of(memories: Iterable[Memory], tenant: Tenant, *, position: int, at: datetime) -> str:
    """One page with these memories, whatever order they come in."""
    ordered = sorted(memories, key=_order)
    lines = [
        "---",
        f"schema: {SCHEMA}",
        f"agent: {json.dumps(tenant.agent)}",
        f"user: {json.dumps(tenant.user, ensure_ascii=False)}",
        f"exported_at: {at.astimezone(UTC).isoformat()}",
        f"position: {position}",
        f"memories: {len(ordered)}",
        "---",
        "",
        _ABOUT,
    ]
    for scope, of_scope in groupby(ordered, key=_scope):
        lines += ["", f"# {as_line(scope)}"]
        for kind, of_kind in groupby(of_scope, key=_kind):
            lines += ["", f"## {kind.value}"]
            for memory in of_kind:
                lines += ["", *_item(memory)]
    # What was exported, so that an item that is gone from the file differs from one that never was in it.
    listed = [f"{memory.id} {EditableFields.of(memory).digest(memory.id)}" for memory in ordered]
    return "\n".join([*lines, "", "<!-- cortex:exported", *listed, "-->", ""])


def active_memories(view: View, filter: Filter) -> Iterator[Memory]:
    """The memories `filter` means, as far as they are active, in order of id."""
    narrowed = replace(filter, lanes=frozenset({Lane.MEMORIES}), states=frozenset({State.ACTIVE}))
    return (trace for trace in scan_all(view, narrowed) if isinstance(trace, Memory))


_scope, _kind = attrgetter("scope"), attrgetter("kind")
_KINDS = {kind: place for place, kind in enumerate(Kind)}


def _order(memory: Memory) -> tuple[str, int, str]:
    return memory.scope, _KINDS[memory.kind], memory.id


def _file_name(scope: str) -> str:
    """A file name for a scope: the scope itself where that is safe on every file system."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", scope.lower())[:64].strip("-")
    if plain == scope and plain not in _RESERVED:
        return f"{plain}.md"
    return f"{plain or 'scope'}-{hashlib.sha256(scope.encode()).hexdigest()[:8]}.md"


_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})


def _item(memory: Memory) -> Iterator[str]:
    statement = EditableFields.of(memory)
    first, *more = as_block(statement.text).split("\n")
    yield f"- {first}"
    yield from (f"  {line}" if line else "" for line in more)
    if fields := fields_line(statement):
        yield f"  {fields}"
    # Whom to believe cannot be edited: this tells the reader only.
    trust = "" if memory.trust is TrustTier.TRUSTED else f" trust={memory.trust.value}"
    yield f"  <!-- cortex:id={memory.id} base={statement.digest(memory.id)}{trust}{_sources(memory)} -->"


def _sources(memory: Memory) -> str:
    """Where a memory comes from that has several sources, for the reader to see."""
    if not memory.other_source_refs:
        return ""
    return f" sources={','.join(quote(ref, safe=_PLAIN_IN_REFERENCES) for ref in memory.source_refs)}"


def fields_line(statement: EditableFields) -> str:
    """The fields that are not at their default, as in `(importance: 0.9 | tags: ops, keys)`."""
    items = []
    if statement.importance != DEFAULT_IMPORTANCE:
        items.append(f"importance: {statement.importance!r}")
    if statement.tags:
        items.append(f"tags: {', '.join(map(as_tag, statement.tags))}")
    if statement.expires:
        items.append(f"expires: {statement.expires.isoformat()}")
    elif statement.retention is not Retention.PERMANENT:
        items.append(f"retention: {statement.retention.value}")
    return f"({' | '.join(items)})" if items else ""
