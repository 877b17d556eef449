"""Listing, counting, taking out and putting in."""

from __future__ import annotations

import pytest
from behaving import EMBEDDED, Surface, capable
from worlds import ANOTHER_AGENT, ANOTHER_USER, World

from cortex.domain.scope import Tenant
from cortex.errors import InvalidRequest, NotFound

exchanges = pytest.mark.parametrize("memory", capable("export", "import_"), indirect=True)


def test_memories_are_listed_page_by_page(memory: Surface) -> None:
    """E14"""
    kept = [memory.remember(f"Parcel {number} stands in the hall").id for number in range(5)]
    first = memory.list(limit=2)
    second = memory.list(limit=2, after=first[-1].id)
    third = memory.list(limit=2, after=second[-1].id)
    assert [each.id for each in (*first, *second, *third)] == kept


def test_memories_are_listed_by_kind_and_state(memory: Surface) -> None:
    """E14"""
    rule = memory.remember("Always answer in short sentences", kind="rule")
    fact = memory.remember("The bakery opens at seven")
    memory.forget(fact.id)
    assert [each.id for each in memory.list(kinds=["rule"])] == [rule.id]
    assert [each.id for each in memory.list(states=["forgotten"])] == [fact.id]


def test_memories_are_counted_by_kind_and_state(memory: Surface) -> None:
    """X4: stats; E14."""
    memory.remember("Always answer in short sentences", kind="rule")
    memory.remember("The bakery opens at seven")
    memory.forget(memory.remember("The kiosk sells stamps").id)
    assert memory.stats() == {
        "total": 3, "by_kind": {"rule": 1, "fact": 2}, "by_state": {"active": 2, "forgotten": 1},
    }  # fmt: skip


@exchanges
def test_an_export_has_no_text_unless_it_is_asked_for(memory: Surface) -> None:
    """E14: redacted by default, in order of id."""
    kept = [memory.remember(f"The heron number {number} sleeps at noon").id for number in range(3)]
    plain = memory.export()
    assert [record["id"] for record in plain] == kept
    assert "heron" not in str(plain)
    assert [record["text"] for record in memory.export(with_text=True)] == [
        f"The heron number {number} sleeps at noon" for number in range(3)
    ]


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, memory: Surface, world: World) -> Surface:
    """The same surface for another agent, which has a store of its own."""
    return world.surface(request.node.callspec.params["memory"], memory.scope, ANOTHER_AGENT)


@exchanges
def test_an_export_is_imported_elsewhere_as_it_was(memory: Surface, elsewhere: Surface) -> None:
    """E14: a round trip."""
    old = memory.remember("The office is in Rome", tags=["place"])
    memory.remember("Das Büro ist in Łódź 🎉", supersedes=old.id, kind="decision", importance=0.9, topic="office")
    records = memory.export(with_text=True)
    done = elsewhere.import_(records)
    assert (done.memories, done.turns, done.duplicates) == (2, 0, 0)
    again = elsewhere.export(with_text=True)
    # Where it comes from is another thing now, who changed it last, and how far it is trusted; the rest is as it was.
    besides = {"trust": "", "source_kind": "", "actor": "", "cause": ""}
    assert [{**record, **besides} for record in again] == [{**record, **besides} for record in records]
    assert elsewhere.get(old.id).state == "superseded"
    assert memory.export(with_text=True) == records


@exchanges
def test_what_is_there_already_is_not_imported_again(memory: Surface, elsewhere: Surface) -> None:
    """E14: dedupe by id and text."""
    memory.remember("The office is in Rome")
    records = memory.export(with_text=True)
    assert elsewhere.import_(records).memories == 1
    again = elsewhere.import_(records)
    assert (again.memories, again.duplicates) == (0, 1)
    assert elsewhere.stats()["total"] == 1


@exchanges
def test_a_dry_run_stores_nothing(memory: Surface, elsewhere: Surface) -> None:
    """E14"""
    memory.remember("The office is in Rome")
    assert elsewhere.import_(memory.export(with_text=True), dry_run=True).memories == 1
    assert elsewhere.stats()["total"] == 0


@exchanges
def test_one_bad_record_keeps_all_of_them_out(memory: Surface, elsewhere: Surface) -> None:
    """E14: all or nothing."""
    memory.remember("The office is in Rome")
    memory.remember("The office is in Oslo")
    good, bad = memory.export(with_text=True)
    with pytest.raises(InvalidRequest):
        elsewhere.import_([good, {**bad, "kind": "nonsense"}])
    assert elsewhere.stats()["total"] == 0


@exchanges
def test_nothing_imported_is_believed_more_than_its_source(memory: Surface, elsewhere: Surface) -> None:
    """E7"""
    memory.remember("The ferry to Samos costs 40 euros", source="web")
    (record,) = memory.export(with_text=True)
    elsewhere.import_([{**record, "trust": "trusted", "source_kind": "operator"}])
    assert elsewhere.get(record["id"]).trust != "trusted"


@exchanges
def test_what_another_user_has_under_the_same_id_is_refused_and_keeps_nobody_from_writing(
    request: pytest.FixtureRequest, memory: Surface, world: World
) -> None:
    """E14: ids are those of one agent; the error is kept while others go on."""
    user = world.surface(request.node.callspec.params["memory"], memory.scope, ANOTHER_USER)
    memory.remember("The office is in Rome")
    memory.remember("The office is in Oslo")
    with pytest.raises(InvalidRequest) as refused:
        user.import_(memory.export(with_text=True))
    assert refused.value.field == "id"
    memory.remember("The office is in Bern")
    user.remember("The studio is in Porto")
    assert (memory.stats()["total"], user.stats()["total"]) == (3, 1)


# --- whose memory it is -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tenant", [ANOTHER_USER, ANOTHER_AGENT], ids=["user", "agent"])
def test_nobody_sees_or_changes_the_memory_of_another(
    request: pytest.FixtureRequest, memory: Surface, world: World, tenant: Tenant
) -> None:
    """An agent and one of its users are a tenant: nothing crosses from one to another."""
    stranger = world.surface(request.node.callspec.params["memory"], memory.scope, tenant)
    kept = memory.remember("The vault code is in the blue book")
    assert stranger.recall("Where is the vault code?").hits == ()
    assert stranger.search("vault code").hits == ()
    assert stranger.list() == ()
    assert not world.surface(EMBEDDED, memory.scope, tenant).export(with_text=True)
    assert stranger.stats()["total"] == 0
    for verb in (stranger.get, stranger.forget):
        with pytest.raises(NotFound):
            verb(kept.id)
    with pytest.raises((NotFound, InvalidRequest)):
        stranger.remember("The vault code is nowhere", supersedes=kept.id)
    with pytest.raises((NotFound, InvalidRequest)):
        stranger.memory_get("MEMORY.md")
    assert stranger.memory_search("studio of Mara", min_score=0.0)["results"] == []
    assert memory.get(kept.id).state == "active"
    assert stranger.stats()["total"] == 0
