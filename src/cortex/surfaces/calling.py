"""The one way from an event loop to the engine: in a thread beside it, for so long and no longer (C8).

The engine cannot be interrupted, and does not know that somebody may give up. Whoever waits for it stops waiting; the
call goes on by itself, and what it brings is dropped. What was not begun by then is not begun at all.
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

KEPT_SECONDS = 5.0
"""How long a thread waits for another call before it ends."""

_BEFORE_OTHERS = 0.5
"""When the first in line has waited for this share of its patience, the last is served before it."""

Result = TypeVar("Result")


class Busy(DeadlineExceeded):
    """There was no place for it in time: nothing of it was done."""

    code = "busy"
    http_status = 503

    def __init__(self) -> None:
        super().__init__("too many requests are under way", hint="try again in a moment")


class Calls:
    """Carries out calls of the engine: `most` at once, the others stand in line.

    Few at once are done sooner than many: threads that want the interpreter at the same time keep each other from it.
    A call that is late keeps its place until it is done, so that calls that hang do not become ever more threads; the
    first `late` of them leave theirs to others. The threads are daemons, so that none keeps a process from ending.
    """

    def __init__(self, most: int, *, late: int = 0, now: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self._now = now
        self._most_late = late
        self._changed = threading.Condition()
        self._line: deque[_Call[Any]] = deque()
        self._ready: deque[_Call[Any]] = deque()
        """Calls that have their place, and wait for a thread to take them up."""
        self._under_way = 0
        self._late = 0
        self._idle = 0

    async def run(
        self, work: Callable[[], Result], *, seconds: float, patience: float | None = None, writes: bool = False
    ) -> Result:
        """What `work` gives, or DeadlineExceeded; `writes` says that it may be carried out all the same.

        Busy where it is not begun within its `patience`, the whole of its time unless it is given.
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
            hint="it may still be carried out: look before you repeat it" if writes else "try again, or ask for less",
        )

    @property
    def is_crowded(self) -> bool:
        """Whether somebody stands in line."""
        return bool(self._line)

    def is_hopeless(self, turns: int) -> bool:
        """Whether as many stand in line as would be served in so many turns: who comes now, comes for nothing."""
        return len(self._line) >= turns * self.most

    # --- places ------------------------------------------------------------------------------------------------------

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
        """Nobody waits for it any more."""
        with self._changed:
            if call in self._line:
                self._line.remove(call)
            elif call.begun and not call.pending.done() and self._late < self._most_late:
                call.is_late = True
                self._late += 1
                self._under_way -= 1
                self._fill()

    def _fill(self) -> None:
        """Give free places to those in line, and each of them a thread."""
        while self._line and self._under_way < self.most:
            call = self._next()
            if self._idle <= len(self._ready) and not self._has_begun_thread():
                call.refuse()
                continue
            call.begun = True
            self._under_way += 1
            self._ready.append(call)
            self._changed.notify()

    def _next(self) -> _Call[Any]:
        """First come, first served, until the line is too long for that: then who came last has the most time left."""
        first = self._line[0]
        is_long = self._now() - first.since > _BEFORE_OTHERS * first.patience
        return self._line.pop() if is_long else self._line.popleft()

    # --- threads -----------------------------------------------------------------------------------------------------

    def _has_begun_thread(self) -> bool:
        try:
            threading.Thread(target=self._work, name="cortex-call", daemon=True).start()
        except RuntimeError:  # the system gives no more threads
            return False
        self._idle += 1
        return True

    def _work(self) -> None:
        call = self._following(None)
        while call is not None:
            call.carry_out()
            call = self._following(call)

    def _following(self, done: _Call[Any] | None) -> _Call[Any] | None:
        """The next call for a thread, or None where it has been idle for long."""
        with self._changed:
            if done is not None:
                self._idle += 1
                self._late -= done.is_late
                self._under_way -= not done.is_late
                self._fill()
            self._changed.wait_for(lambda: self._ready, KEPT_SECONDS)
            self._idle -= 1
            return self._ready.popleft() if self._ready else None


class _Call(Generic[Result]):
    """One call, from its place in line to its end."""

    def __init__(self, work: Callable[[], Result], since: float, patience: float) -> None:
        self._work = work
        self.since = since
        self.patience = patience
        self.pending: Future[Result] = Future()
        self.begun = False
        """Whether it has, or had, a place."""
        self.is_late = False
        """Whether it goes on without a place."""

    def refuse(self) -> None:
        if self.pending.set_running_or_notify_cancel():
            self.pending.set_exception(Busy())

    def carry_out(self) -> None:
        # From here on it cannot be taken back, only left alone.
        if not self.pending.set_running_or_notify_cancel():
            return
        try:
            self.pending.set_result(self._work())
        except BaseException as error:  # it belongs to whoever waits for the result
            self.pending.set_exception(error)
