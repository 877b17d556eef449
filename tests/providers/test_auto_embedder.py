"""`auto`: the first embedder that has what it needs, and why it is that one (B16)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_servers import embedding_server, numbers_of

from cortex import Cortex
from cortex.domain.vectors import unit
from cortex.errors import EmbedderUnavailable, InvalidRequest
from cortex.ports.provider import trouble_of
from cortex.providers.embedders import auto, local, openai
from cortex.providers.embedders.auto import AutoEmbedder

EVERY_KEY = {"OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k", "VOYAGE_API_KEY": "k", "OLLAMA_HOST": "box"}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def create(models: Path, variables: Mapping[str, str] | None = None, **options: Any) -> AutoEmbedder:
    return auto.create(options, models, variable=(variables or {}).get)


def test_the_local_model_comes_first_where_it_is(models: Path) -> None:
    """B16"""
    made = create(models, EVERY_KEY)
    assert (made.chosen.provider, made.chosen.because) == ("local", "its model is on this machine")
    assert made.chosen.passed_over == ()
    assert made.space == local.SPACE
    assert trouble_of(made) is None
    made.begin_loading()
    assert float(np.linalg.norm(made.embed_query("x"))) == pytest.approx(1.0, abs=1e-5)
    made.close()


@pytest.mark.parametrize(
    ("variables", "provider", "because"),
    [
        (EVERY_KEY, "openai", "OPENAI_API_KEY is set"),
        ({"GEMINI_API_KEY": "k", "VOYAGE_API_KEY": "k"}, "gemini", "GEMINI_API_KEY is set"),
        ({"GOOGLE_API_KEY": "k", "VOYAGE_API_KEY": "k"}, "gemini", "GOOGLE_API_KEY is set"),
        ({"VOYAGE_API_KEY": "k", "OLLAMA_HOST": "box"}, "voyage", "VOYAGE_API_KEY is set"),
        ({"OLLAMA_HOST": "box"}, "ollama", "OLLAMA_HOST is set"),
    ],
)
def test_then_the_first_that_has_a_key(tmp_path: Path, variables: dict[str, str], provider: str, because: str) -> None:
    """B16: OpenAI, Gemini, Voyage; Ollama only where it is spoken of"""
    made = create(tmp_path, variables)
    assert (made.chosen.provider, made.chosen.because) == (provider, because)
    assert [name for name, _ in made.chosen.passed_over] == list(auto.ORDER[: auto.ORDER.index(provider)])
    assert made.space.provider == provider
    assert made.space == create(tmp_path, variables).space, "the same surroundings choose the same"


def test_where_nothing_can_be_used_words_alone_are_searched_and_the_reason_is_told(tmp_path: Path) -> None:
    """B16: none works, FTS only"""
    made = create(tmp_path / "models")
    assert made.chosen.provider == "none"
    assert [name for name, _ in made.chosen.passed_over] == list(auto.ORDER)
    assert made.space.dimension == 0
    assert made.embed_documents([]) == []
    for attempt in (lambda: made.embed_query("x"), lambda: made.embed_documents(["x"])):
        with pytest.raises(EmbedderUnavailable, match="no embedder can be used"):
            attempt()
    with Cortex(tmp_path / "home", embedder=made) as memory:
        memory.remember("The deploy key rotates on Mondays")
        assert memory.recall("deploy key").hits[0].legs == ("keyword",)
        reported = memory.status()["embedder"]
    assert reported["available"] is False
    for name in ("local: ", "openai: there is no key for OpenAI", "ollama: OLLAMA_HOST is not set"):
        assert name in reported["why"]
    assert "cortex models fetch" in reported["fix"]


def test_options_have_a_table_for_each_provider(tmp_path: Path) -> None:
    """B16: a key, a server or a bare word about Ollama among the options is enough"""
    assert create(tmp_path, voyage={"api_key": "k"}).chosen.because == "embedding.options.voyage.api_key is set"
    assert create(tmp_path, ollama={}).chosen.because == "embedding.options.ollama is set"
    with embedding_server("openai") as server:
        given = {"base_url": server.base_url, "model": "small", "dimensions": 8}
        made = create(tmp_path, openai=given)
        assert made.chosen.because == "embedding.options.openai.base_url is set"
        assert made.space == openai.create(given, tmp_path).space, "its vectors are those of openai by name"
        wanted = pytest.approx(unit(np.array(numbers_of("x", 8), np.float32)), abs=1e-5)
        assert made.embed_query("x") == wanted
        assert made.embed_documents(["x"])[0] == wanted
        made.begin_loading()
        server.replies(server.fail(401))
        with pytest.raises(EmbedderUnavailable) as caught:
            made.embed_query("x")
        assert "embedding.options.openai.api_key" in caught.value.hint, "the option is called as it is written"
        made.close()


def test_without_the_environment_only_options_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B16: only the settings read the environment"""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert auto.create({}, tmp_path).chosen.provider == "none"
    assert auto.create({}, tmp_path, variable=os.environ.get).chosen.provider == "openai"


def test_a_provider_without_its_sdk_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B16"""
    monkeypatch.setitem(sys.modules, "openai", None)
    made = create(tmp_path, EVERY_KEY)
    assert made.chosen.provider == "gemini"
    assert dict(made.chosen.passed_over)["openai"] == "the openai provider is not installed"


@pytest.mark.parametrize(
    ("options", "field", "hint"),
    [
        ({"opnai": {}}, "opnai", "did you mean 'openai'?"),
        ({"openai": "key"}, "openai", "give the options of openai"),
        ({"openai": {"modell": "x"}}, "openai.modell", "did you mean 'model'?"),
        ({"openai": {"api_key": "${MY_KEY}"}}, "openai.api_key", "set MY_KEY"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named(tmp_path: Path, options: dict[str, Any], field: str, hint: str) -> None:
    """X18, L6: rather than passed over in silence"""
    with pytest.raises(InvalidRequest) as caught:
        auto.create(options, tmp_path)
    assert caught.value.field == f"embedding.options.{field}"
    assert hint in caught.value.hint
