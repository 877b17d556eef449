"""From legs to an order."""

from __future__ import annotations

from dataclasses import replace

from candidates import memory

from cortex.recall.ranking import Scored


def test_a_score_is_the_sum_of_its_parts_whenever_it_is_asked_for() -> None:
    scored = Scored(memory(), ("keyword",), {"keyword": 0.25, "vector": 0.5})
    assert scored.score == 0.75
    scored.set_part("reply", 0.125)
    assert scored.score == 0.875
    scored.set_part("reply", 0.0)
    assert scored.score == 0.75


def test_a_candidate_that_stands_for_another_has_parts_of_its_own() -> None:
    scored = Scored(memory(), ("keyword",), {"keyword": 0.25})
    successor = replace(scored, trace=memory(2), parts=dict(scored.parts))
    successor.set_part("newer", 0.5)
    assert (scored.score, successor.score) == (0.25, 0.75)
