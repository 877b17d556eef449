"""Holds: what is on hold neither expires, merges nor is erased, rolled back or taken back with an import."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from cortex.domain.events import EventKind
from cortex.domain.holds import HOLDS
from cortex.domain.lanes import State
from cortex.errors import Held, InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.testing import FakeClock
from import_samples import mem0

Open = Callable[..., Cortex]
DAY = timedelta(days=1)
KEY, SAME = "The deploy key rotates on Mondays", "The deploy key rotates on Mondays."


def remembered(engine: Cortex, text: str, **fields: object) -> str:
    return engine.remember(text, as_new=True, **fields).memory.id


def test_erase_refuses_what_is_on_hold_and_names_the_hold_and_the_way_out(engine: Cortex) -> None:
    id = remembered(engine, KEY)
    placed = engine.context.by("admin:ada")
    hold = Cortex.over(placed).hold(ids=[id], reason="case 7").hold
    with pytest.raises(Held) as refused:
        engine.erase(id)
    assert hold.name in refused.value.message
    assert "case 7" in refused.value.message
    assert f"hold release {hold.name}" in refused.value.hint
    assert engine.get(id).text == KEY
    assert engine.erasures() == []
    engine.release_hold(hold.name)
    assert engine.erase(id).certificate.erased == (id,)
    decided = [(each.kind, each.subject, each.actor) for each in engine.events() if each.subject == hold.name]
    assert decided == [(EventKind.HELD, hold.name, "admin:ada"), (EventKind.RELEASED, hold.name, "")]


def test_what_is_on_hold_neither_expires_nor_merges(open_engine: Open, clock: FakeClock) -> None:
    rules = [{"kind": "decision", "keep": "1d"}, {"kind": "rule", "keep": "1d", "then": "erase"}]
    engine = open_engine(retention=rules)
    held = [
        remembered(engine, "Expires by itself", scope="case", retention="ttl", ttl=DAY),
        remembered(engine, "Expires by a rule", scope="case", kind="decision"),
        remembered(engine, "Never deploy on Fridays", scope="case", kind="rule"),
        remembered(engine, KEY, scope="case"),
        remembered(engine, SAME, scope="case"),
    ]
    engine.hold(scope="case", everyone=True)
    clock.advance(3 * DAY)
    assert engine.consolidate().outcome.planned == 0
    assert set(engine.retention(apply=True).users[0].held) == set(held[1:3])
    assert {engine.get(id).state for id in held} == {State.ACTIVE}
    engine.release_hold(engine.holds()[0].name, everyone=True)
    assert engine.consolidate().outcome.planned == 4
    assert engine.retention(apply=True).users[0].erase == (held[2],)


def test_a_hold_on_a_session_holds_what_was_extracted_from_it(engine: Cortex) -> None:
    engine.capture([{"role": "user", "content": "My sister Ina lives in Porto."}], session="s")
    engine.hold(session="s")
    for trace in engine.list():
        with pytest.raises(Held):
            engine.erase(trace.id)
    assert engine.list()


def test_a_rollback_and_the_undo_of_an_import_leave_what_is_on_hold(engine: Cortex, tmp_path: Path) -> None:
    engine.tag("before")
    id = remembered(engine, KEY)
    engine.hold(ids=[id])
    done = engine.rollback("before").users[0].rollback
    assert done.kept_out == [id]
    assert engine.get(id).state is State.ACTIVE
    assert engine.forget(id).ids == (id,)  # which hides it, and keeps its history
    exported = tmp_path / "mem0.json"
    exported.write_text(json.dumps(mem0("ben")))
    run = engine.import_from(exported, format="mem0").run
    tram = next(each for each in engine.list() if "trams" in each.text)
    engine.hold(ids=[tram.id])
    with pytest.raises(Held):
        engine.undo_import(run)
    assert engine.get(tram.id) == tram


def test_a_person_cannot_merge_what_is_on_hold_either(engine: Cortex) -> None:
    short = remembered(engine, "The office is closed on the first Monday of May")
    remembered(engine, "The office is closed on the first Monday of May this year")
    engine.hold(ids=[short])
    (item,) = engine.inbox().items
    with pytest.raises(Held):
        engine.decide([{"id": item.id, "revision": item.revision, "verdict": "merge"}])
    assert engine.get(short).state is State.ACTIVE


def test_a_hold_on_all_users_holds_those_to_come(engine: Cortex) -> None:
    engine.bind(user="ben").hold(scope="case", everyone=True)
    id = remembered(engine.bind(user="new"), KEY, scope="case")
    with pytest.raises(Held):
        engine.bind(user="new").erase(id)
    mine = engine.bind(user="ben").hold(scope="own").hold
    assert [each.user for each in engine.holds(everyone=True)] == ["", "ben"]
    assert [each.user for each in engine.holds()] == [""]
    with pytest.raises(NotFound):
        engine.release_hold(mine.name)
    with pytest.raises(InvalidRequest, match="all users"):
        engine.release_hold(engine.holds()[0].name)


def test_of_two_who_release_a_hold_at_once_one_is_told(engine: Cortex) -> None:
    hold = engine.hold(scope="case").hold

    def release(_: int) -> str:
        try:
            return engine.release_hold(hold.name).hold.name
        except NotFound as error:
            return error.code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(release, range(2))) == [hold.name, "not_found"]
    released = [each for each in engine.events() if each.kind is EventKind.RELEASED]
    assert len(released) == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "hold"),
        ({"scope": "a", "session": "b"}, "hold"),
        ({"ids": ["x"]}, "ids"),
        ({"scope": "a", "reason": "two\nlines"}, "reason"),
    ],
)
def test_a_bad_hold_is_refused_by_the_name_of_its_field(engine: Cortex, given: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        engine.hold(**given)  # type: ignore[arg-type]
    assert refused.value.field == field
    assert engine.holds() == []


def test_a_hold_on_an_unknown_id_is_refused(engine: Cortex) -> None:
    with pytest.raises(NotFound):
        engine.hold(ids=["0198c1a2-7b3c-7def-8a01-23456789abcd"])


def test_holds_outlive_a_restored_backup_and_an_erasure_of_the_same_words(open_engine: Open) -> None:
    engine = open_engine()
    remembered(engine, KEY)
    backup = engine.backup().backup.path
    other = engine.bind(user="ben")
    named = remembered(engine, "case 7")
    hold = engine.hold(scope="infra", reason="case 7", everyone=True).hold
    own = other.hold(scope="own").hold
    engine.erase(named)
    with engine.context.store_view() as view:
        assert hold.name in (view.state(HOLDS) or {})
    engine.restore_backup(str(backup))
    assert {each.name for each in engine.holds(everyone=True)} == {hold.name, own.name}
    assert engine.verify() == []
