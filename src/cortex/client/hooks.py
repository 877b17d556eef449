"""The two hooks of a turn over a server. They never raise, and a turn never waits longer than the deadline."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.pool import Threads
from cortex.runtime.worker import BackgroundQueue, Task
from cortex.services.turn_hooks import MOST_AT_ONCE, MOST_WAITING, Injection

if TYPE_CHECKING:
    from cortex.client.remote import RemoteCortex

log = logging.getLogger("cortex")

DEADLINE_SECONDS = 0.2
"""How long a turn waits for the server, until the server has said its own deadline."""

NETWORK_SECONDS = 0.2
"""How much longer it waits for the network."""


class RemoteHooks:
    """Recall before a turn and ingest after it, over a server. `bind` returns the hooks of another user."""

    def __init__(self, remote: RemoteCortex, *, _shared: _Shared | None = None) -> None:
        self._remote = remote
        self._shared = _shared or _Shared()

    def bind(self, *, agent: str | None = None, user: str | None = None) -> RemoteHooks:
        """The hooks of another agent or user. The background queue and its failure counters are shared."""
        return RemoteHooks(self._remote.bind(agent=agent, user=user), _shared=self._shared)

    @property
    def failures(self) -> dict[str, int]:
        """Failures by hook and code: `before:deadline`, `after:store_unavailable`, …"""
        return self._shared.failures.counted()

    def before(
        self,
        message: str,
        *,
        session: str,
        scope: str | None = None,
        project: str | None = None,
        share_personal: bool = False,
        channel: str = "",
        trigger: str = "",
        recipe: str | None = None,
    ) -> Injection:
        """The memories relevant to `message`, ready to inject; empty at the deadline and on any error."""
        began = monotonic()
        request = {
            "message": message, "session": session, "scope": scope, "project": project,
            "share_personal": share_personal, "channel": channel, "trigger": trigger, "recipe": recipe,
        }  # fmt: skip
        found = self._in_time(lambda: self._remote.request("before_turn", _without_none(request)).value())
        return replace(found, milliseconds=(monotonic() - began) * 1000)

    def after(
        self,
        messages: Iterable[object],
        *,
        session: str,
        scope: str | None = None,
        channel: str = "",
        trigger: str = "",
        share_personal: bool = False,
        end: bool = False,
        partial_history: bool = False,
    ) -> None:
        """Store the new messages of a session in the background. Pass the whole history every time.

        `end` says that the session is over: memories are extracted now, and `messages` may be empty. A caller that has
        only some of the messages says so with `partial_history`: what is missing then was not taken back.
        """
        if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
            self._count("after", "invalid_request")
            return
        request = {
            "session": session, "messages": list(messages), "scope": scope, "channel": channel, "trigger": trigger,
            "share_personal": share_personal, "end": end, "partial_history": partial_history,
        }  # fmt: skip
        self._shared.background.add(Task("after", lambda: self._ingest(request)))

    def warm(self, message: str = "warm") -> None:  # noqa: ARG002 - the server has warmed its model itself
        """Connect in the background and ask for the server's deadline, so that the first turn need not wait."""
        self._shared.background.add(Task("warm", self._read_deadline))

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait until earlier turns are stored or have failed; False after `timeout` seconds."""
        return self._shared.background.flush(timeout)

    def _in_time(self, work: Callable[[], Injection]) -> Injection:
        with self._shared.failures.caught("before") as codes:
            pending = self._shared.threads.start(work, "cortex-before")
            if pending is None:
                codes.append("busy")
                return Injection(degraded=("busy",))
            try:
                found = pending.result(timeout=self._shared.seconds + NETWORK_SECONDS)
            except FutureTimeout:
                codes.append("deadline")
                return Injection(degraded=("deadline",))
            codes += found.degraded
            return found
        return Injection(degraded=tuple(codes))

    def _ingest(self, request: Mapping[str, Any]) -> None:
        self._count("after", *self._remote.request("after_turn", _without_none(request)).to_json()["degraded"])

    def _read_deadline(self) -> None:
        self._shared.seconds = self._remote.me()["turn_deadline_ms"] / 1000

    def _count(self, hook: str, *codes: str) -> None:
        for code in codes:
            log.warning("%s:%s", hook, code)
            self._shared.failures.count(f"{hook}:{code}")


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


class _Shared:
    """What the hooks of all users have in common."""

    def __init__(self) -> None:
        self.seconds = DEADLINE_SECONDS
        self.failures = FailureCounters()
        self.background = BackgroundQueue(self.failures, most=MOST_WAITING)
        self.threads = Threads(MOST_AT_ONCE)
