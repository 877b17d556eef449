"""Drift is a share that moved further than days differ anyway, and for more than one day (S3)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from bench.drift import stream
from cortex.domain.drift import chi_square_survival, compare, f_survival, judged

FIRST = date(2026, 1, 5)
DAY = timedelta(days=1)


def series(*runs: tuple[int, dict[str, int]]) -> dict[date, dict[str, int]]:
    """So many days with these counts, one run after the other."""
    days = [counts for number, counts in runs for _ in range(number)]
    return {FIRST + timedelta(days=number): counts for number, counts in enumerate(days)}


def last(days: dict[date, dict[str, int]]) -> date:
    return max(days)


@pytest.mark.parametrize(
    ("value", "freedom", "wanted"), [(3.841, 1, 0.05), (16.266, 3, 0.001), (1.0, 4, 0.9098), (0.0, 2, 1.0)]
)
def test_the_chi_square_distribution_is_that_of_the_tables(value: float, freedom: int, wanted: float) -> None:
    """S3"""
    assert chi_square_survival(value, freedom) == pytest.approx(wanted, rel=2e-3)


@pytest.mark.parametrize(
    ("value", "above", "below", "wanted"), [(4.965, 1, 10, 0.05), (2.758, 3, 60, 0.05), (0.5, 2, 10, 1.1**-5)]
)
def test_the_f_distribution_is_that_of_the_tables(value: float, above: int, below: int, wanted: float) -> None:
    """S3"""
    assert f_survival(value, above, below) == pytest.approx(wanted, rel=2e-3)


def test_a_jump_is_reported_after_two_days_in_a_row_and_closed_after_three_calm_ones() -> None:
    """S3"""
    days = series((28, {"known": 15, "unknown": 5}), (42, {"known": 5, "unknown": 15}))
    signals = [day for day in days if compare(days, day).is_signal]
    opened, closed = signals[0] + DAY, signals[-1] + 3 * DAY
    around = (signals[0], opened, closed - DAY, closed)
    assert [judged("labels", days, day).since for day in around] == [None, opened, opened, None]


def test_a_share_that_moved_by_less_than_ten_points_is_no_signal_however_sure() -> None:
    """S3"""
    days = series((28, {"known": 700, "unknown": 300}), (7, {"known": 610, "unknown": 390}))
    found = compare(days, last(days))
    assert found.p_value is not None
    assert found.p_value < 1e-9
    assert not found.is_signal


@pytest.mark.parametrize(("before", "recent", "is_enough"), [(8, 8, True), (7, 8, False), (8, 7, False)])
def test_fifty_and_two_hundred_memories_are_needed(before: int, recent: int, is_enough: bool) -> None:
    """S3"""
    days = series((28, {"a": before}), (7, {"b": recent}))
    assert compare(days, last(days)).is_enough is is_enough


def test_days_that_differ_anyway_are_no_drift() -> None:
    """S3"""
    uneven = [{"a": 28, "b": 2}, {"a": 2, "b": 28}] * 14
    days = series(*((1, counts) for counts in uneven), (5, {"a": 28, "b": 2}), (2, {"a": 2, "b": 28}))
    found = compare(days, last(days))
    assert abs(found.shares[0].moved) >= 0.10
    assert found.plain_p_value is not None
    assert found.p_value is not None
    assert found.plain_p_value < 0.001 < found.p_value
    assert found.dispersion > 5


def test_what_was_before_a_new_base_is_not_compared() -> None:
    """S3"""
    days = series((28, {"a": 20}), (10, {"b": 20}))
    assert judged("labels", days, last(days)).is_open
    rebased = judged("labels", days, last(days), FIRST + timedelta(days=28))
    assert not rebased.is_open
    assert not rebased.comparison.is_enough


def test_of_random_streams_few_alert_and_most_jumps_are_found() -> None:
    """S3: `python -m bench.drift` measures a thousand of each."""
    calm = [stream(seed, per_day=30, concentration=40) for seed in range(3)]
    assert not any(judged("labels", days, last(days)).is_open for days in calm)
    shifted = stream(7, per_day=30, concentration=40, jump=0.25)
    assert judged("labels", shifted, date(2026, 1, 1) + timedelta(days=69)).is_open
