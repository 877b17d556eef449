"""Backups: their names, how long they are kept, how they are made and brought back (E21)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tended import ANNA, AT, DAY, HOUR, Household, memory

from cortex.errors import InvalidRequest, StoreError, StoreUnavailable
from cortex.lifecycle import backups
from cortex.lifecycle.backups import Backup
from cortex.ports.store import Replaced, RestoreMark
from cortex.stores.ephemeral import EphemeralStore
from cortex.stores.sqlite import SqliteStore, copies

FOLDER = Path("backups")


def backup(at: datetime, mark: str = "", agent: str = "main", number: int = 1) -> Backup:
    return Backup(FOLDER / backups.name_of(agent, at, number, mark), agent, at, mark, number=number)


def kept(made: Sequence[Backup], now: datetime, daily: int = 7, weekly: int = 4) -> list[datetime]:
    paths = backups.keep(made, now, daily=daily, weekly=weekly)
    return sorted(each.at for each in made if each.path in paths)


def test_a_name_tells_the_agent_and_the_time():
    """E21"""
    assert backups.name_of("main", AT, 12) == "main-20260105T090000Z.000012.backup"
    for agent in ("main", "a-b.c", "x-20260101t000000z", "x.000003"):
        for mark in ("", backups.REPLACED):
            named = backup(AT, mark, agent, number=7)
            assert backups.read_name(named.path) == named


@pytest.mark.parametrize("mark", ["", "2", "replaced"])
def test_names_of_earlier_releases_are_still_read(mark: str):
    path = FOLDER / f"main-20260105T090000Z{f'-{mark}' if mark else ''}.backup"
    assert backups.read_name(path) == Backup(path, "main", AT, mark)


@pytest.mark.parametrize(
    "name",
    ["main.sqlite", "main-20269905T090000Z.backup", "main-20260105T090000Z.backup-wal", ".x.partial", "notes.txt"],
)
def test_any_other_file_is_no_backup(name: str):
    assert backups.read_name(FOLDER / name) is None


def test_the_last_of_each_day_and_then_of_each_week_is_kept():
    """E21"""
    made = [backup(AT - hours * HOUR) for hours in range(0, 24 * 60, 6)]
    days = kept(made, AT, daily=7, weekly=0)
    assert [at.date() for at in days] == [(AT - number * DAY).date() for number in range(6, -1, -1)]
    assert all(at.hour in (21, 9) for at in days)
    weeks = kept(made, AT, daily=7, weekly=4)
    assert len(weeks) == 11
    assert weeks[-7:] == days
    assert len({at.isocalendar()[:2] for at in weeks[:4]}) == 4


def test_what_a_restore_replaced_is_kept_for_a_month():
    """E21"""
    old = backup(AT, backups.REPLACED)
    made = [old, *(backup(AT + number * DAY) for number in range(60))]
    assert AT in kept(made, AT + 29 * DAY, daily=1, weekly=0)
    assert AT not in kept(made[:1] + made[2:], AT + 45 * DAY, daily=1, weekly=0)


times = st.lists(st.integers(-3_000, 100).map(lambda hours: AT + hours * HOUR), max_size=60, unique=True)


@given(times, st.integers(1, 10), st.integers(0, 10))
def test_the_newest_is_always_kept_and_never_more_than_was_asked_for(at: list[datetime], daily: int, weekly: int):
    """E21"""
    made = [backup(each) for each in at]
    found = kept(made, AT, daily, weekly)
    past = [each for each in found if each <= AT]
    assert set(found) <= set(at)
    assert not at or max(at) in found
    assert len(past) <= daily + weekly + 1


@given(times, st.integers(1, 10), st.integers(0, 10))
def test_keeping_what_was_kept_removes_nothing_more(at: list[datetime], daily: int, weekly: int):
    """E21"""
    once = kept([backup(each) for each in at], AT, daily, weekly)
    assert kept([backup(each) for each in once], AT, daily, weekly) == once


walks = st.lists(st.integers(-2_000, 2_000), max_size=40)


@given(walks, st.integers(1, 5), st.integers(0, 5))
def test_the_last_ones_made_are_kept_however_the_clock_steps(hours: list[int], daily: int, weekly: int):
    """E21: the newest is the one made last, and no older one is kept in the place of a newer one of its day"""
    made = [backup(AT + hour * HOUR, number=number) for number, hour in enumerate(hours, start=1)]
    paths = backups.keep(made, AT, daily=daily, weekly=weekly)
    stay = [each for each in made if each.path in paths]
    assert len(stay) <= daily + weekly + 1
    assert stay[-1:] == made[-1:]
    for each in stay:
        assert not [other for other in made if other.number > each.number and other.at.date() == each.at.date()]
    latest_days = list(dict.fromkeys(each.at.date() for each in reversed(made)))[:daily]
    assert set(latest_days) <= {each.at.date() for each in stay}


# --- with files --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "backups"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "agents" / "main.sqlite"


def put_back(path: Path, given: Path, folder: Path, now: datetime) -> Backup | None:
    def replace(backup: Path, keep_at: Path) -> Replaced:
        return copies.replace(path, backup, keep_at, RestoreMark(now, "", "", backup.name), busy_timeout_ms=500)

    kept, _ = backups.restore(given, folder, "main", now, replace=replace)
    return kept


def texts(path: Path) -> list[str]:
    store = SqliteStore(path)
    found = [each.text for each in Household(store, ANNA).everything()]
    assert list(store.verify()) == []
    store.close()
    return found


def test_a_backup_is_private_whole_and_brings_back_what_was_there(path: Path, folder: Path):
    """E21"""
    store = SqliteStore(path)
    home = Household(store)
    home.put(memory(1, "before"))
    made = backups.make(store, folder, "main", AT, daily=7, weekly=4)
    home.put(memory(2, "after"))
    store.close()
    name = "main-20260105T090000Z.000001.backup"
    assert sorted(entry.name for entry in folder.iterdir()) == [name, f"{name}.json"]
    assert (made.backup.path.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert made.backup.bytes == made.backup.path.stat().st_size
    replaced = put_back(path, made.backup.path, folder, AT + HOUR)
    assert texts(path) == ["before"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert replaced is not None
    assert replaced.mark == backups.REPLACED
    assert put_back(path, replaced.path, folder, AT + 2 * HOUR) is not None
    assert texts(path) == ["before", "after"]


def test_old_backups_go_only_after_a_new_one_is_there(path: Path, folder: Path):
    """E21"""
    store = SqliteStore(path)
    for day in range(4):
        backups.make(store, folder, "main", AT + day * DAY, daily=2, weekly=0)
    (folder / "notes.txt").write_text("mine")
    made = backups.make(store, folder, "main", AT + 4 * DAY, daily=2, weekly=0)
    assert [each.at for each in made.removed] == [AT + 2 * DAY]
    assert [each.at for each in backups.listed(folder, "main")] == [AT + 4 * DAY, AT + 3 * DAY]
    assert (folder / "notes.txt").read_text() == "mine"
    store.close()


def test_several_backups_of_one_second_stand_side_by_side(path: Path, folder: Path):
    store = SqliteStore(path)
    made = [backups.make_at(store, folder, "main", AT).path.name for _ in range(3)]
    assert made == [f"main-20260105T090000Z.00000{number}.backup" for number in (1, 2, 3)]
    store.close()


def test_backups_of_another_agent_are_left_alone(path: Path, folder: Path):
    store = SqliteStore(path)
    for day in range(3):
        backups.make_at(store, folder, "main-2", AT + day * DAY)
    backups.make(store, folder, "main", AT, daily=1, weekly=0)
    assert len(backups.listed(folder, "main-2")) == 3
    assert len(backups.listed(folder, "main")) == 1
    assert backups.last_at(folder, "main") == AT
    assert backups.last_at(folder, "other") is None
    store.close()


def test_a_backup_that_fails_removes_nothing(path: Path, folder: Path):
    """E21"""
    store = SqliteStore(path)
    backups.make(store, folder, "main", AT, daily=1, weekly=0)
    store.close()
    with pytest.raises(StoreError):
        backups.make(store, folder, "main", AT + 9 * DAY, daily=1, weekly=0)
    assert [each.at for each in backups.listed(folder, "main")] == [AT]


def test_a_folder_that_cannot_be_made_is_said_so(path: Path, tmp_path: Path):
    store = SqliteStore(path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="cannot be made"):
        backups.make_at(store, tmp_path / "file" / "folder", "main", AT)
    store.close()


def test_a_backup_is_meant_by_its_path_its_name_or_as_the_latest(path: Path, folder: Path, tmp_path: Path):
    store = SqliteStore(path)
    first, second = (backups.make_at(store, folder, "main", at).path for at in (AT, AT + HOUR))
    store.close()
    assert backups.found("latest", folder, "main") == second
    assert backups.found(first.name, folder, "main") == first
    assert backups.found(str(first), folder, "main") == first
    assert backups.found("absent.sqlite", folder, "main") == Path("absent.sqlite")
    with pytest.raises(InvalidRequest, match="there is no backup"):
        backups.found("latest", tmp_path / "none", "main")


def test_what_is_not_a_file_is_refused_before_anything_is_touched(path: Path, folder: Path):
    with pytest.raises(InvalidRequest, match="is not a file"):
        put_back(path, folder / "absent.sqlite", folder, AT)
    assert not path.exists()


def test_a_store_that_keeps_nothing_says_that_it_cannot_be_backed_up(folder: Path):
    with pytest.raises(StoreError, match="nothing here is kept"):
        backups.make(EphemeralStore(), folder, "main", AT, daily=1, weekly=1)
    assert list(folder.iterdir()) == []


def test_a_lost_memory_is_restored_where_there_is_nothing(path: Path, folder: Path):
    """E21"""
    store = SqliteStore(path)
    Household(store).put(memory(1, "kept"))
    made = backups.make_at(store, folder, "main", AT)
    store.close()
    for file in path.parent.iterdir():
        file.unlink()
    os.rmdir(path.parent)
    assert put_back(path, made.path, folder, AT + timedelta(hours=1)) is None
    assert texts(path) == ["kept"]
