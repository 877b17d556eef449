from __future__ import annotations

import builtins
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cortex.errors import EmbedderUnavailable, InvalidRequest, ModelUnavailable
from cortex.providers.embedders import local, none
from cortex.providers.models import EMBEDDER


@pytest.fixture(scope="module")
def embedder(models: Path) -> local.LocalEmbedder:
    return local.create({}, models)


@pytest.fixture
def copied_models(models: Path, tmp_path: Path) -> Path:
    """A models directory that a test may damage."""
    target = tmp_path / "models" / EMBEDDER.name
    target.mkdir(parents=True)
    for file in EMBEDDER.files:
        shutil.copy(models / EMBEDDER.name / file.name, target)
    return tmp_path / "models"


FACTS = [
    "The deploy key rotates on Mondays.",
    "My sister Anna lives in Lisbon and paints.",
    "Billing moved from MySQL to Postgres last spring.",
    "I am allergic to peanuts.",
]
QUESTIONS = [
    "when is the deploy key changed?",
    "where does my sister live?",
    "which database does the billing service use?",
    "which food is dangerous for me?",
]


def test_a_question_is_nearest_to_the_fact_that_answers_it(embedder: local.LocalEmbedder) -> None:
    """C6, B16: the local provider embeds queries and documents into one space."""
    documents = np.array(embedder.embed_documents(FACTS))
    for number, question in enumerate(QUESTIONS):
        assert int(np.argmax(documents @ embedder.embed_query(question))) == number


def test_calibrated_cosines_of_unrelated_texts_are_near_zero(embedder: local.LocalEmbedder) -> None:
    """B16: e5 squeezes cosines into a narrow band; the space says how to stretch it."""
    documents = np.array(embedder.embed_documents(FACTS))
    cosines = np.array([documents @ embedder.embed_query(question) for question in QUESTIONS])
    calibrated = np.vectorize(embedder.space.calibration.apply)(cosines)
    unrelated = calibrated[~np.eye(len(FACTS), dtype=bool)]
    assert unrelated.mean() < 0.12
    assert np.diag(calibrated).mean() > unrelated.mean() + 0.25


def test_vectors_are_float32_of_unit_length_and_of_the_dimension_of_the_space(embedder: local.LocalEmbedder) -> None:
    """B18: vectors are normalised to unit length."""
    for vector in [embedder.embed_query("hello"), *embedder.embed_documents(["", "💥", "a" * 20_000, "東京は晴れ"])]:
        assert vector.dtype == np.float32
        assert vector.shape == (embedder.space.dimension,)
        assert abs(float(np.linalg.norm(vector)) - 1.0) < 1e-5


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: local.LocalEmbedder) -> None:
    """B18: a cached vector must be the one a second embedding would give, bit for bit."""
    texts = [*FACTS, "long " * 300, *FACTS[:1]]
    together = embedder.embed_documents(texts)
    alone = [embedder.embed_documents([text])[0] for text in texts]
    for one, other in zip(together, alone, strict=True):
        assert np.array_equal(one, other)


def test_the_optimised_copy_gives_the_vectors_of_the_pinned_file(copied_models: Path) -> None:
    """C6: what is derived from the model changes nothing but the time to load it."""
    folder = copied_models / EMBEDDER.name
    first = local.create({}, copied_models).embed_query(QUESTIONS[0])
    assert list(folder.glob("optimised-*/weights.bin"))
    assert np.array_equal(first, local.create({}, copied_models).embed_query(QUESTIONS[0]))


def test_a_damaged_optimised_copy_is_made_anew(copied_models: Path) -> None:
    """C6: the pinned file decides; the copy is only a saving."""
    expected = local.create({}, copied_models).embed_query("hello")
    (weights,) = (copied_models / EMBEDDER.name).glob("optimised-*/weights.bin")
    whole = weights.stat().st_size
    with weights.open("r+b") as file:
        file.truncate(1000)
    assert np.array_equal(local.create({}, copied_models).embed_query("hello"), expected)
    assert weights.stat().st_size == whole


def test_a_models_directory_that_cannot_be_written_still_serves(
    copied_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C6: an operator may fetch once for everyone."""

    def refuse(*args: object, **kwargs: object) -> str:
        raise PermissionError("read only")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)  # root in a container may write anywhere
    assert local.create({}, copied_models).embed_query("hello").shape == (384,)
    assert not list((copied_models / EMBEDDER.name).glob("*optimis*"))


def test_queries_and_documents_are_told_apart(embedder: local.LocalEmbedder) -> None:
    """C6: e5 wants a prefix that says which of the two a text is."""
    assert not np.array_equal(embedder.embed_query("hello"), embedder.embed_documents(["hello"])[0])


def test_many_threads_may_share_one_embedder(models: Path) -> None:
    """C6: recall embeds from worker threads, and the first of them loads the model for all."""
    fresh = local.create({}, models)
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(fresh.embed_query, ["hello"] * 8))
    assert all(np.array_equal(vector, vectors[0]) for vector in vectors)


def test_no_texts_give_no_vectors(embedder: local.LocalEmbedder) -> None:
    assert embedder.embed_documents([]) == []


def test_an_absent_model_is_said_with_the_command_that_brings_it(tmp_path: Path) -> None:
    """B16: none works, so recall goes on with keywords alone; the error says how to mend it."""
    absent = local.create({}, tmp_path)
    with pytest.raises(ModelUnavailable, match="cortex models fetch"):
        absent.embed_query("hello")
    with pytest.raises(EmbedderUnavailable):
        absent.embed_documents(["hello", "there"])


@pytest.mark.parametrize("damage", ["truncated", "scrambled"])
def test_a_damaged_model_is_unavailable_and_not_a_crash(copied_models: Path, damage: str) -> None:
    """B16: a half-copied or overwritten file is named as such."""
    model = copied_models / EMBEDDER.name / "model.onnx"
    size = model.stat().st_size
    model.write_bytes(b"\x07" * (size if damage == "scrambled" else 1000))
    with pytest.raises(ModelUnavailable, match="cortex models"):
        local.create({}, copied_models).embed_query("hello")


def test_a_missing_runtime_is_said_with_the_extra_to_install(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B16: without the extra, recall goes on with keywords alone."""
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "onnxruntime":
            raise ImportError(name)
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(EmbedderUnavailable, match=r"memory-cortex\[local\]"):
        local.create({}, models).embed_query("hello")


def test_an_unknown_option_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="wrokers"):
        local.create({"wrokers": 2}, tmp_path)
    with pytest.raises(InvalidRequest, match="workers"):
        local.create({"workers": 0}, tmp_path)


def test_the_embedder_none_refuses_every_text(tmp_path: Path) -> None:
    """B16: keywords only, by choice."""
    off = none.create({}, tmp_path)
    assert off.space.dimension == 0
    assert off.embed_documents([]) == []
    with pytest.raises(EmbedderUnavailable, match="turned off"):
        off.embed_query("hello")
    with pytest.raises(EmbedderUnavailable, match="turned off"):
        off.embed_documents(["hello"])
