"""Changes before they are carried out, and the derived rows of a trace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cortex.domain.memory import Memory
from cortex.domain.trace import Trace
from cortex.ports.store import Change, Embed, Put
from cortex.stores.relational import checksums, lexicon
from cortex.stores.relational.codec import pack_id
from cortex.stores.relational.vectors import check_vector

ADD_SOURCE = "INSERT INTO sources (turn, row) VALUES (?, ?) ON CONFLICT DO NOTHING"
LEXICON = "lexicon (row, passage, facet, thread, seq, length, terms)"
ADD_UNIT = f"INSERT INTO {LEXICON} VALUES (?, ?, ?, ?, ?, ?, ?)"


def check(changes: Sequence[Change]) -> None:
    """Refuse what can be seen to be wrong before the lock is taken."""
    for change in changes:
        if isinstance(change, Embed):
            for vector in change.vectors:
                check_vector(vector, change.space)


class Stored(NamedTuple):
    """What is known of a trace that is already there."""

    row: int
    name: str
    facet: int
    since: int
    salt: bytes
    body: str
    checksum: int | None
    is_searched: bool | None = None
    """Whether searches look at it, where it was inserted by this transaction and has no vectors from before."""

    @property
    def fields(self) -> dict[str, Any] | None:
        """Its fields; None where the row is damaged."""
        return checksums.fields(self.body, self.checksum, self.facet)

    def says(self, text: str) -> bool:
        return bool(json.loads(self.body)["text"] == text)


def slot(trace: Trace) -> str | None:
    """The slot a memory is found by."""
    return trace.slot if isinstance(trace, Memory) and trace.attribute else None


def source_rows(row: int, trace: Trace) -> list[tuple[bytes, int]]:
    """The rows that link a memory to the turns it was extracted from."""
    return [(pack_id(turn), row) for turn in trace.source_turns] if isinstance(trace, Memory) else []


def units(
    row: int, facet: int, thread: int | None, seq: int | None, words: Sequence[Sequence[str]]
) -> list[tuple[Any, ...]]:
    """The rows of the lexicon for one trace."""
    return [unit_of(row, passage, facet, thread, seq, some) for passage, some in enumerate(words)]


def unit_of(
    row: int, passage: int, facet: int, thread: int | None, seq: int | None, words: Sequence[str]
) -> tuple[Any, ...]:
    """The row of one passage."""
    return row, passage, facet, thread, seq, len(words), lexicon.pack(words)


def runs(changes: Sequence[Change]) -> Iterable[list[Change]]:
    """Consecutive puts of distinct traces, or embeds of distinct traces, together; everything else alone."""
    run: list[Change] = []
    seen: set[object] = set()
    kind: type[Change] | None = None
    for change in changes:
        key = change.trace.id if type(change) is Put else _key(change)
        if type(change) is not kind or key in seen:
            if run:
                yield run
            run, seen, kind = [], set(), type(change)
        run.append(change)
        seen.add(key)
    if run:
        yield run


def _key(change: Change) -> object:
    return (change.id, change.space.key) if isinstance(change, Embed) else None
