"""Fakes for tests, of Cortex and of what is built on it: small, deterministic, and without I/O."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from cortex.domain.identity import format_uuid7
from cortex.domain.text import estimate_tokens
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, unit
from cortex.errors import EmbedderUnavailable, LlmUnavailable, RerankerUnavailable
from cortex.ports.llm import Completion
from cortex.ports.reranker import ScoreScale

_WORD = re.compile(r"\w+")


class FakeClock:
    """A clock that stands still until it is advanced."""

    def __init__(self, now: datetime = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)) -> None:
        self._now = now
        self._monotonic = 1_000.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, by: timedelta | float) -> None:
        """Let time pass, in seconds or as a timedelta."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        self._now += step
        self._monotonic += step.total_seconds()

    def set(self, now: datetime) -> None:
        """Have it show another time, as when a clock is set; no time passes."""
        self._now = now


class CountingIds:
    """Ids that look like UUIDv7 and count up: the first made at a time is always the same."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def __call__(self, at: datetime) -> str:
        with self._lock:
            self._count += 1
            return format_uuid7(int(at.timestamp() * 1000), self._count)


class FakeEmbedder:
    """Vectors of hashed words: texts that share words are near, and all is the same on every run.

    Set `failure` to make it fail, `answer_dimension` to make it answer vectors of a wrong size, and `stall` to an
    event it then waits for. `queries` and `documents` keep its inputs.
    """

    def __init__(
        self,
        dimension: int = 64,
        *,
        model: str = "words",
        failure: Exception | None = None,
        answer_dimension: int | None = None,
        stall: threading.Event | None = None,
    ) -> None:
        # Cosines of hashed words are what they are: a scale of their own would make every test depend on its texts.
        self._space = EmbeddingSpace(provider="fake", model=model, dimension=dimension, calibration=Calibration())
        self.failure = failure
        self.answer_dimension = answer_dimension
        self.stall = stall
        self.queries: list[str] = []
        self.documents: list[str] = []

    @property
    def space(self) -> EmbeddingSpace:
        return self._space

    def fail(self) -> None:
        """Be unavailable from now on."""
        self.failure = EmbedderUnavailable("the fake embedder was set to fail")

    def embed_query(self, text: str) -> Vector:
        self.queries.append(text)
        return self._vector(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.documents.extend(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        if self.stall is not None:
            self.stall.wait()
        if self.failure is not None:
            raise self.failure
        vector = np.zeros(self.answer_dimension or self._space.dimension, np.float32)
        for word in _words(text) or [""]:
            digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            vector[int.from_bytes(digest[:4], "big") % len(vector)] += 1.0 if digest[4] & 1 else -1.0
        if not vector.any():  # opposite words may cancel out; a unit vector is owed all the same
            vector[0] = 1.0
        return unit(vector)


class FakeReranker:
    """Scores a text by the share of the query's words in it; `stall` set to an event makes it wait."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.stall: threading.Event | None = None
        self.scale = ScoreScale.SCORE
        self.least_seconds = 0.0
        self.calls: list[tuple[str, tuple[str, ...]]] = []

    @property
    def name(self) -> str:
        return "fake/overlap"

    def fail(self) -> None:
        """Be unavailable from now on."""
        self.failure = RerankerUnavailable("the fake reranker was set to fail")

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.calls.append((query, tuple(texts)))
        if self.stall is not None:
            self.stall.wait()
        if self.failure is not None:
            raise self.failure
        wanted = set(_words(query))
        return [len(wanted & set(_words(text))) / max(1, len(wanted)) for text in texts]


class FakeLLM:
    """Answers from a list, in order, or by a function of the prompt; `prompts` keeps its inputs."""

    def __init__(self, answers: Iterable[str] | Callable[[str], str] = ()) -> None:
        self._answers = answers if callable(answers) else iter(answers)
        self.prompts: list[tuple[str, str]] = []

    @property
    def name(self) -> str:
        return "fake/script"

    def complete(
        self,
        *,
        system: str,
        prompt: str,
        max_tokens: int,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - its answers are fixed
    ) -> Completion:
        self.prompts.append((system, prompt))
        if callable(self._answers):
            answer = self._answers(prompt)
        elif (answer := next(self._answers, "")) == "":
            raise LlmUnavailable("the fake model has no answer left")
        answer = answer[: max_tokens * 4]
        return Completion(answer, estimate_tokens(system + prompt), estimate_tokens(answer))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
