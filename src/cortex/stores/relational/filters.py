"""Filters: the part that facets answer, and the part that is checked for each trace."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import Memory
from cortex.domain.text import folded
from cortex.domain.trace import Trace, is_contradicted, used_at
from cortex.domain.turn import Turn
from cortex.ports.store import Filter
from cortex.stores.relational.codec import marks


def searchable(filter: Filter) -> Filter:
    """`filter` without the states that searches never look at."""
    return replace(filter, states=filter.states & SEARCHABLE)


def facets_only(filter: Filter) -> Filter:
    """The part of a filter that decides the statistics."""
    return Filter(
        lanes=filter.lanes, scopes=filter.scopes, kinds=filter.kinds, trusts=filter.trusts, labels=filter.labels,
        states=filter.states,
    )  # fmt: skip


def one_of(column: str, values: Collection[Any]) -> str:
    """A condition that a column has one of these values."""
    return f"{column} IN ({marks(values)})" if values else "1 = 0"


def facet_conditions(filter: Filter) -> tuple[str, list[str]]:
    """The part of a filter that facets answer, in SQL, and its parameters."""
    wanted: Mapping[str, Iterable[str] | None] = {
        "lane": filter.lanes,
        "scope": filter.scopes,
        "kind": filter.kinds,
        "trust": filter.trusts,
        "label": filter.labels,
        "state": filter.states,
    }
    where, values = "", list[str]()
    for column, names in wanted.items():
        if names is not None:
            some = sorted(names)
            where += f" AND {one_of(column, some)}"
            values += some
    return where, values


def is_only_ids(filter: Filter) -> bool:
    """Whether a filter asks for ids, and for nothing else that facets do not answer."""
    others = (
        filter.sessions, filter.since, filter.until, filter.slots, filter.lacking, filter.contradicted, filter.contains,
        filter.topics, filter.tags,
    )  # fmt: skip
    return filter.ids is not None and all(each is None for each in others)


def passes(trace: Trace, filter: Filter) -> bool:
    """Whether a trace passes what facets do not answer, vectors aside."""
    if filter.sessions is not None and not (isinstance(trace, Turn) and trace.session in filter.sessions):
        return False
    if filter.ids is not None and trace.id not in filter.ids:
        return False
    if filter.slots is not None and not (isinstance(trace, Memory) and trace.slot in filter.slots):
        return False
    if filter.contradicted is not None and is_contradicted(trace) is not filter.contradicted:
        return False
    if not says(trace, filter):
        return False
    if filter.since is not None and trace.created_at < filter.since:
        return False
    if filter.used_since is not None and used_at(trace) < filter.used_since:
        return False
    return filter.until is None or trace.created_at < filter.until


def says(trace: Trace, filter: Filter) -> bool:
    """Whether a trace has the words, the topic and a tag that the filter names."""
    if filter.contains is not None and folded(filter.contains) not in folded(trace.text):
        return False
    if filter.topics is not None and not (isinstance(trace, Memory) and trace.topic in filter.topics):
        return False
    return filter.tags is None or (isinstance(trace, Memory) and not filter.tags.isdisjoint(trace.tags))
