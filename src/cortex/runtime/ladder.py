"""The degradation ladder of a process: full → keywords → silent, and back (E20).

A window lasts 60 seconds or 20 turns, whichever is longer. After three bad windows in a row, turns go one rung down.
There, one turn in ten tries the rung above; after ten good ones in a row, turns go up again. A provider that fails now
and then would send them up and down: each time it breaks a run of good tries, the next tries wait twice as long, up to
15 minutes, and as long as that after a rung just climbed. While it fails always, tries go on, so that its recovery is
noticed soon.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class _Counter(Protocol):
    def monotonic(self) -> float:
        """Seconds that only ever go forward."""
        ...


class Rung(StrEnum):
    """How much of recall a turn gets."""

    FULL = "full"
    """Keywords and vectors."""
    KEYWORDS = "keywords"
    """Keywords alone: nothing is embedded."""
    SILENT = "silent"
    """No recall: the turn goes on without its memories."""


RUNGS = tuple(Rung)


@dataclass(frozen=True, slots=True)
class LadderRules:
    """When turns go down and up."""

    window_seconds: float = 60.0
    window_turns: int = 20
    bad_share: float = 0.05
    """A window is bad if more of its turns failed; or more were late, so that p95 is over the deadline."""
    bad_windows: int = 3
    """So many bad windows in a row are one rung down."""
    probe_every: int = 10
    """One turn in so many tries the rung above."""
    good_probes: int = 10
    """So many good ones in a row are one rung up."""
    first_wait: float = 60.0
    longest_wait: float = 900.0
    """How long tries wait after a setback: twice as long each time. A rung lost later than this is no setback."""


@dataclass(frozen=True, slots=True)
class RungChoice:
    """The rung of one turn."""

    rung: Rung = Rung.FULL
    is_probe: bool = False
    """Whether it tries the rung above that of other turns."""


@dataclass(frozen=True, slots=True)
class LadderReport:
    """What a turn changed: the rung, or only that a window is over."""

    rung: Rung
    before: Rung
    why: str = ""
    """Why the last window was bad; empty if it was good."""

    @property
    def is_change(self) -> bool:
        return self.rung is not self.before


class Ladder:
    """The rung of a process. Every call takes constant time and does no I/O."""

    def __init__(self, clock: _Counter, rules: LadderRules | None = None) -> None:
        self._clock = clock
        self._rules = rules or LadderRules()
        self._lock = threading.Lock()
        self._at = 0
        self._changes = 0
        self._bad_windows = 0
        self._why = ""
        self._good_probes = 0
        self._since_probe = 0
        self._wait = 0.0
        self._probes_from = 0.0
        self._climbed_at: float | None = None
        self._start_window()

    @property
    def rung(self) -> Rung:
        return RUNGS[self._at]

    def begin(self) -> RungChoice:
        """The rung of the turn that begins now."""
        if self._at == 0:  # the usual case needs no lock
            return _FULL
        with self._lock:
            self._since_probe += 1
            is_due = self._since_probe >= self._rules.probe_every and self._clock.monotonic() >= self._probes_from
            if self._at == 0 or not is_due:
                return RungChoice(RUNGS[self._at])
            self._since_probe = 0
            return RungChoice(RUNGS[self._at - 1], is_probe=True)

    def end(self, step: RungChoice, *, failed: bool, late: bool) -> LadderReport | None:
        """Count a turn that is over; returns a report if a window is over or the rung changed."""
        with self._lock:
            if step.is_probe:
                return self._count_probe(step, good=not failed and not late)
            if step.rung is not RUNGS[self._at]:  # it began before the last change
                return None
            self._turns += 1
            self._failed += failed
            self._late += late
            is_over = (
                self._turns >= self._rules.window_turns
                and self._clock.monotonic() - self._began >= self._rules.window_seconds
            )
            return self._close_window() if is_over else None

    def status(self) -> dict[str, Any]:
        """The rung and why, as plain values."""
        with self._lock:
            return {
                "rung": RUNGS[self._at].value,
                "why": self._why,
                "changes": self._changes,
                "good_probes": self._good_probes,
                "next_probe_in_seconds": round(max(0.0, self._probes_from - self._clock.monotonic()), 1)
                if self._at
                else None,
            }

    def _start_window(self) -> None:
        self._began = self._clock.monotonic()
        self._turns = self._failed = self._late = 0

    def _close_window(self) -> LadderReport:
        most = self._rules.bad_share * self._turns
        reasons = [("failed", self._failed), ("were late", self._late)]
        why = ", ".join(
            f"{100 * number / self._turns:.0f} % of turns {what}" for what, number in reasons if number > most
        )
        self._bad_windows = self._bad_windows + 1 if why else 0
        self._start_window()
        if self._bad_windows < self._rules.bad_windows or self._at == len(RUNGS) - 1:
            return LadderReport(RUNGS[self._at], RUNGS[self._at], why)
        return self._down(why)

    def _down(self, why: str) -> LadderReport:
        now = self._clock.monotonic()
        longest = self._rules.longest_wait
        is_setback = self._climbed_at is not None and now - self._climbed_at <= longest
        self._wait = longest if is_setback else 0.0
        self._probes_from = now + self._wait
        return self._move(1, why)

    def _count_probe(self, step: RungChoice, *, good: bool) -> LadderReport | None:
        if self._at == 0 or step.rung is not RUNGS[self._at - 1]:
            return None
        if good:
            self._good_probes += 1
            if self._good_probes < self._rules.good_probes:
                return None
            self._climbed_at = self._clock.monotonic()
            return self._move(-1, "")
        if self._good_probes:
            self._wait = min(max(2 * self._wait, self._rules.first_wait), self._rules.longest_wait)
            self._probes_from = self._clock.monotonic() + self._wait
        self._good_probes = 0
        return None

    def _move(self, by: int, why: str) -> LadderReport:
        before = RUNGS[self._at]
        self._at += by
        self._why = why if by > 0 or self._at == 0 else self._why
        self._changes += 1
        self._bad_windows = self._good_probes = self._since_probe = 0
        self._start_window()
        return LadderReport(RUNGS[self._at], before, why)


_FULL = RungChoice()
