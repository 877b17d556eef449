"""The default embedder: e5-small-v2, int8, on this machine's processor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable, EngineError, ModelUnavailable, ProviderError
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


def create(options: Mapping[str, Any], models: Path) -> LocalEmbedder:
    """The local embedder on the model under `models`. The only option is `workers`, the threads for documents."""
    return LocalEmbedder(OnnxModel(EMBEDDER, models, "last_hidden_state", worker_option(options, "local")))


class LocalEmbedder:
    """Unit vectors from the mean of e5's token vectors. The same text always gets the same vector."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    @property
    def space(self) -> EmbeddingSpace:
        return SPACE

    def embed_query(self, text: str) -> Vector:
        return self._embed(QUERY_PREFIX + text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        # The longest first, so that no thread is left alone with a long text at the end.
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        vectors = self._model.each(self._embed, [PASSAGE_PREFIX + texts[at] for at in order])
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
        mean = tokens.mean(axis=0)
        length = float(np.linalg.norm(mean))
        if mean.shape != (SPACE.dimension,) or not 0.0 < length < float("inf"):
            raise EmbedderUnavailable("the local model answered no usable vector", hint="run `cortex models verify`")
        vector: Vector = mean / np.float32(length)
        return vector
