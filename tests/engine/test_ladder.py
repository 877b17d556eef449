"""The degradation ladder: full → keywords → silent while turns fail, and back once they work (E20)."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable

import pytest

from cortex.errors import InvalidRequest, StoreBusy
from cortex.memory import Cortex
from cortex.runtime.ladder import Ladder, LadderRules, Rung
from cortex.services.turn_hooks import TurnHooks, is_failure
from cortex.testing import FakeClock, FakeEmbedder

PATIENT = {"hooks": {"deadline_ms": 60_000}}
RULES = LadderRules()
ASKED = "when does the deploy key rotate?"


class Turns:
    """Turns at a steady rate; `fails` says whether one fails on a rung."""

    def __init__(self, seconds: float = 0.5) -> None:
        self.clock = FakeClock()
        self.ladder = Ladder(self.clock)
        self._seconds = seconds
        self.changes: list[tuple[float, Rung]] = []

    def run(self, minutes: float, fails: Callable[[Rung], bool], *, late: bool = False) -> None:
        for _ in range(round(minutes * 60 / self._seconds)):
            self.clock.advance(self._seconds)
            step = self.ladder.begin()
            failed = fails(step.rung)
            report = self.ladder.end(step, failed=failed and not late, late=failed and late)
            if report is not None and report.is_change:
                self.changes.append((self.clock.monotonic(), report.rung))

    @property
    def rungs(self) -> list[Rung]:
        return [rung for _, rung in self.changes]


def never(_: Rung) -> bool:
    return False


def on_full(rung: Rung) -> bool:
    return rung is Rung.FULL


@pytest.mark.parametrize("late", [False, True], ids=["failing", "late"])
def test_three_bad_windows_in_a_row_are_one_rung_down(late: bool) -> None:
    """E20"""
    turns = Turns()
    turns.run(2.9, on_full, late=late)
    assert turns.ladder.rung is Rung.FULL
    turns.run(0.3, on_full, late=late)
    assert turns.rungs == [Rung.KEYWORDS]


def test_a_good_window_in_between_counts_from_the_beginning() -> None:
    """E20"""
    turns = Turns()
    for _ in range(5):
        turns.run(2, on_full)
        turns.run(1, never)
    assert turns.rungs == []


@pytest.mark.parametrize(("every", "goes_down"), [(20, False), (17, True)])
def test_a_window_is_bad_from_over_one_turn_in_twenty_on(every: int, goes_down: bool) -> None:
    """E20"""
    clock = FakeClock()
    ladder = Ladder(clock)
    for number in range(20 * 17 * 4):
        clock.advance(0.5)
        ladder.end(ladder.begin(), failed=number % every == 0, late=False)
    assert (ladder.rung is not Rung.FULL) is goes_down


def test_few_turns_are_no_window_however_long_they_take() -> None:
    """E20: 60 seconds or 20 turns, whichever is more"""
    turns = Turns(seconds=60)
    turns.run(59, on_full)
    assert turns.ladder.rung is Rung.FULL
    turns.run(3, on_full)
    assert turns.ladder.rung is Rung.KEYWORDS


def test_what_fails_on_every_rung_ends_in_silence_and_no_lower() -> None:
    """E20"""
    turns = Turns()
    turns.run(30, lambda rung: rung is not Rung.SILENT)
    assert turns.rungs == [Rung.KEYWORDS, Rung.SILENT]


def test_one_turn_in_ten_tries_the_rung_above_and_ten_good_ones_go_up() -> None:
    """E20"""
    turns = Turns()
    turns.run(3, on_full)
    tried: list[bool] = []
    for _ in range(99):
        step = turns.ladder.begin()
        tried.append(step.is_probe)
        turns.ladder.end(step, failed=False, late=False)
    assert (tried.count(True), turns.ladder.rung) == (9, Rung.KEYWORDS)
    turns.ladder.end(turns.ladder.begin(), failed=False, late=False)
    assert turns.ladder.rung is Rung.FULL


def test_recovery_is_noticed_soon_however_long_the_outage_was() -> None:
    """E20: up within three minutes"""
    turns = Turns()
    turns.run(120, on_full)
    recovered = turns.clock.monotonic()
    turns.run(3, never)
    assert turns.rungs == [Rung.KEYWORDS, Rung.FULL]
    assert turns.changes[-1][0] - recovered <= 180


def test_tries_wait_twice_as_long_after_each_broken_run_up_to_fifteen_minutes() -> None:
    """E20"""
    turns = Turns()
    turns.run(3.1, on_full)
    waits = []
    for _ in range(6):
        good_then_bad = iter([False, True])
        while turns.ladder.status()["next_probe_in_seconds"] == 0:
            turns.clock.advance(0.5)
            step = turns.ladder.begin()
            turns.ladder.end(step, failed=step.is_probe and next(good_then_bad), late=False)
        waits.append(turns.ladder.status()["next_probe_in_seconds"])
        turns.clock.advance(waits[-1])
    assert waits == [60, 120, 240, 480, 900, 900]


def test_a_flaky_provider_moves_turns_at_most_four_times_in_half_an_hour() -> None:
    """E20: for one seed here, for a thousand in `python -m bench.ladder`"""
    turns, dice = Turns(), random.Random(7)
    turns.run(30, lambda rung: rung is Rung.FULL and dice.random() < 0.3)
    assert 1 <= len(turns.changes) <= 4


@pytest.mark.parametrize(
    ("code", "counts"),
    [
        ("deadline", True),
        ("store_busy", True),
        ("vector:embedder_unavailable", True),
        ("files:stale", False),
        ("media:embedder_unavailable", False),
        ("nearest:lost", False),
        ("ladder:keywords", False),
    ],
)
def test_only_what_is_missing_from_an_answer_counts_as_a_failure(code: str, counts: bool) -> None:
    """E20"""
    assert is_failure(code) is counts


# --- turns ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def failing(open_engine: Callable[..., Cortex], clock: FakeClock) -> tuple[Cortex, TurnHooks, FakeEmbedder]:
    """A memory whose embedder failed until turns went to keywords."""
    embedder = FakeEmbedder(64)
    engine = open_engine(embedder=embedder, **PATIENT)
    engine.remember("The deploy key rotates on Mondays")
    embedder.fail()
    hooks = TurnHooks(engine)
    _turns(hooks, clock, 61, seconds=3)
    return engine, hooks, embedder


def _turns(hooks: TurnHooks, clock: FakeClock, number: int, *, seconds: float) -> None:
    for at in range(number):
        clock.advance(seconds)
        # Each message is new: a known one needs no embedder.
        hooks.before(f"{ASKED} {clock.monotonic()}-{at}", session="talk")


def test_turns_go_to_keywords_and_still_get_their_memories(
    failing: tuple[Cortex, TurnHooks, FakeEmbedder],
) -> None:
    """E20"""
    engine, hooks, embedder = failing
    known = len(embedder.queries)
    injection = hooks.before(ASKED, session="talk")
    engine.flush()
    assert "deploy key" in injection.block
    assert injection.degraded == ("ladder:keywords",)
    receipt = engine.receipt(str(injection.receipt_id))
    assert (receipt.facts["rung"], receipt.facts["legs"]["vector"]["candidates"]) == ("keywords", 0)
    assert len(embedder.queries) == known
    assert engine.replay(receipt.id).same


def test_a_lower_rung_is_an_alert_in_status_and_doctor_until_it_is_over(
    failing: tuple[Cortex, TurnHooks, FakeEmbedder], clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    """E20"""
    engine, hooks, embedder = failing
    assert hooks.flush(60)
    assert [alert.cause for alert in engine.alerts()] == ["recall:ladder"]
    status = engine.status()
    assert status["ladder"]["rung"] == "keywords"
    assert "ladder" in {each["what"] for each in status["degraded"]}
    assert [check.ok for check in engine.doctor() if check.name == "recall rung"] == [None]
    embedder.failure = None
    with caplog.at_level(logging.WARNING, "cortex"):
        _turns(hooks, clock, 100, seconds=3)
    assert "recall goes from keywords to full: it works again" in caplog.messages
    assert hooks.flush(60)
    assert list(engine.alerts()) == []
    assert engine.status()["ladder"] == {
        "rung": "full", "why": "", "changes": 2, "good_probes": 0, "next_probe_in_seconds": None,
    }  # fmt: skip


def test_on_the_lowest_rung_turns_go_on_without_a_recall(
    failing: tuple[Cortex, TurnHooks, FakeEmbedder], clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E20"""
    engine, hooks, _ = failing

    def busy(*_: object, **__: object) -> None:
        raise StoreBusy("another writer is at it")

    with monkeypatch.context() as patched:
        patched.setattr("cortex.services.recall.RecallService.explain", busy)
        _turns(hooks, clock, 75, seconds=3)
    injection = hooks.before(ASKED, session="talk")
    assert (injection.block, injection.skipped, injection.degraded) == ("", "silent_rung", ("ladder:silent",))
    engine.flush()
    receipt = engine.receipt(str(injection.receipt_id))
    assert (receipt.facts["rung"], receipt.facts["skipped"]) == ("silent", "silent_rung")
    with pytest.raises(InvalidRequest, match="nothing to repeat"):
        engine.replay(receipt.id)


def test_a_stalled_embedder_fails_no_turn(open_engine: Callable[..., Cortex]) -> None:
    """E20: the turn has its memories by their words"""
    embedder = FakeEmbedder(64)
    engine = open_engine(embedder=embedder, hooks={"deadline_ms": 60_000}, embedding={"query_timeout_ms": 20})
    engine.remember("The deploy key rotates on Mondays")
    embedder.stall = threading.Event()
    try:
        injection = TurnHooks(engine).before(ASKED, session="talk")
    finally:
        embedder.stall.set()
    assert "deploy key" in injection.block
    assert injection.degraded == ("vector:deadline_exceeded",)
