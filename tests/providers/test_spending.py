"""The spending meter: a hard limit for every process that shares it, that survives restarts and crashes."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.errors import LlmUnavailable
from cortex.ports.documents import LLM_BUDGET
from cortex.providers.llms.budget import HOLD_SECONDS, Budget, BudgetLimits
from cortex.testing import FakeClock
from document_places import PLACES, delete, documents_at, overwrite

QUARTER_PAST = datetime(2026, 1, 5, 9, 15, tzinfo=UTC)
ROOM = BudgetLimits(calls_per_hour=1_000, calls_per_day=10_000, tokens_per_hour=100_000, tokens_per_day=1_000_000)


def limits(**tight: int) -> BudgetLimits:
    given = {name: getattr(ROOM, name) for name in ROOM.__dataclass_fields__}
    return BudgetLimits(**(given | tight))


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(QUARTER_PAST)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A home with its files, or a database that hosts share."""
    return tmp_path / ("home" if request.param == "files" else f"home/{request.param}")


@pytest.fixture
def open_meter(place: Path, clock: FakeClock) -> Callable[..., Budget]:
    def opened(*, patience_seconds: float = 60.0, **tight: int) -> Budget:
        return Budget(documents_at(place, clock, patience_seconds=patience_seconds), limits(**tight), clock)

    return opened


Open = Callable[..., Budget]


def refused(spending: Budget, input_tokens: int = 10, output_tokens: int = 10) -> LlmUnavailable:
    with pytest.raises(LlmUnavailable) as caught:
        spending.reserve(input_tokens, output_tokens)
    assert caught.value.reason == "budget"
    return caught.value


@pytest.mark.parametrize("limit", ["calls_per_hour", "calls_per_day"])
def test_a_limit_of_calls_is_hard(open_meter: Open, limit: str) -> None:
    """C16: nothing beyond it is let through, and the error names the limit"""
    spending = open_meter(**{limit: 3})
    for _ in range(3):
        spending.settle(spending.reserve(10, 10), 20)
    assert f"llm.{limit}" in refused(spending).hint


@pytest.mark.parametrize("limit", ["tokens_per_hour", "tokens_per_day"])
def test_a_limit_of_tokens_is_hard_to_the_token(open_meter: Open, limit: str) -> None:
    """C16"""
    spending = open_meter(**{limit: 100})
    spending.settle(spending.reserve(30, 50), 80)
    assert f"llm.{limit}" in refused(spending, 10, 11).hint
    spending.reserve(10, 10)


def test_a_limit_of_nothing_allows_nothing(open_meter: Open) -> None:
    """C16"""
    error = refused(open_meter(calls_per_hour=0))
    assert error.retry_after is None, "waiting does not help"
    assert refused(open_meter(tokens_per_day=0)).hint == "raise llm.tokens_per_day"


def test_what_is_held_counts_until_it_is_settled_by_what_it_did_cost(open_meter: Open) -> None:
    """C16"""
    spending = open_meter(tokens_per_hour=100)
    held = spending.reserve(40, 50)
    assert (spending.meter().hour.calls, spending.meter().hour.tokens) == (1, 90)
    refused(spending, 10, 10)
    spending.settle(held, 25)
    assert (spending.meter().hour.calls, spending.meter().hour.tokens) == (1, 25)
    spending.reserve(40, 35)


def test_a_call_that_cost_more_than_was_held_is_counted_whole(open_meter: Open) -> None:
    """C16: the estimate may be wrong, the count is not"""
    spending = open_meter(tokens_per_hour=100)
    spending.settle(spending.reserve(10, 10), 150)
    assert spending.meter().hour.tokens == 150
    refused(spending, 0, 1)


def test_what_was_never_sent_costs_nothing(open_meter: Open) -> None:
    """C16"""
    spending = open_meter(calls_per_hour=1)
    spending.release(spending.reserve(10, 10))
    spending.reserve(10, 10)


def test_the_hour_ends_with_the_clock_and_the_day_in_utc(open_meter: Open, clock: FakeClock) -> None:
    """C16"""
    spending = open_meter(calls_per_hour=1, calls_per_day=2)
    spending.settle(spending.reserve(1, 1), 2)
    error = refused(spending)
    assert error.retry_after == timedelta(minutes=45).total_seconds()
    assert "10:00 UTC" in error.hint
    clock.advance(timedelta(minutes=45))
    spending.settle(spending.reserve(1, 1), 2)
    clock.advance(timedelta(hours=1))
    assert refused(spending).retry_after == timedelta(hours=13).total_seconds()
    clock.advance(timedelta(hours=13))
    spending.reserve(1, 1)
    assert spending.meter().day.calls == 1


def test_a_call_counts_in_the_hour_it_was_begun(open_meter: Open, clock: FakeClock) -> None:
    """C16"""
    spending = open_meter()
    clock.advance(timedelta(minutes=44))
    held = spending.reserve(10, 10)
    clock.advance(timedelta(minutes=2))
    spending.settle(held, 15)
    assert (spending.meter().hour.tokens, spending.meter().day.tokens) == (0, 15)


def test_the_meter_survives_a_restart(open_meter: Open) -> None:
    """C16"""
    first = open_meter(calls_per_hour=1)
    first.settle(first.reserve(10, 10), 20)
    refused(open_meter(calls_per_hour=1))


def test_a_reservation_of_a_crashed_process_expires(open_meter: Open, clock: FakeClock) -> None:
    """C16: what it asked was likely sent; the room for its answer is given back"""
    open_meter(tokens_per_hour=100).reserve(30, 60)
    spending = open_meter(tokens_per_hour=100)
    clock.advance(HOLD_SECONDS - 1)
    refused(spending, 10, 10)
    clock.advance(1)
    spending.reserve(10, 60)
    assert (spending.meter().hour.calls, spending.meter().hour.tokens) == (2, 100)


def test_a_call_that_comes_back_after_it_was_given_up_is_counted_once(open_meter: Open, clock: FakeClock) -> None:
    """C16"""
    spending = open_meter()
    held = spending.reserve(30, 60)
    clock.advance(HOLD_SECONDS)
    assert spending.meter().hour.tokens == 30
    spending.settle(held, 75)
    assert (spending.meter().hour.calls, spending.meter().hour.tokens) == (1, 75)


def test_processes_cannot_overspend_together(open_meter: Open) -> None:
    """C16: many at once, each with its own look at the same place"""
    meters = [open_meter(calls_per_hour=20, tokens_per_hour=150) for _ in range(2)]

    def spend(number: int) -> str:
        spending = meters[number % 2]
        try:
            held = spending.reserve(4, 6)
        except LlmUnavailable as error:
            return error.message.partition(":")[0]
        spending.settle(held, 10)
        return "spent"

    with ThreadPoolExecutor(8) as pool:
        outcomes = Counter(pool.map(spend, range(80)))
    # Nobody is refused because somebody else is writing: that is waited for.
    assert outcomes == {"spent": 15, "a call of up to 10 tokens does not fit into this hour": 65}
    assert meters[0].meter().hour.tokens == 150


def test_another_process_sees_the_same_meter(open_meter: Open, place: Path) -> None:
    """C16"""
    spending = open_meter(calls_per_hour=2)
    script = f"""
from datetime import datetime, UTC
from pathlib import Path
from cortex.providers.llms.budget import Budget, BudgetLimits
from cortex.testing import FakeClock
from document_places import documents_at
clock = FakeClock(datetime({QUARTER_PAST.year}, 1, 5, 9, 15, tzinfo=UTC))
Budget(documents_at(Path({str(place)!r})), BudgetLimits(calls_per_hour=2, calls_per_day=9,
    tokens_per_hour=99, tokens_per_day=99), clock).reserve(1, 1)
"""
    spending.reserve(10, 10)
    subprocess.run(
        [sys.executable, "-c", script], check=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    )
    refused(spending)


def test_looking_at_the_meter_makes_no_file(tmp_path: Path, clock: FakeClock) -> None:
    """C16"""
    meter = Budget(documents_at(tmp_path / "home"), limits(calls_per_hour=7), clock).meter()
    assert (meter.hour.calls, meter.hour.max_calls, meter.hour.tokens) == (0, 7, 0)
    assert not (tmp_path / "home").exists()


def test_the_file_is_the_operators_alone(tmp_path: Path, clock: FakeClock) -> None:
    Budget(documents_at(tmp_path / "home"), ROOM, clock).reserve(1, 1)
    assert [path.name for path in (tmp_path / "home").iterdir() if path.stat().st_mode & 0o077] == []


DAMAGED = ["", "this is not JSON", "[]", "{}", "null", '{"spent": [], "held": {}, "last": 0, "models": {}}',
           '{"spent": {}, "held": {"x": []}, "last": 0, "models": {}}',
           '{"spent": {}, "held": {}, "last": 0, "models": {"m": {"useless": {}, "unknown": 1}}}']  # fmt: skip


@pytest.mark.parametrize("body", DAMAGED)
def test_where_it_cannot_be_counted_nothing_is_spent(open_meter: Open, place: Path, body: str) -> None:
    """C16: a damaged meter closes the budget, and says how to open it"""
    spending = open_meter()
    spending.reserve(1, 1)
    overwrite(place, LLM_BUDGET, body)
    error = refused(spending)
    assert documents_at(place).where(LLM_BUDGET) in error.message
    assert "delete" in error.hint
    with pytest.raises(LlmUnavailable):
        spending.meter()
    delete(place, LLM_BUDGET)
    spending.reserve(1, 1)


def test_where_the_place_cannot_be_reached_nothing_is_spent(tmp_path: Path, clock: FakeClock) -> None:
    """C16"""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "home", tmp_path / "file" / "shared.sqlite"):
        spending = Budget(documents_at(place, clock), ROOM, clock)
        refused(spending)
        with pytest.raises(LlmUnavailable, match="spending meter"):
            spending.meter()


@contextmanager
def held_by_another(place: Path) -> Iterator[None]:
    """Another process is changing it."""
    if place.suffix == ".sqlite":
        with closing(sqlite3.connect(place, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")
    else:
        with open(place / f"{LLM_BUDGET}.lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def test_a_meter_held_by_another_process_is_waited_for_and_then_refuses(open_meter: Open, place: Path) -> None:
    """C16"""
    spending = open_meter(patience_seconds=0.05)
    spending.reserve(1, 1)
    with held_by_another(place):
        refused(spending)
    open_meter().reserve(1, 1)


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["settle", "release", "crash"]), st.integers(0, 40), st.integers(0, 40)), max_size=25
    )
)
def test_what_is_let_through_never_exceeds_the_limit(tmp_path_factory: Any, steps: list[tuple[str, int, int]]) -> None:
    """C16: as long as calls cost no more than was held for them"""
    clock = FakeClock(QUARTER_PAST)
    spending = Budget(
        documents_at(tmp_path_factory.mktemp("meter")), limits(tokens_per_hour=100, calls_per_hour=8), clock
    )
    for what, input_tokens, output_tokens in steps:
        try:
            held = spending.reserve(input_tokens, output_tokens)
        except LlmUnavailable:
            continue
        if what == "settle":
            spending.settle(held, input_tokens + output_tokens // 2)
        elif what == "release":
            spending.release(held)
        hour = spending.meter().hour
        assert hour.tokens <= 100
        assert hour.calls <= 8
