"""One damaged row is left out and named, moved to quarantine when asked, and everything else goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cortex.domain.lanes import ANY_STATE, Lane
from cortex.errors import NotFound, RowDamaged, StoreCorrupt, StoreError
from cortex.memory import Cortex
from cortex.ports.store import Filter, Job, JobState, PatchSession, PutJob
from cortex.stores.sqlite import SqliteStore
from cortex.testing import FakeClock, FakeEmbedder, FakeReranker

FILE = Path("agents") / "main.sqlite"
DEPLOY = "The deploy key rotates on Mondays"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def opened(home: Path) -> Iterator[Callable[[], Cortex]]:
    engines: list[Cortex] = []

    def open_() -> Cortex:
        # Closed first: one process has one engine.
        while engines:
            engines.pop().close()
        engines.append(Cortex(home, embedder=FakeEmbedder(32), reranker=FakeReranker(), clock=FakeClock()))
        return engines[0]

    yield open_
    for engine in engines:
        engine.close()


def sql(home: Path, statement: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(home / FILE)) as database:
        found = database.execute(statement, values).fetchall()
        database.commit()
        return found


DAMAGE = {
    "not JSON": "UPDATE traces SET body = substr(body, 5) WHERE body LIKE '%deploy%'",
    "not UTF-8": "UPDATE traces SET body = CAST(replace(body, 'deploy', CAST(x'64ff70' AS TEXT)) AS TEXT)"
    " WHERE body LIKE '%deploy%'",
    "no text at all": "UPDATE traces SET body = 17 WHERE body LIKE '%deploy%'",
    "other words": "UPDATE traces SET body = replace(body, 'Mondays', 'Tuesdays') WHERE body LIKE '%deploy%'",
    "a state nobody knows": 'UPDATE traces SET body = replace(body, \'"text"\', \'"state":"odd","text"\')'
    " WHERE body LIKE '%deploy%'",
}


def _two(engine: Cortex) -> tuple[str, str]:
    return engine.remember(DEPLOY).memory.id, engine.remember("The harbour opens at dawn").memory.id


@pytest.mark.parametrize("damage", DAMAGE)
def test_one_damaged_row_stops_nothing(home: Path, opened: Callable[[], Cortex], damage: str):
    """A damaged row is left out of recall, search, list, export, status and verify, and named by each that can."""
    bad, good = _two(opened())
    opened().flush()
    assert sql(home, "SELECT count(*) FROM traces WHERE body LIKE '%deploy%'") == [(1,)]
    sql(home, DAMAGE[damage])
    engine = opened()
    assert [hit.trace.id for hit in engine.recall("when does the harbour open").hits] == [good]
    found = engine.search("deploy key harbour")
    assert [hit.trace.id for hit in found.hits] == [good]
    assert found.receipt.degraded == ("store:row_damaged",)
    assert [trace.id for trace in engine.list()] == [good]
    assert [line["id"] for line in engine.export(redact=False) if line.get("id") in (good, bad)] == [good]
    status = engine.status()
    assert status["damaged_rows"] == {"traces": 1}
    (trouble,) = [each for each in status["degraded"] if each["what"] == "damaged_rows"]
    assert trouble["fix"] == "run `cortex admin verify --repair`"
    assert "damaged rows" in [check.name for check in engine.doctor() if check.ok is False]
    (finding,) = [each for each in engine.verify() if each.code == "damaged"]
    assert finding.detail.startswith(f"traces {bad}")
    with pytest.raises(RowDamaged, match=bad):
        engine.show(bad)
    engine.consolidate()
    engine.capture([{"role": "user", "content": "I prefer trams over buses"}], session="s1")
    assert engine.erase(good).certificate.erased == (good,)
    assert engine.list(Filter(kinds=None, states=ANY_STATE))


@pytest.mark.parametrize("damage", DAMAGE)
def test_repair_moves_a_damaged_row_to_quarantine_and_the_rest_is_in_order(
    home: Path, opened: Callable[[], Cortex], damage: str
):
    """Its bytes are kept for a person, the ledger says that it was moved, and verify is clean."""
    bad, good = _two(opened())
    opened().flush()
    sql(home, DAMAGE[damage])
    (raw,) = sql(home, "SELECT CAST(body AS BLOB) FROM traces WHERE id = ?", bytes.fromhex(bad.replace("-", "")))[0]
    engine = opened()
    assert all(each.repaired for each in engine.verify(repair=True))
    (left,) = engine.verify()
    assert (left.code, left.repaired) == ("quarantined", True)
    assert bad in left.detail
    assert sql(home, "SELECT source, key, body FROM quarantine") == [("traces", bad, raw)]
    status = engine.status()
    assert (status["damaged_rows"], status["store"]["quarantined"]) == ({}, 1)
    assert [trace.id for trace in engine.list()] == [good]
    assert [event.kind for event in engine.timeline(id=bad).happened[0:1] for event in [event.event]] == ["damaged"]
    with pytest.raises(RowDamaged, match="quarantine"):
        engine.show(bad)
    # It can be erased there too.
    assert engine.erase(bad).certificate.clean
    assert sql(home, "SELECT * FROM quarantine") == []
    with pytest.raises(NotFound):
        engine.show(bad)


def test_a_changed_quarantine_row_is_noticed(home: Path, opened: Callable[[], Cortex]):
    """The ledger commits to what was moved there."""
    _two(opened())
    opened().flush()
    sql(home, DAMAGE["not JSON"])
    list(opened().verify(repair=True))
    sql(home, "UPDATE quarantine SET key = 'another'")
    assert [each.code for each in opened().verify() if not each.repaired] == ["quarantine"]


def test_a_damaged_memory_can_be_written_again(home: Path, opened: Callable[[], Cortex]):
    from cortex.domain.events import EventKind
    from cortex.ports.store import Put

    engine = opened()
    memory = engine.remember(DEPLOY).memory
    engine.flush()
    sql(home, DAMAGE["not JSON"])
    engine = opened()
    engine.context.store.apply(engine.tenant, [Put(memory, EventKind.REVISED)], at=memory.created_at)
    assert engine.get(memory.id) == memory
    assert all(each.repaired for each in engine.verify(repair=True))
    assert engine.search("deploy key").hits[0].trace.id == memory.id


def test_an_earlier_version_that_is_whole_is_spoken_of(home: Path, opened: Callable[[], Cortex]):
    engine = opened()
    bad = engine.remember(DEPLOY).memory.id
    engine.forget(bad)
    engine.flush()
    sql(home, DAMAGE["not JSON"])
    engine = opened()
    with pytest.raises(RowDamaged, match="1 earlier versions of it are whole"):
        engine.show(bad)
    assert any("1 earlier versions are whole" in each.detail for each in engine.verify())
    list(engine.verify(repair=True))
    assert sorted(source for (source,) in sql(home, "SELECT source FROM quarantine")) == ["traces", "versions"]
    assert all(each.repaired for each in engine.verify())


OTHERS = {
    "versions": "UPDATE versions SET body = substr(body, 2)",
    "receipts": "UPDATE receipts SET body = substr(body, 2) WHERE op = 'remember'",
    "sessions": "UPDATE sessions SET state = substr(state, 2) WHERE session = 's9'",
    "jobs": "UPDATE jobs SET payload = substr(payload, 2) WHERE id = 'j1'",
    "events": "UPDATE events SET kind = 'eaten' WHERE position = 1",
    "vectors": "UPDATE vectors SET vector = CAST(substr(vector, 2) AS BLOB) WHERE key = 1",
    "lexicon": "UPDATE lexicon SET terms = CAST(substr(terms, 2) AS BLOB)",
}


@pytest.mark.parametrize("table", OTHERS)
def test_a_damaged_row_of_any_table_stops_nothing_and_is_repaired(home: Path, opened: Callable[[], Cortex], table: str):
    """Versions, receipts, session state, jobs, events, vectors and terms: each read goes on without the bad one."""
    engine = opened()
    bad, good = _two(engine)
    engine.forget(bad)
    engine.recall("when does the harbour open")
    now = engine.context.dependencies.clock.now()
    jobs = [Job(id=f"j{n}", kind="later", key=f"k{n}", due=now, payload={"n": n}) for n in (1, 2)]
    engine.flush()
    engine.context.store.apply(engine.tenant, [PatchSession("s9", {"a": 1}), *map(PutJob, jobs)], at=now)
    engine.close()
    sql(home, OTHERS[table])
    engine = opened()
    assert engine.search("harbour dawn").hits or table in ("lexicon", "vectors")
    assert engine.show(bad).trace.id == bad
    assert {trace.id for trace in engine.list(Filter(states=ANY_STATE))} == {bad, good}
    engine.receipts()
    engine.events()
    engine.status()
    claimed = engine.context.store.claim(engine.tenant, ["later"], now=now, until=now)
    assert claimed is not None
    assert (claimed.id == "j2") == (table == "jobs")
    left = {each.code for each in engine.verify() if not each.repaired}
    assert left
    engine.ingest([{"role": "user", "content": "My cat is called Mimi"}], session="s9")
    engine.flush()
    assert all(each.repaired for each in engine.verify(repair=True)), left
    assert {each.code for each in engine.verify()} <= {"quarantined"}
    engine.remember("Everything goes on")
    assert {each.code for each in engine.verify()} <= {"quarantined"}
    with engine.context.store.view(engine.tenant) as view:
        assert view.jobs(JobState.WAITING) is not None


def test_an_outcome_with_another_sort_gets_the_one_that_it_says(home: Path, opened: Callable[[], Cortex]):
    """S1: the body is whole, so nothing is moved to quarantine"""
    event = {"at": "2026-01-05T09:00:00+00:00", "session": "s1", "type": "decision", "text": "The deploy is on Monday"}
    assert opened().ingest_events([event]).outcomes == 1
    opened().flush()
    sql(home, "INSERT INTO facets (user, scope, lane, kind, trust, label, state) SELECT user, 'elsewhere', lane, kind,"
        " trust, label, state FROM facets")  # fmt: skip
    sql(home, "UPDATE traces SET facet = (SELECT max(id) FROM facets)")
    assert {finding.code for finding in opened().verify(repair=True)} == {"damaged", "columns", "counters"}
    assert opened().verify() == []
    assert [each.scope for each in opened().list(Filter(lanes=frozenset({Lane.OUTCOMES})))] == ["personal"]


def test_a_job_that_is_damaged_is_never_carried_out(home: Path):
    """What it asks for is no longer what was asked."""
    from cortex.domain.scope import Tenant

    now, tenant = FakeClock().now(), Tenant("main", "default")
    with closing(SqliteStore(home / FILE)) as store:
        store.apply(tenant, [PutJob(Job(id="j1", kind="k", key="k", due=now, payload={"erase": "a"}))], at=now)
    sql(home, "UPDATE jobs SET payload = replace(payload, 'a\"}', 'b\"}')")
    with closing(SqliteStore(home / FILE)) as store:
        assert store.claim(tenant, ["k"], now=now, until=now) is None


# --- what SQLite itself cannot read --------------------------------------------------------------


def _broken(home: Path, opened: Callable[[], Cortex], *, backup: bool) -> Path | None:
    engine = opened()
    _two(engine)
    made = engine.backup().backup.path if backup else None
    engine.close()
    (home / FILE).write_bytes(b"SQLite format 3\0" + b"\xa5" * 8_192)
    return made


def test_a_database_that_cannot_be_read_is_told_with_the_newest_good_backup(home: Path, opened: Callable[[], Cortex]):
    """Never "run verify --repair" from `verify --repair`; and the restore it names works."""
    made = _broken(home, opened, backup=True)
    assert made is not None
    for look in (lambda: opened().list(), lambda: opened().verify(repair=True), lambda: opened().recall("harbour")):
        with pytest.raises(StoreError) as told:
            look()
        assert told.value.hint.startswith(f"run `cortex backup restore {made.name}`")
    engine = opened()
    engine.restore_backup(made.name)
    assert len(engine.list()) == 2
    assert all(each.repaired for each in engine.verify())


def test_a_damaged_backup_is_not_the_one_that_is_named_or_restored(home: Path, opened: Callable[[], Cortex]):
    """Its checksums are compared, and not only its pages."""
    engine = opened()
    _two(engine)
    good = engine.backup().backup.path
    engine.context.dependencies.clock.advance(timedelta(days=1))
    newer = engine.backup().backup.path
    engine.close()
    content = newer.read_bytes()
    newer.write_bytes(content.replace(b"on Mondays", b"on Sundays"))
    (home / FILE).write_bytes(b"SQLite format 3\0" + b"\xa5" * 8_192)
    with pytest.raises(StoreError) as told:
        opened().list()
    assert f"cortex backup restore {good.name}`" in told.value.hint
    with pytest.raises(StoreCorrupt, match="rows are not what was written") as told:
        opened().restore_backup("latest")
    assert f"cortex backup restore {good.name}`" in told.value.hint
    opened().restore_backup(good.name)
    assert len(opened().list()) == 2


def test_without_a_good_backup_it_says_what_else_can_be_done(home: Path, opened: Callable[[], Cortex]):
    engine = opened()
    _two(engine)
    made = engine.backup().backup.path
    engine.close()
    for path in (made, home / FILE):
        path.write_bytes(b"SQLite format 3\0" + b"\xa5" * 8_192)
    with pytest.raises(StoreError) as told:
        opened().list()
    assert "there is no good backup" in told.value.hint
    assert "verify --repair" not in told.value.hint


def test_a_memory_with_a_damaged_row_can_still_be_backed_up(home: Path, opened: Callable[[], Cortex]):
    _, good = _two(opened())
    opened().flush()
    sql(home, DAMAGE["other words"])
    engine = opened()
    made = engine.backup().backup.path
    engine.restore_backup(made.name)
    assert [trace.id for trace in opened().list()] == [good]
    assert "damaged" in {each.code for each in opened().verify()}
