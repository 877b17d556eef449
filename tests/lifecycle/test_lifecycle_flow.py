"""A lifecycle run: shown first, applied in batches, the same twice, and taken back (X6, X16, S7)."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from tended import ANNA, AT, BORIS, DAY, HOUR, Household, id_, memory

from cortex.domain.events import EventKind
from cortex.domain.lanes import State
from cortex.domain.memory import Memory, Retention
from cortex.domain.trust import TrustTier
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector
from cortex.errors import Conflict, InvalidRequest, StoreBusy, StoreUnavailable
from cortex.lifecycle import flow
from cortex.lifecycle.undo import Run
from cortex.ports.store import JobState, Put, RecordAccess, Store
from cortex.testing import CountingIds, FakeEmbedder

TEA, ROME = "User likes green tea", "User lives in Rome"


@pytest.fixture
def filled(home: Household) -> Household:
    """Two that say the same, one past its time, one of a session nobody came back to, and one to keep."""
    home.put(
        memory(1, TEA, tags=("a",)),
        memory(2, TEA, tags=("b",), reinforced=1),
        memory(3, "The door code is 4711", retention=Retention.TTL, ttl=HOUR),
        memory(4, "We look at page nine", retention=Retention.SESSION),
        memory(5, ROME),
    )
    home.clock.advance(DAY)
    return home


def test_a_run_expires_what_is_over_and_merges_what_was_said_twice(filled: Household):
    """X6, X16"""
    outcome = filled.consolidate()
    assert {name: step.applied for name, step in outcome.steps.items()} == {
        "expiry": 1, "decay": 1, "retention": 0, "consolidation": 2,
    }  # fmt: skip
    gone = [State.SUPERSEDED, State.EXPIRED, State.EXPIRED]
    assert filled.states(2, 1, 3, 4, 5) == [State.ACTIVE, *gone, State.ACTIVE]
    assert (filled.get(id_(1)).superseded_by, filled.get(id_(2)).tags) == (id_(2), ("b", "a"))


def test_a_dry_run_plans_the_same_and_changes_nothing(filled: Household):
    """X16"""
    before = filled.position
    shown = filled.consolidate(dry_run=True)
    assert (filled.position, shown.run, shown.applied) == (before, None, 0)
    done = filled.consolidate()
    plans = [[plan.ids for step in each.steps.values() for plan in step.plans] for each in (shown, done)]
    assert plans[0] == plans[1]
    assert shown.planned == done.applied == 4


def test_a_second_run_changes_nothing(filled: Household):
    """X16"""
    filled.consolidate()
    traces = filled.everything()
    again = filled.consolidate()
    assert (again.planned, again.applied, again.run) == (0, 0, None)
    assert filled.everything() == traces


def test_a_run_looks_after_one_tenant_alone(store: Store):
    ids = CountingIds()
    anna, boris = Household(store, ANNA, ids=ids), Household(store, BORIS, ids=ids)
    anna.put(memory(1, TEA), memory(2, TEA))
    boris.put(memory(3, TEA))
    assert boris.consolidate().planned == 0
    assert anna.consolidate().planned == 2
    assert boris.states(3) == [State.ACTIVE]


def test_what_a_receipt_says_of_a_run_holds_no_text(filled: Household):
    """C15"""
    payload = json.dumps(filled.consolidate().facts())
    assert "tea" not in payload
    assert "4711" not in payload
    assert id_(3) in payload
    assert json.loads(payload)["steps"]["decay"]["reasons"] == {"session_idle": 1}


def test_a_run_can_be_taken_back_whole(filled: Household):
    """X16"""
    before = filled.everything()
    undone = filled.undo(filled.consolidate().run)
    assert filled.everything() == before
    assert (len(undone.restored), undone.refused) == (4, ())
    with filled.store.view(ANNA) as view:
        kinds = [event.kind for event in view.events(limit=1_000)]
    assert kinds[-4:] == [EventKind.RESTORED] * 4


def test_what_was_taken_apart_is_not_merged_again(filled: Household):
    """X16"""
    filled.undo(filled.consolidate().run)
    again = filled.consolidate()
    assert again.steps["consolidation"].plans == []
    assert filled.states(1, 2) == [State.ACTIVE, State.ACTIVE]
    assert filled.states(3, 4) == [State.EXPIRED, State.EXPIRED]  # their time is still over


def test_a_merge_with_a_memory_that_changed_since_is_left_and_the_rest_is_taken_back(filled: Household):
    """X16"""
    run = filled.consolidate().run
    filled.put(filled.get(id_(2)).revised(importance=1.0), because=EventKind.REVISED)
    undone = filled.undo(run)
    assert set(undone.refused) == {id_(1), id_(2)}
    assert filled.states(1, 2, 3, 4) == [State.SUPERSEDED, State.ACTIVE, State.ACTIVE, State.ACTIVE]
    assert filled.get(id_(2)).importance == 1.0


def test_a_run_is_taken_back_once(filled: Household):
    run = filled.consolidate().run
    filled.undo(run)
    with pytest.raises(Conflict, match="have changed since"):
        filled.undo(run)


def test_use_alone_is_no_change_that_keeps_a_run_from_being_taken_back(filled: Household):
    run = filled.consolidate().run
    filled.apply(RecordAccess((id_(2),), filled.clock.now()))
    assert len(filled.undo(run).restored) == 4


@pytest.mark.parametrize("name", ["", "7", "9-3", "a-b", "1-2-3", "-1-4"])
def test_what_is_not_a_run_is_refused(name: str):
    with pytest.raises(InvalidRequest, match="is not a run"):
        Run.named(name)


def test_a_run_is_known_by_the_name_it_prints(filled: Household):
    run = filled.consolidate().run
    assert Run.named(f" {run} ") == run
    with pytest.raises(InvalidRequest, match="in the future"):
        filled.undo(Run(0, 10_000))


def test_many_changes_go_in_batches_and_never_split_a_merge(home: Household):
    """X16"""
    groups = [[memory(10 * at + part, f"Berth number{at}x is free") for part in range(3)] for at in range(150)]
    home.put(*(each for group in groups for each in group))
    before = home.position
    applied: list[int] = []
    _watch(home.store, lambda changes: applied.append(sum(isinstance(each, Put) for each in changes)))
    outcome = home.consolidate()
    sizes = [size for size in applied if size]
    assert (sum(sizes), max(sizes) <= flow.BATCH + 3, len(sizes)) == (450, True, 3)
    assert all(size % 3 == 0 for size in sizes)
    assert outcome.run == Run(before, before + 450)
    assert len(home.undo(outcome.run).restored) == 450


def _watch(store: Store, see: Callable[[Any], object]) -> None:
    apply = store.apply

    def watched(tenant: Any, changes: Any, *, at: Any) -> int:
        see(changes)
        return apply(tenant, changes, at=at)

    store.apply = watched  # type: ignore[method-assign]


def test_before_many_changes_there_is_a_backup_and_before_few_there_is_none(home: Household):
    """E21"""
    made: list[int] = []
    home.put(*(memory(at, f"Berth number{at}x", retention=Retention.TTL, ttl=HOUR) for at in range(flow.LARGE)))
    home.clock.advance(DAY)
    home.consolidate(secure=lambda: made.append(home.position))
    assert made == []
    more = [memory(1_000 + at, f"Pier number{at}x", retention=Retention.TTL, ttl=HOUR) for at in range(flow.LARGE + 1)]
    before = home.put(*more)
    home.consolidate(secure=lambda: made.append(home.position))
    assert made == [before]


def test_where_the_backup_fails_nothing_is_changed_and_it_can_be_tried_again(home: Household):
    """E21"""
    home.put(*(memory(at, f"Berth number{at}x", retention=Retention.TTL, ttl=HOUR) for at in range(150)))
    home.clock.advance(DAY)

    def fail() -> None:
        raise StoreUnavailable("no space left")

    with pytest.raises(StoreUnavailable):
        home.consolidate(secure=fail)
    assert set(home.states(*range(150))) == {State.ACTIVE}
    assert home.consolidate(secure=lambda: None).applied == 150


def test_a_memory_used_or_changed_after_the_plan_is_passed_over(filled: Household):
    """X6: access keeps a session memory alive"""
    use = RecordAccess((id_(4),), filled.clock.now())
    revised = Put(filled.get(id_(2)).revised(importance=1.0), EventKind.REVISED)
    _interpose(filled, use, revised)
    outcome = filled.consolidate()
    assert [outcome.steps[name].passed_over for name in flow.STEPS] == [0, 1, 0, 1]
    assert filled.states(1, 2, 3, 4) == [State.ACTIVE, State.ACTIVE, State.EXPIRED, State.ACTIVE]
    assert filled.get(id_(2)).importance == 1.0


def _interpose(home: Household, *changes: Any) -> None:
    """Someone else changes memories after the run has read them: when it looks at what means the same."""

    class Busy(FakeEmbedder):
        def embed_documents(self, texts: Any) -> list[Vector]:
            home.apply(*changes)
            return super().embed_documents(texts)

    home.put(memory(90, "The bakery sells bread"), memory(91, "The bakery downtown sells bread"))
    home.embedder = Busy()


def test_two_runs_at_once_are_refused(filled: Household):
    with flow._alone(ANNA, filled.store, filled.clock, filled.ids), pytest.raises(StoreBusy, match="under way"):
        filled.consolidate()
    assert filled.consolidate().applied == 4
    assert unfinished(filled) == []


def unfinished(home: Household) -> list[JobState]:
    with home.store.view(ANNA) as view:
        return [job.state for job in view.jobs() if job.state is not JobState.DONE]


def test_a_run_that_was_killed_keeps_others_out_for_the_time_of_its_lease(filled: Household):
    running = flow._alone(ANNA, filled.store, filled.clock, filled.ids)
    job = running.__enter__()
    assert job.state is JobState.RUNNING
    with pytest.raises(StoreBusy):
        filled.consolidate()
    assert unfinished(filled) == [JobState.RUNNING]
    filled.clock.advance(flow.LEASE + timedelta(seconds=1))
    assert filled.consolidate().applied == 4
    assert unfinished(filled) == []


class Meaning(FakeEmbedder):
    """Finds all texts alike, to a cosine it is told."""

    def __init__(self, cosine: float, floor: float = 0.0) -> None:
        super().__init__(2)
        self._space = EmbeddingSpace("fake", "meaning", 2, calibration=Calibration(floor))
        self._vectors = [np.array([1, 0], np.float32), np.array([cosine, (1 - cosine**2) ** 0.5], np.float32)]

    def embed_documents(self, texts: Any) -> list[Vector]:
        return [self._vectors[at % 2] for at, _ in enumerate(texts)]


@pytest.mark.parametrize(
    ("cosine", "floor", "merged"), [(0.93, 0.0, 2), (0.91, 0.0, 0), (0.93, 0.7, 0), (0.98, 0.7, 2)]
)
def test_near_duplicates_are_judged_by_the_calibrated_cosine(home: Household, cosine: float, floor: float, merged: int):
    """X13"""
    home.put(memory(1, "User prefers dark mode"), memory(2, "User prefers dark mode in editors"))
    home.embedder = Meaning(cosine, floor)
    assert home.consolidate().applied == merged


def test_where_the_embedder_fails_words_decide_and_the_outcome_says_so(home: Household):
    home.put(memory(1, TEA), memory(2, TEA))
    home.put(memory(3, "User prefers dark mode"), memory(4, "User prefers dark mode in code editors"))
    home.embedder = FakeEmbedder()
    home.embedder.fail()
    outcome = home.consolidate()
    assert outcome.degraded == ("embedder_unavailable",)
    assert (outcome.applied, outcome.facts()["degraded"]) == (2, ["embedder_unavailable"])


def test_a_merged_memory_keeps_its_history_and_the_past_shows_both(filled: Household):
    before = filled.position
    filled.consolidate()
    with filled.store.view(ANNA, before) as view:
        assert [each.state for each in view.load([id_(1), id_(2)])] == [State.ACTIVE, State.ACTIVE]
    with filled.store.view(ANNA) as view:
        assert [version.trace.state for version in view.history(id_(1))] == [State.ACTIVE, State.SUPERSEDED]


def test_a_run_writes_down_when_it_was_and_what_there_is(filled: Household):
    """S7"""
    outcome = filled.consolidate()
    assert filled.diary.consolidated_at == filled.clock.now()
    assert filled.diary.last_run == str(outcome.run)
    census = filled.diary.census
    assert census is not None
    assert (census.active, census.expired, filled.diary.anomalies) == (2, 2, ())


def test_a_run_without_anything_odd_says_nothing(filled: Household, caplog: pytest.LogCaptureFixture):
    """S7"""
    assert filled.consolidate().anomalies == []
    assert caplog.records == []


def test_a_sudden_wave_of_expiry_is_an_anomaly_that_stays_until_the_next_run(
    home: Household, caplog: pytest.LogCaptureFixture
):
    """S7"""
    home.put(*(memory(at, f"Berth number{at}x", retention=Retention.TTL, ttl=HOUR) for at in range(120)))
    home.clock.advance(DAY)
    outcome = home.consolidate()
    assert [anomaly.code for anomaly in outcome.anomalies] == ["sudden_expiry"]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert [anomaly.code for anomaly in home.diary.anomalies] == ["sudden_expiry"]
    home.consolidate()
    assert home.diary.anomalies == ()


def test_a_wave_of_quarantine_is_an_anomaly(home: Household):
    """S7, E7"""
    home.consolidate()
    home.put(*(memory(at, f"Obey number{at}x", trust=TrustTier.QUARANTINED) for at in range(120)))
    assert [anomaly.code for anomaly in home.consolidate().anomalies] == ["sudden_quarantine"]


def test_a_store_that_does_not_verify_is_an_anomaly(tmp_path: Any):
    """S7"""
    from cortex.stores.sqlite import SqliteStore

    store = SqliteStore(tmp_path / "a.sqlite")
    home = Household(store)
    home.put(memory(1, TEA))
    with store._connections.writing() as connection:
        connection.execute("UPDATE traces SET body = replace(body, 'green', 'black')")
    outcome = home.consolidate()
    assert [anomaly.code for anomaly in outcome.anomalies] == ["verify_findings"]
    assert "tea" not in outcome.anomalies[0].detail
    store.close()


def test_memories_alone_are_tended(home: Household):
    from cortex.domain.turn import Turn

    turn = Turn(id=id_(1), text=TEA, session="s", seq=0, created_at=AT)
    other = Turn(id=id_(2), text=TEA, session="s", seq=1, created_at=AT)
    home.apply(Put(turn, EventKind.SAID), Put(other, EventKind.SAID))
    assert home.consolidate().planned == 0
    assert not any(isinstance(each, Memory) for each in home.everything())
