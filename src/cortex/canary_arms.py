"""Which sessions try the settings of a canary, and how that goes in this process (E20)."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from cortex.domain.canary import Arm, Canary, CanaryState
from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.options import changed
from cortex.ports.clock import Clock
from cortex.ports.documents import CANARY, Documents
from cortex.settings import Settings

log = logging.getLogger("cortex")

LOOK_SECONDS = 2.0
"""How often a process looks for another state of the canary. In between, nothing is read."""

LEAST_TURNS = 50
"""From so many turns of each arm on, and after as many more of the canary's, the two are compared."""

_KEPT_TURNS = 200
SLOWER = 1.25
MORE_FAILURES = 0.05


class ArmSettings(NamedTuple):
    """What one session uses."""

    arm: Arm | None
    """None where there is no canary."""
    settings: Settings


@dataclass(slots=True)
class _ArmTurns:
    """The latest turns of one arm."""

    milliseconds: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT_TURNS))
    failed: deque[bool] = field(default_factory=lambda: deque(maxlen=_KEPT_TURNS))
    strays: int = 0

    def p95(self) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]

    def failures(self) -> float:
        return sum(self.failed) / len(self.failed)


class CanaryArms:
    """The canary as this process knows it. In the usual case a look costs no I/O and no lock."""

    def __init__(self, documents: Documents, clock: Clock, settings: Settings) -> None:
        self._documents = documents
        self._clock = clock
        self._before = settings
        self._opened_at = clock.now()
        self._reading = threading.Lock()
        self._counting = threading.Lock()
        self._look_at = float("-inf")
        self._version: Hashable | None = None
        self._canary: Canary | None = None
        self._tried = settings
        self._is_readable = True
        self._live = LiveCheck()
        self.on_promoted: Callable[[Settings], None] | None = None
        """Called with the settings that hold from now on."""

    @property
    def canary(self) -> Canary | None:
        """The canary under way."""
        self.look()
        found = self._canary
        return found if found is not None and self._clock.now() < found.ends_at else None

    def of(self, tenant: Tenant, session: str, settings: Settings) -> ArmSettings:
        """The arm of a session and its settings; `settings` are those of everybody else."""
        if (canary := self.canary) is None:
            return ArmSettings(None, settings)
        arm = canary.arm(tenant, session)
        return ArmSettings(arm, self._tried if arm is Arm.CANARY else settings)

    def look(self, *, now: bool = False) -> None:
        """Learn of another state, at most every two seconds. Where it cannot be read, the last one holds."""
        if self._clock.monotonic() < self._look_at and not now:
            return
        if not self._reading.acquire(blocking=False):
            return
        try:
            self._look_at = self._clock.monotonic() + LOOK_SECONDS
            version = self._documents.version(CANARY)
            if version != self._version:
                found = self._documents.read(CANARY) if version is not None else None
                self._version = version
                self._take(None if found is None else Canary.from_body(found.body))
            self._is_readable = True
        except (EngineError, ValueError) as error:
            if self._is_readable:
                log.warning("the state of the canary cannot be read: %s", getattr(error, "code", "damaged"))
            self._is_readable = False
        finally:
            self._reading.release()

    def observe(self, arm: Arm | None, *, milliseconds: float, failed: bool, strays: int, lacking: bool) -> str | None:
        """Count a turn of an arm; returns why the canary must be taken back, if it must."""
        canary = self._canary
        if arm is None or canary is None:
            return None
        with self._counting:
            return self._live.observe(arm, milliseconds=milliseconds, failed=failed, strays=strays, lacking=lacking)

    def _take(self, canary: Canary | None) -> None:
        self._canary = None
        if canary is None or canary.state not in {CanaryState.RUNNING, CanaryState.PROMOTED}:
            return
        # What a newer version may try is not known here.
        tried = changed(self._before, canary.settings)
        if canary.state is CanaryState.RUNNING:
            self._live = LiveCheck()
            self._tried, self._canary = tried, canary
        elif canary.closed_at is not None and self._opened_at < canary.closed_at and self.on_promoted is not None:
            # A process that began later has read the settings file.
            self._before = tried
            self.on_promoted(tried)


class LiveCheck:
    """Compares the turns of both arms while a canary is under way."""

    def __init__(self) -> None:
        self._turns = {arm: _ArmTurns() for arm in Arm}
        self._since = 0
        self._slow = 0

    def observe(self, arm: Arm, *, milliseconds: float, failed: bool, strays: int, lacking: bool) -> str | None:
        """Count a turn; returns why the canary must be taken back, if it must."""
        turns = self._turns[arm]
        turns.milliseconds.append(milliseconds)
        turns.failed.append(failed)
        turns.strays += strays
        if arm is Arm.CONTROL:
            return None
        if lacking:
            return "a receipt lacks required fields"
        if turns.strays > self._turns[Arm.CONTROL].strays:
            return "a turn was given memories of another scope"
        self._since += 1
        least = min(len(each.milliseconds) for each in self._turns.values())
        if self._since < LEAST_TURNS or least < LEAST_TURNS:
            return None
        self._since = 0
        return self._compared()

    def _compared(self) -> str | None:
        ours, theirs = self._turns[Arm.CANARY], self._turns[Arm.CONTROL]
        if ours.failures() > theirs.failures() + MORE_FAILURES:
            return f"{ours.failures():.0%} of its turns failed, {theirs.failures():.0%} of the others"
        # Once may be chance.
        self._slow = self._slow + 1 if ours.p95() > SLOWER * theirs.p95() else 0
        if self._slow < 2:
            return None
        return f"its turns took {ours.p95():.0f} ms (p95), the others {theirs.p95():.0f} ms"
