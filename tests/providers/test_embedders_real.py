"""A real embedding server that is not ours, llama.cpp's, through the openai embedder, and when it is gone (C6)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import llama_server
import numpy as np
import pytest
from embedding_servers import LLAMA_DIMENSION, LlamaEmbeddingServer

from cortex import Cortex
from cortex.errors import EmbedderUnavailable, ModelUnavailable
from cortex.providers.embedders import openai
from cortex.providers.embedders.remote import Patience, RemoteEmbedder

TEXTS = ["The deploy key rotates on Mondays.", "Ada plays the cello in Lisbon.", "La mer est calme ce soir."]


@pytest.fixture(scope="module")
def gguf() -> Path:
    if not llama_server.installed():
        pytest.skip("xllamacpp is not installed: it has no wheel for every platform")
    try:
        return llama_server.model(Path(os.environ["CORTEX_MODELS"]))
    except ModelUnavailable as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"the model is not here and cannot be fetched: {error}")


@pytest.fixture(scope="module")
def server(gguf: Path) -> Iterator[LlamaEmbeddingServer]:
    running = LlamaEmbeddingServer(gguf)
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def embedder(server: LlamaEmbeddingServer, dimensions: int = LLAMA_DIMENSION) -> RemoteEmbedder:
    options = {"base_url": server.base_url, "model": "smollm2", "dimensions": dimensions}
    return openai.create(options, Path("models"), patience=Patience(sleep=lambda _: None))


def test_a_real_server_answers_unit_vectors_in_order(server: LlamaEmbeddingServer) -> None:
    """C6: an HTTP embedding server that is not ours"""
    made = embedder(server)
    vectors = made.embed_documents(TEXTS)
    assert [vector.shape for vector in vectors] == [(LLAMA_DIMENSION,)] * 3
    assert [float(np.linalg.norm(vector)) for vector in vectors] == pytest.approx([1.0] * 3, abs=1e-5)
    alone = [made.embed_query(text) for text in TEXTS]
    likeness = np.array(alone) @ np.array(vectors).T
    assert list(likeness.argmax(axis=1)) == [0, 1, 2], "each text is likest to itself"
    assert likeness.diagonal().min() > 0.999
    made.close()


def test_the_same_text_always_gets_the_same_vector(server: LlamaEmbeddingServer) -> None:
    """C6"""
    first, second = embedder(server), embedder(server)
    assert np.array_equal(first.embed_query(TEXTS[0]), second.embed_query(TEXTS[0]))
    assert first.space == second.space
    assert first.trouble(thorough=True) is None
    first.close()
    second.close()


def test_a_dimension_that_is_not_the_servers_is_told(server: LlamaEmbeddingServer) -> None:
    """C6, L6"""
    made = embedder(server, dimensions=768)
    with pytest.raises(EmbedderUnavailable, match="576 numbers for smollm2, not of 768") as caught:
        made.embed_query(TEXTS[0])
    assert "embedding.options.dimensions" in caught.value.hint
    made.close()


@pytest.mark.slow
def test_search_goes_on_by_words_when_the_server_is_gone(gguf: Path, tmp_path: Path) -> None:
    """C6"""
    doomed = LlamaEmbeddingServer(gguf)
    made = embedder(doomed)
    with Cortex(tmp_path, embedder=made, settings={"embedding": {"cache_entries": 0}}) as memory:
        memory.remember(TEXTS[0])
        assert "vector" in memory.recall("deploy key").hits[0].legs
        doomed.kill()
        with pytest.raises(EmbedderUnavailable, match=r"the server at 127\.0\.0\.1:\d+ cannot be reached"):
            made.embed_query(TEXTS[0])
        found = memory.recall("deploy key")
        assert found.hits[0].legs == ("keyword",)
    made.close()
