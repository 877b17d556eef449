"""Bringing legs together."""

from __future__ import annotations

import pytest
from candidates import id_
from hypothesis import given
from hypothesis import strategies as st

from cortex.recall import fusion

legs_of_ids = st.lists(st.integers(0, 40).map(id_), unique=True, max_size=15)
many_legs = st.lists(legs_of_ids, min_size=1, max_size=4)
ks = st.integers(1, 100)
A, B, C = id_(1), id_(2), id_(3)


@given(legs_of_ids, ks)
def test_fusing_one_leg_keeps_its_order(leg, k):
    """E4"""
    assert fusion.ranked(fusion.reciprocal([leg], k)) == leg


@given(many_legs, ks, st.randoms(use_true_random=False))
def test_the_order_of_the_legs_does_not_matter(legs, k, random):
    """E4: fused deterministically"""
    shuffled = list(legs)
    random.shuffle(shuffled)
    one, other = fusion.reciprocal(legs, k), fusion.reciprocal(shuffled, k)
    assert one == pytest.approx(other)


@given(many_legs, ks)
def test_no_fused_score_is_above_that_of_first_place_in_every_leg(legs, k):
    """E4, E9"""
    most = fusion.most_reciprocal(len(legs), k)
    assert all(0.0 < score <= most + 1e-9 for score in fusion.reciprocal(legs, k).values())


@given(many_legs, ks, st.data())
def test_a_better_place_in_one_leg_never_lowers_a_fused_score(legs, k, data):
    """E4: monotone"""
    longest = max(range(len(legs)), key=lambda at: len(legs[at]))
    if len(legs[longest]) < 2:
        return
    at = data.draw(st.integers(1, len(legs[longest]) - 1))
    raised = legs[longest][at]
    better = [list(leg) for leg in legs]
    better[longest][at - 1], better[longest][at] = better[longest][at], better[longest][at - 1]
    assert fusion.reciprocal(better, k)[raised] >= fusion.reciprocal(legs, k)[raised]


def test_reciprocal_rank_fusion_is_the_sum_of_one_over_k_plus_place():
    """E4"""
    fused = fusion.reciprocal([[A, B], [B, C]], 60)
    assert fused == pytest.approx({A: 1 / 61, B: 1 / 62 + 1 / 61, C: 1 / 62})


def test_two_legs_agreeing_beat_one_leg_insisting():
    """E4"""
    fused = fusion.reciprocal([[A, B], [C, B]], 60)
    assert fusion.ranked(fused)[0] == B


def test_first_place_in_every_leg_is_the_most_there_is():
    assert fusion.reciprocal([[A], [A]], 60)[A] == pytest.approx(fusion.most_reciprocal(2, 60))


def test_no_legs_fuse_to_nothing():
    assert fusion.reciprocal([], 60) == {}
    assert fusion.reciprocal([[], []], 60) == {}


def sums(legs, weights):
    return {id: sum(parts.values()) for id, parts in fusion.weighted(legs, weights).items()}


def test_the_hybrid_score_is_four_tenths_keywords_and_six_tenths_vectors():
    """C4: 0.4 × fts + 0.6 × vector, one row per memory"""
    legs = {"keyword": {A: 1.0, B: 0.5}, "vector": {A: 0.5, C: 1.0}}
    fused = sums(legs, {"keyword": 0.4, "vector": 0.6})
    assert fused == pytest.approx({A: 0.7, B: 0.2, C: 0.6})


def test_the_merge_of_files_is_seven_tenths_vectors_and_three_tenths_text():
    """B7"""
    fused = sums({"keyword": {A: 1.0}, "vector": {A: 0.5}}, {"keyword": 0.3, "vector": 0.7})
    assert fused == pytest.approx({A: 0.65})


def test_a_leg_that_is_missing_gives_nothing():
    """C6"""
    assert sums({"keyword": {A: 1.0}}, {"keyword": 0.4, "vector": 0.6}) == pytest.approx({A: 0.4})


scores = st.dictionaries(st.integers(0, 20).map(id_), st.floats(0.0, 1e6), max_size=10)


@given(scores)
def test_scores_against_the_best_lie_between_0_and_1_and_keep_their_order(given_scores):
    """C4: normalised to 0..1"""
    shares = fusion.against_best(given_scores)
    assert all(0.0 <= share <= 1.0 for share in shares.values())
    if any(given_scores.values()):
        assert max(shares.values()) == 1.0
    for one in given_scores:
        for other in given_scores:
            if given_scores[one] < given_scores[other]:
                assert shares[one] <= shares[other]


def test_where_nothing_scored_every_share_is_zero():
    """C4: no division by zero"""
    assert fusion.against_best({A: 0.0, B: 0.0}) == {A: 0.0, B: 0.0}
    assert fusion.against_best({}) == {}


@given(st.dictionaries(st.integers(0, 30).map(id_), st.sampled_from([0.1, 0.5, 0.9]), max_size=15))
def test_equal_scores_are_ordered_by_id(given_scores):
    """E4, E12: the same state gives the same answer"""
    order = fusion.ranked(given_scores)
    assert order == sorted(order, key=lambda id: (-given_scores[id], id))
    assert set(order) == set(given_scores)
