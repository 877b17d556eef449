"""Metrics for Prometheus (X18): requests, their duration, refusals, and failures of the turn hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from cortex._version import __version__

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The metrics of one server, in a registry of its own."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, hook_failures: Callable[[], Mapping[str, int]], worker_exits: Callable[[], int] = int) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "cortex_http_requests", "Requests by route and status.", ("method", "route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "cortex_http_request_seconds", "Duration of requests.", ("route",), registry=registry, buckets=_BUCKETS
        )
        self._refused = Counter(
            "cortex_http_refused", "Refused requests by problem code.", ("code",),
            registry=registry,
        )  # fmt: skip
        self.in_progress = Gauge("cortex_http_requests_in_progress", "Requests in progress.", registry=registry)
        Gauge("cortex_build_info", "The version.", ("version",), registry=registry).labels(__version__).set(1)
        registry.register(_ExternalCounters(hook_failures, worker_exits))

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
    """Counters kept elsewhere: failures of the turn hooks, and exits of the worker process."""

    def __init__(self, hook_failures: Callable[[], Mapping[str, int]], worker_exits: Callable[[], int]) -> None:
        self._hook_failures = hook_failures
        self._worker_exits = worker_exits

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
