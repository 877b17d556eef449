"""The guard around every language model: a budget, a breaker, a time limit, and a card with room."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cortex.errors import LlmReason, LlmUnavailable, ProviderMissing
from cortex.ports.documents import LLM_BUDGET
from cortex.ports.hardware import HardwareVerdict
from cortex.ports.llm import Completion, LlmTask, judge
from cortex.providers.llms.breaker import PAUSE_SECONDS
from cortex.providers.llms.budget import Budget, BudgetLimits
from cortex.providers.llms.condition import MAX_PAUSE_SECONDS
from cortex.providers.llms.guard import GuardedLLM
from cortex.providers.llms.none import NoLLM
from cortex.testing import FakeClock, FakeLLM
from document_places import PLACES, documents_at, overwrite

TEXT = "a prompt that nobody else may read"


class Scripted:
    """A model that does as it is told, call by call."""

    name = "fake/scripted"

    def __init__(self, *steps: Completion | Exception | Callable[[], Completion]) -> None:
        self._steps = list(steps)
        self.calls = 0

    def complete(
        self, *, system: str, prompt: str, max_tokens: int, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        self.calls += 1
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Completion) else step()


class Card:
    def __init__(self, verdict: HardwareVerdict) -> None:
        self.says = verdict

    def verdict(self) -> HardwareVerdict:
        return self.says


HELLO = Completion("hello", 11, 7)


def failing(reason: LlmReason, retry_after: float | None = None) -> LlmUnavailable:
    return LlmUnavailable(f"it failed by {reason}", hint="mend it", reason=reason, retry_after=retry_after)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A home with its files, or a database that hosts share."""
    return tmp_path / ("home" if request.param == "files" else f"home/{request.param}")


@pytest.fixture
def spending(place: Path, clock: FakeClock) -> Budget:
    limits = BudgetLimits(calls_per_hour=50, calls_per_day=60, tokens_per_hour=20_000, tokens_per_day=30_000)
    return Budget(documents_at(place, clock), limits, clock)


def ask(llm: Any, max_tokens: int = 100, prompt: str = TEXT) -> Completion:
    answer = llm.complete(system="be brief", prompt=prompt, max_tokens=max_tokens)
    assert isinstance(answer, Completion)
    return answer


def reason(llm: Any, **how: Any) -> str:
    with pytest.raises(LlmUnavailable) as caught:
        ask(llm, **how)
    assert TEXT not in str(caught.value)
    return caught.value.reason


# --- the budget ----------------------------------------------------------------------------------------------------


def test_an_answer_is_settled_by_what_it_cost(spending: Budget, clock: FakeClock) -> None:
    """C16"""
    assert ask(GuardedLLM(Scripted(HELLO), spending, clock)) is HELLO
    assert (spending.meter().hour.calls, spending.meter().hour.tokens) == (1, 18)


def test_a_server_that_counts_nothing_is_estimated(spending: Budget, clock: FakeClock) -> None:
    """C16: what is not counted is not free"""
    ask(GuardedLLM(Scripted(Completion("hello")), spending, clock))
    assert spending.meter().hour.tokens > len(TEXT) // 4


def test_a_call_beyond_the_budget_is_never_sent(spending: Budget, clock: FakeClock) -> None:
    """C16: refused before anything leaves the machine"""
    inner = Scripted(HELLO)
    guarded = GuardedLLM(inner, spending, clock)
    assert reason(guarded, max_tokens=20_000) == "budget"
    assert reason(guarded, prompt="word " * 20_000) == "budget"
    assert inner.calls == 0
    assert spending.meter().hour.calls == 0
    assert guarded.status()["breaker"]["state"] == "closed", "that is no failure of the model"


@pytest.mark.parametrize(
    ("error", "calls", "tokens"),
    [
        (failing("auth"), 1, 0),
        (failing("rate_limited"), 1, 0),
        (failing("server_error"), 1, 0),
        (failing("unreachable"), 1, 0),
        (failing("rejected"), 1, 0),
        (failing("off"), 0, 0),
        (ProviderMissing("not installed"), 0, 0),
        (failing("timeout"), 1, 200),
        (failing("bad_answer"), 1, 200),
        (failing("refused"), 1, 200),
        (RuntimeError(TEXT), 1, 200),
    ],
    ids=lambda part: getattr(part, "reason", None) or repr(part),
)
def test_a_failed_call_costs_what_it_may_have_cost(
    spending: Budget, clock: FakeClock, error: Exception, calls: int, tokens: int
) -> None:
    """C16: in doubt, everything that was held"""
    reason(GuardedLLM(Scripted(error), spending, clock))
    hour = spending.meter().hour
    assert hour.calls == calls
    assert tokens <= hour.tokens <= (tokens and tokens + 60)


def test_an_answer_is_given_even_if_the_meter_breaks_meanwhile(place: Path, spending: Budget, clock: FakeClock) -> None:
    """C16: what was paid for is not thrown away"""

    def broken_meanwhile() -> Completion:
        overwrite(place, LLM_BUDGET, "no longer JSON" * 400)
        return HELLO

    guarded = GuardedLLM(Scripted(broken_meanwhile), spending, clock)
    assert ask(guarded) is HELLO
    assert reason(guarded) == "budget"
    assert "delete" in guarded.status()["meter_error"]


# --- the breaker -----------------------------------------------------------------------------------------------------


def test_three_failures_in_a_row_open_the_breaker(spending: Budget, clock: FakeClock) -> None:
    """C16: a broken model is not asked by every turn"""
    inner = Scripted(failing("server_error"))
    guarded = GuardedLLM(inner, spending, clock)
    assert [reason(guarded) for _ in range(5)] == ["server_error"] * 3 + ["paused"] * 2
    assert inner.calls == 3
    assert guarded.status()["breaker"] == {"state": "open", "failures": 3, "retry_in": PAUSE_SECONDS}


def test_failures_that_do_not_follow_each_other_open_nothing(spending: Budget, clock: FakeClock) -> None:
    """C16"""
    down, inner = failing("timeout"), None
    inner = Scripted(down, down, HELLO, down, down, HELLO)
    guarded = GuardedLLM(inner, spending, clock)
    for expected in ("timeout", "timeout", None, "timeout", "timeout", None):
        if expected:
            assert reason(guarded) == expected
        else:
            ask(guarded)
    assert inner.calls == 6


def test_a_paused_model_gets_one_try_and_then_twice_the_pause(spending: Budget, clock: FakeClock) -> None:
    """C16: half-open, with back-off up to a quarter of an hour"""
    inner = Scripted(failing("unreachable"))
    guarded = GuardedLLM(inner, spending, clock)
    for _ in range(3):
        reason(guarded)
    pauses = []
    for _ in range(8):
        pause = guarded.status()["breaker"]["retry_in"]
        pauses.append(pause)
        clock.advance(pause - 1)
        assert reason(guarded) == "paused"
        clock.advance(1)
        assert guarded.status()["breaker"]["state"] == "half-open"
        assert reason(guarded) == "unreachable"
    assert pauses == [30, 60, 120, 240, 480, MAX_PAUSE_SECONDS, MAX_PAUSE_SECONDS, MAX_PAUSE_SECONDS]


def test_a_try_that_succeeds_closes_the_breaker(spending: Budget, clock: FakeClock) -> None:
    """C16"""
    down = failing("server_error")
    guarded = GuardedLLM(Scripted(down, down, down, HELLO, down, HELLO), spending, clock)
    for _ in range(3):
        reason(guarded)
    clock.advance(PAUSE_SECONDS)
    ask(guarded)
    assert guarded.status()["breaker"] == {"state": "closed", "failures": 0, "retry_in": 0.0}
    reason(guarded)
    ask(guarded)


def test_only_one_call_tries_while_the_others_wait(spending: Budget, clock: FakeClock) -> None:
    """C16"""
    began, go_on = threading.Event(), threading.Event()

    def slow() -> Completion:
        began.set()
        go_on.wait(10)
        return HELLO

    down = failing("timeout")
    inner = Scripted(down, down, down, slow)
    guarded = GuardedLLM(inner, spending, clock)
    for _ in range(3):
        reason(guarded)
    clock.advance(PAUSE_SECONDS)
    probe = threading.Thread(target=ask, args=(guarded,))
    probe.start()
    assert began.wait(10)
    assert reason(guarded) == "paused"
    go_on.set()
    probe.join()
    assert inner.calls == 4
    ask(guarded)


def test_a_try_that_the_budget_stops_leaves_the_next_one_free(place: Path, clock: FakeClock) -> None:
    """C16: the breaker is not stuck half-open"""
    limits = BudgetLimits(calls_per_hour=3, calls_per_day=100, tokens_per_hour=20_000, tokens_per_day=30_000)
    down = failing("server_error")
    guarded = GuardedLLM(Scripted(down, down, down, HELLO), Budget(documents_at(place), limits, clock), clock)
    for _ in range(3):
        reason(guarded)
    clock.advance(PAUSE_SECONDS)
    assert [reason(guarded), reason(guarded)] == ["budget", "budget"]
    clock.advance(3_600)
    ask(guarded)


def test_a_server_that_asks_to_be_left_alone_is_left_alone_at_once(spending: Budget, clock: FakeClock) -> None:
    """C16: 429 with Retry-After"""
    inner = Scripted(failing("rate_limited", retry_after=200.0), HELLO)
    guarded = GuardedLLM(inner, spending, clock)
    reason(guarded)
    clock.advance(199)
    with pytest.raises(LlmUnavailable) as caught:
        ask(guarded)
    assert (caught.value.reason, caught.value.retry_after) == ("paused", 1.0)
    clock.advance(1)
    ask(guarded)
    assert inner.calls == 2


def test_a_model_that_will_not_answer_a_prompt_is_not_broken(spending: Budget, clock: FakeClock) -> None:
    """C16"""
    guarded = GuardedLLM(Scripted(failing("refused")), spending, clock)
    assert [reason(guarded) for _ in range(5)] == ["refused"] * 5


# --- what all processes know ---------------------------------------------------------------------------------------


class Renamed(Scripted):
    name = "fake/another"


def elsewhere(place: Path, clock: FakeClock, inner: Any) -> GuardedLLM:
    """The same model as another process has it."""
    limits = BudgetLimits(calls_per_hour=50, calls_per_day=60, tokens_per_hour=20_000, tokens_per_day=30_000)
    return GuardedLLM(inner, Budget(documents_at(place, clock), limits, clock), clock)


def test_short_processes_leave_a_dead_model_alone_together(place: Path, clock: FakeClock) -> None:
    """C16: each asks but once, and the fourth does not ask at all"""
    down = Scripted(failing("unreachable"))
    assert [reason(elsewhere(place, clock, down)) for _ in range(5)] == ["unreachable"] * 3 + ["paused"] * 2
    assert down.calls == 3
    clock.advance(PAUSE_SECONDS)
    assert ask(elsewhere(place, clock, Scripted(HELLO))) is HELLO
    assert elsewhere(place, clock, down).status()["failing"] is None


def test_another_model_is_not_blamed(place: Path, clock: FakeClock) -> None:
    for _ in range(3):
        reason(elsewhere(place, clock, Scripted(failing("auth"))))
    assert ask(elsewhere(place, clock, Renamed(HELLO))) is HELLO
    assert reason(elsewhere(place, clock, Scripted(HELLO))) == "paused"


def test_one_process_tries_for_all_and_one_that_died_does_not_hold_them_up(place: Path, clock: FakeClock) -> None:
    """C16"""
    others: list[str] = []

    def asked_meanwhile() -> Completion:
        others.append(reason(elsewhere(place, clock, Scripted(HELLO))))
        raise KeyboardInterrupt

    for _ in range(3):
        reason(elsewhere(place, clock, Scripted(failing("timeout"))))
    clock.advance(PAUSE_SECONDS)
    with pytest.raises(KeyboardInterrupt):
        ask(elsewhere(place, clock, Scripted(asked_meanwhile)))
    assert others == ["paused"]
    assert ask(elsewhere(place, clock, Scripted(HELLO))) is HELLO


def test_a_clock_that_was_set_back_pauses_nobody(place: Path, clock: FakeClock) -> None:
    for _ in range(3):
        reason(elsewhere(place, clock, Scripted(failing("timeout"))))
    clock.set(clock.now() - timedelta(days=400))
    assert ask(elsewhere(place, clock, Scripted(HELLO))) is HELLO


def test_the_status_tells_since_when_a_model_fails_and_what_to_do(place: Path, clock: FakeClock) -> None:
    """C16: from any process"""
    for _ in range(2):
        reason(elsewhere(place, clock, Scripted(failing("auth"))))
        clock.advance(60)
    assert elsewhere(place, clock, Scripted(HELLO)).status()["failing"] == {
        "since": "2026-01-05T09:00:00+00:00",
        "at": "2026-01-05T09:01:00+00:00",
        "failures": 2,
        "reason": "auth",
        "message": "it failed by auth",
        "fix": "mend it",
    }


def test_answers_that_cannot_be_used_are_counted_until_one_can(spending: Budget, clock: FakeClock) -> None:
    """C16: a model that misbehaves is not down"""
    guarded = GuardedLLM(Scripted(HELLO), spending, clock)
    for _ in range(2):
        ask(guarded)
        judge(guarded, LlmTask.MEMORIES, useful=False)
        clock.advance(60)
    judge(guarded, LlmTask.NARRATIVES, useful=True)  # what it is good at says nothing of the rest
    assert guarded.status()["useless"] == {"memories": {"since": "2026-01-05T09:00:00+00:00", "answers": 2}}
    assert guarded.status()["breaker"]["state"] == "closed"
    judge(guarded.background, LlmTask.MEMORIES, useful=True)
    assert guarded.status()["useless"] is None
    judge(FakeLLM([]), LlmTask.MEMORIES, useful=False)  # a model that keeps no count


# --- every provider alike ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [RuntimeError(TEXT), ValueError(TEXT), KeyError(TEXT)], ids=repr)
def test_every_failure_is_the_same_failure(spending: Budget, clock: FakeClock, error: Exception) -> None:
    """C16: callers fail open on one class of error, and the text does not leak through it"""
    assert reason(GuardedLLM(Scripted(error), spending, clock)) == "unavailable"


def test_a_missing_extra_keeps_its_hint(spending: Budget, clock: FakeClock) -> None:
    """C16"""
    guarded = GuardedLLM(Scripted(ProviderMissing("not installed", hint="pip install it")), spending, clock)
    with pytest.raises(LlmUnavailable, match="pip install it") as caught:
        ask(guarded)
    assert caught.value.reason == "missing"


def test_a_provider_that_never_comes_back_is_left_behind(
    spending: Budget, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C16: even one that does not know of time limits"""
    monkeypatch.setattr("cortex.providers.llms.guard.GRACE_SECONDS", 0.0)
    for_ever = threading.Event()

    def stuck() -> Completion:
        for_ever.wait()
        return HELLO

    guarded = GuardedLLM(Scripted(stuck), spending, clock, timeout=0.05)
    assert reason(guarded) == "timeout"
    for_ever.set()


def test_an_answer_in_time_is_given_as_it_is(spending: Budget, clock: FakeClock) -> None:
    guarded = GuardedLLM(Scripted(HELLO, failing("auth")), spending, clock, timeout=30)
    assert ask(guarded) is HELLO
    assert reason(guarded) == "auth"


def test_it_stands_for_the_model_inside(spending: Budget, clock: FakeClock) -> None:
    closed: list[bool] = []
    inner = FakeLLM(["hello"])
    inner.close = lambda: closed.append(True)  # type: ignore[attr-defined]
    guarded = GuardedLLM(inner, spending, clock)
    assert guarded.name == "fake/script"
    assert guarded.trouble() is None
    guarded.close()
    assert closed == [True]
    assert GuardedLLM(NoLLM(), spending, clock).trouble() is not None


# --- the card ------------------------------------------------------------------------------------------------------


def test_background_work_waits_while_the_card_is_hot(spending: Budget, clock: FakeClock) -> None:
    """C15: and what somebody waits for does not"""
    card = Card(HardwareVerdict(ok=False, load=20.0, temperature=91.0, why="the card is hot (91 °C of at most 85 °C)"))
    inner = Scripted(HELLO)
    guarded = GuardedLLM(inner, spending, clock, hardware=card)
    with pytest.raises(LlmUnavailable, match="hot") as caught:
        ask(guarded.background)
    assert (caught.value.reason, caught.value.retry_after) == ("hardware", 60.0)
    assert inner.calls == 0
    assert spending.meter().hour.calls == 0
    ask(guarded)
    card.says = HardwareVerdict(ok=True, load=20.0, temperature=60.0)
    ask(guarded.background)
    assert inner.calls == 2


def test_without_a_monitor_background_work_is_like_any_other(spending: Budget, clock: FakeClock) -> None:
    """C15"""
    guarded = GuardedLLM(Scripted(HELLO), spending, clock)
    ask(guarded.background)
    assert "hardware" not in guarded.status()


# --- the status ------------------------------------------------------------------------------------------------------


def test_the_status_tells_the_meter_the_breaker_the_last_failure_and_the_card(
    spending: Budget, clock: FakeClock
) -> None:
    """C15, C16: as plain values, and without a word of what was asked"""
    card = Card(HardwareVerdict(ok=True, load=12.5, temperature=45.0))
    guarded = GuardedLLM(Scripted(failing("timeout"), HELLO), spending, clock, hardware=card)
    reason(guarded)
    ask(guarded)
    status = guarded.status()
    assert TEXT not in str(status)
    assert status["name"] == "fake/scripted"
    assert (status["hour"]["calls"], status["hour"]["max_calls"]) == (2, 50)
    assert (status["day"]["calls"], status["day"]["max_tokens"]) == (2, 30_000)
    assert status["last_failure"]["reason"] == "timeout"
    assert status["last_answer"] == "2026-01-05T09:00:00+00:00"
    assert status["hardware"] == {"ok": True, "load": 12.5, "temperature": 45.0, "why": ""}
