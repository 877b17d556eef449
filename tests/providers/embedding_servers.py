"""Loopback servers that speak each embedding protocol and misbehave as they are told to, and one real llama.cpp.

Run as a script it is llama.cpp's own server in embedding mode, which serves until its standard input ends.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import llama_server
import numpy as np
from model_server import ModelServer, Reply

Numbers = list[float]

# Vendors quote the request in their errors; what they quote must not reach ours.
QUOTED = "you said: my secret text, with key-1"


@dataclass(frozen=True)
class Protocol:
    """How one vendor asks, answers and fails."""

    base: str
    """What follows the host in the address that a client is given."""
    path: str
    """How the path of a request ends."""
    texts: Callable[[dict[str, Any]], list[str]]
    answer: Callable[[dict[str, Any], list[tuple[Any, Numbers]]], Any]
    error: Callable[[int], Any]


def _listed(request: dict[str, Any], rows: list[tuple[Any, Numbers]]) -> Any:
    def coded(numbers: Numbers) -> Any:
        floats = request.get("encoding_format") != "base64"
        return numbers if floats else base64.b64encode(np.asarray(numbers, np.float32).tobytes()).decode()

    data = [{"object": "embedding", "index": place, "embedding": coded(numbers)} for place, numbers in rows]
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 3, "total_tokens": 3}}


PROTOCOLS = {
    "openai": Protocol(
        base="/v1",
        path="/v1/embeddings",
        texts=lambda request: request["input"],
        answer=_listed,
        error=lambda status: {"error": {"message": QUOTED, "type": "some_error", "code": None}},
    ),
    "voyage": Protocol(
        base="/v1",
        path="/v1/embeddings",
        texts=lambda request: request["input"],
        answer=_listed,
        error=lambda status: {"detail": QUOTED},
    ),
    "ollama": Protocol(
        base="",
        path="/api/embed",
        texts=lambda request: request["input"],
        answer=lambda request, rows: {"model": "m", "embeddings": [numbers for _, numbers in rows]},
        error=lambda status: {"error": QUOTED},
    ),
    "gemini": Protocol(
        base="",
        path="/models/small:batchEmbedContents",
        texts=lambda request: [each["content"]["parts"][0]["text"] for each in request["requests"]],
        answer=lambda request, rows: {"embeddings": [{"values": numbers} for _, numbers in rows]},
        error=lambda status: {"error": {"code": status, "message": QUOTED, "status": "SOME_ERROR"}},
    ),
}


def numbers_of(text: str, dimension: int) -> Numbers:
    """The numbers a server answers for `text`: always the same, and not of unit length."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    return [float(number) for number in np.random.default_rng(seed).normal(scale=3.0, size=dimension)]


class EmbeddingServer(ModelServer):
    """Answers every request with the vectors of its texts, or as it is told; keeps the requests and their paths."""

    def __init__(self, provider: str, dimension: int) -> None:
        self.protocol = PROTOCOLS[provider]
        self.dimension = dimension
        self.paths: list[str] = []
        super().__init__()
        self.behave = self.good

    @property
    def base_url(self) -> str:
        return self.address + self.protocol.base

    def rows(self, request: dict[str, Any]) -> list[tuple[Any, Numbers]]:
        texts = self.protocol.texts(request)
        return [(place, numbers_of(text, self.dimension)) for place, text in enumerate(texts)]

    def good(self, request: dict[str, Any]) -> Reply:
        return self.answered(request, self.rows(request))

    def answered(self, request: dict[str, Any], rows: list[tuple[Any, Numbers]]) -> Reply:
        return Reply(body=json.dumps(self.protocol.answer(request, rows)).encode())

    def fail(self, status: int, **headers: str) -> Reply:
        """A failure in the protocol's own shape."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Reply(status=status, headers=named, body=json.dumps(self.protocol.error(status)).encode())

    def alters(self, change: Callable[[list[tuple[Any, Numbers]]], list[tuple[Any, Numbers]]]) -> None:
        """Answer with the right rows, changed."""
        self.behave = lambda request: self.answered(request, change(self.rows(request)))

    def fails_then_answers(self, *replies: Reply) -> None:
        left = list(replies)
        self.behave = lambda request: left.pop(0) if left else self.good(request)

    def texts(self) -> list[list[str]]:
        """The texts of every request so far."""
        return [self.protocol.texts(request) for request in self.requests]

    def _reply(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        self.paths.append(handler.path)
        super()._reply(handler, request)


@contextmanager
def embedding_server(provider: str, dimension: int = 8) -> Iterator[EmbeddingServer]:
    server = EmbeddingServer(provider, dimension)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def refusing_proxy() -> Iterator[tuple[str, list[str]]]:
    """A proxy that lets nobody through: its address, and whom it was asked to connect with."""
    requested: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            requested.append(self.path)
            self.send_error(403)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{proxy.server_address[1]}", requested
        proxy.shutdown()
        thread.join()


# --- the real one -----------------------------------------------------------------------------------------------------

LLAMA_DIMENSION = 576
"""How long the vectors of SmolLM2-135M are."""


class LlamaEmbeddingServer(llama_server.LlamaServer):
    """llama.cpp in embedding mode, in a process of its own."""

    def __init__(self, model: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(model)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self._told_address()


def serve(model: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.n_ctx = params.n_batch = params.n_ubatch = 512
    params.n_parallel = 1
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = 1
        cpu.poll = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
