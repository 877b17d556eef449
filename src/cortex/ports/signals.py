"""What a store may have: signals between the processes that share it.

A signal only saves waiting. It may be lost, so waiters also look by the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol, runtime_checkable


class Topic(StrEnum):
    """What a signal says; never whose it is, nor a word of it."""

    JOBS = "jobs"
    """There may be work."""
    CHANGES = "changes"
    """Some memory has changed."""
    DOCUMENTS = "documents"
    """A shared document has changed."""


@runtime_checkable
class Signaling(Protocol):
    """A store that wakes those who wait in other processes, on any host. A signal may be lost."""

    def signal(self, topic: Topic) -> None:
        """Wake the others soon. It waits for nothing and raises nothing; many in quick succession become one."""

    def subscribe(self, topic: Topic, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake`, which must be quick, with the signals of others, until the store is closed.

        It is called in a thread of the store's, and also when signals may have been lost. Returns what ends it.
        """
