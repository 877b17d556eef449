"""Receipts of reading verbs (E12), the state of sessions (C13), users, missing vectors (C7) and counters (X18)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from cortex.domain.lanes import Lane
from cortex.domain.receipt import Receipt
from cortex.errors import InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.testing import FakeClock, FakeEmbedder


def last(engine: Cortex, op: str) -> Receipt:
    (found,) = engine.receipts(op=op, limit=1)
    return found


def test_reading_verbs_leave_receipts_that_name_what_they_touched(engine: Cortex) -> None:
    """E12"""
    ids = [engine.remember(f"I own boat number {number}", as_new=True).memory.id for number in range(5)]
    engine.list(Filter(lanes=frozenset({Lane.MEMORIES})))
    assert last(engine, "list").facts == {
        "touched": 5, "ids": ids[:3], "filters": {"lanes": ["memories"]}, "limit": 50, "returned": 5,
    }  # fmt: skip
    engine.show(ids[4])
    assert last(engine, "show").facts["ids"] == [ids[4]]
    engine.stats()
    assert last(engine, "stats").facts["total"] == 5
    list(engine.export())
    assert (last(engine, "export").facts["touched"], last(engine, "export").facts["complete"]) == (5, True)
    engine.optimize()
    assert last(engine, "optimize").op == "optimize"
    engine.verify()
    assert last(engine, "verify").facts["findings"] == {}


def test_an_export_that_is_not_read_to_its_end_says_so(engine: Cortex) -> None:
    """E12"""
    for number in range(3):
        engine.remember(f"I own boat number {number}", as_new=True)
    export = engine.export()
    next(export)
    export.close()  # type: ignore[attr-defined]
    assert (last(engine, "export").facts["touched"], last(engine, "export").facts["complete"]) == (1, False)


def test_every_changing_verb_names_the_ids_it_touched(engine: Cortex) -> None:
    """E12"""
    kept = engine.remember("I live in Bergen")
    assert kept.receipt.facts["ids"] == [kept.memory.id]
    assert engine.edit(kept.memory.id, tags=["home"]).receipt.facts["ids"] == [kept.memory.id]
    assert engine.forget(kept.memory.id).receipt.facts["ids"] == [kept.memory.id]
    turns = engine.ingest([{"role": "user", "content": "I own a boat"}], session="s")
    assert turns.receipt.facts["ids"] == list(turns.ids)


def test_an_export_names_who_changed_each_memory_last_and_why(engine: Cortex) -> None:
    """S1"""
    kept = Cortex.over(engine.context.by("cli")).remember("I live in Bergen")
    (line,) = engine.export()
    assert (line["actor"], line["cause"]) == ("cli", kept.receipt.id)
    edited = Cortex.over(engine.context.by("hook")).edit(kept.memory.id, tags=["home"])
    (line,) = engine.export()
    assert (line["actor"], line["cause"]) == ("hook", edited.receipt.id)


def test_the_state_of_a_session_has_four_fields(engine: Cortex, clock: FakeClock) -> None:
    """C13"""
    engine.remember("The ferry leaves at nine")
    engine.hooks().before("When does the ferry leave?", session="s")
    engine.ingest([{"role": "user", "content": "When does the ferry leave?"}], session="s")
    found = engine.session("s")
    assert (found.ingested_at, found.recalled_at) == (clock.now(), clock.now())
    assert (found.facts_injected, found.synthesis) == (1, None)
    engine.ingest([{"role": "user", "content": "Good morning"}], session="t")
    assert [each.session for each in engine.sessions()] == ["s", "t"]
    assert [each.session for each in engine.sessions(after="s")] == ["t"]


def test_what_is_no_session_is_not_found(engine: Cortex) -> None:
    """C13"""
    engine.ingest_events([])
    engine.consolidate()
    for id in ("unknown", "#lifecycle"):
        with pytest.raises(NotFound):
            engine.session(id)
    with pytest.raises(InvalidRequest):
        engine.sessions(limit=0)
    assert not engine.sessions()


def test_the_users_of_an_agent_are_listed(engine: Cortex) -> None:
    """C7"""
    engine.remember("I live in Bergen")
    engine.bind(user="boris").remember("I live in Oslo")
    assert [(each.user, each.traces) for each in engine.users()] == [("boris", 1), ("default", 1)]


def test_a_backfill_of_everyone_embeds_for_all_users(open_engine: Callable[..., Cortex]) -> None:
    """C7"""
    engine = open_engine(embedder=FakeEmbedder(64))
    others = [engine, engine.bind(user="anna"), engine.bind(user="boris")]
    for each in others:
        each.remember("I live in Bergen", embed=False)
    done = engine.backfill(everyone=True)
    assert (done.facts["users"], done.facts["embedded"]) == (3, 3)
    assert [each.status()["vectors"]["lacking"] for each in others] == [0, 0, 0]


def test_background_work_embeds_what_lacks_vectors_after_a_change_of_model(
    open_engine: Callable[..., Cortex], clock: FakeClock
) -> None:
    """C7"""
    with open_engine(embedder=FakeEmbedder(64)) as before:
        for number in range(3):
            before.remember(f"I own boat number {number}", as_new=True)
    engine = open_engine(embedder=FakeEmbedder(32))
    assert engine.status()["vectors"]["lacking"] == 3
    assert engine.run_due() <= clock.now()
    assert engine.status()["vectors"]["lacking"] == 0
    assert engine.run_due() > clock.now()


def test_an_embedder_that_is_away_is_tried_again_later(open_engine: Callable[..., Cortex], clock: FakeClock) -> None:
    """C7"""
    embedder = FakeEmbedder(32)
    engine = open_engine(embedder=embedder)
    engine.remember("I own a boat", embed=False)
    embedder.fail()
    engine.run_due()
    assert engine.status()["vectors"]["lacking"] == 1
    embedder.failure = None
    clock.advance(timedelta(minutes=11))
    engine.run_due()
    assert engine.status()["vectors"]["lacking"] == 0


def test_operations_are_counted_by_fixed_labels(engine: Cortex) -> None:
    """X18"""
    engine.remember("The ferry leaves at nine")
    engine.recall("When does the ferry leave?")
    engine.recall("Who won the cup in 1987?")
    with pytest.raises(NotFound):
        engine.show("019b8d62-7a80-7000-8000-ffffffffffff")
    counts = engine.context.dependencies.counters.counted()
    recalls = {key[3]: number for key, number in counts.items() if key[0] == "recalls"}
    assert sum(recalls.values()) == 2
    assert recalls["answered"] == 1
    assert counts["operations", "show", "error"] == 1
    assert not any("ferry" in part for key in counts for part in key)
