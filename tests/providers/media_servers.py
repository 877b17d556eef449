"""Loopback servers that speak the multimodal protocols: they see what a picture shows because they were told."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from model_server import ModelServer, Reply

DIMENSION = 256


def png(name: str) -> bytes:
    """The bytes of a picture that nobody has seen before."""
    return b"\x89PNG\r\n\x1a\n" + name.encode() * 20


def mp3(name: str) -> bytes:
    return b"ID3\x04\x00" + name.encode() * 20


class MediaServer(ModelServer):
    """Embeds texts by their words, and media by the words it was told that they show.

    `refuse` are the bytes that it cannot read, and `status` is how it fails, if it does. `media` and `texts` keep what
    it was asked to embed.
    """

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self.shows: dict[bytes, str] = {}
        self.refuse: set[bytes] = set()
        self.status = 0
        self.hangs = False
        self.media: list[tuple[str, bytes]] = []
        self.texts: list[str] = []
        super().__init__()
        self.behave = self._embed

    def options(self) -> dict[str, Any]:
        base = self.address + ("/v1" if self.provider == "voyage" else "")
        return {"api_key": "key-1", "base_url": base, "dimensions": DIMENSION}

    def _embed(self, request: dict[str, Any]) -> Reply:
        if self.hangs:
            return Reply(hang=True)
        if self.status:
            body = {"error": {"code": self.status, "message": "no", "status": "X"}}
            return Reply(status=self.status, body=json.dumps(body).encode())
        rows = []
        for part in self._parts(request):
            if isinstance(part, str):
                self.texts.append(part)
                rows.append(_of_words(part))
                continue
            if part[1] in self.refuse:
                error = {"error": {"code": 400, "message": "bad image", "status": "INVALID_ARGUMENT"}, "detail": "bad"}
                return Reply(status=400, body=json.dumps(error).encode())
            self.media.append(part)
            rows.append(_of_words(self.shows[part[1]]))
        return Reply(body=json.dumps(self._answer(rows)).encode())

    def _parts(self, request: dict[str, Any]) -> Iterator[str | tuple[str, bytes]]:
        if self.provider == "gemini":
            for each in request["requests"]:
                (part,) = each["content"]["parts"]
                # The SDK writes the names of the protocol buffer, which Google's JSON takes as well.
                inline = part.get("inline_data")
                yield (inline["mime_type"], base64.b64decode(inline["data"])) if inline else part["text"]
            return
        for each in request["inputs"]:
            (part,) = each["content"]
            if part["type"] == "text":
                yield part["text"]
            else:
                about, _, data = part[part["type"]].partition(";base64,")
                yield about.removeprefix("data:"), base64.b64decode(data)

    def _answer(self, rows: list[list[float]]) -> Any:
        if self.provider == "gemini":
            return {"embeddings": [{"values": row} for row in rows]}
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        usage = {"text_tokens": 1, "image_pixels": 1, "video_pixels": 0, "total_tokens": 2}
        return {"object": "list", "data": data, "model": "small", "usage": usage}


@contextmanager
def media_server(provider: str) -> Iterator[MediaServer]:
    server = MediaServer(provider)
    try:
        yield server
    finally:
        server.close()


def _of_words(text: str) -> list[float]:
    """Texts that share words are near, and others nearly at right angles."""
    vector = np.full(DIMENSION, 0.01)
    for word in re.findall(r"[a-z]{3,}", text.lower().partition("query: ")[2] or text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4]) % DIMENSION] += 1.0
    return [float(each) for each in vector]
