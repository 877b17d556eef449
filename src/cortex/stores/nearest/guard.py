"""What holds for every engine, built-in or not: it fails in one way, and no message holds a secret."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from cortex.domain.vectors import Vector
from cortex.errors import EngineError, InvalidRequest, NearestUnavailable
from cortex.ports.nearest import Candidates, Nearest, OpenNearest, Points, Watermark

log = logging.getLogger("cortex")

_LONGEST = 240
_LEAST_SECRET = 4
"""A shorter option, such as `true`, is no secret, and would be cut out of any message."""


class GuardedNearest:
    """An engine whose every failure is a `NearestUnavailable` that names its URL."""

    def __init__(self, inner: Nearest, dimension: int, failing: Callable[[], Any]) -> None:
        self._inner = inner
        self._dimension = dimension
        self._failing = failing

    def watermark(self) -> Watermark | None:
        with self._failing():
            return self._inner.watermark()

    def put(self, points: Points, watermark: Watermark) -> None:
        with self._failing():
            self._check(points.matrix.shape[1])
            self._inner.put(points, watermark)

    def drop(self, ids: Sequence[int]) -> None:
        with self._failing():
            self._inner.drop(ids)

    def search(self, vector: Vector, facets: Sequence[int], limit: int) -> Candidates | None:
        with self._failing():
            self._check(len(vector))
            return self._inner.search(vector, facets, limit)

    def clear(self) -> None:
        with self._failing():
            self._inner.clear()

    def optimize(self, *, purge: bool = False) -> None:
        with self._failing():
            self._inner.optimize(purge=purge)

    def describe(self) -> Mapping[str, Any]:
        with self._failing():
            return self._inner.describe()

    def close(self) -> None:
        with self._failing():
            self._inner.close()

    def _check(self, dimension: int) -> None:
        if dimension != self._dimension:
            raise InvalidRequest(f"has {dimension} dimensions, not {self._dimension}", field="vector")


def guarded(open_: Callable[[], OpenNearest], url: str, options: Mapping[str, Any]) -> OpenNearest:
    """Opens what `open_` opens, guarded. A wrong setting is an engine that is unavailable, and stops nothing else."""
    hidden = [value for value in map(str, options.values()) if len(value) >= _LEAST_SECRET]

    @contextmanager
    def failing() -> Iterator[None]:
        try:
            yield
        except NearestUnavailable:
            raise
        except EngineError as error:
            raise NearestUnavailable(f"{url}: {error.message}", hint=error.hint) from error
        except Exception as error:  # whatever a library raises, a search goes on without it
            log.debug("%s failed", url, exc_info=True)
            raise NearestUnavailable(f"{url}: {_told(error, hidden)}", hint=_hint(error)) from None

    def open_guarded(name: str, dimension: int) -> Nearest:
        with failing():
            return GuardedNearest(open_()(name, dimension), dimension, failing)

    return open_guarded


def shown(url: str) -> str:
    """A URL without a password that may be in it."""
    scheme, mark, rest = url.partition("://")
    place, at, host = rest.rpartition("@")
    return f"{scheme}{mark}{host}" if at and "/" not in place else url


def _told(error: Exception, hidden: Sequence[str]) -> str:
    """The first line of what a library says, without the values of options."""
    first = next(iter(str(error).strip().splitlines()), "")
    for secret in hidden:
        first = first.replace(secret, "…")
    return f"{type(error).__name__}: {first}"[:_LONGEST].rstrip(": ")


def _hint(error: Exception) -> str:
    text = str(error).lower()
    if any(word in text for word in ("forbidden", "accessdenied", "unauthorized", "invalidaccesskey", "403", "401")):
        return "check the keys in nearest.options and what they allow"
    return "check that it runs and is reachable; the codes in memory are used meanwhile"
