"""What the metrics page measures when it is read (X18): numbers of all users of the served agents, without names."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from cortex.context import Context
from cortex.domain.lanes import ANY_STATE, Lane
from cortex.domain.scope import Tenant
from cortex.errors import EngineError
from cortex.lifecycle import backups
from cortex.ports.store import Filter, Store
from cortex.services.alerts import open_alerts

FRESH_SECONDS = 15.0
"""How long a measurement is used: reading the page often costs little."""

MOST_USERS = 2_000
"""How many users of an agent are looked at; `cortex_metrics_users_skipped` says how many were not."""


@dataclass(slots=True)
class TenantMetrics:
    """What there is."""

    memories: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """By dimension (label, trust or state) and its value."""
    traces: Counter[str] = field(default_factory=Counter)
    """By lane."""
    jobs: Counter[str] = field(default_factory=Counter)
    """By state."""
    alerts: Counter[str] = field(default_factory=Counter)
    """By severity."""
    users: int = 0
    users_skipped: int = 0
    backup_age_seconds: float | None = None
    """Of the agent whose latest backup is oldest; None where there is none."""
    dead_index_share: float | None = None
    """Of the index with the largest share; None where no index reports it."""
    llm: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Calls and tokens of the language model in this hour and this day, and what may be spent."""
    failed: int = 0
    """How many stores could not be read."""


class MetricsService:
    """Measures all users of some agents, at most every few seconds."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._last: tuple[float, TenantMetrics] | None = None

    def measure(self, agents: Iterable[str] = ()) -> TenantMetrics:
        now = self._context.clock.monotonic()
        with self._lock:
            if self._last is None or now - self._last[0] >= FRESH_SECONDS:
                self._last = now, self._measured({self._context.tenant.agent, *agents})
            return self._last[1]

    def _measured(self, agents: Iterable[str]) -> TenantMetrics:
        found, dependencies = TenantMetrics(), self._context.dependencies
        for agent in sorted(agents):
            try:
                self._count(found, agent, dependencies.store(agent))
            except EngineError:
                found.failed += 1
        try:
            found.alerts.update(alert.severity.value for alert in open_alerts(dependencies.documents))
        except EngineError:
            found.failed += 1
        if dependencies.llm is not None:
            status = dependencies.llm.status()
            found.llm = {name: dict(status[name]) for name in ("hour", "day") if name in status}
        return found

    def _count(self, found: TenantMetrics, agent: str, store: Store) -> None:
        users = store.users()
        found.users += len(users)
        found.users_skipped += max(0, len(users) - MOST_USERS)
        memories = Filter(lanes=frozenset({Lane.MEMORIES}), states=ANY_STATE)
        for user in users[:MOST_USERS]:
            with store.view(Tenant(agent, user)) as view:
                counted, pulse = view.counts(memories), view.pulse()
                found.traces.update(view.counts(replace(memories, lanes=None)).by_lane)
            found.jobs.update(pulse.jobs)
            for name, by in (("label", counted.by_label), ("trust", counted.by_trust), ("state", counted.by_state)):
                found.memories.update({(name, value): number for value, number in by.items()})
        last = backups.last_at(self._context.dependencies.home / backups.FOLDER, agent)
        if last is not None:
            age = max(0.0, (self._context.clock.now() - last).total_seconds())
            found.backup_age_seconds = max(age, found.backup_age_seconds or 0.0)
        share = store.describe().get("dead_index_share")
        if isinstance(share, int | float):
            found.dead_index_share = max(float(share), found.dead_index_share or 0.0)
