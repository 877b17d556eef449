"""Tags name a state of memory; recall, lists and exports show it again, and a rollback goes back to it (E18)."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from bench.rollback import run as random_history
from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane, State
from cortex.domain.tags import MOST_AUTOMATIC, TAGS
from cortex.domain.turn import TurnDraft
from cortex.errors import Conflict, InvalidRequest, NotFound
from cortex.memory import Cortex
from cortex.ports.store import Filter, PatchSession
from cortex.services.migration import migrate_tenant
from cortex.services.tags import TagService
from cortex.testing import FakeClock
from store_list import STORE_URLS, open_store
from sweeps import sweep

KEY = "The deploy key rotates on Mondays"
TEA = "The user likes green tea"
TURNS = Filter(lanes=frozenset({Lane.SESSIONS}))


def texts(engine: Cortex, **options: object) -> list[str]:
    return [trace.text for trace in engine.list(Filter(lanes=frozenset({Lane.MEMORIES})), **options)]  # type: ignore[arg-type]


def test_a_tag_names_the_position_and_the_seal_of_the_ledger(engine: Cortex) -> None:
    """E18"""
    engine.remember(KEY)
    (tag,) = engine.tag("before-upgrade", reason="release 2").tags
    last = engine.events()[-1]
    assert (tag.position, tag.seal, tag.reason, tag.automatic) == (last.position, last.seal, "release 2", False)
    assert engine.tags() == [tag]


def test_the_past_is_read_by_the_name_of_a_tag(engine: Cortex) -> None:
    """E18"""
    kept = engine.remember(KEY).memory
    engine.tag("first")
    engine.edit(kept.id, text="The deploy key rotates on Fridays")
    engine.remember(TEA)
    assert texts(engine, as_of="first") == [KEY]
    assert [hit.trace.text for hit in engine.search("deploy key", as_of="first").hits] == [KEY]
    assert engine.show(kept.id, as_of="first").trace.text == KEY
    assert [line["text"] for line in engine.export(redact=False, as_of="first")] == [KEY]
    assert KEY in engine.export_markdown(as_of="first")[0].text
    assert TEA not in engine.export_markdown(as_of="first")[0].text


def test_a_difference_names_what_was_added_changed_withdrawn_and_restored(engine: Cortex) -> None:
    """E18"""
    edited, gone, back = (engine.remember(text, as_new=True).memory for text in (KEY, TEA, "Ines lives in Porto"))
    engine.forget(back.id)
    engine.tag("a")
    engine.edit(edited.id, importance=0.9)
    engine.forget(gone.id)
    engine.restore(back.id)
    added = engine.remember("The tram leaves from platform four", as_new=True).memory
    engine.tag("b")
    engine.erase(engine.remember("Nobody may know this").memory.id)
    found = engine.diff("a", "b")
    assert {each.id: each.change for each in found.differences} == {
        edited.id: "changed", gone.id: "withdrawn", back.id: "restored", added.id: "added",
    }  # fmt: skip
    changed = next(each for each in found.differences if each.id == edited.id)
    assert {"importance", "label"} <= set(changed.fields)
    assert not {"text", "scope"} & set(changed.fields)
    assert engine.diff("b").erased == 1
    with pytest.raises(InvalidRequest, match="is before position"):
        engine.diff("b", "a")


def test_a_rollback_withdraws_what_came_later_and_undoes_edits_and_forgettings(engine: Cortex) -> None:
    """E18"""
    edited, forgotten = (engine.remember(text, as_new=True).memory for text in (KEY, TEA))
    engine.tag("good")
    engine.edit(edited.id, text="The deploy key rotates on Fridays")
    engine.forget(forgotten.id)
    later = engine.remember("A wrong idea", as_new=True).memory
    events = len(engine.events())
    (done,) = engine.rollback("good").users
    assert (done.rollback.reverted, done.rollback.restored, done.rollback.withdrawn) == (
        [edited.id], [forgotten.id], [later.id],
    )  # fmt: skip
    assert sorted(texts(engine)) == sorted([KEY, TEA])
    assert engine.get(later.id).state is State.FORGOTTEN
    assert texts_of_search(engine, "when does the deploy key rotate?") == [KEY]
    appended = [event.kind for event in engine.events()[events:] if event.kind is not EventKind.EMBEDDED]
    assert sorted(appended) == [EventKind.RESTORED, EventKind.REVISED, EventKind.WITHDRAWN]
    facts = engine.receipt(done.receipt.id).facts
    assert (facts["withdrawn_ids"], later.id in facts["ids"]) == ([later.id], True)


def texts_of_search(engine: Cortex, query: str) -> list[str]:
    return [hit.trace.text for hit in engine.recall(query, lanes=[Lane.MEMORIES]).hits]


def test_rolling_back_the_rollback_restores_what_was_there(engine: Cortex) -> None:
    """E18"""
    engine.tag("empty")
    engine.remember(KEY)
    (done,) = engine.rollback("empty").users
    assert texts(engine) == []
    engine.rollback(done.undo)
    assert texts(engine) == [KEY]


def test_a_dry_run_says_what_would_change_and_changes_nothing(engine: Cortex) -> None:
    """E18"""
    engine.tag("empty")
    later = engine.remember(KEY).memory
    before = (engine.events(), engine.tags())
    (planned,) = engine.rollback("empty", dry_run=True).users
    assert (planned.rollback.withdrawn, planned.undo) == ([later.id], "")
    assert (engine.events(), engine.tags()) == before


def test_turns_stay_unless_they_are_asked_for(engine: Cortex) -> None:
    """E18"""
    engine.tag("quiet")
    engine.store_turns("s1", [TurnDraft(text="Where is the key?")])
    assert engine.rollback("quiet").users[0].rollback.changed == 0
    assert len(engine.list(TURNS)) == 1
    engine.rollback("quiet", turns=True)
    assert engine.list(TURNS) == []


def test_a_rollback_of_one_scope_leaves_the_others(engine: Cortex) -> None:
    """E18"""
    engine.tag("empty")
    engine.remember(KEY, scope="infra")
    engine.remember(TEA, scope="kitchen")
    engine.rollback("empty", scope="infra")
    assert texts(engine) == [TEA]


def test_what_was_erased_stays_erased(engine: Cortex) -> None:
    """E18"""
    gone = engine.remember(KEY).memory
    engine.tag("all")
    engine.erase(gone.id)
    assert engine.rollback("all").users[0].rollback.changed == 0
    with pytest.raises(NotFound):
        engine.get(gone.id)


def test_a_tag_covers_every_user_of_the_agent_at_a_position_of_their_own(engine: Cortex) -> None:
    """E18"""
    ben = engine.bind(user="ben")
    engine.remember(KEY)
    ben.remember(TEA)
    ben.remember("Ben keeps a boat in Porto")
    created = engine.tag("all", everyone=True).tags
    assert {tag.user: tag.position for tag in created} == {
        "ben": ben.events()[-1].position, engine.tenant.user: engine.events()[-1].position,
    }  # fmt: skip
    for each in (engine, ben):
        each.remember("Something else entirely")
    engine.rollback("all", everyone=True)
    assert (texts(engine), texts(ben)) == ([KEY], [TEA, "Ben keeps a boat in Porto"])
    ben.untag("all")
    assert [tag.name for tag in engine.tags() if not tag.automatic] == ["all"]


@pytest.mark.parametrize("name", ["", "2026-01-01", "12", "a b", "auto-import", "x" * 65, "ä"])
def test_a_name_that_cannot_be_a_tag_is_refused(engine: Cortex, name: str) -> None:
    """E18"""
    with pytest.raises(InvalidRequest, match=r"^tag: "):
        engine.tag(name)
    assert engine.tags() == []


def test_an_unknown_tag_and_a_taken_name_are_refused_and_change_nothing(engine: Cortex) -> None:
    """E18"""
    engine.tag("one")
    events = engine.events()
    for call in (lambda: engine.rollback("two"), lambda: engine.untag("two"), lambda: engine.list(as_of="two")):
        with pytest.raises(NotFound, match="no tag 'two'"):
            call()
    with pytest.raises(InvalidRequest, match="exists already"):
        engine.tag("one")
    assert (len(engine.tags()), engine.events()) == (1, events)


def test_a_tag_whose_seal_the_ledger_does_not_have_is_refused(engine: Cortex) -> None:
    """E18"""
    engine.remember(KEY)
    (tag,) = engine.tag("one").tags
    engine.context.apply([PatchSession(TAGS, {"one": replace(tag, seal="f" * 64).to_state()})])
    with pytest.raises(Conflict, match="does not belong to this ledger"):
        engine.rollback("one")


def test_an_import_of_over_a_hundred_memories_has_an_automatic_tag_before_it(engine: Cortex) -> None:
    """E18"""
    lines = [_line(number) for number in range(201)]
    engine.import_(lines[:100], embed=False)
    assert engine.tags() == []
    before = engine.events()[-1]
    engine.import_(lines[100:], embed=False, dry_run=True)
    assert engine.tags() == []
    engine.import_(lines[100:], embed=False)
    (tag,) = engine.tags()
    assert (tag.automatic, tag.reason, tag.position, tag.seal) == (True, "import", before.position, before.seal)
    engine.rollback(tag.name)
    assert engine.stats(Filter()).total == 100


def _line(number: int) -> str:
    id = f"0198c1a2-7b3c-7def-8a01-{number:012x}"
    text = f"Pump {number} was serviced"
    return json.dumps({"type": "memory", "id": id, "text": text, "created_at": "2026-01-05T09:00:00+00:00"})


def test_a_large_capture_has_an_automatic_tag_before_it(open_engine: Callable[..., Cortex]) -> None:
    """E18"""
    engine = open_engine(capture={"policy": "lancedb.v1"})
    engine.remember(KEY)
    for session in range(4):
        texts_said = [f"Remember that pump {session}-{number} stands in hall {number * 7}." for number in range(30)]
        engine.ingest([{"role": "user", "content": text} for text in texts_said], session=f"s{session}", debounce=False)
    before = engine.events()[-1].position
    engine.run_jobs()
    assert len(texts(engine, limit=1_000)) > 100
    (tag,) = engine.tags()
    assert (tag.reason, tag.position) == ("capture", before)
    engine.rollback(tag.name)
    assert texts(engine) == [KEY]


def test_a_full_regrade_and_a_forced_writeback_have_automatic_tags_before_them(engine: Cortex) -> None:
    """E18"""
    engine.remember("Always deploy from the main branch", kind="rule", importance=0.1)
    engine.grade()
    engine.grade(all=True, dry_run=True)
    engine.writeback(force=True, dry_run=True)
    assert engine.tags() == []
    before = engine.list()
    engine.grade(all=True)
    engine.writeback(force=True)
    assert [tag.reason for tag in engine.tags()] == ["regrade", "writeback"]
    engine.rollback(engine.tags()[0].name)
    assert engine.list() == before


def test_of_automatic_tags_the_latest_twenty_are_kept(engine: Cortex, clock: FakeClock) -> None:
    """E18"""
    engine.tag("mine")
    for number in range(MOST_AUTOMATIC + 3):
        engine.remember(f"Statement {number}", as_new=True)
        clock.advance(60)
        TagService(engine.context).automatic("regrade")
    kept = [tag for tag in engine.tags() if tag.automatic]
    assert len(kept) == MOST_AUTOMATIC
    assert kept[-1].position == engine.events()[-1].position
    assert "mine" in {tag.name for tag in engine.tags()}


def test_a_rollback_beside_writers_loses_nothing(open_engine: Callable[..., Cortex]) -> None:
    """E18"""
    engine = open_engine()
    kept = [engine.remember(f"Pump {number} stands in hall {number}", as_new=True).memory for number in range(8)]
    engine.tag("good")
    for memory in kept:
        engine.edit(memory.id, text=f"{memory.text}, or so they say")

    def write(worker: int) -> None:
        for number in range(6):
            engine.edit(kept[(worker + number) % 8].id, importance=number / 10)

    with ThreadPoolExecutor(3) as pool:
        pending = [pool.submit(engine.rollback, "good"), *(pool.submit(write, worker) for worker in range(2))]
        for each in pending:
            each.result()
    engine.rollback("good")
    assert [engine.get(memory.id).text for memory in kept] == [memory.text for memory in kept]
    assert engine.verify() == []


def test_tags_go_with_a_memory_to_another_store(engine: Cortex, tmp_path: Path) -> None:
    """E18"""
    engine.remember(KEY)
    engine.tag("good")
    engine.remember(TEA)
    engine.flush()
    target = open_store("sqlite", tmp_path / "other")
    try:
        migrate_tenant(engine.context.store, target, engine.tenant)
        with target.view(engine.tenant) as view:
            assert view.state(TAGS) == {"good": engine.tags()[0].to_state()}
    finally:
        target.close()


@pytest.mark.parametrize("backend", sweep(STORE_URLS, ["sqlite", "ephemeral", "postgresql"]))
@pytest.mark.parametrize("seed", [1, 2])
def test_a_random_history_goes_back_to_its_tags(tmp_path: Path, backend: str, seed: int) -> None:
    """E18"""
    assert random_history(seed, STORE_URLS[backend](tmp_path / "agents"), tmp_path).faults == []
