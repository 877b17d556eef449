"""What was erased stays erased where a PostgreSQL server is restored to a state before that: its hosts remember."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from laboratory import opened

import postgres_server
from cortex.memory import Cortex
from cortex.stores.postgres import erasure_marks
from cortex.surfaces.cli.app import run
from cortex.testing import FakeClock
from postgres_server import OWNER

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())

SECRET = "My locker in the north hall opens with seven turns"
OTHER = "The tram to the harbour leaves from platform four"
HISTORY = [
    {"role": "user", "content": "I live in Rotterdam near the old harbour."},
    {"role": "assistant", "content": "Noted, near the old harbour."},
]


class Case:
    """A memory on a server that was dumped, and of which something was erased afterwards."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database, self.clock = folder, database, FakeClock()
        self.url = postgres_server.shared().admit(database)
        self.home = folder / "home"
        with self.open() as engine:
            self.theirs = engine.bind(user="ada").remember(SECRET).memory.id
            self.kept = engine.remember(OTHER).memory.id
            self.memory = engine.remember(SECRET).memory.id
            engine.recall(SECRET)
            captured = engine.capture(HISTORY, session="s1")
            self.turn, self.drawn = captured.turns[0], [memory.id for memory in captured.memories]
            assert self.drawn
            engine.flush()
            self._dump()
            self.clock.advance(3_600)
            self.backup = engine.backup().backup.path
            self.clock.advance(3_600)
            engine.erase(self.memory)
            engine.erase(self.turn)
            self.clock.advance(3_600)

    @property
    def erased(self) -> set[str]:
        return {self.memory, self.turn, *self.drawn}

    def open(self, home: str = "home") -> Cortex:
        return opened(self.folder / home, clock=self.clock, store={"url": self.url})

    def _dump(self) -> None:
        """As the role that owns the schema, the way the documentation has it."""
        command = ["pg_dump", "--enable-row-security", "--schema", "cortex_main", "--format", "custom"]
        self._run(*command, "--file", str(self.folder / "dump"), self.url, PGOPTIONS="-c cortex.everyone=on")

    def restore(self) -> None:
        """Nobody is let in meanwhile."""
        with self.administrator() as connection:
            connection.execute(f"REVOKE CONNECT ON DATABASE {self.database} FROM PUBLIC, {OWNER}")
            sessions = (
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s AND usename = %s"
            )
            connection.execute(sessions, (self.database, OWNER)).fetchall()
            connection.execute("DROP SCHEMA cortex_main CASCADE")
            administrator = postgres_server.shared().url(self.database)
            self._run("pg_restore", "--dbname", administrator, str(self.folder / "dump"))
            connection.execute(f"GRANT CONNECT ON DATABASE {self.database} TO PUBLIC")

    def _run(self, program: str, *arguments: str, **environment: str) -> None:
        command = [str(postgres_server.programs() / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
        assert done.returncode == 0, done.stderr

    @contextmanager
    def administrator(self) -> Iterator[Any]:
        import psycopg

        with psycopg.connect(postgres_server.shared().url(self.database), autocommit=True) as connection:
            connection.execute("SET search_path TO cortex_main, public")
            yield connection

    def is_back(self) -> bool:
        """Whether the rows of the server say it, apart from Ada's."""
        with self.administrator() as connection:
            rows = connection.execute(
                'SELECT t.body FROM traces t JOIN users u ON u.id = t."user" WHERE u.name <> %s', ("ada",)
            ).fetchall()
        return any(SECRET in body or "Rotterdam" in body for (body,) in rows)

    def check(self, engine: Cortex) -> None:
        """Nothing that was erased is back, in whichever way it might be; nothing else was touched."""
        assert {trace.id for trace in engine.list(limit=100)}.isdisjoint(self.erased)
        past = engine.recall(SECRET, as_of=engine.events()[-1].position)
        for found in (past, engine.search(SECRET, min_score=0.0)):
            assert self.erased.isdisjoint(hit.trace.id for hit in found.hits)
        assert not self.is_back()
        assert engine.get(self.kept).text == OTHER
        assert engine.bind(user="ada").get(self.theirs).text == SECRET
        assert self.memory not in json.dumps([receipt.to_json() for receipt in engine.receipts(limit=100)])
        taken = engine.ingest([*HISTORY, {"role": "user", "content": "Where is the harbour?"}], session="s1")
        assert taken.ids[0] is None, "its host's history brought it back"
        engine.run_jobs()
        assert all("Rotterdam" not in trace.text for trace in engine.list(limit=100))
        assert engine.verify() == []
        assert engine.status()["erasures"] == {"pending": []}
        assert set(engine.certificate(self.memory).erased) == {self.memory}


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    import psycopg

    server, name = postgres_server.shared(), f"restored_{os.getpid()}_{time.monotonic_ns()}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield Case(tmp_path, name)
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_restored_server_does_not_bring_back_what_was_erased(case: Case) -> None:
    case.restore()
    assert case.is_back()
    with case.open() as engine:
        case.check(engine)


def test_a_server_restored_under_a_running_process_does_not_either(case: Case) -> None:
    with case.open() as engine:
        assert engine.search(OTHER, min_score=0.0).hits
        case.restore()
        assert case.erased.isdisjoint(hit.trace.id for hit in engine.search(SECRET, min_score=0.0).hits)
        engine.finish_erasures()
        case.check(engine)


def test_a_host_remembers_what_another_has_erased(case: Case) -> None:
    with case.open("another") as engine:
        assert engine.list()
    case.restore()
    with case.open("another") as engine:
        case.check(engine)


def test_it_can_be_restored_again_and_again(case: Case) -> None:
    for _ in range(2):
        case.restore()
        with case.open() as engine:
            case.check(engine)


def test_a_host_keeps_no_word_of_what_was_erased(case: Case) -> None:
    files = list((case.home / erasure_marks.FOLDER).glob("*.json"))
    assert len(files) == 1
    assert case.memory in files[0].read_text()
    assert "locker" not in files[0].read_text()
    assert "Rotterdam" not in files[0].read_text()
    assert files[0].stat().st_mode & 0o077 == 0


def test_a_restored_server_that_cannot_be_written_is_named_until_it_can(case: Case) -> None:
    case.restore()
    with case.administrator() as connection:
        connection.execute(f"ALTER DATABASE {case.database} SET default_transaction_read_only = on")
    with case.open() as engine:
        status = engine.status()
        assert [each["why"] for each in status["erasures"]["pending"]] == [erasure_marks.RESTORED] * 2
        assert erasure_marks.RESTORED in str(status["degraded"])
        assert case.memory in str(engine.erasures())
    with case.administrator() as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(f"ALTER DATABASE {case.database} RESET default_transaction_read_only")
    with case.open() as engine:
        case.check(engine)


def test_what_an_operator_imports_again_on_purpose_stays(case: Case) -> None:
    case.restore()
    with case.open() as engine:
        line = {"type": "memory", "id": case.memory, "text": SECRET, "created_at": "2026-01-05T09:00:00+00:00"}
        engine.import_([json.dumps(line)])
    with case.open() as engine:
        assert engine.get(case.memory).text == SECRET


def test_an_archive_that_is_loaded_into_an_empty_database_does_not_bring_it_back(
    case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with case.administrator() as connection:
        connection.execute("DROP SCHEMA cortex_main CASCADE")
    monkeypatch.setenv("CORTEX_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("CORTEX_STORE__URL", case.url)
    assert run(["--home", str(case.home), "backup", "restore", case.backup.name]) == 0
    assert f"{len(case.erased)} that were erased since stay erased" in capsys.readouterr().out
    with case.open() as engine:
        case.check(engine)


def test_a_damaged_list_of_what_was_erased_keeps_nobody_from_the_memory(case: Case) -> None:
    (path,) = (case.home / erasure_marks.FOLDER).glob("*.json")
    path.write_text("{")
    with case.open() as engine:
        assert engine.get(case.kept).text == OTHER
        assert engine.search(OTHER, min_score=0.0).hits
        (finding,) = engine.verify()
        assert "cannot be read" in finding.detail
