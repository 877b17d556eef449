"""Background jobs, consolidation and backups of all served tenants."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from cortex.domain.scope import Tenant
from cortex.errors import EngineError, StoreUnavailable
from cortex.lifecycle import upkeep
from cortex.lifecycle.upkeep import Anomaly
from cortex.memory import Cortex
from cortex.ports.signals import Topic
from cortex.runtime.scheduler import ACTOR, Scheduler

log = logging.getLogger("cortex.http")

MOST_TENANTS = 10_000
"""Further tenants wait until there are fewer, or for `cortex admin jobs run`; jobs are durable."""

RETRY = timedelta(minutes=1)


class TenantScheduler:
    """Runs what is due for each tenant. The engine's own tenant has a scheduler that also syncs its files."""

    def __init__(self, engine: Cortex) -> None:
        self._engine = engine
        self._clock = engine.context.dependencies.clock
        self._lock = threading.Lock()
        self._next: dict[Tenant, datetime] = {}
        self._last_run_at: datetime | None = None
        self._scheduler: Scheduler | None = None

    def add_tenant(self, tenant: Tenant) -> None:
        """Schedule this tenant from now on."""
        with self._lock:
            if tenant in self._next or tenant == self._engine.tenant or len(self._next) >= MOST_TENANTS:
                return
            self._next[tenant] = self._clock.now()
        if self._scheduler is not None:
            self._scheduler.wake()

    @contextmanager
    def running(self, known: Iterable[Tenant]) -> Iterator[None]:
        """Run in the background, for known tenants and for users with stored traces."""
        for tenant in {*known, *self._users(known)}:
            self.add_tenant(tenant)
        with self._engine.scheduler():
            self._scheduler = Scheduler(self.run_due, now=self._clock.now, name="cortex-tenants").start()
            dependencies, others = self._engine.context.dependencies, self._scheduler
            dependencies.schedulers.append(others)
            try:
                with dependencies.signals.waiting(Topic.JOBS, others.wake):
                    yield
            finally:
                dependencies.ending = True
                dependencies.schedulers.remove(others)
                others.stop()

    def anomalies(self) -> list[Anomaly]:
        """Repeated failures."""
        return upkeep.failing(self._engine.context.dependencies.schedulers)

    def run_due(self) -> datetime | None:
        """Run what is due for each tenant; returns when to run next."""
        now = self._clock.now()
        with self._lock:
            if self._last_run_at is not None and now < self._last_run_at:
                # The clock was set back: without this, tenants would wait until it catches up.
                self._next = dict.fromkeys(self._next, now)
            self._last_run_at = now
            tenants = list(self._next)
        lost: set[str] = set()
        for tenant in tenants:
            if self._engine.context.dependencies.ending:
                break
            # A database that does not answer is waited for once, not once for each user: others have their turn.
            at = now + RETRY if tenant.agent in lost else self._run_tenant(tenant, lost)
            with self._lock:
                self._next[tenant] = at
        with self._lock:
            return min(self._next.values(), default=None)

    def _run_tenant(self, tenant: Tenant, lost: set[str]) -> datetime:
        """Run what is due for a tenant; an agent whose store cannot be reached is added to `lost`."""
        now = self._clock.now()
        try:
            handle = Cortex.over(self._engine.context.bind(agent=tenant.agent, user=tenant.user).by(ACTOR))
            due = handle.next_due()
            # A run writes a receipt, so it happens only when something is due.
            if self._next[tenant] <= now or (due is not None and due <= now):
                return handle.run_due()
            return min(self._next[tenant], due) if due is not None else self._next[tenant]
        except EngineError as error:
            log.warning("background work failed: %s", error.code)
            if isinstance(error, StoreUnavailable):
                lost.add(tenant.agent)
            return now + RETRY

    def _users(self, known: Iterable[Tenant]) -> Iterator[Tenant]:
        """Every user with stored traces: they may have unfinished jobs."""
        for agent in {self._engine.tenant.agent, *(tenant.agent for tenant in known)}:
            with suppress(EngineError):  # /ready reports a store that cannot be opened
                for user in self._engine.context.dependencies.store(agent).users():
                    yield Tenant(agent, user)
