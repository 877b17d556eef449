"""`cortex erase`, as a person and as a script use it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cortex import Cortex
from cortex.surfaces.cli.app import run

SECRET = "My locker in the north hall opens with seven turns"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    return tmp_path / "home"


def remembered(home: Path, text: str = SECRET) -> str:
    with Cortex(home) as engine:
        return engine.remember(text).memory.id


def test_erasing_prints_a_certificate_without_the_text(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    id = remembered(home)
    assert run(["--home", str(home), "--json", "erase", id, "--yes"]) == 0
    out = capsys.readouterr().out
    told = json.loads(out)
    assert told["clean"] is True
    assert told["erased"] == [id]
    assert told["schema"] == "cortex.erase.certificate.v1"
    assert "locker" not in out


def test_what_is_left_elsewhere_is_told_with_its_fix(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    id = remembered(home)
    with Cortex(home) as engine:
        engine.backup()
    assert run(["--home", str(home), "erase", id, "--yes"]) == 1
    out = capsys.readouterr().out
    assert "a backup holds it" in out
    assert "--backups" in out


def test_nothing_is_erased_where_nobody_can_be_asked(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    id = remembered(home)
    assert run(["--home", str(home), "erase", id]) == 2
    assert "--yes" in capsys.readouterr().err
    with Cortex(home) as engine:
        assert engine.get(id).text == SECRET
