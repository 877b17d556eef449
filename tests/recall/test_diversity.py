"""Not saying the same thing twice (B8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.recall.diversity import diversified, jaccard

words = st.frozensets(st.sampled_from("abcdefgh"), max_size=6)
candidates = st.lists(
    st.tuples(st.floats(0.0, 1.0), st.lists(st.sampled_from(["harbour", "dawn", "anchor", "tide"]), max_size=4)),
    max_size=10,
)


def ranked(found: list[tuple[float, list[str]]]) -> tuple[list[int], dict[int, float], dict[int, str]]:
    best_first = sorted(found, key=lambda each: -each[0])
    scores = {at: score for at, (score, _) in enumerate(best_first)}
    return list(scores), scores, {at: " ".join(said) for at, (_, said) in enumerate(best_first)}


@given(words, words)
def test_likeness_is_the_share_of_common_words(one, other):
    """B8: Jaccard"""
    assert jaccard(one, other) == jaccard(other, one)
    assert 0.0 <= jaccard(one, other) <= 1.0
    assert jaccard(one, one) == 1.0
    if one or other:
        assert jaccard(one, other) == len(one & other) / len(one | other)


@given(candidates, st.floats(0.0, 1.0))
def test_diversity_changes_the_order_and_nothing_else(found, balance):
    """B8: a permutation"""
    order, scores, texts = ranked(found)
    assert sorted(diversified(order, scores, texts, balance)) == sorted(order)


@given(candidates)
def test_a_balance_of_one_keeps_the_order(found):
    """B8"""
    order, scores, texts = ranked(found)
    assert diversified(order, scores, texts, 1.0) == order


@given(candidates, st.floats(0.01, 1.0))
def test_the_best_stays_first(found, balance):
    """B8: the first has nothing to be like yet"""
    order, scores, texts = ranked(found)
    assert diversified(order, scores, texts, balance)[:1] == order[:1]


def test_a_repetition_gives_way_to_something_new():
    """B8: λ 0.7 × relevance − 0.3 × the greatest likeness"""
    texts = {1: "the harbour opens at dawn", 2: "the harbour opens at dawn", 3: "the anchor chain is rusty"}
    assert diversified([1, 2, 3], {1: 1.0, 2: 0.9, 3: 0.8}, texts, 0.7) == [1, 3, 2]


def test_the_balance_is_weighed_as_the_document_says():
    """B8: 0.7 × 0.9 − 0.3 × 1 = 0.33 loses to 0.7 × s just when s > 0.4714"""
    texts = {1: "harbour", 2: "harbour", 3: "anchor"}
    assert diversified([1, 2, 3], {1: 1.0, 2: 0.9, 3: 0.48}, texts, 0.7) == [1, 3, 2]
    assert diversified([1, 2, 3], {1: 1.0, 2: 0.9, 3: 0.46}, texts, 0.7) == [1, 2, 3]


@pytest.mark.parametrize("balance", [0.0, 0.5, 1.0])
def test_nothing_comes_of_nothing(balance: float):
    assert diversified([], {}, {}, balance) == []
