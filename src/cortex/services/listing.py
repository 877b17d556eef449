"""Lists of traces: one page at a time, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from cortex.composite_view import FILE_LANES
from cortex.domain.identity import TraceId, checked_id
from cortex.domain.importance import ImportanceLabel
from cortex.domain.lanes import DEFAULT_LANES, Lane, State
from cortex.domain.sorting import Place, Placed, Sort, SortKey
from cortex.domain.trace import Trace
from cortex.domain.trust import TrustTier
from cortex.errors import InvalidRequest
from cortex.kinds import Kind
from cortex.ports.store import Filter, View

MOST_CHARS = 1_000
"""How long the words may be that a text is to contain."""
_MOST_EXTRACTED = 20_000
_TURNS = 1_000


class TracePage(list[Trace]):
    """One page of a list. `next` is where the next one begins, None on the last; `position` is how far it saw."""

    def __init__(self, traces: Iterable[Trace] = (), next: str | None = None, position: int = 0) -> None:
        super().__init__(traces)
        self.next = next
        self.position = position


def page(
    view: View, filter: Filter, *, after: str | None, limit: int, newest: bool, sort: str | Sort | None
) -> TracePage:
    """A page of what `view` shows."""
    order = None if sort is None else Sort.parse(sort)
    if order is not None and newest:
        raise InvalidRequest("is given beside sort", field="newest", hint="leave it out: -created is newest first")
    wanted = with_extracted(view, _listed(filter, order))
    if order is None:
        walk = view.latest if newest else view.scan
        found = walk(wanted, checked_id(after, field="after") if after else None, limit)
        return TracePage(found, found[-1].id if len(found) == limit else None, view.position)
    place = Place.parse(after, order) if after else None
    in_order = _by_name if order.key.is_name else _by_value
    placed = in_order(view, wanted, order, place, limit)
    end = placed[-1].place.cursor() if len(placed) == limit else None
    return TracePage((each.trace for each in placed), end, view.position)


def _listed(filter: Filter, order: Sort | None) -> Filter:
    """The filter of a list: outcomes are listed only where their lane is named, and files have no ledger."""
    if filter.contains is not None and not 0 < len(filter.contains) <= MOST_CHARS:
        raise InvalidRequest(
            f"has {len(filter.contains)} characters", field="contains", hint=f"give 1 to {MOST_CHARS} characters"
        )
    lanes = filter.lanes
    if lanes is None and filter.ids is None:
        lanes = DEFAULT_LANES
    if order is not None and order.key is SortKey.CHANGED:
        if filter.lanes is not None and filter.lanes & FILE_LANES:
            raise InvalidRequest(
                "does not order lines of files: the ledger has none", field="sort", hint="use created, or other lanes"
            )
        lanes = (lanes or frozenset(Lane)) - FILE_LANES
    return replace(filter, lanes=lanes)


def with_extracted(view: View, filter: Filter) -> Filter:
    """The same filter; where it names sessions, the memories that were extracted from their turns count as well."""
    if not filter.sessions or not (filter.lanes is None or Lane.MEMORIES in filter.lanes):
        return filter
    turns = [turn.id for session in sorted(filter.sessions) for turn in _turns(view, session)]
    wanted = {memory.id for memory in view.derived(turns)}
    if filter.lanes is None or Lane.SESSIONS in filter.lanes:
        wanted |= set(turns)
    if len(wanted) > _MOST_EXTRACTED:
        raise InvalidRequest(
            f"names {len(wanted):,} turns and memories", field="session", hint="name fewer sessions at a time"
        )
    ids = frozenset(wanted)
    return replace(filter, sessions=None, ids=ids if filter.ids is None else filter.ids & ids)


def _turns(view: View, session: str) -> Iterator[Trace]:
    after = -1
    while found := view.turns(session, after, _TURNS):
        yield from found
        after = found[-1].seq


_CHOICES: Mapping[SortKey, tuple[str, type[StrEnum]]] = {
    SortKey.KIND: ("kinds", Kind),
    SortKey.LABEL: ("labels", ImportanceLabel),
    SortKey.TRUST: ("trusts", TrustTier),
    SortKey.STATE: ("states", State),
}


def _by_value(view: View, filter: Filter, sort: Sort, after: Place | None, limit: int) -> list[Placed]:
    return view.sorted(filter, sort, after, limit)


def _by_name(view: View, filter: Filter, sort: Sort, after: Place | None, limit: int) -> list[Placed]:
    """A page sorted by one of the few names that filters know: the traces of one name after those of another."""
    field, names = _names(view, filter, sort.key)
    found: list[Placed] = []
    for name in sorted(names, key=sort.key.rank, reverse=sort.descending):
        begun: TraceId | None = None
        if after is not None:
            at, last = sort.key.rank(name), sort.key.rank(str(after.value))
            if (at > last) if sort.descending else (at < last):
                continue
            begun = after.id if at == last else None
        walk = view.latest if sort.descending else view.scan
        narrowed: Filter = replace(filter, **{field: frozenset({name})})  # type: ignore[arg-type]
        some = walk(narrowed, begun, limit - len(found))
        found += [Placed(trace, Place(str(name), trace.id)) for trace in some]
        if len(found) >= limit:
            break
    return found


def _names(view: View, filter: Filter, key: SortKey) -> tuple[str, Iterable[str]]:
    if key is SortKey.SCOPE:
        return "scopes", view.scopes(filter)
    field, choices = _CHOICES[key]
    chosen = getattr(filter, field)
    return field, [name for name in choices if chosen is None or name in chosen]
