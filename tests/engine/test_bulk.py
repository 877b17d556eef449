"""Many memories changed at once, and one undo (S6)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cortex import Cortex
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Draft
from cortex.domain.turn import TurnDraft
from cortex.errors import Conflict, InvalidRequest
from cortex.ports.store import Filter
from cortex.services.bulk import BulkStatus

NOBODY = "0198c1a2-7b3c-7def-8a01-23456789abcd"
EVERYTHING = Filter(lanes=frozenset({Lane.MEMORIES}), states=frozenset(State))


def stored(engine: Cortex, number: int = 4) -> tuple[TraceId, ...]:
    drafts = [Draft(text=f"Harbour {each} opens at dawn", tags=("sea",), scope="port") for each in range(number)]
    return engine.remember_all(drafts).ids


def states(engine: Cortex, ids: Sequence[str]) -> list[str]:
    return [str(engine.get(id).state) for id in ids]


def test_each_id_is_answered_and_nothing_else_changes(engine: Cortex) -> None:
    """S6"""
    ids = stored(engine)
    (turn,) = engine.store_turns("s1", [TurnDraft(text="When does it open?")]).ids
    engine.forget(ids[2])
    done = engine.bulk("edit", [*ids[1:], turn, NOBODY, ids[1]], scope="docks")
    assert done.statuses == {
        ids[1]: BulkStatus.CHANGED,
        ids[2]: BulkStatus.REFUSED,  # only what is active is edited
        ids[3]: BulkStatus.CHANGED,
        turn: BulkStatus.REFUSED,
        NOBODY: BulkStatus.MISSING,
    }
    assert [each.scope for each in engine.list(EVERYTHING)] == ["port", "docks", "port", "docks"]
    assert engine.bulk("edit", [ids[1]], scope="docks").statuses == {ids[1]: BulkStatus.UNCHANGED}


def test_a_bulk_change_is_one_operation_and_has_one_undo_which_has_another(engine: Cortex) -> None:
    """S6"""
    ids = stored(engine)
    done = engine.bulk("forget", ids)
    events = [event for event in engine.events() if event.kind is EventKind.FORGOTTEN]
    assert {event.cause for event in events} == {done.receipt.id}
    assert done.receipt.facts["changed"] == 4
    assert engine.recall("when does the harbour open?").hits == ()
    undone = engine.undo_bulk(done.run)
    assert set(undone.statuses.values()) == {BulkStatus.CHANGED}
    assert states(engine, ids) == ["active"] * 4
    engine.undo_bulk(undone.run)
    assert states(engine, ids) == ["forgotten"] * 4


def test_labels_and_tags_are_set_added_and_removed(engine: Cortex) -> None:
    """S6"""
    ids = stored(engine, 2)
    done = engine.bulk("edit", ids, label="must_remember", kind="rule", add_tags=["moon"], remove_tags=["sea"])
    for memory in engine.list(EVERYTHING):
        assert (memory.label, memory.kind, memory.tags) == ("must_remember", "rule", ("moon",))
        assert memory.origin_of("label") == "operator"
    engine.undo_bulk(done.run)
    assert [(each.label, each.tags) for each in engine.list(EVERYTHING)] == [("unknown", ("sea",))] * 2


def test_what_somebody_changed_meanwhile_is_left_to_them(engine: Cortex) -> None:
    """S6"""
    ids = stored(engine)
    seen = engine.list().position
    engine.edit(ids[0], text="Harbour 0 opens at noon")
    done = engine.bulk("forget", ids, seen_at=seen)
    assert done.having(BulkStatus.CONFLICT) == ids[:1]
    assert states(engine, ids) == ["active", "forgotten", "forgotten", "forgotten"]
    engine.restore(ids[3])
    assert engine.undo_bulk(done.run).having(BulkStatus.REFUSED) == ids[3:]
    with pytest.raises(Conflict, match="changed since"):
        engine.undo_bulk(done.run)


def test_a_large_change_has_a_tag_before_it(engine: Cortex) -> None:
    """E18"""
    engine.bulk("forget", stored(engine, 101))
    assert [tag.reason for tag in engine.tags()] == ["bulk"]


@pytest.mark.parametrize(
    ("action", "ids", "changes", "field"),
    [
        ("burn", [NOBODY], {}, "action"),
        ("forget", [], {}, "ids"),
        ("forget", [NOBODY] * 1_001, {}, "ids"),
        ("forget", ["harbour"], {}, "ids"),
        ("forget", [NOBODY], {"scope": "docks"}, "scope"),
        ("edit", [NOBODY], {}, "action"),
        ("edit", [NOBODY], {"text": "all the same"}, "text"),
        ("edit", [NOBODY], {"tags": ["a"], "add_tags": ["b"]}, "add_tags"),
    ],
)
def test_a_bad_bulk_change_is_refused_by_field(
    engine: Cortex, action: str, ids: list[str], changes: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        engine.bulk(action, ids, **changes)
    assert refused.value.field == field


def test_a_bad_value_changes_none_of_them(engine: Cortex) -> None:
    ids = stored(engine)
    with pytest.raises(InvalidRequest, match="importance"):
        engine.bulk("edit", ids, importance=3.0)
    assert [each.importance for each in engine.list(EVERYTHING)] == [0.5] * 4


def test_only_a_bulk_change_is_undone(engine: Cortex) -> None:
    stored(engine)
    engine.forget(engine.remember("The pier is closed").memory.id)
    for run in ("0-2", "3-3", "0-9999", "somewhere"):
        with pytest.raises(InvalidRequest):
            engine.undo_bulk(run)
