"""Signals of an engine: what wakes its schedulers and streams, from this process and from others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from cortex.ports.signals import Signaling, Topic
from cortex.ports.store import Store
from cortex.runtime.signals import Subscribers


class Signals:
    """Wakes those who wait in this process, and in others where the store can. It never waits and never raises.

    Other processes are listened to as long as somebody here waits for them.
    """

    def __init__(self) -> None:
        self._here = Subscribers()
        self._lock = threading.Lock()
        self._stores: list[Signaling] = []
        self._waiting: dict[object, tuple[Topic, Callable[[], None], ExitStack]] = {}

    def send(self, store: Store, topic: Topic) -> None:
        """Say that something was done in a store."""
        self.wake(topic)
        if isinstance(store, Signaling):
            store.signal(topic)

    def wake(self, topic: Topic) -> None:
        """Wake those who wait in this process, and nobody else."""
        self._here.wake(topic)

    @contextmanager
    def waiting(self, topic: Topic, wake: Callable[[], None], *, elsewhere: bool = True) -> Iterator[None]:
        """Call `wake` with each signal while inside; `elsewhere`: with those of other processes too."""
        with ExitStack() as ends:
            ends.callback(self._here.add(topic, wake))
            if elsewhere:
                with self._lock:
                    self._waiting[ends] = (topic, wake, ends)
                    for store in self._stores:
                        ends.callback(store.subscribe(topic, wake))
                ends.callback(self._leave, ends)
            yield

    def follow(self, store: Store) -> None:
        """Listen to other processes that use this store, from when somebody here waits."""
        if isinstance(store, Signaling):
            with self._lock:
                self._stores.append(store)
                for topic, wake, ends in self._waiting.values():
                    ends.callback(store.subscribe(topic, wake))

    def unfollow(self, store: object) -> None:
        """Forget a store that is about to be closed, which ends its subscriptions."""
        with self._lock:
            self._stores = [each for each in self._stores if each is not store]

    def _leave(self, key: object) -> None:
        with self._lock:
            del self._waiting[key]
