"""Erasing for good: nothing is left in any row, index, cache or log; the certificate says what stands elsewhere."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from backends import BACKENDS
from laboratory import by_rows, opened, texts

from cortex.capture import statements
from cortex.capture.candidate import Candidate
from cortex.domain import erasure
from cortex.domain.events import EventKind
from cortex.domain.lanes import ANY_STATE
from cortex.domain.turn import Turn
from cortex.errors import InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.testing import FakeClock

SECRET = "My locker in the north hall opens with seven turns"
OTHER = "The tram to the harbour leaves from platform four"
HISTORY = [
    {"role": "user", "content": "I live in Rotterdam near the old harbour."},
    {"role": "assistant", "content": "Noted, near the old harbour."},
]


@pytest.fixture(params=BACKENDS)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cortex]:
    with opened(tmp_path / "home", request.param, embedding={"cache_entries": 1_000}) as made:
        yield made


def held(home: Path, text: str) -> list[str]:
    """The files under `home` that hold the bytes of `text`, however it is written."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if any(form in path.read_bytes() for form in erasure.sought(text))]


def test_what_is_erased_is_in_no_file_and_cannot_be_recalled(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with opened(home, embedding={"cache_entries": 1_000}) as engine:
        kept = engine.remember(OTHER).memory
        gone = engine.remember(SECRET, tags=("locker",)).memory
        assert texts(engine.recall("which locker opens with seven turns?"))[0] == SECRET
        engine.flush()
        assert held(home, SECRET) != []
        done = engine.erase(gone.id)
        assert done.certificate.clean, done.certificate
        assert done.certificate.erased == (gone.id,)
        assert held(home, SECRET) == []
        assert SECRET not in texts(engine.search("which locker opens with seven turns?"))
        with pytest.raises(NotFound):
            engine.get(gone.id)
        assert engine.get(kept.id).text == OTHER
        assert engine.verify() == []
        assert SECRET not in json.dumps(done.certificate.to_json())


def test_every_version_goes(engine: Cortex) -> None:
    first = engine.remember(SECRET).memory
    page = engine.export_markdown()[0].text
    engine.import_markdown(page.replace("seven turns", "eleven turns"))
    done = engine.erase(first.id)
    assert done.certificate.texts == 2
    assert by_rows(done.certificate).clean
    assert engine.events()[-1].kind is EventKind.ERASED
    assert engine.recall(SECRET, as_of=done.certificate.position - 1).hits == ()


def test_receipts_keep_their_shape_and_lose_what_they_named(engine: Cortex) -> None:
    gone = engine.remember(SECRET).memory
    asked = engine.recall(SECRET).receipt
    assert gone.id in json.dumps(engine.receipt(asked.id).facts)
    engine.erase(gone.id)
    facts = engine.receipt(asked.id).facts
    assert gone.id not in json.dumps(facts)
    assert facts["returned"][0]["id"] == erasure.NOBODY
    with pytest.raises(InvalidRequest, match="was not kept"):
        engine.replay(asked.id)


def test_memories_drawn_from_a_turn_go_with_it(engine: Cortex) -> None:
    captured = engine.capture(HISTORY, session="s1")
    assert captured.memories
    done = engine.erase(captured.turns[0])
    assert set(done.certificate.derived) == {memory.id for memory in captured.memories}
    assert engine.stats().by_lane == {"sessions": 1}


def test_the_turns_of_a_memory_stay_and_are_named_unless_asked_for(engine: Cortex) -> None:
    captured = engine.capture(HISTORY, session="s1")
    memory = captured.memories[0]
    done = engine.erase(memory.id)
    assert done.certificate.sources_left == memory.source_turns
    again = engine.capture([*HISTORY, {"role": "user", "content": "My cat is called Otto."}], session="s1")
    done = engine.erase(again.memories[0].id, sources=True)
    assert done.certificate.sources_left == ()
    assert set(again.memories[0].source_turns) <= set(done.certificate.erased)


def test_an_erased_turn_does_not_come_back_when_its_history_is_told_again(engine: Cortex) -> None:
    captured = engine.capture(HISTORY, session="s1")
    engine.erase(captured.turns[0])
    later = [*HISTORY, {"role": "user", "content": "Where is the harbour?"}]
    taken = engine.ingest(later, session="s1")
    assert [id is not None for id in taken.ids] == [False, False, True]
    assert taken.receipt.facts["skipped"]["erased"] == 1
    engine.run_jobs()
    assert all("Rotterdam" not in trace.text for trace in engine.list(limit=100))
    # Said anew elsewhere, it is something new.
    assert engine.ingest(HISTORY, session="s2").ids[0] is not None


def test_erasing_the_shortest_word_leaves_the_marks_of_other_lines(engine: Cortex) -> None:
    """Marks are letters and digits: to cut out whatever has a 7 in it would bring back lines erased before."""
    said = [*HISTORY, {"role": "user", "content": "7"}, {"role": "user", "content": "a"}]
    taken = engine.ingest(said, session="s1")
    for id in (taken.ids[0], taken.ids[2], taken.ids[3]):
        engine.erase(str(id))
    assert [id is not None for id in engine.ingest(said, session="s1").ids] == [False] * 4
    assert engine.stats().total == 1


def test_what_still_says_the_same_is_named(engine: Cortex) -> None:
    gone = engine.remember(SECRET).memory
    twin = engine.remember(f"{SECRET}, said the porter").memory
    certificate = by_rows(engine.erase(gone.id).certificate)
    assert [remain.where for remain in certificate.remains] == [twin.id]
    assert not certificate.clean
    assert by_rows(engine.erase(twin.id).certificate).clean


def test_another_users_memory_of_the_same_text_is_neither_touched_nor_told_of(engine: Cortex) -> None:
    other = engine.bind(user="ada")
    theirs = other.remember(SECRET).memory
    gone = engine.remember(SECRET).memory
    with pytest.raises(NotFound):
        engine.erase(theirs.id)
    assert by_rows(engine.erase(gone.id).certificate).clean
    assert other.get(theirs.id).text == SECRET


def test_a_backup_that_holds_it_is_named_and_rewritten_where_that_is_asked(tmp_path: Path) -> None:
    """E21"""
    clock = FakeClock()
    with opened(tmp_path / "home", clock=clock) as engine:
        gone = engine.remember(SECRET).memory
        backup = engine.backup().backup.path
        assert [each.where for each in engine.erase(gone.id).certificate.remains] == [backup.name]
        assert backup.exists()
        clock.advance(timedelta(days=1))
        again = engine.remember(SECRET).memory
        other = engine.remember("The ferry leaves at nine").memory
        later = engine.backup().backup.path
        assert engine.erase(again.id, backups=True).certificate.clean
        assert SECRET.encode() not in later.read_bytes()
        assert engine.erase(gone.id, backups=True).certificate.clean
        assert SECRET.encode() not in backup.read_bytes()
        clock.advance(5)
        engine.restore_backup(later.name)
        assert [trace.id for trace in engine.list()] == [other.id]


def test_a_damaged_backup_that_holds_it_is_removed(tmp_path: Path) -> None:
    """E21: nothing can be restored from it, and it would keep what was to be erased"""
    with opened(tmp_path / "home") as engine:
        gone = engine.remember(SECRET).memory
        backup = engine.backup().backup.path
        with backup.open("r+b") as file:
            file.seek(4_096)
            file.write(bytes(8_192))
        engine.erase(gone.id, backups=True)
        assert not backup.exists() or SECRET.encode() not in backup.read_bytes()


def test_a_followed_file_that_says_it_is_cited_and_left_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text(f"# Places\n\n{SECRET}.\n", encoding="utf-8")
    with opened(tmp_path / "home") as engine:
        engine.index(notes)
        gone = engine.remember(SECRET).memory
        (remain,) = engine.erase(gone.id).certificate.remains
        assert "MEMORY.md" in remain.where
        chunk = next(hit.trace for hit in engine.search(SECRET).hits)
        with pytest.raises(InvalidRequest, match="lines of a file"):
            engine.erase(chunk.id)


def test_a_reader_that_began_before_is_told_of(tmp_path: Path) -> None:
    with opened(tmp_path / "home", store={"sqlite": {"busy_timeout_ms": 200}}) as engine:
        gone = engine.remember(SECRET).memory
        path = engine.status()["store"]["path"]
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM traces").fetchone()
            assert not engine.erase(gone.id).certificate.compacted
        assert engine.context.store.compact()


@pytest.mark.parametrize("ids", [(), ("nonsense",), ("0190b0c0-0000-7000-8000-000000000000",)])
def test_bad_ids_are_refused_and_change_nothing(engine: Cortex, ids: tuple[str, ...]) -> None:
    kept = engine.remember(SECRET).memory
    with pytest.raises((InvalidRequest, NotFound)):
        engine.erase(*([kept.id] if ids else []), *ids)
    assert engine.get(kept.id).text == SECRET


@pytest.mark.parametrize("text", ["Zürich 東京 מפתח 🔑 ключ под ковриком", 'a "quoted" line\nand \\ another', "kurz"])
def test_any_text_is_found_however_it_is_written(tmp_path: Path, text: str) -> None:
    home = tmp_path / "home"
    with opened(home) as engine:
        gone = engine.remember(text).memory
        certificate = engine.erase(gone.id).certificate
        assert certificate.clean
        assert certificate.too_short == (text == "kurz")
        assert held(home, text) == []


def test_what_was_to_be_told_at_the_next_turn_goes_too(tmp_path: Path) -> None:
    """C10: a synthesis for the next turn, and the job that makes it, hold what was said"""
    home = tmp_path / "home"
    with opened(home) as engine:
        gone = engine.remember(SECRET).memory
        hooks = engine.hooks()
        asked = "which of my lockers opens with seven turns, the one in the north hall?"
        assert hooks.before(asked, session="s1").block
        hooks.flush()
        engine.flush()
        engine.run_jobs()
        hooks.before(SECRET, session="s2")
        hooks.flush()
        engine.flush()
        assert engine.erase(gone.id).certificate.clean
        assert held(home, SECRET) == []


def test_what_is_acknowledged_after_an_erase_is_there_whoever_else_opens_and_closes_the_file(tmp_path: Path) -> None:
    """Looking through the bytes of the file must not cost this process the locks that SQLite holds on it"""
    home = tmp_path / "home"
    look = f"from cortex import Cortex; e = Cortex({str(home)!r}); print([t.text for t in e.list()]); e.close()"
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "CORTEX_EMBEDDING__PROVIDER": "none"}

    def seen_by_another() -> str:
        return subprocess.run(
            [sys.executable, "-c", look], capture_output=True, text=True, check=True, env=variables
        ).stdout

    with opened(home) as engine:
        assert engine.erase(engine.remember(SECRET).memory.id).certificate.clean
        seen_by_another()  # the last one to close the file takes the log away, and this was not the last
        engine.remember(OTHER)
        assert OTHER in seen_by_another()


def test_nothing_is_drawn_from_a_turn_that_is_erased_meanwhile(engine: Cortex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that had read the turn before it was erased decides anew"""
    said = "My locker in the north hall opens with seven turns, remember that."
    turn = engine.ingest([{"role": "user", "content": said}], session="s1", debounce=False).ids[0]
    assert turn is not None
    find = statements.candidates

    def find_while_it_is_erased(turns: Sequence[Turn], *_: object, **__: object) -> list[Candidate]:
        found = find(turns)
        if found:
            engine.erase(turn)
        return found

    monkeypatch.setattr(statements, "candidates", find_while_it_is_erased)
    assert not engine.run_jobs().facts["failed"]
    assert engine.list(Filter(states=ANY_STATE)) == []
    assert engine.next_due() is None
    engine.finish_erasures()  # the work was still reading when its turn was erased
    assert engine.verify() == []


def test_what_a_database_server_keeps_beside_its_rows_is_named(open_engine: Callable[..., Cortex]) -> None:
    """Log archives, standbys and base backups cannot be searched from here."""
    engine = open_engine("postgresql")
    certificate = engine.erase(engine.remember(SECRET).memory.id).certificate
    assert [remain.fix for remain in certificate.remains] == ["see to its log archives, standbys and base backups"]
    assert not certificate.clean
    assert by_rows(certificate).clean
