"""What was erased stays erased: a backup that is restored, or copied into place by hand, does not bring it back."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from laboratory import opened
from test_erase_interrupted import held

from cortex.memory import Cortex
from cortex.surfaces.cli.app import run
from cortex.testing import FakeClock

SECRET = "My locker in the north hall opens with seven turns"
OTHER = "The tram to the harbour leaves from platform four"
HISTORY = [
    {"role": "user", "content": "I live in Rotterdam near the old harbour."},
    {"role": "assistant", "content": "Noted, near the old harbour."},
]


class Case:
    """A memory that was backed up, and of which something was erased afterwards."""

    def __init__(self, home: Path) -> None:
        self.home, self.clock = home, FakeClock()
        with self.open() as engine:
            ada = engine.bind(user="ada")
            self.theirs = ada.remember(SECRET).memory.id
            self.kept = engine.remember(OTHER).memory.id
            self.memory = engine.remember(SECRET).memory.id
            engine.recall(SECRET)
            captured = engine.capture(HISTORY, session="s1")
            self.turn, self.drawn = captured.turns[0], [memory.id for memory in captured.memories]
            assert self.drawn
            engine.flush()
            self.backup = engine.backup().backup.path
            self.clock.advance(3_600)
            engine.erase(self.memory)
            engine.erase(self.turn)
            self.clock.advance(3_600)

    def open(self) -> Cortex:
        return opened(self.home, clock=self.clock)

    def check(self, engine: Cortex) -> None:
        """Nothing that was erased is back, in whichever way it might be; nothing else was touched."""
        erased = {self.memory, self.turn, *self.drawn}
        assert {trace.id for trace in engine.list(limit=100)}.isdisjoint(erased)
        assert engine.search("Rotterdam harbour locker", min_score=0.0).hits != ()
        past = engine.recall(SECRET, as_of=engine.events()[-1].position)
        for found in (past, engine.search(SECRET, min_score=0.0)):
            assert erased.isdisjoint(hit.trace.id for hit in found.hits)
        assert engine.get(self.kept).text == OTHER
        assert engine.bind(user="ada").get(self.theirs).text == SECRET
        assert self.memory not in json.dumps([receipt.to_json() for receipt in engine.receipts(limit=100)])
        taken = engine.ingest([*HISTORY, {"role": "user", "content": "Where is the harbour?"}], session="s1")
        assert taken.ids[0] is None, "its host's history brought it back"
        engine.run_jobs()
        assert all("Rotterdam" not in trace.text for trace in engine.list(limit=100))
        assert engine.verify() == []
        assert engine.status()["erasures"] == {"pending": []}
        assert held(self.home / "agents", HISTORY[0]["content"]) == []


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path / "home")


def test_a_restored_backup_does_not_bring_back_what_was_erased(case: Case) -> None:
    with case.open() as engine:
        done = engine.restore_backup("latest")
        assert done.kept_out == 2 + len(case.drawn)
        case.check(engine)


def test_nothing_of_it_is_in_the_restored_file_before_anybody_opens_it(case: Case) -> None:
    with case.open() as engine:
        engine.restore_backup(str(case.backup))
    path = case.home / "agents" / "main.sqlite"
    assert held(path.parent, HISTORY[0]["content"]) == []
    with closing(sqlite3.connect(path)) as database:
        said = [json.loads(body)["text"] for (body,) in database.execute("SELECT body FROM traces")]
    assert sorted(said) == sorted([SECRET, OTHER, HISTORY[1]["content"]]), "the first is another user's"


def test_the_command_says_how_much_stays_erased(
    case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    assert run(["--home", str(case.home), "backup", "restore", "latest"]) == 0
    assert f"{2 + len(case.drawn)} that were erased since stay erased" in capsys.readouterr().out
    assert run(["--home", str(case.home), "--json", "list"]) == 0
    out = capsys.readouterr().out
    assert case.kept in out
    assert case.memory not in out


def test_a_backup_copied_into_place_by_hand_does_not_bring_it_back(case: Case) -> None:
    path = case.home / "agents" / "main.sqlite"
    shutil.copyfile(case.backup, path)
    with case.open() as engine:
        case.check(engine)
        assert engine.certificate(case.memory).clean is False, "the backup still holds it"
        assert [each.where for each in engine.certificate(case.memory).remains] == [case.backup.name]


def test_a_restore_can_be_done_again_and_again(case: Case) -> None:
    with case.open() as engine:
        engine.restore_backup(case.backup.name)
        case.clock.advance(60)
        assert engine.restore_backup(case.backup.name).kept_out == 2 + len(case.drawn)
        case.clock.advance(60)
        newer = engine.backup().backup.path
        case.clock.advance(60)
        assert engine.restore_backup(newer.name).kept_out == 0, "it was never in this one"
        case.check(engine)


def test_what_an_operator_imports_again_on_purpose_stays(case: Case) -> None:
    with case.open() as engine:
        line = {"type": "memory", "id": case.memory, "text": SECRET, "created_at": "2026-01-05T09:00:00+00:00"}
        engine.import_([json.dumps(line)])
    with case.open() as engine:
        assert engine.get(case.memory).text == SECRET
        case.clock.advance(60)
        engine.restore_backup(engine.backup().backup.path.name)
        assert engine.get(case.memory).text == SECRET
        assert engine.erase(case.memory).certificate.erased == (case.memory,)


def test_backups_that_hold_it_can_be_rewritten_after_it_was_erased(case: Case) -> None:
    with case.open() as engine:
        case.clock.advance(24 * 60 * 60)
        newer = engine.backup().backup.path
        assert [each.where for each in engine.certificate(case.memory).remains] == [case.backup.name]
        assert engine.erase(case.memory, backups=True).certificate.clean
        assert engine.certificate(case.memory).clean
        assert HISTORY[0]["content"].encode() not in case.backup.read_bytes()
        assert SECRET.encode() in case.backup.read_bytes(), "another user said it too, and keeps it"
        assert newer.exists()
        case.clock.advance(60)
        assert engine.restore_backup(case.backup.name).kept_out == 0, "there is nothing left to keep out"
        case.check(engine)
