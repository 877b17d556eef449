"""What is counted for Prometheus (X18): requests, how long they took, what was refused, what went wrong in hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from cortex._version import __version__

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The numbers of one server, in a registry of its own."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, troubles: Callable[[], Mapping[str, int]], worker_ended: Callable[[], int] = int) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "cortex_http_requests", "Requests by route and status.", ("method", "route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "cortex_http_request_seconds", "How long requests took.", ("route",), registry=registry, buckets=_BUCKETS
        )
        self._refused = Counter(
            "cortex_http_refused", "Requests that were refused, by the code of the problem.", ("code",),
            registry=registry,
        )  # fmt: skip
        self.under_way = Gauge("cortex_http_requests_under_way", "Requests under way.", registry=registry)
        Gauge("cortex_build_info", "The version.", ("version",), registry=registry).labels(__version__).set(1)
        registry.register(_Troubles(troubles, worker_ended))

    def count(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """One request that was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def refuse(self, code: str) -> None:
        self._refused.labels(code).inc()

    def page(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)


class _Troubles(Collector):
    """What went wrong in the hooks of turns, and how often the worker process ended: both are counted elsewhere."""

    def __init__(self, troubles: Callable[[], Mapping[str, int]], worker_ended: Callable[[], int]) -> None:
        self._troubles = troubles
        self._worker_ended = worker_ended

    def collect(self) -> Iterable[Metric]:
        family = CounterMetricFamily(
            "cortex_hook_troubles", "What went wrong in hooks, by hook and code.", labels=["what"]
        )
        for what, number in self._troubles().items():
            family.add_metric([what], number)
        yield family
        yield CounterMetricFamily(
            "cortex_worker_ended", "How often the worker process ended and was started again.",
            value=self._worker_ended(),
        )  # fmt: skip
