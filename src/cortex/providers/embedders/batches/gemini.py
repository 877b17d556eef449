"""Gemini's Batch API, by Google's SDK: a file of requests is uploaded, and answered within a day as another file.

The SDK calls this part of itself experimental. It takes the requests of a small job also inline; a file bears a name
for each text, so that the order of the answers does not matter.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.providers.embedders import batches
from cortex.providers.embedders.batch_embedder import BatchProgress, BatchState

MAX_TEXTS = 5_000
"""Our own limit: the SDK hands out an answer whole, and 3072 numbers take 50 KB as text."""
MAX_BYTES = 2_000_000_000
TASK_TYPE = "RETRIEVAL_DOCUMENT"
_WHO = "Gemini"

_STATES = {
    "JOB_STATE_SUCCEEDED": BatchState.DONE,
    "JOB_STATE_PARTIALLY_SUCCEEDED": BatchState.DONE,  # collecting shows what is absent
    "JOB_STATE_FAILED": BatchState.FAILED,
    "JOB_STATE_EXPIRED": BatchState.EXPIRED,
    "JOB_STATE_CANCELLED": BatchState.CANCELLED,
}


class GeminiBatches:
    """Jobs of one model. `client` is a `google.genai.Client`; each request has a `timeout` of its own."""

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
        self._client = client
        self._within = {"http_options": {"timeout": max(1, int(timeout * 1000))}}
        self._model = model
        self._options: dict[str, Any] = {"model": model if model.startswith("models/") else f"models/{model}"}
        if task_type is not None:
            self._options["taskType"] = task_type
        if dimensions is not None:
            self._options["outputDimensionality"] = dimensions
        self.max_texts = max_texts
        self.max_bytes = max_bytes
        self._sent: dict[str, batches.Sent] = {}

    def submit(self, texts: Sequence[str]) -> str:
        requests = ({**self._options, "content": {"parts": [{"text": text}]}} for text in texts)
        content = batches.written(({"request": request} for request in requests), name_as="key")
        with batches.asking(_WHO, "did not take the texts of a batch"):
            uploaded = self._client.files.upload(
                file=io.BytesIO(content),
                config={"mime_type": batches.MIME_TYPE, "display_name": batches.FILE_NAME, **self._within},
            )
            file = batches.identified(_WHO, "file of a batch", uploaded.name)
        try:
            with batches.asking(_WHO, "did not begin a batch"):
                job = batches.identified(_WHO, "batch", self._begun(file).name)
        except EmbedderUnavailable:
            self._delete({file})
            raise
        self._sent[job] = batches.Sent(len(texts), {file})
        return job

    def poll(self, job: str) -> BatchProgress:
        with batches.asking(_WHO, "did not tell how a batch stands"):
            state = self._client.batches.get(name=job, config=self._within).state
        found = _STATES.get(getattr(state, "name", ""), BatchState.WAITING)
        total = self._sent[job].texts
        return BatchProgress(found, total if found is BatchState.DONE else 0, total)  # it counts nothing on the way

    def collect(self, job: str) -> list[Vector]:
        sent = self._sent[job]
        answers = batches.Answers(_WHO, sent.texts)
        with batches.asking(_WHO, "did not hand out the vectors of a batch"):
            target = self._client.batches.get(name=job, config=self._within).dest
            file = batches.identified(_WHO, "answers of a batch", getattr(target, "file_name", None))
            sent.files.add(file)
            content = self._client.files.download(file=file, config=self._within)
            for line in batches.read(io.BytesIO(content)):
                answers.take(batches.found(line, "key"), batches.found(line, "response", "embedding", "values"))
        return answers.vectors()

    def cancel(self, job: str) -> None:
        with batches.asking(_WHO, "did not cancel a batch"):
            self._client.batches.cancel(name=job, config=self._within)

    def discard(self, job: str) -> None:
        if sent := self._sent.pop(job, None):
            self._delete(sent.files)

    def _begun(self, file: str) -> Any:
        with warnings.catch_warnings():
            # So narrow that it does no harm where two threads restore the filters in the wrong order.
            warnings.filterwarnings("ignore", message=r"batches\.create_embeddings\(\) is experimental")
            return self._client.batches.create_embeddings(
                model=self._model,
                src={"file_name": file},
                config={"display_name": batches.FILE_NAME, **self._within},
            )

    def _delete(self, files: set[str]) -> None:
        for file in files:
            with suppress(Exception):  # it expires by itself
                self._client.files.delete(name=file, config=self._within)
