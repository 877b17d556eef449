"""Counters of operations for the metrics page (X18): what receipts say, by fixed labels and never by name or text.

Every process counts its own; a child process hands its counts over to the server, which adds them up.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping

from cortex.domain.receipt import Receipt

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the duration of a recall, in seconds."""

Key = tuple[str, ...]
"""What is counted, and its labels."""

OPERATIONS, RECALLS, SECONDS, BUCKET, CAPTURES = "operations", "recalls", "recall_seconds", "recall_bucket", "captures"
JOBS = "jobs"


class OperationCounters:
    """Counts that only rise."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[Key, float] = {}

    def count(self, receipt: Receipt) -> None:
        """Count an operation by its receipt."""
        facts = receipt.facts
        counts: defaultdict[Key, float] = defaultdict(float)
        counts[OPERATIONS, receipt.op, "ok"] += 1
        if receipt.op == "recall":
            labels = (str(facts.get("recipe") or "none"), str(facts.get("arm") or "none"), outcome_of(receipt))
            seconds = receipt.latency_ms / 1000
            counts[(RECALLS, *labels)] += 1
            counts[(SECONDS, *labels)] += seconds
            bound = next((str(each) for each in BUCKETS if seconds <= each), "+Inf")
            counts[(BUCKET, *labels, bound)] += 1
        elif receipt.op == "run_jobs":
            for verdict, number in facts.get("counts", {}).items():
                counts[CAPTURES, str(verdict)] += number
            for state in ("done", "failed", "postponed"):
                for kind, number in facts.get(state, {}).items():
                    counts[JOBS, str(kind), state] += number
        self.merge(counts)

    def fail(self, op: str) -> None:
        """Count an operation that raised an error."""
        self.merge({(OPERATIONS, op, "error"): 1})

    def merge(self, counts: Mapping[Key, float]) -> None:
        """Add what another process counted."""
        with self._lock:
            for key, number in counts.items():
                self._counts[key] = self._counts.get(key, 0) + number

    def counted(self) -> dict[Key, float]:
        with self._lock:
            return dict(self._counts)

    def drain(self) -> dict[Key, float]:
        """What was counted since the last call, to be added up elsewhere."""
        with self._lock:
            counted = dict(self._counts)
            self._counts.clear()
            return counted


def outcome_of(receipt: Receipt) -> str:
    """How a recall ended: it answered, had nothing to say, was skipped, or was cut short by some failure."""
    if receipt.facts.get("skipped"):
        return "skipped"
    if (receipt.facts.get("counts") or {}).get("returned"):
        return "answered"
    return "degraded" if receipt.degraded else "silent"
