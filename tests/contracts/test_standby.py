"""Reads from a standby: never behind one's own changes, and from the primary whatever happens to the standby."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from samples import ANNA, AT, BORIS, Desk, ids, memory

import postgres_server
from cortex import Cortex, settings, wiring
from cortex.domain.events import EventKind
from cortex.domain.terms import query_terms
from cortex.errors import InvalidRequest, StoreUnavailable
from cortex.ports.store import Filter, Put, RecordAccess, Store
from cortex.stores.postgres import standby as standbys
from cortex.stores.postgres.store import PostgresStore
from postgres_server import Server

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())

PATIENCE = 60.0


@dataclass(frozen=True)
class Pair:
    """A primary, and a standby that follows it."""

    primary: Server
    standby: Server

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.primary.folder},{self.standby.folder}"

    def settings(self, **options: Any) -> dict[str, Any]:
        section = {"standby_reads": True, "connect_timeout_ms": 1_000, **options}
        return {"store": {"url": self.url, "postgresql": section}, "embedding": {"provider": "none"}}


@contextmanager
def running() -> Iterator[Pair]:
    with postgres_server.running() as primary, postgres_server.running(standby_of=primary) as standby:
        yield Pair(primary, standby)


@pytest.fixture(scope="module")
def lasting() -> Iterator[Pair]:
    with running() as started:
        yield started


@pytest.fixture
def pair(lasting: Pair) -> Pair:
    """Without any memory, on both sides; it must survive the test."""
    postgres_server.empty(lasting.primary.url())
    with connected(lasting.primary) as primary, connected(lasting.standby) as standby:
        (end,) = primary.execute("SELECT pg_current_wal_lsn()::text").fetchone()
        replayed = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        wait_until(lambda: standby.execute(replayed, (end,)).fetchone() == (True,))
    return lasting


@pytest.fixture
def mortal() -> Iterator[Pair]:
    """One of the test's own, of which servers may be stopped."""
    with running() as started:
        yield started


@pytest.fixture
def store(pair: Pair, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(opened(pair, tmp_path)) as made:
        yield made


def opened(pair: Pair, folder: Path, **options: Any) -> PostgresStore:
    made = wiring.Stores(folder, settings.load(folder, pair.settings(**options))).open("main")
    assert isinstance(made, PostgresStore)
    return made


@contextmanager
def connected(server: Server) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(server.url(), autocommit=True) as connection:
        yield connection


def put(store: Store, number: int) -> int:
    return store.apply(ANNA, [Put(memory(number), EventKind.REMEMBERED)], at=AT)


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.01)


def answered(store: PostgresStore) -> int:
    found = store.standby_status()
    assert found is not None
    return int(found["answered"])


def state(store: PostgresStore) -> str:
    found = store.standby_status()
    assert found is not None
    return str(found["state"])


def asks_standby(store: PostgresStore, at_least: int) -> bool:
    """Whether the standby answers one who must be shown so much; that much is shown in any case."""
    before = answered(store)
    with store.view(ANNA, at_least=at_least) as view:
        assert view.position >= at_least
        assert len(view.keywords(query_terms("harbour"), Filter(), 50)) == view.position
    return answered(store) > before


@contextmanager
def replay_paused(pair: Pair) -> Iterator[None]:
    with connected(pair.standby) as connection:
        connection.execute("SELECT pg_wal_replay_pause()")
        paused = "SELECT pg_get_wal_replay_pause_state()"
        wait_until(lambda: connection.execute(paused).fetchone() == ("paused",))
        try:
            yield
        finally:
            connection.execute("SELECT pg_wal_replay_resume()")


# --- who answers -----------------------------------------------------------------------------------------------------


def test_a_standby_answers_who_says_how_much_must_be_shown_and_nobody_else(store: PostgresStore) -> None:
    position = put(store, 1)
    wait_until(lambda: asks_standby(store, position))
    before = answered(store)
    with store.view(ANNA) as view:
        assert view.position == position
    assert answered(store) == before
    assert state(store) == "ready"
    assert store.abilities.standby_reads


def test_a_reader_is_shown_every_change_of_its_own_however_far_the_standby_is_behind(
    pair: Pair, store: PostgresStore
) -> None:
    wait_until(lambda: asks_standby(store, put(store, 1)) or True)
    wait_until(lambda: asks_standby(store, 1))
    with replay_paused(pair):
        for number in range(2, 6):
            assert not asks_standby(store, put(store, number))
        assert asks_standby(store, 1), "who needs no more is answered by it still"
    wait_until(lambda: asks_standby(store, 5))


def test_changes_of_others_are_shown_to_who_knows_of_them(pair: Pair, store: PostgresStore, tmp_path: Path) -> None:
    """A second host wrote; its position goes along with the question."""
    with closing(opened(pair, tmp_path / "other")) as other, replay_paused(pair):
        position = other.apply(BORIS, [Put(memory(1), EventKind.REMEMBERED)], at=AT)
        with store.view(BORIS, at_least=position) as view:
            assert ids(view.load([memory(1).id])) == [memory(1).id]


def test_no_read_ever_goes_back_behind_what_was_written_under_load(pair: Pair, tmp_path: Path) -> None:
    """Writers and readers in threads, while replay stops and goes on."""
    with Cortex(tmp_path, settings=pair.settings()) as engine:
        written: list[str] = []
        ends = threading.Event()

        def write() -> None:
            while not ends.is_set():
                written.append(engine.remember(f"Pump number {len(written)} was serviced").memory.id)

        def read() -> int:
            looks = 0
            while not ends.is_set():
                known = len(written)
                found = {trace.id for trace in engine.list(limit=10_000)}
                assert set(written[:known]) <= found
                looks += 1
            return looks

        with ThreadPoolExecutor(3) as pool:
            work = [pool.submit(write), pool.submit(read), pool.submit(read)]
            for _ in range(5):
                with replay_paused(pair):
                    seen = len(written)
                    wait_until(lambda seen=seen: len(written) > seen + 3 or any(each.done() for each in work))
            ends.set()
            assert all(each.result(PATIENCE) for each in work[1:])
            work[0].result(PATIENCE)
        assert engine.verify() == []


def test_the_first_reader_of_a_process_sees_what_another_process_just_wrote(pair: Pair, tmp_path: Path) -> None:
    """Two commands, one after the other: the second knows nothing of the first."""
    with Cortex(tmp_path / "first", settings=pair.settings()) as first, replay_paused(pair):
        kept = first.remember("The ferry leaves at nine").memory
        with Cortex(tmp_path / "second", settings=pair.settings()) as second:
            assert [hit.trace.id for hit in second.recall("When does the ferry leave?").hits] == [kept.id]


def test_a_change_on_another_host_is_recalled_by_who_names_its_position(pair: Pair, tmp_path: Path) -> None:
    with (
        Cortex(tmp_path / "one", settings=pair.settings()) as one,
        Cortex(tmp_path / "two", settings=pair.settings()) as two,
    ):
        one.remember("The boat is in Porto")
        two.list()
        with replay_paused(pair):
            kept = one.remember("The ferry leaves at nine")
            found = two.recall("When does the ferry leave?", at_least=kept.receipt.position)
            assert kept.memory.id in [hit.trace.id for hit in found.hits]


# --- what can happen to it -------------------------------------------------------------------------------------------


def test_a_standby_that_lags_too_far_is_named_and_left_alone(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standbys, "LAG_SECONDS", 3_600.0)
    with closing(opened(pair, tmp_path, standby_lag_ms=1)) as store:
        with replay_paused(pair):
            put(store, 1)
            put(store, 2)
            assert not asks_standby(store, 0)
            assert state(store) == "lagging"
            with store.view(ANNA, at_least=0) as view:
                assert list(view.degraded) == ["standby:lagging"]
                assert view.position == 2
        assert not asks_standby(store, 0), "it is left alone for a while"
        monkeypatch.setattr(standbys, "LAG_SECONDS", 0.0)
        store._standby._rests_until = 0.0  # type: ignore[union-attr]
        wait_until(lambda: asks_standby(store, 2))
        assert state(store) == "ready"


def test_turns_go_on_when_the_standby_is_killed(mortal: Pair, tmp_path: Path) -> None:
    with Cortex(tmp_path, settings=mortal.settings()) as engine:
        engine.remember("The ferry leaves at nine")
        kept = engine.context.dependencies.store("main")
        assert isinstance(kept, PostgresStore)
        wait_until(lambda: bool(engine.recall("When does the ferry leave?").hits) and answered(kept) > 0)
        postgres_server.kill(mortal.standby)
        found = engine.recall("When does the ferry leave?")
        assert len(found.hits) == 1
        assert found.receipt.facts["degraded"] == ["standby:gone"]
        (trouble,) = [each for each in engine.status()["degraded"] if each["what"] == "standby"]
        assert trouble["why"].startswith("the standby is gone")
        engine.remember("The boat is in Porto")
        assert engine.verify() == []


def test_a_standby_that_is_lost_in_the_middle_of_a_read_is_named(mortal: Pair, tmp_path: Path) -> None:
    with closing(opened(mortal, tmp_path)) as store:
        put(store, 1)
        wait_until(lambda: asks_standby(store, 1))

        def read() -> None:
            with store.view(ANNA, at_least=1) as view:
                postgres_server.kill(mortal.standby)
                view.keywords(query_terms("harbour"), Filter(), 50)

        with pytest.raises(StoreUnavailable, match="a standby failed"):
            read()
        assert not asks_standby(store, 1)
        assert state(store) == "gone"


def test_a_recall_that_loses_its_standby_is_answered_by_the_primary(
    mortal: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cortex(tmp_path, settings=mortal.settings()) as engine:
        engine.remember("The ferry leaves at nine")
        kept = engine.context.dependencies.store("main")
        assert isinstance(kept, PostgresStore)
        wait_until(lambda: bool(engine.recall("When does the ferry leave?").hits) and answered(kept) > 0)
        space, stopped = type(engine.context).space, threading.Event()

        def stopping(context: Any, view: Any) -> Any:
            """It stands between opening the view and searching in it."""
            if not stopped.is_set():
                stopped.set()
                postgres_server.kill(mortal.standby)
            return space(context, view)

        monkeypatch.setattr(type(engine.context), "space", stopping)
        before = answered(kept)
        assert len(engine.recall("When does the ferry leave?").hits) == 1
        assert (answered(kept), stopped.is_set()) == (before + 1, True)


def test_a_promoted_standby_is_no_standby_any_more(mortal: Pair, tmp_path: Path) -> None:
    """Its sessions outlive the promotion. What it has may never be what the primary has."""
    with closing(opened(mortal, tmp_path)) as store:
        put(store, 1)
        wait_until(lambda: asks_standby(store, 1))
        with connected(mortal.standby) as connection:
            connection.execute("SELECT pg_promote()")
        assert not asks_standby(store, 1)
        assert state(store) == "promoted"
        with store.view(ANNA, at_least=1) as view:
            assert list(view.degraded) == ["standby:promoted"]
        assert not asks_standby(store, put(store, 2))


def test_where_the_primary_is_gone_the_standby_answers_alone_until_it_is_promoted(mortal: Pair, tmp_path: Path) -> None:
    with connected(mortal.primary) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
        connection.execute("SELECT pg_reload_conf()")
        synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
        wait_until(lambda: connection.execute(synchronous).fetchone() is not None)
    with Cortex(tmp_path, settings=mortal.settings(standby_lag_ms=1)) as engine:
        kept = engine.remember("The ferry leaves at nine").memory
        postgres_server.kill(mortal.primary)
        found = engine.recall("When does the ferry leave?")
        assert [hit.trace.id for hit in found.hits] == [kept.id]
        # Indexes of files are read from the primary only.
        assert found.receipt.facts["degraded"] == ["files:store_unavailable", "standby:alone"]
        with pytest.raises(StoreUnavailable):
            engine.remember("The boat is in Porto")
        hooks = engine.hooks()
        assert "leaves at nine" in hooks.before("When does the ferry leave?", session="s1").block
        with connected(mortal.standby) as connection:
            connection.execute("SELECT pg_promote()")

        def can_write() -> bool:
            try:
                engine.remember("The boat is in Porto")
            except StoreUnavailable:
                return False
            return True

        wait_until(can_write)
        assert len(engine.list()) == 2
        wait_until(lambda: engine.verify() == [])  # the indexes of files follow within a second


def test_a_use_that_was_counted_right_before_the_primary_is_lost_keeps_nobody_from_the_standby(
    mortal: Pair, tmp_path: Path
) -> None:
    """Its position was shown, so the standby must have it, though nobody waits for the use itself."""
    with connected(mortal.primary) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")  # what is not waited for stays behind so long
        connection.execute("SELECT pg_reload_conf()")
        synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
        wait_until(lambda: connection.execute(synchronous).fetchone() is not None)
    with closing(opened(mortal, tmp_path)) as store:
        put(store, 1)
        shown = store.apply(ANNA, [RecordAccess((memory(1).id,), AT)], at=AT)
        postgres_server.kill(mortal.primary)

        def answers_alone() -> bool:
            with suppress(StoreUnavailable), store.view(ANNA, at_least=shown) as view:
                return view.position == shown
            return False

        wait_until(answers_alone)


# --- the doctor ------------------------------------------------------------------------------------------------------


def test_the_doctor_says_whether_a_standby_answers_and_how_far_it_is_behind(mortal: Pair, tmp_path: Path) -> None:
    stores = wiring.Stores(tmp_path, settings.load(tmp_path, mortal.settings()))
    stores.open("main").close()

    def checked() -> dict[str, tuple[bool | None, str]]:
        return {check.name: (check.ok, check.detail) for check in stores.checks()}

    wait_until(lambda: checked()["database standby"][0] is True)
    is_fine, role = checked()["database role"]
    assert is_fine
    assert role.startswith("a primary, standbys that follow it: 1, at most ")
    assert "s behind" in checked()["database standby"][1]
    postgres_server.kill(mortal.standby)
    ok, detail = checked()["database standby"]
    assert ok is None
    assert detail.startswith("none answers")


# --- bad input -------------------------------------------------------------------------------------------------------


def test_a_url_that_names_no_standby_is_refused(pair: Pair, tmp_path: Path) -> None:
    given = pair.settings() | {"store": {"url": pair.primary.url(), "postgresql": {"standby_reads": True}}}
    with pytest.raises(InvalidRequest, match="names one host, and so no standby"):
        wiring.Stores(tmp_path, settings.load(tmp_path, given)).open("main")


def test_without_the_setting_no_standby_is_asked(pair: Pair, tmp_path: Path) -> None:
    with closing(opened(pair, tmp_path, standby_reads=False)) as store:
        position = put(store, 1)
        with store.view(ANNA, at_least=position) as view:
            assert view.position == position
        assert store.standby_status() is None
        assert not store.abilities.standby_reads
        assert len(Desk(store, ANNA).scan()) == 1
