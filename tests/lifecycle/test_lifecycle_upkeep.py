"""What the lifecycle knows of itself from run to run (S7)."""

from __future__ import annotations

from typing import Any

import pytest
from tended import AT, HOUR, Household, id_

from cortex.lifecycle import upkeep
from cortex.lifecycle.upkeep import Anomaly, Census, Diary, TaskRun
from cortex.ports.store import Job, JobState, PatchSession, PutJob


def codes(before: Census | None, after: Census, expiring: int = 0) -> list[str]:
    return [each.code for each in upkeep.anomalies(before, after, expiring=expiring)]


@pytest.mark.parametrize(
    ("expiring", "active", "found"),
    [(99, 0, []), (100, 0, ["sudden_expiry"]), (100, 400, ["sudden_expiry"]), (100, 401, [])],
)
def test_expiry_is_sudden_where_it_is_much_and_a_fifth_of_all(expiring: int, active: int, found: list[str]):
    assert codes(None, Census(active=active), expiring) == found


def test_quarantine_is_compared_with_the_last_run_and_the_first_run_with_nothing():
    assert codes(Census(quarantined=10), Census(quarantined=110)) == ["sudden_quarantine"]
    assert codes(Census(quarantined=100), Census(quarantined=110)) == []
    assert codes(None, Census(quarantined=500)) == []


def test_jobs_that_failed_since_the_last_run_are_told(home: Household):
    home.apply(PutJob(Job(id=id_(1), kind="extract", key="s", due=AT, state=JobState.FAILED)))
    assert [each.code for each in home.consolidate().anomalies] == ["failed_jobs"]
    assert home.consolidate().anomalies == []


def test_a_failure_stands_until_the_task_succeeds(home: Household):
    failed = Anomaly("backup_failed", "store_unavailable: no space", "free some")
    home.apply(*_noted(home, "backup", failed))
    assert home.diary.failed_at("backup") == AT
    home.consolidate()
    assert [each.code for each in home.diary.anomalies] == ["backup_failed"]
    assert home.diary.anomalies[0].fix == "free some"
    home.apply(*_noted(home, "backup", None))
    assert (home.diary.anomalies, home.diary.failed_at("backup")) == ((), None)


def test_the_latest_failure_replaces_the_one_before(home: Household):
    home.apply(*_noted(home, "backup", Anomaly("backup_failed", "one")))
    home.clock.advance(HOUR)
    home.apply(*_noted(home, "backup", Anomaly("backup_failed", "two")))
    assert [each.detail for each in home.diary.anomalies] == ["two"]
    assert home.diary.failed_at("backup") == AT + HOUR


def _noted(home: Household, task: str, trouble: Anomaly | None) -> list[PatchSession]:
    return [upkeep.noted(task, trouble, home.diary, home.clock.now())]


def test_a_task_has_one_process_at_a_time_and_a_dead_one_loses_it(home: Household):
    """S7: two hosts run each task once"""

    def claimed() -> bool:
        now, is_due = home.clock.now(), lambda diary: diary.tasks.get("grade", TaskRun()).at is None
        return upkeep.claim(home.tenant, home.store, "grade", now, is_due)

    assert (claimed(), claimed()) == (True, False)
    home.clock.advance(upkeep.LEASE)
    assert claimed()
    home.apply(*_noted(home, "grade", None))
    assert not claimed()
    assert home.diary.tasks["grade"] == TaskRun(home.clock.now())


@pytest.mark.parametrize(
    "state",
    [
        {"tended_at": "soon", "census": [], "anomalies": ["x", {"detail": "no code"}], "apart": ["x", 7], "tasks": "x"},
        {"tended_at": 7, "census": {"active": "many"}, "anomalies": None, "apart": None, "tasks": [1]},
    ],
)
def test_a_diary_that_was_tampered_with_is_as_good_as_empty(home: Household, state: dict[str, Any]):
    home.apply(PatchSession(upkeep.DIARY, state))
    assert home.diary == Diary()
    home.consolidate()
    assert home.diary.consolidated_at == AT


def test_only_so_many_pairs_are_kept_apart():
    pairs = [frozenset({id_(at), id_(at + 1)}) for at in range(upkeep.MOST_APART)]
    change = upkeep.kept_apart([frozenset({id_(5_000), id_(5_001)})], frozenset(pairs))
    assert change.state is not None
    assert len(change.state["apart"]) == upkeep.MOST_APART
    assert [id_(5_000), id_(5_001)] in change.state["apart"]
