"""Looking after every tenant that is served: background work, the lifecycle, backups, while the server runs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.lifecycle.schedule import Scheduler
from cortex.lifecycle.upkeep import Anomaly
from cortex.memory import Cortex

log = logging.getLogger("cortex.http")

MOST_TENANTS = 10_000
"""Beyond, tenants are looked after when there are fewer, or by `cortex work`; their jobs are durable."""

RETRY = timedelta(minutes=1)


class TenantScheduler:
    """Does what is due for whoever was met. The engine's own tenant has its keeper, which also follows its files."""

    def __init__(self, engine: Cortex) -> None:
        self._engine = engine
        self._clock = engine.context.dependencies.clock
        self._lock = threading.Lock()
        self._next: dict[Tenant, datetime] = {}
        self._looked_at: datetime | None = None
        self._keeper: Scheduler | None = None

    def meet(self, tenant: Tenant) -> None:
        """From now on this tenant is looked after too."""
        with self._lock:
            if tenant in self._next or tenant == self._engine.tenant or len(self._next) >= MOST_TENANTS:
                return
            self._next[tenant] = self._clock.now()
        if self._keeper is not None:
            self._keeper.nudge()

    @contextmanager
    def at_work(self, known: Iterable[Tenant]) -> Iterator[None]:
        """Work beside the caller, for those who are known and for users who left something behind."""
        for tenant in {*known, *self._users(known)}:
            self.meet(tenant)
        with self._engine.scheduler() as own:
            self._keeper = Scheduler(self.run_due, clock=self._clock, name="cortex-caretaker").start()
            parts, others = self._engine.context.dependencies, self._keeper
            parts.keepers.append(others)

            def wake() -> None:
                own.nudge()
                others.nudge()

            parts.wake = wake
            try:
                yield
            finally:
                parts.ending = True
                parts.keepers.remove(others)
                others.stop()

    def anomalies(self) -> list[Anomaly]:
        """What fails again and again."""
        return [anomaly for keeper in self._engine.context.dependencies.keepers for anomaly in keeper.anomalies]

    def run_due(self) -> datetime | None:
        """Do what is due for each; gives when to look again."""
        now = self._clock.now()
        with self._lock:
            if self._looked_at is not None and now < self._looked_at:
                # The clock was set back: what was to be done at a time of before would wait until it shows that again.
                self._next = dict.fromkeys(self._next, now)
            self._looked_at = now
            tenants = list(self._next)
        for tenant in tenants:
            if self._engine.context.dependencies.ending:
                break
            at = self._attended(tenant)
            with self._lock:
                self._next[tenant] = at
        with self._lock:
            return min(self._next.values(), default=None)

    def _attended(self, tenant: Tenant) -> datetime:
        now = self._clock.now()
        try:
            handle = self._engine.bind(agent=tenant.agent, user=tenant.user)
            due = handle.next_due()
            # A look costs a receipt, so it is taken only where there is something to see.
            if self._next[tenant] <= now or (due is not None and due <= now):
                return handle.run_due()
            return min(self._next[tenant], due) if due is not None else self._next[tenant]
        except EngineError as error:
            log.warning("background work failed: %s", error.code)
            return now + RETRY

    def _users(self, known: Iterable[Tenant]) -> Iterator[Tenant]:
        """Everybody an agent has traces of: what they left undone when the server was stopped is still to be done."""
        for agent in {self._engine.tenant.agent, *(tenant.agent for tenant in known)}:
            with suppress(EngineError):  # a store that cannot be opened is told by /ready
                for user in self._engine.context.dependencies.store(agent).users():
                    yield Tenant(agent, user)
