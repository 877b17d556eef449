"""Measuring where a model's cosines lie, on stored texts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.calibration import LEAST_TEXTS, UNRELATED, chosen, is_due, measure
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.vectors import Basis, Calibration, EmbeddingSpace, Vector, unit

DIMENSION = 64


def directions(number: int, seed: int = 1) -> list[Vector]:
    drawn = np.random.default_rng(seed).normal(size=(number, DIMENSION)).astype(np.float32)
    return [unit(each) for each in drawn]


def squeezed(vectors: list[Vector], level: float) -> list[Vector]:
    """The same vectors from a model whose unrelated texts have a cosine of `level`."""
    common = np.sqrt(np.float32(level))
    return [np.concatenate([[common], np.sqrt(np.float32(1 - level)) * each]).astype(np.float32) for each in vectors]


def measured(vectors: list[Vector], origins: list[str] | None = None) -> Calibration:
    found = measure(
        origins or [str(number) for number in range(len(vectors))], vectors, dict(enumerate(vectors)), len(vectors)
    )
    assert found is not None
    return found


@given(st.floats(0.0, 0.9))
def test_unrelated_texts_lie_at_the_same_place_of_the_scale_whatever_the_model(level):
    """B7, X13: thresholds mean the same for all models"""
    vectors = squeezed(directions(60), level)
    scale = measured(vectors)
    unrelated = [scale.apply(float(one @ other)) for one, other in pairwise(vectors)]
    assert np.median(unrelated) == pytest.approx(UNRELATED, abs=0.05)
    assert scale.apply(1.0) == 1.0


@given(st.floats(0.0, 0.9), st.floats(0.0, 1.0))
def test_a_cosine_comes_to_the_same_however_far_a_model_squeezes_it(level, cosine):
    """B7, X13"""
    plain, narrow = measured(directions(60)), measured(squeezed(directions(60), level))
    assert narrow.apply(level + (1 - level) * cosine) == pytest.approx(plain.apply(cosine), abs=0.02)


def test_texts_of_one_origin_are_not_compared():
    """Turns of a session are about the same: their cosines tell nothing of unrelated texts."""
    sessions = squeezed(directions(4), 0.3)
    vectors = [unit(sessions[number % 4] + 0.05 * each) for number, each in enumerate(squeezed(directions(40, 2), 0))]
    apart = measured(vectors, [f"session {number % 4}" for number in range(40)])
    together = [float(vectors[0] @ vectors[number]) for number in range(4, 40, 4)]
    assert apart.floor < 0.4 < min(together)


def test_one_long_session_is_compared_with_itself():
    """Where there is nothing else, its own texts tell the level."""
    assert measured(squeezed(directions(60), 0.5), ["session 1"] * 60).floor == pytest.approx(0.35, abs=0.03)


def test_a_few_near_duplicates_do_not_move_the_scale():
    vectors = squeezed(directions(50), 0.5)
    assert measured([*vectors, *vectors[:10]]).floor == pytest.approx(measured(vectors).floor, abs=0.02)


def test_queries_are_compared_as_queries_are_embedded():
    """A model with prefixes puts queries elsewhere than documents."""
    documents = squeezed(directions(60), 0.8)
    queries = {place: unit(documents[place] * np.float32([0.5] + [1] * DIMENSION)) for place in range(8)}
    origins = [str(number) for number in range(60)]
    asked = measure(origins, documents, queries, 60)
    assert asked is not None
    assert asked.floor < measured(documents).floor - 0.05


def test_too_few_texts_tell_nothing():
    few = directions(LEAST_TEXTS - 1)
    assert measure([str(number) for number in range(len(few))], few, dict(enumerate(few)), len(few)) is None


def test_a_measurement_is_due_at_first_and_whenever_texts_have_doubled():
    """Not with every text: the scale must not shift under people's feet."""
    known = Calibration(0.3, Basis.MEASURED, texts=100)
    assert [is_due(LEAST_TEXTS - 1, None), is_due(LEAST_TEXTS, None)] == [False, True]
    assert [is_due(199, known), is_due(200, known)] == [False, True]


def test_a_sample_is_the_same_every_time_and_spread_over_all_times():
    ids = [TraceId(format_uuid7(1_700_000_000_000 + number, number * 2_654_435_761 % 2**62)) for number in range(1_000)]
    some = chosen(ids, 100)
    assert some == chosen(reversed(ids), 100)
    assert 300 < np.mean([ids.index(id) for id in some]) < 700


def test_what_a_model_declares_stands_whatever_was_measured():
    """The built-in model keeps the scale its thresholds were tuned with."""
    found = Calibration(0.5, Basis.MEASURED, 40)
    declared = EmbeddingSpace("local", "e5", 4, calibration=Calibration(0.7))
    assert declared.on(found).calibration.floor == 0.7
    assert EmbeddingSpace("ollama", "nomic", 4).on(found).calibration == found
    assert EmbeddingSpace("ollama", "nomic", 4).on(None).calibration == Calibration(basis=Basis.ASSUMED)
