"""Connections: a bounded pool, read and write transactions that leave nothing behind in a session, and what became of
a commit whose answer was lost.

Everything is set with `SET LOCAL`, and behind a pooler nothing is prepared: PgBouncer may give every transaction
another session.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from cortex.errors import CommitUnknown, StoreBusy, StoreUnavailable
from cortex.ports.signals import Topic
from cortex.ports.store_url import StoreUrl
from cortex.stores.postgres import PostgresOptions, row_security, schema, signals
from cortex.stores.postgres.connection import Connection, PgConnection, adapt
from cortex.stores.postgres.failures import is_lost, is_retried, named_errors
from cortex.stores.postgres.pipeline import Pipeline, Statements
from cortex.stores.postgres.row_security import Enter, Entry, User, in_sql

T = TypeVar("T")

_WRITING = "ISOLATION LEVEL READ COMMITTED"
_MOST_TRIES = 32
"""How often a write starts over: each time another writer went ahead, so all together go forward."""

_PAUSE = 0.05
_NOTHING: Mapping[str, Any] = {}
_PREPARED_AFTER = 2
"""A statement that is met so often is prepared, where a session stays ours: to plan it takes as long as to run it."""

_LIFE = """
SELECT pg_backend_pid(), pg_is_in_recovery(), (SELECT stats_reset FROM pg_stat_wal)::text,
  CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END
"""
"""The session, and what is different once the server has crashed or another was promoted: statistics are lost with a
crash, and a promotion begins a timeline."""

_LOST_AFTER = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""How it is noticed that a host is gone to which nothing is sent."""


Life = tuple[Any, ...]
"""What tells a server from the one that it is after a crash or a failover."""


class _LostIdle(psycopg.OperationalError):
    """Nothing was done with a connection before it was lost: another is taken."""


class Connections:
    """Opens connections to one agent's schema, and hands them out."""

    def __init__(
        self,
        url: StoreUrl,
        agent: str,
        options: PostgresOptions,
        standby_of: Connections | None = None,
        enter: Enter = row_security.begin,
    ) -> None:
        self._enter = enter
        self.target = str(url)
        self._url = url
        self._options = options
        self._busy_timeout_ms = options.busy_timeout_ms
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(options.connections)
        self._pid = os.getpid()
        self._closed = False
        self._role = "read-write" if standby_of is None else "standby"
        self._place: schema.Place | None = None
        self._has_lost = False
        self.on_connect: Callable[[Connection, bool], None] | None = None
        """Called with each new connection before anything else is done with it, and with whether another was lost since
        the last: the server may be in an earlier state then."""
        self._is_direct: bool | None = None
        self._lives: WeakKeyDictionary[Connection, Life] = WeakKeyDictionary()
        self._statements: WeakKeyDictionary[Connection, Statements] = WeakKeyDictionary()
        self._schema = schema.schema_name(agent)
        self._subscriptions: list[Callable[[], None]] = []
        self._sender: signals.Sender | None = None
        if standby_of is not None:  # the same tables, opened when they are read
            self._place = standby_of._place
            return
        with named_errors(self.target):
            first = self._connect()
            try:
                self._place = schema.prepare(first, agent, self.target)
                adapt(first, self._place.vector_oid)
            except BaseException:
                first.close()
                raise
        self._idle.append(first)
        self._sender = signals.Sender(
            self._schema, first.info.backend_pid, lambda work: self.write(work, durable=False)
        )

    @property
    def identity(self) -> str:
        """Of the memory; see `schema.Place`."""
        assert self._place is not None
        return self._place.identity

    @contextmanager
    def reading(self, user: User = None, *, enters: bool = False) -> Iterator[PgConnection]:
        """A read transaction of a user: one consistent snapshot, whatever writers do meanwhile.

        `enters` as `row_security.begin` has it.
        """
        mode = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
        entry = self._enter(user, enters=enters)
        with named_errors(self.target), self._lent(mode, entry) as connection:
            try:
                yield PgConnection(connection)
            finally:
                _roll_back(connection)

    def write(
        self,
        work: Callable[[PgConnection], T],
        user: User = None,
        *,
        enters: bool = False,
        durable: bool = True,
        together: bool = True,
    ) -> T:
        """What `work` returns, done in one transaction of a user: all of it or nothing, durably before it returns.

        Where two writers are in each other's way, `work` is called again. An answer that was lost is asked for again:
        `CommitUnknown` says that nobody can tell, any other error that nothing was written. Statements are sent
        `together` until an answer is read, unless `work` reads large answers a page at a time.
        """
        entry = self._enter(user, enters=enters)
        settings = [*entry.settings, self._lock_timeout]
        if not durable:  # it survives a crash of this process, not of the server
            settings.append(("synchronous_commit", "off"))
        entry = entry._replace(settings=tuple(settings))
        with named_errors(self.target):
            was_read_only = False
            for _ in range(_MOST_TRIES - 1):
                try:
                    return self._written(work, user, entry, together=together)
                except errors.ReadOnlySqlTransaction:
                    if was_read_only:
                        raise
                    # A session stays so, though the server may take writes again since.
                    was_read_only = True
                    self._drop_idle()
                except psycopg.Error as error:
                    if not (isinstance(error, _LostIdle) or is_retried(error)):
                        raise
            return self._written(work, user, entry, together=together)

    @property
    def _lock_timeout(self) -> tuple[str, str]:
        return "lock_timeout", str(self._busy_timeout_ms)

    def _written(self, work: Callable[[PgConnection], T], user: User, entry: Entry, *, together: bool) -> T:
        is_committing = False
        try:
            with self._lent_together(entry) if together else self._lent_apart(entry) as writing:
                result = work(writing)
                writing.settle()
                is_committing = True
                writing.commit()
        except psycopg.Error as error:
            if not (is_committing and is_lost(error)):
                raise
            lost = error
        else:
            return result
        if self._was_committed(writing, user, self._lives.get(writing.raw), lost):
            return result
        raise StoreUnavailable(f"{self.target} was lost, and nothing was written", hint="try again") from lost

    @contextmanager
    def _lent_together(self, entry: Entry) -> Iterator[PgConnection]:
        """A connection that sends statements together, beginning with those that begin its transaction."""
        with self._counted():
            idle = self._take()
            connection = idle or self._opened()
            pipeline = Pipeline(connection, self._statements.get(connection))
            try:
                with pipeline:
                    writing = PgConnection(connection, pipeline)
                    self._begin_on(writing, entry)
                    yield writing
            except psycopg.Error as error:
                if idle is not None and is_lost(error) and not pipeline.is_answered:
                    raise _LostIdle("a session was lost while it lay idle") from error
                raise
            finally:
                _roll_back(connection)
                self._give_back(connection)

    @contextmanager
    def _lent_apart(self, entry: Entry) -> Iterator[PgConnection]:
        """A connection that waits for the answer to each statement."""
        with self._lent(_WRITING, entry) as connection:
            try:
                yield PgConnection(connection)
            finally:
                _roll_back(connection)

    def _was_committed(self, writing: PgConnection, user: User, life: Life | None, lost: psycopg.Error) -> bool:
        """Whether a transaction whose answer was lost was committed; the server is asked for a while."""
        until = time.monotonic() + self._busy_timeout_ms / 1000
        while writing.xid is not None:
            with suppress(psycopg.Error, StoreUnavailable, StoreBusy):
                found = self._fate(writing, user, life)
                if found is not None:
                    return found
            if time.monotonic() >= until:
                break
            time.sleep(_PAUSE)
        raise CommitUnknown(
            f"{self.target} was lost while it committed", hint="look whether it is there; to do it again does no harm"
        ) from lost

    def _fate(self, writing: PgConnection, user: User, life: Life | None) -> bool | None:
        """Whether a transaction was committed; None if that is unknown, or not known yet.

        After a crash or a failover the number of a transaction that was lost may have been given to another one. Then
        its last event is looked for.
        """
        with self._lent("READ ONLY", self._enter(user)) as connection:
            try:
                _, is_standby, *now = connection.execute(_LIFE).fetchone() or ()
                if is_standby:
                    return None
                state = _state(connection, str(writing.xid))
                if state != "committed":
                    return False if state == "aborted" else None
                if tuple(now) == life:
                    return True
                if writing.evidence is None:
                    return None
                owner, position, seal = writing.evidence
                event = 'SELECT seal FROM events WHERE "user" = %s AND position = %s'
                return connection.execute(event, (owner, position)).fetchone() == (seal,)
            finally:
                _roll_back(connection)

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """A connection outside of a transaction, for what cannot be done inside one."""
        with named_errors(self.target), self._counted():
            connection = self._take() or self._opened()
            try:
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def on(self, connection: Connection, user: User) -> Iterator[PgConnection]:
        """A write transaction on a connection that is not in the pool."""
        with named_errors(self.target):
            entry = self._enter(user)
            entry = entry._replace(settings=(*entry.settings, self._lock_timeout))
            connection.execute(self._begin(_WRITING, entry))
            try:
                yield PgConnection(connection)
                connection.execute("COMMIT")
            finally:
                _roll_back(connection)

    # --- signals ---------------------------------------------------------------------------------

    def signal(self, topic: Topic) -> None:
        """Wake those who wait in other processes, soon."""
        assert self._sender is not None, "a standby sends nothing"
        self._sender.send(topic)

    def subscribe(self, topic: Topic, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` with the signals of others until this is closed; returns what ends it before."""
        assert self._sender is not None
        end = signals.subscribe(self._url, self._open_listening, self._schema, self._sender.name, topic, wake)
        self._subscriptions.append(end)
        return end

    def _open_listening(self) -> Connection | None:
        with named_errors(self.target):
            connection = connect(self._url, self._options, more=_LOST_AFTER)
        if _is_direct(connection):
            return connection
        connection.close()
        return None

    # --- the pool --------------------------------------------------------------------------------

    @contextmanager
    def _lent(self, mode: str, entry: Entry) -> Iterator[Connection]:
        """A connection in a transaction that has begun; it goes back to the pool unless it was lost."""
        with self._counted():
            connection = self._begun(mode, entry)
            try:
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        if not self._free.acquire(timeout=self._busy_timeout_ms / 1000):
            raise StoreBusy(
                f"all connections to {self.target} are in use", hint="try again, or raise store.postgresql.connections"
            )
        try:
            yield
        finally:
            self._free.release()

    def _begin(self, mode: str, entry: Entry) -> bytes:
        assert self._place is not None
        return f"BEGIN {mode}; SET LOCAL search_path TO {self._place.search_path}; {in_sql(entry)}".encode()

    def _begin_on(self, writing: PgConnection, entry: Entry) -> None:
        """The same for a connection that sends statements together."""
        assert self._place is not None
        settings = ("search_path", self._place.search_path), *entry.settings
        writing.execute(f"BEGIN {_WRITING}")
        writing.execute(f"SELECT {', '.join(['set_config(?, ?, true)'] * len(settings))}", [*chain(*settings)])
        if entry.lookup:
            writing.execute(entry.lookup)

    def _begun(self, mode: str, entry: Entry) -> Connection:
        begin = self._begin(mode, entry)
        while (connection := self._take()) is not None:
            # One that lay idle may have been lost since: nothing was done with it, so another is taken.
            try:
                connection.execute(begin)
            except psycopg.OperationalError:
                self._has_lost = True
                connection.close()
            else:
                return connection
        connection = self._opened()
        try:
            connection.execute(begin)
        except BaseException:
            connection.close()
            raise
        return connection

    def _opened(self) -> Connection:
        connection = self._connect()
        if self._place is not None:
            adapt(connection, self._place.vector_oid)
        has_lost, self._has_lost = self._has_lost, False
        if self.on_connect is not None:
            self.on_connect(connection, has_lost)
        return connection

    def _connect(self) -> Connection:
        connection = connect(self._url, self._options, self._role)
        backend, _, *life = connection.execute(_LIFE).fetchone() or ()
        self._lives[connection] = tuple(life)
        if self._is_direct is None:
            self._is_direct = bool(backend == connection.info.backend_pid)
        if self._is_direct:
            connection.prepare_threshold = _PREPARED_AFTER
            self._statements[connection] = Statements(_PREPARED_AFTER)
        return connection

    def _take(self) -> Connection | None:
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"{self.target} is closed", hint="open the engine again")
            if self._pid != os.getpid():
                # A child of the process that opened them: they are its parent's, and must not even be closed.
                _leaked.extend(self._idle)
                self._idle, self._pid = [], os.getpid()
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            is_fit = not connection.closed and connection.info.transaction_status is TransactionStatus.IDLE
            if is_fit and not self._closed:
                self._idle.append(connection)
                return
            self._has_lost = True
        connection.close()

    def close(self) -> None:
        """Send what was signaled and close every idle connection. Closing twice is fine."""
        for end in self._subscriptions:
            end()
        if self._sender is not None:
            self._sender.close()
        with self._lock:
            self._closed = True
        self._drop_idle()

    def _drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        if self._pid == os.getpid():
            for connection in idle:
                connection.close()


def connect(
    url: StoreUrl, options: PostgresOptions, role: str = "read-write", more: Mapping[str, Any] = _NOTHING
) -> Connection:
    """A new connection to the server; of several, to one that has this role now.

    `more` holds where the URL does not say something else.
    """
    known = parameters(url)
    defaults: dict[str, Any] = {
        "connect_timeout": -(-options.connect_timeout_ms // 1000),
        "application_name": "cortex",
        **more,
    }
    if has_several_hosts(url):
        defaults["target_session_attrs"] = role
    chosen = {name: value for name, value in defaults.items() if name not in known}
    if role == "standby":
        chosen["target_session_attrs"] = role
    return psycopg.connect(url.reveal(), autocommit=True, prepare_threshold=None, **chosen)


def has_several_hosts(url: StoreUrl) -> bool:
    """Whether a URL names several servers, of which one is the primary."""
    return "," in str(parameters(url).get("host", ""))


def parameters(url: StoreUrl) -> dict[str, Any]:
    """What a URL says, as libpq names it."""
    try:
        return conninfo_to_dict(url.reveal())
    except psycopg.ProgrammingError:
        # What the driver says of it would quote the URL, and so a password.
        raise url.refusal("is malformed", hint="percent-encode special characters in it") from None


def _is_direct(connection: Connection) -> bool:
    """Whether the session is ours: a pooler gives out numbers of its own, and a session to each transaction."""
    (backend,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
    return bool(backend == connection.info.backend_pid)


def _state(connection: Connection, xid: str) -> str | None:
    """What a primary knows of a transaction; one that it does not know was lost with another server."""
    state: str | None
    try:
        (state,) = connection.execute("SELECT pg_xact_status(%s::xid8)", (xid,)).fetchone() or (None,)
    except errors.InvalidParameterValue:
        return "aborted"
    return state


_leaked: list[Connection] = []


def _roll_back(connection: Connection) -> None:
    if not connection.closed and connection.info.transaction_status is not TransactionStatus.IDLE:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK", prepare=False)
