"""The local reranker: ms-marco-MiniLM-L-12-v2, int8. About 20-35 ms of CPU for each short text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cortex.errors import EngineError, ProviderError, RerankerUnavailable
from cortex.ports.reranker import ScoreScale
from cortex.providers.models import RERANKER
from cortex.providers.onnx import OnnxModel, worker_option


def create(options: Mapping[str, Any], models: Path) -> LocalReranker:
    """The local reranker on the model under `models`. The only option is `workers`, the threads to use."""
    return LocalReranker(OnnxModel(RERANKER, models, "logits", worker_option(options, "local")))


class LocalReranker:
    """A cross-encoder's logits: comparable between the texts of one query, not between queries."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return f"local/{RERANKER.name}"

    @property
    def scale(self) -> ScoreScale:
        return ScoreScale.SCORE

    @property
    def least_seconds(self) -> float:
        return 0.0

    def trouble(self, *, thorough: bool = False) -> EngineError | None:
        return self._model.trouble(thorough=thorough)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score for each text, in order. Of a text that is too long the end is not read."""

        def score(text: str) -> float:
            return float(self._model.run(query, text)[0, 0])

        try:
            found = self._model.each(score, texts)
        except RerankerUnavailable:
            raise
        except ProviderError as error:
            raise RerankerUnavailable(error.message, hint=error.hint) from error
        if any(value != value or value in (float("inf"), float("-inf")) for value in found):
            raise RerankerUnavailable("the local reranker answered no usable score", hint="run `cortex models verify`")
        return found
