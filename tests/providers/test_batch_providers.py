"""B17: the batch services as the providers use them, each against one server that also embeds synchronously."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_servers import DIMENSION, BatchServer, Script, batch_server
from embedding_servers import numbers_of

from cortex import Cortex, registry
from cortex.domain.memory import Draft
from cortex.domain.vectors import Vector, unit
from cortex.errors import InvalidRequest
from cortex.ports.provider import trouble_of
from cortex.providers.embedders import auto, gemini, ollama, openai, voyage
from cortex.providers.embedders.batch_embedder import (
    AT_LEAST,
    POLL_SECONDS,
    TIMEOUT_SECONDS,
    BatchedEmbedder,
    BatchOptions,
)
from cortex.providers.embedders.remote import Options, Patience, RemoteEmbedder

PROVIDERS: dict[str, Any] = {"openai": openai, "gemini": gemini, "voyage": voyage}
VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI",
    "VOYAGE_API_KEY", "VOYAGE_API_KEY_PATH",
)  # fmt: skip
KEY = "key-1"
NOWHERE = Path("models")
ON = {"enabled": True, "anywhere": True}
MANY = [f"a secret text {at}" for at in range(300)]
FAST = Patience(sleep=lambda seconds: None)


@pytest.fixture(autouse=True)
def nothing_from_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The SDKs read the environment and the home directory; the machine's own must not matter here."""
    for name in (*VARIABLES, "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(params=PROVIDERS)
def vendor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(vendor: str) -> Iterator[BatchServer]:
    with batch_server(vendor) as server:
        server.script = good()
        yield server


def good(**how: Any) -> Script:
    """A server whose vectors depend on every letter of the text."""
    return Script(vector=lambda text: numbers_of(text, DIMENSION), **how)


def options(server: BatchServer, batch: Mapping[str, Any] | None = None, **further: Any) -> dict[str, Any]:
    named = {"model": "small", "api_key": KEY, "dimensions": DIMENSION, "base_url": server.base_url, "batch": batch}
    return {name: value for name, value in (named | further).items() if value is not None}


def create(server: BatchServer, batch: Mapping[str, Any] | None = None, **further: Any) -> Any:
    return PROVIDERS[server.vendor].create(options(server, batch, **further), NOWHERE, patience=FAST)


def same(found: list[Vector], expected: list[Vector]) -> bool:
    return len(found) == len(expected) and bool(np.allclose(found, expected, atol=1e-6))


# --- both ways ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "passage: "])
def test_both_ways_make_the_same_vectors(server: BatchServer, prefix: str) -> None:
    """B17: the same texts with the same prefix, to a server whose vectors depend on every letter"""
    texts = [*MANY[:20], "漢字 und Ümläute 🦀", 'a "quoted"\nline\u2028', " "]
    prefixes = {"document_prefix": prefix, "query_prefix": "question: "}
    plain = create(server, **prefixes)
    batched = create(server, ON | {"at_least": 2}, **prefixes)
    by_job = batched.embed_documents(texts)
    assert (len(server.jobs), server.embedded) == (1, [])
    assert same(by_job, plain.embed_documents(texts))
    assert server.texts(server.jobs[0]) == [text for request in server.embedded for text in request]
    assert by_job[0] == pytest.approx(unit(np.array(numbers_of(prefix + texts[0], DIMENSION), np.float32)), abs=1e-6)
    assert same([batched.embed_query("x")], [plain.embed_query("x")])
    assert batched.space == plain.space, "so that vectors of either way may be compared"
    plain.close()
    batched.close()


def test_a_job_asks_for_the_length_that_the_other_way_asks_for(server: BatchServer) -> None:
    """L6: of a known model that makes others, and of no other"""
    for model in (PROVIDERS[server.vendor].VENDOR.model, "small"):
        made = create(server, ON | {"at_least": 2}, model=model)
        made.embed_documents(MANY[:2])
        made.close()
    sent = [str(job.lines[0]) + str(job.request) for job in server.jobs]
    names = ("dimensions", "outputDimensionality", "output_dimension")
    assert [any(f"'{name}': {DIMENSION}" in each for name in names) for each in sent] == [True, False]


def test_three_hundred_documents_go_by_the_batch_until_it_failed_twice(
    server: BatchServer, caplog: pytest.LogCaptureFixture
) -> None:
    """B17: end to end, with the real SDK, over one server that speaks both protocols"""
    made = create(server, ON)
    expected = [unit(np.array(numbers_of(text, DIMENSION), np.float32)) for text in MANY]
    assert same(made.embed_documents(MANY), expected)
    assert (len(server.jobs), server.embedded) == (1, [])
    assert made.batch_status() == {"enabled": True, "failures": 0, "limit": 2, "used": 300}
    server.script = good(ends="failed")
    with caplog.at_level(logging.INFO):
        for failures in (1, 2):
            server.embedded.clear()
            assert same(made.embed_documents(MANY), expected), "nothing is lost"
            assert [text for request in server.embedded for text in request] == MANY, "they went synchronously at once"
            assert made.batch_status() == {"enabled": failures < 2, "failures": failures, "limit": 2, "used": 300}
    server.script = good()
    jobs_before = len(server.jobs)
    assert same(made.embed_documents(MANY), expected)
    assert (jobs_before, len(server.jobs)) == (3, 3), "from now on everything goes synchronously"
    assert "everything from now on" in caplog.text
    assert not any(hidden in caplog.text for hidden in ("secret", KEY))
    assert server.files == {}
    made.close()


def test_few_documents_go_synchronously(server: BatchServer) -> None:
    """B17: fewer than two hundred by default"""
    made = create(server, ON)
    made.embed_documents(MANY[:199])
    made.embed_query("x")
    assert server.jobs == []
    made.close()


def test_a_memory_of_many_texts_is_made_by_the_batch(tmp_path: Path) -> None:
    """B17, B21: from the settings to the server, through the guard and the cache"""
    with batch_server("openai") as server:
        server.script = good()
        given = options(server, ON | {"poll_seconds": [0.01, 0.01]})
        with Cortex(tmp_path, settings={"embedding": {"provider": "openai", "options": given}}) as memory:
            memory.remember_all([Draft(text=f"Lamp number {at} stands in room {at}") for at in range(220)])
            assert (len(server.jobs), server.embedded) == (1, [])
            assert "vector" in memory.recall("Lamp number 7 stands in room 7").hits[0].legs


def test_the_service_is_there_again_after_it_was_closed(server: BatchServer) -> None:
    """It speaks through the client of the other way, which is closed with it."""
    made = create(server, ON | {"at_least": 2})
    for jobs in (1, 2):
        made.embed_documents(MANY[:3])
        made.close()
        assert len(server.jobs) == jobs
    assert made.batch_status()["failures"] == 0


def test_jobs_go_where_the_other_way_goes_with_the_same_secrets(
    server: BatchServer, caplog: pytest.LogCaptureFixture
) -> None:
    """B18: a password in the address becomes a header of each request, and is not logged"""
    address = server.base_url.replace("http://", "http://ada:hunter%212@")
    made = create(server, ON | {"at_least": 2}, base_url=address, api_key=None)
    with caplog.at_level(logging.DEBUG):
        made.embed_documents(MANY[:3])
        made.embed_documents(MANY[:1])
    login = "Basic " + base64.b64encode(b"ada:hunter!2").decode()
    assert server.keys == {login}
    assert (len(server.jobs), len(server.embedded)) == (1, 1)
    assert not any(hidden in caplog.text for hidden in ("hunter", "secret"))
    made.close()


# --- what the operator says ------------------------------------------------------------------------------------------


def test_batches_are_off_unless_they_are_wanted(server: BatchServer) -> None:
    """B17"""
    for batch in (None, {}, {"enabled": False}, {"at_least": 2}):
        made = create(server, batch)
        assert isinstance(made, RemoteEmbedder)
        assert not hasattr(made, "batch_status")
        made.close()
    made = create(server, ON)
    assert isinstance(made, BatchedEmbedder)
    assert trouble_of(made) is None
    made.close()


def test_what_is_not_said_is_as_documented() -> None:
    """B17: 200 texts, an hour, polls from two seconds to a minute"""
    read = Options.read({"api_key": KEY}, openai.VENDOR)
    assert BatchOptions.read({"batch": {"enabled": True}}, read) == BatchOptions(200, 3_600.0, (2.0, 60.0))
    assert (AT_LEAST, TIMEOUT_SECONDS, POLL_SECONDS) == (200, 3_600.0, (2.0, 60.0))
    given = {"enabled": True, "at_least": 7, "timeout_s": 90, "poll_seconds": [1, 5.5]}
    assert BatchOptions.read({"batch": given}, read) == BatchOptions(7, 90.0, (1.0, 5.5))


def test_a_vendor_has_batches_without_further_words(vendor: str) -> None:
    """B17: at its own address"""
    made = PROVIDERS[vendor].create({"api_key": KEY, "batch": {"enabled": True}}, NOWHERE)
    assert isinstance(made, BatchedEmbedder)
    assert made.key_from == "embedding.options.api_key"


def test_another_server_has_batches_only_where_that_is_said(server: BatchServer) -> None:
    """B17: most servers that speak like a vendor have none"""
    with pytest.raises(InvalidRequest) as caught:
        create(server, {"enabled": True})
    assert caught.value.field == "embedding.options.batch.enabled"
    assert "the server at 127.0.0.1" in caught.value.message
    assert "embedding.options.batch.anywhere" in caught.value.hint


@pytest.mark.parametrize(
    ("batch", "field", "hint"),
    [
        ("yes", "", "such as {enabled = true}"),
        (True, "", "such as {enabled = true}"),
        ({"enable": True}, ".enable", "did you mean 'enabled'?"),
        ({"zzz": 1}, ".zzz", "known: enabled"),
        ({"enabled": 1}, ".enabled", "leave it out"),
        ({"enabled": "yes"}, ".enabled", "leave it out"),
        ({"anywhere": "yes"}, ".anywhere", "leave it out"),
        ({"at_least": 0}, ".at_least", "leave it out"),
        ({"at_least": 1.5}, ".at_least", "leave it out"),
        ({"at_least": True}, ".at_least", "leave it out"),
        ({"timeout_s": 0}, ".timeout_s", "leave it out"),
        ({"timeout_s": 100_000}, ".timeout_s", "leave it out"),
        ({"poll_seconds": 2}, ".poll_seconds", "such as [2, 60]"),
        ({"poll_seconds": [2]}, ".poll_seconds", "such as [2, 60]"),
        ({"poll_seconds": [2, 60, 61]}, ".poll_seconds", "such as [2, 60]"),
        ({"poll_seconds": [60, 2]}, ".poll_seconds", "such as [2, 60]"),
        ({"poll_seconds": [0, 2]}, ".poll_seconds", "such as [2, 60]"),
        ({"poll_seconds": ["1", "2"]}, ".poll_seconds", "such as [2, 60]"),
        ({"poll_seconds": [1, float("nan")]}, ".poll_seconds", "such as [2, 60]"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named(vendor: str, batch: Any, field: str, hint: str) -> None:
    """X18: also while batches are off, because it was meant to have an effect"""
    with pytest.raises(InvalidRequest) as caught:
        PROVIDERS[vendor].create({"api_key": KEY, "batch": batch}, NOWHERE)
    assert caught.value.field == f"embedding.options.batch{field}"
    assert hint in caught.value.hint


def test_ollama_has_no_batches() -> None:
    """B17"""
    with pytest.raises(InvalidRequest, match=r"embedding\.options\.batch: is not an option of ollama"):
        ollama.create({"batch": {"enabled": True}}, NOWHERE)


# --- auto -------------------------------------------------------------------------------------------------------------


def test_auto_passes_everything_of_the_chosen_embedder_through(server: BatchServer, tmp_path: Path) -> None:
    """B16, B21"""
    given = {server.vendor: options(server, ON | {"at_least": 2, "poll_seconds": [0.01, 0.01]})}
    made = registry.find("cortex.embedders", "auto")(given, tmp_path)
    assert made.chosen.provider == server.vendor
    assert made.chosen.because == f"embedding.options.{server.vendor}.api_key is set"
    assert trouble_of(made) is None
    made.embed_documents(MANY[:3])
    assert made.batch_status() == {"enabled": True, "failures": 0, "limit": 2, "used": 3}
    server.script = good(refused={"embed": 401})
    assert "answered 401" in str(trouble_of(made, thorough=True))
    made.close()
    plain = auto.create({server.vendor: options(server)}, tmp_path)
    assert plain.batch_status() is None


def test_auto_names_a_wrong_option_as_it_is_written(vendor: str, tmp_path: Path) -> None:
    """X18"""
    with pytest.raises(InvalidRequest) as caught:
        auto.create({vendor: {"api_key": KEY, "batch": {"enabld": True}}}, tmp_path)
    assert caught.value.field == f"embedding.options.{vendor}.batch.enabld"
