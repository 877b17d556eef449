"""A command on a terminal of its own, answered as a person would answer it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

from forking import Forked

PATIENCE = 90.0
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Conversation:
    """What is said on the terminal, and answers to it."""

    def __init__(self, *arguments: str, folder: Path, columns: int = 400, **variables: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        self._process = Forked(
            ["-m", "cortex", *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder,
            env=kept | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "COLUMNS": ""} | variables,
        )  # fmt: skip
        os.close(theirs)
        self._raw = ""
        self._heard = 0

    def __enter__(self) -> Conversation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._ours)

    @property
    def said(self) -> str:
        """Everything so far, without colours."""
        return _ESCAPES.sub("", self._raw).replace("\r\n", "\n")

    def asked(self, words: str) -> Conversation:
        """Wait for a question with these words; then it is to be answered."""
        until = time.monotonic() + PATIENCE
        while words not in self.said[self._heard :] or not self.said.endswith(": "):
            assert self._read(until), f"{words!r} was not asked:\n{self.said}"
        self._heard = len(self.said)
        return self

    def answer(self, text: str = "") -> None:
        os.write(self._ours, f"{text}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl-C, and again where it came between the question and the wait for its answer, and was not heard."""
        until, before = time.monotonic() + PATIENCE, len(self._raw)
        while len(self._raw) == before and time.monotonic() < until:
            self._process.send_signal(signal.SIGINT)
            self._read(time.monotonic() + 1.0)

    def ended(self) -> int:
        """Wait for the end; gives the exit code."""
        until = time.monotonic() + PATIENCE
        while self._read(until):
            pass
        return self._process.wait(timeout=PATIENCE)

    def _read(self, until: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            some = os.read(self._ours, 65_536)
        except OSError:  # how a terminal says that nobody is left to write to it
            return False
        self._raw += some.decode("utf-8", "replace")
        return bool(some)
