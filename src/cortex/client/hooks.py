"""The two hooks of a turn over a server: they never raise, and keep no turn waiting for longer than they say."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from cortex.errors import EngineError
from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.pool import Threads
from cortex.services.turn_hooks import MOST_AT_ONCE, MOST_WAITING, Injection

if TYPE_CHECKING:
    from cortex.client.remote import RemoteCortex

log = logging.getLogger("cortex")

DEADLINE_SECONDS = 0.2
"""How long a server may take for a turn, until it says so itself."""

ON_THE_WAY_SECONDS = 0.2
"""What is allowed beside that for the way there and back."""


class RemoteHooks:
    """Recall before a turn and ingest after it, over a server. `bind` gives the hooks of another user."""

    def __init__(self, remote: RemoteCortex, *, _shared: _Shared | None = None) -> None:
        self._remote = remote
        self._shared = _shared or _Shared()

    def bind(self, *, agent: str | None = None, user: str | None = None) -> RemoteHooks:
        """The hooks of another agent or user; what runs in the background, and its troubles, are shared."""
        return RemoteHooks(self._remote.bind(agent=agent, user=user), _shared=self._shared)

    @property
    def troubles(self) -> dict[str, int]:
        """How often what went wrong, by hook and code: `before:deadline`, `after:store_unavailable`, …"""
        return self._shared.troubles.counted()

    def before(
        self,
        message: str,
        *,
        session: str,
        scope: str | None = None,
        project: str | None = None,
        channel: str = "",
        trigger: str = "",
        recipe: str | None = None,
    ) -> Injection:
        """What is remembered that bears on `message`, ready to inject; empty at the deadline, and on any error."""
        began = monotonic()
        asked = {
            "message": message, "session": session, "scope": scope, "project": project, "channel": channel,
            "trigger": trigger, "recipe": recipe,
        }  # fmt: skip
        found = self._in_time(lambda: self._remote.request("before_turn", _given(asked)).value())
        return replace(found, milliseconds=(monotonic() - began) * 1000)

    def after(
        self,
        messages: Iterable[object],
        *,
        session: str,
        scope: str | None = None,
        channel: str = "",
        trigger: str = "",
    ) -> None:
        """Store what is new of a session's history, in the background. Hand over the whole history every time."""
        if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
            self._shared.troubles.count("after:invalid_request")
            return
        told = {
            "session": session, "messages": list(messages), "scope": scope, "channel": channel, "trigger": trigger,
        }  # fmt: skip
        self._shared.background.add("after", lambda: self._taken(told))

    def warm(self, message: str = "warm") -> None:  # noqa: ARG002 - the server has warmed its model itself
        """Reach the server in the background and ask how long it takes for a turn, so that the first need not wait."""
        self._shared.background.add("warm", self._warmed)

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait until what earlier turns left behind is stored, or given up; False where `timeout` seconds are over."""
        return self._shared.background.settle(timeout)

    def _in_time(self, work: Callable[[], Injection]) -> Injection:
        pending = self._shared.threads.start(work, "cortex-before")
        if pending is None:
            return self._without("busy")
        try:
            found = pending.result(timeout=self._shared.seconds + ON_THE_WAY_SECONDS)
        except FutureTimeout:
            return self._without("deadline")
        except EngineError as error:
            return self._without(error.code)
        except Exception as error:
            log.error("before: %s", type(error).__name__)
            return self._without("unexpected")
        for code in found.degraded:
            self._shared.troubles.count(f"before:{code}")
        return found

    def _without(self, code: str) -> Injection:
        self._shared.troubles.count(f"before:{code}")
        return Injection(degraded=(code,))

    def _taken(self, told: Mapping[str, Any]) -> None:
        for code in self._remote.request("after_turn", _given(told)).to_json()["degraded"]:
            self._shared.troubles.count(f"after:{code}")

    def _warmed(self) -> None:
        self._shared.seconds = self._remote.me()["turn_deadline_ms"] / 1000


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


class _Troubles(FailureCounters):
    """What went wrong is also told: there is no status here that would show the counts."""

    def count(self, what: str) -> None:
        super().count(what)
        log.warning("%s", what)


class _Shared:
    """What the hooks of all users have in common."""

    def __init__(self) -> None:
        self.seconds = DEADLINE_SECONDS
        self.troubles = _Troubles()
        self.background = _Background(self.troubles)
        self.threads = Threads(MOST_AT_ONCE)


class _Background:
    """Tells the server of finished turns, one after the other."""

    def __init__(self, troubles: _Troubles) -> None:
        self._troubles = troubles
        self._waiting: deque[tuple[str, Callable[[], None]]] = deque()
        self._changed = threading.Condition()
        self._runs = False

    def add(self, hook: str, work: Callable[[], None]) -> None:
        with self._changed:
            if len(self._waiting) >= MOST_WAITING:
                self._troubles.count(f"{hook}:queue_full")
                return
            self._waiting.append((hook, work))
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._run, name="cortex-after", daemon=True).start()

    def settle(self, timeout: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._runs, timeout)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._runs = False
                    self._changed.notify_all()
                    return
                hook, work = self._waiting.popleft()
            try:
                work()
            except EngineError as error:
                self._troubles.count(f"{hook}:{error.code}")
            except Exception as error:
                log.error("%s: %s", hook, type(error).__name__)
                self._troubles.count(f"{hook}:unexpected")
