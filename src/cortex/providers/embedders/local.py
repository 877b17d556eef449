"""Embedding on this machine's processor: e5-small-v2, int8, by default, or a model of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable, EngineError, InvalidRequest, ModelUnavailable, ProviderError
from cortex.ports.embedder import Embedder
from cortex.providers.embedders.none import NoEmbedder
from cortex.providers.models import EMBEDDER
from cortex.providers.onnx import OnnxModel, worker_option

QUERY_PREFIX = "query: "
PASSAGE_PREFIX = "passage: "

SPACE = EmbeddingSpace(
    provider="local",
    model=EMBEDDER.name,
    dimension=384,
    prefixes=f"{QUERY_PREFIX}|{PASSAGE_PREFIX}",
    calibration=Calibration(floor=0.70),
    latin_only=True,
)


def create(options: Mapping[str, Any], models: Path) -> Embedder:
    """The local embedder on a model under `models`.

    Options: `model`, one that `cortex models add` put there, and `workers`, the threads for documents.
    """
    workers = worker_option(options, "local", also=("model",))
    name = options.get("model", EMBEDDER.name)
    if not isinstance(name, str) or not name:
        raise InvalidRequest("is not a name", field="embedding.options.model", hint="see `cortex models list`")
    if name == EMBEDDER.name:
        return LocalEmbedder(OnnxModel(EMBEDDER, models, "last_hidden_state", workers))
    return _own(models, name, workers)


def _own(models: Path, name: str, workers: int | None) -> Embedder:
    from cortex.providers.own_models import TOKENIZER, named

    try:
        model = named(models, name)
    except ModelUnavailable as error:
        return NoEmbedder(error, EmbeddingSpace(provider="local", model="", dimension=0))
    speech = model.speech

    def tokens(folder: Path) -> Any:
        from cortex.providers.tokenizer_file import TokenizerFile

        return TokenizerFile(folder / TOKENIZER, speech.max_tokens)

    space = EmbeddingSpace(
        provider="local",
        model=model.identity,
        dimension=model.dimension,
        prefixes=speech.prefixes,
        unread=frozenset(model.unread),
    )
    return LocalEmbedder(
        OnnxModel(model.pinned, models, model.output, workers, tokens),
        space,
        (speech.query_prefix, speech.passage_prefix),
        speech.pooling.of,
    )


def _mean(tokens: NDArray[np.float32]) -> NDArray[np.float32]:
    mean: NDArray[np.float32] = tokens.mean(axis=0)
    return mean


class LocalEmbedder:
    """Unit vectors from a model's token vectors. The same text always gets the same vector."""

    def __init__(
        self,
        model: OnnxModel,
        space: EmbeddingSpace = SPACE,
        prefixes: tuple[str, str] = (QUERY_PREFIX, PASSAGE_PREFIX),
        pooled: Callable[[NDArray[np.float32]], NDArray[np.float32]] = _mean,
    ) -> None:
        self._model = model
        self._space = space
        self._query_prefix, self._passage_prefix = prefixes
        self._pooled = pooled

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def embed_query(self, text: str) -> Vector:
        return self._embed(self._query_prefix + text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        # The longest first, so that no thread is left alone with a long text at the end.
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        vectors = self._model.each(self._embed, [self._passage_prefix + texts[at] for at in order])
        return [vector for _, vector in sorted(zip(order, vectors, strict=True), key=lambda pair: pair[0])]

    def begin_loading(self) -> None:
        """Load the model beside whatever is done next."""
        self._model.begin_loading()

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        return self._model.trouble(thorough=thorough)

    def _embed(self, prefixed: str) -> Vector:
        try:
            tokens = self._model.run(prefixed)[0]
        except ModelUnavailable:
            raise
        except ProviderError as error:
            raise EmbedderUnavailable(error.message, hint=error.hint) from error
        pooled = self._pooled(tokens)
        length = float(np.linalg.norm(pooled))
        if pooled.shape != (self._space.dimension,) or not 0.0 < length < float("inf"):
            raise EmbedderUnavailable("the local model answered no usable vector", hint="run `cortex models verify`")
        vector: Vector = pooled / np.float32(length)
        return vector
