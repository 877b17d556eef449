"""One tree of sources under measurement, in a process of its own: recalls what it reads, and reports the cost.

python -m bench.against_process HOME MODELS      with the sources to measure on PYTHONPATH

Each line of input is a query and its scope; each line of output the processor time of all threads until the answer was
there and until its receipt was written, in milliseconds, and the answer.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

from bench.corpus import SyntheticEmbedder
from cortex import Cortex
from cortex.domain.vectors import Vector
from cortex.errors import EngineError
from cortex.ports.embedder import Embedder
from cortex.providers.embedders.local import create

LIMIT = 10
_SETTINGS = {"embedding": {"cache_entries": 0}}


class _Embedder(SyntheticEmbedder):
    """The vectors of the corpus, each query after as much work as the local model has with it."""

    def __init__(self, model: Embedder | None) -> None:
        super().__init__()
        self._model = model

    def embed_query(self, text: str) -> Vector:
        if self._model is not None:
            self._model.embed_query(text)
        return super().embed_query(text)


def _model(models: Path) -> Embedder | None:
    try:
        model = create({}, models)
        model.embed_query("warm")
    except EngineError:
        return None
    return model


def main() -> None:
    home, models = Path(sys.argv[1]), Path(sys.argv[2])
    model = _model(models)
    embedder = _Embedder(model)
    with Cortex(home, settings=_SETTINGS, embedder=embedder) as engine:
        run_due = getattr(engine, "run_due", None) or engine.attend  # type: ignore[attr-defined]  # in older revisions
        run_due()  # what either tree does once a day is not what is measured, here or where the store is served
        print(json.dumps({"model": model is not None}), flush=True)
        for number, line in enumerate(sys.stdin):
            text, scope = json.loads(line)
            SyntheticEmbedder.embed_query(embedder, text)  # made up beforehand: no model does this
            if number == 8:
                gc.collect()
                gc.freeze()
            print(json.dumps(_measured(engine, text, scope)), flush=True)


def _measured(engine: Cortex, text: str, scope: str | None) -> dict[str, Any]:
    began = time.process_time()
    found = engine.recall(text, scope=scope, limit=LIMIT)
    answered = time.process_time()
    settle = getattr(engine, "flush", None) or engine.settle  # type: ignore[attr-defined]  # in older revisions
    settle()
    settled = time.process_time()
    return {
        "answered": (answered - began) * 1e3,
        "settled": (settled - began) * 1e3,
        "answer": [[hit.trace.id, round(hit.score, 6)] for hit in found.hits],
    }


if __name__ == "__main__":
    main()
