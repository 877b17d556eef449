"""What the vendors' batch services have in common: a file of lines goes there, and files of lines come back.

Every line bears a name of its own, because the answers come in any order.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from cortex.domain.vectors import Vector
from cortex.errors import EmbedderUnavailable
from cortex.providers.embedders.batch_embedder import BatchProgress, BatchState

FILE_NAME = "texts.jsonl"
MIME_TYPE = "application/jsonl"
TIMEOUT_SECONDS = 60.0
"""How long a server may be silent within one request."""

_STATES = {
    "completed": BatchState.DONE,
    "failed": BatchState.FAILED,
    "expired": BatchState.EXPIRED,
    "cancelled": BatchState.CANCELLED,
}
"""How OpenAI and Voyage call the ends of a job; any other word is a state on the way there."""

_NAME = re.compile(r"text-(\d{1,9})")
# What a vendor calls an error is a short word; its message may repeat the texts, and is left out.
_ERROR_NAME = re.compile(r"[\w.-]{1,64}")


@dataclass(slots=True)
class Sent:
    """What is remembered of a job: how many texts it has, and its files at the vendor."""

    texts: int
    files: set[str] = field(default_factory=set)


def written(bodies: Iterable[Mapping[str, Any]], name_as: str = "custom_id") -> bytes:
    """The file of a job: a line for each body, in order, with its name under `name_as`."""
    lines = (json.dumps({name_as: f"text-{at}", **body}) for at, body in enumerate(bodies))
    return "\n".join(lines).encode("ascii") + b"\n"


def read(chunks: Iterable[bytes]) -> Iterator[Any]:
    """The lines of a file as it comes in; one that is no JSON, as where a file breaks off, is left out."""
    for line in _lines(chunks):
        try:
            yield json.loads(line)
        except ValueError:
            continue


def found(value: Any, *path: str | int) -> Any:
    """What lies at `path` in an answer; None where it is not so shaped."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and len(value) > step else None
    return value


class Answers:
    """The vectors of one job, put back into the order of its texts."""

    def __init__(self, who: str, texts: int) -> None:
        self._who = who
        self._vectors: list[Vector | None] = [None] * texts
        self._failed: set[int] = set()

    def take(self, name: object, values: object) -> None:
        """One line of an answer; without a list of numbers, its text failed."""
        named = _NAME.fullmatch(name) if isinstance(name, str) else None
        at = int(named.group(1)) if named else -1
        if not 0 <= at < len(self._vectors):
            return
        vector = _vector(values)
        if vector is None:
            self._failed.add(at)
        else:
            self._vectors[at] = vector

    def take_line(self, line: object) -> None:
        """One line of an answer, as OpenAI and Voyage write it."""
        is_answered = found(line, "error") is None and found(line, "response", "status_code") == 200
        values = found(line, "response", "body", "data", 0, "embedding") if is_answered else None
        self.take(found(line, "custom_id"), values)

    def vectors(self) -> list[Vector]:
        """All of them; an error that says how many there are not."""
        there = [vector for vector in self._vectors if vector is not None]
        if absent := len(self._vectors) - len(there):
            failed = sum(self._vectors[at] is None for at in self._failed)
            raise EmbedderUnavailable(
                f"{self._who} answered no vector for {absent} of {len(self._vectors)} texts: "
                f"{failed} failed, {absent - failed} missing"
            )
        return there


class FileBatches(ABC):
    """Jobs of one model at one vendor, `who`. A vendor says how its files and jobs are called for."""

    who: ClassVar[str]
    name_as: ClassVar[str] = "custom_id"

    def __init__(self, max_texts: int, max_bytes: int) -> None:
        self.max_texts = max_texts
        self.max_bytes = max_bytes
        self._sent: dict[str, Sent] = {}

    def submit(self, texts: Sequence[str]) -> str:
        content = written(map(self._body, texts), self.name_as)
        with asking(self.who, "did not take the texts of a batch"):
            file = identified(self.who, "file of a batch", self._upload(content))
        try:
            with asking(self.who, "did not begin a batch"):
                job = identified(self.who, "batch", self._begin(file))
        except EmbedderUnavailable:
            self._delete({file})
            raise
        self._sent[job] = Sent(len(texts), {file})
        return job

    def poll(self, job: str) -> BatchProgress:
        with asking(self.who, "did not tell how a batch stands"):
            return self._progress(job)

    def collect(self, job: str) -> list[Vector]:
        sent = self._sent[job]
        answers = Answers(self.who, sent.texts)
        with asking(self.who, "did not hand out the vectors of a batch"):
            for file in self._answer_files(job):
                sent.files.add(file)
                for line in self._lines(file):
                    self._take(line, answers)
        return answers.vectors()

    def cancel(self, job: str) -> None:
        with asking(self.who, "did not cancel a batch"):
            self._cancel(job)

    def discard(self, job: str) -> None:
        if sent := self._sent.pop(job, None):
            self._delete(sent.files)

    def _delete(self, files: set[str]) -> None:
        for file in files:
            with suppress(Exception):  # it expires by itself
                self._remove(file)

    def _take(self, line: object, answers: Answers) -> None:
        answers.take_line(line)

    @abstractmethod
    def _body(self, text: str) -> Mapping[str, Any]: ...

    @abstractmethod
    def _upload(self, content: bytes) -> object: ...

    @abstractmethod
    def _begin(self, file: str) -> object: ...

    @abstractmethod
    def _progress(self, job: str) -> BatchProgress: ...

    @abstractmethod
    def _answer_files(self, job: str) -> Iterable[str]: ...

    @abstractmethod
    def _lines(self, file: str) -> Iterator[Any]: ...

    @abstractmethod
    def _cancel(self, job: str) -> None: ...

    @abstractmethod
    def _remove(self, file: str) -> None: ...


def progress(status: object, counts: Sequence[object], reason: object) -> BatchProgress:
    """How OpenAI and Voyage report it: `counts` are those done, those failed, and all."""
    done, failed, total = (count if isinstance(count, int) else 0 for count in counts)
    state = _STATES.get(status, BatchState.WAITING) if isinstance(status, str) else BatchState.WAITING
    message = reason if isinstance(reason, str) and _ERROR_NAME.fullmatch(reason) else ""
    return BatchProgress(state, done + failed, total, message)


def identified(who: str, what: str, identity: object) -> str:
    """An id as a service gave it; without one there is nothing to ask for later."""
    if not isinstance(identity, str) or not identity:
        raise EmbedderUnavailable(f"{who} gave no id for the {what}")
    return identity


@contextmanager
def asking(who: str, what: str) -> Iterator[None]:
    """Turn each failure of an SDK into ours: by its type and status alone, because its message may repeat texts."""
    try:
        yield
    except EmbedderUnavailable:
        raise
    except Exception as error:
        raise EmbedderUnavailable(f"{who} {what}: {type(error).__name__}{_status(error)}") from error


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    # By line feeds alone: inside a text, a vendor may leave other separators as they are.
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line for line in lines if line.strip())
    if rest.strip():
        yield rest


def _vector(values: object) -> Vector | None:
    if not isinstance(values, list) or not values:
        return None
    try:
        with np.errstate(over="ignore"):  # too large for our floats is infinite, and refused as such
            return np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        return None


def _status(error: Exception) -> str:
    response = getattr(error, "response", None)
    for status in (getattr(error, "status_code", None), getattr(response, "status_code", None)):
        if isinstance(status, int):
            return f" {status}"
    return ""
