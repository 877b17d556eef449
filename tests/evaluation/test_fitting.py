"""The weights of statements that no rule knows come from labelled turns."""

from __future__ import annotations

from cortex.capture.packs.english.evidence import SIGNS
from cortex.capture.packs.english.weights import WEIGHTS
from cortex.evaluation import capturing
from cortex.evaluation.fitting import TRAINING, fitted, labelled, module


def test_a_sign_of_what_is_worth_remembering_weighs_for_it_and_another_against():
    one, other = list(SIGNS)[:2]
    weights = fitted([(frozenset({one}), True)] * 30 + [(frozenset({other}), False)] * 30)
    assert weights[one] > 0.5 > -0.5 > weights[other]


def test_the_weights_in_use_are_near_what_the_labels_alone_give():
    rows = [*labelled(capturing.load(capturing.halves()["dev"])), *labelled(capturing.load(TRAINING))]
    weights = fitted(rows)
    named = {name for name in WEIGHTS if abs(WEIGHTS[name]) >= 1.5}
    agreeing = [name for name in named if weights[name] * WEIGHTS[name] > 0]
    assert len(agreeing) >= 0.8 * len(named)
    assert "BIAS = " in module(weights)


def test_the_held_half_took_no_part():
    texts = {turn.text for turn in capturing.load(capturing.halves()["held"])}
    assert texts.isdisjoint(turn.text for turn in capturing.load(TRAINING))
