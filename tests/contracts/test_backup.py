"""Backups of a store: consistent while it is written, checked, and whole or not there at all (E21)."""

from __future__ import annotations

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import ANNA, BORIS, EAST, RESTORED, SPACE, Desk, id_, ids, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, StoreBusy, StoreCorrupt, StoreError, StoreForeign, StoreTooNew
from cortex.ports.store import UNKNOWN_LOSS, Filter, RecordRestore, Store
from cortex.stores import archive
from cortex.stores.ephemeral import EphemeralStore
from cortex.stores.sqlite import SqliteStore, copies
from forking import PIPE, Forked
from sweeps import sweep

SCRIPT = Path(__file__).with_name("backup_process.py")
SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "agents" / "main.sqlite"


@pytest.fixture
def sqlite_store(file: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(file)
    yield store
    store.close()


def filled(store: Store) -> Desk:
    desk = Desk(store, ANNA)
    desk.put(memory(1), turn(2), memory(3, "The tide comes in"))
    desk.embed(memory(1), EAST)
    Desk(store, BORIS).put(memory(4, "Boris was here"))
    return desk


def everything(path: Path) -> list[str]:
    """What a file holds, after a thorough look at whether it is in order."""
    store = SqliteStore(path)
    assert list(store.verify()) == []
    found = [each.text for tenant in (ANNA, BORIS) for each in Desk(store, tenant).scan()]
    store.close()
    return found


def replace(path: Path, backup: Path, keep_at: Path | None = None) -> bool:
    keep_at = keep_at or backup.with_name("kept.sqlite")
    return copies.replace(path, backup, keep_at, RESTORED, busy_timeout_ms=200).kept


def _opened_copy(path: Path) -> Store:
    """A copy as a store: it is a file of SQLite's, or an archive."""
    if path.read_bytes().startswith(b"SQLite"):
        return SqliteStore(path)
    copied = EphemeralStore()
    archive.load(path, copied, ANNA.agent)
    return copied


def test_every_store_makes_a_copy_of_all_it_holds_or_says_that_it_cannot(store: Store, tmp_path: Path):
    """E21"""
    filled(store)
    to = tmp_path / "copy.sqlite"
    if not store.abilities.backup:
        with pytest.raises(StoreError):
            store.backup(to)
        assert not to.exists()
        return
    store.backup(to)
    copied = _opened_copy(to)
    said = [trace.text for desk in (Desk(copied, ANNA), Desk(copied, BORIS)) for trace in desk.scan()]
    assert sorted(said) == sorted(["The harbour opens at dawn"] * 2 + ["The tide comes in", "Boris was here"])
    assert ids(Desk(copied, ANNA).near(EAST)) == [id_(1)]
    assert copied.vector_sets(ANNA) == {SPACE.key: 1}
    copied.close()


def test_a_copy_is_one_file_that_only_its_owner_can_read(sqlite_store: SqliteStore, tmp_path: Path):
    """E21"""
    filled(sqlite_store)
    (tmp_path / "to").mkdir()
    to = tmp_path / "to" / "copy.sqlite"
    sqlite_store.backup(to)
    assert [entry.name for entry in to.parent.iterdir()] == [to.name]
    assert to.stat().st_mode & 0o777 == 0o600
    copies.check(to)
    assert [entry.name for entry in to.parent.iterdir()] == [to.name]


def test_a_copy_shows_one_moment_while_others_write(sqlite_store: SqliteStore, tmp_path: Path):
    """E21: no writer waits for a backup, and no backup holds half a change"""
    desk = Desk(sqlite_store, ANNA)
    stop = threading.Event()
    errors: list[BaseException] = []

    def write() -> None:
        number = 0
        try:
            while not stop.is_set():
                number += 2
                desk.put(memory(number), memory(number + 1))
        except BaseException as error:
            errors.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    counts = []
    for number in range(8):
        to = tmp_path / f"{number}.sqlite"
        sqlite_store.backup(to)
        copied = SqliteStore(to)
        assert list(copied.verify()) == []
        counts.append(Desk(copied, ANNA).total(Filter()))
        copied.close()
    stop.set()
    writer.join()
    assert errors == []
    assert all(count % 2 == 0 for count in counts)
    assert counts == sorted(counts)


def test_a_copy_that_cannot_be_made_leaves_nothing(sqlite_store: SqliteStore, tmp_path: Path):
    filled(sqlite_store)
    with pytest.raises(StoreError):
        sqlite_store.backup(tmp_path / "absent" / "copy.sqlite")
    assert list(tmp_path.glob("**/*partial*")) == []


# --- bringing back -------------------------------------------------------------------------------------------


@pytest.fixture
def backup(sqlite_store: SqliteStore, tmp_path: Path) -> Path:
    """A backup of a store that has moved on since, and is closed."""
    desk = filled(sqlite_store)
    to = tmp_path / "backups" / "main.sqlite"
    to.parent.mkdir()
    sqlite_store.backup(to)
    desk.put(memory(9, "Said after the backup"))
    sqlite_store.close()
    return to


def test_a_backup_takes_the_place_of_the_file_and_what_was_there_is_kept(file: Path, backup: Path):
    """E21"""
    before = everything(file)
    assert replace(file, backup)
    assert everything(file) == everything(backup)
    assert everything(backup.with_name("kept.sqlite")) == before


def damaged(path: Path) -> None:
    """Overwrite the middle of a file."""
    size = path.stat().st_size
    with path.open("r+b") as content:
        content.seek(size // 2)
        content.write(b"\xff" * 8_192)


def test_what_is_foreign_newer_damaged_or_in_use_itself_is_refused_and_nothing_is_touched(
    file: Path, backup: Path, tmp_path: Path
):
    """E21"""
    before = file.read_bytes()
    foreign, text, newer, empty, broken, live = (tmp_path / name for name in ("f", "t", "n", "e", "b", "l"))
    sqlite3.connect(foreign).executescript("CREATE TABLE cats (name); INSERT INTO cats VALUES ('Tom')").close()
    text.write_text("hello " * 1_000)
    empty.touch()
    for path in (newer, broken, live):
        path.write_bytes(backup.read_bytes())
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    damaged(broken)
    live.with_name("l-wal").write_bytes(b"log")
    for path, error in (
        (foreign, StoreForeign), (text, StoreForeign), (newer, StoreTooNew), (empty, StoreCorrupt),
        (broken, StoreCorrupt), (live, InvalidRequest), (file, InvalidRequest),
    ):  # fmt: skip
        with pytest.raises(error):
            replace(file, path)
    assert file.read_bytes() == before
    assert not backup.with_name("kept.sqlite").exists()


def test_a_damaged_file_is_replaced_and_kept_as_it_is(file: Path, backup: Path):
    """E21: this is when a backup is needed"""
    file.write_bytes(b"not a database at all" * 1_000)
    Path(f"{file}-wal").write_bytes(b"the log of it")
    assert replace(file, backup)
    assert everything(file) == everything(backup)
    kept = backup.with_name("kept.sqlite")
    assert kept.read_bytes().startswith(b"not a database")
    assert Path(f"{kept}-wal").read_bytes() == b"the log of it"


def test_the_log_of_a_process_that_died_is_kept_and_never_applied_to_what_takes_the_place(file: Path, backup: Path):
    """E21: what was acknowledged may be in the log alone"""
    killed("write", file)
    assert Path(f"{file}-wal").stat().st_size > 0
    assert replace(file, backup)
    assert everything(file) == everything(backup)
    assert "Only in the log" in everything(backup.with_name("kept.sqlite"))


def test_nothing_is_replaced_while_another_process_has_it_open(file: Path, backup: Path):
    """E21: it would go on writing to what is no longer there"""
    before = everything(file)
    other = started("hold", file)
    assert other.stdout is not None
    assert other.stdout.readline() == "ready\n"
    try:
        with pytest.raises(StoreBusy, match="open in another process"):
            replace(file, backup)
    finally:
        other.kill()
        other.communicate()
    assert everything(file) == before
    assert replace(file, backup)


def test_nothing_is_replaced_while_this_process_has_it_open_elsewhere(file: Path, backup: Path):
    """E21: to try the locks would take them from whoever has it open here"""
    store = SqliteStore(file)
    with pytest.raises(StoreBusy, match="open in this process"):
        replace(file, backup)
    Desk(store, ANNA).put(memory(77, "Written after the refusal"))
    # The last to close a file removes its log: another process must not take itself for that.
    look = (
        "import sys, pathlib; from cortex.stores.sqlite import SqliteStore as Store;"
        "Store(pathlib.Path(sys.argv[1])).close()"
    )
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", look, file], check=True, env=variables)
    Desk(store, ANNA).put(memory(78, "Written after another process came and went"))
    store.close()
    assert "Written after another process came and went" in everything(file)
    assert replace(file, backup)


def test_nothing_is_replaced_while_a_writer_has_its_turn(file: Path, backup: Path):
    gate = os.open(f"{file}-queue", os.O_RDWR)
    fcntl.flock(gate, fcntl.LOCK_EX)
    with pytest.raises(StoreBusy):
        replace(file, backup)
    os.close(gate)
    assert replace(file, backup)


# --- what is killed on the way -------------------------------------------------------------------------------


def started(role: str, *arguments: object) -> Forked:
    return Forked([SCRIPT, role, *map(str, arguments)], stdout=PIPE, stderr=PIPE)


def killed(role: str, *arguments: object) -> None:
    """Run something that kills itself on the way."""
    process = started(role, *arguments)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, complaint


POINTS = ("copying", "checking", "fsync", "rename", "renamed")


@pytest.mark.parametrize("point", sweep(POINTS, ["copying", "rename"]))
def test_a_backup_killed_on_the_way_is_whole_or_not_there_and_the_next_one_succeeds(
    file: Path, backup: Path, tmp_path: Path, point: str
):
    """E21"""
    before = everything(file)
    to = tmp_path / "backups" / "next.sqlite"
    killed("backup", file, to, point)
    assert to.exists() == (point == "renamed")
    if to.exists():
        assert everything(to) == before
    assert everything(file) == before
    store = SqliteStore(file)
    store.backup(to)
    store.close()
    assert everything(to) == before
    assert list(tmp_path.glob("**/*partial*")) == []


@pytest.mark.parametrize(
    "point", sweep(["checking", "kept", "settled", "fsync", "rename", "renamed"], ["kept", "rename"])
)
def test_a_restore_killed_on_the_way_leaves_the_old_memory_or_the_new_one(file: Path, backup: Path, point: str):
    """E21"""
    old, new = everything(file), everything(backup)
    killed("restore", file, backup, backup.with_name("kept.sqlite"), point)
    assert everything(file) == (new if point == "renamed" else old)
    assert replace(file, backup, backup.with_name("again.sqlite"))
    assert everything(file) == new
    assert list(file.parent.glob(".*partial*")) == []


# --- the ledger after a restore -------------------------------------------------------------------


def ledger(path: Path, tenant: Tenant) -> list[tuple[int, EventKind]]:
    store = SqliteStore(path)
    with store.view(tenant) as view:
        found = [(event.position, event.kind) for event in view.events()]
    assert list(store.verify()) == []
    store.close()
    return found


def test_a_restore_is_an_event_of_every_user_and_no_position_is_used_twice(tmp_path: Path):
    """E21"""
    path, backup = tmp_path / "main.sqlite", tmp_path / "backup"
    store = SqliteStore(path)
    Desk(store, ANNA).put(memory(1, "kept"))
    store.backup(backup)
    Desk(store, ANNA).put(memory(2, "lost"), memory(3, "lost too"))
    Desk(store, BORIS).put(memory(4, "came later"))
    store.close()
    assert replace(path, backup)
    restored = EventKind.BACKUP_RESTORED
    assert ledger(path, ANNA) == [(1, EventKind.REMEMBERED), (4, restored)]
    assert ledger(path, BORIS) == [(2, restored)]
    store = SqliteStore(path)
    assert Desk(store, ANNA).put(memory(5, "new")) == 5
    with store.view(ANNA) as view:
        (event,) = view.latest_events(1, kinds={restored})
    assert (event.subject, event.actor) == ("main.backup", "cli")
    store.close()
    assert ledger(path, ANNA)[-1] == (5, EventKind.REMEMBERED)


def test_where_the_ledger_that_was_lost_cannot_be_read_it_goes_on_far_above(tmp_path: Path):
    """E21"""
    path, backup = tmp_path / "main.sqlite", tmp_path / "backup"
    store = SqliteStore(path)
    Desk(store, ANNA).put(memory(1, "kept"))
    store.backup(backup)
    store.close()
    path.unlink()
    assert not replace(path, backup)
    assert ledger(path, ANNA)[-1] == (1 + UNKNOWN_LOSS + 1, EventKind.BACKUP_RESTORED)


def test_an_event_before_a_restore_cannot_be_taken_out_unnoticed(tmp_path: Path):
    """E21"""
    path = tmp_path / "main.sqlite"
    store = SqliteStore(path)
    desk = Desk(store, ANNA)
    desk.put(memory(1, "first"), memory(2, "second"))
    desk.apply(RecordRestore("main.backup", 7))
    store.close()
    assert ledger(path, ANNA)[-1] == (8, EventKind.BACKUP_RESTORED)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM events WHERE position = 2")
    store = SqliteStore(path)
    assert {"chain"} <= {each.code for each in store.verify()}
    store.close()
