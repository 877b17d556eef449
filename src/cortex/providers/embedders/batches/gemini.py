"""Gemini's Batch API, by Google's SDK: a file of requests is uploaded, and answered within a day as another file.

The SDK calls this part of itself experimental. It takes the requests of a small job also inline; a file bears a name
for each text, so that the order of the answers does not matter.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import Any

from cortex.providers.embedders import batches
from cortex.providers.embedders.batch_embedder import BatchProgress, BatchState

MAX_TEXTS = 5_000
"""Our own limit: the SDK hands out an answer whole, and 3072 numbers take 50 KB as text."""
MAX_BYTES = 2_000_000_000
TASK_TYPE = "RETRIEVAL_DOCUMENT"

_STATES = {
    "JOB_STATE_SUCCEEDED": BatchState.DONE,
    "JOB_STATE_PARTIALLY_SUCCEEDED": BatchState.DONE,  # collecting shows what is absent
    "JOB_STATE_FAILED": BatchState.FAILED,
    "JOB_STATE_EXPIRED": BatchState.EXPIRED,
    "JOB_STATE_CANCELLED": BatchState.CANCELLED,
}


class GeminiBatches(batches.FileBatches):
    """Jobs of one model. `client` is a `google.genai.Client`; each request has a `timeout` of its own."""

    who = "Gemini"
    name_as = "key"

    def __init__(
        self,
        client: Any,
        model: str,
        dimensions: int | None = None,
        task_type: str | None = TASK_TYPE,
        *,
        timeout: float = batches.TIMEOUT_SECONDS,
        max_texts: int = MAX_TEXTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        super().__init__(max_texts, max_bytes)
        self._client = client
        self._within = {"http_options": {"timeout": max(1, int(timeout * 1000))}}
        self._model = model
        self._options: dict[str, Any] = {"model": model if model.startswith("models/") else f"models/{model}"}
        if task_type is not None:
            self._options["taskType"] = task_type
        if dimensions is not None:
            self._options["outputDimensionality"] = dimensions

    def _body(self, text: str) -> dict[str, Any]:
        return {"request": {**self._options, "content": {"parts": [{"text": text}]}}}

    def _upload(self, content: bytes) -> object:
        how = {"mime_type": batches.MIME_TYPE, "display_name": batches.FILE_NAME, **self._within}
        return self._client.files.upload(file=io.BytesIO(content), config=how).name

    def _progress(self, job: str) -> BatchProgress:
        state = self._client.batches.get(name=job, config=self._within).state
        found = _STATES.get(getattr(state, "name", ""), BatchState.WAITING)
        total = self._sent[job].texts
        return BatchProgress(found, total if found is BatchState.DONE else 0, total)  # it counts nothing on the way

    def _answer_files(self, job: str) -> list[str]:
        target = self._client.batches.get(name=job, config=self._within).dest
        return [batches.identified(self.who, "answers of a batch", getattr(target, "file_name", None))]

    def _lines(self, file: str) -> Iterator[Any]:
        return batches.read(io.BytesIO(self._client.files.download(file=file, config=self._within)))

    def _take(self, line: object, answers: batches.Answers) -> None:
        answers.take(batches.found(line, "key"), batches.found(line, "response", "embedding", "values"))

    def _cancel(self, job: str) -> None:
        self._client.batches.cancel(name=job, config=self._within)

    def _begin(self, file: str) -> object:
        with warnings.catch_warnings():
            # So narrow that it does no harm where two threads restore the filters in the wrong order.
            warnings.filterwarnings("ignore", message=r"batches\.create_embeddings\(\) is experimental")
            how = {"display_name": batches.FILE_NAME, **self._within}
            return self._client.batches.create_embeddings(model=self._model, src={"file_name": file}, config=how).name

    def _remove(self, file: str) -> None:
        self._client.files.delete(name=file, config=self._within)
