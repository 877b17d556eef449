"""Embeddings of the models that Ollama runs, by Ollama's SDK."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cortex.errors import InvalidRequest
from cortex.providers.embedders import remote
from cortex.providers.embedders.remote import Options, Patience, RemoteEmbedder, RequestFailure, Role, Row, Variable

PORT = 11_434
VENDOR = remote.EmbeddingVendor(
    name="ollama",
    who="Ollama",
    sdk="ollama",
    model="nomic-embed-text",
    known=remote.open_model,
    address=f"http://127.0.0.1:{PORT}",
    texts_at_once=256,
    address_option="host",
    options=("headers", "keep_alive"),
    keyless=True,
    local=True,
    missing_model="run `ollama pull {model}`",
)


def create(
    options: Mapping[str, Any],
    models: Path,  # noqa: ARG001 - every provider is made alike
    *,
    variable: Variable | None = None,
    section: str = remote.SECTION,
    patience: Patience = remote.PATIENCE,
) -> RemoteEmbedder:
    """Embeddings of Ollama on this machine, or at `host`, or at OLLAMA_HOST where the environment is known."""
    given = dict(options)
    if isinstance(given.get("host"), str):
        given["host"] = _address(given["host"])
    host = variable("OLLAMA_HOST") if variable else None
    read = Options.read(given, VENDOR, variable=variable, section=section, address=_address(host) if host else None)
    return RemoteEmbedder(read, OllamaApi(read, _keep_alive(options.get("keep_alive"), section)), patience)


def _address(host: str) -> str:
    """A host as Ollama lets it be written, `box`, `box:1234` or `:1234`, as an address."""
    if "://" in host or not host.strip():
        return host
    name, slash, path = host.strip().partition("/")
    name = f"127.0.0.1{name}" if name.startswith(":") else name
    has_port = name.rpartition("]")[2].rpartition("@")[2].count(":") == 1
    return f"http://{name}{'' if has_port else f':{PORT}'}{slash}{path}"


def _keep_alive(value: Any, section: str) -> float | str | None:
    if value is None or (isinstance(value, int | float | str) and not isinstance(value, bool)):
        return value
    raise InvalidRequest(
        "is neither a number of seconds nor a text",
        field=f"{section}.keep_alive",
        hint='such as "10m", or leave it out',
    )


class OllamaApi:
    """Ollama's own embedding API, as its SDK speaks it."""

    def __init__(self, options: Options, keep_alive: float | str | None) -> None:
        self._options = options
        self._keep_alive = keep_alive
        self._lock = threading.Lock()
        self._opened: dict[float, Any] = {}

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:  # noqa: ARG002 - the API knows no roles
        answer = self._client(seconds).embed(
            model=self._options.name, input=texts, keep_alive=self._keep_alive, dimensions=self._options.resized_to
        )
        return list(enumerate(answer.embeddings))

    def failure(self, error: Exception) -> RequestFailure:
        status = getattr(error, "status_code", None)
        # The SDK's error leaves the headers behind; what it was made from still has them.
        headers = remote.headers_of(error.__context__)
        return remote.answered(status, headers) if status else remote.broken_off(error)

    def close(self) -> None:
        with self._lock:
            for client in self._opened.values():
                client.close()
            self._opened.clear()

    def _client(self, seconds: float) -> Any:
        """The client that waits for `seconds`: the SDK has one time-out for each client, and not for each call."""
        with self._lock:
            if seconds not in self._opened:
                headers = dict(self._options.endpoint.headers)
                if self._options.key:
                    # Also where there is none: the SDK would send the vendor's own key to any server.
                    headers.setdefault("Authorization", f"Bearer {self._options.key}")
                self._opened[seconds] = self._options.sdk().Client(
                    host=self._options.endpoint.url, timeout=seconds, headers=headers
                )
            return self._opened[seconds]
