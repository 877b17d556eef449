"""Who waits for work, changes or documents of another host is woken, and without a signal the clock decides."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import postgres_server
from cortex import Cortex, settings, wiring
from cortex.access import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.ports.documents import TOKENS
from cortex.ports.signals import Signaling, Topic
from cortex.ports.store import JobState
from cortex.ports.store_url import StoreUrl
from cortex.runtime.scheduler import Scheduler
from cortex.stores.postgres import OPTIONS, signals
from cortex.stores.postgres.connections import Connections
from cortex.stores.relational.documents import SqlDocuments
from store_list import STORE_URLS

AN_HOUR = 3_600.0
PATIENCE = 60.0
SAID = [{"role": "user", "content": "I live in Rome, and my dog is called Bello."}]

needs_server = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())


@pytest.fixture
def url(tmp_path: Path) -> str:
    return postgres_server.emptied_url(tmp_path)


@contextmanager
def connected(url: str) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def eventually(holds: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.01)


def listeners(connection: Any) -> list[int]:
    """The sessions that listen for signals."""
    query = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
    return [pid for (pid,) in connection.execute(query + " AND pid <> pg_backend_pid()").fetchall()]


class Wakes:
    """Counts how often somebody was woken."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.number = 0

    def __call__(self) -> None:
        with self._changed:
            self.number += 1
            self._changed.notify_all()

    def wait_for(self, number: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.number >= number, PATIENCE), "nobody was woken"


def opened(url: str, folder: Path, agent: str = "main") -> Any:
    folder.mkdir(exist_ok=True)
    store = wiring.Stores(folder, settings.load(folder, {"store": {"url": url}})).open(agent)
    assert isinstance(store, Signaling)
    return store


def engine_at(url: str, home: Path) -> Cortex:
    return Cortex(home, settings={"store": {"url": url}, "embedding": {"provider": "none"}})


def jobs_left(engine: Cortex) -> int:
    with engine.context.store_view() as view:
        return len(view.jobs(JobState.WAITING)) + len(view.jobs(JobState.RUNNING))


@contextmanager
def working(engine: Cortex, also: Callable[[], None]) -> Iterator[Scheduler]:
    """A worker that looks once, and then only once an hour and when it is woken."""
    scheduler = Scheduler(engine.run_due, now=engine.context.clock.now, idle_seconds=AN_HOUR).start()

    def wake() -> None:
        scheduler.wake()
        also()

    try:
        with engine.context.dependencies.signals.waiting(Topic.JOBS, wake):
            yield scheduler
    finally:
        assert scheduler.stop(PATIENCE)


# --- work ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STORE_URLS)
def test_what_is_said_wakes_the_worker_of_the_same_process(name: str, tmp_path: Path) -> None:
    woken = Wakes()
    with engine_at(STORE_URLS[name](tmp_path), tmp_path) as engine, working(engine, woken):
        engine.ingest(SAID, session="s", debounce=False)
        woken.wait_for(1)
        eventually(lambda: jobs_left(engine) == 0)


@needs_server
def test_a_job_queued_on_one_host_is_done_at_once_by_a_worker_on_another(url: str, tmp_path: Path) -> None:
    woken = Wakes()
    with engine_at(url, tmp_path / "a") as here, engine_at(url, tmp_path / "b") as there, working(there, woken):
        there.remember("The worker has opened its store")
        woken.wait_for(1)  # it listens now
        here.ingest(SAID, session="s", debounce=False)
        woken.wait_for(2)
        eventually(lambda: jobs_left(here) == 0)
        actors = {event.actor for event in there.events(limit=20)}
    assert "extractor" in actors


@needs_server
def test_a_listener_whose_connection_was_ended_listens_again(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "FIRST_PAUSE", 0.05)
    woken = Wakes()
    with (
        closing(opened(url, tmp_path / "a")) as here,
        closing(opened(url, tmp_path / "b")) as there,
        connected(url) as connection,
    ):
        there.subscribe(Topic.JOBS, woken)
        woken.wait_for(1)
        here.signal(Topic.JOBS)
        woken.wait_for(2)
        (lost,) = listeners(connection)
        connection.execute("SELECT pg_terminate_backend(%s)", (lost,))
        woken.wait_for(3)  # for what may have been said meanwhile
        (now,) = listeners(connection)
        assert now != lost
        here.signal(Topic.JOBS)
        woken.wait_for(4)


@needs_server
def test_a_server_that_is_not_there_yet_is_listened_to_once_it_is(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "FIRST_PAUSE", 0.01)
    refused, woken = Wakes(), Wakes()

    def connect() -> Any:
        import psycopg

        if refused.number < 3:
            refused()
            return psycopg.connect("postgresql:///nothing?host=/nowhere")
        return psycopg.connect(url, autocommit=True)

    end = signals.subscribe(StoreUrl(url), connect, "cortex_main", "me", Topic.JOBS, woken)
    woken.wait_for(1)
    assert refused.number == 3
    with closing(opened(url, tmp_path)) as store:
        store.signal(Topic.JOBS)
        woken.wait_for(2)
    end()


# --- who listens, and what is said -----------------------------------------------------------------------------------


@needs_server
def test_a_process_listens_on_one_connection_for_all_it_waits_for_and_closes_it(url: str, tmp_path: Path) -> None:
    woken = Wakes()
    with connected(url) as connection:
        with closing(opened(url, tmp_path, "one")) as one, closing(opened(url, tmp_path, "two")) as two:
            assert listeners(connection) == []  # nobody waits
            ends = [store.subscribe(topic, woken) for store in (one, two) for topic in Topic]
            woken.wait_for(1)
            assert len(listeners(connection)) == 1
            for end in ends[:-1]:
                end()
            assert len(listeners(connection)) == 1
        eventually(lambda: listeners(connection) == [])


@needs_server
def test_an_engine_that_nobody_waits_in_does_not_listen(url: str, tmp_path: Path) -> None:
    with engine_at(url, tmp_path) as engine, connected(url) as connection:
        engine.ingest(SAID, session="s", debounce=False)
        engine.run_due()
        assert listeners(connection) == []


@needs_server
def test_a_signal_says_nothing_of_anybody_and_is_not_for_its_sender_or_other_agents(url: str, tmp_path: Path) -> None:
    own, other, woken = Wakes(), Wakes(), Wakes()
    with (
        connected(url) as connection,
        closing(opened(url, tmp_path / "o", "other")) as stranger,
        closing(opened(url, tmp_path / "b")) as there,
        engine_at(url, tmp_path / "a") as here,
    ):
        connection.execute(f"LISTEN {signals.CHANNEL}")
        for topic in Topic:
            here.context.dependencies.store("main").subscribe(topic, own)  # type: ignore[attr-defined]
            stranger.subscribe(topic, other)
        there.subscribe(Topic.JOBS, woken)
        woken.wait_for(1)
        own.wait_for(3)
        other.wait_for(3)
        here.bind(user="anna").ingest(SAID, session="s", debounce=False)
        woken.wait_for(2)
        assert (own.number, other.number) == (3, 3)
        said = [notice.payload for notice in connection.notifies(timeout=PATIENCE, stop_after=1)]
    sender, schema, *topics = said[0].split(" ")
    assert len(sender) < 20
    assert schema == "cortex_main"
    assert set(topics) <= set(Topic)


@needs_server
def test_what_is_signaled_in_quick_succession_is_said_once(url: str, tmp_path: Path) -> None:
    with connected(url) as connection:
        connection.execute(f"LISTEN {signals.CHANNEL}")
        with closing(opened(url, tmp_path)) as store:
            for _ in range(1_000):
                store.signal(Topic.CHANGES)
        said = list(connection.notifies(timeout=0.5))
    assert 1 <= len(said) < 100


# --- documents ---------------------------------------------------------------------------------------------------


@needs_server
def test_a_token_that_one_host_revokes_is_refused_by_the_other_before_it_looks_by_the_clock(
    url: str, tmp_path: Path
) -> None:
    def documents() -> SqlDocuments:
        return SqlDocuments(
            lambda: Connections(StoreUrl(url), "~shared", OPTIONS()), url, SystemClock(),
            lock="FOR UPDATE", poll_seconds=AN_HOUR, grace_seconds=AN_HOUR,
        )  # fmt: skip

    with closing(documents()) as here, closing(documents()) as there, connected(url) as connection:
        tokens = Tokens(here, SystemClock())
        kept = [tokens.create(Tenant(), {Right.READ})[1] for _ in range(2)]
        assert there.version(TOKENS) is not None
        eventually(lambda: listeners(connection))
        for token in kept:
            version = there.version(TOKENS)
            tokens.revoke(token.id)
            eventually(lambda before=version: there.version(TOKENS) != before)  # type: ignore[misc]
