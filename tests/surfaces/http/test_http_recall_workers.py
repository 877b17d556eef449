"""Recalls of turns in a process of their own: the same answers, whatever becomes of the process."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from serve_process import WITH_PROCESSES, Process, children

from cortex import Cortex
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.runtime.deadline import Deadline
from cortex.services.turn_hooks import Prepared, TurnHooks
from cortex.surfaces.http import recall_workers
from cortex.surfaces.http.recall_workers import RecallWorkerPool
from sweeps import sweep

TEXT = "The deploy key rotates on Mondays"
TURN = {"message": "when does the deploy key rotate?", "session": "s1"}
LONG = 30.0


def opened(home: Path) -> Cortex:
    return Cortex(home, settings={"embedding": {"provider": "none"}, "store": {"sqlite": {"synchronous": "normal"}}})


def awaited(what: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Until it is so; gives it."""
    ends = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < ends
        time.sleep(0.02)
    return found


class Here:
    """A memory, its hooks, and one process beside it."""

    def __init__(self, engine: Cortex, pool: RecallWorkerPool) -> None:
        self.engine = engine
        self.hooks = TurnHooks(engine)
        self.pool = pool
        (self.worker,) = pool._all

    def prepare(self, seconds: float = LONG, **fields: str) -> Prepared:
        deadline = Deadline.after(self.engine.context.dependencies.clock, seconds)
        return self.pool.prepare(self.hooks, self.engine.tenant, TURN | fields, deadline)

    def begun(self) -> Here:
        """Once the process has opened the memory."""
        awaited(lambda: self.worker._is_there())
        return self


@contextmanager
def beside(home: Path) -> Iterator[Here]:
    with opened(home) as engine:
        engine.remember(TEXT)
        pool = RecallWorkerPool(partial(opened, home), 1, SystemClock())
        with pool.running():
            yield Here(engine, pool)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """One process for every test that leaves it as it is: it takes longer to start than all of them."""
    with beside(tmp_path_factory.mktemp("here") / "home") as one:
        yield one


def test_the_process_prepares_what_would_be_prepared_here(here: Here) -> None:
    deadline = Deadline.after(here.engine.context.dependencies.clock, LONG)
    own = here.hooks.prepare(**TURN, deadline=deadline)
    theirs = here.begun().prepare()
    assert TEXT in theirs.injection.block
    assert replace(theirs.injection, receipt_id=None) == replace(own.injection, receipt_id=None)
    assert (theirs.session, theirs.begins, theirs.injected) == (own.session, own.begins, own.injected)
    assert here.hooks.given(theirs).block == theirs.injection.block
    here.engine.flush()
    assert here.engine.context.store.describe()  # still open here
    awaited(lambda: theirs.injection.receipt_id in {each.id for each in here.engine.receipts(op="recall")})


def test_each_turn_is_recalled_for_its_own_tenant(here: Here) -> None:
    here.begun()
    other = here.hooks.bind(user="ada")
    deadline = Deadline.after(here.engine.context.dependencies.clock, LONG)
    assert here.pool.prepare(other, Tenant(user="ada"), TURN, deadline).injection.block == ""


def test_files_that_changed_are_told_by_the_process_and_followed_here(here: Here, tmp_path: Path) -> None:
    """B12: the process only reads"""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "doors.md").write_text("The cellar door sticks.\n", encoding="utf-8")
    here.engine.index(notes)
    here.begun()
    (notes / "boats.md").write_text("The ferry leaves at noon.\n", encoding="utf-8")
    fields = {"message": "When does the ferry leave?"}
    first = here.prepare(**fields).injection
    assert ("ferry" in first.block, first.degraded) == (False, ("files:stale",))
    awaited(lambda: "recall" in {each.facts["reason"] for each in here.engine.receipts(op="index")})
    assert "The ferry leaves at noon." in awaited(lambda: here.prepare(**fields).injection.block)


def test_what_is_late_is_not_taken_for_the_answer_to_the_next(here: Here) -> None:
    here.begun()
    assert here.worker.ask(here.engine.tenant, TURN, 0.0) == recall_workers.LATE
    heartbeat = here.prepare(trigger="heartbeat")
    assert heartbeat.injection.skipped == "heartbeat"


def test_a_process_that_was_killed_is_replaced_and_missed_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall_workers, "START_AGAIN_SECONDS", 0.0)
    with beside(tmp_path / "home") as here:
        assert TEXT in here.prepare().injection.block  # the process is not ready yet
        first = here.begun().worker.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert TEXT in here.prepare().injection.block
        awaited(lambda: TEXT in here.prepare().injection.block and here.worker.pid not in (None, first))
        assert TEXT in here.begun().prepare().injection.block


def test_what_fails_in_the_process_is_counted_here(here: Here) -> None:
    prepared = here.begun().prepare(recipe="no-such-recipe")
    assert prepared.failed
    assert here.hooks.failures == {f"before:{prepared.failed[0]}": 1}


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("how", sweep([signal.SIGTERM, signal.SIGINT, signal.SIGKILL], [signal.SIGKILL]))
def test_no_process_outlives_the_server(tmp_path: Path, how: signal.Signals) -> None:
    with Process(tmp_path / "home", **WITH_PROCESSES) as server:
        server.client.post("/v1/memories", json={"text": TEXT})
        working = awaited(lambda: server.client.get("/v1/status").json()["worker"]["pid"])
        payload = server.client.post("/v1/turns/before", json=TURN).json()
        assert TEXT in payload["block"] or payload["degraded"]
        started = children(server.pid)
        assert working in started
        server.end(how)
        awaited(lambda: not any(is_running(pid) for pid in started))
