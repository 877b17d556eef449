"""Signals between processes by `LISTEN` and `NOTIFY`.

A process sends after its commit, not in it: a transaction that notifies holds a lock of all who notify until it has
reached the disk. What many writers of a process have to say within a moment is said once.
"""

from __future__ import annotations

import logging
import os
import selectors
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress

import psycopg

from cortex.errors import EngineError
from cortex.ports.signals import Topic
from cortex.ports.store_url import StoreUrl
from cortex.runtime.pool import begin
from cortex.runtime.signals import Subscribers
from cortex.runtime.worker import BatchQueue
from cortex.stores.postgres.connection import Connection, PgConnection

log = logging.getLogger("cortex")

CHANNEL = "cortex"
GATHER_SECONDS = 0.1
"""How long a signal waits for others to go with it: so a process sends at most ten in a second."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
"""How long a lost connection is left alone: twice as long after each failure."""

_JOIN_SECONDS = 5.0

OpenConnection = Callable[[], Connection | None]
"""Opens a connection to listen on; None where nobody can, behind a pooler."""


class Sender:
    """Sends what a store signals in its schema."""

    def __init__(self, schema: str, session: int, write: Callable[[Callable[[PgConnection], object]], object]) -> None:
        self._schema = schema
        self._session = session
        self._write = write
        self._queue: BatchQueue[Topic] = BatchQueue(self._send, gather_seconds=GATHER_SECONDS, name="cortex-signals")
        self.send, self.close = self._queue.add, self._queue.close

    @property
    def name(self) -> str:
        """By which a store knows its own signals: its first session, and its process, for one may be forked."""
        return f"{self._session}-{os.getpid()}"

    def _send(self, topics: Sequence[Topic]) -> None:
        said = " ".join((self.name, self._schema, *sorted(set(topics))))
        with suppress(EngineError):  # waiters look by the clock
            self._write(lambda connection: connection.execute("SELECT pg_notify(?, ?)", (CHANNEL, said)))


class Listener:
    """A connection that listens for everybody in this process who waits for something in one database.

    It is opened in a thread of its own, and opened again when it was lost.
    """

    def __init__(self, open_connection: OpenConnection) -> None:
        self._open = open_connection
        self._waiting: dict[tuple[str, str], Subscribers] = {}
        self._is_ended = threading.Event()
        self._end, self._at_end = socket.socketpair()
        self._thread = begin(self._run, "cortex-listener")

    def add(self, schema: str, own: str, topic: Topic, wake: Callable[[], None]) -> Callable[[], None]:
        return self._waiting.setdefault((schema, own), Subscribers()).add(topic, wake)

    @property
    def is_needed(self) -> bool:
        return any(self._waiting.values())

    def close(self) -> None:
        self._is_ended.set()
        self._end.close()  # which can be read at the other end
        if self._thread is not threading.current_thread():
            self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        with self._at_end:
            while not self._is_ended.is_set():
                try:
                    if (connection := self._open()) is None:
                        log.info("behind a pooler nobody can listen: background work goes by the clock")
                        return
                    with closing(connection):
                        connection.execute(f"LISTEN {CHANNEL}")
                        pause = FIRST_PAUSE
                        self._wake_all()  # for what was said while nobody listened
                        self._receive(connection)
                except (psycopg.Error, EngineError) as error:
                    log.debug("not listening to other processes: %s", type(error).__name__)
                self._is_ended.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def _receive(self, connection: Connection) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            selector.register(self._at_end, selectors.EVENT_READ)
            while not self._is_ended.is_set():
                while (said := connection.pgconn.notifies()) is not None:
                    self._hear(bytes(said.extra).decode(errors="replace"))
                selector.select()
                connection.pgconn.consume_input()

    def _hear(self, said: str) -> None:
        sender, schema, *topics = [*said.split(" "), ""]
        for (where, own), waiting in list(self._waiting.items()):
            if where == schema and own != sender:
                waiting.wake(*(topic for topic in Topic if topic in topics))

    def _wake_all(self) -> None:
        for waiting in list(self._waiting.values()):
            waiting.wake(*Topic)


_listeners: dict[tuple[int, StoreUrl], Listener] = {}
_lock = threading.Lock()


def subscribe(
    url: StoreUrl, open_connection: OpenConnection, schema: str, own: str, topic: Topic, wake: Callable[[], None]
) -> Callable[[], None]:
    """Call `wake` with signals that are not our `own`, by one connection for all of this process; returns its end."""
    key = (os.getpid(), url)  # a child of this process has no thread of its parent's
    with _lock:
        listener = _listeners.get(key)
        if listener is None:
            listener = _listeners[key] = Listener(open_connection)
        leave = listener.add(schema, own, topic, wake)

    def end() -> None:
        leave()
        with _lock:
            if key[0] != os.getpid() or listener.is_needed or _listeners.get(key) is not listener:
                return
            del _listeners[key]
        listener.close()

    return end
