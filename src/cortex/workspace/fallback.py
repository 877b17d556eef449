"""Two searches as one: the second answers whenever the first does not (Q2)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from cortex.errors import EngineError, InvalidRequest
from cortex.ports.clock import Clock
from cortex.ports.file_search import FileSearch, FoundLines, LineSearch, ProgressCallback
from cortex.ports.provider import trouble_of

COOL_DOWN_SECONDS = 60.0
"""How long after a failure the first is left alone: a turn does not wait for the same time-out twice."""

log = logging.getLogger("cortex")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SearchFailure:
    """Why the first search does not answer, and since when."""

    reason: str
    since: datetime
    until: float
    """When it is tried again, by the monotonic clock."""
    by_sync: bool = False
    """Whether it is over once the files could be followed: that it reads them does not mean that it answers."""


class Fallback:
    """Asks `first`; when that fails in any way, asks `second`, and goes straight to it for a while (Q2).

    `names` are what the status calls the two. Files are always read by `second`.
    """

    def __init__(
        self,
        first: LineSearch,
        second: FileSearch,
        clock: Clock,
        *,
        names: tuple[str, str] = ("qmd", "builtin"),
        cool_down: float = COOL_DOWN_SECONDS,
    ) -> None:
        self._first = first
        self._second = second
        self._clock = clock
        self._names = names
        self._cool_down = cool_down
        self._lock = threading.Lock()
        self._failure: SearchFailure | None = None
        self._follows = False

    def search(
        self, query: str, *, max_results: int | None = None, min_score: float | None = None, session: str | None = None
    ) -> Sequence[FoundLines]:
        def found_by(search: LineSearch) -> Sequence[FoundLines]:
            return search.search(query, max_results=max_results, min_score=min_score, session=session)

        if self._may_try_first():
            try:
                found = found_by(self._first)
            except InvalidRequest:  # a mistake of the caller is no failure of the search
                raise
            except Exception as error:  # whatever it is, somebody waits for an answer
                self._failed(error, by_sync=not self._follows)
            else:
                self._recovered()
                return found
        return found_by(self._second)

    def read_file(self, path: str, *, start: int | None = None, lines: int | None = None) -> tuple[str, str]:
        return self._second.read_file(path, start=start, lines=lines)

    def status(self) -> Mapping[str, Any]:
        """How the files stand, and who answers; `fallback` says why it is not the requested one."""
        status = self._ask_available(lambda search: search.status())
        return {**self._second.status(), **status, **self.state()}

    def state(self) -> dict[str, Any]:
        """Who answers, who was requested, and why it is not that one; nothing is counted for it."""
        requested, other = self._names
        reason, since = self._why_not_first()
        return {
            "backend": other if reason else requested,
            "requested": requested,
            "fallback": {"active": bool(reason), "reason": reason, "since": since.isoformat() if since else None},
        }

    def sync(self, *, force: bool = False, reason: str = "", progress: ProgressCallback | None = None) -> object:
        """Both follow the files, so that either can answer. Gives what the second did."""
        done = self._second.sync(force=force, reason=reason, progress=progress)
        try:
            self._first.sync(force=force, reason=reason, progress=progress)
        except Exception as error:
            self._failed(error, by_sync=True)
        else:
            self._follows = True
            if (failure := self._failure) is not None and failure.by_sync:
                self._recovered()
        return done

    def probe_embedding(self) -> EngineError | None:
        return self._ask_available(lambda search: search.probe_embedding())

    def probe_vectors(self) -> bool:
        return self._ask_available(lambda search: search.probe_vectors())

    def close(self) -> None:
        with closing(self._second), closing(self._first):
            pass

    def _ask_available(self, ask: Callable[[LineSearch], T]) -> T:
        """Ask the one that would answer a search now. What it says of itself does not prove that it can."""
        if not self._why_not_first()[0]:
            try:
                return ask(self._first)
            except Exception as error:
                self._failed(error)
        return ask(self._second)

    def _why_not_first(self) -> tuple[str, datetime | None]:
        """Why the first would not answer, and since when it does not; an empty reason where it would."""
        if failure := self._failure:
            return failure.reason, failure.since
        trouble = trouble_of(self._first)
        return (str(trouble) if trouble else ""), None

    def _may_try_first(self) -> bool:
        """Whether to ask the first. Of several that come after the cool-down, one alone finds out for all."""
        now = self._clock.monotonic()
        with self._lock:
            failure = self._failure
            if failure is None:
                return True
            if now < failure.until:
                return False
            self._failure = replace(failure, until=now + self._cool_down)
            return True

    def _failed(self, error: Exception, *, by_sync: bool = False) -> None:
        # An error of ours was written to be shown; what another holds is not known.
        reason = str(error) if isinstance(error, EngineError) else f"it failed with {type(error).__name__}"
        until = self._clock.monotonic() + self._cool_down
        with self._lock:
            before = self._failure
            self._failure = SearchFailure(reason, before.since if before else self._clock.now(), until, by_sync)
        if before is None:
            code = error.code if isinstance(error, EngineError) else type(error).__name__
            log.warning("%s does not answer (%s), %s answers instead", self._names[0], code, self._names[1])

    def _recovered(self) -> None:
        with self._lock:
            before, self._failure = self._failure, None
        if before is not None:
            log.info("%s answers again", self._names[0])
