"""Every store keeps the measured scale of a space for a user, and gives a sample of the user's texts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
from samples import ANNA, AT, BORIS, EAST, NORTH, OTHER_SPACE, SPACE, Desk, ids, memory, turn

from cortex.domain.calibration import sample_key
from cortex.domain.lanes import State
from cortex.domain.vectors import Basis, Calibration
from cortex.ports.store import Calibrate, Store
from cortex.stores.sqlite import SqliteStore

FIRST = Calibration(0.35, Basis.MEASURED, 16)
SECOND = Calibration(0.4, Basis.MEASURED, 32)


def calibration(store: Store, as_of: int | None = None, space=SPACE, tenant=ANNA) -> Calibration | None:
    with store.view(tenant, as_of) as view:
        return view.calibration(space)


def test_the_last_scale_holds_and_the_past_has_its_own(store: Store, anna: Desk):
    """E10: what was measured later does not change the past"""
    assert calibration(store) is None
    anna.put(memory(1))
    store.apply(ANNA, [Calibrate(SPACE, FIRST)], at=AT)
    then = anna.position
    anna.put(memory(2))
    store.apply(ANNA, [Calibrate(SPACE, SECOND)], at=AT)
    assert (calibration(store), calibration(store, then), calibration(store, 0)) == (SECOND, FIRST, None)
    assert calibration(store, space=OTHER_SPACE) is None


def test_the_scale_of_one_user_is_not_that_of_another(store: Store, anna: Desk, boris: Desk):
    """A scale is measured on the texts of one user; it holds from a position of that user's ledger on."""
    anna.put(memory(1))
    boris.put(memory(2))
    store.apply(ANNA, [Calibrate(SPACE, FIRST)], at=AT)
    assert calibration(store, tenant=BORIS) is None
    store.apply(BORIS, [Calibrate(SPACE, SECOND)], at=AT)
    assert (calibration(store), calibration(store, tenant=BORIS)) == (FIRST, SECOND)


def test_keeping_a_scale_is_no_event(store: Store, anna: Desk):
    anna.put(memory(1))
    before = anna.position
    store.apply(ANNA, [Calibrate(SPACE, FIRST)], at=AT)
    assert anna.position == before


def test_a_sample_is_of_one_user_one_space_and_what_searches_look_at(store: Store, anna: Desk, boris: Desk):
    """Nobody's texts are read for another."""
    kept, silent = memory(1), memory(5, state=State.FORGOTTEN)
    anna.put(kept, turn(2), turn(3), silent)
    boris.put(memory(4))
    for each in (kept, turn(2), silent):
        anna.embed(each, EAST, NORTH)
    boris.embed(memory(4), NORTH)
    found = store.sample(ANNA, SPACE, 10)
    assert sorted(ids([each.trace for each in found])) == sorted(ids([kept, turn(2)]))
    assert all(np.allclose(each.vector, EAST) for each in found)
    assert store.sample(ANNA, OTHER_SPACE, 10) == []


def test_a_sample_is_the_same_every_time(store: Store, anna: Desk):
    many = [memory(number) for number in range(1, 9)]
    anna.put(*many)
    for each in many:
        anna.embed(each, EAST)
    found = [each.trace.id for each in store.sample(ANNA, SPACE, 3)]
    assert found == sorted(ids(many), key=sample_key)[:3]


def test_a_damaged_scale_gives_way_to_the_one_before_it_and_is_repaired(tmp_path: Path):
    """E20"""
    file = tmp_path / "store.db"
    with closing(SqliteStore(file)) as store:
        Desk(store, ANNA).put(memory(1))
        store.apply(ANNA, [Calibrate(SPACE, FIRST)], at=AT)
        Desk(store, ANNA).put(memory(2))
        store.apply(ANNA, [Calibrate(SPACE, SECOND)], at=AT)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("UPDATE calibrations SET body = replace(body, '0.4', '0.9')")
    with closing(SqliteStore(file)) as store:
        assert calibration(store) == FIRST
        assert [each.code for each in store.verify()] == ["spaces"]
        assert all(each.repaired for each in store.verify(repair=True))
        assert list(store.verify()) == []
        assert calibration(store) == FIRST
