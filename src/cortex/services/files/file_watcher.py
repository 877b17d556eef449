"""Following the files as they are edited, and by the clock: when to look at them is decided here (B12)."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from cortex.dependencies import log
from cortex.errors import EngineError, StoreBusy
from cortex.workspace.triggers import Triggers
from cortex.workspace.watch import Noticed, Watching

if TYPE_CHECKING:
    from cortex.services.files.files import Files, Indexed

RETRY_SECONDS = 30.0
"""How long after a failure the files are looked at again, where nothing happens to them before."""

_LONGEST_PAUSE = 1.0
_STOP_SECONDS = 5.0


class FileWatcher:
    """Looks at the files when the system tells that they changed, or the clock that it is time."""

    def __init__(self, files: Files, told: Callable[[Indexed], None] | None = None) -> None:
        self._files = files
        self._told = told
        self._clock = files.clock
        sync = files.settings.sync
        minutes = sync.interval_minutes
        self._triggers = {
            Noticed.FILES: Triggers(sync.watch_debounce_ms / 1000, minutes * 60.0 if minutes else None),
            Noticed.TRANSCRIPTS: Triggers(sync.transcript_debounce_ms / 1000),
        }
        self._changed = threading.Condition()
        self._ending = False
        self._watching = Watching(files.sources, self.noticed) if sync.watch else None
        self._thread = threading.Thread(target=self._run, name="cortex-files", daemon=True)

    @property
    def is_told(self) -> bool:
        """Whether every change is told of, by the system or by looking for it; else there is the clock alone."""
        return self._watching is not None and self._watching.is_in_place

    @property
    def trouble(self) -> str:
        """Why the system does not tell of changes, where it does not."""
        return self._watching.trouble if self._watching else ""

    def start(self) -> FileWatcher:
        self._triggers[Noticed.FILES].looked(self._clock.monotonic())
        if self._watching is not None:
            self._watching.start()
        self._thread.start()
        return self

    def stop(self) -> None:
        """End it. A look that is under way is waited for a while."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        if self._watching is not None:
            self._watching.stop()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(_STOP_SECONDS)

    def noticed(self, what: Noticed) -> None:
        """Something in a followed folder has changed."""
        if what is Noticed.FILES:
            self._files.changed()
        self._notice(what, self._clock.monotonic())

    def _notice(self, what: Noticed, at: float) -> None:
        with self._changed:
            self._triggers[what].noticed(at)
            self._changed.notify()

    def _run(self) -> None:
        while due := self._awaited():
            for what, reason in due.items():
                self._look(what, reason)

    def _awaited(self) -> dict[Noticed, str]:
        """What is to be looked at, as soon as there is something, and why; empty at the end."""
        with self._changed:
            while not self._ending:
                now = self._clock.monotonic()
                if due := {what: reason for what, each in self._triggers.items() if (reason := each.reason(now))}:
                    for what in due:
                        self._triggers[what].looked(now)
                    return due
                self._changed.wait(self._pause(now))
        return {}

    def _pause(self, now: float) -> float:
        times = [at for each in self._triggers.values() if (at := each.next_at()) is not None]
        return min(max(min(times, default=now + _LONGEST_PAUSE) - now, 0.01), _LONGEST_PAUSE)

    def _look(self, what: Noticed, reason: str) -> None:
        try:
            indexed = self._files.look(reason=reason) if what is Noticed.FILES else self._files.hear()
            if indexed is not None and self._told is not None:
                self._told(indexed)
        except StoreBusy:  # another process is at it: look when it has ended
            self._notice(what, self._clock.monotonic())
        except Exception as error:  # the thread must outlive whatever goes wrong in it
            if not self._ending:
                log_failure(error)
                self._notice(what, self._clock.monotonic() + RETRY_SECONDS)


def log_failure(error: BaseException) -> None:
    """Say that the files could not be followed, and where that happened."""
    if isinstance(error, EngineError):
        log.warning("the files could not be followed: %s", error.code)
    else:
        # The places without the message of the error: it may repeat what a file says.
        places = "".join(traceback.format_tb(error.__traceback__))
        log.error("the files could not be followed: %s\n%s", type(error).__name__, places)
