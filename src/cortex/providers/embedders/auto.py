"""The first embedder that can be used: local, then OpenAI, Gemini, Voyage, then Ollama where it is spoken of (B16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable, InvalidRequest, ModelChanged
from cortex.ports.embedder import Embedder, EmbedderChoice
from cortex.ports.provider import begin_loading, trouble_of
from cortex.providers.embedders import gemini, local, ollama, openai, remote, voyage
from cortex.providers.embedders.batch_embedder import BatchedEmbedder
from cortex.providers.embedders.local import LocalEmbedder
from cortex.providers.embedders.none import NoEmbedder
from cortex.providers.embedders.remote import RemoteEmbedder, Variable
from cortex.providers.embedders.wrapper import EmbedderWrapper
from cortex.providers.llms import sdks

REMOTE = {"openai": openai, "gemini": gemini, "voyage": voyage, "ollama": ollama}
ORDER = ("local", *REMOTE)


def create(options: Mapping[str, Any], models: Path, *, variable: Variable | None = None) -> AutoEmbedder:
    """The first embedder in the order that has what it needs; nothing is loaded, and no request is sent.

    `options` may hold a table for each provider. `variable` looks up the environment, which only the settings read;
    without it, only keys among the options count.
    """
    sdks.known_options(options, ORDER, "auto", remote.SECTION)
    passed_over: list[tuple[str, str]] = []
    for name in ORDER:
        found = _made(name, options, models, variable or _nothing_set)
        if isinstance(found, str):
            passed_over.append((name, found))
        else:
            return AutoEmbedder(found, EmbedderChoice(name, _because(name, found, options), tuple(passed_over)))
    why = "; ".join(f"{name}: {what}" for name, what in passed_over)
    keys = "OPENAI_API_KEY, GEMINI_API_KEY, VOYAGE_API_KEY or OLLAMA_HOST"
    nothing = EmbedderUnavailable(f"no embedder can be used ({why})", hint=f"run `cortex models fetch`, or set {keys}")
    return AutoEmbedder(NoEmbedder(nothing), EmbedderChoice("none", nothing.message, tuple(passed_over)))


class AutoEmbedder(EmbedderWrapper):
    """The embedder that was chosen, and why."""

    def __init__(self, inner: Embedder, chosen: EmbedderChoice) -> None:
        super().__init__(inner)
        self._chosen = chosen

    @property
    def chosen(self) -> EmbedderChoice:
        return self._chosen

    def embed_query(self, text: str) -> Vector:
        return self._inner.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return self._inner.embed_documents(texts)

    def begin_loading(self) -> None:
        begin_loading(self._inner)


def _made(name: str, options: Mapping[str, Any], models: Path, variable: Variable) -> Embedder | str:
    """The provider, or what stands in its way."""
    given = _table(options, name)
    if name == "ollama" and name not in options and not variable("OLLAMA_HOST"):
        return "OLLAMA_HOST is not set"
    made: Embedder
    if name == "local":
        made = local.create(given, models)
    else:
        made = REMOTE[name].create(given, models, variable=variable, section=f"{remote.SECTION}.{name}")
    trouble = trouble_of(made)
    # A model that changed is no reason to send texts to somebody else: it says so itself, and can be fetched again.
    return made if trouble is None or isinstance(trouble, ModelChanged) else trouble.message


def _because(name: str, made: Embedder, options: Mapping[str, Any]) -> str:
    if isinstance(made, LocalEmbedder):
        return "its model is on this machine"
    known = made.key_from if isinstance(made, RemoteEmbedder | BatchedEmbedder) else None
    key = known or (f"{remote.SECTION}.{name}" if name in options else "OLLAMA_HOST")
    return f"{key} is set"


def _table(options: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    given = options.get(name, {})
    if not isinstance(given, Mapping):
        raise InvalidRequest(
            "is not a table", field=f"{remote.SECTION}.{name}", hint=f"give the options of {name} under it"
        )
    return given


def _nothing_set(name: str) -> str | None:  # noqa: ARG001
    return None
