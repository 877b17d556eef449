"""Large document runs by a vendor's asynchronous batch service: cheaper, slower, and never the only way.

few texts       synchronously, as ever
many texts      in parts that the service takes: submit → poll, ever more seldom → collect
a part failed   its texts are embedded synchronously at once, so nothing is lost
two in a row    the service is switched off, and everything goes synchronously from then on (B17)
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable, EngineError, InvalidRequest
from cortex.ports.embedder import BatchStatus, Embedder
from cortex.providers.embedders.remote import (
    PATIENCE,
    SECTION,
    Api,
    EmbeddingVendor,
    Options,
    Patience,
    RemoteEmbedder,
    Variable,
    number,
)
from cortex.providers.embedders.wrapper import EmbedderWrapper
from cortex.providers.llms import sdks

FAILURE_LIMIT = 2
"""So many failures in a row switch the service off (B17)."""
AT_LEAST = 200
"""Fewer texts than this are not worth the wait for a job."""
POLL_SECONDS = (2.0, 60.0)
"""The first pause between two polls, and the longest; each is twice the one before."""
TIMEOUT_SECONDS = 3_600.0
POLLS_UNANSWERED = 3
"""So many polls in a row without an answer end a job; fewer are a hiccup of the network."""

OPTION = "batch"
BATCH_OPTIONS = ("enabled", "at_least", "timeout_s", "poll_seconds", "anywhere")

# What a line of a job's file holds beside its text, at most: ids, the model, the options.
_FRAME_BYTES = 512

log = logging.getLogger("cortex")


class BatchState(StrEnum):
    """Where a job stands. Only a waiting one changes."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a job has come, as far as its service reports; `reason` is a short name, never a message."""

    state: BatchState
    done: int = 0
    total: int = 0
    reason: str = ""


class BatchJobs(Protocol):
    """One vendor's batch service. Raises `EmbedderUnavailable`, whose message repeats neither texts nor keys."""

    @property
    def max_texts(self) -> int:
        """How many texts one job takes."""

    @property
    def max_bytes(self) -> int:
        """How large the file of one job may be."""

    def submit(self, texts: Sequence[str]) -> str:
        """Begin to embed `texts`; the id of the job."""

    def poll(self, job: str) -> BatchProgress: ...

    def collect(self, job: str) -> list[Vector]:
        """The vectors of a job that is done, in the order its texts were submitted; an error where any is absent."""

    def cancel(self, job: str) -> None: ...

    def discard(self, job: str) -> None:
        """Delete the files of an ended job at the vendor, as far as that can be done; never an error."""


# --- what the operator says -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """When a provider's batch service is used, and how long it is waited for."""

    at_least: int = AT_LEAST
    timeout_s: float = TIMEOUT_SECONDS
    poll_seconds: tuple[float, float] = POLL_SECONDS

    @classmethod
    def read(cls, given: Mapping[str, Any], options: Options) -> BatchOptions | None:
        """What the table `batch` among the options of a provider says; None where it does not turn the service on."""
        section = f"{options.section}.{OPTION}"
        table = given.get(OPTION, {})
        if not isinstance(table, Mapping):
            raise InvalidRequest("is not a table", field=section, hint="such as {enabled = true}")
        sdks.known_options(table, BATCH_OPTIONS, f"the batches of {options.vendor.name}", section)
        read = cls(
            at_least=int(number(table, "at_least", section, AT_LEAST, whole=True, most=1_000_000)),
            timeout_s=number(table, "timeout_s", section, TIMEOUT_SECONDS),
            poll_seconds=_pauses(table, section),
        )
        enabled, anywhere = (_switch(table, name, section) for name in ("enabled", "anywhere"))
        if enabled and not options.at_vendor and not anywhere:
            raise InvalidRequest(
                f"is set, but {options.endpoint.who} is not {options.vendor.who}, and few others have batches",
                field=f"{section}.enabled",
                hint=f"leave it out, or set {section}.anywhere = true where the server has them",
            )
        return read if enabled else None


class BatchApi(Api, Protocol):
    """A vendor with a batch service beside its API."""

    def jobs(self) -> BatchJobs: ...


def create(
    vendor: EmbeddingVendor,
    api_of: Callable[[Options], BatchApi],
    given: Mapping[str, Any],
    models: Path,  # noqa: ARG001 - every provider is made alike
    *,
    variable: Variable | None = None,
    section: str = SECTION,
    patience: Patience = PATIENCE,
) -> RemoteEmbedder | BatchedEmbedder:
    """The embedder of a vendor, which gives its large runs to the batch service where the options say when."""
    options = Options.read(given, vendor, variable=variable, section=section)
    api = api_of(options)
    made = RemoteEmbedder(options, api, patience)
    batching = BatchOptions.read(given, options)
    if batching is None:
        return made
    return BatchedEmbedder(
        made,
        api.jobs,
        prepare=made.as_document,
        key_from=made.key_from,
        at_least=batching.at_least,
        poll_seconds=batching.poll_seconds,
        timeout_s=batching.timeout_s,
        sleep=patience.sleep,
    )


def _switch(table: Mapping[str, Any], name: str, section: str) -> bool:
    value = table.get(name, False)
    if not isinstance(value, bool):
        raise InvalidRequest("is not true or false", field=f"{section}.{name}", hint="or leave it out")
    return value


def _pauses(table: Mapping[str, Any], section: str) -> tuple[float, float]:
    value = table.get("poll_seconds", POLL_SECONDS)
    match value:
        case [int() | float() as first, int() | float() as longest] if 0 < first <= longest <= TIMEOUT_SECONDS:
            return float(first), float(longest)
    raise InvalidRequest(
        f"is not the first pause and the longest, in seconds up to {TIMEOUT_SECONDS:,.0f}",
        field=f"{section}.poll_seconds",
        hint="such as [2, 60], or leave it out",
    )


# --- the embedder -----------------------------------------------------------------------------------------------------


class BatchedEmbedder(EmbedderWrapper):
    """An embedder that gives large document runs to a batch service, and all else to the inner one.

    `jobs` makes the service on its first use. `prepare` is what the inner embedder does to a document before it is
    sent, so that both ways embed the same text. A call waits for its jobs, up to `timeout_s` for each. `key_from` is
    the option or variable that brings the key.
    """

    def __init__(
        self,
        inner: Embedder,
        jobs: Callable[[], BatchJobs],
        *,
        prepare: Callable[[str], str] = str,
        key_from: str | None = None,
        at_least: int = AT_LEAST,
        poll_seconds: tuple[float, float] = POLL_SECONDS,
        timeout_s: float = TIMEOUT_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        super().__init__(inner)
        self.key_from = key_from
        self._jobs = jobs
        self._prepare = prepare
        self._at_least = max(1, at_least)
        self._poll_seconds = poll_seconds
        self._timeout_s = timeout_s
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = threading.Lock()
        self._opened: BatchJobs | None = None
        self._enabled = True
        self._failures = 0
        self._used = 0

    def embed_query(self, text: str) -> Vector:
        return self._inner.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        distinct = list(dict.fromkeys(texts))
        large = len(distinct) >= self._at_least and self._enabled
        vectors = self._by_parts(distinct) if large else self._synchronously(distinct)
        found = dict(zip(distinct, vectors, strict=True))
        return [found[text] for text in texts]

    def batch_status(self) -> BatchStatus:
        with self._lock:
            return BatchStatus(enabled=self._enabled, failures=self._failures, limit=FAILURE_LIMIT, used=self._used)

    def close(self) -> None:
        with self._lock:
            # It speaks through the client of the inner embedder, and is created again with that.
            self._opened = None
        super().close()

    def _by_parts(self, texts: Sequence[str]) -> list[Vector]:
        try:
            service = self._service()
        except Exception as error:
            self._failed(error, len(texts))
        else:
            parts = _parts(texts, self._line_bytes, service.max_texts, service.max_bytes)
            return [vector for part in parts for vector in self._part(service, part)]
        return self._synchronously(texts)

    def _part(self, service: BatchJobs, texts: Sequence[str]) -> list[Vector]:
        if not self._enabled:
            return self._synchronously(texts)
        try:
            vectors = self._by_job(service, texts)
        except Exception as error:  # whatever it was, the texts have another way
            self._failed(error, len(texts))
        else:
            self._succeeded(len(texts))
            return vectors
        return self._synchronously(texts)

    def _synchronously(self, texts: Sequence[str]) -> list[Vector]:
        vectors = self._inner.embed_documents(texts)
        if len(vectors) != len(texts):
            raise EmbedderUnavailable(f"the embedder answered {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    def _by_job(self, service: BatchJobs, texts: Sequence[str]) -> list[Vector]:
        job = service.submit([self._prepare(text) for text in texts])
        try:
            ended = self._awaited(service, job)
        except BaseException:  # also when the user interrupts: what nobody waits for need not be paid for
            _abandon(service, job)
            raise
        try:
            if ended.state is not BatchState.DONE:
                because = f" ({ended.reason})" if ended.reason else ""
                raise EmbedderUnavailable(f"the batch job {job} ended as {ended.state}{because}")
            return self._sound(service.collect(job), len(texts))
        finally:
            service.discard(job)

    def _awaited(self, service: BatchJobs, job: str) -> BatchProgress:
        """How the job ended; an error when it does not within its time, or its service no longer answers."""
        until = self._monotonic() + self._timeout_s
        pause, longest = self._poll_seconds
        unanswered = 0
        while (left := until - self._monotonic()) > 0:
            self._sleep(min(pause, left))
            pause = min(2 * pause, longest)
            try:
                progress = service.poll(job)
            except Exception:
                unanswered += 1
                if unanswered == POLLS_UNANSWERED:
                    raise
                continue
            unanswered = 0
            if progress.state is not BatchState.WAITING:
                return progress
        raise EmbedderUnavailable(f"the batch job {job} was not done within {self._timeout_s:g} seconds")

    def _sound(self, vectors: Sequence[Vector], texts: int) -> list[Vector]:
        """The vectors at unit length. One that cannot be compared spoils the job: the next may be wrong unseen."""
        if len(vectors) != texts:
            raise EmbedderUnavailable(f"the batch service answered {len(vectors)} vectors for {texts} texts")
        shape = (self.space.dimension,)
        if wrong := [vector.shape for vector in vectors if vector.shape != shape]:
            raise EmbedderUnavailable(
                f"the batch service answered {len(wrong)} vectors of another shape than {shape}, as {wrong[0]}"
            )
        lengths = [float(np.linalg.norm(vector.astype(np.float64))) for vector in vectors]
        if unusable := sum(not 0.0 < length < float("inf") for length in lengths):  # NaN compares false
            raise EmbedderUnavailable(f"the batch service answered {unusable} vectors that are zero or not finite")
        return [(vector / length).astype(np.float32) for vector, length in zip(vectors, lengths, strict=True)]

    def _service(self) -> BatchJobs:
        with self._lock:
            if self._opened is None:
                self._opened = self._jobs()
            return self._opened

    def _failed(self, error: Exception, texts: int) -> None:
        with self._lock:
            self._failures += 1
            # Once off, it stays off: a job still under way beside this one does not turn it on again.
            self._enabled = self._enabled and self._failures < FAILURE_LIMIT
            enabled = self._enabled
        # By its type alone where it is not ours: a vendor's message may repeat the texts.
        message = error.message if isinstance(error, EngineError) else type(error).__name__
        log.warning(
            "batch embedding of %d texts failed: %s; they are embedded synchronously%s",
            texts, message, "" if enabled else ", and so is everything from now on",
        )  # fmt: skip

    def _succeeded(self, texts: int) -> None:
        with self._lock:
            self._used += texts
            if self._enabled:
                self._failures = 0

    def _line_bytes(self, text: str) -> int:
        return len(json.dumps(self._prepare(text))) + _FRAME_BYTES


def _parts(texts: Iterable[str], size: Callable[[str], int], max_texts: int, max_bytes: int) -> Iterator[list[str]]:
    """The texts in order, cut so that each part is within both limits; a text too large for any part stands alone."""
    part: list[str] = []
    filled = 0
    for text in texts:
        more = size(text)
        if part and (len(part) >= max_texts or filled + more > max_bytes):
            yield part
            part, filled = [], 0
        part.append(text)
        filled += more
    if part:
        yield part


def _abandon(service: BatchJobs, job: str) -> None:
    """Cancel a job that is no longer waited for. Where even that fails, the service lets it expire."""
    try:
        service.cancel(job)
    except Exception as error:
        log.warning("the batch job %s could not be cancelled: %s", job, type(error).__name__)
    else:
        service.discard(job)
