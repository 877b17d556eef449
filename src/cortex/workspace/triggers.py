"""When the files are to be looked at: once edits have settled, and by the clock (B12). Pure: time is handed in."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_WAITS = 4
"""A file that is never left alone is read after so many times the quiet that was waited for."""


@dataclass(slots=True)
class Triggers:
    """Gathers what happens to the files until it is time to look at them. Times are seconds of a steady counter."""

    quiet: float
    """How long the files must have been left alone."""
    interval: float | None = None
    """How often they are looked at whatever happens; None for never."""
    looked_at: float = 0.0
    _first: float | None = None
    _last: float | None = None

    def noticed(self, now: float) -> None:
        """Something happened to a file."""
        self._first = now if self._first is None else self._first
        self._last = now

    def looked(self, now: float) -> None:
        """The files are being looked at: what was noticed so far is taken care of."""
        self._first = self._last = None
        self.looked_at = now

    def reason(self, now: float) -> str:
        """Why the files are to be looked at now; empty where they are not."""
        if (edited := self._edited_at()) is not None and edited <= now:
            return "watch"
        return "interval" if self.interval is not None and self.looked_at + self.interval <= now else ""

    def next_at(self) -> float | None:
        """When there will be a reason, as far as is known now."""
        by_clock = None if self.interval is None else self.looked_at + self.interval
        return min((at for at in (self._edited_at(), by_clock) if at is not None), default=None)

    def _edited_at(self) -> float | None:
        if self._first is None or self._last is None:
            return None
        return min(self._last + self.quiet, self._first + LONGEST_WAITS * self.quiet)
