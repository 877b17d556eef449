"""The labeled memories, and what the grader must reach on those it was not chosen on (S2)."""

from __future__ import annotations

from collections import Counter

from bench.grading.__main__ import AGREEMENT, CARELESS, Share, judged
from bench.grading.labels import Half, load


def test_the_halves_have_every_memory_once() -> None:
    first, second = load(Half.CHOOSING), load(Half.HELD)
    assert (len(first), len(second), len(load())) == (200, 200, 400)
    assert {each.id for each in first}.isdisjoint(each.id for each in second)
    assert min(Counter(each.label for each in second).values()) >= 20


def test_the_grader_agrees_on_the_held_half() -> None:
    """S2: agreement at least 0.80, at most 1 % of must_remember called `ignore`"""
    held = judged("heuristic-v1", Half.HELD)
    assert held.agreement.value >= AGREEMENT
    assert held.careless.value <= CARELESS


def test_an_interval_holds_its_share() -> None:
    low, high = Share(9, 10).interval
    assert 0.5 < low < 0.9 < high < 1.0
