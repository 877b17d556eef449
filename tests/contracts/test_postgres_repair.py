"""Rows of a PostgreSQL store that were changed behind its back: noticed, skipped, moved away, rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import ANNA, BORIS, EAST, NORTH, SPACE, Desk, id_, ids, job, memory, turn

import postgres_server
from cortex.domain.vectors import EmbeddingSpace, unit
from cortex.ports.store import Embed, PatchSession, PutJob, Remove, Store
from cortex.stores.relational.code_index import MANY
from store_list import open_store

WIDE = EmbeddingSpace("fake", "sphere", 16)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store("postgresql", tmp_path)
    yield opened
    assert [finding for finding in opened.verify() if not finding.repaired] == []
    opened.close()


@pytest.fixture
def desk(store: Store) -> Desk:
    desk = Desk(store, ANNA)
    desk.put(memory(1), memory(2, "Salt on the pier", attribute="taste", subject="pier"), turn(3, speaker="Zoë"))
    desk.put(memory(2, "Salt on every pier", attribute="taste", subject="pier"))
    desk.put(memory(4, "drawn", source_turns=(id_(3),)))
    desk.apply(Embed(id_(1), SPACE, [EAST, NORTH]), PatchSession("s1", {"count": 1}), PutJob(job(1)))
    Desk(store, BORIS).put(memory(9))
    return desk


@contextmanager
def behind_its_back() -> Iterator[Any]:
    import psycopg

    with psycopg.connect(postgres_server.shared().url(), autocommit=True) as connection:
        connection.execute("SET search_path TO cortex_main, public")
        yield connection


def codes(store: Store, *, repair: bool = False) -> set[str]:
    return {finding.code for finding in store.verify(repair=repair) if not finding.repaired}


DERIVED = {
    "a posting": ("DELETE FROM postings WHERE ctid IN (SELECT ctid FROM postings LIMIT 1)", {"index"}),
    "a posting too many": ('INSERT INTO postings SELECT 7, facet, "user", row FROM postings LIMIT 1', {"index"}),
    "a count of a term": ("UPDATE frequencies SET traces = traces + 1", {"index"}),
    "the lexicon": ("UPDATE lexicon SET length = length + 1", {"lexicon", "counters"}),
    "a counter": ("UPDATE facets SET traces = traces + 1", {"counters"}),
    "a speaker": ("UPDATE speakers SET turns = 5", {"speakers"}),
    "a slot": ("UPDATE traces SET slot = 'other' WHERE slot IS NOT NULL", {"slots"}),
    "a source": ("DELETE FROM sources", {"sources"}),
    "a use": ("UPDATE traces SET uses = 3", {"uses"}),
    "an orphan": ("INSERT INTO accesses VALUES (12345, 1, 1, 1)", {"orphans"}),
    "an owner": ('UPDATE traces SET "user" = "user" + 1', {"owners"}),
    "an owner of a vector": ('UPDATE vectors SET "user" = "user" + 1', {"owners"}),
}


@pytest.mark.parametrize(("statement", "found"), DERIVED.values(), ids=DERIVED)
def test_what_is_derived_is_compared_and_rebuilt(store: Store, desk: Desk, statement: str, found: set[str]) -> None:
    """E20"""
    before = desk.find("harbour salt"), desk.near(EAST)
    assert codes(store) == set()
    with behind_its_back() as connection:
        connection.execute(statement)
    assert codes(store) == found
    assert codes(store, repair=True) == set()
    assert codes(store) == set()
    assert (desk.find("harbour salt"), desk.near(EAST)) == before


DAMAGED = {
    "a text": ("UPDATE traces SET body = replace(body, 'harbour', 'harbor') WHERE row = %s", "traces"),
    "a text that is no JSON": ("UPDATE traces SET body = 'nothing' WHERE row = %s", "traces"),
}


@pytest.mark.parametrize(("statement", "table"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_trace_is_skipped_and_moved_away(store: Store, desk: Desk, statement: str, table: str) -> None:
    """B16"""
    with behind_its_back() as connection:
        (row,) = connection.execute("SELECT min(row) FROM traces").fetchone()
        connection.execute(statement, (row,))
    with desk.view() as view:
        assert ids(view.load([id_(1), id_(2)])) == [id_(2)]
        assert [skipped.key for skipped in view.skipped] == [id_(1)]
        assert "damaged" in (view.damage(id_(1)) or "")
    assert store.damaged(ANNA) == {table: 1}
    assert "damaged" in codes(store)
    assert codes(store, repair=True) == set()
    with desk.view() as view:
        assert "quarantine" in (view.damage(id_(1)) or "")
    assert store.damaged(ANNA) == {}
    desk.put(memory(1, "The harbour opens again"))
    assert ids(desk.find("harbour again")) == [id_(1), id_(3)]


def test_a_damaged_trace_can_be_removed_without_a_repair(store: Store, desk: Desk) -> None:
    with behind_its_back() as connection:
        connection.execute("UPDATE traces SET body = 'nothing' WHERE thread IS NOT NULL")
    desk.apply(Remove(id_(3)))
    assert codes(store) == set()
    assert ids(desk.find("harbour")) == [id_(1)]


def test_a_damaged_version_session_and_job_are_moved_away(store: Store, desk: Desk) -> None:
    """B16"""
    with behind_its_back() as connection:
        connection.execute("UPDATE versions SET body = replace(body, 'pier', 'pear')")
        connection.execute("UPDATE sessions SET state = '{}'")
        connection.execute("UPDATE jobs SET payload = '{\"a\":1}'")
    assert store.damaged(ANNA) == {"versions": 1, "sessions": 1, "jobs": 1}
    assert codes(store) == {"damaged"}
    assert codes(store, repair=True) == set()
    assert len(desk.load(id_(2))) == 1


@pytest.mark.parametrize("change", ["subject = 'x'", "commitment = '\\x00'", "seal = '\\x00'", "actor = 'x'"])
def test_an_event_changed_behind_the_back_of_the_store_breaks_the_chain(store: Store, desk: Desk, change: str) -> None:
    """E19: and no other user's"""
    with behind_its_back() as connection:
        connection.execute(
            f"UPDATE events SET {change} WHERE position = 2 AND \"user\" = (SELECT id FROM users WHERE name = 'anna')"
        )
    found = [finding for finding in store.verify() if finding.code == "chain"]
    assert found
    assert all("anna" in finding.detail for finding in found)
    assert codes(store, repair=True) == set()
    assert desk.position > 2


def test_damaged_vectors_and_codes_are_noticed_and_rebuilt(store: Store, desk: Desk) -> None:
    """E20"""
    matrix = np.random.default_rng(3).normal(size=(MANY + 5, WIDE.dimension)).astype(np.float32)
    many = [memory(100 + number, "berth") for number in range(len(matrix))]
    desk.put(*many)
    desk.apply(*(Embed(trace.id, WIDE, [vector]) for trace, vector in zip(many, matrix, strict=True)))
    with desk.view() as view:
        before = view.nearest(unit(matrix[0]), WIDE, _everything(), 20)
    with behind_its_back() as connection:
        connection.execute("DELETE FROM codes WHERE seq IN (SELECT seq FROM codes LIMIT 3)")
    assert codes(store) == {"codes"}
    assert codes(store, repair=True) == set()
    with desk.view() as view:
        assert view.nearest(unit(matrix[0]), WIDE, _everything(), 20) == before
    with behind_its_back() as connection:
        connection.execute("UPDATE vectors SET vector = (SELECT vector FROM vectors v WHERE v.key = vectors.key + 1)"
                           " WHERE key = (SELECT max(key) - 1 FROM vectors)")  # fmt: skip
    assert "vectors" in codes(store)
    assert codes(store, repair=True) == set()


def _everything() -> Any:
    from cortex.ports.store import Filter

    return Filter()


def test_another_process_forgets_the_names_it_knew_once_a_repair_was_done(
    store: Store, desk: Desk, tmp_path: Path
) -> None:
    """A space whose name is damaged is taken out: its number must not be used again."""
    with behind_its_back() as connection:
        connection.execute("UPDATE spaces SET key = 'damaged'")
    other = open_store("postgresql", tmp_path)
    assert codes(other, repair=True) == set()
    other.close()
    desk.apply(Embed(id_(1), SPACE, [EAST, NORTH]))
    assert ids(desk.near(EAST)) == [id_(1)]
