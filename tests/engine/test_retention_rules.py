"""Retention rules applied: expiry and erasure for all users, receipts and queries, and who lets schedules erase."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from cortex.domain.lanes import State
from cortex.memory import Cortex
from cortex.services.retention import CAUSE, RetentionService
from cortex.testing import FakeClock

Open = Callable[..., Cortex]
DAY = timedelta(days=1)
ERASES = [{"scope": "health", "keep": "30d", "then": "erase"}, {"lane": "memories", "keep": "60d"}]


def test_a_plan_changes_nothing_and_an_application_expires_and_erases(open_engine: Open, clock: FakeClock) -> None:
    engine = open_engine(retention=ERASES)
    ill = engine.remember("I have a weak heart since the spring", scope="health").memory.id
    boat = engine.bind(user="ben").remember("Ben keeps a boat in Porto").memory.id
    clock.advance(61 * DAY)
    planned = engine.retention(everyone=True)
    assert {each.user: (each.erase, each.expire) for each in planned.users} == {
        "default": ((ill,), ()), "ben": ((), (boat,)),
    }  # fmt: skip
    assert engine.get(ill).state is State.ACTIVE
    assert not planned.approved
    done = engine.retention(apply=True, everyone=True)
    mine = next(each for each in done.users if each.user == "default")
    bens = next(each for each in done.users if each.user == "ben")
    assert engine.certificate(mine.certificates[0]).erased == (ill,)
    ben = engine.bind(user="ben")
    assert ben.get(boat).state is State.EXPIRED
    assert bens.receipt.facts["ids"] == [boat]
    ben.undo_consolidation(bens.run)
    assert ben.get(boat).state is State.ACTIVE
    assert engine.retention(everyone=False).users[0].is_empty


def test_a_schedule_erases_only_by_rules_that_an_administrator_has_applied(open_engine: Open, clock: FakeClock) -> None:
    engine = open_engine(retention=ERASES)
    ill = engine.remember("I have a weak heart since the spring", scope="health").memory.id
    clock.advance(31 * DAY)
    service = RetentionService(engine.context)
    service.scheduled()
    assert engine.get(ill).text
    assert [alert.cause for alert in engine.alerts()] == [CAUSE]
    engine.retention(apply=True)
    later = engine.remember("I sleep badly in winter", scope="health").memory.id
    clock.advance(31 * DAY)
    service.scheduled()
    assert engine.certificate(later).erased == (later,)
    assert engine.alerts() == []
    # Another rule was never seen by anybody.
    other = open_engine(retention=[*ERASES, {"kind": "fact", "keep": "1h", "then": "erase"}])
    assert not RetentionService(other.context).is_approved


def test_a_turn_stays_while_a_memory_that_was_extracted_from_it_does(open_engine: Open, clock: FakeClock) -> None:
    engine = open_engine(retention=[{"lane": "sessions", "keep": "7d", "then": "erase"}])
    captured = engine.capture([{"role": "user", "content": "My sister Ina lives in Porto."}], session="s")
    assert captured.receipt
    small = engine.capture([{"role": "user", "content": "What time is it over there?"}], session="t")
    assert small.receipt
    clock.advance(8 * DAY)
    (found,) = engine.retention().users
    with engine.context.store_view() as view:
        sources = {turn for turn in found.kept_back if view.derived([turn])}
    assert sources == set(found.kept_back) != set()
    assert found.erase
    engine.retention(apply=True)
    with engine.context.store_view() as view:
        assert [turn.id for turn in view.turns("s")] == list(found.kept_back)
        assert view.turns("t") == []


def test_receipts_and_their_queries_end(open_engine: Open, clock: FakeClock) -> None:
    engine = open_engine(receipts={"days": 20, "query_days": 5})
    engine.remember("The harbor opens at dawn")
    engine.recall("when does the harbor open?")
    engine.flush()
    recalled = engine.receipts(op="recall")[0]
    clock.advance(6 * DAY)
    (found,) = engine.retention().users
    assert (found.receipts, found.queries) == (0, 1)
    engine.retention(apply=True)
    with engine.context.store_view() as view:
        assert view.receipt(recalled.id) == (recalled, None)
    clock.advance(15 * DAY)
    engine.retention(apply=True)
    engine.flush()
    assert "recall" not in {each.op for each in engine.receipts()}
    assert engine.verify() == []


def test_a_scheduled_run_with_nothing_to_do_leaves_no_receipt(open_engine: Open) -> None:
    engine = open_engine()
    assert RetentionService(engine.context).scheduled() is None
    engine.flush()
    assert engine.receipts() == []
