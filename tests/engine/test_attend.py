"""Doing what is due: what became due while something else was done is not left for the next day."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from laboratory import opened

from cortex.lifecycle.backups import BackupResult
from cortex.services.lifecycle import LifecycleService
from cortex.testing import FakeClock

HISTORY = [{"role": "user", "content": "I live in Rome."}, {"role": "assistant", "content": "Noted."}]


def test_work_that_became_due_during_a_slow_backup_is_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C2, S7"""
    clock = FakeClock()
    really = LifecycleService.backup

    def slowly(self: LifecycleService, to: Path | None = None) -> BackupResult:
        clock.advance(timedelta(seconds=5))
        return really(self, to)

    monkeypatch.setattr(LifecycleService, "backup", slowly)
    with opened(tmp_path / "home", clock=clock, capture={"debounce_seconds": 2}) as engine:
        engine.ingest(HISTORY, session="s1")
        assert engine.run_due() <= clock.now()
        engine.run_due()
        assert engine.stats().by_lane["memories"] == 1


def test_work_that_is_due_later_is_waited_for_until_then(tmp_path: Path) -> None:
    """C2, S7"""
    clock = FakeClock()
    with opened(tmp_path / "home", clock=clock, capture={"debounce_seconds": 2}) as engine:
        engine.ingest(HISTORY, session="s1")
        assert engine.run_due() == clock.now() + timedelta(seconds=2)
        assert "memories" not in engine.stats().by_lane


def test_a_look_that_finds_nothing_leaves_no_receipt(tmp_path: Path) -> None:
    """S7"""
    with opened(tmp_path / "home") as engine:
        engine.run_due()  # the first makes a backup and tends
        before = len(engine.receipts(limit=100))
        engine.run_due()
        assert len(engine.receipts(limit=100)) == before
