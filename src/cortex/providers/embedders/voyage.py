"""Voyage's embeddings, by Voyage's SDK."""

from __future__ import annotations

import base64
import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cortex.domain.modality import Medium, of_media_type
from cortex.providers.embedders import batch_embedder, remote, remote_media
from cortex.providers.embedders.batches.voyage import VoyageBatches
from cortex.providers.embedders.remote import Model, Options, RequestFailure, Role, Row

_OF_1024 = (
    "voyage-4-large voyage-4 voyage-4-lite voyage-3-large voyage-3.5 voyage-3.5-lite voyage-3 voyage-code-3"
    " voyage-finance-2 voyage-law-2"
)
MODELS: Mapping[str, Model] = {**dict.fromkeys(_OF_1024.split(), Model(1024)), "voyage-3-lite": Model(512)}
VENDOR = remote.EmbeddingVendor(
    name="voyage",
    who="Voyage",
    sdk="voyageai",
    model="voyage-4-large",
    known=MODELS.get,
    address="https://api.voyageai.com/v1",
    texts_at_once=1_000,
    variables=("VOYAGE_API_KEY", "VOYAGE_API_KEY_PATH"),
    options=(batch_embedder.OPTION,),
    roles=("query", "document"),
)


class VoyageApi:
    """Voyage's API as its SDK speaks it, one level below its client, which forgets the order of an answer."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:
        return self._embedded("Embedding", role, seconds, input=texts)

    def _embedded(self, resource: str, role: Role, seconds: float, **inputs: Any) -> list[Row]:
        voyageai = self._options.sdk()
        logging.getLogger("voyage").addFilter(_not_a_text)
        request: dict[str, Any] = {**inputs, "model": self._options.name, "input_type": role, "truncation": True}
        if self._options.resized_to:
            request["output_dimension"] = self._options.resized_to
        if self._options.endpoint.headers:
            request["headers"] = dict(self._options.endpoint.headers)
        try:
            answer = getattr(voyageai, resource).create(
                **request,
                api_key=self._options.key,
                # It has two addresses of its own, and knows by the key which one to use.
                base_url=None if self._options.at_vendor else self._options.endpoint.url,
                request_timeout=seconds,
            )
        except voyageai.error.AuthenticationError as error:
            if error.http_status is None:  # it never came to a request
                raise self._options.no_key() from None
            raise
        return [(each["index"], each["embedding"]) for each in answer.data]

    def jobs(self) -> VoyageBatches:
        """Its batch service, with the same key at the same address."""
        options = self._options
        return VoyageBatches(
            options.key,
            None if options.at_vendor else options.endpoint.url,
            options.name,
            options.resized_to,
            headers=options.endpoint.headers,
        )

    def failure(self, error: Exception) -> RequestFailure:
        status = getattr(error, "http_status", None)
        return remote.answered(status, getattr(error, "headers", {})) if status else remote.broken_off(error)

    def close(self) -> None:
        """Nothing is held open here: the SDK keeps one session for each thread."""


create = partial(batch_embedder.create, VENDOR, VoyageApi)
"""Embeddings of Voyage; `dimensions` shortens or lengthens them, to 256, 512, 1024 or 2048."""


# --- pictures and videos ----------------------------------------------------------------------------------------------

ACCEPTS = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "video/mp4"})
MEDIA_MODELS: Mapping[str, Model] = dict.fromkeys(("voyage-multimodal-3.5", "voyage-multimodal-3"), Model(1024))
MEDIA_VENDOR = replace(VENDOR, model="voyage-multimodal-3.5", known=MEDIA_MODELS.get, texts_at_once=1, options=())


class VoyageMediaApi(VoyageApi):
    """The resource of Voyage that takes texts, pictures and videos."""

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:
        return self._of([{"type": "text", "text": text} for text in texts], role, seconds)

    def embed_medium(self, medium: Medium, seconds: float) -> list[Row]:
        kind = f"{of_media_type(medium.media_type)}_base64"
        address = f"data:{medium.media_type};base64,{base64.b64encode(medium.data).decode()}"
        return self._of([{"type": kind, kind: address}], "document", seconds)

    def _of(self, parts: list[dict[str, str]], role: Role, seconds: float) -> list[Row]:
        return self._embedded("MultimodalEmbedding", role, seconds, inputs=[{"content": [part]} for part in parts])


create_media = partial(remote_media.create, MEDIA_VENDOR, VoyageMediaApi, ACCEPTS)
"""Embeddings of media by Voyage; `dimensions` as for texts."""


def _not_a_text(record: logging.LogRecord) -> bool:
    """The SDK logs every text it sends, and what the server says about it; none of that belongs into a log."""
    return record.levelno >= logging.WARNING
