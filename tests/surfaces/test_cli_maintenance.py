"""Looking after memory over time, from the command line: consolidate, backup, restore, work (X16, E21, S7)."""

from __future__ import annotations

import os
import threading
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from terminal import Cli

from cortex import Cortex
from cortex.services.upkeep import HOUR, UpkeepService
from cortex.surfaces.cli import maintenance_commands
from cortex.surfaces.cli.errors import INTERRUPTED
from cortex.surfaces.http.server_file import Announcement, ServerInfo, acquire
from cortex.testing import FakeEmbedder

TEA, ROME = "User likes green tea", "User lives in Rome"
DAY = timedelta(days=1)


@pytest.fixture
def filled(cli: Cli) -> Cli:
    """Two that say the same, one past its time, and one to keep."""
    cli.remembered(TEA)
    cli.remembered(f"{TEA}.", "--as-new")
    cli.remembered("The door code is 4711", "--ttl", "1h")
    cli.remembered(ROME)
    cli.clock.advance(DAY)
    return cli


def active(cli: Cli) -> int:
    """How many memories recall could find."""
    return len(cli("list", "--state", "active", "--json").json["memories"])


def test_consolidate_shows_what_it_does_and_does_it(filled: Cli) -> None:
    """X16"""
    said = filled("consolidate")
    assert said.code == 0, said.err
    assert "merge" in said.out
    assert TEA in said.out
    assert "expired 1 and merged 1 duplicate" in said.out
    assert "consolidate --undo" in said.out
    assert active(filled) == 2


def test_a_dry_run_shows_the_same_and_does_nothing(filled: Cli) -> None:
    """X16"""
    said = filled("consolidate", "--dry-run")
    assert "would expire 1 and merge 1 duplicate; nothing was changed" in said.out
    assert active(filled) == 4
    shown, done = (filled("consolidate", *option, "--json").json for option in (["--dry-run"], []))
    assert shown["plans"] == done["plans"]
    assert (shown["receipt"]["applied"], done["receipt"]["applied"]) == (0, 3)


def test_a_second_run_has_nothing_to_do(filled: Cli) -> None:
    """X16"""
    filled("consolidate")
    assert filled("consolidate").out.strip() == "nothing to do"


@pytest.mark.parametrize("by_receipt", [False, True])
def test_a_run_can_be_undone_by_its_name_or_by_its_receipt_but_only_once(filled: Cli, by_receipt: bool) -> None:
    """X16"""
    done = filled("consolidate", "--json").json
    run = done["receipt"]["id"] if by_receipt else done["run"]
    assert filled("consolidate", "--undo", run).out.strip() == "restored 3"
    assert active(filled) == 4
    said = filled("consolidate", "--undo", run)
    assert said.code == 16
    assert "changed since" in said.error


def test_what_was_undone_is_not_merged_again(filled: Cli) -> None:
    """X16"""
    filled("consolidate", "--undo", filled("consolidate", "--json").json["run"])
    steps = filled("consolidate", "--json").json["receipt"]["steps"]
    assert steps["consolidation"]["planned"] == 0


@pytest.mark.parametrize("run", ["nonsense", "9-3", "1-999999"])
def test_what_is_no_run_is_refused(filled: Cli, run: str) -> None:
    said = filled("consolidate", "--undo", run)
    assert (said.code, said.error.startswith("run: ")) == (2, True)
    assert said.hint
    assert filled("consolidate", "--undo", "1-2", "--dry-run").code == 2


def test_the_receipt_of_a_run_tells_ids_and_reasons_and_no_text(filled: Cli) -> None:
    """X16"""
    filled("consolidate")
    text = filled("admin", "receipts", "--json", "--op", "consolidate").out
    assert "ttl_past" in text
    assert "tea" not in text
    assert "4711" not in text


def test_a_backup_is_made_listed_and_restored(filled: Cli) -> None:
    """E21"""
    assert "no backups yet" in filled("backup", "list").out
    made = filled("backup", "create", "--json").json["backup"]
    assert Path(made["file"]).parent == filled.home / "backups"
    filled.clock.advance(DAY)
    filled.remembered("Said after the backup")
    said = filled("backup", "restore", "latest")
    assert said.code == 0, said.err
    assert said.out.startswith(f"restored {made['file']}")
    assert filled.counted() == 4
    assert filled("admin", "verify").code == 0
    listed = filled("backup", "list", "--json").json["backups"]
    assert [each["replaced"] for each in listed] == [True, False]
    # What was replaced can be brought back the same way.
    filled.clock.advance(1)
    assert filled("backup", "restore", Path(listed[0]["file"]).name).code == 0
    assert filled.counted() == 5


def test_a_restore_names_the_server_that_has_the_memory_open(filled: Cli) -> None:
    """E21. Hooks start one in the background."""
    filled("backup", "create")
    info = ServerInfo(
        url="http://127.0.0.1:1", pid=os.getpid(), token="secret", agent="main", user="default", deadline_ms=1,
        ingest_timeout_ms=1, settings="",
    )  # fmt: skip
    with (
        Cortex(home=filled.home, embedder=FakeEmbedder()) as server,
        Announcement(str(filled.home), info, acquire(str(filled.home))) as announced,
    ):
        server.stats()
        announced.publish()
        said = filled("backup", "restore", "latest")
    assert said.code == 12
    assert f"run `kill {os.getpid()}`, then restore again" in said.err


def test_a_backup_can_go_elsewhere(filled: Cli, tmp_path: Path) -> None:
    """E21"""
    said = filled("backup", "create", "--to", str(tmp_path / "usb"))
    assert said.code == 0, said.err
    (made,) = (tmp_path / "usb").glob("*.backup")
    assert str(made) in said.out
    assert filled("backup", "restore", str(made)).code == 0


def test_backups_that_need_not_be_kept_are_removed(filled: Cli) -> None:
    """E21"""
    for _ in range(20):
        filled("backup", "create")
        filled.clock.advance(timedelta(hours=12))
    listed = filled("backup", "list", "--json").json["backups"]
    assert 7 <= len(listed) <= 11
    assert "backup" in filled("backup", "list").out


def test_restore_refuses_what_is_not_a_backup_and_changes_nothing(filled: Cli, tmp_path: Path) -> None:
    """E21"""
    foreign = tmp_path / "foreign.sqlite"
    foreign.write_text("hello " * 1_000)
    assert filled("backup", "restore", str(foreign)).code == 13
    assert filled("backup", "restore", str(tmp_path / "absent.sqlite")).code == 2
    assert filled("backup", "restore", "latest").code == 2
    assert filled.counted() == 4


def test_a_damaged_memory_is_replaced_by_its_backup(filled: Cli) -> None:
    """E21"""
    filled("backup", "create")
    path = filled.home / "agents" / "main.sqlite"
    for file in path.parent.glob("main.sqlite-*"):
        file.unlink()
    path.write_bytes(b"damaged " * 4_096)
    assert filled("list").code == 13
    assert filled("backup", "restore", "latest").code == 0
    assert filled.counted() == 4


def test_restore_still_brings_back_a_forgotten_memory(cli: Cli) -> None:
    id = cli.remembered(TEA)
    cli("forget", id)
    assert cli("admin", "unforget", id).out.strip() == f"active again: {id}"


def test_work_does_what_is_due_and_says_when_to_come_back(filled: Cli) -> None:
    """S7"""
    said = filled("admin", "jobs", "run", "--json")
    assert said.code == 0, said.err
    assert said.json == {"next_at": (filled.clock.now() + HOUR).isoformat(), "anomalies": []}
    assert active(filled) == 2
    assert len(filled("backup", "list", "--json").json["backups"]) == 1
    filled("admin", "jobs", "run")
    assert len(filled("backup", "list", "--json").json["backups"]) == 1


def test_what_fails_in_the_background_is_told_by_work_and_status(filled: Cli) -> None:
    """S7"""
    (filled.home / "backups").write_text("in the way")
    said = filled("admin", "jobs", "run")
    assert said.code == 0
    assert "cannot be" in said.out
    assert [each["code"] for each in filled("status", "--json").json["anomalies"]] == ["backup_failed"]
    (filled.home / "backups").unlink()
    filled.clock.advance(timedelta(hours=1))
    assert filled("admin", "jobs", "run", "--json").json["anomalies"] == []


def test_work_stays_until_it_is_interrupted(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """S7"""
    attended = threading.Event()

    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert attended.wait(60)
            raise KeyboardInterrupt

    def run_due(service: UpkeepService) -> datetime:
        try:
            return really(service)
        finally:
            attended.set()

    really = UpkeepService.run_due
    monkeypatch.setattr(UpkeepService, "run_due", run_due)
    monkeypatch.setattr(maintenance_commands, "threading", SimpleNamespace(Event=Interrupted))
    assert filled("admin", "jobs", "run", "--forever").code == INTERRUPTED
    assert active(filled) == 2


def test_waiting_jobs_are_listed_until_they_are_done(cli: Cli) -> None:
    cli("capture", "--background", "-", "--session", "s", stdin='[{"role": "user", "content": "I prefer trams"}]')
    listed = cli("admin", "jobs", "list", "--json").json["jobs"]
    assert {job["state"] for job in listed} == {"waiting"}
    assert "extract" in {job["kind"] for job in listed}
    assert "extract" in cli("admin", "jobs", "list").out
    cli.clock.advance(timedelta(hours=1))
    assert cli("admin", "jobs", "run").code == 0
    assert cli("admin", "jobs", "list").out.strip() == "no jobs"
