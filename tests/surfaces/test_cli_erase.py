"""`cortex erase`, as a person and as a script use it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
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
    payload = json.loads(out)["certificate"]
    assert payload["clean"] is True
    assert payload["erased"] == [id]
    assert payload["schema"] == "cortex.erase.certificate.v1"
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


def test_the_certificate_can_be_asked_for_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    id = remembered(home)
    assert run(["--home", str(home), "--json", "erase", id, "--yes"]) == 0
    first = json.loads(capsys.readouterr().out)["certificate"]
    for wanted in (first["id"], id):
        assert run(["--home", str(home), "--json", "erase", "--certificate", wanted]) == 0
        assert json.loads(capsys.readouterr().out) == first
    assert run(["--home", str(home), "erase", "--list"]) == 0
    out = capsys.readouterr().out
    assert first["id"] in out
    assert "clean" in out
    assert run(["--home", str(home), "erase", id, "--yes"]) == 0
    assert first["id"] in capsys.readouterr().out
    assert run(["--home", str(home), "--json", "erase", "--list"]) == 0
    assert [each["id"] for each in json.loads(capsys.readouterr().out)["erasures"]] == [first["id"]]


def test_what_is_pending_is_told_and_finished(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORTEX_STORE__SQLITE__BUSY_TIMEOUT_MS", "100")
    id = remembered(home)
    with closing(sqlite3.connect(home / "agents" / "main.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM traces").fetchone()
        assert run(["--home", str(home), "erase", id, "--yes"]) == 1
        assert "not finished" in capsys.readouterr().out
        assert run(["--home", str(home), "status"]) == 0
        assert "not finished" in " ".join(capsys.readouterr().out.split())
        assert run(["--home", str(home), "admin", "verify"]) == 1
        assert "erasure" in capsys.readouterr().out
        assert run(["--home", str(home), "erase", "--finish"]) == 1
        assert "--finish" in capsys.readouterr().out
    assert run(["--home", str(home), "erase", "--finish"]) == 0
    assert "all erasures are finished" in capsys.readouterr().out
    assert run(["--home", str(home), "admin", "verify"]) == 0


@pytest.mark.parametrize("given", [[], ["--list", "--finish"], ["--certificate", "nonsense"]])
def test_what_cannot_be_meant_is_refused(home: Path, given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--home", str(home), "erase", *given]) == 2
    assert capsys.readouterr().err
