"""Calls the engine from an event loop: in a thread, and with a deadline (C8).

The engine cannot be interrupted. At the deadline the caller stops waiting; a running call goes on and its result is
dropped, and a call that has not started never does.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

import anyio

from cortex.errors import DeadlineExceeded
from cortex.runtime.pool import begin

KEPT_SECONDS = 5.0
"""How long an idle thread waits before it ends."""

_BEFORE_OTHERS = 0.5
"""When the first in line has waited for this share of its patience, the last is served first."""

Result = TypeVar("Result")


class Busy(DeadlineExceeded):
    """The call was not started in time: nothing was done."""

    code = "busy"
    http_status = 503

    def __init__(self) -> None:
        super().__init__("too many requests at once", hint="try again in a moment")


class BoundedExecutor:
    """Runs calls in threads, `most` at once; the others wait in line.

    Few at once finish sooner than many, because threads share the interpreter. A call past its deadline keeps its place
    until it ends, so that hanging calls do not pile up; the first `late` of them give theirs up. Threads are daemons:
    they keep no process from ending.
    """

    def __init__(self, most: int, *, late: int = 0, now: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._now = now
        self._most_late = late
        self._changed = threading.Condition()
        self._line: deque[_Call[Any]] = deque()
        self._ready: deque[_Call[Any]] = deque()
        """Started calls that wait for a thread."""
        self._running = 0
        self._late = 0
        self._idle = 0

    async def run(
        self, work: Callable[[], Result], *, seconds: float, patience: float | None = None, writes: bool = False
    ) -> Result:
        """The result of `work`, or DeadlineExceeded; `writes` says that it may still take effect.

        Busy if it does not start within `patience`, by default the whole time.
        """
        call = _Call(work, self._now(), seconds if patience is None else min(patience, seconds))
        leaving = asyncio.get_running_loop().call_later(call.patience, self._turn_away, call)
        try:
            self._enter(call)
            with anyio.move_on_after(seconds):
                return await asyncio.wrap_future(call.pending)
        finally:
            leaving.cancel()
            self._leave(call)
        if not call.begun:
            raise Busy
        raise DeadlineExceeded(
            f"no answer within {seconds:g} seconds",
            hint="it may still take effect: check before you repeat it" if writes else "try again, or request less",
        )

    @property
    def is_crowded(self) -> bool:
        """Whether a call waits in line."""
        return bool(self._line)

    def is_hopeless(self, turns: int) -> bool:
        """Whether the line is so long that a new call would have to wait for `turns` others per thread."""
        return len(self._line) >= turns * self.most

    # --- places -------------------------------------------------------------------------------------------------------

    def _enter(self, call: _Call[Any]) -> None:
        with self._changed:
            self._line.append(call)
            self._fill()

    def _turn_away(self, call: _Call[Any]) -> None:
        with self._changed:
            if call in self._line:
                self._line.remove(call)
                call.refuse()

    def _leave(self, call: _Call[Any]) -> None:
        """The caller no longer waits."""
        with self._changed:
            if call in self._line:
                self._line.remove(call)
            elif call.begun and not call.pending.done() and self._late < self._most_late:
                call.is_late = True
                self._late += 1
                self._running -= 1
                self._fill()

    def _fill(self) -> None:
        """Start waiting calls while there are free places."""
        while self._line and self._running < self.most:
            call = self._next()
            if self._idle <= len(self._ready) and not self._has_begun_thread():
                call.refuse()
                continue
            call.begun = True
            self._running += 1
            self._ready.append(call)
            self._changed.notify()

    def _next(self) -> _Call[Any]:
        """First come, first served; in a long line the last one first, because it has the most time left."""
        first = self._line[0]
        is_long = self._now() - first.since > _BEFORE_OTHERS * first.patience
        return self._line.pop() if is_long else self._line.popleft()

    # --- threads ------------------------------------------------------------------------------------------------------

    def _has_begun_thread(self) -> bool:
        try:
            begin(self._work, "cortex-call")
        except RuntimeError:  # the system allows no more threads
            return False
        self._idle += 1
        return True

    def _work(self) -> None:
        call = self._following(None)
        while call is not None:
            call.carry_out()
            call = self._following(call)

    def _following(self, done: _Call[Any] | None) -> _Call[Any] | None:
        """The next call for a thread, or None if it has been idle for too long."""
        with self._changed:
            if done is not None:
                self._idle += 1
                self._late -= done.is_late
                self._running -= not done.is_late
                self._fill()
            self._changed.wait_for(lambda: self._ready, KEPT_SECONDS)
            self._idle -= 1
            return self._ready.popleft() if self._ready else None


class _Call(Generic[Result]):
    """One call, from the line to its end."""

    def __init__(self, work: Callable[[], Result], since: float, patience: float) -> None:
        self._work = work
        self.since = since
        self.patience = patience
        self.pending: Future[Result] = Future()
        self.begun = False
        """Whether it was started."""
        self.is_late = False
        """Whether it runs on without a place."""

    def refuse(self) -> None:
        if self.pending.set_running_or_notify_cancel():
            self.pending.set_exception(Busy())

    def carry_out(self) -> None:
        # From here on it cannot be canceled.
        if not self.pending.set_running_or_notify_cancel():
            return
        try:
            self.pending.set_result(self._work())
        except BaseException as error:  # it belongs to the caller
            self.pending.set_exception(error)
