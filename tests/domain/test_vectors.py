"""Embedding spaces and the arithmetic of unit vectors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cortex.domain.vectors import Calibration, EmbeddingSpace, code_bytes, hamming, sign_codes, unit

SPACE = EmbeddingSpace("ollama", "nomic-embed-text", 768)


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.0, 0.95))
def test_calibration_keeps_the_order_and_stays_within_0_and_1(one, other, floor):
    """B7, L1, X13: thresholds mean what they say"""
    low, high = sorted((one, other))
    stretch = Calibration(floor).apply
    assert 0.0 <= stretch(low) <= stretch(high) <= 1.0


@pytest.mark.parametrize(("cosine", "calibrated"), [(1.0, 1.0), (0.7, 0.0), (0.85, 0.5), (0.2, 0.0), (1.01, 1.0)])
def test_calibration_stretches_the_band_between_unrelated_and_same(cosine, calibrated):
    """B7"""
    assert Calibration(0.7).apply(cosine) == pytest.approx(calibrated)


@given(st.floats(0.0, 1.0))
def test_without_calibration_a_cosine_is_itself(cosine):
    """C4"""
    assert Calibration().apply(cosine) == cosine


@pytest.mark.parametrize("change", [{"provider": "openai"}, {"model": "m"}, {"dimension": 384}, {"prefixes": "q: "},
                                    {"endpoint": "e"}])  # fmt: skip
def test_another_model_dimension_prefix_or_endpoint_is_another_space(change):
    """B13, B18, DESIGN 3"""
    assert replace(SPACE, **change).key != SPACE.key
    assert replace(SPACE).key == SPACE.key


def test_calibration_does_not_change_the_space():
    """DESIGN 3: the vectors are the same"""
    assert replace(SPACE, calibration=Calibration(0.7)).key == SPACE.key


floats = st.floats(-1_000, 1_000, width=32)


@given(arrays(np.float32, 16, elements=floats))
def test_a_unit_vector_has_length_one(vector):
    """B18: the zero vector stays as it is"""
    length = float(np.linalg.norm(unit(vector)))
    assert length == pytest.approx(1.0, abs=1e-3) or not np.linalg.norm(vector) > 1e-18


@given(st.integers(1, 200), st.integers(0, 12), st.randoms(use_true_random=False))
def test_hamming_counts_the_bits_that_differ(dimension, count, random):
    """B6: compared with the plain definition"""
    rng = np.random.default_rng(random.randint(0, 2**32))
    vectors = rng.normal(size=(count, dimension)).astype(np.float32)
    query, centre = rng.normal(size=dimension).astype(np.float32), rng.normal(size=dimension).astype(np.float32)
    codes, code = sign_codes(vectors, centre), sign_codes(query, centre)
    naive = [int(((vector > centre) != (query > centre)).sum()) for vector in vectors]
    assert hamming(codes, code).tolist() == naive
    assert hamming(np.asfortranarray(codes.view(np.uint64)), code).tolist() == naive
    assert code.shape == (code_bytes(dimension),)
    assert codes.shape == (count, code_bytes(dimension))
