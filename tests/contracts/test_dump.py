"""Everything that is kept of a tenant can be carried from one store to another, whole (E21)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from samples import (
    ANNA,
    AT,
    BORIS,
    DAY,
    EAST,
    NORTH,
    NORTH_EAST,
    OTHER_SPACE,
    SPACE,
    Desk,
    chunk,
    ids,
    job,
    memory,
    receipt,
    turn,
    vector,
)

from cortex.domain.dump import DumpRecord, RecordDigests, RecordKind
from cortex.domain.erasure import Erasure
from cortex.domain.events import EventKind
from cortex.domain.lanes import State
from cortex.domain.vectors import Basis, Calibration
from cortex.errors import Conflict, InvalidRequest
from cortex.ports.store import (
    Calibrate,
    Embed,
    Erase,
    PatchSession,
    Put,
    PutJob,
    PutReceipt,
    RecordAccess,
    Remove,
    Store,
)


def write_history(store: Store) -> None:
    """One of everything that a store keeps, with versions, uses, an erasure, and another user in between."""
    anna, boris = Desk(store, ANNA), Desk(store, BORIS)
    said = turn(1, "Der Hafen öffnet um sechs, sagt 港口", speaker="Ines")
    anna.put(said, memory(2, source_turns=(said.id,)), because=EventKind.SAID)
    boris.put(memory(100, "Boris keeps a boat"))
    anna.put(memory(2, "The harbour opens at six", source_turns=(said.id,)), because=EventKind.REVISED, at=AT + DAY)
    anna.put(memory(3, "The pier is closed", state=State.SUPERSEDED), chunk(4, "Salt and dusk"), memory(5, "Gone soon"))
    anna.embed(said, EAST, NORTH)
    anna.embed(memory(2), NORTH_EAST)
    anna.embed(chunk(4), vector(0, 0, 1, 0))
    anna.apply(Embed(memory(2).id, OTHER_SPACE, (vector(1, 0, 0),)))
    anna.apply(Calibrate(SPACE, Calibration(0.4, Basis.MEASURED, 40)))
    anna.put(memory(2, "The harbour opens at seven", source_turns=(said.id,)), because=EventKind.REVISED, at=AT + DAY)
    anna.embed(memory(2), EAST)
    anna.apply(RecordAccess((memory(2).id, memory(3).id), AT + DAY), at=AT + DAY)
    anna.apply(RecordAccess((memory(2).id,), AT + 2 * DAY), at=AT + 2 * DAY)
    anna.apply(PutReceipt(receipt(20, facts={"hits": [memory(2).id]}), "when does it open?"), PutReceipt(receipt(21)))
    anna.apply(PatchSession("s1", {"cursor": 3, "names": ["Ines", "Øle"]}), PutJob(job(30, payload={"turn": said.id})))
    anna.apply(Remove(memory(5).id))
    store.record_erasure(erasure := Erasure(id="e1", user="anna", at=AT, ids=(chunk(4).id,), finished=True))
    anna.apply(Erase(erasure))
    boris.put(memory(101, "Boris sold the boat"))


def digests(store: Store, tenant: Any = ANNA) -> dict[RecordKind, Any]:
    counted = RecordDigests()
    for _ in counted.counted(store.dump(tenant)):
        pass
    return counted.all()


def answers(store: Store) -> list[Any]:
    """What a reader sees, now and at every earlier position."""
    anna, seen = Desk(store, ANNA), list[Any]()
    for as_of in (None, *range(anna.position + 1)):
        with anna.view(as_of) as view:
            seen.append(
                (view.position, view.at, view.events(), view.receipts(), view.state("s1"), view.calibration(SPACE))
            )
        seen += [anna.scan(as_of=as_of), anna.find("harbour pier opens", as_of=as_of), anna.near(EAST, as_of=as_of)]
    with anna.view() as view:
        seen += [view.jobs(), [view.history(id) for id in ids(anna.scan())], view.turns("s1")]
    return [*seen, store.vector_sets(ANNA)]


@pytest.fixture
def target(tmp_path: Path, open_store: Callable[..., Store]) -> Iterator[Store]:
    """An empty store of the same kind. Whatever was loaded, it must verify clean afterwards."""
    (tmp_path / "other").mkdir()
    opened = open_store(tmp_path / "other")
    yield opened
    findings = list(opened.verify())
    opened.close()
    assert findings == []


def test_what_was_carried_gives_the_same_answers_now_and_at_every_earlier_position(store: Store, target: Store) -> None:
    write_history(store)
    target.load(ANNA, store.dump(ANNA), source="a")
    assert digests(target) == digests(store)
    assert answers(target) == answers(store)
    assert target.users() == ["anna"]
    assert [each.id for each in target.erasures("anna")] == ["e1"]


def test_a_tenant_goes_on_after_it_was_carried(store: Store, target: Store) -> None:
    write_history(store)
    target.load(ANNA, store.dump(ANNA), source="a")
    for each in (store, target):
        position = Desk(each, ANNA).put(memory(9, "The harbour is full"))
        assert position == Desk(store, ANNA).position
    assert ids(Desk(target, ANNA).find("harbour")) == ids(Desk(store, ANNA).find("harbour"))


def test_nobody_sees_what_is_being_loaded_and_an_interrupted_load_goes_on(store: Store, target: Store) -> None:
    write_history(store)
    records = list(store.dump(ANNA))

    def interrupted() -> Iterator[DumpRecord]:
        yield from records[:-2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        target.load(ANNA, interrupted(), source="a")
    assert target.users() == []
    assert Desk(target, ANNA).scan() == []
    assert Desk(target, BORIS).put(memory(50)) == 1
    assert list(target.verify()) == []
    target.load(ANNA, records, source="a")
    assert digests(target) == digests(store)


def test_what_an_interrupted_load_of_something_else_left_is_dropped(store: Store, target: Store) -> None:
    write_history(store)
    records = list(store.dump(ANNA))

    def interrupted() -> Iterator[DumpRecord]:
        yield from records[: len(records) // 2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        target.load(ANNA, interrupted(), source="a")
    Desk(store, ANNA).put(memory(12, "Later"))
    target.load(ANNA, store.dump(ANNA), source="b")
    assert digests(target) == digests(store)


def test_a_tenant_that_has_something_is_not_overwritten(store: Store, target: Store) -> None:
    write_history(store)
    Desk(target, ANNA).put(memory(77, "Mine"))
    with pytest.raises(InvalidRequest, match="already"):
        target.load(ANNA, store.dump(ANNA), source="a")
    assert ids(Desk(target, ANNA).scan()) == [memory(77).id]


def test_a_tenant_that_does_not_exist_has_nothing_to_carry(store: Store) -> None:
    assert list(store.dump(BORIS)) == []


def test_an_erasure_that_is_not_finished_is_not_carried(store: Store) -> None:
    Desk(store, ANNA).apply(Put(memory(1), EventKind.REMEMBERED))
    store.record_erasure(Erasure(id="e2", user="anna", at=AT, ids=(memory(1).id,), texts=("x",)))
    with pytest.raises(Conflict, match="not finished"):
        list(store.dump(ANNA))
    store.withdraw_erasure("e2")
