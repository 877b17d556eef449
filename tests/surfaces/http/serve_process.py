"""`cortex serve` as a process of its own: started, called, ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from forking import PIPE, Forked

ALONE = {"CORTEX_SERVE__RECALL_PROCESSES": "0", "CORTEX_SERVE__WORKER_PROCESS": "false"}
"""A server without processes beside it: they take longer to start than the server."""
WITH_PROCESSES = {"CORTEX_SERVE__RECALL_PROCESSES": "1", "CORTEX_SERVE__WORKER_PROCESS": "true"}
"""A server as it is unless configured otherwise, for the tests of what runs beside it."""


class Process:
    """A server that runs; its log is a file. What it imports is there already, unless it is to import it anew."""

    def __init__(self, home: Path, *arguments: str, imports_anew: bool = False, **variables: str) -> None:
        self.log = home.with_name(f"{home.name}.log")
        command = ["-m", "cortex", "--home", str(home), "--json", "serve", "--port", "0", *arguments]
        base = {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"}
        env = os.environ | base | ALONE | variables
        self._process: Forked | subprocess.Popen[str]
        with self.log.open("ab") as log:
            if imports_anew:
                self._process = subprocess.Popen(
                    [sys.executable, *command], stdout=PIPE, stderr=log, text=True, env=env
                )
            else:
                self._process = Forked(command, stdout=PIPE, stderr=log, env=env)
        assert self._process.stdout is not None
        self.said = self._process.stdout.readline()

    def __enter__(self) -> Process:
        payload: dict[str, Any] = json.loads(self.said)
        self.url, self.pid = payload["url"], payload["pid"]
        self.client = httpx.Client(base_url=self.url, timeout=30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
        if self._process.poll() is None:
            self.end(signal.SIGKILL)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait; gives the exit code."""
        self._process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        code = self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What it logged."""
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]

    def peak(self) -> int:
        """The most memory it ever had, in bytes."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        return 1_024 * int(status.partition("VmHWM:")[2].split()[0])


def children(pid: int) -> set[int]:
    """The processes that it started and that are still there."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):  # each thread has those it started
        with suppress(FileNotFoundError, ProcessLookupError):
            found |= set(map(int, task.read_text("ascii").split()))
    return found
