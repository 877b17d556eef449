"""Lists in every order, and what narrows them (S6)."""

from __future__ import annotations

import pytest

from cortex import Cortex
from cortex.domain.lanes import Lane
from cortex.domain.memory import Draft, ImportanceLabel
from cortex.domain.turn import Role, TurnDraft
from cortex.errors import InvalidRequest
from cortex.ports.store import Filter

NAMES = ["scope", "-scope", "kind", "-kind", "label", "-label"]


@pytest.mark.parametrize("order", NAMES)
def test_a_list_by_name_is_walked_in_pages(engine: Cortex, order: str) -> None:
    """S6"""
    kinds, scopes = ("fact", "rule", "decision"), ("zoo~1", "Ärger", "ops")
    drafts = [
        Draft(text=f"Harbour {number}", kind=kinds[number % 3], scope=scopes[number % 2], importance=number / 8)  # type: ignore[arg-type]
        for number in range(9)
    ]
    engine.remember_all(drafts)
    found, after = [], None
    while page := engine.list(sort=order, after=after, limit=2):
        found += page
        if (after := page.next) is None:
            break
    field = order.removeprefix("-")
    names = [str(getattr(trace, field)) for trace in found]
    ranks = list(ImportanceLabel) if field == "label" else sorted(set(names))
    assert names == sorted(names, key=ranks.index, reverse=order.startswith("-"))
    assert len({trace.id for trace in found}) == 9


def test_a_session_names_its_turns_and_what_was_extracted_from_them(engine: Cortex) -> None:
    """S6"""
    turns = engine.store_turns("s1", [TurnDraft(text="Which port?"), TurnDraft(text="8300", role=Role.ASSISTANT)]).ids
    engine.store_turns("s2", [TurnDraft(text="Good morning")])
    extracted = engine.remember("The port is 8300", source_turns=turns[:1], as_new=True).memory
    engine.remember("The harbour opens at dawn")
    session = frozenset({"s1"})
    assert [each.id for each in engine.list(Filter(sessions=session))] == [*turns, extracted.id]
    assert [each.id for each in engine.list(Filter(sessions=session, lanes=frozenset({Lane.MEMORIES})))] == [
        extracted.id
    ]
    assert engine.stats(Filter(sessions=session, lanes=frozenset({Lane.SESSIONS}))).total == 2


def test_a_list_by_storing_is_walked_in_pages_both_ways(engine: Cortex) -> None:
    """S6"""
    stored = engine.remember_all(Draft(text=f"Harbour {number}") for number in range(5)).ids
    for order, wanted in (("stored", stored), ("-stored", stored[::-1])):
        first = engine.list(sort=order, limit=3)
        rest = engine.list(sort=order, limit=3, after=first.next)
        assert [each.id for each in [*first, *rest]] == list(wanted)
        assert rest.next is None


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"sort": "size"}, "sort"),
        ({"sort": "-"}, "sort"),
        ({"sort": "created", "newest": True}, "newest"),
        ({"sort": "created", "after": "0198c1a2-7b3c-7def-8a01-23456789abcd"}, "after"),
        ({"sort": "uses", "after": "many~0198c1a2-7b3c-7def-8a01-23456789abcd"}, "after"),
        ({"filter": Filter(contains="x" * 1_001)}, "contains"),
        ({"sort": "changed", "filter": Filter(lanes=frozenset({Lane.NOTES}))}, "sort"),
    ],
)
def test_what_is_no_order_or_place_is_refused_by_name(engine: Cortex, options: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        engine.list(**options)  # type: ignore[arg-type]
    assert refused.value.field == field
    assert refused.value.hint
