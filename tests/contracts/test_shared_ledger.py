"""Files in which all users of an agent shared one ledger are taken along, and still prove what they hold."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from samples import ANNA, AT, BORIS, DAY, EAST, MINUTE, NORTH, SPACE, Desk, as_shared_ledger, id_, ids, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.lanes import State
from cortex.domain.scope import Tenant
from cortex.domain.vectors import Basis, Calibration
from cortex.errors import StoreCorrupt, StoreTooNew
from cortex.ports.store import Calibrate, Embed, Filter, PatchSession, Put, RecordAccess, Remove
from cortex.stores.relational import vector_writer
from cortex.stores.sqlite import SqliteStore, copies, schema
from forking import PIPE, Forked

SCRIPT = Path(__file__).with_name("opening_process.py")
CLARA = Tenant(user="clara")
USERS = (ANNA, BORIS)
EVERYTHING = Filter(states=frozenset(State))
FIRST, SECOND = Calibration(0.35, Basis.MEASURED, 16), Calibration(0.4, Basis.MEASURED, 32)


def write_histories(store: SqliteStore) -> None:
    """What two users do by turns: whole histories, with versions, uses, vectors, scales and what is gone."""
    anna, boris = Desk(store, ANNA), Desk(store, BORIS)
    for number in range(1, 9):
        desk, at = (anna, boris)[number % 2], AT + number * MINUTE
        desk.put(memory(number), turn(100 + number, session=f"s{number}"), at=at)
        desk.apply(Embed(id_(number), SPACE, [EAST, NORTH]), at=at + MINUTE / 2)
    boris.apply(Calibrate(SPACE, FIRST), at=AT + 9 * MINUTE)
    anna.apply(RecordAccess((id_(2), id_(4)), AT + 10 * MINUTE), at=AT + 10 * MINUTE)
    anna.put(memory(2, "The pier is closed"), because=EventKind.REVISED, at=AT + 11 * MINUTE)
    boris.apply(Remove(id_(3)), at=AT + 12 * MINUTE)
    boris.apply(RecordAccess((id_(1),), AT + 13 * MINUTE), at=AT + 13 * MINUTE)
    anna.apply(Embed(id_(2), SPACE, [NORTH]), Calibrate(SPACE, SECOND), at=AT + 14 * MINUTE)
    anna.put(memory(4, state=State.FORGOTTEN), because=EventKind.FORGOTTEN, at=AT + 15 * MINUTE)
    boris.put(memory(11), at=AT + 16 * MINUTE)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def positions(path: Path) -> dict[tuple[str, int], int]:
    """The position of every event in the shared ledger of the file, by user and position of their own."""
    with closing(SqliteStore(path)) as store:
        write_histories(store)
    return as_shared_ledger(path)


@pytest.fixture
def store(path: Path, positions: dict[tuple[str, int], int]) -> Iterator[SqliteStore]:
    """The file, taken along."""
    assert positions
    with closing(SqliteStore(path)) as opened:
        yield opened


def shown(store: SqliteStore, tenant: Tenant, as_of: int | None = None) -> tuple[object, ...]:
    """What a user sees at a position, apart from the numbers of positions."""
    with store.view(tenant, as_of) as view:
        return (
            view.scan(EVERYTHING),
            view.nearest(EAST, SPACE, Filter(), 50),
            view.counts(Filter()),
            [(event.at, event.kind, event.subject) for event in view.events()],
            [[version.trace for version in view.history(trace.id)] for trace in view.scan(EVERYTHING)],
        )


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        version: int = file.execute("PRAGMA user_version").fetchone()[0]
        return version


def test_the_file_of_this_test_is_one_of_the_schema_before(path: Path, positions: dict[tuple[str, int], int]) -> None:
    assert positions["anna", 0] == 0
    with closing(sqlite3.connect(":memory:")) as plain, closing(sqlite3.connect(path)) as file:
        for migration in schema.MIGRATIONS[:4]:
            plain.executescript(migration)
        described = "SELECT type, name FROM sqlite_master ORDER BY type, name"
        assert file.execute(described).fetchall() == plain.execute(described).fetchall()
        for (table,) in plain.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = f"SELECT name, type, pk FROM pragma_table_info('{table}')"
            assert set(file.execute(columns)) == set(plain.execute(columns)), table
        assert {user for (user,) in file.execute("SELECT user FROM events WHERE position < 5")} == {1, 2}


def test_every_user_sees_what_they_saw_at_every_position(tmp_path: Path, store: SqliteStore, positions) -> None:
    with closing(SqliteStore(tmp_path / "apart.db")) as apart:
        write_histories(apart)
        for (user, position), shared in positions.items():
            tenant = Tenant(user=user)
            assert shown(store, tenant, shared) == shown(apart, tenant, position)
    assert list(store.verify()) == []


def test_old_events_keep_their_positions_and_new_ones_follow_the_end_of_the_shared_chain(
    store: SqliteStore, positions: dict[tuple[str, int], int]
) -> None:
    end = max(positions.values())
    desks = [Desk(store, tenant) for tenant in USERS]
    for desk in desks:
        own = sorted(shared for (user, position), shared in positions.items() if position and user == desk.tenant.user)
        with desk.view() as view:
            assert [event.position for event in view.events()] == own
            assert {(event.actor, event.cause) for event in view.events()} == {("", "")}
        assert desk.apply(PatchSession("s1", {"seen": 1})) == desk.position == own[-1], "no event, no new position"
    for number, desk in enumerate(desks):
        assert [desk.put(memory(20 + 10 * number + each), at=AT + DAY) for each in range(3)] == [
            end + 1,
            end + 2,
            end + 3,
        ]
        with desk.view() as view:
            assert [event.position for event in view.latest_events(3)] == [end + 3, end + 2, end + 1]
        with desk.view(end + 1) as view:
            assert ids(view.load([id_(20 + 10 * number + each) for each in range(3)])) == [id_(20 + 10 * number)]
    assert Desk(store, CLARA).put(memory(50), memory(51)) == 2, "whoever is new begins at the beginning"
    assert list(store.verify()) == []


def test_as_of_a_time_is_found_in_the_events_of_then_and_of_now(store: SqliteStore, positions) -> None:
    boris = Desk(store, BORIS)
    boris.put(memory(60), at=AT + DAY)
    own = sorted(shared for (user, _), shared in positions.items() if user == "boris")
    moments = (AT, AT + 13 * MINUTE, AT + 16 * MINUTE, AT + DAY)
    assert [store.position_at(BORIS, at) for at in moments] == [0, own[-2], own[-1], max(positions.values()) + 1]


def test_scales_hold_for_every_user_from_the_position_at_which_they_did(store: SqliteStore, positions) -> None:
    measured = positions["boris", 12]
    for tenant in USERS:
        with store.view(tenant) as view:
            assert view.calibration(SPACE) == SECOND
        with store.view(tenant, measured) as view:
            assert view.calibration(SPACE) == FIRST
    store.apply(BORIS, [Calibrate(SPACE, FIRST)], at=AT + DAY)
    with store.view(BORIS) as boris, store.view(ANNA) as anna:
        assert (boris.calibration(SPACE), anna.calibration(SPACE)) == (FIRST, SECOND)


def test_a_centre_that_users_shared_serves_each_of_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_writer, "MANY", 4)
    with closing(SqliteStore(path)) as store:
        write_histories(store)
        assert store.describe()["spaces"] == {SPACE.key: "codes"}
    as_shared_ledger(path)
    with closing(SqliteStore(path)) as store:
        assert store.describe()["spaces"] == {SPACE.key: "codes"}
        for number, tenant in enumerate(USERS):
            Desk(store, tenant).put(memory(70 + number))
            Desk(store, tenant).embed(memory(70 + number), EAST)
            assert id_(70 + number) in ids(Desk(store, tenant).near(EAST))
        assert list(store.verify()) == []
        with store._connections.reading() as connection:
            assert connection.execute("SELECT count(*), count(DISTINCT user) FROM spaces").fetchone() == (2, 2)
            assert connection.execute("SELECT count(DISTINCT space) FROM codes").fetchone() == (2,)


def test_how_far_the_clock_was_behind_is_taken_along(path: Path) -> None:
    with closing(SqliteStore(path)) as store:
        Desk(store, ANNA).put(memory(1), at=AT)
    as_shared_ledger(path)
    with closing(sqlite3.connect(path)) as file:
        ledger, clock = (int(at.timestamp() * 1_000_000) for at in (AT, AT - DAY))
        file.execute("INSERT INTO meta VALUES ('lag', ?)", (f"{ledger} {clock}",))
        file.commit()
    with closing(SqliteStore(path)) as store:
        anna = Desk(store, ANNA)
        anna.put(memory(2), at=AT - DAY + MINUTE)
        with anna.view() as view:
            assert [event.kind for event in view.events()] == [EventKind.REMEMBERED] * 2, "the step was noted before"
        assert list(store.verify()) == []


# --- proof ---------------------------------------------------------------------------------------

SHARED_END = "(SELECT position FROM chains LIMIT 1)"
TAMPERED = {
    "the kind of a shared event": "UPDATE events SET kind = 'forgotten' WHERE position = 5",
    "the subject of the first event": "UPDATE events SET subject = 'nobody' WHERE user < 3 AND position = 1",
    "the time of a shared event": "UPDATE events SET at = at + 1 WHERE position = 4",
    "the seal of a shared event": "UPDATE events SET seal = zeroblob(32) WHERE position = 6",
    "the seal at the end": f"UPDATE events SET seal = zeroblob(32) WHERE position = {SHARED_END}",
    "a shared event is gone": "DELETE FROM events WHERE position = 7",
    "the first shared event is gone": "DELETE FROM events WHERE user < 3 AND position = 1",
    "the last shared event is gone": f"DELETE FROM events WHERE position = {SHARED_END}",
    "where a user begins": "UPDATE chains SET position = position - 1 WHERE user = 1",
    "what a user begins with": "UPDATE chains SET seal = zeroblob(32) WHERE user = 1",
    "that a user was there": "DELETE FROM chains WHERE user = 2",
    "where the shared chain ended": "UPDATE meta SET value = '3' || substr(value, 3) WHERE key = 'shared_chain'",
    "that there was a shared chain": "DELETE FROM meta WHERE key = 'shared_chain'",
    "the kind of an own event": f"UPDATE events SET kind = 'forgotten' WHERE user = 1 AND position = {SHARED_END} + 2",
    "who made a change": f"UPDATE events SET actor = 'x' WHERE user = 1 AND position = {SHARED_END} + 1",
    "what caused a change": f"UPDATE events SET cause = 'x' WHERE user = 2 AND position = {SHARED_END} + 1",
    "an own event is gone": f"DELETE FROM events WHERE user = 1 AND position = {SHARED_END} + 2",
    "the first own event is gone": f"DELETE FROM events WHERE user = 2 AND position = {SHARED_END} + 1",
    "whose event it is": f"UPDATE events SET user = 3 WHERE user = 1 AND position = {SHARED_END} + 2",
    "the event of somebody who is new": "UPDATE events SET kind = 'forgotten' WHERE user = 3 AND position = 1",
}


@pytest.mark.parametrize("statement", TAMPERED.values(), ids=TAMPERED.keys())
def test_whatever_is_changed_in_the_shared_chain_or_in_that_of_a_user_is_found(
    store: SqliteStore, statement: str
) -> None:
    """DESIGN 1: a hash chain"""
    for number, tenant in enumerate((*USERS, CLARA)):
        for each in range(3):
            change = Put(memory(20 + 10 * number + each), EventKind.REMEMBERED)
            store.apply(tenant, [change], at=AT + DAY, actor="cli", cause="r-1")
    assert list(store.verify()) == []
    with store._connections.writing() as connection:
        assert connection.execute(statement).rowcount == 1
    assert "chain" in {finding.code for finding in store.verify()}


@pytest.mark.parametrize("position", [1, 5, "last", "own"])
def test_a_damaged_event_is_moved_away_and_the_rest_is_proven(store: SqliteStore, positions, position) -> None:
    """E20"""
    anna = Desk(store, ANNA)
    for number in range(20, 24):
        anna.put(memory(number), at=AT + DAY)
    end = max(positions.values())
    place = {"last": end, "own": end + 2}.get(position, position)
    with store._connections.writing() as connection:
        connection.execute("UPDATE events SET kind = 'eaten' WHERE position = ? AND user < 3", (place,))
    assert [finding.code for finding in store.verify()] == ["chain"]
    assert all(finding.repaired for finding in store.verify(repair=True))
    assert [(finding.code, finding.repaired) for finding in store.verify()] == [("quarantined", True)]
    anna.put(memory(30), at=AT + DAY)
    assert [(finding.code, finding.repaired) for finding in store.verify()] == [("quarantined", True)]


def test_a_backup_of_then_is_checked_without_being_touched(path: Path, positions) -> None:
    """E21"""
    assert positions
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA journal_mode = DELETE")
        file.execute("INSERT INTO meta VALUES ('damaged', '0')")
    before = path.read_bytes()
    copies.check(path)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("UPDATE events SET kind = 'forgotten' WHERE position = 5")
    with pytest.raises(StoreCorrupt, match="such as events 5"):
        copies.check(path)


# --- on the way ----------------------------------------------------------------------------------

STEPS = (
    "CREATE TABLE chains", "INSERT INTO meta", "ALTER TABLE events", "INSERT INTO events", "DROP TABLE shared_events",
    "INSERT INTO own_spaces", "UPDATE vectors", "DROP TABLE spaces", "ALTER TABLE own_spaces", "PRAGMA user_version =",
    "COMMIT",
)  # fmt: skip


@pytest.mark.parametrize("statement", STEPS)
def test_a_file_is_whole_whenever_the_process_that_takes_it_along_is_killed(
    path: Path, positions: dict[tuple[str, int], int], statement: str
) -> None:
    """B15: kill -9 at every step"""
    process = Forked([SCRIPT, path, statement], stderr=PIPE)
    with process.stderr as complaint:
        assert complaint.read() == ""
    assert process.wait() == -signal.SIGKILL
    assert version_of(path) == 4
    with closing(SqliteStore(path)) as store:
        assert list(store.verify()) == []
        assert Desk(store, ANNA).put(memory(90), at=AT + DAY) == max(positions.values()) + 1
    assert version_of(path) == schema.VERSION


def test_a_file_of_a_newer_schema_is_refused_and_left_as_it_is(path: Path) -> None:
    SqliteStore(path).close()
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreTooNew):
        SqliteStore(path)
    assert path.read_bytes() == before
