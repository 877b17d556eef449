"""What is due by the retention rules: found a page at a time, each trace with the rule that decides about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import ANY_STATE, SEARCHABLE, Lane, State
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.retention import LANES, RetentionRule, Then, rule_of
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.lifecycle.plan import Planned
from cortex.ports.store import Filter, Put, View

RETENTION = "retention"
"""The step of a lifecycle run, and the reason in its plan."""

_PAGE = 2_000

PositionAt = Callable[[datetime], int]
"""The position of the tenant's last event of a time."""


@dataclass(frozen=True, slots=True)
class Due:
    """A trace that was kept long enough, and the rule that says so."""

    trace: Trace
    rule: RetentionRule

    @property
    def is_open(self) -> bool:
        """Whether it is still to be done: what has expired need not expire again."""
        return self.rule.then is Then.ERASE or self.trace.state in SEARCHABLE


def due(view: View, rules: Sequence[RetentionRule], now: datetime, position_at: PositionAt) -> Iterator[Due]:
    """What was stored before the time that its rule gives it. `rules` are in force, the most specific first.

    What was imported counts from its import on, whenever it was said: else an import would be over at once.
    """
    spans = [rule.keep for rule in rules if rule.keep is not None]
    if not spans:
        return
    erases = any(rule.then is Then.ERASE for rule in rules)
    which = Filter(lanes=_lanes(rules), states=ANY_STATE if erases else SEARCHABLE, until=now - min(spans))
    ends = {span: position_at(now - span) for span in set(spans)}
    after: TraceId | None = None
    while page := view.scan(which, after, _PAGE):
        after = page[-1].id
        decided = [each for each in _decided(page, rules) if each.trace.created_at < now - _span(each.rule)]
        changed = view.changed_by([each.trace.id for each in decided])
        for each in decided:
            last = changed[each.trace.id].position if each.trace.id in changed else 0
            end = ends[_span(each.rule)]
            if last <= end or view.history(each.trace.id)[0].since <= end:
                yield each


def plan(found: Iterable[Due]) -> list[Planned]:
    """What of it is hidden from recall."""
    return [
        Planned((Put(expired(each.trace), EventKind.EXPIRED),), RETENTION, (each.trace,))
        for each in found
        if each.rule.then is Then.EXPIRE and each.is_open
    ]


def to_erase(found: Iterable[Due]) -> list[Due]:
    """What of it is erased."""
    return [each for each in found if each.rule.then is Then.ERASE]


def kept_back(going: Collection[Due], derived: Iterable[Memory]) -> frozenset[TraceId]:
    """The turns that stay, because a memory was extracted from them that no rule erases: it would go with them."""
    ids = {each.trace.id for each in going}
    staying = [memory for memory in derived if memory.id not in ids]
    return frozenset(turn for memory in staying for turn in memory.source_turns if turn in ids)


def expired(trace: Trace) -> Trace:
    assert isinstance(trace, Memory | Turn | Outcome)
    return trace.revised(state=State.EXPIRED)


def _lanes(rules: Sequence[RetentionRule]) -> frozenset[Lane]:
    named = {rule.lane for rule in rules if rule.keep is not None}
    return frozenset(LANES) if None in named else frozenset(lane for lane in named if lane is not None)


def _decided(traces: Iterable[Trace], rules: Sequence[RetentionRule]) -> Iterator[Due]:
    for trace in traces:
        rule = rule_of(trace, rules)
        if rule is not None and rule.keep is not None:
            yield Due(trace, rule)


def _span(rule: RetentionRule) -> timedelta:
    assert rule.keep is not None
    return rule.keep
