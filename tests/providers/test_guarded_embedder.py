from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable, ModelUnavailable, ProviderMissing
from cortex.providers.embedders.guard import PAUSE_SECONDS, GuardedEmbedder
from cortex.testing import FakeClock, FakeEmbedder


class Answering:
    """An embedder that answers these vectors whatever it is asked."""

    space = EmbeddingSpace("fake", "answering", 3)

    def __init__(self, *vectors: Sequence[float]) -> None:
        self._vectors = [np.array(vector, np.float32) for vector in vectors]

    def embed_query(self, text: str) -> Vector:
        return self._vectors[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return self._vectors


def test_a_long_input_is_cut_to_head_and_tail() -> None:
    """E13: 6000 characters, head 500."""
    inner = FakeEmbedder()
    guarded = GuardedEmbedder(inner, FakeClock())
    text = "H" * 500 + "m" * 10_000 + "T" * 500
    guarded.embed_query(text)
    guarded.embed_documents([text, "short"])
    for seen in (inner.queries[0], inner.documents[0]):
        assert len(seen) == 6_000
        assert seen.startswith("H" * 500)
        assert seen.endswith("T" * 500)
    assert inner.documents[1] == "short"


def test_the_limits_of_an_input_can_be_set_also_in_bytes() -> None:
    """E13: an optional byte cap."""
    inner = FakeEmbedder()
    GuardedEmbedder(inner, FakeClock(), max_chars=100, head_chars=20, max_bytes=40).embed_query("ü" * 500)
    assert len(inner.queries[0].encode()) <= 40


def test_vectors_are_scaled_to_unit_length() -> None:
    """B18: normalised, whatever the provider answers."""
    vector = GuardedEmbedder(Answering([3.0, 0.0, 4.0]), FakeClock()).embed_query("x")
    assert vector.tolist() == pytest.approx([0.6, 0.0, 0.8])


@pytest.mark.parametrize(
    "vector", [[1.0, 0.0], [float("nan"), 0.0, 1.0], [float("inf"), 0.0, 1.0], [0.0, 0.0, 0.0]], ids=str
)
def test_a_vector_that_cannot_be_compared_is_no_vector(vector: list[float]) -> None:
    """B18: wrong size, NaN, infinity and zero are failures of the provider."""
    guarded = GuardedEmbedder(Answering(vector), FakeClock())
    with pytest.raises(EmbedderUnavailable, match="vector"):
        guarded.embed_query("x")
    with pytest.raises(EmbedderUnavailable, match="vector"):
        guarded.embed_documents(["x"])


def test_a_provider_that_answers_too_few_vectors_is_unavailable() -> None:
    """B18: vectors are never paired with the wrong text."""
    with pytest.raises(EmbedderUnavailable, match="1 vectors for 2 texts"):
        GuardedEmbedder(Answering([1.0, 0.0, 0.0]), FakeClock()).embed_documents(["a", "b"])


@pytest.mark.parametrize("failure", [RuntimeError("secret text"), ProviderMissing("no such thing", hint="do this")])
def test_every_failure_is_the_same_failure(failure: Exception) -> None:
    """E13, C6: callers fail open on one class of error, and the text does not leak through it."""
    with pytest.raises(EmbedderUnavailable) as caught:
        GuardedEmbedder(FakeEmbedder(failure=failure), FakeClock()).embed_query("x")
    assert "secret text" not in str(caught.value)
    assert caught.value.__cause__ is failure


def test_two_failures_in_a_row_pause_the_provider() -> None:
    """C6: a broken embedder does not stall every recall."""
    clock, inner = FakeClock(), FakeEmbedder(failure=ModelUnavailable("model gone", hint="fetch it"))
    guarded = GuardedEmbedder(inner, clock)
    for _ in range(5):
        with pytest.raises(ModelUnavailable, match="model gone"):
            guarded.embed_query("x")
    assert len(inner.queries) == 2
    clock.advance(PAUSE_SECONDS)
    with pytest.raises(ModelUnavailable):
        guarded.embed_query("x")
    with pytest.raises(ModelUnavailable, match="not tried again yet"):
        guarded.embed_query("x")
    assert len(inner.queries) == 3


def test_a_provider_that_recovers_is_used_again() -> None:
    """C6: the pause ends with the first answer."""
    clock, inner = FakeClock(), FakeEmbedder()
    inner.fail()
    guarded = GuardedEmbedder(inner, clock)
    for _ in range(3):
        with pytest.raises(EmbedderUnavailable):
            guarded.embed_documents(["x"])
    inner.failure = None
    clock.advance(PAUSE_SECONDS)
    guarded.embed_query("x")
    inner.fail()
    with pytest.raises(EmbedderUnavailable):
        guarded.embed_query("x")
    inner.failure = None
    guarded.embed_query("one failure after an answer does not pause")


def test_no_texts_ask_nobody() -> None:
    inner = FakeEmbedder()
    inner.fail()
    assert GuardedEmbedder(inner, FakeClock()).embed_documents([]) == []
