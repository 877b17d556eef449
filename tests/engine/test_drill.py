"""Backup drills: the newest backup is restored, verified and questioned, and nothing of that stays (E21)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from laboratory import opened

from cortex import Cortex
from cortex.domain.alerts import Severity
from cortex.errors import DiskFull, InvalidRequest, StoreBusy
from cortex.lifecycle import backups as backing
from cortex.runtime.file_lock import FileLock
from cortex.surfaces.cli.app import run
from cortex.testing import FakeClock
from small_disk import mounted


@pytest.fixture
def memory(tmp_path: Path, clock: FakeClock):
    with opened(tmp_path / "home", clock=clock) as engine:
        for number in range(5):
            engine.remember(f"The lighthouse {number} blinks every {number + 3} seconds")
        engine.bind(user="ines").remember("Ines keeps bees")
        engine.recall("how often does lighthouse 3 blink?")
        engine.recall("who keeps bees?")
        engine.flush()
        yield engine


def scratch(engine: Cortex) -> list[Path]:
    return list(engine.context.dependencies.home.glob(".drill-*"))


def flipped(path: Path) -> None:
    body = bytearray(path.read_bytes())
    at = body.index(b"lighthouse")
    body[at : at + 10] = b"LIGHTHOUSE"
    path.write_bytes(body)


def test_a_sound_backup_is_as_its_manifest_says(memory: Cortex, clock: FakeClock) -> None:
    """E21"""
    backup = memory.backup().backup
    clock.advance(timedelta(hours=2))
    memory.remember("Something newer than the backup")
    done = memory.drill()
    found = done.drill
    assert (found.ok, found.file, found.manifest, found.age_seconds) == (True, backup.path.name, True, 7_200)
    assert (found.users, found.traces, found.questions, found.same) == (2, 6, 2, 2)
    assert found.seconds >= 0
    assert (scratch(memory), memory.alerts(closed=True)) == ([], [])
    memory.flush()
    assert memory.receipt(done.receipt.id).facts["ok"]


def test_a_damaged_backup_is_an_alert_and_an_exit_code_until_a_sound_one_is_there(
    memory: Cortex, clock: FakeClock, capsys: pytest.CaptureFixture[str]
) -> None:
    """E21, S7"""
    flipped(memory.backup().backup.path)
    found = memory.drill().drill
    assert not found.ok
    assert "is damaged" in found.problems[0]
    assert "LIGHTHOUSE" not in str(found.problems)
    (alert,) = memory.alerts()
    assert (alert.cause, alert.severity) == ("backup:drill", Severity.CRITICAL)
    assert scratch(memory) == []
    home = memory.context.dependencies.home
    assert run(["--home", str(home), "backup", "drill"]) == 1
    assert "is damaged" in capsys.readouterr().out
    clock.advance(timedelta(minutes=1))
    memory.backup()
    assert memory.drill().drill.ok
    assert memory.alerts() == []
    assert run(["--home", str(home), "backup", "drill"]) == 0


def test_another_backup_under_its_name_is_noticed(memory: Cortex, clock: FakeClock) -> None:
    """E21: whole in itself, and not what was made"""
    old = memory.backup().backup.path
    memory.remember("The lighthouse 9 is dark")
    clock.advance(timedelta(days=1))
    new = memory.backup().backup.path
    new.write_bytes(old.read_bytes())
    problems = memory.drill().drill.problems
    assert any("traces is 5 instead of 6" in each for each in problems)
    assert any("seal is" in each for each in problems)


def test_a_backup_without_a_manifest_is_verified_all_the_same(memory: Cortex) -> None:
    """E21: backups of earlier versions have none"""
    backing.manifest_path(memory.backup().backup.path).unlink()
    found = memory.drill().drill
    assert (found.ok, found.manifest, found.traces) == (True, False, 6)


def test_a_manifest_that_cannot_be_read_is_a_problem(memory: Cortex) -> None:
    backing.manifest_path(memory.backup().backup.path).write_text("[]")
    assert memory.drill().drill.problems == ("its manifest cannot be read",)


def test_without_a_backup_there_is_nothing_to_try(memory: Cortex) -> None:
    with pytest.raises(InvalidRequest, match="there is no backup"):
        memory.drill()


def test_two_drills_at_once_are_one(memory: Cortex) -> None:
    memory.backup()
    folder = memory.context.dependencies.home / backing.FOLDER
    with FileLock(folder / ".main.drill.lock").held(0), pytest.raises(StoreBusy):
        memory.drill()


def test_what_a_killed_drill_left_is_removed_by_the_next(memory: Cortex) -> None:
    memory.backup()
    left = memory.context.dependencies.home / ".drill-main-1"
    left.mkdir()
    (left / "main.sqlite").write_text("old")
    assert memory.drill().drill.ok
    assert scratch(memory) == []


def test_a_disk_that_is_full_is_a_clear_error_and_nothing_is_lost(tmp_path: Path) -> None:
    """E21"""
    with mounted(tmp_path / "disk", 8) as disk, opened(disk.root / "home") as engine:
        kept = engine.remember("The harbor opens at dawn").memory.id
        engine.backup()
        engine.flush()
        disk.fill()
        with pytest.raises(DiskFull):
            engine.drill()
        assert scratch(engine) == []
        disk.free()
        assert engine.drill().drill.ok
        assert engine.get(kept).text == "The harbor opens at dawn"


def test_drills_follow_the_clock(memory: Cortex, clock: FakeClock) -> None:
    """E21, S7: weekly"""
    memory.run_due()
    assert len(memory.receipts(op="drill")) == 1
    for _ in range(14):
        clock.advance(timedelta(days=1))
        memory.run_due()
    memory.flush()
    assert len(memory.receipts(op="drill")) == 3


def test_a_rewritten_backup_is_still_sound(memory: Cortex) -> None:
    """E21: what `erase --backups` leaves is what the manifest says"""
    gone = memory.list()[0].id
    path = memory.backup().backup.path
    memory.erase(gone, backups=True)
    assert path.exists()
    assert b"lighthouse 0" not in path.read_bytes()
    found = memory.drill().drill
    assert (found.problems, found.manifest, found.traces) == ((), True, 5)
