"""The factors of a score, against the numbers of the documents."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from candidates import NOW
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.memory import Kind, Retention
from cortex.recall import scoring

WEEK = timedelta(days=7)
MONTH = timedelta(days=30)
ages = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=4_000))
half_lives = st.timedeltas(min_value=timedelta(hours=1), max_value=timedelta(days=400))


@pytest.mark.parametrize(
    ("kind", "multiplier"),
    [("rule", 1.5), ("procedure", 1.3), ("fact", 1.0), ("episode", 0.8), ("preference", 0.7)],
)
def test_each_kind_has_the_multiplier_of_the_document(kind: str, multiplier: float):
    """X5"""
    assert scoring.KIND_BOOST[Kind(kind)] == multiplier


def test_every_kind_has_a_multiplier():
    """X5"""
    assert set(scoring.KIND_BOOST) == set(Kind)


@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (7, 0.5), (14, 0.25), (21, 0.125), (3.5, 2**-0.5)])
def test_recency_is_halved_every_seven_days(days: float, left: float):
    """X9: exp(-ln 2 × days / 7)"""
    assert scoring.recency(timedelta(days=days), WEEK) == pytest.approx(left)
    assert scoring.recency(timedelta(days=days), WEEK) == pytest.approx(math.exp(-math.log(2) * days / 7))


@given(ages, ages, half_lives)
def test_recency_never_rises_with_age(one: timedelta, other: timedelta, half_life: timedelta):
    """X9, E8"""
    younger, older = sorted((one, other))
    assert 0.0 <= scoring.recency(older, half_life) <= scoring.recency(younger, half_life) <= 1.0


@given(ages)
def test_what_lies_in_the_future_counts_as_new(ahead: timedelta):
    """X9: a clock that was set back never makes a score above 1"""
    assert scoring.recency(-ahead, WEEK) == 1.0


@pytest.mark.parametrize(("uses", "expected"), [(0, 0.0), (1, 0.1), (3, 0.2), (31, 0.5), (1_023, 1.0), (5_000, 1.0)])
def test_frequency_is_the_logarithm_of_the_uses(uses: int, expected: float):
    """X9: min(1, log2(1+n)/10)"""
    assert scoring.frequency(uses) == pytest.approx(expected)
    assert scoring.frequency(uses) == pytest.approx(min(1.0, math.log2(1 + uses) / 10))


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_frequency_rises_with_use_and_stays_within_0_and_1(one: int, other: int):
    """X9"""
    less, more = sorted((one, other))
    assert 0.0 <= scoring.frequency(less) <= scoring.frequency(more) <= 1.0


@pytest.mark.parametrize(
    ("retention", "matches", "boost"),
    [
        (Retention.PROJECT, True, 1.0),
        (Retention.PERMANENT, False, 0.67),
        (Retention.PERMANENT, True, 0.67),
        (Retention.SESSION, False, 0.53),
        (Retention.TTL, False, 0.53),
        (Retention.SESSION, True, 0.53),
        (Retention.TTL, True, 0.53),
    ],
)
def test_the_scope_boost_is_that_of_the_document(retention: Retention, matches: bool, boost: float):
    """X9: 1.0 matching project, 0.67 permanent, 0.53 session or ttl"""
    assert scoring.scope_boost(retention, scope_matches=matches) == boost


def test_a_project_that_does_not_match_is_not_boosted_above_a_permanent_memory():
    """X6, X9"""
    assert scoring.scope_boost(Retention.PROJECT, scope_matches=False) <= 0.67


@pytest.mark.parametrize(("rank", "score"), [(0, 1.0), (1, 0.5), (-1, 0.5), (3, 0.25), (-9, 0.1)])
def test_a_keyword_score_is_one_over_one_plus_the_rank(rank: int, score: float):
    """B5: 1/(1+|rank|)"""
    assert scoring.by_place(rank) == pytest.approx(score)


@pytest.mark.parametrize(("cosine", "score"), [(1.0, 1.0), (0.5, 0.5), (0.0, 1 / (1 + math.sqrt(2))), (-1.0, 1 / 3)])
def test_a_distance_score_is_one_over_one_plus_the_distance_of_unit_vectors(cosine: float, score: float):
    """L1: 1/(1+d), d = √(2 − 2 cos)"""
    assert scoring.by_distance(cosine) == pytest.approx(score)


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_what_is_nearer_never_scores_less(one: float, other: float):
    """L1"""
    further, nearer = sorted((one, other))
    assert 0.0 < scoring.by_distance(further) <= scoring.by_distance(nearer) <= 1.0


def test_a_cosine_a_little_above_one_is_no_error():
    """L1: float32 arithmetic gives 1.0000001"""
    assert scoring.by_distance(1.0000001) == 1.0


@pytest.mark.parametrize(("days", "left"), [(0, 0.8), (30, 0.4), (60, 0.2)])
def test_what_is_dated_decays_by_half_in_thirty_days(days: int, left: float):
    """B8"""
    assert scoring.decayed(0.8, NOW - timedelta(days=days), NOW, MONTH) == pytest.approx(left)


@given(st.floats(0.0, 1.0))
def test_what_has_no_date_does_not_decay(score: float):
    """B8"""
    assert scoring.decayed(score, None, NOW, MONTH) == score
