"""The server that is measured, in a process of its own: as `cortex serve`, over made-up vectors; or a bare route.

python -m bench.serving_server HOME MODELS
python -m bench.serving_server --bare BYTES
"""

from __future__ import annotations

import json
import os
import socket
import sys
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from bench.corpus import SyntheticEmbedder
from bench.turns import AsLongAsTheModel
from cortex import Cortex
from cortex.access.tokens import Tokens
from cortex.clock import SystemClock
from cortex.errors import EngineError
from cortex.providers.embedders.local import create
from cortex.stores.file_documents import FileDocuments
from cortex.surfaces.http.app import create_app
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.server import HttpServer, address_of, listen


class BareRequest(BaseModel):
    session: str
    message: str
    scope: str | None = None


class BareResponse(BaseModel):
    block: str


def serve(home: Path, models: Path) -> None:
    """As `cortex serve` does; each query costs what the local model takes for it, where that is at hand."""
    with opened(home, models) as engine:
        options = ServeOptions.of(engine.settings, port=0)
        bound = listen(options)
        tokens = Tokens(FileDocuments(home), SystemClock())
        app = create_app(engine, tokens, options, open_engine=partial(opened, home, models))
        with bound:
            has_model = _embedder(models) is not None
            HttpServer(app, options, lambda: _tell(bound, model=has_model)).run([bound])


def opened(home: Path, models: Path) -> Cortex:
    """The memory, with made-up vectors that take as long as those of the model, where it is at hand."""
    return Cortex(home, embedder=_embedder(models) or SyntheticEmbedder())


def _embedder(models: Path) -> SyntheticEmbedder | None:
    try:
        embedder = AsLongAsTheModel(create({}, models))
        embedder.embed_query("warm")
    except EngineError:
        return None
    return embedder


def serve_bare(size: int) -> None:
    """The least that FastAPI does with a body and an answer of this size."""
    app = FastAPI()

    @app.post("/bare")
    async def bare(request: BareRequest) -> BareResponse:
        return BareResponse(block="x" * (size - len(request.session)))

    bound = listen(ServeOptions(port=0))
    with bound:
        bound.listen()
        _tell(bound)
        uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False)).run([bound])


def _tell(bound: socket.socket, **more: object) -> None:
    print(json.dumps({"url": address_of(bound), "pid": os.getpid(), **more}), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--bare":
        serve_bare(int(sys.argv[2]))
    else:
        serve(Path(sys.argv[1]), Path(sys.argv[2]))
