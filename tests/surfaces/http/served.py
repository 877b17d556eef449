"""A real server on a port of this machine, over a real engine whose embedder is in the test's hands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from cortex import Cortex
from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.ports.clock import Clock
from cortex.ports.llm import LLM
from cortex.surfaces.http.app import create_app
from cortex.surfaces.http.options import ServeOptions
from cortex.surfaces.http.server import HttpServer, address_of, listen
from cortex.testing import FakeEmbedder, FakeReranker

QUICK: Mapping[str, Any] = {
    "embedding": {"cache_entries": 0},
    "store": {"sqlite": {"synchronous": "normal"}},
    # A machine that is busy with other tests fails nothing here; the deadline has tests of its own.
    "hooks": {"deadline_ms": 10_000},
    # The server's own backups would come between the requests of a test.
    "lifecycle": {"backup_every_hours": 0},
}


class Served:
    """A server, a client of it, and what stands behind it."""

    app: FastAPI

    def __init__(
        self, url: str, engine: Cortex, tokens: Tokens, embedder: FakeEmbedder, reranker: FakeReranker
    ) -> None:
        self.url = url
        self.engine = engine
        self.tokens = tokens
        self.embedder = embedder
        self.reranker = reranker
        self.client = httpx.Client(base_url=url, timeout=30)

    @property
    def address(self) -> tuple[str, int]:
        parts = httpx.URL(self.url)
        assert parts.port is not None
        return parts.host, parts.port

    def token(self, *rights: Right, agent: str = "main", user: str = "default", **options: Any) -> dict[str, str]:
        """The headers of a new token."""
        secret, _ = self.tokens.create(Tenant(agent, user), rights or (Right.WRITE,), **options)
        return {"Authorization": f"Bearer {secret}"}

    def stop_background(self) -> None:
        """End the scheduled runs, for a test that counts what only its own requests do."""
        for scheduler in self.engine.context.dependencies.schedulers:
            assert scheduler.stop(30)

    def remember(self, text: str, **fields: Any) -> str:
        answer = self.client.post("/v1/memories", json={"text": text, **fields})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["memory"]["id"])


@contextmanager
def serving(
    home: Path,
    *,
    options: Mapping[str, Any] | None = None,
    clock: Clock | None = None,
    model: LLM | None = None,
    agent: str = "main",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[Served]:
    """A server over a home of its own, ended in order."""
    clock = clock or SystemClock()
    embedder, reranker = FakeEmbedder(256), FakeReranker()
    merged = {name: {**QUICK.get(name, {}), **(settings or {}).get(name, {})} for name in {**QUICK, **(settings or {})}}
    chosen = ServeOptions(**{"port": 0, **(options or {})})
    engine = Cortex(home, agent=agent, settings=merged, embedder=embedder, reranker=reranker, clock=clock, llm=model)
    with engine:
        tokens = Tokens(engine.context.dependencies.documents, clock)
        bound = listen(chosen)
        started = threading.Event()
        app = create_app(engine, tokens, chosen)
        server = HttpServer(app, chosen, started.set)
        thread = threading.Thread(target=server.run, args=([bound],), name="served")
        thread.start()
        try:
            assert started.wait(30)
            served = Served(address_of(bound), engine, tokens, embedder, reranker)
            served.app = app
            yield served
            served.client.close()
        finally:
            server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


def eventually(found: Callable[[], Any]) -> Any:
    """What comes of work in the background, for which nobody has to wait."""
    until = time.monotonic() + 60
    while not (answer := found()) and time.monotonic() < until:
        time.sleep(0.02)
    return answer
