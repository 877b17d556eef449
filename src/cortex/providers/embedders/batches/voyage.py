"""Voyage's Batch API: a file of requests is uploaded, and answered within half a day as another file.

Voyage's SDK (0.5) has no part for it. So this is a small client of our own on `requests`, which the SDK brings along;
the protocol is OpenAI's, but for the model and its options, which are sent once for the whole job.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from cortex.providers.embedders import batches
from cortex.providers.embedders.batch_embedder import BatchProgress

if TYPE_CHECKING:
    import requests

ENDPOINT = "/v1/embeddings"
WINDOW = "12h"
MAX_TEXTS = 50_000
MAX_BYTES = 200_000_000
"""Both are half of Voyage's own limits or less: the file of a job is put together in memory."""
_CHUNK_BYTES = 1 << 16


class VoyageBatches(batches.FileBatches):
    """Jobs of one model. Where no key or no address is given, they are those that Voyage's SDK would take.

    Each request has a `timeout` of its own, and one try. `headers` go along with each, beside the key.
    """

    who = "Voyage"

    def __init__(
        self,
        api_key: str | None,
        base_url: str | None,
        model: str,
        dimensions: int | None = None,
        *,
        input_type: str | None = "document",
        headers: Mapping[str, str] = MappingProxyType({}),
        timeout: float = batches.TIMEOUT_SECONDS,
        max_texts: int = MAX_TEXTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        super().__init__(max_texts, max_bytes)
        if api_key is None or base_url is None:
            from voyageai import util

            api_key = api_key or util.default_api_key()
            base_url = base_url or util.get_default_base_url(api_key)
        self._base_url = base_url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {api_key}", **headers}
        self._options: dict[str, Any] = {"model": model}
        if input_type is not None:
            self._options["input_type"] = input_type
        if dimensions is not None:
            self._options["output_dimension"] = dimensions
        self._timeout = timeout

    def _body(self, text: str) -> dict[str, Any]:
        return {"body": {"input": [text]}}

    def _upload(self, content: bytes) -> object:
        file = (batches.FILE_NAME, content, batches.MIME_TYPE)
        return batches.found(self._answer("POST", "files", data={"purpose": "batch"}, files={"file": file}), "id")

    def _begin(self, file: str) -> object:
        job = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": WINDOW}
        return batches.found(self._answer("POST", "batches", json={**job, "request_params": self._options}), "id")

    def _progress(self, job: str) -> BatchProgress:
        batch = self._answer("GET", "batches", job)
        counts = [batches.found(batch, "request_counts", name) for name in ("completed", "failed", "total")]
        reason = batches.found(batch, "errors", "data", 0, "code")
        return batches.progress(batches.found(batch, "status"), counts, reason)

    def _answer_files(self, job: str) -> Iterator[str]:
        batch = self._answer("GET", "batches", job)
        # What failed stands in a file of its own, in the same form.
        return filter(None, (batches.found(batch, name) for name in ("output_file_id", "error_file_id")))

    def _cancel(self, job: str) -> None:
        self._answer("POST", "batches", job, "cancel")

    def _remove(self, file: str) -> None:
        self._answer("DELETE", "files", file)

    def _answer(self, method: str, *path: str, **how: Any) -> Any:
        with self._asked(method, *path, **how) as response:
            return response.json()

    def _lines(self, file: str) -> Iterator[Any]:
        # Streamed: as text, the vectors of a full job take a gigabyte.
        with self._asked("GET", "files", file, "content", stream=True) as response:
            yield from batches.read(response.iter_content(_CHUNK_BYTES))

    def _asked(self, method: str, *path: str, **how: Any) -> requests.Response:
        import requests

        url = "/".join((self._base_url, *(quote(part, safe="") for part in path)))
        response = requests.request(method, url, auth=self._signed, timeout=self._timeout, **how)
        try:
            response.raise_for_status()
        except requests.HTTPError:
            response.close()
            raise
        return response

    def _signed(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        # Not as headers of the call: the key would give way there to an entry of the user's .netrc.
        request.headers.update(self._headers)
        return request
