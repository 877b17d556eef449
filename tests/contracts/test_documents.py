"""Documents that processes and hosts share: one change at a time, whole or not at all, and noticed by the others."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import documents_process
import pytest
from documents_process import AT, CALLS, COUNTERS, LIMITS, MOST_TOKENS, add
from hypothesis import given
from hypothesis import strategies as st

from cortex.access import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.scope import Tenant
from cortex.errors import StoreBusy, StoreError, StoreUnavailable
from cortex.ports.documents import Bodies, Documents
from cortex.providers.llms.budget import Budget
from cortex.stores.relational.connection import Cursor, SqlConnection
from cortex.stores.relational.documents import GRACE_SECONDS, POLL_SECONDS, SqlDocuments
from cortex.testing import FakeClock
from document_places import PLACES, SqliteDatabase, body_of, delete, documents_at
from forking import PIPE, Forked

T = TypeVar("T")


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / ("home" if request.param == "files" else request.param)


def started(deed: str, place: Path, argument: object) -> Forked:
    return Forked([documents_process.__file__, deed, place, str(argument)], stdout=PIPE, stderr=PIPE)


def put(name: str, body: bytes | None) -> Callable[[Bodies], None]:
    return lambda bodies: bodies.update({name: body})


def eventually(is_so: Callable[[], object]) -> bool:
    until = time.monotonic() + 60
    while not (found := is_so()) and time.monotonic() < until:
        time.sleep(0.01)
    return bool(found)


# --- one document -----------------------------------------------------------------------------------------------------


def test_what_was_written_is_read_by_the_others_and_its_version_is_another_one(place: Path) -> None:
    here, there = documents_at(place), documents_at(place)
    assert (here.version("a"), here.read("a")) == (None, None)
    seen = []
    for body in (b"one", b"two", b"", b"\0\xff", b"one"):
        here.change(("a",), put("a", body))
        found = there.read("a")
        assert found is not None
        assert found.body == body
        assert found.version == here.version("a") == there.version("a")
        seen.append(found.version)
    assert len(set(seen)) == len(seen)


def test_what_is_the_same_is_not_written(place: Path) -> None:
    documents = documents_at(place)
    documents.change(("a",), put("a", b"one"))
    before = documents.version("a")
    assert documents.change(("a",), lambda bodies: bodies["a"]) == b"one"
    assert documents.version("a") == before


def test_no_version_comes_back_after_a_document_was_removed_or_deleted_by_hand(place: Path) -> None:
    """Whoever read an earlier one would take the new one for it."""
    documents = documents_at(place)
    seen = []
    ways: list[Callable[[], None]] = [lambda: documents.change(("a",), put("a", None)), lambda: delete(place, "a")]
    for forget in ways * 2:
        documents.change(("a",), put("a", b"one"))
        seen.append(documents.version("a"))
        forget()
        assert (documents.version("a"), documents.read("a")) == (None, None)
    assert None not in seen
    assert len(set(seen)) == len(seen)


def test_a_change_that_fails_writes_nothing(place: Path) -> None:
    documents = documents_at(place)
    documents.change(COUNTERS, add)

    def fails(bodies: Bodies) -> None:
        add(bodies)
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        documents.change(COUNTERS, fails)
    assert [body_of(place, name) for name in COUNTERS] == ["1", "1"]
    documents.change(COUNTERS, add)
    assert [body_of(place, name) for name in COUNTERS] == ["2", "2"]


def test_whoever_does_not_wait_is_told_that_another_is_at_it(tmp_path: Path) -> None:
    one, other = documents_at(tmp_path), documents_at(tmp_path)

    def meanwhile(_: Bodies) -> None:
        with pytest.raises(StoreBusy):
            other.change(("a",), add, wait=False)

    one.change(("a",), meanwhile)
    other.change(("a",), add, wait=False)
    assert body_of(tmp_path, "a") == "1"


class Recording:
    """A database that locks rows; it keeps what it was asked, and answers as SQLite, which cannot."""

    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection
        self.locked: list[tuple[str, str]] = []

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        plain, lock, how = sql.partition("FOR UPDATE")
        if lock:
            self.locked.append((parameters[0], lock + how))
        return self._connection.execute(plain, parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]]) -> Cursor:
        return self._connection.executemany(sql, parameters)


@pytest.mark.parametrize(("wait", "clause"), [(True, "FOR UPDATE"), (False, "FOR UPDATE NOWAIT")])
def test_where_a_database_locks_rows_they_are_locked_in_one_order(tmp_path: Path, wait: bool, clause: str) -> None:
    """So that two who change the same documents never wait for each other."""
    locked: list[tuple[str, str]] = []

    class Database(SqliteDatabase):
        def write(self, work: Callable[[SqlConnection], T]) -> T:
            def recorded(connection: SqlConnection) -> T:
                recording = Recording(connection)
                result = work(recording)
                locked.extend(recording.locked)
                return result

            return super().write(recorded)

    documents = SqlDocuments(lambda: Database(tmp_path / "a.sqlite"), "a server", FakeClock(), lock="FOR UPDATE")
    documents.change(("b", "a"), add, wait=wait)
    assert locked == [("a", clause), ("b", clause)]
    assert body_of(tmp_path / "a.sqlite", "b") == "1"


# --- many at once -----------------------------------------------------------------------------------------------------


def test_processes_and_threads_that_change_the_same_lose_no_update(place: Path) -> None:
    processes = [started("count", place, 25) for _ in range(3)]
    hosts = [documents_at(place) for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: hosts[number % 2].change(COUNTERS, add), range(40)))
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
    assert [body_of(place, name) for name in COUNTERS] == ["115", "115"]


STEPS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(["add", "fail", "remove", "read"])), max_size=30)


@pytest.mark.parametrize("kind", PLACES)
@given(steps=STEPS)
def test_any_interleaving_of_two_hosts_is_one_history(
    tmp_path_factory: pytest.TempPathFactory, kind: str, steps: list[tuple[int, str]]
) -> None:
    place = tmp_path_factory.mktemp("place") / kind
    hosts = [documents_at(place), documents_at(place)]
    expected: int | None = None
    seen: dict[object, int] = {}
    for host, step in steps:
        if step == "add":
            hosts[host].change(("one",), add)
            expected = (expected or 0) + 1
        elif step == "fail":
            with pytest.raises(ZeroDivisionError):
                hosts[host].change(("one",), lambda bodies: bodies.update(one=b"9") or 1 // 0)
        elif step == "remove":
            hosts[host].change(("one",), put("one", None))
            expected = None
        found = hosts[host].read("one")
        assert (None if found is None else int(found.body)) == expected
        assert hosts[1 - host].version("one") == (found and found.version)
        if found is not None:
            assert seen.setdefault(found.version, int(found.body)) == int(found.body)


def test_a_kill_in_the_middle_of_a_change_leaves_the_old_bodies_and_no_lock(place: Path) -> None:
    total = 0
    for number in (1, 2, 4):
        process = started("die", place, number)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (-signal.SIGKILL, "", "")
        total += number - 1
        found = [documents_at(place).read(name) for name in COUNTERS]
        assert [each and int(each.body) for each in found] == ([total, total] if total else [None, None])
    documents_at(place).change(COUNTERS, add)
    assert [body_of(place, name) for name in COUNTERS] == [str(total + 1)] * 2


def test_what_was_acknowledged_before_a_kill_is_there(place: Path) -> None:
    acknowledged = 0
    for number in range(1, 5):
        process = started("count", place, 10_000)
        assert process.stdout is not None
        for _ in range(number):
            assert process.stdout.readline() == "counted\n"
        process.kill()
        out, _ = process.communicate(timeout=120)
        acknowledged += number + out.count("counted\n")
    one, two = (int(body_of(place, name)) for name in COUNTERS)
    # The one that was killed may have been done without being told; of files, the second is written before the first.
    assert acknowledged <= one <= two <= acknowledged + 8


@pytest.mark.parametrize("tokens", [3, 11])
def test_hosts_that_reserve_at_once_never_exceed_the_budget_together(place: Path, tokens: int) -> None:
    """C16"""
    processes = [started("spend", place, tokens) for _ in range(4)]
    got = 0
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        got += len(out.split())
    assert got == min(CALLS, MOST_TOKENS // tokens)
    hour = Budget(documents_at(place), LIMITS, FakeClock(AT)).meter().hour
    assert (hour.calls, hour.tokens) == (got, got * tokens)


# --- hosts that share a database --------------------------------------------------------------------------------------


class Flaky(SqliteDatabase):
    """A database that can be out of reach, or not answer at all; it counts how often it was asked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked = 0
        self.is_gone = False
        self.answers = threading.Event()
        self.answers.set()

    @contextmanager
    def reading(self) -> Iterator[SqlConnection]:
        self.asked += 1
        assert self.answers.wait(120)
        if self.is_gone:
            raise StoreUnavailable("the database cannot be reached")
        with super().reading() as connection:
            yield connection


@pytest.fixture
def flaky(tmp_path: Path) -> Flaky:
    return Flaky(tmp_path / "shared.sqlite")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def polled(flaky: Flaky, clock: FakeClock) -> Iterator[Documents]:
    """What a host sees that asks as often as hosts do by default, or rather a hundred times as often."""
    documents = SqlDocuments(lambda: flaky, "a server", clock, poll_seconds=POLL_SECONDS / 100)
    yield documents
    flaky.answers.set()
    documents.close()


def test_a_change_is_noticed_within_a_second(tmp_path: Path) -> None:
    """What is asked for twice a second is known within one, however long nobody asked."""
    assert POLL_SECONDS <= 0.5
    here = SqlDocuments(lambda: SqliteDatabase(tmp_path / "shared.sqlite"), "a server", SystemClock())
    there = documents_at(tmp_path / "shared.sqlite")
    there.change(("a",), add)
    assert here.version("a") == there.version("a")
    there.change(("a",), add)
    assert eventually(lambda: here.version("a") == there.version("a"))
    here.close()


def test_a_token_that_one_host_revokes_is_refused_by_the_other(polled: Documents, tmp_path: Path) -> None:
    here = Tokens(polled, SystemClock())
    there = Tokens(documents_at(tmp_path / "shared.sqlite"), SystemClock())
    secret, token = there.create(Tenant(), [Right.READ])
    assert eventually(lambda: here.check(secret) == token)
    there.revoke(token.id)
    assert eventually(lambda: here.check(secret) is None)
    there.clear()
    assert eventually(lambda: here.all() == [])
    assert eventually(lambda: here.missing() is None)


def test_a_change_of_ones_own_is_seen_at_once(flaky: Flaky, clock: FakeClock) -> None:
    documents = SqlDocuments(lambda: flaky, "a server", clock, poll_seconds=600.0)
    tokens = Tokens(documents, clock)
    for _ in range(3):
        secret, token = tokens.create(Tenant(), [Right.READ])
        assert tokens.check(secret) == token
        tokens.revoke(token.id)
        assert tokens.check(secret) is None
    documents.close()


def test_checking_costs_no_query(flaky: Flaky, clock: FakeClock) -> None:
    documents = SqlDocuments(lambda: flaky, "a server", clock, poll_seconds=600.0)
    tokens = Tokens(documents, clock)
    secret, token = tokens.create(Tenant(), [Right.READ])
    assert tokens.check(secret) == token
    before = flaky.asked
    assert [tokens.check(secret) for _ in range(1_000)] == [token] * 1_000
    assert flaky.asked == before
    documents.close()


def test_while_the_database_is_out_of_reach_known_tokens_hold_for_a_short_while(
    polled: Documents, flaky: Flaky, clock: FakeClock
) -> None:
    """An unknown one is refused at once, and everyone afterwards; once it answers, all is as before."""
    tokens = Tokens(polled, clock)
    secret, token = tokens.create(Tenant(), [Right.READ])
    assert tokens.check(secret) == token
    flaky.is_gone = True
    asked = flaky.asked
    assert eventually(lambda: flaky.asked > asked + 2)
    clock.advance(GRACE_SECONDS)
    assert tokens.check(secret) == token
    assert tokens.check(f"ctx_{'0' * 12}_{'A' * 43}") is None
    clock.advance(0.1)
    for ask in (lambda: tokens.check(secret), tokens.all, tokens.missing):
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            ask()
    flaky.is_gone = False
    assert eventually(lambda: _check(tokens, secret) == token)


def test_a_database_that_never_answers_holds_up_no_request(polled: Documents, flaky: Flaky, clock: FakeClock) -> None:
    tokens = Tokens(polled, clock)
    secret, token = tokens.create(Tenant(), [Right.READ])
    assert tokens.check(secret) == token
    flaky.answers.clear()
    asked = flaky.asked
    assert eventually(lambda: flaky.asked > asked)
    assert tokens.check(secret) == token
    clock.advance(GRACE_SECONDS + 1)
    with pytest.raises(StoreBusy, match="does not answer"):
        tokens.check(secret)
    flaky.answers.set()
    assert eventually(lambda: _check(tokens, secret) == token)


def test_a_database_that_cannot_be_opened_lets_nobody_in_until_it_can(tmp_path: Path, clock: FakeClock) -> None:
    tried: list[bool] = []

    def open_database() -> SqliteDatabase:
        tried.append(True)
        if len(tried) < 3:
            raise StoreUnavailable("the server is starting")
        return SqliteDatabase(tmp_path / "shared.sqlite")

    documents = SqlDocuments(open_database, "a server", clock)
    tokens = Tokens(documents, clock)
    assert tried == [], "nothing is opened before it is used"
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="starting"):
            tokens.check("x")
    assert tokens.check("x") is None
    documents.close()


def test_what_is_closed_is_not_opened_again(tmp_path: Path) -> None:
    documents = documents_at(tmp_path / "shared.sqlite")
    documents.change(("a",), add)
    documents.close()
    with pytest.raises(StoreUnavailable, match="is closed"):
        documents.read("a")


def _check(tokens: Tokens, secret: str) -> object:
    try:
        return tokens.check(secret)
    except StoreError:
        return None
