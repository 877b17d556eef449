"""Counters of failures that no caller sees."""

from __future__ import annotations

import logging
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from cortex.errors import EngineError, InvalidRequest, full_disk

log = logging.getLogger("cortex")


class FailureCounters:
    """Counts failures that are reported to no caller: `before:deadline`, `after:store_busy`, …"""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def count(self, failure: str) -> None:
        with self._lock:
            self._counts[failure] += 1

    def counted(self) -> dict[str, int]:
        with self._lock:
            return dict(sorted(self._counts.items()))

    @contextmanager
    def caught(self, task: str) -> Iterator[list[str]]:
        """Let no failure of the block out: it is logged, its code is listed and counted as `task:code`."""
        codes: list[str] = []
        try:
            yield codes
        except EngineError as error:
            codes.append(error.code)
            # The name of a field alone: a message may quote what was given.
            field = error.field if isinstance(error, InvalidRequest) else ""
            log.warning("%s: %s%s", task, error.code, f" ({field})" if field.isidentifier() else "")
        except Exception as error:
            full = full_disk(error)
            codes.append(full.code if full else "unexpected")
            # The places without the error's message, which may quote a conversation.
            places = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s: %s\n%s", task, type(error).__name__, places)
        for code in codes:
            self.count(f"{task}:{code}")
