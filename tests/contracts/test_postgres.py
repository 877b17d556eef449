"""What a PostgreSQL server can refuse, lose or delay, each done for real, and what the caller learns of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import ANNA, AT, BORIS, EAST, MINUTE, SPACE, Desk, id_, ids, job, memory

import postgres_server
from cortex import Cortex, settings, wiring
from cortex.clock import SystemClock
from cortex.domain.events import EventKind
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.errors import (
    CommitUnknown,
    DeadlineExceeded,
    EngineError,
    InvalidRequest,
    StoreBehind,
    StoreBusy,
    StoreForeign,
    StoreTooNew,
    StoreUnavailable,
)
from cortex.ports.clock import Clock
from cortex.ports.signals import Topic
from cortex.ports.store import Embed, Filter, JobState, Put, PutJob, Store
from cortex.runtime.deadline import Deadline
from cortex.runtime.scheduler import Scheduler
from cortex.stores.postgres import schema
from postgres_server import OWNER, Server

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())

PATIENCE = 60.0
PASSWORD = "hunter2-is-secret"


@pytest.fixture
def server() -> Server:
    return postgres_server.shared()


@pytest.fixture
def database(server: Server) -> Iterator[str]:
    """A database of the test's own."""
    name = f"own_{os.getpid()}_{time.monotonic_ns()}"
    with connected(server) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        for role, how in (("guarded", f"PASSWORD '{PASSWORD}'"), ("poor", ""), ("narrow", "CONNECTION LIMIT 1")):
            with suppress(Exception):
                connection.execute(f"CREATE ROLE {role} LOGIN {how}")
    server.admit(name)
    yield name
    with connected(server) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def connected(server: Server, database: str = "postgres", user: str = "postgres") -> Iterator[Any]:
    import psycopg

    with psycopg.connect(server.url(database, user), autocommit=True) as connection:
        yield connection


def opened(url: str, folder: Path, **options: Any) -> Store:
    loaded = settings.load(folder, {"store": {"url": url, "postgresql": options}})
    return wiring.Stores(folder, loaded).open("main")


def put(store: Store, number: int) -> int:
    return store.apply(ANNA, [Put(memory(number), EventKind.REMEMBERED)], at=AT)


def known(store: Store) -> list[str]:
    return [str(id) for id in ids(Desk(store, ANNA).scan())]


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.01)


def is_waiting(connection: Any) -> bool:
    """Whether a statement of ours waits for a lock."""
    query = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'cortex' AND wait_event_type = 'Lock'"
    return connection.execute(query).fetchone() is not None


def test_a_memory_of_an_earlier_schema_is_brought_up_to_date(
    server: Server, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url(database, OWNER)
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        earlier.setattr(schema, "VERSION", 1)
        with closing(opened(url, tmp_path)) as store:
            put(store, 1)
    wide = replace(SPACE, dimension=3_072)
    with closing(opened(url, tmp_path)) as store:
        store.apply(ANNA, [Embed(id_(1), wide, [np.ones(wide.dimension, np.float32)])], at=AT)
        assert store.vector_sets(ANNA) == {wide.key: 1}


# --- before it is opened -----------------------------------------------------------------------------------------


def test_a_wrong_password_is_named_and_never_repeated(server: Server, database: str, tmp_path: Path) -> None:
    wrong = "not-the-password"
    with pytest.raises(StoreUnavailable, match="refused the password") as refused:
        opened(server.url(database, "guarded", wrong), tmp_path)
    assert wrong not in f"{refused.value!r} {refused.value} {refused.value.hint}"


def test_a_password_may_stand_in_a_file(server: Server, database: str, tmp_path: Path) -> None:
    with connected(server, database) as connection:
        connection.execute(f"GRANT ALL ON DATABASE {database} TO guarded")
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    url = server.url(database, "guarded", f"${{file:{tmp_path / 'password'}}}")
    with closing(opened(url, tmp_path)) as store:
        put(store, 1)
        assert PASSWORD not in str(store.describe())


@pytest.mark.parametrize(
    ("database", "user", "message"),
    [("nowhere", "postgres", "no such database"), ("postgres", "nobody_at_all", "refused this user")],
)
def test_a_database_or_user_that_is_not_there_is_named(
    server: Server, tmp_path: Path, database: str, user: str, message: str
) -> None:
    with pytest.raises(StoreUnavailable, match=message):
        opened(server.url(database, user), tmp_path)


@pytest.mark.parametrize(
    ("refuse", "allow", "message"),
    [("ALTER ROLE narrow NOLOGIN", "ALTER ROLE narrow LOGIN", "refused this user"),
     ("REVOKE CONNECT ON DATABASE {0} FROM PUBLIC", "GRANT CONNECT ON DATABASE {0} TO PUBLIC", "does not allow this"),
     ("ALTER DATABASE {0} ALLOW_CONNECTIONS off", "ALTER DATABASE {0} ALLOW_CONNECTIONS on", "accepts no connections")],
)  # fmt: skip
def test_who_may_not_connect_is_told_why(
    server: Server, database: str, tmp_path: Path, refuse: str, allow: str, message: str
) -> None:
    with connected(server) as connection:
        connection.execute(refuse.format(database))
        try:
            with pytest.raises(StoreUnavailable, match=message):
                opened(server.url(database, "narrow"), tmp_path)
        finally:
            connection.execute(allow.format(database))


def test_a_server_without_encryption_is_told_from_one_that_is_not_there(wire: Wire, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="with this encryption") as refused:
        opened(f"{wire.url('postgres')}?sslmode=require", tmp_path)
    assert "sslmode" in refused.value.hint


def test_a_url_without_a_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="names no database"):
        opened("postgresql://localhost", tmp_path)


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        opened(f"postgresql:///memory?host={tmp_path}", tmp_path)


@pytest.mark.parametrize("made", ["CREATE TABLE cortex_main.recipes (name text)",
                                  "CREATE TABLE cortex_main.meta (key text, value text)",
                                  "CREATE TABLE cortex_main.meta (name text)"])  # fmt: skip
def test_a_schema_that_is_not_ours_is_left_alone(server: Server, database: str, tmp_path: Path, made: str) -> None:
    with connected(server, database, OWNER) as connection:
        connection.execute("CREATE SCHEMA cortex_main")
        connection.execute(made)
        with pytest.raises(StoreForeign, match="is not the memory of main"):
            opened(server.url(database, OWNER), tmp_path)
        (tables,) = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'cortex_main'").fetchone()
    assert tables == 1


def test_a_newer_schema_is_refused(server: Server, database: str, tmp_path: Path) -> None:
    opened(server.url(database, OWNER), tmp_path).close()
    with connected(server, database) as connection:
        connection.execute("UPDATE cortex_main.meta SET value = '99' WHERE key = 'schema'")
    with pytest.raises(StoreTooNew, match="schema 99"):
        opened(server.url(database, OWNER), tmp_path)


def test_without_the_right_to_create_it_says_what_to_grant(server: Server, database: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not allow this") as refused:
        opened(server.url(database, "poor"), tmp_path)
    assert "grant" in refused.value.hint


def test_an_empty_schema_made_by_an_administrator_is_enough(server: Server, database: str, tmp_path: Path) -> None:
    with connected(server, database) as connection:
        connection.execute("CREATE SCHEMA cortex_main AUTHORIZATION poor")
    with closing(opened(server.url(database, "poor"), tmp_path)) as store:
        put(store, 1)
        assert list(store.verify()) == []


def test_a_server_without_pgvector_is_named(tmp_path: Path) -> None:
    with (
        postgres_server.running([f"extension_control_path={tmp_path}"]) as bare,
        pytest.raises(StoreUnavailable, match="has no pgvector"),
    ):
        opened(bare.url(), tmp_path)


def test_a_pgvector_that_is_too_old_is_named(server: Server, database: str, tmp_path: Path) -> None:
    """The server has a newer one, and this database was never updated to it."""

    def install(version: str) -> None:
        with connected(server, database) as connection:
            connection.execute("UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", (version,))

    url = server.url(database, OWNER)
    install("0.6.2")
    with pytest.raises(StoreUnavailable, match=r"has pgvector 0\.6\.2") as refused:
        opened(url, tmp_path)
    assert "ALTER EXTENSION vector UPDATE" in refused.value.hint
    assert checked(url, tmp_path)["pgvector"] == (False, "0.6.2 is older than 0.7")
    install("0.7.4")
    with pytest.raises(StoreUnavailable, match=r"an HNSW index needs 0\.8"):
        opened(url, tmp_path, hnsw=True)
    opened(url, tmp_path).close()


def test_two_who_open_a_new_database_at_once_make_one_schema(server: Server, database: str, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda _: opened(server.url(database, OWNER), tmp_path), range(4)))
    for number, store in enumerate(stores):
        put(store, number)
    assert len(known(stores[0])) == 4
    for store in stores:
        store.close()


def test_agents_have_schemas_of_their_own_in_one_database(server: Server, database: str, tmp_path: Path) -> None:
    loaded = settings.load(tmp_path, {"store": {"url": server.url(database, OWNER)}})
    names = ["main", "a.b-c", "x" * 64, "x" * 63 + "y"]
    stores = [wiring.Stores(tmp_path, loaded).open(name) for name in names]
    for number, store in enumerate(stores):
        put(store, number)
    assert [len(known(store)) for store in stores] == [1, 1, 1, 1]
    for store in stores:
        store.close()


# --- while it is used --------------------------------------------------------------------------------------------


@pytest.fixture
def store(server: Server, database: str, tmp_path: Path) -> Iterator[Store]:
    made = opened(server.url(database, OWNER), tmp_path)
    yield made
    assert list(made.verify()) == []
    made.close()


def test_a_read_only_server_answers_and_refuses_to_write(store: Store, server: Server, database: str) -> None:
    put(store, 1)
    with connected(server) as connection:
        connection.execute(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
        terminate(connection, database)
    with pytest.raises(StoreUnavailable, match="is read-only"):
        put(store, 2)
    assert len(known(store)) == 1


def test_connections_that_were_lost_while_idle_are_replaced(store: Store, server: Server, database: str) -> None:
    put(store, 1)
    with connected(server) as connection:
        terminate(connection, database)
    put(store, 2)
    with connected(server) as connection:
        terminate(connection, database)
    assert len(known(store)) == 2


def test_a_write_that_reads_nothing_notices_a_lost_session_before_it_commits(
    store: Store, server: Server, database: str
) -> None:
    put(store, 1)
    with connected(server) as connection:
        terminate(connection, database)
    write_apart(store, lambda connection: connection.execute("INSERT INTO meta VALUES ('written', 'once')"))
    assert write_apart(store, lambda connection: connection.execute(WRITTEN).fetchall()) == [("once",)]


def test_an_error_is_raised_by_the_next_answer_and_the_session_goes_on(store: Store) -> None:
    def work(connection: Any) -> Any:
        connection.execute("INSERT INTO meta VALUES ('written', 'never')")
        connection.execute("SELECT 1 / 0")
        return connection.execute("SELECT 1").fetchone()

    for _ in range(5):  # until its statements would have been prepared
        with pytest.raises(EngineError):
            write_apart(store, work)
        put(store, 1)
    assert write_apart(store, lambda connection: connection.execute(WRITTEN).fetchall()) == []


def test_a_session_keeps_few_statements_prepared(store: Store) -> None:
    numbers = [number for number in range(300) for _ in range(4)]

    def work(connection: Any) -> list[int]:
        answers = [connection.execute(f"SELECT {number}") for number in numbers]
        return [answer.fetchone()[0] for answer in answers]

    assert write_apart(store, work) == numbers
    with store._connections.alone() as connection:  # type: ignore[attr-defined]
        (kept,) = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    assert 0 < kept <= 200


def test_a_session_may_lose_what_it_has_prepared(store: Store) -> None:
    for number in range(5):
        put(store, number)
    with store._connections.alone() as connection:  # type: ignore[attr-defined]
        connection.execute("DEALLOCATE ALL")
    for number in range(5, 10):
        put(store, number)
    assert len(known(store)) == 10


WRITTEN = "SELECT value FROM meta WHERE key = 'written'"


def write_apart(store: Store, work: Callable[[Any], Any]) -> Any:
    """A transaction beside those of the port."""
    return store._connections.write(work)  # type: ignore[attr-defined]


def terminate(connection: Any, database: str) -> None:
    """End every session of a database, and wait until they are gone."""
    query = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s"
    connection.execute(query, (database,)).fetchall()


def test_a_server_lost_in_the_middle_of_a_write_leaves_nothing(store: Store, server: Server, database: str) -> None:
    """E11: the caller knows that it was not written, and can ask again"""
    put(store, 1)
    with (
        connected(server, database) as holder,
        connected(server) as other,
        ThreadPoolExecutor() as pool,
        holder.transaction(),
    ):
        holder.execute("LOCK TABLE cortex_main.events IN EXCLUSIVE MODE")
        writing = pool.submit(put, store, 2)
        wait_until(lambda: is_waiting(other))
        waiting = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"
        (pid,) = other.execute(waiting, (database,)).fetchone()
        other.execute("SELECT pg_terminate_backend(%s, 60000)", (pid,)).fetchall()
        with pytest.raises(StoreUnavailable) as lost:
            writing.result(PATIENCE)
    assert not isinstance(lost.value, CommitUnknown)
    assert len(known(store)) == 1
    put(store, 2)
    assert len(known(store)) == 2


def test_a_writer_waits_for_another_of_the_same_user_and_no_longer_than_it_was_told(
    server: Server, database: str, tmp_path: Path
) -> None:
    """FIELD 12"""
    with closing(opened(server.url(database, OWNER), tmp_path, busy_timeout_ms=50)) as store:
        put(store, 1)
        with connected(server, database) as holder, holder.transaction():
            holder.execute("SELECT 1 FROM cortex_main.users WHERE name = 'anna' FOR UPDATE")
            with pytest.raises(StoreBusy):
                put(store, 2)
            store.apply(BORIS, [Put(memory(3), EventKind.REMEMBERED)], at=AT)
        put(store, 2)
        assert list(store.verify()) == []


def test_a_claim_skips_a_job_that_somebody_is_changing(store: Store, server: Server, database: str) -> None:
    Desk(store, ANNA).apply(*(PutJob(job(number, key=f"s{number}")) for number in range(2)))
    with connected(server, database) as holder, holder.transaction():
        (held,) = holder.execute("SELECT id FROM cortex_main.jobs ORDER BY id LIMIT 1 FOR UPDATE").fetchone()
        taken = store.claim(ANNA, ["extract"], now=AT, until=AT + MINUTE)
        assert taken is not None
        assert taken.id != held
        assert store.claim(ANNA, ["extract"], now=AT, until=AT + MINUTE) is None


def test_a_deadline_reaches_the_server(store: Store, server: Server, database: str) -> None:
    """C8"""
    put(store, 1)
    with connected(server, database) as holder, holder.transaction():
        holder.execute("LOCK TABLE cortex_main.postings IN ACCESS EXCLUSIVE MODE")
        with store.view(ANNA) as view:
            for _ in range(2):
                with pytest.raises(DeadlineExceeded):
                    view.keywords(query_terms("harbour"), Filter(), 5, Deadline.after(time, 0.2))
            assert ids(view.load([memory(1).id])) == [memory(1).id], "the other legs go on"
    with store.view(ANNA) as view:
        assert view.keywords(query_terms("harbour"), Filter(), 5, Deadline.after(time, PATIENCE))
        assert view.keywords(query_terms("harbour"), Filter(), 5)


def test_too_many_connections_are_named(server: Server, database: str, tmp_path: Path) -> None:
    with connected(server, database) as connection:
        connection.execute("CREATE SCHEMA cortex_main AUTHORIZATION narrow")
    with (
        closing(opened(server.url(database, "narrow"), tmp_path)) as store,
        store.view(ANNA),
        pytest.raises(StoreBusy, match="too many connections"),
        store.view(ANNA),
    ):
        pass
    with connected(server, database) as connection:  # the server lets go of a closed session in its own time
        wait_until(lambda: not connection.execute("SELECT 1 FROM pg_stat_activity WHERE usename = 'narrow'").rowcount)
    with (
        closing(opened(server.url(database, "narrow"), tmp_path / "other", connections=1, busy_timeout_ms=50)) as store,
        store.view(ANNA),
        pytest.raises(StoreBusy, match="in use"),
        store.view(ANNA),
    ):
        pass


def test_no_transaction_leaves_anything_in_its_session(server: Server, database: str, tmp_path: Path) -> None:
    """PgBouncer in transaction mode gives every transaction another session."""
    with closing(opened(server.url(database, OWNER), tmp_path, connections=1)) as store:
        store._connections._is_direct = False  # type: ignore[attr-defined]
        store._connections._drop_idle()  # type: ignore[attr-defined]
        for number in range(5):
            put(store, number)
        with store.view(ANNA) as view:
            view.keywords(query_terms("harbour"), Filter(), 5, Deadline.after(time, PATIENCE))
        with store.erasure_lock(0):
            pass
        store.claim(ANNA, ["extract"], now=AT, until=AT + MINUTE)
        store.maintain()
        with store._connections.alone() as connection:  # type: ignore[attr-defined]
            changed = connection.execute(
                "SELECT name FROM pg_settings WHERE source = 'session'"
                " AND name IN ('search_path', 'statement_timeout', 'lock_timeout', 'synchronous_commit')"
            ).fetchall()
            assert changed == []
            for name in ("user_name", "user_id", "everyone"):
                (left,) = connection.execute(f"SELECT current_setting('cortex.{name}', true)").fetchone() or ()
                assert not left
            assert connection.execute("SELECT 1 FROM pg_prepared_statements").fetchall() == []
            held = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
            assert connection.execute(held).fetchall() == []


REFUSALS = {
    "read-only": ("ALTER DATABASE {0} SET default_transaction_read_only = on", "ALTER DATABASE {0} RESET ALL"),
    "another password": ("ALTER ROLE guarded PASSWORD 'another'", f"ALTER ROLE guarded PASSWORD '{PASSWORD}'"),
    "too many connections": ("ALTER ROLE guarded CONNECTION LIMIT 0", "ALTER ROLE guarded CONNECTION LIMIT -1"),
}
"""What an administrator can do to a memory that is in use, and how it is undone."""


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_the_server_refuses_is_named_and_costs_no_turn(
    server: Server, database: str, tmp_path: Path, refusal: str
) -> None:
    """Nothing acknowledged is lost, and nothing has to be restarted."""
    refuse, allow = (statement.format(database) for statement in REFUSALS[refusal])
    code = StoreBusy.code if refusal == "too many connections" else StoreUnavailable.code
    given = {"store": {"url": server.url(database, "guarded", PASSWORD)}, "embedding": {"provider": "none"},
             "hooks": {"deadline_ms": int(1000 * PATIENCE)}}  # fmt: skip
    with connected(server) as connection:
        connection.execute(f"GRANT ALL ON DATABASE {database} TO guarded")
        with Cortex(tmp_path, settings=given) as engine:
            engine.remember("The ferry leaves at nine")
            assert engine.recall("When does the ferry leave?").hits
            engine.context.flush()  # from here on nothing connects by itself
            terminate(connection, database)
            connection.execute(refuse)
            terminate(connection, database)
            try:
                turn = engine.hooks().before("When does the ferry leave?", session="s1")
                assert "leaves at nine" in turn.block or code in turn.degraded
                with pytest.raises((StoreUnavailable, StoreBusy)) as refused:
                    engine.remember("The boat is in Porto")
                assert refused.value.code == code
                assert "cannot be reached" not in str(refused.value), "it was reached, and said what is wrong"
                assert PASSWORD not in f"{refused.value!r} {refused.value} {refused.value.hint}"
            finally:
                connection.execute(allow)
            assert "leaves at nine" in engine.hooks().before("When does the ferry leave?", session="s1").block
            engine.remember("The boat is in Porto")
            assert len(engine.list()) == 2
            wait_until(lambda: engine.verify() == [])  # how the index of files was is remembered for a second


# --- an answer that is lost --------------------------------------------------------------------------------------


class Wire:
    """Carries a connection to the server, until it is told to lose the answer to a commit, or the commit itself."""

    def __init__(self, server: Server) -> None:
        self._to = str(server.folder / ".s.PGSQL.5432")
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.loses = ""
        self.is_cut = False
        self.meanwhile: Callable[[], None] = lambda: None
        """What happens after a commit was lost, and before the client notices."""
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, database: str) -> str:
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{database}"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._to)
                threading.Thread(target=self._carry, args=(near, far), daemon=True).start()
                threading.Thread(target=self._carry_back, args=(far, near), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while data := near.recv(65_536):
                if self.loses and b"COMMIT\0" in data:
                    losing, self.loses = self.loses, ""
                    self.is_cut = losing == "everything"
                    try:
                        self.meanwhile()
                    finally:
                        near.shutdown(socket.SHUT_RDWR)  # no answer gets through from here on
                    if losing != "commit":
                        far.sendall(data)
                        far.shutdown(socket.SHUT_WR)
                        while far.recv(65_536):
                            pass  # until the server has done it and closed
                    break
                far.sendall(data)
        for each in (near, far):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)  # the other direction waits for it
            each.close()

    def _carry_back(self, far: socket.socket, near: socket.socket) -> None:
        with suppress(OSError):
            while data := far.recv(65_536):
                near.sendall(data)

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    made = Wire(server)
    yield made
    made.close()


def test_a_commit_whose_answer_was_lost_is_asked_for(wire: Wire, database: str, tmp_path: Path) -> None:
    """E11: the server knows, so the caller gets the answer as if nothing had happened"""
    with closing(opened(wire.url(database), tmp_path)) as store:
        put(store, 1)
        wire.loses = "answer"
        assert put(store, 2) == 2
        assert len(known(store)) == 2
        assert list(store.verify()) == []


def test_a_commit_that_never_arrived_was_not_done(wire: Wire, database: str, tmp_path: Path) -> None:
    """E11"""
    with closing(opened(wire.url(database), tmp_path)) as store:
        put(store, 1)
        wire.loses = "commit"
        with pytest.raises(StoreUnavailable, match="nothing was written") as lost:
            put(store, 2)
        assert not isinstance(lost.value, CommitUnknown)
        assert len(known(store)) == 1
        assert put(store, 2) == 2
        assert list(store.verify()) == []


def test_where_nobody_can_tell_it_says_so_and_asking_again_does_no_harm(
    wire: Wire, database: str, tmp_path: Path
) -> None:
    """E11"""
    with closing(opened(wire.url(database), tmp_path, busy_timeout_ms=200)) as store:
        put(store, 1)
        wire.loses = "everything"
        with pytest.raises(CommitUnknown):
            put(store, 2)
        wire.is_cut = False
        put(store, 2)
        assert known(store) == [str(memory(number).id) for number in (1, 2)]
        assert list(store.verify()) == []


@pytest.mark.parametrize("comes_back", [False, True])
def test_a_commit_that_a_crash_swallowed_is_not_taken_for_the_one_that_got_its_number(
    tmp_path: Path, comes_back: bool
) -> None:
    """E11: a server gives the number of a transaction that it lost to the next one"""
    with postgres_server.running(["wal_writer_delay=10s"]) as own:
        own.admit()
        wire = Wire(own)
        with closing(opened(wire.url("postgres"), tmp_path)) as store:
            put(store, 1)

            def crash() -> None:
                with connected(own) as connection:
                    number = "SELECT max(backend_xid::text::bigint) FROM pg_stat_activity"
                    (lost,) = connection.execute(number).fetchone()
                postgres_server.kill(own)
                own.start()
                if comes_back:
                    with connected(own) as connection:
                        current = "SELECT pg_current_xact_id()::text::bigint"
                        numbers = [connection.execute(current).fetchone()[0] for _ in range(50)]
                        assert lost in numbers

            wire.loses, wire.meanwhile = "commit", crash
            with pytest.raises(StoreUnavailable, match="nothing was written") as swallowed:
                put(store, 2)
            assert not isinstance(swallowed.value, CommitUnknown)
            assert len(known(store)) == 1
            assert put(store, 2) == 2
            assert list(store.verify()) == []
        wire.close()


def test_a_server_that_crashed_and_came_back_is_found_again(tmp_path: Path) -> None:
    """Nothing that was acknowledged is lost, and every failure meanwhile has a name."""
    with postgres_server.running() as own, closing(opened(own.admit(), tmp_path)) as store:
        for number in range(5):
            put(store, number)
        with connected(own) as connection:
            (backend,) = connection.execute("SELECT pg_backend_pid()").fetchone()
            os.kill(backend, signal.SIGKILL)  # the server takes this for a crash, and recovers
            failures: list[EngineError] = []
            until = time.monotonic() + PATIENCE
            while True:
                assert time.monotonic() < until
                try:
                    put(store, 5)
                    if failures:  # else the server has not noticed yet
                        break
                except EngineError as error:
                    failures.append(error)
            assert all(isinstance(each, StoreUnavailable) for each in failures)
        assert len(known(store)) == 6
        assert list(store.verify()) == []


# --- behind PgBouncer --------------------------------------------------------------------------------------------


@pytest.fixture
def bouncer(server: Server, database: str, tmp_path: Path) -> Iterator[str]:
    """PgBouncer in transaction mode: fewer sessions than writers, and each transaction gets any of them."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed: run `make debian`, or `apt-get install pgbouncer`")
    folder = Path(tempfile.mkdtemp(prefix="cortex-bouncer-"))
    (folder / "users").write_text(f'"{OWNER}" ""\n')
    (folder / "ini").write_text(
        f"[databases]\n* = host={server.folder} user={OWNER}\n[pgbouncer]\nlisten_addr=\nunix_socket_dir={folder}\n"
        f"listen_port=6432\nauth_type=any\nauth_file={folder}/users\npool_mode=transaction\ndefault_pool_size=3\n"
    )
    as_nobody: dict[str, Any] = {"user": 65_534, "group": 65_534, "extra_groups": []} if os.geteuid() == 0 else {}
    if as_nobody:
        for path in (folder, *folder.iterdir()):
            os.chown(path, 65_534, 65_534)
    with open(folder / "log", "w") as log:
        running = subprocess.Popen([program, str(folder / "ini")], stdout=log, stderr=log, **as_nobody)
    try:
        wait_until(lambda: (folder / ".s.PGSQL.6432").exists() or running.poll() is not None)
        assert running.poll() is None, (folder / "log").read_text()
        yield f"postgresql://{OWNER}@/{database}?host={folder}&port=6432"
    finally:
        running.terminate()
        running.wait(PATIENCE)
        shutil.rmtree(folder)


def test_pgbouncer_in_transaction_mode_works(bouncer: str, tmp_path: Path) -> None:
    """More writers and readers than sessions, and nothing of one is seen by another."""
    with closing(opened(bouncer, tmp_path)) as store:

        def work(number: int) -> None:
            tenant = Tenant(user=f"user {number}")
            for at in range(6):
                trace = memory(100 * number + at)
                store.apply(tenant, [Put(trace, EventKind.REMEMBERED), Embed(trace.id, SPACE, (EAST,))], at=AT)
                with store.view(tenant) as view:
                    found = view.keywords(query_terms("harbour"), Filter(), 50, Deadline.after(time, PATIENCE))
                    assert len(found) == at + 1
                    assert len(view.nearest(EAST, SPACE, Filter(), 50)) == at + 1
                with store.view(tenant, as_of=2) as view:
                    assert view.counts(Filter()).total == 1

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        with store.erasure_lock(0) as first, store.erasure_lock(0) as second:
            assert (first, second) == (True, False)
        store.maintain()
        assert list(store.verify()) == []


def test_behind_pgbouncer_nobody_listens_and_the_clock_decides(
    bouncer: str, server: Server, database: str, tmp_path: Path
) -> None:
    def engine_in(home: str) -> Cortex:
        return Cortex(tmp_path / home, settings={"store": {"url": bouncer}, "embedding": {"provider": "none"}})

    def queued(engine: Cortex) -> int:
        with engine.context.store_view() as view:
            return len(view.jobs(JobState.WAITING)) + len(view.jobs(JobState.RUNNING))

    with engine_in("a") as here, engine_in("b") as there, connected(server, database) as connection:
        there.remember("The worker has opened its store")
        worker = Scheduler(there.run_due, now=there.context.clock.now, idle_seconds=0.1).start()
        with there.context.dependencies.signals.waiting(Topic.JOBS, worker.wake):
            here.ingest([{"role": "user", "content": "I live in Rome."}], session="s", debounce=False)
            wait_until(lambda: queued(here) == 0)
            wait_until(lambda: not any(each.name == "cortex-listener" for each in threading.enumerate()))
        worker.stop()
        assert not connection.execute("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%'").fetchall()


# --- a standby ---------------------------------------------------------------------------------------------------


def test_a_promoted_standby_is_found_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    """The primary is killed; until the standby is promoted every failure has a name."""
    with postgres_server.running() as primary, postgres_server.running(standby_of=primary) as standby:
        with connected(primary) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
            wait_until(lambda: connection.execute(synchronous).fetchone() is not None)
        primary.admit()
        both = f"postgresql://{OWNER}@/postgres?host={primary.folder},{standby.folder}"
        with closing(opened(both, tmp_path)) as store:
            acknowledged = [number for number in range(10) if put(store, number)]
            os.kill(primary.pid, signal.SIGKILL)
            with suppress(StoreUnavailable):  # a session may outlive its server for a moment
                acknowledged += [10] if put(store, 10) else []
            with connected(standby) as connection:
                connection.execute("SELECT pg_promote()")
            until = time.monotonic() + PATIENCE
            while True:
                try:
                    put(store, 11)
                    break
                except StoreUnavailable:
                    assert time.monotonic() < until
            assert {str(memory(number).id) for number in (*acknowledged, 11)} <= set(known(store))
            assert list(store.verify()) == []


def test_a_standby_answers_refuses_to_write_and_shows_no_less_than_was_written(tmp_path: Path) -> None:
    with (
        postgres_server.running() as primary,
        closing(opened(primary.admit(), tmp_path)) as writing,
        postgres_server.running(standby_of=primary) as standby,
        closing(opened(standby.url(user=OWNER), tmp_path, busy_timeout_ms=int(1000 * PATIENCE))) as reading,
    ):
        for number in range(3):
            position = put(writing, number)
            with reading.view(ANNA, at_least=position) as view:
                assert view.position == position
                assert len(view.keywords(query_terms("harbour"), Filter(), 50)) == number + 1
        with pytest.raises(StoreUnavailable, match="is read-only"):
            put(reading, 9)
        assert list(reading.verify()) == []


def test_a_view_of_what_nobody_wrote_is_refused_after_a_while(server: Server, database: str, tmp_path: Path) -> None:
    with (
        closing(opened(server.url(database, OWNER), tmp_path, busy_timeout_ms=50)) as store,
        pytest.raises(StoreBehind),
        store.view(ANNA, at_least=7),
    ):
        pass


# --- the doctor --------------------------------------------------------------------------------------------------


def checked(url: str, folder: Path, clock: Clock | None = None) -> dict[str, tuple[bool | None, str]]:
    found = wiring.Stores(folder, settings.load(folder, {"store": {"url": url}})).checks(clock)
    return {check.name: (check.ok, check.detail) for check in found}


def test_the_doctor_checks_the_server_before_it_is_used(server: Server, database: str, tmp_path: Path) -> None:
    with connected(server, database) as connection:
        connection.execute("DROP EXTENSION vector")
    before = checked(server.url(database, OWNER), tmp_path)
    assert before["pgvector"] == (None, "is not in this database")
    assert before["database server"][0] is None, "the server of the tests does not wait for its disk"
    server.admit(database)
    opened(server.url(database, OWNER), tmp_path).close()
    after = checked(server.url(database, OWNER), tmp_path)
    assert after["pgvector"][0] is True
    assert after["database rights"] == (True, "may create the schema of an agent")
    assert after["database role"] == (True, "a primary")
    assert "ms" in after["database latency"][1]
    assert checked(server.url(database, "poor"), tmp_path)["database rights"][0] is False


class Offset(SystemClock):
    """The clock of a host that is a minute ahead."""

    def now(self) -> datetime:
        return super().now() + MINUTE


def test_the_doctor_measures_the_clock_and_counts_the_connections(
    server: Server, database: str, tmp_path: Path
) -> None:
    url = server.url(database)
    found = checked(url, tmp_path)
    assert found["database clock"][0] is True
    assert re.fullmatch(r"\d+ of 60 are in use", found["database connections"][1])
    ok, detail = checked(url, tmp_path, Offset())["database clock"]
    assert ok is None
    assert re.match(r"this host's clock is (59|60)\.\d s ahead of the server's", detail)


def test_two_hosts_whose_clocks_differ_by_a_minute_share_one_order(
    server: Server, database: str, tmp_path: Path
) -> None:
    def host(name: str, clock: Clock) -> Cortex:
        given = {"store": {"url": server.url(database)}, "embedding": {"provider": "none"}}
        return Cortex(tmp_path / name, settings=given, clock=clock)

    with host("ahead", Offset()) as ahead, host("right", SystemClock()) as right:
        for number in range(3):
            ahead.remember(f"Ahead {number}", as_new=True)
            right.remember(f"Right {number}", as_new=True)
        events = right.events()
        times = [event.at for event in events]
        assert times == sorted(times)
        for engine in (ahead, right):
            known = [trace.text for trace in engine.list()]
            assert len(known) == 6
            assert not engine.verify()
        seen = [right.context.store.position_at(right.tenant, at) for at in times]
        assert seen == sorted(seen)
        assert seen[-1] == events[-1].position


def test_the_doctor_names_what_is_in_the_way_without_a_password(server: Server, database: str, tmp_path: Path) -> None:
    found = checked(server.url(database, "guarded", "not-the-password"), tmp_path)
    assert found.keys() == {"database server"}
    assert found["database server"][0] is False
    assert "not-the-password" not in str(found)


def test_the_oldest_server_that_is_promised_works(tmp_path: Path) -> None:
    with postgres_server.running(version=16) as old, closing(opened(old.admit(), tmp_path)) as store:
        put(store, 1)
        Desk(store, ANNA).embed(memory(1), EAST)
        assert Desk(store, ANNA).find("harbour")
        assert Desk(store, ANNA).near(EAST)
        assert store.describe()["server"].startswith("16.")
        assert list(store.verify()) == []


# --- the planner ------------------------------------------------------------------------------------------------------


def test_a_sample_of_a_memory_that_was_just_loaded_reads_the_vectors_of_its_traces_alone(
    server: Server, database: str, tmp_path: Path
) -> None:
    """Before the server has counted them, its planner takes many vectors for few."""
    many, few = 2_000, 20
    url = server.url(database, OWNER)
    with closing(opened(url, tmp_path)) as store:
        made = [memory(number) for number in range(many)]
        vectors = [Embed(each.id, SPACE, (EAST,)) for each in made]
        store.apply(ANNA, [*(Put(each, EventKind.REMEMBERED) for each in made), *vectors], at=AT)
    before = vectors_read(server, database)
    with closing(opened(url, tmp_path)) as store:
        assert len(store.sample(ANNA, SPACE, few)) == few
    assert vectors_read(server, database) - before < many // 2


def vectors_read(server: Server, database: str) -> int:
    """How many entries of indexes of vectors all ended sessions have read."""
    with connected(server, database) as connection:
        read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'vectors'"
        return int(connection.execute(read).fetchone()[0])
