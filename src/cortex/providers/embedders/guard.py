"""What holds for every embedder, built-in or not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from cortex.domain.modality import Medium
from cortex.domain.text import CLAMP_HEAD_CHARS, CLAMP_MAX_CHARS, clamp
from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable, EngineError, MediumRefused
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder, MediaEmbedder
from cortex.ports.store import Finding
from cortex.providers.embedders.wrapper import EmbedderWrapper

FAILURES_TO_PAUSE = 2
PAUSE_SECONDS = 30.0

Answer = TypeVar("Answer")


class GuardedEmbedder(EmbedderWrapper):
    """Cuts inputs to length, answers only sound unit vectors, and fails in one way: `EmbedderUnavailable`.

    After two failures in a row it refuses at once for half a minute, so that a broken provider does not make
    every recall wait for it; then one call tries again.
    """

    def __init__(
        self,
        inner: Embedder,
        clock: Clock,
        *,
        max_chars: int = CLAMP_MAX_CHARS,
        head_chars: int = CLAMP_HEAD_CHARS,
        max_bytes: int | None = None,
    ) -> None:
        super().__init__(inner)
        self._clock = clock
        self._limits = (max_chars, head_chars, max_bytes)
        self._lock = threading.Lock()
        self._failures = 0
        self._last: EmbedderUnavailable | None = None
        self._paused_until = 0.0

    def embed_query(self, text: str) -> Vector:
        return self._tried(lambda: self._sound(self._inner.embed_query(self._cut(text))))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        return self._tried(lambda: self._documents([self._cut(text) for text in texts]))

    @property
    def degraded(self) -> str | None:
        return None

    def cache_status(self) -> None:
        return None

    def verify_cache(self, *, repair: bool = False) -> list[Finding]:  # noqa: ARG002 - there is no cache
        return []

    def _documents(self, texts: Sequence[str]) -> list[Vector]:
        vectors = self._inner.embed_documents(texts)
        if len(vectors) != len(texts):
            raise EmbedderUnavailable(f"the embedder answered {len(vectors)} vectors for {len(texts)} texts")
        return [self._sound(vector) for vector in vectors]

    def _cut(self, text: str) -> str:
        return clamp(text, *self._limits)

    def _sound(self, vector: Vector) -> Vector:
        found = np.asarray(vector, dtype=np.float32)
        if found.shape != (self.space.dimension,):
            raise EmbedderUnavailable(
                f"the embedder answered a vector of shape {found.shape}, not ({self.space.dimension},)",
                hint="the model behind it has changed; set its dimension, then run `cortex admin backfill`",
            )
        length = float(np.linalg.norm(found.astype(np.float64)))
        if not 0.0 < length < float("inf"):  # NaN compares false
            raise EmbedderUnavailable("the embedder answered a vector that is zero or not finite")
        return found if abs(length - 1.0) < 1e-6 else (found / length).astype(np.float32)

    def _tried(self, attempt: Callable[[], Answer]) -> Answer:
        self._refuse_while_paused()
        try:
            answer = attempt()
        except MediumRefused:  # says nothing of the provider
            raise
        except EmbedderUnavailable as error:
            self._failed(error)
            raise
        except EngineError as error:
            unavailable = EmbedderUnavailable(error.message, hint=error.hint)
            self._failed(unavailable)
            raise unavailable from error
        except Exception as error:
            # By its type alone: a provider's message may repeat the text it was given.
            unavailable = EmbedderUnavailable(f"the embedder failed: {type(error).__name__}")
            self._failed(unavailable)
            raise unavailable from error
        with self._lock:
            self._failures, self._last = 0, None
        return answer

    def _refuse_while_paused(self) -> None:
        with self._lock:
            if self._failures < FAILURES_TO_PAUSE or self._last is None:
                return
            if self._clock.monotonic() < self._paused_until:
                raise type(self._last)(f"{self._last.message}; not tried again yet", hint=self._last.hint)
            # This call tries again; those beside it go on being refused until it has an answer.
            self._paused_until = self._clock.monotonic() + PAUSE_SECONDS

    def _failed(self, error: EmbedderUnavailable) -> None:
        with self._lock:
            self._failures += 1
            self._last = error.with_traceback(None)
            self._paused_until = self._clock.monotonic() + PAUSE_SECONDS


class GuardedMediaEmbedder(GuardedEmbedder):
    """The same for an embedder that also takes media."""

    def __init__(self, inner: MediaEmbedder, clock: Clock) -> None:
        super().__init__(inner, clock)
        self._media = inner

    @property
    def accepts(self) -> frozenset[str]:
        return self._media.accepts

    def embed_medium(self, medium: Medium) -> Vector:
        return self._tried(lambda: self._sound(self._media.embed_medium(medium)))
