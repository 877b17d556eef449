"""B17: large document runs by the vendors' batch services, against servers on loopback that misbehave."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from batch_servers import DIMENSION, BatchServer, Script, batch_server

from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable, EngineError
from cortex.ports.provider import trouble_of
from cortex.providers.embedders.batch_embedder import (
    FAILURE_LIMIT,
    POLLS_UNANSWERED,
    BatchedEmbedder,
    BatchJobs,
    BatchProgress,
    BatchState,
)
from cortex.providers.embedders.batches import Answers
from cortex.providers.embedders.batches.gemini import GeminiBatches
from cortex.providers.embedders.batches.openai import OpenAIBatches
from cortex.providers.embedders.batches.voyage import VoyageBatches
from cortex.testing import FakeClock, FakeEmbedder

KEY = "key-1"
TEXTS = [f"a secret text {at}" for at in range(6)]
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GOOGLE_API_KEY", "GEMINI_API_KEY", "VOYAGE_API_KEY")

Jobs = Callable[..., Any]


@pytest.fixture(autouse=True)
def nothing_from_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The SDKs read the environment and the home directory; the machine's own must not matter here."""
    for name in (*VARIABLES, "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture(params=["openai", "gemini", "voyage"])
def vendor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(vendor: str) -> Iterator[BatchServer]:
    with batch_server(vendor) as server:
        yield server


@pytest.fixture
def jobs(vendor: str, server: BatchServer) -> Iterator[Jobs]:
    """Makes the vendor's service, spoken to by its real SDK."""
    clients: list[Any] = []

    def made(timeout: float = 10.0, dimensions: int | None = None, **limits: int) -> BatchJobs:
        if vendor == "openai":
            openai = pytest.importorskip("openai")
            clients.append(openai.OpenAI(api_key=KEY, base_url=f"{server.address}/v1"))
            return OpenAIBatches(clients[-1], "small", dimensions, timeout=timeout, **limits)
        if vendor == "gemini":
            genai = pytest.importorskip("google.genai")
            clients.append(genai.Client(api_key=KEY, http_options={"base_url": server.address}))
            return GeminiBatches(clients[-1], "small", dimensions, timeout=timeout, **limits)
        pytest.importorskip("requests")
        return VoyageBatches(KEY, f"{server.address}/v1/", "small", dimensions, timeout=timeout, **limits)

    yield made
    for client in clients:
        client.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def batched(service: BatchJobs, clock: FakeClock, inner: FakeEmbedder | None = None, **how: Any) -> BatchedEmbedder:
    return BatchedEmbedder(
        inner or FakeEmbedder(DIMENSION),
        lambda: service,
        **({"at_least": 2, "monotonic": clock.monotonic, "sleep": clock.advance} | how),
    )


def synchronous(texts: Sequence[str]) -> list[Vector]:
    return FakeEmbedder(DIMENSION).embed_documents(texts)


def same(found: Sequence[Vector], expected: Sequence[Vector]) -> bool:
    return len(found) == len(expected) and all(
        np.allclose(one, other, atol=1e-6) for one, other in zip(found, expected, strict=True)
    )


# --- what goes well --------------------------------------------------------------------------------------------


def test_B17_a_large_run_goes_by_a_job_and_comes_back_in_order(
    jobs: Jobs, server: BatchServer, clock: FakeClock
) -> None:
    """B17: several polls, and answers that come last text first"""
    inner = FakeEmbedder(DIMENSION)
    embedder = batched(jobs(), clock, inner)
    vectors = embedder.embed_documents(TEXTS)
    assert same(vectors, synchronous(TEXTS))
    assert all(vector.dtype == np.float32 and vector.shape == (DIMENSION,) for vector in vectors)
    assert inner.documents == [], "nothing was paid for twice"
    assert (len(server.jobs), server.steps.count("upload"), server.steps.count("create")) == (1, 1, 1)
    assert server.steps.count("poll") >= 3
    assert server.keys <= {KEY, f"Bearer {KEY}"}
    assert embedder.batch_status() == {"enabled": True, "failures": 0, "limit": 2, "used": 6}


def test_B17_a_job_says_what_the_vendor_needs_to_know(
    jobs: Jobs, vendor: str, server: BatchServer, clock: FakeClock
) -> None:
    batched(jobs(dimensions=DIMENSION), clock).embed_documents(TEXTS)
    (job,) = server.jobs
    line, request = job.lines[0], job.request
    if vendor == "openai":
        body = {"model": "small", "input": TEXTS[0], "encoding_format": "float", "dimensions": DIMENSION}
        assert line == {"custom_id": "text-0", "method": "POST", "url": "/v1/embeddings", "body": body}
        assert (request["endpoint"], request["completion_window"]) == ("/v1/embeddings", "24h")
    elif vendor == "voyage":
        assert line == {"custom_id": "text-0", "body": {"input": [TEXTS[0]]}}
        assert (request["endpoint"], request["completion_window"]) == ("/v1/embeddings", "12h")
        options = {"model": "small", "input_type": "document", "output_dimension": DIMENSION}
        assert request["request_params"] == options
    else:
        assert line["key"] == "text-0"
        options = {"model": "models/small", "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": DIMENSION}
        assert line["request"] == options | {"content": {"parts": [{"text": TEXTS[0]}]}}
        assert request["model"] == "small"


def test_B17_both_ways_embed_the_same_text(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    """The prefix of a document is put before it for the job; the inner embedder puts its own."""
    inner = FakeEmbedder(DIMENSION)
    embedder = batched(jobs(), clock, inner, prepare=lambda text: f"passage: {text}")
    embedder.embed_documents(TEXTS)
    assert server.texts(server.jobs[0]) == [f"passage: {text}" for text in TEXTS]
    server.script = Script(ends="failed")
    embedder.embed_documents(TEXTS)
    assert inner.documents == TEXTS


@pytest.mark.parametrize("text", ["漢字 und Ümläute 🦀", 'a "quoted"\nline\u2028and another', "\x00 and \\ and \x85"])
def test_B17_any_text_arrives_as_it_is(jobs: Jobs, server: BatchServer, clock: FakeClock, text: str) -> None:
    found = batched(jobs(), clock).embed_documents([text, "plain"])
    assert server.texts(server.jobs[0]) == [text, "plain"]
    assert same(found, synchronous([text, "plain"]))


def test_B17_a_text_given_twice_is_sent_once(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    given = ["a", "b", "a", "c", "b", "a"]
    assert same(batched(jobs(), clock).embed_documents(given), synchronous(given))
    assert server.texts(server.jobs[0]) == ["a", "b", "c"]


def test_B17_a_vector_of_any_length_comes_back_as_a_unit_vector(
    jobs: Jobs, server: BatchServer, clock: FakeClock
) -> None:
    server.script = Script(vector=lambda text: [3.0, 4.0] + [0.0] * (DIMENSION - 2))
    for vector in batched(jobs(), clock).embed_documents(TEXTS):
        assert vector.tolist() == pytest.approx([0.6, 0.8] + [0.0] * (DIMENSION - 2))


def test_B17_a_run_is_cut_by_the_number_of_texts_a_job_takes(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    embedder = batched(jobs(max_texts=2), clock)
    assert same(embedder.embed_documents(TEXTS[:5]), synchronous(TEXTS[:5]))
    assert [server.texts(job) for job in server.jobs] == [TEXTS[:2], TEXTS[2:4], TEXTS[4:5]]
    assert embedder.batch_status()["used"] == 5


@pytest.mark.parametrize(
    "texts", [["é" * 100 * size for size in range(1, 9)], [f"short {at}" for at in range(60)]], ids=["long", "many"]
)
def test_B17_a_run_is_cut_by_the_size_of_its_file(
    jobs: Jobs, server: BatchServer, clock: FakeClock, texts: list[str]
) -> None:
    """No file is larger than the limit, in bytes as they are sent"""
    batched(jobs(max_bytes=8_000), clock).embed_documents(texts)
    assert [text for job in server.jobs for text in server.texts(job)] == texts
    assert 1 < len(server.jobs) < len(texts)
    assert max(job.size for job in server.jobs) <= 8_000


def test_B17_the_key_is_ours_whatever_the_home_directory_holds(
    jobs: Jobs, server: BatchServer, clock: FakeClock
) -> None:
    """Clients of HTTP look there for passwords of a host."""
    (Path.home() / ".netrc").write_text("machine 127.0.0.1 login somebody password else\n")
    batched(jobs(), clock).embed_documents(TEXTS)
    assert len(server.jobs) == 1
    assert server.keys <= {KEY, f"Bearer {KEY}"}


def test_B17_voyage_takes_the_key_and_the_headers_it_is_given(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a key, the one its SDK looks for; a server of one's own may want headers, as a proxy does."""
    pytest.importorskip("voyageai")
    with batch_server("voyage") as server:
        monkeypatch.setenv("VOYAGE_API_KEY", "key-2")
        batched(VoyageBatches(None, f"{server.address}/v1", "small"), clock).embed_documents(TEXTS)
        assert server.keys == {"Bearer key-2"}
        server.keys.clear()
        headers = {"Authorization": "Basic c29tZWJvZHk6ZWxzZQ=="}
        service = VoyageBatches(KEY, f"{server.address}/v1", "small", headers=headers)
        batched(service, clock).embed_documents(TEXTS)
        assert server.keys == {"Basic c29tZWJvZHk6ZWxzZQ=="}


def test_B17_nothing_is_left_with_the_vendor(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    """The texts of a job, and its vectors, are deleted there once it has ended, well or badly."""
    embedder = batched(jobs(), clock)
    embedder.embed_documents(TEXTS)
    assert server.files == {}
    server.script = Script(failing=frozenset({1}))
    embedder.embed_documents(TEXTS)
    assert server.files == {}
    server.script = Script(refused={"create": 500})
    embedder.embed_documents(TEXTS)
    assert server.files == {}


def test_B17_what_cannot_be_deleted_spoils_nothing(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    server.script = Script(refused={"delete": 500})
    embedder = batched(jobs(), clock)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert embedder.batch_status()["failures"] == 0


# --- what goes synchronously -----------------------------------------------------------------------------------


def test_B17_few_texts_and_queries_go_synchronously(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    inner = FakeEmbedder(DIMENSION)
    embedder = batched(jobs(), clock, inner, at_least=3)
    embedder.embed_documents(["one", "two", "two", "two"])
    embedder.embed_query("a question")
    assert embedder.embed_documents([]) == []
    assert (inner.documents, inner.queries, server.steps) == (["one", "two"], ["a question"], [])


def test_B17_by_default_two_hundred_texts_are_a_large_run(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    embedder = BatchedEmbedder(FakeEmbedder(DIMENSION), jobs, monotonic=clock.monotonic, sleep=clock.advance)
    texts = [f"text {at}" for at in range(200)]
    embedder.embed_documents(texts[:199])
    assert server.steps == []
    assert same(embedder.embed_documents(texts), synchronous(texts))
    assert server.texts(server.jobs[0]) == texts


# --- what goes wrong -------------------------------------------------------------------------------------------

MISBEHAVIOURS = {
    "upload refused": Script(refused={"upload": 500}),
    "job refused": Script(refused={"create": 429}),
    "job without an id": Script(nameless=True),
    "job failed": Script(ends="failed"),
    "job expired": Script(ends="expired"),
    "job cancelled by somebody": Script(ends="cancelled"),
    "polls refused": Script(refused={"poll": 503}),
    "some texts failed": Script(failing=frozenset({1, 4})),
    "all texts failed": Script(failing=frozenset(range(6))),
    "a text left out": Script(left_out=frozenset({3})),
    "output cut": Script(cut=40),
    "output broken off": Script(broken=True),
    "output refused": Script(refused={"content": 404}),
    "wrong dimension": Script(vector=lambda text: [1.0] * (DIMENSION + 1)),
    "one wrong dimension": Script(vector=lambda text: [1.0] * (DIMENSION - text.endswith("3"))),
    "NaN": Script(vector=lambda text: [float("nan")] * DIMENSION),
    "infinity": Script(vector=lambda text: [1e39] * DIMENSION),
    "zero": Script(vector=lambda text: [0.0] * DIMENSION),
    "no numbers": Script(vector=lambda text: ["one"] * DIMENSION),
    "no list": Script(vector=lambda text: "none"),
    "nothing": Script(vector=lambda text: None),
    "a number beyond all": Script(vector=lambda text: [10**400] * DIMENSION),
}


@pytest.mark.parametrize("misbehaviour", MISBEHAVIOURS)
def test_B17_the_texts_of_a_failed_job_are_embedded_synchronously_at_once(
    jobs: Jobs, server: BatchServer, clock: FakeClock, misbehaviour: str, caplog: pytest.LogCaptureFixture
) -> None:
    """B17: nothing is lost, the failure counts, and neither key nor text is logged"""
    server.script = MISBEHAVIOURS[misbehaviour]
    inner = FakeEmbedder(DIMENSION)
    embedder = batched(jobs(), clock, inner)
    with caplog.at_level(logging.INFO):
        assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert inner.documents == TEXTS
    assert embedder.batch_status() == {"enabled": True, "failures": 1, "limit": FAILURE_LIMIT, "used": 0}
    assert [record.getMessage() for record in caplog.records if record.name == "cortex"][-1].startswith(
        "batch embedding of 6 texts failed: "
    )
    assert not any(hidden in caplog.text for hidden in ("secret", KEY, "Traceback"))


@pytest.mark.parametrize(
    ("script", "text"),
    [
        (Script(failing=frozenset({1, 4})), "no vector for 2 of 6 texts: 2 failed, 0 missing"),
        (Script(left_out=frozenset({3})), "no vector for 1 of 6 texts: 0 failed, 1 missing"),
        (Script(failing=frozenset({0}), left_out=frozenset({3, 5})), "no vector for 3 of 6 texts: 1 failed, 2 missing"),
        (Script(refused={"content": 404}), "404"),
    ],
)
def test_B17_an_answer_with_gaps_says_how_many(jobs: Jobs, server: BatchServer, script: Script, text: str) -> None:
    server.script = script
    script.polls = 0
    service = jobs()
    job = service.submit(TEXTS)
    assert service.poll(job).state is BatchState.DONE
    with pytest.raises(EmbedderUnavailable, match=text) as caught:
        service.collect(job)
    assert "secret" not in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("step", ["upload", "create", "poll", "cancel"])
def test_B17_a_refusal_is_told_by_its_status_alone(jobs: Jobs, server: BatchServer, step: str) -> None:
    service = jobs()
    job = service.submit(TEXTS)
    server.script = Script(refused={step: 503})
    calls = {"poll": lambda: service.poll(job), "cancel": lambda: service.cancel(job)}
    with pytest.raises(EmbedderUnavailable, match="503") as caught:
        calls.get(step, lambda: service.submit(TEXTS))()
    assert "secret" not in str(caught.value)
    assert KEY not in str(caught.value)


def test_B17_a_service_that_is_not_there_is_a_failure(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    service = jobs()
    server.close()
    embedder = batched(service, clock)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert embedder.batch_status()["failures"] == 1


@pytest.mark.parametrize(
    ("reason", "text"), [("invalid_json_line", "invalid_json_line"), ("it says: a secret text 0", "")]
)
def test_B17_progress_tells_why_a_job_failed_by_name(
    jobs: Jobs, vendor: str, server: BatchServer, reason: str, text: str
) -> None:
    """Gemini's SDK hands out no reason; a reason that is a sentence may repeat a text."""
    server.script = Script(polls=1, ends="failed", reason=reason)
    service = jobs()
    job = service.submit(TEXTS)
    first, second = service.poll(job), service.poll(job)
    assert (first.state, first.total) == (BatchState.WAITING, 6)
    assert second.state is BatchState.FAILED
    assert second.reason == ("" if vendor == "gemini" else text)


@pytest.mark.parametrize(
    "wrong",
    [
        {"error": {"code": "rate_limited"}},
        {"response": {"status_code": 500, "body": {"data": [{"embedding": [1.0]}]}}},
        {"response": {"status_code": 200, "body": {"data": []}}},
        {"response": "none"},
        {"custom_id": "text-7"},
        {"custom_id": 0},
    ],
    ids=str,
)
def test_B17_only_a_line_that_says_it_went_well_is_believed(wrong: dict[str, Any]) -> None:
    """B17: OpenAI's and Voyage's lines, whatever else stands in them"""
    right = {"custom_id": "text-0", "response": {"status_code": 200, "body": {"data": [{"embedding": [1.0]}]}}}
    answers = Answers("Somebody", 1)
    answers.take_line(right | wrong)
    with pytest.raises(EmbedderUnavailable, match="no vector for 1 of 1 texts"):
        answers.vectors()
    answers.take_line(right)
    assert [vector.tolist() for vector in answers.vectors()] == [[1.0]]


# --- waiting ---------------------------------------------------------------------------------------------------


def test_B17_polls_come_ever_more_seldom(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    """B17: from two seconds to a minute"""
    server.script = Script(polls=8)
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        clock.advance(seconds)

    batched(jobs(), clock, sleep=sleep).embed_documents(TEXTS)
    assert pauses == [2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_B17_a_job_that_takes_too_long_is_cancelled(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    server.script = Script(ends="never")
    inner = FakeEmbedder(DIMENSION)
    began = clock.monotonic()
    embedder = batched(jobs(), clock, inner, timeout_s=100.0)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert server.jobs[0].cancelled
    assert clock.monotonic() - began == 100.0, "the last pause is cut to the time left"
    assert (inner.documents, embedder.batch_status()["failures"], server.files) == (TEXTS, 1, {})


def test_B17_by_default_a_job_has_an_hour(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    server.script = Script(ends="never")
    began = clock.monotonic()
    batched(jobs(), clock).embed_documents(TEXTS)
    assert clock.monotonic() - began == 3_600.0


@pytest.mark.parametrize("step", ["upload", "create", "content"])
def test_B17_a_request_that_hangs_does_not_hang_the_run(
    jobs: Jobs, server: BatchServer, clock: FakeClock, step: str
) -> None:
    server.script = Script(hanging=frozenset({step}))
    embedder = batched(jobs(timeout=0.2), clock)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert (server.steps.count(step), embedder.batch_status()["failures"]) == (1, 1)


def test_B17_a_poll_that_hangs_does_not_hang_the_run(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    server.script = Script(hanging=frozenset({"poll"}))
    embedder = batched(jobs(timeout=0.2), clock)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert server.steps.count("poll") == POLLS_UNANSWERED
    assert server.jobs[0].cancelled
    assert embedder.batch_status()["failures"] == 1


def test_B17_a_poll_or_two_without_an_answer_are_no_failure(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    def sleep(seconds: float) -> None:
        clock.advance(seconds)
        polls = server.steps.count("poll")
        server.script.refused = {"poll": 503} if polls in (0, 1, 3, 4) else {}

    server.script = Script(polls=2)
    embedder = batched(jobs(), clock, sleep=sleep)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert embedder.batch_status() == {"enabled": True, "failures": 0, "limit": 2, "used": 6}


def test_B17_a_job_that_cannot_even_be_cancelled_is_left(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    server.script = Script(ends="never", refused={"cancel": 500})
    embedder = batched(jobs(), clock)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert "cancel" in server.steps


def test_B17_an_interrupted_run_cancels_its_job(jobs: Jobs, server: BatchServer, clock: FakeClock) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    inner = FakeEmbedder(DIMENSION)
    with pytest.raises(KeyboardInterrupt):
        batched(jobs(), clock, inner, sleep=interrupted).embed_documents(TEXTS)
    assert server.jobs[0].cancelled
    assert inner.documents == []


# --- two failures, and the service is off ------------------------------------------------------------------------


def test_B17_after_two_failures_the_service_is_not_asked_again(
    jobs: Jobs, server: BatchServer, clock: FakeClock
) -> None:
    server.script = Script(ends="failed")
    inner = FakeEmbedder(DIMENSION)
    embedder = batched(jobs(), clock, inner)
    embedder.embed_documents(TEXTS)
    embedder.embed_documents(TEXTS)
    assert embedder.batch_status() == {"enabled": False, "failures": 2, "limit": 2, "used": 0}
    server.script = Script()
    steps = list(server.steps)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert server.steps == steps
    assert inner.documents == TEXTS * 3


def test_B17_a_success_between_two_failures_forgives_the_first(
    jobs: Jobs, server: BatchServer, clock: FakeClock
) -> None:
    embedder = batched(jobs(), clock)
    for ends, failures in [("failed", 1), ("done", 0), ("expired", 1), ("done", 0)]:
        server.script = Script(ends=ends)
        embedder.embed_documents(TEXTS)
        assert embedder.batch_status()["failures"] == failures
    assert embedder.batch_status() == {"enabled": True, "failures": 0, "limit": 2, "used": 12}


def test_B17_two_failed_parts_of_one_run_send_the_rest_synchronously(
    jobs: Jobs, server: BatchServer, clock: FakeClock
) -> None:
    server.script = Script(ends="failed")
    inner = FakeEmbedder(DIMENSION)
    embedder = batched(jobs(max_texts=1), clock, inner)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert len(server.jobs) == 2
    assert inner.documents == TEXTS


# --- the embedder itself, with a service of our own ------------------------------------------------------------


class Service:
    """A service that answers at once, as it is told to."""

    max_texts, max_bytes = 100, 1_000_000

    def __init__(self, collect: Callable[[list[str]], list[Vector]] = synchronous) -> None:
        self._collect = collect
        self._texts: dict[str, list[str]] = {}

    def submit(self, texts: Sequence[str]) -> str:
        job = f"job-{len(self._texts)}"
        self._texts[job] = list(texts)
        return job

    def poll(self, job: str) -> BatchProgress:
        return BatchProgress(BatchState.DONE)

    def collect(self, job: str) -> list[Vector]:
        return self._collect(self._texts[job])

    def cancel(self, job: str) -> None:
        pass

    def discard(self, job: str) -> None:
        pass


def test_B17_a_service_that_cannot_be_made_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    """B17: an SDK that is absent, or a key: the inner embedder says what is wrong, if anything"""

    def jobs() -> BatchJobs:
        raise ImportError("a secret path")

    embedder = BatchedEmbedder(FakeEmbedder(DIMENSION), jobs, at_least=2)
    for _ in range(3):
        assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert embedder.batch_status() == {"enabled": False, "failures": 2, "limit": 2, "used": 0}
    assert [record.getMessage().count("ImportError") for record in caplog.records] == [1, 1]
    assert "secret" not in caplog.text


def test_B17_the_service_is_made_on_its_first_use_and_once(clock: FakeClock) -> None:
    made: list[Service] = []

    def jobs() -> Service:
        made.append(Service())
        return made[-1]

    embedder = BatchedEmbedder(
        FakeEmbedder(DIMENSION), jobs, at_least=2, monotonic=clock.monotonic, sleep=clock.advance
    )
    embedder.embed_query("a question")
    assert made == []
    embedder.embed_documents(TEXTS)
    embedder.embed_documents(TEXTS)
    assert len(made) == 1


def test_B17_vectors_are_never_paired_with_the_wrong_text(clock: FakeClock) -> None:
    """B18: a service that answers too few is not believed, nor is an inner embedder that does"""
    inner = FakeEmbedder(DIMENSION)
    embedder = batched(Service(lambda texts: synchronous(texts[1:])), clock, inner)
    assert same(embedder.embed_documents(TEXTS), synchronous(TEXTS))
    assert inner.documents == TEXTS

    class Short(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
            return super().embed_documents(texts)[1:]

    with pytest.raises(EmbedderUnavailable, match="1 vectors for 2 texts"):
        batched(Service(), clock, Short(DIMENSION), at_least=3).embed_documents(["a", "b"])


def test_B17_where_both_ways_fail_the_synchronous_error_is_told(clock: FakeClock) -> None:
    inner = FakeEmbedder(DIMENSION)
    inner.fail()
    with pytest.raises(EmbedderUnavailable, match="set to fail") as caught:
        batched(Service(lambda texts: []), clock, inner).embed_documents(TEXTS)
    assert caught.value.__context__ is None, "the failed job is told in the log, not with this"


def test_B17_once_off_a_job_still_under_way_does_not_turn_it_on(clock: FakeClock) -> None:
    """Runs may go on beside each other: the first here is answered after two others have failed."""
    reached, may_answer = threading.Event(), threading.Event()

    def collect(texts: list[str]) -> list[Vector]:
        if texts != TEXTS:
            return []
        reached.set()
        assert may_answer.wait(10)
        return synchronous(texts)

    embedder = batched(Service(collect), clock)
    slow = threading.Thread(target=embedder.embed_documents, args=(TEXTS,))
    slow.start()
    assert reached.wait(10)
    embedder.embed_documents(["a", "b"])
    embedder.embed_documents(["c", "d"])
    may_answer.set()
    slow.join()
    assert embedder.batch_status() == {"enabled": False, "failures": 2, "limit": 2, "used": 6}


def test_B17_it_is_the_inner_embedder_in_everything_else(clock: FakeClock) -> None:
    class Troubled(FakeEmbedder):
        closed = False

        def trouble(self, *, thorough: bool = False) -> EngineError | None:
            return EmbedderUnavailable("no key") if thorough else None

        def close(self) -> None:
            self.closed = True

    inner = Troubled(DIMENSION)
    embedder = batched(Service(), clock, inner)
    assert embedder.space == inner.space
    assert trouble_of(embedder) is None
    assert str(trouble_of(embedder, thorough=True)) == "no key"
    embedder.close()
    assert inner.closed
