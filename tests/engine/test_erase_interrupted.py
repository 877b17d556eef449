"""An erasure that is killed at any of its steps is finished by the next open; with a reader in the way, later."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from laboratory import opened, texts

import forking
from cortex.domain import erasure
from cortex.errors import InvalidRequest, NotFound, StoreBusy
from cortex.memory import Cortex
from cortex.testing import FakeClock, FakeEmbedder

SCRIPT = Path(__file__).with_name("erase_process.py")
SECRET = "My locker in the north hall opens with seven turns"
OTHER = "The tram to the harbour leaves from platform four"
HISTORY = [
    {"role": "user", "content": f"{SECRET}. Please remember: I live in Rotterdam near the old harbour."},
    {"role": "assistant", "content": "Noted, near the old harbour."},
]
CACHED = {"cache_entries": 1_000}


def held(home: Path, *sought: str) -> list[str]:
    """The files under `home` that hold the bytes of one of these texts, however it is written."""
    forms = [form for text in sought for form in erasure.sought(text)]
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if any(form in path.read_bytes() for form in forms)]


def filled(home: Path, *, backup: bool = False) -> str:
    """A memory in which something was said, drawn from, asked for and answered; gives the turn to erase."""
    with opened(home, embedding=CACHED) as engine:
        engine.remember(OTHER)
        engine.bind(user="ada").remember("Ada keeps the key of the boathouse under the third stone")
        turn = engine.capture(HISTORY, session="s1").turns[0]
        engine.recall(SECRET)
        if backup:
            engine.backup()
        engine.flush()
    assert held(home, SECRET)
    return turn


def killed(home: Path, id: str, *points: object, verb: str = "erase") -> str:
    """Erase in a copy of the home for each point, and be killed there; gives what was printed."""
    done = forking.run([SCRIPT, verb, home, id, *map(str, points)])
    assert done.returncode == 0, done.stderr
    return done.stdout


def sound(home: Path, id: str) -> bool:
    """Whether what was erased is gone wherever it was; else it must be there as if nothing had been asked for."""
    vector = FakeEmbedder(256).embed_query(SECRET).tobytes()
    with opened(home, embedding=CACHED) as engine:
        is_there = any(trace.id == id for trace in engine.list(limit=100))
        if is_there:
            assert engine.get(id).text.startswith(SECRET)
            assert SECRET in "".join(texts(engine.search(SECRET)))
        else:
            assert held(home / "agents", SECRET, HISTORY[0]["content"]) == []
            assert all(vector not in path.read_bytes() for path in home.rglob("embeddings*"))
            assert engine.ingest(HISTORY, session="s1").ids[0] is None, "its host's history brought it back"
            certificate = engine.certificate(id)
            assert {each.what for each in certificate.remains} <= {"a backup holds it"}, certificate
            assert certificate.clean or certificate.remains, certificate
            assert certificate == engine.erase(id).certificate
            assert SECRET not in str([each.to_json() for each in engine.erasures()])
        assert engine.verify() == []
        assert engine.status()["erasures"] == {"pending": []}
        assert [trace.text for trace in engine.list() if trace.text == OTHER] == [OTHER]
        assert engine.bind(user="ada").stats().total == 1
    assert not [path for path in home.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    return not is_there


def check_kills(home: Path, points: Sequence[object], id: str, verb: str = "erase") -> list[bool]:
    killed(home, id, *points, verb=verb)
    found = []
    for point in points:
        copied = Path(f"{home}-{point}")
        found.append(sound(copied, id))
        shutil.rmtree(copied)
    return found


def test_an_erasure_that_is_killed_on_its_way_is_finished_by_the_next_open(tmp_path: Path) -> None:
    home = tmp_path / "home"
    id = filled(home)
    steps = int(killed(home, id, "count"))
    assert steps > 30
    points = random.Random(20_261_116).sample(range(1, steps), 1)
    found = check_kills(home, [*sorted(points), steps, "vacuum"], id)
    assert found == sorted(found), "from some step on, it is always finished"
    assert found[-2:] == [True, True]


@pytest.mark.slow
def test_whoever_finishes_it_or_restores_a_backup_can_be_killed_as_well(tmp_path: Path) -> None:
    home = tmp_path / "home"
    id = filled(home, backup=True)
    points = random.Random(20_261_117)
    pending = home.with_name("home-60")
    killed(home, id, 60)
    assert list(pending.glob("agents/main.erasures/*.pending"))
    steps = int(killed(pending, id, "count", verb="open"))
    assert all(check_kills(pending, points.sample(range(1, steps + 1), 1), id, "open"))
    with opened(pending, embedding=CACHED):
        pass
    steps = int(killed(pending, id, "count", verb="restore"))
    assert all(check_kills(pending, points.sample(range(1, steps + 1), 1), id, "restore"))


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["erase", "open", "restore"])
def test_it_can_be_killed_at_every_step(tmp_path: Path, verb: str) -> None:
    home = tmp_path / "home"
    id = filled(home, backup=verb == "restore")
    if verb != "erase":
        killed(home, id, 60)
        home = home.with_name("home-60")
    steps = int(killed(home, id, "count", verb=verb))
    runs = [range(first, min(first + 20, steps + 1)) for first in range(1, steps + 1, 20)]
    found = [each for some in runs for each in check_kills(home, some, id, verb)]
    assert found == sorted(found)
    assert found[-1]


def reading(path: str | Path) -> sqlite3.Connection:
    """Somebody who has begun to read, and keeps the pages of that moment."""
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM traces").fetchone()
    return reader


def waiting(home: Path, clock: FakeClock | None = None) -> Cortex:
    return opened(home, clock=clock, store={"sqlite": {"busy_timeout_ms": 100}})


def test_with_a_reader_in_the_way_it_says_so_and_finishes_by_itself_later(tmp_path: Path) -> None:
    home, clock = tmp_path / "home", FakeClock()
    with waiting(home, clock) as engine:
        gone = engine.remember(SECRET).memory
        with closing(reading(engine.status()["store"]["path"])):
            certificate = engine.erase(gone.id).certificate
            assert "reading" in certificate.pending
            assert not certificate.clean
            told = engine.status()
            assert [each["id"] for each in told["erasures"]["pending"]] == [certificate.id]
            assert any(each["what"] == "erasing" and "--finish" in each["fix"] for each in told["degraded"])
            assert [each.code for each in engine.verify()] == ["erasure"]
            assert any(each.name == "erasing" and each.ok is None for each in engine.doctor())
            assert engine.run_due() <= clock.now() + timedelta(minutes=1)
            assert engine.certificate(gone.id).pending, "the reader is still there"
        engine.run_due()
        assert engine.certificate(gone.id).clean
        assert engine.certificate(certificate.id).clean
        assert held(home, SECRET) == []
        assert engine.verify() == []


def test_what_a_reader_held_up_is_finished_by_the_next_open_or_by_hand(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with waiting(home) as engine:
        first, second = engine.remember(SECRET).memory, engine.remember(OTHER).memory
        path = engine.status()["store"]["path"]
        reader = reading(path)
        engine.erase(first.id)
    with waiting(home) as engine:
        assert engine.certificate(first.id).pending
        reader.close()
        assert engine.finish_erasures() == []
        assert held(home, SECRET) == []
        with closing(reading(path)):
            engine.erase(second.id)
    with waiting(home) as engine:
        assert engine.certificate(second.id).clean
        assert held(home, OTHER) == []


def test_an_erasure_of_another_user_is_finished_too_and_not_told_of(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with waiting(home) as engine:
        ada = engine.bind(user="ada")
        gone = ada.remember(SECRET).memory
        with closing(reading(engine.status()["store"]["path"])):
            certificate = ada.erase(gone.id).certificate
        assert certificate.pending
        assert engine.status()["erasures"] == {"pending": []}
        assert engine.finish_erasures() == []
        assert ada.certificate(gone.id).clean
        assert engine.erasures() == []
        for id in (gone.id, certificate.id):
            with pytest.raises(NotFound):
                engine.certificate(id)


def test_repairing_finishes_an_erasure(tmp_path: Path) -> None:
    with waiting(tmp_path / "home") as engine:
        gone = engine.remember(SECRET).memory
        with closing(reading(engine.status()["store"]["path"])):
            engine.erase(gone.id)
        (finding,) = engine.verify(repair=True)
        assert (finding.code, finding.repaired) == ("erasure", True)
        assert engine.verify() == []


def test_what_was_erased_before_is_answered_with_its_certificate(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as engine:
        first, second = engine.remember(SECRET).memory, engine.remember(OTHER).memory
        third = engine.remember("The lighthouse keeper plays chess by letter").memory
        done = engine.erase(first.id)
        again = engine.erase(first.id)
        assert again.certificate == done.certificate
        assert again.receipt.facts["erased"] == 0
        both = engine.erase(first.id, second.id)
        assert both.certificate.erased == (second.id,)
        assert both.earlier == (done.certificate.id,)
        assert engine.erase(first.id, second.id).earlier == (done.certificate.id,)
        assert [each.id for each in engine.erasures()] == [done.certificate.id, both.certificate.id]
        with pytest.raises(NotFound):
            engine.erase(first.id, "0190b0c0-0000-7000-8000-00000000ffff")
        assert engine.get(third.id) == third


def test_what_is_edited_while_it_is_erased_goes_as_it_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, edited = tmp_path / "home", SECRET.replace("seven", "eleven")
    with opened(home) as engine:
        gone = engine.remember(SECRET).memory
        page = engine.export_markdown()[0].text
        store = engine.context.dependencies.store("main")
        note = store.record_erasure

        def once(planned: erasure.Erasure) -> None:
            monkeypatch.setattr(store, "record_erasure", note)
            note(planned)
            engine.import_markdown(page.replace(SECRET, edited))

        monkeypatch.setattr(store, "record_erasure", once)
        certificate = engine.erase(gone.id).certificate
        assert certificate.texts == 2
        assert certificate.clean
        assert held(home, SECRET, edited) == []
        assert [each.id for each in engine.erasures()] == [certificate.id]


def test_many_erase_and_remember_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened(home) as engine:
        gone = [engine.remember(f"{SECRET}, times {number}").memory.id for number in range(6)]
        with ThreadPoolExecutor(6) as pool:
            kept = pool.map(lambda number: engine.remember(f"{OTHER}, track {number}").memory.id, range(6))
            certificates = list(pool.map(lambda id: engine.erase(id).certificate, gone))
        assert sorted(id for each in certificates for id in each.erased) == sorted(gone)
        assert engine.finish_erasures() == []
        assert {trace.id for trace in engine.list(limit=100)} == set(kept)
        assert held(home, SECRET) == []
        assert engine.verify() == []


def test_one_that_is_under_way_elsewhere_is_left_alone_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waiting(tmp_path / "home") as engine:
        gone = engine.remember(SECRET).memory
        with closing(reading(engine.status()["store"]["path"])):
            engine.erase(gone.id)
        monkeypatch.setattr("cortex.services.erasure.WAIT_SECONDS", 0.05)
        with engine.context.store.erasure_lock(0) as ours:
            assert ours
            assert [each.id for each in engine.finish_erasures()] == [engine.certificate(gone.id).id]
            with pytest.raises(StoreBusy, match="another erasure"):
                engine.erase(gone.id)
        assert engine.erase(gone.id).certificate.clean


def test_a_log_that_cannot_be_read_is_told_and_stops_nothing_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened(home) as engine:
        gone, kept = engine.remember(SECRET).memory, engine.remember(OTHER).memory
        engine.erase(gone.id)
    (log,) = home.glob("agents/main.erasures/*.json")
    log.write_text("{", encoding="utf-8")
    with opened(home) as engine:
        assert engine.get(kept.id).text == OTHER
        assert engine.erasures() == []
        (finding,) = engine.verify(repair=True)
        assert log.name in finding.detail
        assert not finding.repaired
        with pytest.raises(InvalidRequest):
            engine.certificate("nonsense")
