"""OpenAI's Batch API, by its SDK: a file of requests is uploaded, and answered within a day as another file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cortex.providers.embedders import batches
from cortex.providers.embedders.batch_embedder import BatchProgress

ENDPOINT = "/v1/embeddings"
WINDOW = "24h"
MAX_TEXTS = 50_000
MAX_BYTES = 200_000_000


class OpenAIBatches(batches.FileBatches):
    """Jobs of one model. `client` is an `openai.OpenAI`; each request has a `timeout` of its own, and one try."""

    who = "OpenAI"

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
        super().__init__(max_texts, max_bytes)
        self._client = client.with_options(timeout=timeout, max_retries=0)
        self._options: dict[str, Any] = {"model": model, "encoding_format": "float"}
        if dimensions is not None:
            self._options["dimensions"] = dimensions

    def _body(self, text: str) -> dict[str, Any]:
        return {"method": "POST", "url": ENDPOINT, "body": {**self._options, "input": text}}

    def _upload(self, content: bytes) -> object:
        uploaded = self._client.files.create(file=(batches.FILE_NAME, content, batches.MIME_TYPE), purpose="batch")
        return getattr(uploaded, "id", None)

    def _begin(self, file: str) -> object:
        begun = self._client.batches.create(input_file_id=file, endpoint=ENDPOINT, completion_window=WINDOW)
        return getattr(begun, "id", None)

    def _progress(self, job: str) -> BatchProgress:
        batch = self._client.batches.retrieve(job)
        counts = getattr(batch, "request_counts", None)
        numbers = [getattr(counts, name, None) for name in ("completed", "failed", "total")]
        errors = getattr(getattr(batch, "errors", None), "data", None)
        reason = getattr(errors[0], "code", None) if isinstance(errors, list) and errors else None
        return batches.progress(getattr(batch, "status", None), numbers, reason)

    def _answer_files(self, job: str) -> Iterator[str]:
        batch = self._client.batches.retrieve(job)
        # What failed stands in a file of its own, in the same form.
        return filter(None, (getattr(batch, name, None) for name in ("output_file_id", "error_file_id")))

    def _cancel(self, job: str) -> None:
        self._client.batches.cancel(job)

    def _lines(self, file: str) -> Iterator[Any]:
        # Streamed: as text, the vectors of a full job take a gigabyte.
        with self._client.files.with_streaming_response.content(file) as response:
            yield from batches.read(response.iter_bytes())

    def _remove(self, file: str) -> None:
        self._client.files.delete(file)
