"""A process of its own that changes documents: `python documents_process.py DEED PLACE ARGUMENT`."""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from cortex.errors import LlmUnavailable
from cortex.ports.documents import Bodies
from cortex.providers.llms.budget import Budget, BudgetLimits
from cortex.testing import FakeClock
from document_places import documents_at

COUNTERS = ("one", "two")
CALLS, MOST_TOKENS = 40, 300
LIMITS = BudgetLimits(
    calls_per_hour=CALLS, calls_per_day=CALLS, tokens_per_hour=MOST_TOKENS, tokens_per_day=MOST_TOKENS
)
AT = datetime(2026, 1, 5, 9, 15, tzinfo=UTC)


def add(bodies: Bodies) -> None:
    """Count one up, in all documents alike."""
    for name in bodies:
        bodies[name] = str(int(bodies[name] or b"0") + 1).encode()


def count(place: Path, number: str) -> None:
    documents = documents_at(place)
    for _ in range(int(number)):
        documents.change(COUNTERS, add)
        print("counted", flush=True)


def die(place: Path, number: str) -> None:
    """Be killed in the middle of this change."""
    documents = documents_at(place)
    for _ in range(int(number) - 1):
        documents.change(COUNTERS, add)

    def killed(bodies: Bodies) -> None:
        add(bodies)
        os.kill(os.getpid(), signal.SIGKILL)

    documents.change(COUNTERS, killed)


def spend(place: Path, tokens: str) -> None:
    """Reserve until there is no room; tell what was got. Every other one is settled for what was held."""
    budget = Budget(documents_at(place), LIMITS, FakeClock(AT))
    try:
        while True:
            held = budget.reserve(1, int(tokens) - 1)
            print(held.tokens, flush=True)
            if held.id % 2:
                budget.settle(held, held.tokens)
    except LlmUnavailable as error:
        assert "does not fit" in error.message, error  # noqa: PT017 - nothing else may stop it


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
