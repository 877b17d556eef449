"""Embedders by the vendors' SDKs, against servers on loopback that misbehave in every way we know of."""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedding_servers import EmbeddingServer, embedding_server, numbers_of, refusing_proxy
from hypothesis import given
from hypothesis import strategies as st
from model_server import Reply

from cortex import settings
from cortex.domain.text import estimate_tokens
from cortex.domain.vectors import unit
from cortex.errors import EmbedderUnavailable, InvalidRequest, ProviderMissing
from cortex.ports.provider import trouble_of
from cortex.providers.embedders import gemini, ollama, openai, remote, voyage
from cortex.providers.embedders.remote import Options, Patience, RemoteEmbedder, RequestFailure, Role, Row
from cortex.providers.embedders.vector_cache import CachingEmbedder
from cortex.testing import FakeClock

PROVIDERS: dict[str, Any] = {"openai": openai, "ollama": ollama, "gemini": gemini, "voyage": voyage}
ADDRESS = {"openai": "base_url", "ollama": "host", "gemini": "base_url", "voyage": "base_url"}
VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OLLAMA_HOST",
    "OLLAMA_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "VOYAGE_API_KEY",
    "VOYAGE_API_KEY_PATH",
)  # fmt: skip
KEY = "key-1"
SECRET = "my secret text"
NOWHERE = Path("models")


@pytest.fixture(autouse=True)
def nothing_from_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The SDKs read the environment and the home directory; the machine's own must not matter here."""
    for name in (*VARIABLES, "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(provider: str) -> Iterator[EmbeddingServer]:
    with embedding_server(provider) as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    """How long an embedder would have slept."""
    return []


@pytest.fixture
def embedder(provider: str, server: EmbeddingServer, waits: list[float]) -> Iterator[RemoteEmbedder]:
    made = create(provider, server, waits)
    yield made
    made.close()


def create(provider: str, server: EmbeddingServer, waits: list[float] | None = None, **options: Any) -> RemoteEmbedder:
    named = {"model": "small", "api_key": KEY, "dimensions": server.dimension, ADDRESS[provider]: server.base_url}
    given = {name: value for name, value in (named | options).items() if value is not None}
    slept = [] if waits is None else waits
    made: RemoteEmbedder = PROVIDERS[provider].create(
        given, NOWHERE, patience=Patience(sleep=slept.append, chance=lambda: 0.5)
    )
    return made


def failure(embedder: RemoteEmbedder, text: str = SECRET) -> EmbedderUnavailable:
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed_query(text)
    error = caught.value
    assert "secret" not in str(error), "an error never repeats what was asked"
    assert KEY not in str(error), "nor the key"
    assert error.__cause__ is None, "nor does anything that hangs on to it"
    assert error.__context__ is None
    return error


def expected(text: str, dimension: int = 8) -> Any:
    return pytest.approx(unit(np.array(numbers_of(text, dimension), np.float32)), abs=1e-5)


# --- what is sent, and what comes back --------------------------------------------------------------------------------


def test_texts_get_unit_vectors_in_their_order(embedder: RemoteEmbedder, server: EmbeddingServer) -> None:
    """B16, B18: every provider speaks its protocol, and answers unit vectors whatever the server's length is"""
    texts = ["one", "two", "three"]
    vectors = embedder.embed_documents(texts)
    assert [vector.dtype for vector in vectors] == [np.float32] * 3
    for text, vector in zip(texts, vectors, strict=True):
        assert vector == expected(text)
        assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-6)
    assert embedder.embed_query("two") == expected("two")
    assert [path.endswith(server.protocol.path) for path in server.paths] == [True, True]
    assert server.texts() == [texts, ["two"]]


def test_nothing_is_asked_for_no_texts(embedder: RemoteEmbedder, server: EmbeddingServer) -> None:
    assert embedder.embed_documents([]) == []
    assert server.requests == []


@pytest.mark.parametrize("provider", ["openai", "voyage"])
def test_an_answer_in_another_order_is_put_right(embedder: RemoteEmbedder, server: EmbeddingServer) -> None:
    """B17: by the index each vector comes with"""
    server.alters(lambda rows: [rows[2], rows[0], rows[1]])
    for text, vector in zip(["a", "b", "c"], embedder.embed_documents(["a", "b", "c"]), strict=True):
        assert vector == expected(text)


def test_the_api_is_told_what_is_a_query_and_what_a_document() -> None:
    """B16: Gemini and Voyage make different vectors of the two"""
    for provider, where in (("gemini", "taskType"), ("voyage", "input_type")):
        with embedding_server(provider) as server:
            made = create(provider, server)
            made.embed_query("what?")
            made.embed_documents(["this"])
            sent = [request["requests"][0] if provider == "gemini" else request for request in server.requests]
            roles = [each[where] for each in sent]
            assert [role.lower().removeprefix("retrieval_") for role in roles] == ["query", "document"]
            assert made.space.prefixes == "|".join(roles), "it is part of what the vectors are"
            made.close()


def test_prefixes_are_sent_and_are_part_of_the_space(server: EmbeddingServer, provider: str) -> None:
    """B16"""
    plain, made = create(provider, server), create(provider, server, query_prefix="Q: ", document_prefix="D: ")
    made.embed_query("what?")
    made.embed_documents(["this"])
    assert server.texts() == [["Q: what?"], ["D: this"]]
    assert made.space.key != plain.space.key
    plain.close()
    made.close()


def test_a_length_is_asked_for_only_where_the_model_is_known_to_make_others() -> None:
    """L6: a server that knows no lengths refuses to be told one"""
    asked = {
        "openai": ("text-embedding-3-small", lambda request: request.get("dimensions")),
        "ollama": ("embeddinggemma", lambda request: request.get("dimensions")),
        "gemini": ("gemini-embedding-001", lambda request: request["requests"][0].get("outputDimensionality")),
        "voyage": ("voyage-4-large", lambda request: request.get("output_dimension")),
    }
    for provider, (model, found) in asked.items():
        with embedding_server(provider, 256) as server:
            for name in (model, "small"):
                made = create(provider, server, model=name)
                assert made.embed_query("x").shape == (256,)
                assert made.space.dimension == 256
                made.close()
            assert [found(request) for request in server.requests] == [256, None]


def test_ollama_is_told_how_long_to_keep_the_model() -> None:
    """X17"""
    with embedding_server("ollama") as server:
        for keep in (None, "10m", 0):
            made = create("ollama", server, keep_alive=keep)
            made.embed_query("x")
            made.close()
        assert [request.get("keep_alive") for request in server.requests] == [None, "10m", 0]


# --- batches ----------------------------------------------------------------------------------------------------------


def test_a_request_holds_at_most_8000_tokens(embedder: RemoteEmbedder, server: EmbeddingServer) -> None:
    """B17"""
    texts = [f"{number} " + "word " * 1_200 for number in range(14)]  # about 1500 tokens each
    vectors = embedder.embed_documents(texts)
    sent = server.texts()
    assert [text for batch in sent for text in batch] == texts
    assert len(sent) == 3
    assert max(sum(map(estimate_tokens, batch)) for batch in sent) <= remote.BATCH_TOKENS
    assert vectors[13] == expected(texts[13])


def test_a_request_holds_no_more_texts_than_the_vendor_takes(server: EmbeddingServer, provider: str) -> None:
    """B17: a cap for each provider, which an option can lower"""
    most = {"openai": 2_048, "ollama": 256, "gemini": 100, "voyage": 1_000}[provider]
    made, small = create(provider, server), create(provider, server, batch_size=3)
    made.embed_documents(["x"] * (most + 1))
    small.embed_documents(["x"] * 7)
    assert [len(batch) for batch in server.texts()] == [most, 1, 3, 3, 1]
    with pytest.raises(InvalidRequest, match="batch_size"):
        create(provider, server, batch_size=most + 1)
    made.close()
    small.close()


@given(st.lists(st.integers(0, 40_000), max_size=12), st.integers(1, 5))
def test_batches_keep_every_text_in_order_and_within_bounds(sizes: list[int], most: int) -> None:
    """B17: only a text that is too long by itself goes beyond, alone"""
    texts = ["x" * size for size in sizes]
    made = list(remote.batches(texts, most))
    assert [text for batch in made for text in batch] == texts
    for batch in made:
        assert 1 <= len(batch) <= most
        assert len(batch) == 1 or sum(map(estimate_tokens, batch)) <= remote.BATCH_TOKENS


# --- trying again -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_what_may_pass_is_tried_again(
    embedder: RemoteEmbedder, server: EmbeddingServer, waits: list[float], status: int
) -> None:
    """B17: back-off from 500 ms, with a jitter of 20 %"""
    server.fails_then_answers(server.fail(status), server.fail(status))
    assert embedder.embed_query("x") == expected("x")
    assert waits == pytest.approx([0.5 * 1.1, 1.0 * 1.1])


def test_three_tries_are_enough(embedder: RemoteEmbedder, server: EmbeddingServer, waits: list[float]) -> None:
    """B17: and the SDK adds none of its own"""
    server.replies(server.fail(500))
    error = failure(embedder)
    assert "answered 500, 3 times" in error.message
    assert (len(server.requests), len(waits)) == (3, 2)


def test_a_wait_that_the_server_asks_for_is_kept(
    embedder: RemoteEmbedder, server: EmbeddingServer, waits: list[float]
) -> None:
    """B17: Retry-After where it is longer than our own"""
    server.fails_then_answers(server.fail(429, retry_after="3"), server.fail(429, retry_after="0.1"))
    embedder.embed_query("x")
    assert waits == pytest.approx([3.0, 1.1])


def test_a_server_that_asks_for_too_long_a_wait_is_not_asked_again(
    embedder: RemoteEmbedder, server: EmbeddingServer, waits: list[float]
) -> None:
    """B17: beyond eight seconds, whoever called is told instead of kept"""
    server.replies(server.fail(429, retry_after="30"))
    error = failure(embedder)
    assert "asks to be left alone for 30 s" in error.message
    assert "cortex admin backfill" in error.hint
    assert (len(server.requests), waits) == (1, [])


@given(st.integers(2, remote.ATTEMPTS), st.floats(0.0, 1.0), st.none() | st.floats(0.0, 100.0))
def test_no_wait_is_longer_than_eight_seconds(attempt: int, chance: float, wished: float | None) -> None:
    """B17"""
    wait = Patience(chance=lambda: chance).before(attempt, RequestFailure("rate_limited", "answered 429", wished))
    if wished is not None and wished > remote.LONGEST_WAIT:
        assert wait is None
    else:
        assert wait is not None
        assert max(wished or 0.0, 0.5) <= wait <= remote.LONGEST_WAIT


def test_chance_of_its_own_lies_between_nothing_and_all() -> None:
    assert all(0.0 <= remote.Patience().chance() < 1.0 for _ in range(1_000))


def test_an_answer_that_breaks_off_is_tried_again(embedder: RemoteEmbedder, server: EmbeddingServer) -> None:
    """B17: a closed connection"""
    body = b'{"data": [' + b" " * 400
    server.fails_then_answers(Reply(body=body, cut=True))
    assert embedder.embed_query("x") == expected("x")
    server.replies(Reply(body=body, cut=True))
    assert "cannot be reached, or broke off, 3 times" in failure(embedder).message


def test_a_server_that_never_answers_is_not_waited_for(server: EmbeddingServer, provider: str) -> None:
    """B17"""
    server.replies(Reply(hang=True))
    made = create(provider, server, timeout_s=0.1)
    error = failure(made)
    assert "did not answer in time, 3 times" in error.message
    assert "embedding.options.timeout_s" in error.hint
    made.close()


def test_a_server_that_is_not_there_is_told_of_by_its_host(provider: str) -> None:
    """B17, C6"""
    with embedding_server(provider) as gone:
        pass
    made = create(provider, gone)
    error = failure(made)
    assert error.message.startswith("the server at 127.0.0.1:")
    assert "cannot be reached" in error.message
    assert f"embedding.options.{ADDRESS[provider]}" in error.hint
    made.close()


class Noting:
    """An API that answers zeros and notes how long it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[Role, float]] = []

    def embed(self, texts: list[str], role: Role, seconds: float) -> list[Row]:
        self.given.append((role, seconds))
        return [(place, [1.0] * 8) for place in range(len(texts))]

    def failure(self, error: Exception) -> RequestFailure:
        raise AssertionError(error)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("address", "query", "batch"),
    [
        ("https://embeddings.example.com/v1", 60.0, 120.0),
        ("https://8.8.8.8/v1", 60.0, 120.0),
        ("http://127.0.0.1:8080/v1", 300.0, 600.0),
        ("http://localhost:8080/v1", 300.0, 600.0),
        ("http://[::1]:8080/v1", 300.0, 600.0),
        ("http://192.168.1.7/v1", 300.0, 600.0),
        ("http://embeddings:80/v1", 300.0, 600.0),
        ("http://box.local/v1", 300.0, 600.0),
    ],
)
def test_a_server_nearby_is_given_more_time_and_a_batch_more_than_a_query(
    address: str, query: float, batch: float
) -> None:
    """B17: 60 s and 2 min, or 5 and 10 min where it is our own machine that works"""
    read = Options.read({"base_url": address, "model": "m", "dimensions": 8}, openai.VENDOR)
    api = Noting()
    made = RemoteEmbedder(read, api)
    made.embed_query("x")
    made.embed_documents(["x"])
    assert api.given == [("query", query), ("document", batch)]


def test_ollama_is_always_nearby() -> None:
    """B17"""
    assert Options.read({"host": "http://gpu.example.com"}, ollama.VENDOR).query_seconds == 300.0


# --- what is not worth another try ------------------------------------------------------------------------------------

REFUSALS = {
    400: "embedding.options.dimensions",
    401: "check embedding.options.api_key",
    403: "check embedding.options.api_key",
    404: "embedding.options.model",
    413: "embedding.max_chars",
    422: "embedding.options.dimensions",
}


@pytest.mark.parametrize(("status", "hint"), REFUSALS.items())
def test_a_refusal_is_final_and_names_what_to_mend(
    embedder: RemoteEmbedder, server: EmbeddingServer, provider: str, status: int, hint: str
) -> None:
    """B17"""
    server.replies(server.fail(status))
    error = failure(embedder)
    assert f"answered {status}" in error.message
    assert ("ollama pull small" if (provider, status) == ("ollama", 404) else hint) in error.hint
    assert len(server.requests) == 1


def test_a_key_that_google_does_not_know_is_told_as_one() -> None:
    """B17: Google answers 400 to it"""
    with embedding_server("gemini") as server:
        details = b'{"error": {"code": 400, "message": "m", "details": [{"reason": "API_KEY_INVALID"}]}}'
        server.replies(Reply(status=400, body=details))
        made = create("gemini", server)
        assert "embedding.options.api_key" in failure(made).hint
        made.close()


def with_numbers(change: Callable[[list[float]], Any]) -> Callable[[EmbeddingServer], None]:
    return lambda server: server.alters(lambda rows: [(place, change(numbers)) for place, numbers in rows])


def with_body(body: bytes, kind: str = "application/json") -> Callable[[EmbeddingServer], None]:
    return lambda server: server.replies(Reply(body=body, headers={"content-type": kind}))


BAD_ANSWERS: dict[str, Callable[[EmbeddingServer], None]] = {
    "truncated JSON": with_body(b'{"data": [{"embedding": [0.1, 0.'),
    "a web page": with_body(b"<html>my secret text</html>", "text/html"),
    "a web page that says it is JSON": with_body(b"<html>my secret text</html>"),
    "nothing at all": with_body(b""),
    "an empty object": with_body(b"{}"),
    "a list": with_body(b'["my secret text"]'),
    "odd types": with_body(b'{"data": 7, "embeddings": "my secret text", "usage": []}'),
    "bytes that are no text": with_body(b"\xff\xfe\x00"),
    "no vectors": lambda server: server.alters(lambda rows: []),
    "one too many": lambda server: server.alters(lambda rows: [*rows, (len(rows), rows[0][1])]),
    "a wrong dimension": with_numbers(lambda numbers: numbers[:-1]),
    "a number that is none": with_numbers(lambda numbers: [float("nan"), *numbers[1:]]),
    "infinity": with_numbers(lambda numbers: [float("inf"), *numbers[1:]]),
    "zeros": with_numbers(lambda numbers: [0.0] * len(numbers)),
}


@pytest.mark.parametrize("misbehave", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
def test_an_answer_that_is_none_is_not_believed(
    embedder: RemoteEmbedder, server: EmbeddingServer, misbehave: Callable[[EmbeddingServer], None]
) -> None:
    """B17: in one class of error, at once"""
    misbehave(server)
    error = failure(embedder)
    assert "answered" in error.message
    assert error.hint.startswith(("check that", "set embedding.options.dimensions"))
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", ["openai", "voyage"])
@pytest.mark.parametrize("places", [[0, 0], [1, 2], [0, None], [0, "1"]], ids=str)
def test_vectors_that_belong_to_no_text_are_not_believed(
    embedder: RemoteEmbedder, server: EmbeddingServer, places: list[Any]
) -> None:
    """B17"""
    server.alters(lambda rows: [(place, numbers) for place, (_, numbers) in zip(places, rows, strict=True)])
    with pytest.raises(EmbedderUnavailable, match="belong to no text"):
        embedder.embed_documents(["a", "b"])


def test_words_among_the_numbers_are_not_believed() -> None:
    """B17"""
    with embedding_server("openai") as server:
        server.alters(lambda rows: [(place, ["my secret text", *numbers[1:]]) for place, numbers in rows])
        made = create("openai", server)
        assert "does not consist of numbers" in failure(made).message
        made.close()


# --- keys and other secrets -------------------------------------------------------------------------------------------


def test_a_key_reaches_the_server_and_nothing_else(
    server: EmbeddingServer, provider: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """B18: no error, no repr, no log at any level, no fingerprint"""
    with caplog.at_level(logging.DEBUG):
        server.fails_then_answers(server.fail(500), server.fail(401))
        made = create(provider, server)
        error = failure(made)
        made.embed_documents([SECRET])
    assert all(KEY in str(headers) for headers in server.headers)
    assert SECRET in str(server.requests)
    options = Options.read({"api_key": KEY, "headers": {"x-token": KEY}}, openai.VENDOR)
    items = [repr(error), repr(made), repr(made.space), made.space.key, repr(options), caplog.text, *capfd.readouterr()]
    assert not [each for each in items if KEY in each or SECRET in each]
    made.close()


def test_the_fingerprint_tells_servers_apart_and_knows_no_secret() -> None:
    """B18: the endpoint is part of the key of the cache, without keys, cookies and passwords"""

    def endpoint(address: str = "http://box:8080/v1", **options: Any) -> str:
        given = {"base_url": address, "model": "m", "dimensions": 8} | options
        return openai.create(given, NOWHERE).space.endpoint

    same = [
        endpoint(),
        endpoint("http://box:8080/v1/"),
        endpoint("http://BOX:8080/v1"),
        endpoint("http://ada:hunter2@box:8080/v1"),
        endpoint(api_key="key-2"),
        endpoint(headers={"Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "k", "x-auth-token": "t"}),
    ]
    other = [
        endpoint("http://box:8081/v1"),
        endpoint("https://box:8080/v1"),
        endpoint("http://box:8080/v2"),
        endpoint(headers={"X-Deployment": "blue"}),
        endpoint(headers={"X-Deployment": "green"}),
    ]
    assert len(set(same)) == 1
    assert len({*same, *other}) == 1 + len(other)
    assert openai.create({}, NOWHERE).space.endpoint != endpoint()


def test_a_password_in_an_address_becomes_a_header(
    server: EmbeddingServer, provider: str, caplog: pytest.LogCaptureFixture
) -> None:
    """B18: HTTP libraries log the address of every request"""
    address = server.base_url.replace("http://", "http://ada:hunter%212@")
    made = create(provider, server, api_key=None, **{ADDRESS[provider]: address})
    with caplog.at_level(logging.DEBUG):
        made.embed_query("x")
        server.replies(server.fail(401))
        error = failure(made)
    assert server.headers[0]["authorization"] == "Basic " + base64.b64encode(b"ada:hunter!2").decode()
    assert "hunter" not in caplog.text + str(error) + repr(made.space)
    made.close()


@pytest.mark.parametrize("provider", ["openai", "ollama", "gemini"])
def test_headers_of_ones_own_are_sent(server: EmbeddingServer, provider: str) -> None:
    """B18"""
    made = create(provider, server, headers={"X-Deployment": "blue"})
    made.embed_query("x")
    assert server.headers[0]["x-deployment"] == "blue"
    made.close()


def test_the_vendors_key_does_not_reach_another_server(
    monkeypatch: pytest.MonkeyPatch, server: EmbeddingServer, provider: str
) -> None:
    """C6: a server of one's own gets the key that is named for it, or none"""
    for name in ("OPENAI_API_KEY", "OLLAMA_API_KEY", "GEMINI_API_KEY", "VOYAGE_API_KEY"):
        monkeypatch.setenv(name, "key-of-the-vendor")
    made = create(provider, server, api_key=None)
    assert made.embed_query("x") == expected("x")
    assert "key-of-the-vendor" not in str(server.headers)
    assert trouble_of(made) is None
    made.close()


@pytest.mark.parametrize(
    ("provider", "key", "host"),
    [
        ("openai", KEY, "api.openai.com:443"),
        ("gemini", KEY, "generativelanguage.googleapis.com:443"),
        ("voyage", KEY, "api.voyageai.com:443"),
        ("voyage", f"al-{KEY}", "ai.mongodb.com:443"),
    ],
)
def test_a_vendor_is_asked_at_its_own_address(
    monkeypatch: pytest.MonkeyPatch, provider: str, key: str, host: str
) -> None:
    """B16, B18: whatever the environment says, because another server would make other vectors under the same name"""
    with embedding_server(provider) as server, refusing_proxy() as (proxy, asked):
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.base_url)
        monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        made = PROVIDERS[provider].create({"api_key": key}, NOWHERE, patience=Patience(sleep=lambda _: None))
        assert "cannot be reached" in failure(made).message
        assert set(asked) == {host}
        assert server.requests == []
        made.close()


# --- keys: where they come from ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", ["openai", "gemini", "voyage"])
def test_without_a_key_the_hint_says_where_to_put_one(provider: str) -> None:
    """B16"""
    made = PROVIDERS[provider].create({}, NOWHERE)
    variable = f"{provider.upper()}_API_KEY"
    with pytest.raises(EmbedderUnavailable, match="there is no key for") as caught:
        made.embed_query(SECRET)
    assert "embedding.options.api_key" in caught.value.hint
    assert variable in caught.value.hint
    assert isinstance(trouble_of(made, thorough=True), EmbedderUnavailable)
    assert trouble_of(made) is None, "the SDK may still find one"
    keyless = PROVIDERS[provider].create({}, NOWHERE, variable=os.environ.get)
    assert "there is no key" in str(trouble_of(keyless)), "where the environment is known, it is known at once"
    made.close()


@pytest.mark.parametrize("provider", ["openai", "gemini", "voyage"])
def test_a_key_of_the_environment_is_seen_but_not_taken(monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    """B16: the SDK reads it by itself"""
    variable = f"{provider.upper()}_API_KEY"
    monkeypatch.setenv(variable, KEY)
    made = PROVIDERS[provider].create({}, NOWHERE, variable=os.environ.get)
    assert made.key_from == variable
    assert trouble_of(made) is None


def test_looking_thoroughly_is_one_request(embedder: RemoteEmbedder, server: EmbeddingServer) -> None:
    """B16"""
    assert trouble_of(embedder) is None
    assert server.requests == []
    assert trouble_of(embedder, thorough=True) is None
    assert len(server.requests) == 1
    server.replies(server.fail(401))
    found = trouble_of(embedder, thorough=True)
    assert isinstance(found, EmbedderUnavailable)
    assert "answered 401" in found.message


def test_a_variable_of_the_settings_becomes_the_key(
    monkeypatch: pytest.MonkeyPatch, server: EmbeddingServer, provider: str, tmp_path: Path
) -> None:
    """L6: `${ENV_VAR}`, from the file to the server"""
    (tmp_path / "cortex.toml").write_text(
        f'[embedding]\nprovider = "{provider}"\n[embedding.options]\napi_key = "${{MY_KEY}}"\nmodel = "small"\n'
        f'dimensions = 8\n{ADDRESS[provider]} = "{server.base_url}"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("MY_KEY", "key-of-mine")
    made = PROVIDERS[provider].create(settings.load(tmp_path).embedding.options, NOWHERE)
    assert made.embed_query("x") == expected("x")
    assert "key-of-mine" in str(server.headers)
    made.close()
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(InvalidRequest, match="MY_KEY, which is not set") as caught:
        PROVIDERS[provider].create(settings.load(tmp_path).embedding.options, NOWHERE)
    assert caught.value.field == "embedding.options.api_key"


def test_a_vector_is_cached_for_the_server_it_came_from(tmp_path: Path) -> None:
    """B18: keyed by provider, model, endpoint and text, whatever the key"""
    with embedding_server("openai") as one, embedding_server("openai") as other:
        for server, key in ((one, "a"), (one, "b"), (other, "a")):
            made = create("openai", server, api_key=key)
            cache = CachingEmbedder(made, tmp_path / "cache.sqlite", 100, FakeClock())
            assert cache.embed_query("x") == expected("x")
            cache.close()
            made.close()
        assert (len(one.requests), len(other.requests)) == (1, 1)


# --- models and options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "options", "model", "dimension", "prefixes"),
    [
        ("openai", {}, "text-embedding-3-small", 1536, ""),
        ("openai", {"model": "text-embedding-3-large"}, "text-embedding-3-large", 3072, ""),
        ("openai", {"model": "text-embedding-ada-002"}, "text-embedding-ada-002", 1536, ""),
        ("openai", {"model": "nomic-ai/nomic-embed-text-v1.5"}, None, 768, "search_query: |search_document: "),
        ("openai", {"model": "nomic-embed-text-v2-moe"}, None, 768, "search_query: |search_document: "),
        ("openai", {"model": "intfloat/e5-base-v2"}, None, 768, "query: |passage: "),
        ("openai", {"model": "BAAI/bge-small-en-v1.5"}, None, 384, f"{remote._PASSAGES}|"),
        ("openai", {"model": "bge-m3"}, None, 1024, ""),
        ("openai", {"model": "nomic-embed-text", "query_prefix": "", "document_prefix": ""}, None, 768, ""),
        ("ollama", {}, "nomic-embed-text", 768, "search_query: |search_document: "),
        ("ollama", {"model": "mxbai-embed-large:latest"}, None, 1024, f"{remote._PASSAGES}|"),
        ("ollama", {"model": "all-minilm:l6-v2"}, None, 384, ""),
        ("ollama", {"model": "mine", "dimensions": 99}, "mine", 99, ""),
        ("gemini", {}, "gemini-embedding-001", 3072, "RETRIEVAL_QUERY|RETRIEVAL_DOCUMENT"),
        ("gemini", {"dimensions": 768}, "gemini-embedding-001", 768, "RETRIEVAL_QUERY|RETRIEVAL_DOCUMENT"),
        ("voyage", {}, "voyage-4-large", 1024, "query|document"),
        ("voyage", {"model": "voyage-3-lite"}, "voyage-3-lite", 512, "query|document"),
    ],
)
def test_the_space_is_known_before_anybody_is_asked(
    provider: str, options: dict[str, Any], model: str | None, dimension: int, prefixes: str
) -> None:
    """B16, L6, X17: dimensions and prefixes by model"""
    space = PROVIDERS[provider].create(options, NOWHERE).space
    assert space.provider == provider
    assert space.model == (model or options["model"])
    assert (space.dimension, space.prefixes) == (dimension, prefixes)


def test_ollamas_default_is_nomic_with_its_prefixes() -> None:
    """X17"""
    with embedding_server("ollama", 768) as server:
        made = ollama.create({"host": server.address.removeprefix("http://")}, NOWHERE)
        assert made.embed_query("what?") == expected("search_query: what?", 768)
        assert made.embed_documents(["this"])[0] == expected("search_document: this", 768)
        assert {request["model"] for request in server.requests} == {"nomic-embed-text"}
        made.close()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("box", "http://box:11434"),
        ("box:1234", "http://box:1234"),
        (":1234", "http://127.0.0.1:1234"),
        ("http://box", "http://box"),
        ("https://box/ollama/", "https://box/ollama"),
        ("box/ollama", "http://box:11434/ollama"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:1234", "http://[::1]:1234"),
    ],
)
def test_a_host_may_be_written_as_ollama_writes_it(host: str, address: str) -> None:
    """X17: in the options, and in OLLAMA_HOST"""
    spaces = {
        ollama.create({"host": host}, NOWHERE).space.endpoint,
        ollama.create({}, NOWHERE, variable={"OLLAMA_HOST": host}.get).space.endpoint,
    }
    assert spaces == {remote.Endpoint(address).fingerprint}


def test_what_is_known_of_a_models_cosines_and_scripts_is_used() -> None:
    """B16: E5's cosines begin at 0.7, and some models read Latin script alone"""
    e5 = openai.create({"model": "e5-small-v2"}, NOWHERE).space
    assert (e5.calibration.floor, e5.reads("Привет, мир")) == (0.70, False)
    plain = openai.create({}, NOWHERE).space
    assert (plain.calibration.floor, plain.reads("Привет, мир")) == (0.0, True)


@pytest.mark.parametrize(
    ("options", "field", "hint"),
    [
        ({"modell": "x"}, "modell", "did you mean 'model'?"),
        ({"zzz": 1}, "zzz", "known: model"),
        ({"model": 5}, "model", "give a text"),
        ({"model": " "}, "model", "give a text"),
        ({"api_key": "${MY_KEY}"}, "api_key", "set MY_KEY"),
        ({"dimensions": 0}, "dimensions", "leave it out"),
        ({"dimensions": "768"}, "dimensions", "leave it out"),
        ({"dimensions": True}, "dimensions", "leave it out"),
        ({"batch_size": 0}, "batch_size", "leave it out"),
        ({"batch_size": 1.5}, "batch_size", "leave it out"),
        ({"timeout_s": -1}, "timeout_s", "leave it out"),
        ({"timeout_s": float("nan")}, "timeout_s", "leave it out"),
        ({"query_prefix": 7}, "query_prefix", "give a text"),
        ({"model": "nobody-knows-it"}, "dimensions", "the model's description"),
    ],
    ids=str,
)
def test_a_wrong_option_is_named(provider: str, options: dict[str, Any], field: str, hint: str) -> None:
    """X18, L6"""
    with pytest.raises(InvalidRequest) as caught:
        PROVIDERS[provider].create(options, NOWHERE)
    assert caught.value.field == f"embedding.options.{field}"
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("provider", "options", "field"),
    [
        ("openai", {"base_url": "http://box:1/v1"}, "model"),
        ("openai", {"base_url": "box:1/v1", "model": "bge-m3"}, "base_url"),
        ("openai", {"base_url": "http://box:99999/v1", "model": "bge-m3"}, "base_url"),
        ("openai", {"base_url": "http://box/v1?key=hunter2", "model": "bge-m3"}, "base_url"),
        ("openai", {"headers": "a: b"}, "headers"),
        ("openai", {"headers": {"x-token": "${MY_KEY}"}}, "headers.x-token"),
        ("openai", {"keep_alive": 5}, "keep_alive"),
        ("voyage", {"headers": {"a": "b"}}, "headers"),
        ("ollama", {"keep_alive": True}, "keep_alive"),
        ("ollama", {"host": ""}, "host"),
        ("ollama", {"host": "ftp://box"}, "host"),
    ],
    ids=str,
)
def test_a_wrong_address_or_header_is_named(provider: str, options: dict[str, Any], field: str) -> None:
    """X18, C6"""
    with pytest.raises(InvalidRequest) as caught:
        PROVIDERS[provider].create(options, NOWHERE)
    assert caught.value.field == f"embedding.options.{field}"
    assert "hunter2" not in str(caught.value)


def test_a_missing_extra_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, server: EmbeddingServer, provider: str
) -> None:
    """STYLE: each provider owns its install hint"""
    made = create(provider, server)
    monkeypatch.setitem(sys.modules, PROVIDERS[provider].VENDOR.sdk, None)
    with pytest.raises(ProviderMissing, match=rf"pip install 'memory-cortex\[{provider}\]'"):
        made.embed_query("x")
    found = trouble_of(made)
    assert isinstance(found, ProviderMissing)


def test_making_a_provider_imports_no_sdk() -> None:
    """STYLE: imported on use"""
    script = (
        "import sys; from pathlib import Path; from cortex.providers.embedders import auto, gemini, ollama, openai,"
        "voyage; made = [each.create({}, Path('x')) for each in (openai, ollama, gemini, voyage, auto)];"
        "[each.space.key and each.trouble() for each in made];"
        "print(sorted({'openai', 'ollama', 'google.genai', 'voyageai', 'httpx', 'httpx2', 'requests', 'pydantic'}"
        "& set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
