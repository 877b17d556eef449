"""`cortex serve` as one starts it, in a forked process, and the clients that load it."""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx

from bench.soak.model import Home
from bench.soak.verbs import Broken, Log, Worker, broke_off
from cortex import Cortex
from cortex.client.connection import problem_of
from cortex.errors import EngineError

ENVIRONMENT = {
    "CORTEX_CAPTURE__DEBOUNCE_SECONDS": "0",  # memories are extracted while the server is being killed
    "CORTEX_HOOKS__DEADLINE_MS": "2000",
    "CORTEX_HOOKS__INGEST_TIMEOUT_MS": "20000",
}
_PAUSE = 0.005


def serve(home: Path, environment: Mapping[str, str]) -> None:
    """Become `cortex --json serve`, by its own entry; does not return."""
    os.environ.update({**ENVIRONMENT, **environment})
    entry = importlib.import_module("cortex.__main__")
    sys.modules["__main__"] = entry  # helper processes begin from here, as those of `python -m cortex` do
    sys.argv = ["cortex", "--home", str(home), "--json", "serve", "--port", "0"]
    entry.main()


def address(output: Path) -> str | None:
    """Where the server said that it listens."""
    lines = output.read_text("utf-8").splitlines(keepends=True) if output.exists() else []
    items = [json.loads(line) for line in lines if line.startswith('{"url"') and line.endswith("\n")]
    return str(items[0]["url"]) if items else None


def mistakes(output: Path) -> list[str]:
    """What the server logged as a mistake of its own."""
    lines = output.read_text("utf-8").splitlines() if output.exists() else []
    return [line for line in lines if '"level": "error"' in line or '"level": "critical"' in line]


def load(home: Home, name: str, serial: int, seed: int, log: Path, output: Path, token: str,
         first: Sequence[str], seconds: float) -> None:  # fmt: skip
    """A client: waits for the server, then does what a worker does, over HTTP, until the server is gone."""
    until = time.monotonic() + seconds
    while (url := address(output)) is None:
        if time.monotonic() > until:
            return
        time.sleep(_PAUSE)
    http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False)

    def patch(user: str, id: str, text: str) -> None:
        try:
            answer = http.patch(f"/v1/memories/{id}", json={"text": text, "user": user})
        except httpx.TransportError as error:
            raise Broken from error
        if answer.is_error:
            raise problem_of(answer)

    engine = Cortex.connect(url, token=token, user=name)
    worker = Worker(engine, home, name, serial, random.Random(seed), Log(log), patch=patch)
    worker.log.tell("open")
    try:
        worker.run(first, until - time.monotonic())
    except Broken:
        return
    except EngineError as error:  # while it looked for something to change
        if not broke_off(error):
            raise
