"""Metrics for Prometheus (X18): requests, operations and contents, without a name or a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from cortex._version import __version__
from cortex.operation_counters import BUCKET, BUCKETS, CAPTURES, JOBS, OPERATIONS, RECALLS, SECONDS, Key
from cortex.runtime.ladder import Rung
from cortex.services.metrics import TenantMetrics


class Metrics:
    """The metrics of one server, in a registry of its own."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(
        self,
        hook_failures: Callable[[], Mapping[str, int]],
        worker_exits: Callable[[], int] = int,
        rung: Callable[[], Rung] = lambda: Rung.FULL,
        counted: Callable[[], Mapping[Key, float]] = dict,
        measured: Callable[[], TenantMetrics] = TenantMetrics,
    ) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "cortex_http_requests", "Requests by route and status.", ("method", "route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "cortex_http_request_seconds", "Duration of requests.", ("route",), registry=registry, buckets=BUCKETS
        )
        self._refused = Counter(
            "cortex_http_refused", "Refused requests by problem code.", ("code",),
            registry=registry,
        )  # fmt: skip
        self.in_progress = Gauge("cortex_http_requests_in_progress", "Requests in progress.", registry=registry)
        Gauge("cortex_build_info", "The version.", ("version",), registry=registry).labels(__version__).set(1)
        registry.register(_ExternalCounters(hook_failures, worker_exits, rung))
        registry.register(_Operations(counted))
        registry.register(_Contents(measured))

    def count(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def refuse(self, code: str) -> None:
        self._refused.labels(code).inc()

    def page(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return generate_latest(self._registry)


class _ExternalCounters(Collector):
    """Kept elsewhere: failures of the turn hooks, exits of the worker process, the rung of recall."""

    def __init__(
        self,
        hook_failures: Callable[[], Mapping[str, int]],
        worker_exits: Callable[[], int],
        rung: Callable[[], Rung],
    ) -> None:
        self._hook_failures = hook_failures
        self._worker_exits = worker_exits
        self._rung = rung

    def collect(self) -> Iterable[Metric]:
        family = CounterMetricFamily(
            "cortex_hook_failures", "Failures of the turn hooks by hook and code.", labels=["failure"]
        )
        for failure, number in self._hook_failures().items():
            family.add_metric([failure], number)
        yield family
        yield CounterMetricFamily(
            "cortex_worker_exits", "Unexpected exits of the worker process.",
            value=self._worker_exits(),
        )  # fmt: skip
        rung = GaugeMetricFamily("cortex_recall_rung", "1 for the rung that turns are recalled on.", labels=["rung"])
        for each in Rung:
            rung.add_metric([each.value], float(each is self._rung()))
        yield rung


class _Operations(Collector):
    """What operations did, in all processes of the server."""

    def __init__(self, counted: Callable[[], Mapping[Key, float]]) -> None:
        self._counted = counted

    def collect(self) -> Iterable[Metric]:
        counts = self._counted()
        for name, kind, about, labels in (
            ("cortex_operations", OPERATIONS, "Operations by name and outcome.", ("op", "outcome")),
            ("cortex_recalls", RECALLS, "Recalls by recipe, arm and outcome.", ("recipe", "arm", "outcome")),
            ("cortex_captures", CAPTURES, "What capture decided about statements, by verdict.", ("verdict",)),
            ("cortex_jobs_run", JOBS, "Background jobs that were run, by kind and result.", ("kind", "result")),
        ):
            family = CounterMetricFamily(name, about, labels=labels)
            for key, number in sorted(counts.items()):
                if key[0] == kind:
                    family.add_metric(key[1:], number)
            yield family
        yield self._seconds(counts)

    def _seconds(self, counts: Mapping[Key, float]) -> Metric:
        family = HistogramMetricFamily(
            "cortex_recall_seconds", "Duration of recalls.", labels=("recipe", "arm", "outcome")
        )
        for key, total in sorted(counts.items()):
            if key[0] == SECONDS:
                labels, buckets, below = key[1:], [], 0.0
                for bound in (*map(str, BUCKETS), "+Inf"):
                    below += counts.get((BUCKET, *labels, bound), 0)
                    buckets.append((bound, below))
                family.add_metric(labels, buckets, total)
        return family


class _Contents(Collector):
    """What there is, of all users together."""

    def __init__(self, measured: Callable[[], TenantMetrics]) -> None:
        self._measured = measured

    def collect(self) -> Iterable[Metric]:
        found = self._measured()
        yield _gauges("cortex_memories", "Memories by label, trust and state.", ("by", "value"), found.memories)
        yield _gauges(
            "cortex_traces", "Memories, turns, chunks and outcomes, by lane.", ("lane",),
            {(lane,): number for lane, number in found.traces.items()},
        )  # fmt: skip
        yield _gauges(
            "cortex_jobs", "Background jobs by state.", ("state",), {(each,): n for each, n in found.jobs.items()}
        )
        yield _gauges(
            "cortex_alerts", "Open alerts by severity.", ("severity",), {(each,): n for each, n in found.alerts.items()}
        )
        windows = found.llm.items()
        for name, about, key in (
            ("cortex_llm_calls", "Calls of the language model in this hour and day.", "calls"),
            ("cortex_llm_tokens", "Tokens spent on the language model in this hour and day.", "tokens"),
            ("cortex_llm_max_calls", "Calls that the budget allows in an hour and a day.", "max_calls"),
            ("cortex_llm_max_tokens", "Tokens that the budget allows in an hour and a day.", "max_tokens"),
        ):
            yield _gauges(name, about, ("window",), {(window,): spent[key] for window, spent in windows})
        yield GaugeMetricFamily("cortex_users", "Users of the served agents.", value=found.users)
        for name, about, value in (
            ("cortex_backup_age_seconds", "Age of the last backup; of several agents, the oldest.",
             found.backup_age_seconds),
            ("cortex_dead_index_share", "Share of removed entries in the vector index; of several, the largest.",
             found.dead_index_share),
        ):  # fmt: skip
            yield _gauges(name, about, (), {} if value is None else {(): value})
        yield GaugeMetricFamily(
            "cortex_metrics_failed", "Stores that could not be measured, and users that were left out.",
            value=found.failed + found.users_skipped,
        )  # fmt: skip


def _gauges(name: str, about: str, labels: Sequence[str], values: Mapping[tuple[str, ...], float]) -> Metric:
    family = GaugeMetricFamily(name, about, labels=labels)
    for key, value in sorted(values.items()):
        family.add_metric(key, value)
    return family
