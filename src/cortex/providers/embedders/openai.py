"""OpenAI's embeddings, and every server that speaks like it (llama.cpp, vLLM, LM Studio, TEI), by OpenAI's SDK."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from cortex.providers.embedders import batch_embedder, remote
from cortex.providers.embedders.batches.openai import OpenAIBatches
from cortex.providers.embedders.remote import Model, Options, RequestFailure, Role, Row
from cortex.providers.llms import sdks

MODELS: Mapping[str, Model] = MappingProxyType(
    {
        "text-embedding-3-small": Model(1536),
        "text-embedding-3-large": Model(3072),
        "text-embedding-ada-002": Model(1536),
    }
)
VENDOR = remote.EmbeddingVendor(
    name="openai",
    who="OpenAI",
    sdk="openai",
    model="text-embedding-3-small",
    known=lambda name: MODELS.get(name) or remote.open_model(name),
    address="https://api.openai.com/v1",
    texts_at_once=2_048,
    variables=("OPENAI_API_KEY",),
    options=("headers", batch_embedder.OPTION),
    has_own_servers=True,
)


class OpenaiApi:
    """The embeddings API as OpenAI's SDK speaks it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._client = sdks.SdkClient(self._open)

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:  # noqa: ARG002 - the API knows no roles
        request: dict[str, Any] = {"model": self._options.name, "input": texts, "encoding_format": "float"}
        if self._options.resized_to:
            request["dimensions"] = self._options.resized_to
        answer = self._client().embeddings.create(**request, timeout=seconds)
        return [(each.index, each.embedding) for each in answer.data]

    def jobs(self) -> OpenAIBatches:
        """Its batch service, through the same client."""
        return OpenAIBatches(self._client(), self._options.name, self._options.resized_to)

    def failure(self, error: Exception) -> RequestFailure:
        status = getattr(error, "status_code", None)
        return remote.answered(status, remote.headers_of(error)) if status else remote.broken_off(error)

    def close(self) -> None:
        self._client.close()

    def _open(self) -> Any:
        key, endpoint = self._options.key, self._options.endpoint
        openai = self._options.sdk()
        sdks.keep_requests_out_of_the_log("openai")
        try:
            return openai.OpenAI(
                api_key=key, base_url=endpoint.url, default_headers=dict(endpoint.headers), max_retries=0
            )
        except openai.OpenAIError:
            raise self._options.no_key() from None


create = partial(batch_embedder.create, VENDOR, OpenaiApi)
"""Embeddings of OpenAI, or of the server at `base_url`. A server of one's own gets the key named for it, or none.

OPENAI_BASE_URL is not read: another server would make other vectors under the same name.
"""
