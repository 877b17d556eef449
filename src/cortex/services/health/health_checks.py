"""What a check is, and how checks that may have to wait are made: side by side, and none for longer than it may."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")

NETWORK_SECONDS = 6.0
"""How long a check waits for somebody else to answer."""


class Group(StrEnum):
    """What a check is about, in the order it is told."""

    MACHINE = "machine"
    HOME = "home"
    MEMORY = "memory"
    PROVIDERS = "providers"
    SERVING = "serving"
    HOSTS = "hosts"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing an installation needs. `ok` is None for what works but should be looked after."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""
    group: Group = Group.MACHINE


class BackgroundProbe(Generic[T]):
    """Something found out beside whatever is done meanwhile; whoever never answers is left behind."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._future: Future[T] = Future()
        # A thread of its own, since those of a pool are waited for when the process ends.
        threading.Thread(target=self._run, args=(work,), name="cortex-check", daemon=True).start()

    def result(self, seconds: float | None, late: Callable[[], T]) -> T:
        """What was found out, or what `late` says of it after so many seconds; None waits until it is."""
        try:
            return self._future.result(seconds)
        except Late:
            return late()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._future.set_result(work())
        except BaseException as error:
            self._future.set_exception(error)
