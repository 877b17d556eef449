"""Google's Gemini embeddings, by Google's SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from cortex.domain.modality import Medium
from cortex.providers.embedders import batch_embedder, remote, remote_media
from cortex.providers.embedders.batches.gemini import GeminiBatches
from cortex.providers.embedders.remote import Model, Options, RequestFailure, Role, Row
from cortex.providers.llms import sdks

MODELS: Mapping[str, Model] = MappingProxyType({"gemini-embedding-001": Model(3072)})
TASKS: Mapping[Role, str] = MappingProxyType({"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"})
VENDOR = remote.EmbeddingVendor(
    name="gemini",
    who="Google",
    sdk="google.genai",
    model="gemini-embedding-001",
    known=MODELS.get,
    address="https://generativelanguage.googleapis.com",
    texts_at_once=100,
    variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    options=("headers", batch_embedder.OPTION),
    roles=(TASKS["query"], TASKS["document"]),
)


class GeminiApi:
    """The Gemini API as Google's SDK speaks it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._client = sdks.SdkClient(self._open)

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:
        return self._embedded([{"text": text} for text in texts], seconds, task_type=TASKS[role])

    def _embedded(self, parts: list[Any], seconds: float, **config: Any) -> list[Row]:
        config["http_options"] = {"timeout": max(1, int(seconds * 1000))}
        if self._options.resized_to:
            config["output_dimensionality"] = self._options.resized_to
        # Each part in a content of its own: bare ones are taken together by some models, as one.
        contents = [{"parts": [part]} for part in parts]
        answer = self._client().models.embed_content(model=self._options.name, contents=contents, config=config)
        return [(place, each.values) for place, each in enumerate(answer.embeddings)]

    def jobs(self) -> GeminiBatches:
        """Its batch service, through the same client."""
        return GeminiBatches(self._client(), self._options.name, self._options.resized_to, TASKS["document"])

    def failure(self, error: Exception) -> RequestFailure:
        status = getattr(error, "code", None)
        if not isinstance(status, int):
            return remote.broken_off(error)
        # Google answers 400 to a key it does not know, and says so inside.
        if status == 400 and "API_KEY_INVALID" in str(getattr(error, "details", "")):
            status = 401
        return remote.answered(status, remote.headers_of(error))

    def close(self) -> None:
        self._client.close()

    def _open(self) -> Any:
        endpoint = self._options.endpoint
        http = {"base_url": endpoint.url, "headers": dict(endpoint.headers), "retry_options": {"attempts": 1}}
        genai = self._options.sdk()
        try:
            return genai.Client(api_key=self._options.key, vertexai=False, http_options=http)
        except ValueError:
            raise self._options.no_key() from None


create = partial(batch_embedder.create, VENDOR, GeminiApi)
"""Embeddings of Gemini; `dimensions` shortens them."""


# --- pictures, recordings, videos and PDF files -----------------------------------------------------------------------

ACCEPTS = frozenset(
    {"image/png", "image/jpeg", "audio/mpeg", "audio/wav", "video/mp4", "video/quicktime", "application/pdf"}
)
_OF_MEDIA = Model(3072, query_prefix="task: search result | query: ")
MEDIA_MODELS: Mapping[str, Model] = MappingProxyType(
    dict.fromkeys(("gemini-embedding-2", "gemini-embedding-2-preview"), _OF_MEDIA)
)
MEDIA_VENDOR = replace(
    VENDOR, model="gemini-embedding-2", known=MEDIA_MODELS.get, texts_at_once=1, options=("headers",), roles=("", "")
)


class GeminiMediaApi(GeminiApi):
    """The same API with a model that knows no tasks: what a text is for stands before it."""

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:  # noqa: ARG002
        return self._embedded([{"text": text} for text in texts], seconds)

    def embed_medium(self, medium: Medium, seconds: float) -> list[Row]:
        part = self._options.sdk().types.Part.from_bytes(data=medium.data, mime_type=medium.media_type)
        return self._embedded([part], seconds)


create_media = partial(remote_media.create, MEDIA_VENDOR, GeminiMediaApi, ACCEPTS)
"""Embeddings of media by Gemini; `dimensions` shortens them."""
