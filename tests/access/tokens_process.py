"""A process of its own that uses tokens: `python tokens_process.py DEED PLACE ARGUMENT`."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from cortex.access import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.ports.documents import TOKENS
from document_places import documents_at


def opened(place: Path) -> Tokens:
    return Tokens(documents_at(place), SystemClock())


def create(place: Path, number: str) -> None:
    """Make so many tokens, and tell each secret as soon as it may be relied on."""
    tokens = opened(place)
    for _ in range(int(number)):
        secret, _ = tokens.create(Tenant(), [Right.WRITE])
        print(secret, flush=True)


def revoke(place: Path, id: str) -> None:
    opened(place).revoke(id)


def die(place: Path, number: str) -> None:
    """Make a token, and be killed before this many of the calls that change something outside."""
    numbers = count(1)

    def before(_: str) -> None:
        if next(numbers) == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    _listen(before)
    create(place, "1")


def calls(place: Path, number: str) -> None:
    """Make so many tokens, and tell the calls that change something outside."""
    _listen(print)
    tokens = opened(place)
    for _ in range(int(number)):
        tokens.create(Tenant(), [Right.READ])


def _listen(before: Callable[[str], Any]) -> None:
    """Hear of every call that changes something outside, before it is made."""

    def recorded(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def calling(*arguments: Any, **options: Any) -> Any:
            before(name)
            return call(*arguments, **options)

        return calling

    for name in ("open", "unlink", "fsync", "replace"):
        setattr(os, name, recorded(name, getattr(os, name)))
    fcntl.flock = recorded("flock", fcntl.flock)


def torn(place: Path, size: str) -> None:
    """Make a token, and be killed by the system after this many bytes of the file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    full(place, size)


def full(place: Path, size: str) -> None:
    """Make a token where no file can have more than this many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    create(place, "1")


def opens(place: Path, number: str) -> None:
    """Check so many times before and after a change; tell how often the file was opened for it."""
    opened_files: list[str] = []

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and arguments[1] is None:  # `os.open` itself; its callers report too, with a mode
            opened_files.append(str(arguments[0]))

    sys.addaudithook(listen)
    tokens = opened(place)
    secret, token = opened(place).create(Tenant(), [Right.READ])
    for changed in (False, True):
        if changed:
            opened(place).revoke(token.id)
        opened_files.clear()
        found = {tokens.check(secret) for _ in range(int(number))}
        assert found == ({None} if changed else {token})
        print(opened_files.count(str(place / TOKENS)))


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
