"""A real model behind a real server: what the openai provider and the guard do with it, and when it dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import llama_server
import pytest
from llama_server import LlamaServer

from cortex.capture.extraction import extract
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind
from cortex.domain.turn import Turn
from cortex.errors import LlmUnavailable, ModelUnavailable
from cortex.providers.llms import openai
from cortex.providers.llms.breaker import PAUSE_SECONDS
from cortex.providers.llms.budget import Budget, BudgetLimits
from cortex.providers.llms.guard import GuardedLLM
from cortex.providers.rerankers.llm import LlmReranker
from cortex.stores.file_documents import FileDocuments
from cortex.testing import FakeClock

YES_OR_NO = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def gguf() -> Path:
    if not llama_server.installed():
        pytest.skip("xllamacpp is not installed: it has no wheel for every platform")
    try:
        return llama_server.model(Path(os.environ["CORTEX_MODELS"]))
    except ModelUnavailable as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"the model is not here and cannot be fetched: {error}")


@pytest.fixture(scope="module")
def server(gguf: Path) -> Iterator[LlamaServer]:
    running = LlamaServer(gguf)
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def spending(tmp_path: Path, clock: FakeClock) -> Budget:
    limits = BudgetLimits(calls_per_hour=50, calls_per_day=50, tokens_per_hour=50_000, tokens_per_day=50_000)
    return Budget(FileDocuments(tmp_path), limits, clock)


def model(server: LlamaServer, *, timeout: float = 60.0, name: str = "smollm2") -> openai.OpenaiLLM:
    return openai.create({"base_url": server.base_url, "model": name, "temperature": 0}, timeout)


def ask(llm: Any, max_tokens: int = 12, **how: Any) -> Any:
    return llm.complete(**({"system": "You answer briefly.", "prompt": "Say hello.", "max_tokens": max_tokens} | how))


def test_a_real_model_answers_and_counts(server: LlamaServer, spending: Budget, clock: FakeClock) -> None:
    """X11, C16: the whole way, from the guard to the model and back to the meter"""
    guarded = GuardedLLM(model(server), spending, clock, timeout=60.0)
    answer = ask(guarded)
    assert answer.text.strip()
    assert answer.input_tokens > 10
    assert 0 < answer.output_tokens <= 12
    assert spending.meter().hour.tokens == answer.input_tokens + answer.output_tokens
    guarded.close()


def test_a_tiny_limit_cuts_the_answer(server: LlamaServer) -> None:
    """X11"""
    llm = model(server)
    assert ask(llm, max_tokens=1).output_tokens == 1
    llm.close()


def test_a_real_server_holds_a_model_to_a_schema(server: LlamaServer) -> None:
    """X11: even one too small to understand it"""
    llm = model(server)
    assert "".join(ask(llm, max_tokens=40, schema=YES_OR_NO).text.split()) in ('{"answer":"yes"}', '{"answer":"no"}')
    llm.close()


def test_a_server_with_one_model_answers_by_it_whatever_name_is_asked_for(server: LlamaServer) -> None:
    """X11: llama.cpp runs one model, and does not mind the name"""
    llm = model(server, name="no-such-model")
    assert ask(llm).text
    llm.close()


def test_a_prompt_beyond_the_context_is_rejected(server: LlamaServer) -> None:
    """C16"""
    llm = model(server)
    with pytest.raises(LlmUnavailable) as caught:
        ask(llm, prompt="word " * (llama_server.CONTEXT * 2))
    assert caught.value.reason == "rejected"
    assert "word" not in caught.value.message
    llm.close()


def test_a_slow_answer_is_given_up_and_the_next_one_comes(server: LlamaServer) -> None:
    """C16"""
    hasty, patient = model(server, timeout=0.05), model(server)
    with pytest.raises(LlmUnavailable) as caught:
        ask(hasty, max_tokens=1_500, prompt="Write a long story about the sea.")
    assert caught.value.reason == "timeout"
    assert ask(patient).text
    hasty.close()
    patient.close()


@pytest.mark.slow
def test_a_weak_model_never_becomes_an_exception_or_an_invention(server: LlamaServer) -> None:
    """X11: whatever it says, every candidate was said"""
    said = Turn(
        id=TraceId("1"),
        text="I play the cello in Lisbon",
        session="s",
        seq=0,
        created_at=datetime(2026, 1, 5, tzinfo=UTC),
    )
    llm = model(server, timeout=300.0)
    result = extract([said], llm, classify=lambda _: Kind.OTHER, max_tokens=16)
    assert result.candidates or result.problems
    assert all(each.source_turns == (said.id,) for each in result.candidates)
    llm.close()


@pytest.mark.slow
def test_a_weak_model_can_only_move_what_it_was_shown(server: LlamaServer) -> None:
    """X10: its order is one of the candidates, or none that can be used"""
    llm = model(server, timeout=300.0)
    texts = ["The deploy key rotates on Mondays", "Peanuts are in the cabinet"]
    scores, reasons = [], []
    try:
        scores = LlmReranker(llm).scores("When does the deploy key rotate?", texts)
    except LlmUnavailable as error:
        reasons.append(error.reason)
    assert len(scores) == len(texts) or reasons == ["bad_answer"]
    assert set(scores) <= {1.0, 2.0, None}
    llm.close()


def test_a_server_killed_midway_opens_the_breaker(gguf: Path, spending: Budget, clock: FakeClock) -> None:
    """C16: the answer is lost, nobody hangs, and the dead server is soon not asked any more"""
    doomed = LlamaServer(gguf)
    guarded = GuardedLLM(model(doomed), spending, clock, timeout=60.0)
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(ask, guarded, 1_500, prompt="Write a long story about the sea.")
        doomed.wait_until_busy()
        doomed.kill()
        with pytest.raises(LlmUnavailable) as caught:
            under_way.result(30)
    assert caught.value.reason == "unreachable"
    reasons = []
    for _ in range(3):
        with pytest.raises(LlmUnavailable) as caught:
            ask(guarded)
        reasons.append(caught.value.reason)
    assert reasons == ["unreachable", "unreachable", "paused"]
    clock.advance(PAUSE_SECONDS)
    assert guarded.status()["breaker"]["state"] == "half-open"
    guarded.close()
