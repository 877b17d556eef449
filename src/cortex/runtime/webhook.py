"""A webhook: JSON documents that are sent to a URL in the background, with limits on time and attempts."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from cortex.errors import ProviderError
from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.worker import BackgroundQueue, Task

SECONDS = 5.0
"""How long one attempt may take."""

PAUSES = (1.0, 4.0)
"""How long to wait before each further attempt."""

MOST_WAITING = 100
"""Beyond, a document is dropped and counted."""

_MARGIN = 1.0
"""A server that answers byte by byte is left behind so long after its attempts should have ended."""

CLOSE_SECONDS = 2.0
"""How long the end of a process waits for what is being sent."""


class Webhook:
    """Posts documents in order. It never raises and nobody waits for it: failures are logged and counted."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        failures: FailureCounters,
        *,
        seconds: float = SECONDS,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self._url = url
        self._headers = {**headers, "Content-Type": "application/json", "User-Agent": "cortex"}
        self._seconds = seconds
        self._pauses = pauses
        self._queue = BackgroundQueue(failures, most=MOST_WAITING)

    def send(self, document: Mapping[str, Any]) -> None:
        """Queue a document."""
        body = json.dumps(document, ensure_ascii=False).encode()
        in_all = (1 + len(self._pauses)) * self._seconds + sum(self._pauses) + _MARGIN
        self._queue.add(Task("webhook", lambda: self._post(body), seconds=in_all))

    def flush(self, seconds: float) -> bool:
        """Wait until everything is sent or given up; returns whether that took less than so many seconds."""
        return self._queue.flush(seconds)

    def close(self) -> None:
        self.flush(CLOSE_SECONDS)

    def _post(self, body: bytes) -> None:
        for pause in (*self._pauses, None):
            failure = self._attempt(body)
            if not failure:
                return
            if pause is None or failure in _FINAL:
                raise ProviderError(f"the webhook failed: {failure}", hint="check alerts.webhook")
            time.sleep(pause)

    def _attempt(self, body: bytes) -> str:
        """Why it was not taken; empty where it was. The URL may hold a secret, and so may the words of an error.

        No redirect is followed: headers with secrets go to the host that was named, and nowhere else.
        """
        at = urlsplit(self._url)
        kind = HTTPSConnection if at.scheme == "https" else HTTPConnection
        path = f"{at.path or '/'}?{at.query}" if at.query else at.path or "/"
        try:
            with closing(kind(at.hostname or "", at.port, timeout=self._seconds)) as connection:
                connection.request("POST", path, body, self._headers)
                with connection.getresponse() as response:
                    return "" if response.status < 300 else f"HTTP {response.status}"
        except (OSError, HTTPException, ValueError) as error:
            return type(error).__name__


_FINAL = frozenset(f"HTTP {status}" for status in range(300, 500) if status not in (408, 425, 429))
"""Refusals that will be the same the next time."""
