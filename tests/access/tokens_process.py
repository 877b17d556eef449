"""A process of its own that uses tokens: `python tokens_process.py DEED PATH ARGUMENT`."""

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

from cortex.access import Right, TokenFile
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant


def create(path: Path, number: str) -> None:
    """Make so many tokens, and tell each secret as soon as it may be relied on."""
    tokens = TokenFile(path, SystemClock())
    for _ in range(int(number)):
        secret, _ = tokens.create(Tenant(), [Right.WRITE])
        print(secret, flush=True)


def revoke(path: Path, id: str) -> None:
    TokenFile(path, SystemClock()).revoke(id)


def die(path: Path, number: str) -> None:
    """Make a token, and be killed before this many of the calls that change something outside."""
    numbers = count(1)

    def before(_: str) -> None:
        if next(numbers) == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    _listen(before)
    create(path, "1")


def calls(path: Path, number: str) -> None:
    """Make so many tokens, and tell the calls that change something outside."""
    _listen(print)
    tokens = TokenFile(path, SystemClock())
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


def torn(path: Path, size: str) -> None:
    """Make a token, and be killed by the system after this many bytes of the file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    full(path, size)


def full(path: Path, size: str) -> None:
    """Make a token where no file can have more than this many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    create(path, "1")


def opens(path: Path, number: str) -> None:
    """Check so many times before and after a change; tell how often the file was opened for it."""
    opened: list[str] = []

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and arguments[1] is None:  # `os.open` itself; its callers report too, with a mode
            opened.append(str(arguments[0]))

    sys.addaudithook(listen)
    tokens = TokenFile(path, SystemClock())
    secret, token = TokenFile(path, SystemClock()).create(Tenant(), [Right.READ])
    for changed in (False, True):
        if changed:
            TokenFile(path, SystemClock()).revoke(token.id)
        opened.clear()
        found = {tokens.check(secret) for _ in range(int(number))}
        assert found == ({None} if changed else {token})
        print(opened.count(str(path)))


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])
