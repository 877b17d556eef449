"""OpenAI's Batch API, by its SDK: a file of requests is uploaded, and answered within a day as another file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.providers.embedders import batches
from cortex.providers.embedders.batch_embedder import BatchProgress

ENDPOINT = "/v1/embeddings"
WINDOW = "24h"
MAX_TEXTS = 50_000
MAX_BYTES = 200_000_000
_WHO = "OpenAI"


class OpenAIBatches:
    """Jobs of one model. `client` is an `openai.OpenAI`; each request has a `timeout` of its own, and one try."""

    def __init__(
        self,
        client: Any,
        model: str,
        dimensions: int | None = None,
        *,
        timeout: float = batches.TIMEOUT_SECONDS,
        max_texts: int = MAX_TEXTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._client = client.with_options(timeout=timeout, max_retries=0)
        self._options: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if dimensions is not None:
            self._options["dimensions"] = dimensions
        self.max_texts = max_texts
        self.max_bytes = max_bytes
        self._sent: dict[str, batches.Sent] = {}

    def submit(self, texts: Sequence[str]) -> str:
        content = batches.written(
            {"method": "POST", "url": ENDPOINT, "body": {**self._options, "input": text}} for text in texts
        )
        with batches.asking(_WHO, "did not take the texts of a batch"):
            uploaded = self._client.files.create(file=(batches.FILE_NAME, content, batches.MIME_TYPE), purpose="batch")
            file = batches.identified(_WHO, "file of a batch", getattr(uploaded, "id", None))
        try:
            with batches.asking(_WHO, "did not begin a batch"):
                begun = self._client.batches.create(input_file_id=file, endpoint=ENDPOINT, completion_window=WINDOW)
                job = batches.identified(_WHO, "batch", getattr(begun, "id", None))
        except EmbedderUnavailable:
            self._delete({file})
            raise
        self._sent[job] = batches.Sent(len(texts), {file})
        return job

    def poll(self, job: str) -> BatchProgress:
        with batches.asking(_WHO, "did not tell how a batch stands"):
            batch = self._client.batches.retrieve(job)
            counts = getattr(batch, "request_counts", None)
            numbers = [getattr(counts, name, None) for name in ("completed", "failed", "total")]
            errors = getattr(getattr(batch, "errors", None), "data", None)
            reason = getattr(errors[0], "code", None) if isinstance(errors, list) and errors else None
            return batches.progress(getattr(batch, "status", None), numbers, reason)

    def collect(self, job: str) -> list[Vector]:
        sent = self._sent[job]
        answers = batches.Answers(_WHO, sent.texts)
        with batches.asking(_WHO, "did not hand out the vectors of a batch"):
            batch = self._client.batches.retrieve(job)
            # What failed stands in a file of its own, in the same form.
            files = [getattr(batch, name, None) for name in ("output_file_id", "error_file_id")]
            for file in filter(None, files):
                sent.files.add(file)
                for line in self._lines(file):
                    answers.take_line(line)
        return answers.vectors()

    def cancel(self, job: str) -> None:
        with batches.asking(_WHO, "did not cancel a batch"):
            self._client.batches.cancel(job)

    def discard(self, job: str) -> None:
        if sent := self._sent.pop(job, None):
            self._delete(sent.files)

    def _lines(self, file: str) -> Iterator[Any]:
        # Streamed: as text, the vectors of a full job take a gigabyte.
        with self._client.files.with_streaming_response.content(file) as response:
            yield from batches.read(response.iter_bytes())

    def _delete(self, files: set[str]) -> None:
        for file in files:
            with suppress(Exception):  # it expires by itself
                self._client.files.delete(file)
